/* What every entrywise loss has in common: numerators P W and P'S, denominators Q W and Q'S (or
 * sums of columns where q = 1), and its value as the sum that the pass over X finds on its way.
 *
 * A loss says what it makes of an entry x and its fit y (> 0):
 *
 *     static inline double p(double x, double y) { ... }          numerators
 *     static inline double q(double x, double y) { ... }          denominators
 *     static inline double value(double x, double y) { ... }
 *     ENTRYWISE_RULES(name, p, q, value)
 *
 *     const loss loss_name = {.name = ..., .exponent = ..., ENTRYWISE_LOSS(name)};
 */
#ifndef LOSS_ENTRYWISE_H
#define LOSS_ENTRYWISE_H

#include "loss/losses.h"

int64_t entrywise_block_rows(const problem *p);
void entrywise_encoding(const sweep *s, strip x, block b, array from, array N, array D);
void entrywise_linear(const sweep *s, strip x, block b, array N);
void entrywise_basis(const sweep *s, block f, array W, array D);
void entrywise_accumulate(const sweep *s, strip x, panel p, int thread, sums *to, double *value);
double entrywise_rows_value(const sweep *s, strip x, block b);
double entrywise_value(const sweep *s);
bool entrywise_at_limit(const sweep *s, double value);

#define ENTRYWISE_FUNCTIONS                                                                   \
    .gain = 2, .block_rows = entrywise_block_rows, .encoding = entrywise_encoding,            \
    .linear = entrywise_linear, .basis = entrywise_basis, .accumulate = entrywise_accumulate, \
    .rows_value = entrywise_rows_value

#define ENTRYWISE_LOSS(NAME)                                                       \
    ENTRYWISE_FUNCTIONS, .value = entrywise_value, .at_limit = entrywise_at_limit, \
                         .rule_single = &NAME##_single, .rule_double = &NAME##_double

/* A fit of zero counts as this. */
#define ENTRYWISE_LEAST 1e-30

/* The rules for both precisions. */
#define ENTRYWISE_RULE(NAME, REAL, P, Q, VALUE)                                                    \
    static void NAME##_weights(array x, array y, array q)                                          \
    {                                                                                              \
        for (int64_t i = 0; i < x.rows; i++) {                                                     \
            const REAL *entry = (const REAL *)x.data + i * x.stride;                               \
            REAL *fit = (REAL *)y.data + i * y.stride;                                             \
            REAL *weight = q.data ? (REAL *)q.data + i * q.stride : NULL;                          \
            for (int64_t j = 0; j < x.columns; j++) {                                              \
                const double at = (double)entry[j], fitted = fit[j] > (REAL)ENTRYWISE_LEAST        \
                                                                 ? (double)fit[j]                  \
                                                                 : ENTRYWISE_LEAST;                \
                fit[j] = (REAL)P(at, fitted);                                                      \
                if (weight)                                                                        \
                    weight[j] = (REAL)Q(at, fitted);                                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static double NAME##_value(array x, array y)                                                   \
    {                                                                                              \
        double total = 0;                                                                          \
        for (int64_t i = 0; i < x.rows; i++) {                                                     \
            const REAL *entry = (const REAL *)x.data + i * x.stride,                               \
                       *fit = (const REAL *)y.data + i * y.stride;                                 \
            for (int64_t j = 0; j < x.columns; j++)                                                \
                total += VALUE((double)entry[j],                                                   \
                               fit[j] > (REAL)ENTRYWISE_LEAST ? (double)fit[j] : ENTRYWISE_LEAST); \
        }                                                                                          \
        return total;                                                                              \
    }                                                                                              \
    static const entry_rule NAME = {NAME##_weights, NAME##_value};

#define ENTRYWISE_RULES(NAME, P, Q, VALUE)            \
    ENTRYWISE_RULE(NAME##_single, float, P, Q, VALUE) \
    ENTRYWISE_RULE(NAME##_double, double, P, Q, VALUE)

#endif
