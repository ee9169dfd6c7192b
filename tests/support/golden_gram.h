/* The golden cases of projective, orthogonal, concept and convex factorisations. */
#ifndef SUPPORT_GOLDEN_GRAM_H
#define SUPPORT_GOLDEN_GRAM_H

#include "orthant/matrix.h"

typedef struct gram_case {
    const char *name, *method;
    const char *parameters[3][2];
    const char *factors[2][2]; /* letter in the files, our name */
    bool graph;                /* S.csv */
} gram_case;

#define GRAM_CASES 16
extern const gram_case gram_cases[GRAM_CASES];

int gram_case_factors(const gram_case *row);
orthant_matrix *gram_case_factor(orthant_context *ctx, const gram_case *row, const char *when,
                                 int index);

/* Fails the test where the factors after 1, 10 and 100 iterations, or the objective after each, are
 * not the reference's. False where the device ("cpu" does not) refuses the case, which is told. */
bool golden_gram_check(const gram_case *row, const char *device);

#endif
