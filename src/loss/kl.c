/* The Kullback-Leibler divergence sum x log(x / y) - x + y: p = x / y, q = 1.
 *
 *     numerators      R W  and  R'S,   R = X ./ (S W')
 *     denominators    sums of the columns of W and of S
 *     value           sum x log(x / y) from the pass over X; what remains are sums of X and of the
 *                     factors' columns */
#include <math.h>

#include "loss/entrywise.h"

static double value(const sweep *s)
{
    double fitted = 0;
    for (int64_t j = 0; j < s->problem->rank; j++)
        fitted += s->factors.basis_sums[j] * s->sums.columns[j];
    /* Never negative; where the fit is exact rounding may say otherwise. */
    return fmax(s->sums.value - s->data_sum + fitted, 0);
}

const loss loss_kl = {
    .name = "kl",
    .title = "Kullback-Leibler divergence",
    .constant_q = true,
    .exponent = 1,
    .degree = 1,
    .gain = 2,
    .value = value,
    ENTRYWISE_PRODUCTS,
};
