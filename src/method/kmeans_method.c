/* k-means as a method: centres are the basis (m x k), memberships the encoding (n x k). */
#include "cluster/kmeans.h"
#include "core/memory.h"
#include "method/method.h"

const orthant_parameter_info kmeans_parameters[] = {
    PARAMETER_WHOLE("restarts", "10", 1, 1e6, "k-means++ starts; the best is kept"),
    PARAMETER_END,
};

/* The user's start holds centres as columns. */
static orthant_status given_centres(fit *f, double **centres)
{
    const orthant_matrix *start = NULL;
    const int64_t m = f->samples->columns, rank = f->model->rank;
    const orthant_status status = fit_start(f, "basis", m, rank, &start);
    if (status || !start)
        return status;
    if (!(*centres = memory_new(f->ctx, rank * m, sizeof **centres, "centres")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < rank; j++)
            (*centres)[j * m + i] = orthant_matrix_get(start, i, j);
    return ORTHANT_OK;
}

/* A centre of nonnegative samples may come out a rounding below zero. */
static double rounded_up(double value, double largest)
{
    return value < 0 && value > -1e-12 * largest ? 0 : value;
}

static orthant_status take_outcome(fit *f, const kmeans_outcome *outcome)
{
    const int64_t n = f->samples->rows, m = f->samples->columns, rank = f->model->rank;
    const double largest = matrix_largest(f->samples);
    orthant_matrix *basis, *encoding;
    orthant_status status;
    if ((status = fit_new_factor(f, "basis", m, rank, &basis)) ||
        (status = fit_new_factor(f, "encoding", n, rank, &encoding)))
        return status;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < rank; j++)
            matrix_set_value(basis, i * basis->stride + j,
                             rounded_up(outcome->centres[j * m + i], largest));
    for (int64_t i = 0; i < n; i++)
        matrix_set_value(encoding, i * encoding->stride + outcome->label[i], 1);
    f->result->history.iterations = outcome->iterations;
    f->result->history.converged = outcome->converged && !outcome->stopped;
    f->result->history.stopped = outcome->stopped;
    return ORTHANT_OK;
}

orthant_status kmeans_method_run(fit *f)
{
    const parameter_set *set = &f->model->parameters;
    const double begin = clock_seconds();
    kmeans_outcome outcome = {0};
    double *centres = NULL;
    orthant_status status = given_centres(f, &centres);
    if (!status)
        status =
            kmeans_run(f->ctx, f->samples, f->model->rank, (int)parameter_whole(set, "restarts"),
                       parameter_whole(set, "iterations"), (uint64_t)parameter_whole(set, "seed"),
                       centres, &outcome);
    if (!status)
        status = take_outcome(f, &outcome);
    f->result->history.seconds = clock_seconds() - begin;
    history_begin(&f->result->history);
    for (int64_t i = 0; i <= outcome.iterations && !status; i++) {
        const double share = outcome.iterations ? (double)i / (double)outcome.iterations : 0;
        const double values[2] = {outcome.history[i], outcome.history[i]};
        status = history_add(&f->result->history, i, share * f->result->history.seconds, values);
    }
    memory_free(f->ctx, centres);
    kmeans_free(f->ctx, &outcome);
    return status;
}
