/* Random problems for tests: nonnegative data with exact zeros and zero samples, labels, models
 * that have all they need. */
#ifndef SUPPORT_PROBLEM_H
#define SUPPORT_PROBLEM_H

#include "orthant/orthant.h"

typedef struct test_problem {
    orthant_context *ctx;
    orthant_matrix *X;
    orthant_labels *labels; /* four classes, half of the samples -1 */
} test_problem;

typedef struct problem_shape {
    int64_t samples, features;
    orthant_precision precision;
    bool sparse;
    uint64_t seed;
    double density; /* share of entries that are not zero; 0 stands for 0.6 */
} problem_shape;

void problem_make(test_problem *p, problem_shape shape);
void problem_free(test_problem *p);
/* Every entry of a dense X. */
void problem_scale(test_problem *p, double scale);
/* The zeros of a dense X become 0.1, for losses that take none. */
void problem_fill(test_problem *p);

/* A model with the labels set and `iterations`; tolerance 0. */
orthant_model *problem_model(const test_problem *p, const char *method, int64_t rank,
                             const char *iterations);
/* Fits, failing the test with the message where it cannot. */
orthant_result *problem_fit(const test_problem *p, const orthant_model *model);

/* |X - W S'|^2 or the divergence, by plain loops. */
double problem_loss(const test_problem *p, const orthant_result *result, bool kl);

/* The largest difference over the largest entry of b. */
double factor_difference(const orthant_matrix *a, const orthant_matrix *b);
bool factors_identical(const orthant_result *a, const orthant_result *b);

#endif
