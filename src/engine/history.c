#include "engine/history.h"

#include <math.h>

#include "core/memory.h"

/* No allocation inside an iteration: rows are allocated between two, for many at a time. */
static orthant_status make_room(fit_history *h)
{
    if (h->rows < h->capacity)
        return ORTHANT_OK;
    const int64_t capacity = h->capacity ? 2 * h->capacity : 128;
    double *larger =
        memory_resize(h->ctx, h->values, capacity * h->column_count, sizeof(double), "history");
    if (!larger)
        return ORTHANT_ERROR_MEMORY;
    h->values = larger;
    h->capacity = capacity;
    return ORTHANT_OK;
}

void history_add_column(fit_history *h, const char *name)
{
    h->columns[h->column_count++] = name;
}

void history_begin(fit_history *h)
{
    static const char *const columns[] = {"iteration", "seconds", "objective", "loss"};
    h->column_count = 0;
    for (int i = 0; i < 4; i++)
        history_add_column(h, columns[i]);
}

orthant_status history_add(fit_history *h, int64_t iteration, double seconds, const double *values)
{
    const orthant_status status = make_room(h);
    if (status)
        return status;
    double *row = h->values + h->rows++ * h->column_count;
    row[0] = (double)iteration;
    row[1] = seconds;
    for (int i = 2; i < h->column_count; i++)
        row[i] = values[i - 2];
    return ORTHANT_OK;
}

static double objective_at(const fit_history *h, int64_t row)
{
    return h->values[row * h->column_count + 2];
}

bool stop_reached(double before, double now, double tolerance)
{
    return tolerance > 0 && before - now <= tolerance * STOP_WINDOW * fabs(before);
}

static bool has_converged(const fit_history *h, double tolerance)
{
    const int64_t last = h->rows - 1;
    return last >= STOP_WINDOW &&
           stop_reached(objective_at(h, last - STOP_WINDOW), objective_at(h, last), tolerance);
}

/* The row of the iteration that was just made, and what the progress callback says to it. */
static orthant_status note(fit_history *h, int64_t most, const double *values)
{
    const orthant_status status = history_add(h, h->iterations, h->seconds, values);
    if (!status && !isfinite(values[0]))
        return fail(h->ctx, ORTHANT_ERROR_NUMERIC,
                    "the objective is not finite after iteration %lld; try precision double, "
                    "or scale the data",
                    (long long)h->iterations);
    if (!progress_tell(h->ctx, "fit", h->iterations, most, h->seconds, values[0]))
        h->stopped = true;
    return status;
}

static bool look(const loop_watch *watch, const loop_steps *steps)
{
    if (!watch->look)
        return true;
    if (steps->show)
        steps->show(steps->state);
    return watch->look(watch->user);
}

orthant_status loop_run(fit_history *h, const parameter_set *parameters, loop_steps steps,
                        loop_watch watch)
{
    const int64_t iterations = parameter_whole(parameters, "iterations");
    const double tolerance = parameter_number(parameters, "tolerance"),
                 limit = parameter_number(parameters, "time_limit"), begin = clock_seconds();
    double values[HISTORY_MOST_COLUMNS] = {0};
    orthant_status status = make_room(h);
    if (status)
        return status;
    steps.measure(steps.state, values);
    status = history_add(h, 0, 0, values);
    while (!status && h->iterations < iterations && !h->converged && !h->stopped) {
        if ((status = make_room(h)))
            break;
        steps.step(steps.state);
        steps.measure(steps.state, values);
        h->iterations++;
        h->seconds = clock_seconds() - begin;
        status = note(h, iterations, values);
        h->converged = has_converged(h, tolerance);
        h->stopped |= limit > 0 && clock_seconds() - watch.begun >= limit;
        h->stopped |= !status && !look(&watch, &steps);
    }
    return status;
}
