/* What every entrywise loss has in common: numerators P W and P'S, denominators Q W and Q'S (or
 * sums of columns where q = 1), and its value as the sum that the pass over X finds on its way.
 *
 * A loss says what it makes of an entry x and its fit y. All three are finite for x >= 0 and y > 0:
 *
 *     static inline double p(double x, double y) { ... }          numerators
 *     static inline double q(double x, double y) { ... }          denominators
 *     static inline double value(double x, double y) { ... }
 *     ENTRYWISE_RULES(name, p, q, value)
 *
 *     const loss loss_name = {
 *         .name = ..., .exponent = ..., .at_limit = entrywise_at_limit, ENTRYWISE_LOSS(name)};
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
/* For a loss in the units of X: it is small beside the sum of X. */
bool entrywise_at_limit(const sweep *s, double value);

#define ENTRYWISE_FUNCTIONS                                                                   \
    .gain = 2, .block_rows = entrywise_block_rows, .encoding = entrywise_encoding,            \
    .linear = entrywise_linear, .basis = entrywise_basis, .accumulate = entrywise_accumulate, \
    .rows_value = entrywise_rows_value

#define ENTRYWISE_LOSS(NAME)                                                      \
    ENTRYWISE_FUNCTIONS, .value = entrywise_value, .rule_single = &NAME##_single, \
                         .rule_double = &NAME##_double

/* A fit of less counts as this: p, q and the value of a positive y are finite in single precision
 * too. */
#define ENTRYWISE_LEAST 1e-12

/* The rules for both precisions. */
#define ENTRYWISE_RULE(NAME, REAL, P, Q, VALUE)                                                  \
    static inline double NAME##_fit(REAL fit)                                                    \
    {                                                                                            \
        return fit > (REAL)ENTRYWISE_LEAST ? (double)fit : ENTRYWISE_LEAST;                      \
    }                                                                                            \
    static void NAME##_weights(array entries_, array fits_, array weights_)                      \
    {                                                                                            \
        for (int64_t i_ = 0; i_ < entries_.rows; i_++) {                                         \
            const REAL *entry_ = (const REAL *)entries_.data + i_ * entries_.stride;             \
            REAL *fit_ = (REAL *)fits_.data + i_ * fits_.stride;                                 \
            REAL *weight_ = weights_.data ? (REAL *)weights_.data + i_ * weights_.stride : NULL; \
            for (int64_t j_ = 0; j_ < entries_.columns; j_++) {                                  \
                const double fitted_ = NAME##_fit(fit_[j_]);                                     \
                fit_[j_] = (REAL)P((double)entry_[j_], fitted_);                                 \
                if (weight_)                                                                     \
                    weight_[j_] = (REAL)Q((double)entry_[j_], fitted_);                          \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    static double NAME##_sum(array entries_, array fits_)                                        \
    {                                                                                            \
        double total_ = 0;                                                                       \
        for (int64_t i_ = 0; i_ < entries_.rows; i_++) {                                         \
            const REAL *entry_ = (const REAL *)entries_.data + i_ * entries_.stride,             \
                       *fit_ = (const REAL *)fits_.data + i_ * fits_.stride;                     \
            for (int64_t j_ = 0; j_ < entries_.columns; j_++)                                    \
                total_ += VALUE((double)entry_[j_], NAME##_fit(fit_[j_]));                       \
        }                                                                                        \
        return total_;                                                                           \
    }                                                                                            \
    static const entry_rule NAME = {NAME##_weights, NAME##_sum};

#define ENTRYWISE_RULES(NAME, P, Q, VALUE)            \
    ENTRYWISE_RULE(NAME##_single, float, P, Q, VALUE) \
    ENTRYWISE_RULE(NAME##_double, double, P, Q, VALUE)

#endif
