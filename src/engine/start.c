/* Starting factors for X ~ W S'. */
#include <math.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "core/random.h"
#include "engine/group.h"
#include "engine/start.h"

#define TASK_ENTRIES 8192

typedef struct random_fill {
    orthant_matrix *factor;
    uint64_t seed;
    random_stream stream;
    double scale;
    int64_t rows; /* of a task */
} random_fill;

static void fill_rows(void *user, int64_t task, int thread)
{
    const random_fill *f = user;
    orthant_matrix *factor = f->factor;
    const int64_t end = smaller((task + 1) * f->rows, factor->rows);
    (void)thread;
    for (int64_t i = task * f->rows; i < end; i++)
        for (int64_t j = 0; j < factor->columns; j++)
            matrix_set_value(factor, i * factor->stride + j,
                             f->scale * random_uniform(f->seed, f->stream,
                                                       (uint64_t)(factor->part.first + i),
                                                       (uint64_t)j));
}

void start_random_factor(orthant_matrix *factor, uint64_t seed, random_stream stream, double scale)
{
    random_fill f = {factor, seed, stream, scale, 1 + TASK_ENTRIES / larger(factor->columns, 1)};
    parallel_for(factor->ctx, pieces(factor->rows, f.rows), fill_rows, &f);
}

/* Both factors are scaled so that W S' starts at the mean of X. "uniform" leaves them on (0, 1), as
 * the papers' programs do: a penalty on one factor alone is felt in proportion to its scale. */
static void start_random(const problem *p, const char *kind, uint64_t seed, double mean,
                         orthant_matrix *basis, orthant_matrix *encoding)
{
    const double scale = strcmp(kind, "uniform") ? sqrt(mean / (double)p->rank) / 0.5 : 1;
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

static orthant_status start_nndsvd(const problem *p, const char *kind, uint64_t seed, double mean,
                                   orthant_matrix *basis, orthant_matrix *encoding)
{
    const orthant_status status = nndsvd_start(p->ctx, p->samples, seed, basis, encoding);
    if (status || !strcmp(kind, "nndsvd"))
        return status;
    fill_zeros(basis, seed, RANDOM_BASIS, mean, !strcmp(kind, "nndsvdar"));
    fill_zeros(encoding, seed, RANDOM_ENCODING, mean, !strcmp(kind, "nndsvdar"));
    return ORTHANT_OK;
}

/* Centres become the basis, memberships plus 0.2 the encodings (Ding et al. 2006). */
static orthant_status start_kmeans(const problem *p, uint64_t seed, orthant_matrix *basis,
                                   orthant_matrix *encoding)
{
    kmeans_outcome outcome = {0};
    const int64_t rank = p->rank;
    orthant_status status = kmeans_run(p->ctx, p->samples, rank, 1, 100, seed, NULL, &outcome);
    if (!status && outcome.stopped)
        status = fail(p->ctx, ORTHANT_STOPPED, "stopped during the k-means start");
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
    kmeans_free(p->ctx, &outcome);
    return status;
}

orthant_status start_factors(const problem *p, orthant_matrix *basis, orthant_matrix *encoding)
{
    const char *init = parameter_text(p->parameters, "init");
    const uint64_t seed = (uint64_t)parameter_whole(p->parameters, "seed");
    double sum, squares;
    share_data_sums(p->samples, &sum, &squares);
    /* of data of mixed signs a scale as good as another */
    const double mean =
        fabs(sum) / ((double)matrix_total(p->samples) * (double)p->samples->columns);
    if (p->samples->part.total && strcmp(init, "random") && strcmp(init, "uniform"))
        return fail(p->ctx, ORTHANT_ERROR_ARGUMENT,
                    "init %s needs all samples in one process: take init random", init);
    if (!strncmp(init, "nndsvd", 6))
        return start_nndsvd(p, init, seed, mean, basis, encoding);
    if (!strcmp(init, "kmeans"))
        return start_kmeans(p, seed, basis, encoding);
    start_random(p, init, seed, mean, basis, encoding);
    return ORTHANT_OK;
}
