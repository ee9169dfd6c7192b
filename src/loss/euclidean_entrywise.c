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
