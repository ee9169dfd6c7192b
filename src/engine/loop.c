/* The loop that every iterative method runs in. */
#include <math.h>

#include "core/memory.h"
#include "engine/fit.h"

/* No allocation inside an iteration: room is made between two, for many at a time. */
static orthant_status history_room(orthant_result *result)
{
    if (result->history_rows < result->history_room)
        return ORTHANT_OK;
    const int64_t room = result->history_room ? 2 * result->history_room : 128;
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

/* A part of the objective that rounding may raise it by. */
#define NOISE 1e-4

/* Whether the iteration that was just made may be the last, so that its objective is asked for
 * before another begins. The history has all iterations before it. */
static bool may_be_last(const fit *f, double tolerance, double limit)
{
    const orthant_result *result = f->result;
    const int64_t now = result->iterations;
    if (result->stopped || now >= parameter_whole(&f->model->parameters, "iterations") ||
        (limit > 0 && result->seconds >= limit))
        return true;
    if (tolerance <= 0 || now < STOP_WINDOW)
        return false;
    const double before = objective_at(result, now - STOP_WINDOW);
    return stop_reached(before, objective_at(result, now - 1) + NOISE * fabs(before), tolerance);
}

/* A row of the history, and what the progress callback says to it. */
static orthant_status note(const fit *f, int64_t iteration, double seconds, const double *values)
{
    orthant_result *result = f->result;
    const int64_t most = parameter_whole(&f->model->parameters, "iterations");
    const orthant_status status = history_add(result, iteration, seconds, values);
    if (!status && !isfinite(values[0]))
        return fail(f->ctx, ORTHANT_ERROR_NUMERIC,
                    "the objective is not finite after iteration %lld; try precision double, "
                    "or scale the data",
                    (long long)iteration);
    if (!result->stopped && !progress_tell(f->ctx, "fit", iteration, most, seconds, values[0]))
        result->stopped = true;
    return status;
}

orthant_status loop_run_late(fit *f, loop_steps steps,
                             void (*measure_before)(void *state, double *values))
{
    const parameter_set *set = &f->model->parameters;
    const int64_t iterations = parameter_whole(set, "iterations");
    const double tolerance = parameter_number(set, "tolerance"),
                 limit = parameter_number(set, "time_limit");
    const double begin = clock_seconds();
    orthant_result *result = f->result;
    double values[FIT_MOST_COLUMNS] = {0};
    bool waits = false; /* the last iteration's row of the history, for the next step */
    orthant_status status = history_room(result);
    if (status)
        return status;
    steps.measure(steps.state, values);
    status = history_add(result, 0, 0, values);
    while (!status && result->iterations < iterations && !result->converged && !result->stopped) {
        const double seconds = result->seconds;
        if ((status = history_room(result)))
            break;
        steps.step(steps.state);
        result->iterations++;
        result->seconds = clock_seconds() - begin;
        if (waits) {
            measure_before(steps.state, values);
            status = note(f, result->iterations - 1, seconds, values);
        }
        waits = measure_before && !may_be_last(f, tolerance, limit);
        if (status || waits)
            continue;
        steps.measure(steps.state, values);
        result->seconds = clock_seconds() - begin;
        status = note(f, result->iterations, result->seconds, values);
        result->converged = has_converged(result, tolerance);
        result->stopped |= limit > 0 && result->seconds >= limit;
    }
    return status;
}

orthant_status loop_run(fit *f, loop_steps steps)
{
    return loop_run_late(f, steps, NULL);
}
