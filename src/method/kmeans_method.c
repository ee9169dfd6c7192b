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

/* ------------------------------------------------------------------ checkpoints */

typedef struct kept_run {
    fit *f;
    double begin; /* seconds: those of an earlier process lie before it */
} kept_run;

/* What a checkpoint holds of the run, and numbers that the list points to. */
typedef struct kept_numbers {
    double seconds;
    int64_t restart, best_restart, iterations, best_iterations;
    double best_inertia;
    bool converged, best_converged;
} kept_numbers;

static void list_outcome(const fit *f, const kmeans_outcome *o, const char *const names[3],
                         int64_t rows, checkpoint_parts *parts)
{
    const int64_t n = f->samples->rows, entries = f->model->rank * f->samples->columns;
    const kernels number = {.size = sizeof(double)};
    parts_add_field(parts, names[0], o->label, (size_t)n * sizeof *o->label);
    parts_add_numbers(parts, names[1], o->centres, entries);
    parts_add_array(parts, names[2], &number, (array){o->history, rows, 1, 1});
}

static void list(const fit *f, const kmeans_standing *s, kept_numbers *numbers, int64_t rows,
                 int64_t best_rows, checkpoint_parts *parts)
{
    static const char *const names[] = {"labels", "centres", "history"};
    static const char *const best_names[] = {"best labels", "best centres", "best history"};
    parts->count = 0;
    parts_add_field(parts, "seconds", &numbers->seconds, sizeof numbers->seconds);
    parts_add_field(parts, "restart", &numbers->restart, sizeof numbers->restart);
    parts_add_field(parts, "best restart", &numbers->best_restart, sizeof numbers->best_restart);
    parts_add_field(parts, "iterations", &numbers->iterations, sizeof numbers->iterations);
    parts_add_field(parts, "best iterations", &numbers->best_iterations,
                    sizeof numbers->best_iterations);
    parts_add_field(parts, "best inertia", &numbers->best_inertia, sizeof numbers->best_inertia);
    parts_add_field(parts, "converged", &numbers->converged, sizeof numbers->converged);
    parts_add_field(parts, "best converged", &numbers->best_converged,
                    sizeof numbers->best_converged);
    list_outcome(f, s->now, names, rows, parts);
    if (s->best)
        list_outcome(f, s->best, best_names, best_rows, parts);
    parts_add_numbers(parts, "sums", s->sums, f->model->rank * f->samples->columns);
    parts_add_field(parts, "sizes", s->size, (size_t)f->model->rank * sizeof *s->size);
}

static void keep(void *user, const kmeans_standing *s, bool stopped)
{
    const kept_run *run = user;
    fit *f = run->f;
    loop_keeper *keeper = &f->checkpoints.keeper;
    const double now = clock_seconds();
    const bool any = s->best_restart >= 0;
    if (!keeper->to)
        return;
    kept_numbers numbers = {.seconds = now - run->begin,
                            .restart = s->restart,
                            .best_restart = s->best_restart,
                            .iterations = s->now->iterations,
                            .converged = s->now->converged};
    checkpoint_parts parts;
    if (any) {
        numbers.best_iterations = s->best->iterations;
        numbers.best_inertia = s->best->inertia;
        numbers.best_converged = s->best->converged;
    }
    list(f, s, &numbers, s->now->iterations + 1, any ? s->best->iterations + 1 : 0, &parts);
    keeper_write(keeper, f->ctx, &parts, s->now->iterations, now,
                 stopped || keeper_due(keeper, now));
}

static bool labels_are_sound(const fit *f, const kmeans_outcome *o)
{
    for (int64_t i = 0; i < f->samples->rows; i++)
        if (o->label[i] < 0 || o->label[i] >= f->model->rank)
            return false;
    return true;
}

