/* Held-out entries (Wold 1978, by masks): a tenth of all, drawn one by one, has no part in the fit,
 * which then predicts it. */
#include <math.h>

#include "core/memory.h"
#include "core/random.h"
#include "study/ranks.h"
#include "study/trial.h"

#define HELD_SHARE 0.1

static bool is_held(const rank_task *task, int64_t i, int64_t j)
{
    return random_uniform((uint64_t)task->seed, RANDOM_SPECKLES, (uint64_t)i, (uint64_t)j) <
           HELD_SHARE;
}

static orthant_status make_mask(const rank_task *task, const orthant_matrix *data,
                                orthant_matrix **mask)
{
    const orthant_status status =
        matrix_new_dense(task->ctx, data->precision, data->rows, data->columns, mask);
    for (int64_t i = 0; i < data->rows && !status; i++)
        for (int64_t j = 0; j < data->columns; j++)
            matrix_set_value(*mask, i * (*mask)->stride + j, is_held(task, i, j) ? 0 : 1);
    return status;
}

static double fitted(const trial *t, int64_t i, int64_t j)
{
    const orthant_matrix *s = orthant_result_factor(t->result, "encoding"),
                         *w = orthant_result_factor(t->result, "basis");
    double sum = 0;
    for (int64_t p = 0; p < s->columns; p++)
        sum += matrix_value(s, i * s->stride + p) * matrix_value(w, j * w->stride + p);
    return sum;
}

/* The share of the squares of the held-out entries that is not predicted. */
static orthant_status find_error(const rank_task *task, const orthant_matrix *data, const trial *t,
                                 double *error)
{
    double *row = memory_new(task->ctx, data->columns, sizeof *row, "a sample");
    double squares = 0, left = 0;
    if (!row)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < data->rows; i++) {
        matrix_copy_row(data, i, row);
        for (int64_t j = 0; j < data->columns; j++)
            if (is_held(task, i, j) && !isnan(row[j])) {
                squares += row[j] * row[j];
                left += pow(row[j] - fitted(t, i, j), 2);
            }
    }
    memory_free(task->ctx, row);
    *error = squares > 0 ? left / squares : (double)NAN;
    return ORTHANT_OK;
}

orthant_status ranks_run_speckles(rank_task *task, double *value)
{
    const orthant_matrix data = ranks_data(task);
    orthant_matrix *mask = NULL;
    setting *list = NULL;
    char seed[32];
    trial t = {.ctx = task->ctx};
    orthant_status status = make_mask(task, &data, &mask);
    if (!status)
        status = ranks_fit(task, &data, mask, &list, seed, &t);
    if (!status)
        status = find_error(task, &data, &t, &value[0]);
    trial_free(&t);
    memory_free(task->ctx, list);
    orthant_matrix_free(mask);
    return status;
}
