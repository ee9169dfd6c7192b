/* Huber's loss of the residual r = x - y, for a bound d:
 *
 *     r^2 / 2 up to d, from there on d |r| - d^2 / 2
 *
 *     p = w x,  q = w y,  w = min(1, d / |r|)
 *
 * Squares with weights that follow the residual: the quadratic with the weights as they are touches
 * the loss and is nowhere below, so that the rule of the weighted squares descends. */
#include "loss/entrywise.h"

static entry_rule rule(const kernels *ops, double parameter)
{
    return (entry_rule){
        .weights = ops->huber_weights, .value = ops->huber_value, .parameter = parameter};
}

const loss loss_huber = {
    .name = "huber",
    .title = "Huber's loss: squares, linear from a bound on",
    .parameter = 1,
    .least = 1e-12,
    .most = 1e12,
    .exponent = 1,
    .degree = 2,
    .gain = 2,
    .rule = rule,
    ENTRYWISE_FUNCTIONS,
};
