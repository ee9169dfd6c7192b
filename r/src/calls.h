/* What the functions that R calls share. */
#ifndef ORTHANT_CALLS_H
#define ORTHANT_CALLS_H

#include "values.h"

typedef struct call {
    binding b;
    SEXP *given; /* R's arguments */
    SEXP (*run)(struct call *c);
} call;

/* R's error where the library refused. */
void check(const call *c, orthant_status status);
SEXP run_call(SEXP (*run)(call *), SEXP *given);
/* Those of a turn (binding_turn()); elements of an element that is a list are start.basis, ... */
void set_options(call *c, SEXP options, int turn);
int64_t whole_of(SEXP value, const char *what);
const char *text_or_null(SEXP options, const char *name);
int64_t whole_or_zero(SEXP options, const char *name);

/* studies.c */
SEXP starts_value(const orthant_result *result);
SEXP consensus_value(const orthant_result *result); /* NULL where it is none */
SEXP reasons_value(const orthant_ranks *survey);
SEXP orthant_r_read(SEXP path, SEXP options);
SEXP orthant_r_ranks(SEXP x, SEXP settings, SEXP folder);
SEXP orthant_r_words(SEXP path, SEXP options);
SEXP orthant_r_silhouette(SEXP points, SEXP labels, SEXP options);

#endif
