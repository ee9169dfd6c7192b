/* Codes of new samples under losses that have no solver by coordinates: the multiplicative rule of
 * the encodings alone. A sample's steps and their number do not depend on the others. */
#include <math.h>

#include "core/context.h"
#include "engine/sweep.h"
#include "loss/losses.h"
#include "method/transform.h"
#include "solver/solvers.h"

/* Codes of one size, whose fits have the mean 1. */
static void start(const orthant_matrix *W, orthant_matrix *S)
{
    const double whole = matrix_sum(W), size = whole > 0 ? (double)W->rows / whole : 0;
    for (int64_t i = 0; i < S->rows; i++)
        for (int64_t j = 0; j < S->columns; j++)
            matrix_set_value(S, i * S->stride + j, size);
}

orthant_status transform_entrywise(orthant_context *ctx, const orthant_matrix *basis, const loss *l,
                                   const orthant_matrix *samples, int64_t iterations,
                                   orthant_matrix **encoding)
{
    solver fixed = solver_mu;
    fixed.takes_no_sums = true;
    const problem asked = {
        .ctx = ctx, .samples = samples, .rank = basis->columns, .loss = l, .solver = &fixed};
    orthant_matrix *W = NULL, *S = NULL;
    sweep s = {0};
    orthant_status status =
        matrix_new_factor(ctx, samples->precision, samples->columns, basis->columns, &W);
    if (!status)
        status = matrix_new_factor(ctx, samples->precision, samples->rows, basis->columns, &S);
    for (int64_t i = 0; !status && i < W->rows; i++)
        for (int64_t j = 0; j < W->columns; j++)
            matrix_set_value(W, i * W->stride + j, orthant_matrix_get(basis, i, j));
    if (!status)
        status = sweep_setup(&s, &asked, W, S);
    if (!status) {
        const double begun = clock_seconds();
        start(W, S);
        sweep_basis_changed(&s);
        for (int64_t t = 1; t <= iterations && !status; t++) {
            sweep_encoding(&s, &(sweep_step){&fixed, t, 1, 0});
            if (!progress_tell(ctx, "transform", t, iterations, clock_seconds() - begun, NAN))
                status = fail(ctx, ORTHANT_STOPPED, "stopped while samples were encoded");
        }
    }
    sweep_release(&s);
    orthant_matrix_free(W);
    if (status)
        orthant_matrix_free(S);
    else
        *encoding = S;
    return status;
}
