/* Encodings of new samples under a basis that stays as it is: S <- S .* (X'W) ./ (S W'W), or its KL
 * counterpart. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/fit.h"
#include "engine/sweep.h"

/* A constant start for each sample at which its row of S W' has the sample's mean: other samples
 * must not change its code. */
static orthant_status start_encoding(const orthant_matrix *samples, const orthant_matrix *basis,
                                     orthant_matrix *encoding)
{
    const double row = matrix_sum(basis) / (double)basis->rows;
    double *values = memory_new(samples->ctx, samples->columns, sizeof *values, "a sample");
    if (!values)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < encoding->rows; i++) {
        double mean = 0;
        matrix_copy_row(samples, i, values);
        for (int64_t j = 0; j < samples->columns; j++)
            mean += values[j] / (double)samples->columns;
        for (int64_t j = 0; j < encoding->columns; j++)
            matrix_set_value(encoding, i * encoding->stride + j, row > 0 ? mean / row : 0);
    }
    memory_free(samples->ctx, values);
    return ORTHANT_OK;
}

static orthant_status iterate(sweep *s, int64_t iterations, double tolerance)
{
    double losses[STOP_WINDOW]; /* of the last iterations, in turn */
    const double begin = clock_seconds();
    sweep_start(s);
    losses[0] = sweep_loss(s);
    for (int64_t i = 1; i <= iterations; i++) {
        sweep_encoding(s);
        const double now = sweep_loss(s), before = losses[i % STOP_WINDOW];
        if (!isfinite(now))
            return fail(s->ctx, ORTHANT_ERROR_NUMERIC,
                        "the loss is not finite after iteration %lld; try precision double, or "
                        "scale the data",
                        (long long)i);
        if (!progress_tell(s->ctx, "transform", i, iterations, clock_seconds() - begin, now))
            return fail(s->ctx, ORTHANT_STOPPED, "stopped while samples were encoded");
        if (i >= STOP_WINDOW && stop_reached(before, now, tolerance))
            return ORTHANT_OK;
        losses[i % STOP_WINDOW] = now;
    }
    return ORTHANT_OK;
}

static orthant_status check(orthant_context *ctx, const orthant_matrix *basis, const char *loss,
                            const orthant_matrix *samples)
{
    if (basis->sparse || basis->rows != samples->columns)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "the basis is for %lld features, the samples have %lld", (long long)basis->rows,
                    (long long)samples->columns);
    if (strcmp(loss, "frobenius") && strcmp(loss, "kl"))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "no loss '%s': frobenius or kl", loss);
    const orthant_status status = matrix_check(basis, true, "the basis", "transform");
    return status ? status
                  : matrix_check(samples, true, samples->name ? samples->name : "the data",
                                 "transform");
}

/* A padded copy, as the kernels want it. */
static orthant_status copy_basis(orthant_context *ctx, const orthant_matrix *basis,
                                 orthant_precision precision, orthant_matrix **copy)
{
    const orthant_status status =
        matrix_new_factor(ctx, precision, basis->rows, basis->columns, copy);
    for (int64_t i = 0; i < basis->rows && !status; i++)
        for (int64_t j = 0; j < basis->columns; j++)
            matrix_set_value(*copy, i * (*copy)->stride + j, orthant_matrix_get(basis, i, j));
    return status;
}

orthant_status orthant_transform(orthant_context *ctx, const orthant_matrix *basis,
                                 const char *loss, const orthant_matrix *samples,
                                 int64_t iterations, double tolerance, orthant_matrix **encoding)
{
    *encoding = NULL;
    orthant_matrix *W = NULL, *S = NULL;
    sweep s = {.ctx = ctx, .samples = samples, .k = kernel_table(samples->precision)};
    orthant_status status = check(ctx, basis, loss, samples);
    if (status)
        return status;
    if ((status = copy_basis(ctx, basis, samples->precision, &W)) ||
        (status = matrix_new_factor(ctx, samples->precision, samples->rows, basis->columns, &S)))
        goto done;
    s.loss = strcmp(loss, "kl") ? LOSS_FROBENIUS : LOSS_KL;
    s.n = samples->rows;
    s.m = samples->columns;
    s.W = matrix_array(W);
    s.S = matrix_array(S);
    if ((status = start_encoding(samples, W, S)) || (status = sweep_setup(&s)))
        goto done;
    status = iterate(&s, iterations, tolerance);
done:
    sweep_release(&s);
    orthant_matrix_free(W);
    if (status)
        orthant_matrix_free(S);
    else
        *encoding = S;
    return status;
}
