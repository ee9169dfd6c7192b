/* The sum of absolute differences |r|, r = x - y: p = w x, q = w y, w = 1 / max(|r|, e).
 *
 * The weight of an exact fit would be infinite, and entries that are nearly fitted hold the others
 * where they are: with a small e from the first iteration on, steps creep long before a minimum.
 * So e begins at a part of the mean of X, below what most outliers are apart, and halves in every
 * so many iterations, down to a millionth of the mean. The factors have to follow it: halved four
 * times as often, some starts end up to a fifth higher. The value counts
 *
 *     |r| from e on,  (r^2 / e + e) / 2 below
 *
 * which is Huber's loss divided by its bound (huber.c) plus e / 2: steps descend as they do there,
 * and so does a smaller e, since the value is nowhere below |r| and falls with e. A fit ends with
 * the value of the last e, whichever it came to. */
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
    .halves = 200,
    .begins = 0.3,
    .exponent = 1,
    .degree = 1,
    .gain = 2,
    .rule = rule,
    ENTRYWISE_FUNCTIONS,
};
