/* The sum of absolute differences |x - y|: p = w x, q = w y, w = 1 / |x - y|.
 *
 * The weight of an exact fit would be infinite. Below e, a millionth of the mean of X, a residual r
 * counts r^2 / (2 e), and |r| - e / 2 above: Huber's loss divided by its bound, which descends as
 * that does (huber.c). */
#include "loss/entrywise.h"

static entry_rule rule(const kernels *ops, double parameter)
{
    return (entry_rule){
        .weights = ops->absolute_weights, .value = ops->absolute_value, .parameter = parameter};
}

const loss loss_l1 = {
    .name = "l1",
    .title = "absolute differences",
    .parameter = 1e-6,
    .relative = true,
    .exponent = 1,
    .degree = 1,
    .gain = 2,
    .rule = rule,
    ENTRYWISE_FUNCTIONS,
};
