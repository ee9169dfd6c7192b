/* The scatter is the Gram matrix of the rows less their means. */
#include "vision/discriminant.h"

#include <float.h>
#include <inttypes.h>
#include <lapacke.h>
#include <string.h>

#include "core/memory.h"
#include "kernel/blas.h"
#include "kernel/lapack.h"
#include "vision/rows.h"

/* Of the means' squared length, a feature: where nothing scatters, S is this alone. */
#define LEAST_RIDGE 1e-5

static void learn_means(discriminant *d, const orthant_matrix *rows, const int32_t *labels)
{
    const int64_t m = d->features;
    memset(d->means, 0, (size_t)(d->classes * m) * sizeof *d->means);
    memset(d->sizes, 0, (size_t)d->classes * sizeof *d->sizes);
    for (int64_t i = 0; i < rows->rows; i++) {
        if (labels[i] < 0)
            continue;
        const float *row = (const float *)rows->values + i * rows->stride;
        double *sum = d->means + labels[i] * m;
        for (int64_t j = 0; j < m; j++)
            sum[j] += (double)row[j];
        d->sizes[labels[i]] += 1.0;
    }
    for (int64_t k = 0; k < d->classes; k++)
        for (int64_t j = 0; d->sizes[k] > 0.0 && j < m; j++)
            d->means[k * m + j] /= d->sizes[k];
}

/* Rows that are not learnt from become 0 and add nothing. */
static void centre(const discriminant *d, const orthant_matrix *rows, const int32_t *labels,
                   orthant_matrix *centred)
{
    for (int64_t i = 0; i < rows->rows; i++) {
        const float *row = (const float *)rows->values + i * rows->stride;
        const double *mean = d->means + (labels[i] < 0 ? 0 : labels[i]) * d->features;
        float *to = (float *)centred->values + i * centred->stride;
        for (int64_t j = 0; j < d->features; j++)
            to[j] = labels[i] < 0 ? 0.0f : (float)((double)row[j] - mean[j]);
    }
}

/* S from the Gram matrix of the centred rows, which it holds: their mean, and the ridge. */
static void make_scatter(const discriminant *d, double ridge, double *S)
{
    const int64_t m = d->features;
    double rows = 0.0, squares = 0.0, diagonal = 0.0;
    for (int64_t k = 0; k < d->classes; k++) {
        rows += d->sizes[k];
        for (int64_t j = 0; j < m; j++)
            squares += d->sizes[k] * d->means[k * m + j] * d->means[k * m + j];
    }
    for (int64_t i = 0; i < m * m; i++)
        S[i] /= rows;
    for (int64_t i = 0; i < m; i++)
        diagonal += S[i * m + i] / (double)m;
    const double least = LEAST_RIDGE * squares / (rows * (double)m);
    for (int64_t i = 0; i < m; i++)
        S[i * m + i] += ridge * diagonal > least ? ridge * diagonal : least;
}

/* L^-1 in place of S. By columns a lower triangle is an upper one. */
static orthant_status invert(const discriminant *d, double *S)
{
    const lapack_int order = (lapack_int)d->features;
    blas_enter();
    lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', order, S, order);
    if (!info)
        info = LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'U', 'N', order, S, order);
    blas_leave();
    for (int64_t i = 0; i < order; i++)
        for (int64_t j = i + 1; j < order; j++)
            S[i * order + j] = 0.0;
    return info ? lapack_fail(d->ctx, info, "the scatter of %" PRId64 " features is not definite",
                              d->features)
                : ORTHANT_OK;
}

orthant_status discriminant_create(orthant_context *ctx, const orthant_matrix *rows,
                                   const int32_t *labels, int64_t classes, double ridge,
                                   discriminant *out)
{
    const int64_t m = rows->columns;
    orthant_matrix *centred = NULL;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    *out = (discriminant){.ctx = ctx, .features = m, .classes = classes};
    out->means = memory_new(ctx, classes * m, sizeof *out->means, "means of histograms");
    out->sizes = memory_new(ctx, classes, sizeof *out->sizes, "sizes of classes");
    out->inverse = memory_new(ctx, m * m, sizeof *out->inverse, "scatter of histograms");
    if (!out->means || !out->sizes || !out->inverse || blas_check_memory(ctx) ||
        (status = matrix_new_factor(ctx, ORTHANT_SINGLE, rows->rows, m, &centred)))
        goto done;
    learn_means(out, rows, labels);
    centre(out, rows, labels, centred);
    if ((status = rows_gram(ctx, centred, out->inverse)))
        goto done;
    make_scatter(out, ridge, out->inverse);
    status = invert(out, out->inverse);
done:
    orthant_matrix_free(centred);
    if (status)
        discriminant_free(out);
    return status;
}

void discriminant_free(discriminant *d)
{
    if (d->ctx) {
        memory_free(d->ctx, d->means);
        memory_free(d->ctx, d->sizes);
        memory_free(d->ctx, d->inverse);
    }
    *d = (discriminant){0};
}

void discriminant_weights(const discriminant *d, int64_t class, double *weights, double *offset)
{
    const int64_t m = d->features;
    const double *mean = d->means + class * m;
    memset(weights, 0, (size_t)m * sizeof *weights);
    *offset = d->sizes[class] > 0.0 ? 0.0 : -(double)FLT_MAX;
    for (int64_t i = 0; i < m; i++) {
        const double *row = d->inverse + i * m;
        double z = 0.0;
        for (int64_t j = 0; j <= i; j++)
            z += row[j] * mean[j];
        for (int64_t j = 0; j <= i; j++)
            weights[j] += row[j] * z;
        *offset -= 0.5 * z * z;
    }
}

orthant_status discriminant_whiten(const discriminant *d, const orthant_matrix *rows,
                                   orthant_matrix **whitened)
{
    return rows_project(d->ctx, rows, d->inverse, d->features, whitened);
}
