/* What every entrywise loss has in common: numerators P W and P'S, denominators Q W and Q'S (or
 * sums of columns where q = 1), and its value as the sum that the pass over X finds on its way.
 *
 * A loss says what it makes of an entry x and its fit y, d being its parameter. All three are
 * finite for x >= 0 and y > 0:
 *
 *     static inline double p(double d, double x, double y) { ... }          numerators
 *     static inline double q(double d, double x, double y) { ... }          denominators
 *     static inline double value(double d, double x, double y) { ... }
 *     ENTRYWISE_RULES(name, p, q, value)
 *
 *     const loss loss_name = {.name = ..., .exponent = ..., .degree = ..., .gain = 2,
 *                             .rule = name_rule, ENTRYWISE_FUNCTIONS};
 *
 * The losses that there are take rules of the kernels, which are compiled for each instruction set
 * (src/kernel/entries.inc). */
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
/* It is small beside the number of entries times their mean to the power of the loss's degree. */
bool entrywise_at_limit(const sweep *s, double value);

#define ENTRYWISE_PRODUCTS                                                                    \
    .block_rows = entrywise_block_rows, .encoding = entrywise_encoding,                       \
    .linear = entrywise_linear, .basis = entrywise_basis, .accumulate = entrywise_accumulate, \
    .rows_value = entrywise_rows_value, .at_limit = entrywise_at_limit

#define ENTRYWISE_FUNCTIONS ENTRYWISE_PRODUCTS, .value = entrywise_value

/* A fit of less counts as this: p, q and the value of a positive y are finite in single precision
 * too. */
#define ENTRYWISE_LEAST 1e-12

/* The rules for both precisions. */
#define ENTRYWISE_RULE(NAME, REAL, P, Q, VALUE)                                                  \
    static inline double NAME##_fit(REAL fit)                                                    \
    {                                                                                            \
        return fit > (REAL)ENTRYWISE_LEAST ? (double)fit : ENTRYWISE_LEAST;                      \
    }                                                                                            \
    static void NAME##_weights(double own_, array entries_, array fits_, array weights_)         \
    {                                                                                            \
        for (int64_t i_ = 0; i_ < entries_.rows; i_++) {                                         \
            const REAL *entry_ = (const REAL *)entries_.data + i_ * entries_.stride;             \
            REAL *fit_ = (REAL *)fits_.data + i_ * fits_.stride;                                 \
            REAL *weight_ = weights_.data ? (REAL *)weights_.data + i_ * weights_.stride : NULL; \
            for (int64_t j_ = 0; j_ < entries_.columns; j_++) {                                  \
                const double fitted_ = NAME##_fit(fit_[j_]);                                     \
                fit_[j_] = (REAL)P(own_, (double)entry_[j_], fitted_);                           \
                if (weight_)                                                                     \
                    weight_[j_] = (REAL)Q(own_, (double)entry_[j_], fitted_);                    \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    static double NAME##_value(double own_, array entries_, array fits_, array masks_)           \
    {                                                                                            \
        double total_ = 0;                                                                       \
        for (int64_t i_ = 0; i_ < entries_.rows; i_++) {                                         \
            const REAL *entry_ = (const REAL *)entries_.data + i_ * entries_.stride,             \
                       *fit_ = (const REAL *)fits_.data + i_ * fits_.stride,                     \
                       *mask_ =                                                                  \
                           masks_.data ? (const REAL *)masks_.data + i_ * masks_.stride : NULL;  \
            for (int64_t j_ = 0; j_ < entries_.columns; j_++)                                    \
                total_ += (mask_ ? (double)mask_[j_] : 1) *                                      \
                          VALUE(own_, (double)entry_[j_], NAME##_fit(fit_[j_]));                 \
        }                                                                                        \
        return total_;                                                                           \
    }

#define ENTRYWISE_RULES(NAME, P, Q, VALUE)                                                 \
    ENTRYWISE_RULE(NAME##_single, float, P, Q, VALUE)                                      \
    ENTRYWISE_RULE(NAME##_double, double, P, Q, VALUE)                                     \
    static entry_rule NAME##_rule(const kernels *ops, double parameter)                    \
    {                                                                                      \
        return ops->size == sizeof(float) ? (entry_rule){.weights = NAME##_single_weights, \
                                                         .value = NAME##_single_value,     \
                                                         .parameter = parameter}           \
                                          : (entry_rule){.weights = NAME##_double_weights, \
                                                         .value = NAME##_double_value,     \
                                                         .parameter = parameter};          \
    }

#endif
