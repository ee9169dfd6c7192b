/* Starting factors for X ~ W S'. */
#include <math.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "core/random.h"
#include "engine/fit.h"
#include "method/method.h"

void start_random_factor(orthant_matrix *factor, uint64_t seed, random_stream stream, double scale)
{
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++)
            matrix_set_value(factor, i * factor->stride + j,
                             scale * random_uniform(seed, stream, (uint64_t)i, (uint64_t)j));
}

/* Both factors are scaled so that W S' starts at the mean of X. "uniform" leaves them on (0, 1), as
 * the papers' programs do: a penalty on one factor alone is felt in proportion to its scale. */
static void start_random(fit *f, const char *kind, uint64_t seed, double mean,
                         orthant_matrix *basis, orthant_matrix *encoding)
{
    const double scale = strcmp(kind, "uniform") ? sqrt(mean / (double)f->model->rank) / 0.5 : 1;
    start_random_factor(basis, seed, RANDOM_BASIS, scale);
    start_random_factor(encoding, seed, RANDOM_ENCODING, scale);
}

/* Zeros of a nonnegative SVD are absorbing: 'a' fills them with the mean of X, 'ar' with small
 * random numbers up to a hundredth of it. */
static void fill_zeros(orthant_matrix *factor, uint64_t seed, random_stream stream, double mean,
                       bool randomly)
{
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++)
            if (matrix_value(factor, i * factor->stride + j) == 0)
                matrix_set_value(
                    factor, i * factor->stride + j,
                    randomly ? 0.01 * mean * random_uniform(seed, stream, (uint64_t)i, (uint64_t)j)
                             : mean);
}

static orthant_status start_nndsvd(fit *f, const char *kind, uint64_t seed, double mean,
                                   orthant_matrix *basis, orthant_matrix *encoding)
{
    const orthant_status status = nndsvd_start(f->ctx, f->samples, seed, basis, encoding);
    if (status || !strcmp(kind, "nndsvd"))
        return status;
    fill_zeros(basis, seed, RANDOM_BASIS, mean, !strcmp(kind, "nndsvdar"));
    fill_zeros(encoding, seed, RANDOM_ENCODING, mean, !strcmp(kind, "nndsvdar"));
    return ORTHANT_OK;
}

/* Centres become the basis, memberships plus 0.2 the encodings (Ding et al. 2006). */
static orthant_status start_kmeans(fit *f, uint64_t seed, orthant_matrix *basis,
                                   orthant_matrix *encoding)
{
    kmeans_outcome outcome = {0};
    const int64_t rank = f->model->rank;
    orthant_status status = kmeans_run(f->ctx, f->samples, rank, 1, 100, seed, NULL, &outcome);
    if (!status && outcome.stopped)
        status = fail(f->ctx, ORTHANT_STOPPED, "stopped during the k-means start");
    if (!status) {
        for (int64_t i = 0; i < basis->rows; i++)
            for (int64_t j = 0; j < rank; j++)
                matrix_set_value(basis, i * basis->stride + j,
                                 fmax(outcome.centres[j * basis->rows + i], 0));
        for (int64_t i = 0; i < encoding->rows; i++)
            for (int64_t j = 0; j < rank; j++)
                matrix_set_value(encoding, i * encoding->stride + j,
                                 outcome.label[i] == j ? 1.2 : 0.2);
    }
    kmeans_free(f->ctx, &outcome);
    return status;
}

/* Says which file it is that cannot be used. */
static orthant_status check_start(const fit *f, const char *name, const orthant_matrix *start,
                                  const orthant_matrix *factor)
{
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++) {
            const double value = matrix_value(factor, i * factor->stride + j);
            if (!(value >= 0) || !isfinite(value))
                return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                            "the start of '%s'%s%s%s: entry (%lld, %lld) is %g; '%s' needs a "
                            "finite, nonnegative start",
                            name, start->name ? " (" : "", start->name ? start->name : "",
                            start->name ? ")" : "", (long long)i + 1, (long long)j + 1, value,
                            f->model->method->name);
        }
    return ORTHANT_OK;
}

orthant_status start_given(fit *f, const char *name, orthant_matrix *factor, bool *given)
{
    const orthant_matrix *start = NULL;
    const orthant_status status = fit_start(f, name, factor->rows, factor->columns, &start);
    *given = start != NULL;
    if (status || !start)
        return status;
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++)
            matrix_set_value(factor, i * factor->stride + j, orthant_matrix_get(start, i, j));
    return check_start(f, name, start, factor);
}

orthant_status start_factors(fit *f, orthant_matrix *basis, orthant_matrix *encoding)
{
    const char *init = parameter_text(&f->model->parameters, "init");
    const uint64_t seed = (uint64_t)parameter_whole(&f->model->parameters, "seed");
    const double mean =
        matrix_sum(f->samples) / ((double)f->samples->rows * (double)f->samples->columns);
    bool basis_given = false, encoding_given = false;
    orthant_status status;
    if ((status = start_given(f, "basis", basis, &basis_given)) ||
        (status = start_given(f, "encoding", encoding, &encoding_given)) ||
        (basis_given && encoding_given))
        return status;
    if (!strncmp(init, "nndsvd", 6))
        status = start_nndsvd(f, init, seed, mean, basis, encoding);
    else if (!strcmp(init, "kmeans"))
        status = start_kmeans(f, seed, basis, encoding);
    else
        start_random(f, init, seed, mean, basis, encoding);
    if (!status)
        status = start_given(f, "basis", basis, &basis_given);
    if (!status)
        status = start_given(f, "encoding", encoding, &encoding_given);
    return status;
}
