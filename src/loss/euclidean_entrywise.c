/* The quadratic loss |X - S W'|^2 as an entrywise one, p = x and q = y: what weights of entries
 * turn frobenius into. Without any it has the iterates of frobenius, which is quicker. */
#include "loss/entrywise.h"

/* The beta divergence for 2 is half of a square; the gain says so. */
static entry_rule rule(const kernels *ops, double parameter)
{
    return (entry_rule){.weights = ops->beta_weights,
                        .value = ops->beta_value,
                        .parameter = parameter,
                        .squares = true};
}

/* Twice the halves of the rule; `user` is NULL for the fit, else the fit is 0. */
static double weighted_rows(const sweep *s, void *user, strip x, block b)
{
    const array none = sweep_array(s, b, SCRATCH_NUMERATOR);
    entry_rule own = rule(s->ops, 2);
    own.of_entries = s->problem->weights;
    if (user)
        array_clear(s->ops, none);
    return 2 * s->plan.strips.x->entry_value(s->ops, x, b,
                                             user ? none : sweep_rows(s, s->factors.S, b),
                                             s->factors.W, &own, sweep_kernel_scratch(s, b.thread));
}

void weighted_error(sweep *s, double *error, double *squares)
{
    *error = sweep_over_samples(s, weighted_rows, NULL);
    *squares = sweep_over_samples(s, weighted_rows, s);
}

const loss loss_euclidean_entrywise = {
    .name = "euclidean-entrywise",
    .title = "squared differences, entry by entry",
    .parameter = 2,
    .exponent = 1,
    .degree = 2,
    .gain = 1,
    .rule = rule,
    ENTRYWISE_FUNCTIONS,
};
