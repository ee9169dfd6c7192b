/* Parts that a fit does not change, from the model to the engine (engine/fixed.h). */
#include "method/fixed_basis.h"

#include <math.h>
#include <string.h>

#include "method/method.h"

static orthant_status refuse(const fit *f, const char *how)
{
    return fail(f->ctx, ORTHANT_ERROR_ARGUMENT, "fixed parts cannot be had with %s", how);
}

orthant_status fixed_basis_check(const fit *f)
{
    const orthant_matrix *given = f->model->fixed_basis;
    const int64_t features = f->samples->columns, rank = f->model->rank;
    if (!given)
        return ORTHANT_OK;
    if (given->rows != features || given->columns > rank)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the fixed parts%s%s%s are %lld x %lld; expected %lld x at most %lld",
                    given->name ? " (" : "", given->name ? given->name : "", given->name ? ")" : "",
                    (long long)given->rows, (long long)given->columns, (long long)features,
                    (long long)rank);
    if (!strcmp(parameter_text(&f->model->parameters, "normalise"), "basis"))
        return refuse(f, "normalise=basis, which changes them");
    return f->ctx->device ? refuse(f, "a device; such a fit runs on the CPU") : ORTHANT_OK;
}

orthant_status fixed_basis_take(const fit *f, orthant_matrix **fixed)
{
    const orthant_matrix *given = f->model->fixed_basis;
    if (!given)
        return ORTHANT_OK;
    const orthant_status status =
        matrix_new_factor(f->ctx, f->samples->precision, given->rows, given->columns, fixed);
    for (int64_t i = 0; !status && i < given->rows; i++)
        for (int64_t j = 0; j < given->columns; j++) {
            const double value = orthant_matrix_get(given, i, j);
            matrix_set_value(*fixed, i * (*fixed)->stride + j, value);
            if (!(value >= 0) || !isfinite(matrix_value(*fixed, i * (*fixed)->stride + j)))
                return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                            "the fixed parts%s%s%s: entry (%lld, %lld) is %g; '%s' needs finite, "
                            "nonnegative parts",
                            given->name ? " (" : "", given->name ? given->name : "",
                            given->name ? ")" : "", (long long)i + 1, (long long)j + 1, value,
                            f->model->method->name);
        }
    return status;
}
