/* A device: an accelerator in whose memory a fit's arrays lie and on which its sweeps run. This is
 * what a plug-in implements (plugins/cuda) and all that the engine knows of it; the header needs
 * nothing of the library, and whatever is compiled with another version of it is refused.
 *
 * A plug-in exports
 *
 *     const device_interface *orthant_plugin_device(void);
 *
 * The verbs are those of the sweep (sweep.h), on the whole of X: X is brought to the device once,
 * or strip by strip where it does not fit. What a verb computes is what the host's function of the
 * same name computes, up to the order of sums; on one device every run has the same bits. Verbs
 * return at once and run in the order in which they were called; get() and measure() wait for what
 * was asked before. A verb that fails returns false, and message() says why; from then on every
 * verb fails. */
#ifndef ENGINE_DEVICE_H
#define ENGINE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/device_search.h"
#include "engine/device_products.h"
#include "engine/device_projective.h"

#define DEVICE_VERSION 5

typedef struct device_description {
    char name[128];
    int64_t memory, free_memory; /* bytes */
    int multiprocessors;
    int major, minor; /* of what it can do */
} device_description;

/* Edges between samples. */
typedef struct device_graph {
    const int64_t *start; /* CSR, n x n */
    const int32_t *column;
    const void *values;   /* in the problem's precision; NULL: all are 1 */
    const double *degree; /* of each sample; NULL: all weights are 1, and its edges count */
    /* Edges of weight 1 between all members of a class, which the matrix leaves out. */
    int64_t class_count;
    const int32_t *class_of; /* of each sample; -1: none */
    const int64_t *class_start;
    const int32_t *member; /* of class c: from class_start[c] to class_start[c + 1] */
} device_graph;

/* A term of the objective, by its row in the table of terms, and what that term has beside its
 * weight (src/term): accepts() is not given it. */
typedef struct device_term {
    const char *name;
    double weight, gain;    /* term.h */
    double constant;        /* topographic: epsilon; a-optimal: gamma; volume: delta */
    const int64_t *classes; /* class: of each sample, -1: not known */
    int64_t class_width;    /* class: columns of each */
    const double *squares;  /* local: |x_i|^2 of each sample */
    const void *pooling;    /* topographic: H, units x k, in the problem's precision */
    int64_t units, pooling_stride;
    device_graph graph; /* graph */
} device_term;

/* What is asked; the arrays are the caller's and stay as they are until close(). */
typedef struct device_problem {
    int64_t samples, features, rank; /* n, m, k */
    bool single;                     /* or double */
    bool rounds_products;            /* factors of products may be rounded to TF32 */
    const char *loss, *solver;       /* by their names in the tables */
    double exponent;                 /* of the multiplicative rule, the loss's own */
    const device_term *terms;
    int term_count;
    /* X: dense rows of `stride` elements, or, where `start` is there, CSR */
    const void *values;
    int64_t stride;
    const int64_t *start;
    const int32_t *column;
    bool on_device;       /* the arrays of X are in the device's memory */
    bool cautious;        /* hals: see src/solver/hals.c */
    double data_squares;  /* |X|^2 */
    double data_sum;      /* of X */
    int64_t memory_limit; /* bytes of the device; 0: what is free */
    /* For tests. Bytes of X that are worked with at once where X has more, 0: the device's choice;
     * fits with the same number have the same bits wherever X is. X stays on the host, though it
     * fits. */
    int64_t strip_bytes;
    bool streams;
} device_problem;

typedef struct device_step {
    const char *solver; /* of this iteration */
    int64_t iteration;
    double exponent, momentum;
} device_step;

/* Arrays that get() and put() name. Those that a problem does not have are not asked for. */
typedef enum device_array {
    DEVICE_BASIS,            /* W, m x k */
    DEVICE_ENCODING,         /* S, n x k */
    DEVICE_UPDATED_BASIS,    /* as the updates left them, before they were extrapolated */
    DEVICE_UPDATED_ENCODING, /* (emu) */
    DEVICE_SUMS,             /* A, m x k */
    DEVICE_GRAM,             /* B = S'S, k x k */
    DEVICE_COLUMNS,          /* sums of S's columns, 1 x k, double whatever the precision */
    DEVICE_PRODUCTS          /* X'S, m x k, where it is not A and a term reads it */
} device_array;

typedef struct device_state device_state;

typedef struct device_interface {
    size_t size;
    int version;
    const char *name; /* "cuda" */

    /* How many there are; 0 with the reason in `message`. */
    int (*count)(char *message);
    bool (*describe)(int device, device_description *description, char *message);
    /* Whether it can do what is asked, before anything runs; the reason in `message` where not, in
     * words that go on after "the device 'cuda' ...". It does not look at the arrays. */
    bool (*accepts)(const device_problem *problem, char *message);

    bool (*open)(int device, const device_problem *problem, device_state **state, char *message);
    void (*close)(device_state *state);
    const char *(*message)(const device_state *state);

    /* Rows of `stride` elements in the host's memory. */
    bool (*put)(device_state *state, device_array which, const void *rows, int64_t stride);
    bool (*get)(device_state *state, device_array which, void *rows, int64_t stride);

    /* sweep_start(), sweep_basis(), sweep_basis_changed(), sweep_encoding() */
    bool (*start)(device_state *state);
    bool (*basis)(device_state *state, const device_step *step);
    bool (*basis_changed)(device_state *state);
    bool (*encoding)(device_state *state, const device_step *step);
    /* Both factors, and back again (the sums are not kept: start() follows). */
    bool (*keep)(device_state *state);
    bool (*restore)(device_state *state);
    /* The loss, then each term's weighted value. */
    bool (*measure)(device_state *state, double *values);
    /* sweep_projected_gradient() */
    bool (*projected_gradient)(device_state *state, double *value);
    /* Short iterations together, so that nobody waits for each: basis(), basis_changed(),
     * encoding() and measure(), `count` times, the step's iteration counting on; values[i] are
     * those of measure(), a row after the other, and it waits for all. The bits are those of the
     * single verbs. NULL: they are called one by one. */
    bool (*run)(device_state *state, const device_step *first, int64_t count, double *values);

    /* Neighbours and k-means; NULL: the device has neither. */
    const device_search *search;
    /* Projective methods; NULL: the device has none. */
    const device_projections *projections;
    /* Products for methods on similarities and inner products; NULL: the device has none. */
    const device_products *products;
} device_interface;

#endif
