/* The beta divergences of x and y, for a beta b from -1 to 3:
 *
 *     (x^b + (b - 1) y^b - b x y^(b - 1)) / (b (b - 1))
 *     x / y - log(x / y) - 1        for b = 0   (Itakura and Saito)
 *     x log(x / y) - x + y          for b = 1   (Kullback and Leibler)
 *     (x - y)^2 / 2                 for b = 2
 *
 *     p = x y^(b - 2),  q = y^(b - 1)
 *
 * The rule descends with the exponent 1 / (2 - b) for b < 1, 1 for 1 <= b <= 2 and 1 / (b - 1) for
 * b > 2 (Fevotte and Idier, Neural Computation 23, 2011, table 2). For b <= 0 the divergence is
 * infinite where x = 0: data with zeros are refused. It is convex in y for 1 <= b <= 2; codes are
 * looked for from two starts for b <= 0, where one alone was found to end above a fit's. */
#include "loss/entrywise.h"

static entry_rule rule(const kernels *ops, double parameter)
{
    return (entry_rule){
        .weights = ops->beta_weights, .value = ops->beta_value, .parameter = parameter};
}

static void set(loss *l)
{
    const double b = l->parameter;
    l->exponent = b < 1 ? 1 / (2 - b) : b > 2 ? 1 / (b - 1) : 1;
    l->degree = b;
    l->positive = b <= 0;
    l->several_minima = b <= 0;
}

const loss loss_beta = {
    .name = "beta",
    .title = "beta divergence",
    .parameter = 0.5,
    .least = -1,
    .most = 3,
    .set = set,
    .exponent = 2.0 / 3,
    .degree = 0.5,
    .gain = 2,
    .rule = rule,
    ENTRYWISE_FUNCTIONS,
};

const loss loss_is = {
    .name = "is",
    .title = "Itakura-Saito divergence",
    .parameter = 0,
    .positive = true,
    .several_minima = true,
    .exponent = 0.5,
    .degree = 0,
    .gain = 2,
    .rule = rule,
    ENTRYWISE_FUNCTIONS,
};
