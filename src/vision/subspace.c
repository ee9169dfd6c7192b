/* The leading eigenvectors of the histograms' Gram matrix, and the projection on them. */
#include "vision/subspace.h"

#include <inttypes.h>
#include <lapacke.h>

#include "core/memory.h"
#include "kernel/blas.h"
#include "kernel/lapack.h"
#include "vision/rows.h"

/* LAPACK gives them from the smallest on. */
static void largest_first(subspace *s)
{
    const int64_t m = s->features;
    for (int64_t i = 0, j = m - 1; i < j; i++, j--) {
        const double energy = s->energy[i];
        s->energy[i] = s->energy[j];
        s->energy[j] = energy;
        for (int64_t k = 0; k < m; k++) {
            const double entry = s->vectors[i * m + k];
            s->vectors[i * m + k] = s->vectors[j * m + k];
            s->vectors[j * m + k] = entry;
        }
    }
    for (int64_t i = 0; i < m; i++)
        s->energy[i] = s->energy[i] > 0.0 ? s->energy[i] : 0.0;
}

orthant_status subspace_create(orthant_context *ctx, const orthant_matrix *histograms,
                               subspace *out)
{
    const int64_t m = histograms->columns;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    *out = (subspace){.ctx = ctx, .features = m};
    out->energy = memory_new(ctx, m, sizeof *out->energy, "eigenvalues of histograms");
    out->vectors = memory_new(ctx, m * m, sizeof *out->vectors, "eigenvectors of histograms");
    if (!out->energy || !out->vectors || blas_check_memory(ctx) ||
        (status = rows_gram(ctx, histograms, out->vectors)))
        goto failed;
    const lapack_int order = (lapack_int)m;
    blas_enter();
    const lapack_int unsolved =
        LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', order, out->vectors, order, out->energy);
    blas_leave();
    if (unsolved) {
        status = lapack_fail(
            ctx, unsolved, "the eigenvalues of %" PRId64 " histogram features did not converge", m);
        goto failed;
    }
    largest_first(out);
    return ORTHANT_OK;
failed:
    subspace_free(out);
    return status;
}

void subspace_free(subspace *s)
{
    if (s->ctx) {
        memory_free(s->ctx, s->energy);
        memory_free(s->ctx, s->vectors);
    }
    *s = (subspace){0};
}

double subspace_tail(const subspace *s, int64_t first)
{
    double tail = 0.0, total = 0.0;
    for (int64_t i = s->features - 1; i >= 0; i--) {
        total += s->energy[i];
        tail = i == first ? total : tail;
    }
    return total > 0.0 ? tail / total : 0.0;
}

orthant_status subspace_project(const subspace *s, const orthant_matrix *histograms,
                                int64_t dimensions, orthant_matrix **projected)
{
    return rows_project(s->ctx, histograms, s->vectors, dimensions, projected);
}
