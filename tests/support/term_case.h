/* Cases for the tests of terms: every row of the table of terms, under every loss, on dense and CSR
 * data, with all that a term may need. */
#ifndef SUPPORT_TERM_CASE_H
#define SUPPORT_TERM_CASE_H

#include "loss/losses.h"
#include "method/fit.h"
#include "problem.h"
#include "term/terms.h"

typedef struct term_shape {
    int64_t samples, features, rank;
    bool classes;  /* edges between all members of a class, which the graph does not store */
    int64_t units; /* of a pooling matrix; 0: none is given */
    orthant_precision precision;
} term_shape;

/* Small ones; in the second and third there are several blocks of samples and of features. */
#define TERM_SHAPES 3
extern const term_shape term_shapes[TERM_SHAPES];

typedef struct term_case {
    const term_kind *kind;
    const loss *loss;
    bool sparse;
    term_shape shape;
} term_case;

/* The weight of each term. */
#define TERM_WEIGHT 0.7

typedef struct term_setting {
    test_problem p;
    orthant_graph *near, *edges; /* neighbours; with all edges within classes */
    orthant_graph *classes;      /* the same, but those of classes not stored; or NULL */
    orthant_matrix *pooling;     /* or NULL */
    orthant_model *model;
    orthant_matrix *basis, *encoding;
    term t;
    problem asked;
    sweep s;
} term_setting;

/* Sanitized, with a third of the losses, another third for the next term: the numbers are the
 * release build's. */
void term_each_case(const term_shape *shapes, int count, void (*check)(const term_case *c));
void term_prepare(term_setting *x, const term_case *c, int threads);
void term_clear(term_setting *x);

/* Entries, a third of them zero, and one row. */
void term_draw(orthant_matrix *a, uint64_t seed);
/* The engine's value for the factors as they are, as an iteration finds it: terms are prepared
 * before the sums are new. */
double term_value_now(term_setting *x);

static inline double term_at(const orthant_matrix *a, int64_t row, int64_t column)
{
    return orthant_matrix_get(a, row, column);
}

static inline void term_set(orthant_matrix *a, int64_t row, int64_t column, double value)
{
    matrix_set_value(a, row * a->stride + column, value);
}

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

#define fail_case(c, format, ...)                                              \
    fail_msg("%s, %s, %s, rank %d: " format, (c)->kind->name, (c)->loss->name, \
             (c)->sparse ? "CSR" : "dense", (int)(c)->shape.rank, __VA_ARGS__)

#endif
