/* The loop that every iterative method runs in. */
#include <math.h>

#include "core/memory.h"
#include "engine/fit.h"

/* No allocation inside an iteration: room is made between two, for many at a time. */
static orthant_status history_room(orthant_result *result)
{
    if (result->history_rows < result->history_room)
        return ORTHANT_OK;
    const int64_t room = result->history_room ? 2 * result->history_room : 256;
    double *larger = memory_resize(result->ctx, result->history, room * result->column_count,
                                   sizeof(double), "history");
    if (!larger)
        return ORTHANT_ERROR_MEMORY;
    result->history = larger;
    result->history_room = room;
    return ORTHANT_OK;
}

void history_begin(orthant_result *result)
{
    static const char *const columns[] = {"iteration", "seconds", "objective", "loss"};
    for (int i = 0; i < 4; i++)
        result->columns[i] = columns[i];
    result->column_count = 4;
}

orthant_status history_add(orthant_result *result, int64_t iteration, double seconds,
                           const double *values)
{
    const orthant_status status = history_room(result);
    if (status)
        return status;
    double *row = result->history + result->history_rows++ * result->column_count;
    row[0] = (double)iteration;
    row[1] = seconds;
    for (int i = 2; i < result->column_count; i++)
        row[i] = values[i - 2];
    return ORTHANT_OK;
}

static double objective_at(const orthant_result *result, int64_t row)
{
    return result->history[row * result->column_count + 2];
}

bool stop_reached(double before, double now, double tolerance)
{
    return tolerance > 0 && before - now <= tolerance * STOP_WINDOW * fabs(before);
}

static bool has_converged(const orthant_result *result, double tolerance)
{
    const int64_t last = result->history_rows - 1;
    return last >= STOP_WINDOW && stop_reached(objective_at(result, last - STOP_WINDOW),
                                               objective_at(result, last), tolerance);
}

orthant_status loop_run(fit *f, loop_steps steps)
{
    const parameter_set *set = &f->model->parameters;
    const int64_t iterations = parameter_whole(set, "iterations");
    const double tolerance = parameter_number(set, "tolerance"),
                 limit = parameter_number(set, "time_limit");
    const double begin = clock_seconds();
    orthant_result *result = f->result;
    double values[FIT_MOST_COLUMNS] = {0};
    orthant_status status = history_room(result);
    if (status)
        return status;
    steps.measure(steps.state, values);
    status = history_add(result, 0, 0, values);
    while (!status && result->iterations < iterations && !result->converged && !result->stopped) {
        if ((status = history_room(result)))
            break;
        steps.step(steps.state);
        steps.measure(steps.state, values);
        result->iterations++;
        result->seconds = clock_seconds() - begin;
        status = history_add(result, result->iterations, result->seconds, values);
        if (!isfinite(values[0]))
            return fail(f->ctx, ORTHANT_ERROR_NUMERIC,
                        "the objective is not finite after iteration %lld; try precision double, "
                        "or scale the data",
                        (long long)result->iterations);
        result->converged = has_converged(result, tolerance);
        result->stopped = !progress_tell(f->ctx, "fit", result->iterations, iterations,
                                         result->seconds, values[0]) ||
                          (limit > 0 && result->seconds >= limit);
    }
    return status;
}