/* Sizes of clusters that are those of the labels. */
static bool sizes_are_sound(const fit *f, const kmeans_standing *s)
{
    bool sound = true;
    for (int64_t i = 0; i < f->samples->rows; i++)
        s->size[s->now->label[i]]--;
    for (int64_t c = 0; c < f->model->rank; c++)
        sound = sound && s->size[c] == 0;
    for (int64_t i = 0; i < f->samples->rows; i++)
        s->size[s->now->label[i]]++;
    return sound;
}

/* Checksums tell damage, not what somebody wrote: all that arrays are reached by is looked at. */
static bool is_sound(const fit *f, const kmeans_standing *s, const kept_numbers *numbers,
                     int64_t rows, int64_t best_rows)
{
    const int64_t starts = parameter_whole(&f->model->parameters, "restarts");
    if (numbers->restart < 0 || numbers->restart >= starts || numbers->iterations < 0 ||
        numbers->iterations != rows - 1 || !labels_are_sound(f, s->now) || !sizes_are_sound(f, s))
        return false;
    if (!s->best || numbers->best_restart < 0)
        return numbers->best_restart == -1;
    return numbers->best_restart < starts && numbers->best_iterations >= 0 &&
           numbers->best_iterations == best_rows - 1 && labels_are_sound(f, s->best);
}

static orthant_status restore(void *user, kmeans_standing *s)
{
    kept_run *run = user;
    const fit *f = run->f;
    checkpoint_reader *from = f->checkpoints.keeper.from;
    const int64_t rows = checkpoint_rows(from, "history"),
                  best_rows = s->best ? checkpoint_rows(from, "best history") : 0;
    kept_numbers numbers = {0};
    checkpoint_parts parts;
    if (rows > s->room || best_rows > s->room)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: holds more iterations than the %lld that are asked for", from->file,
                    (long long)s->room - 1);
    list(f, s, &numbers, rows, best_rows, &parts);
    const orthant_status status = checkpoint_read(from, &parts);
    if (status)
        return status;
    if (!is_sound(f, s, &numbers, rows, best_rows))
        return fail(f->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: holds starts, iterations or labels that no run of k-means has",
                    from->file);
    s->restart = numbers.restart;
    s->best_restart = numbers.best_restart;
    s->now->iterations = numbers.iterations;
    s->now->converged = numbers.converged;
    if (s->best) {
        s->best->iterations = numbers.best_iterations;
        s->best->inertia = numbers.best_inertia;
        s->best->converged = numbers.best_converged;
    }
    run->begin = clock_seconds() - numbers.seconds;
    f->result->resumed = numbers.iterations;
    log_note(f->ctx, "goes on in start %lld after iteration %lld, from %s",
             (long long)s->restart + 1, (long long)numbers.iterations, from->file);
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ the fit */

orthant_status kmeans_method_run(fit *f)
{
    const parameter_set *set = &f->model->parameters;
    kept_run run = {f, clock_seconds()};
    const kmeans_keeper keeper = {&run, keep, fit_resumes(f) ? restore : NULL};
    const bool kept = fit_resumes(f) || f->checkpoints.keeper.to;
    keeper_begin(&f->checkpoints.keeper);
    kmeans_outcome outcome = {0};
    double *centres = NULL;
    orthant_status status = given_centres(f, &centres);
    if (!status)
        status = kmeans_run_kept(
            f->ctx, f->samples, f->model->rank, (int)parameter_whole(set, "restarts"),
            parameter_whole(set, "iterations"), (uint64_t)parameter_whole(set, "seed"), centres,
            kept ? &keeper : NULL, &outcome);
    if (f->checkpoints.keeper.to)
        keeper_end(&f->checkpoints.keeper, f->ctx);
    if (!status)
        status = take_outcome(f, &outcome);
    f->result->history.seconds = clock_seconds() - run.begin;
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

orthant_status kmeans_check_device(fit *f)
{
    if (f->ctx->device_search && !f->samples->sparse)
        return ORTHANT_OK;
    return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED, "the device '%s' %s; such a fit runs on the CPU",
                f->ctx->device_name,
                f->ctx->device_search ? "takes dense data only" : "does not know k-means");
}
