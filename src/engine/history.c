#include "engine/history.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/group.h"

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

void history_replace(fit_history *h, const double *values)
{
    memcpy(h->values + (h->rows - 1) * h->column_count + 2, values,
           (size_t)(h->column_count - 2) * sizeof *values);
}

void history_end(fit_history *h, double seconds, const double *values)
{
    h->seconds += seconds;
    h->values[(h->rows - 1) * h->column_count + 1] = h->seconds;
    history_replace(h, values);
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

/* ------------------------------------------------------------------ checkpoints */

/* What the loop itself has between two iterations; then the method's. */
static void list_parts(fit_history *h, const loop_steps *steps, checkpoint_parts *parts)
{
    parts->count = 0;
    parts_add_field(parts, "iterations", &h->iterations, sizeof h->iterations);
    parts_add_field(parts, "seconds", &h->seconds, sizeof h->seconds);
    parts_add_array(parts, "history", &(kernels){.size = sizeof(double)},
                    (array){h->values, h->rows, h->column_count, h->column_count});
    steps->parts(steps->state, parts);
}

/* A checkpoint that cannot be written is no reason to lose the fit. */
static void tell_unwritten(orthant_context *ctx, loop_keeper *keeper)
{
    if (!keeper->failed)
        log_warning(ctx, "%s; the fit goes on without this checkpoint", ctx->message);
    keeper->failed = true;
}

void keeper_begin(loop_keeper *keeper)
{
    keeper->taken_s = keeper->written_s = keeper->before_s = clock_seconds();
}

bool keeper_due(const loop_keeper *keeper, double now)
{
    const bool rested = now - keeper->written_s >= keeper->written_s - keeper->taken_s;
    return keeper->interval_s <= 0 ||
           (rested && now - keeper->taken_s + (now - keeper->before_s) >= keeper->interval_s);
}

void keeper_write(loop_keeper *keeper, orthant_context *ctx, const checkpoint_parts *parts,
                  int64_t iterations, double now, bool due)
{
    keeper->before_s = now;
    if (checkpoint_finish(keeper->to, false))
        tell_unwritten(ctx, keeper);
    if (!due)
        return;
    if (checkpoint_write(keeper->to, keeper->settings(keeper->user), parts)) {
        tell_unwritten(ctx, keeper);
    } else {
        keeper->failed = false;
        keeper->iterations = iterations;
    }
    keeper->taken_s = now;
    keeper->written_s = clock_seconds();
}

void keeper_end(loop_keeper *keeper, orthant_context *ctx)
{
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    if (checkpoint_finish(keeper->to, true))
        tell_unwritten(ctx, keeper);
    memcpy(ctx->message, message, sizeof message);
}

static bool writes(const loop_keeper *keeper, const loop_steps *steps)
{
    return keeper && keeper->to && steps->parts;
}

static bool is_due(const loop_keeper *keeper, const loop_steps *steps, double now)
{
    return writes(keeper, steps) && keeper_due(keeper, now);
}

/* What one process wants all do. */
static void agree_on_end(const sample_share *share, bool *stopped, bool *due)
{
    const double wanted = group_largest(share, *stopped ? 2 : *due ? 1 : 0);
    *stopped = wanted >= 2;
    *due = wanted >= 1;
}

static orthant_status check_steps(const loop_steps *steps)
{
    return steps->check ? steps->check(steps->state) : ORTHANT_OK;
}

/* After an iteration. One that ends the fit by itself needs no checkpoint: what it found is handed
 * out. */
static orthant_status keep(fit_history *h, const loop_steps *steps, loop_keeper *keeper, double now,
                           bool due)
{
    checkpoint_parts parts = {0};
    if (!writes(keeper, steps))
        return ORTHANT_OK;
    if (due)
        list_parts(h, steps, &parts);
    const orthant_status status = check_steps(steps); /* parts may have to be fetched */
    if (!status)
        keeper_write(keeper, h->ctx, &parts, h->iterations, now, due);
    return status;
}

/* At the end all that is under way gets its name. */
static orthant_status keep_last(fit_history *h, const loop_steps *steps, loop_keeper *keeper,
                                orthant_status status)
{
    if (!writes(keeper, steps))
        return status;
    if (!status && keeper->at_end && keeper->iterations != h->iterations)
        status = keep(h, steps, keeper, clock_seconds(), true);
    keeper_end(keeper, h->ctx);
    return status;
}

static orthant_status restore(fit_history *h, const loop_steps *steps, loop_keeper *keeper,
                              int64_t most)
{
    checkpoint_parts parts;
    const int64_t rows = checkpoint_rows(keeper->from, "history");
    for (h->rows = 0; h->rows < rows; h->rows++) {
        const orthant_status status = make_room(h);
        if (status)
            return status;
    }
    list_parts(h, steps, &parts);
    const orthant_status status = checkpoint_read(keeper->from, &parts);
    if (status)
        return status;
    if (h->iterations != h->rows - 1)
        return fail(h->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: has %lld iterations and a history of %lld rows", keeper->from->file,
                    (long long)h->iterations, (long long)h->rows);
    if (h->iterations > most)
        return fail(h->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: holds iteration %lld, beyond the %lld that are asked for",
                    keeper->from->file, (long long)h->iterations, (long long)most);
    if (steps->restored)
        steps->restored(steps->state);
    const orthant_status checked = check_steps(steps);
    if (checked)
        return checked;
    keeper->iterations = keeper->resumed = h->iterations;
    log_note(h->ctx, "goes on after iteration %lld, from %s", (long long)h->iterations,
             keeper->from->file);
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ iterations ahead */

#define MOST_AHEAD 64

typedef struct loop_ahead {
    double values[MOST_AHEAD * HISTORY_MOST_COLUMNS];
    int64_t made, noted;
    double begin, each; /* seconds */
} loop_ahead;

/* Who looks on, or writes a checkpoint of each, wants them one by one. */
static bool goes_ahead(const loop_steps *steps, const loop_watch *watch)
{
    return steps->ahead && !watch->look &&
           !(writes(watch->keeper, steps) && watch->keeper->interval_s <= 0);
}

/* One iteration and its values; `now` is when it ended. */
static orthant_status advance(loop_ahead *a, const loop_steps *steps, const loop_watch *watch,
                              int64_t left, double *values, double *now)
{
    orthant_status status;
    if (a->noted == a->made && goes_ahead(steps, watch)) {
        a->begin = clock_seconds();
        a->made = steps->ahead(steps->state, left < MOST_AHEAD ? left : MOST_AHEAD, a->values);
        a->each = a->made ? (clock_seconds() - a->begin) / (double)a->made : 0;
        a->noted = 0;
    }
    if (a->noted < a->made) {
        memcpy(values, a->values + a->noted++ * HISTORY_MOST_COLUMNS,
               HISTORY_MOST_COLUMNS * sizeof *values);
        *now = a->begin + (double)a->noted * a->each;
        return check_steps(steps);
    }
    steps->step(steps->state);
    if (watch->check && (status = watch->check(watch->user)))
        return status;
    steps->measure(steps->state, values);
    *now = clock_seconds();
    return check_steps(steps);
}

/* The state is that of the last iteration that was noted. */
static void settle(loop_ahead *a, const loop_steps *steps)
{
    if (a->noted < a->made)
        steps->back(steps->state, a->noted);
    a->made = a->noted = 0;
}

/* ------------------------------------------------------------------ the loop */

/* The start, or where a checkpoint left it. */
static orthant_status begin_loop(fit_history *h, const loop_steps *steps, loop_keeper *keeper,
                                 int64_t most)
{
    double values[HISTORY_MOST_COLUMNS] = {0};
    const orthant_status status = make_room(h);
    if (status)
        return status;
    if (keeper)
        keeper_begin(keeper);
    if (keeper && keeper->from && steps->parts)
        return restore(h, steps, keeper, most);
    steps->measure(steps->state, values);
    const orthant_status checked = check_steps(steps);
    return checked ? checked : history_add(h, 0, 0, values);
}

orthant_status loop_run(fit_history *h, const parameter_set *parameters, loop_steps steps,
                        loop_watch watch)
{
    const int64_t iterations = parameter_whole(parameters, "iterations");
    const double tolerance = parameter_number(parameters, "tolerance"),
                 limit = parameter_number(parameters, "time_limit");
    double values[HISTORY_MOST_COLUMNS] = {0}, now = 0;
    loop_ahead ahead = {.made = 0};
    orthant_status status = watch.check ? watch.check(watch.user) : ORTHANT_OK;
    if (!status)
        status = begin_loop(h, &steps, watch.keeper, iterations);
    const double begin = clock_seconds() - h->seconds;
    h->converged = !status && has_converged(h, tolerance);
    while (!status && h->iterations < iterations && !h->converged && !h->stopped) {
        if ((status = make_room(h)))
            break;
        if ((status = advance(&ahead, &steps, &watch, iterations - h->iterations, values, &now)))
            break;
        h->iterations++;
        h->seconds = now - begin;
        status = note(h, iterations, values);
        h->converged = has_converged(h, tolerance);
        h->stopped |= limit > 0 && now - watch.begun >= limit;
        h->stopped |= !status && !look(&watch, &steps);
        bool due = is_due(watch.keeper, &steps, now) || h->stopped;
        if (watch.share) {
            status = group_agree(watch.share, status);
            agree_on_end(watch.share, &h->stopped, &due);
        }
        if (!status && due && watch.check) /* what was measured may have read the data */
            status = watch.check(watch.user);
        if (!status && due)
            settle(&ahead, &steps);
        if (!status)
            status = keep(h, &steps, watch.keeper, now, due);
    }
    if (!status) {
        settle(&ahead, &steps);
        status = check_steps(&steps);
    }
    return keep_last(h, &steps, watch.keeper, status);
}
