/* The cases in which a device is held against the host: losses, solvers, terms, shapes, precisions,
 * dense and CSR data. */
#ifndef SUPPORT_DEVICE_WALK_H
#define SUPPORT_DEVICE_WALK_H

#include "problem.h"

#define NEAR 1e-2 /* of the first objective: descents stop after another number of passes */

typedef struct device_shape {
    int64_t samples, features, rank;
} device_shape;

typedef struct device_case {
    const char *kind, *loss, *solver;
    const char *term; /* or NULL */
    double weight;    /* of it */
    bool sparse, large;
    orthant_precision precision;
    device_shape shape;
} device_case;

/* What a test is given, as its state. */
typedef struct device_run {
    const char *kind;
    bool every; /* shape; a few do where the device is plain loops */
    bool large;
} device_run;

/* Calls `check` for the cases: of large shapes for some. */
void device_each_case(const device_run *run, void (*check)(const device_case *c));
/* Those with a term: every one of the table. */
void device_each_term(const device_run *run, void (*check)(const device_case *c));

/* Of some hundred samples, which a device may cut into pieces; without a term, and with two that
 * read X and other samples. */
void device_each_piece(const device_run *run, void (*check)(const device_case *c));

const char *device_case_name(const device_case *c);
void device_case_data(const device_case *c, test_problem *p);
orthant_model *device_case_model(const device_case *c, const test_problem *p,
                                 const char *iterations);
bool device_case_single(const device_case *c);
bool device_case_descends(const device_case *c);
double device_case_tolerance(const device_case *c);
/* Multiplicative updates of both losses, with every term, are what every device has:
 * it fails the test where they were refused. */
void device_case_refused(const device_case *c, const char *message);
void device_compare_number(const device_case *c, const char *when, const char *what, double host,
                           double device, double scale, double tolerance);

/* Every verb on a case. */
void device_check_verbs(const device_case *c);

#endif
