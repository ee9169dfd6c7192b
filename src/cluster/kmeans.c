/* k-means: labels and centres that minimise the inertia, sum over points of |x_i - c(label_i)|^2.
 *
 * From centres chosen by k-means++ (seeding.c) Lloyd's iterations (lloyd.h): centres to the means
 * of their points, points to the nearest centre, until no label changes. Neither step can raise the
 * inertia. */
#include "cluster/kmeans.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "cluster/lloyd.h"
#include "core/memory.h"

/* Entries of a history above which starts do not run side by side, as where a pass is long. */
#define LONG_HISTORY 10000
/* Of all starts that do: a point of one takes some 80 bytes. */
#define MOST_POINTS 400000
/* Iterations above which nothing is kept: a history is allocated at once. */
#define MOST_KEPT 1000000

/* ---- one start ---- */

typedef struct plan {
    orthant_context *ctx;
    int restarts;
    int64_t iterations;
    uint64_t seed;
    const double *centres; /* the start, or NULL for k-means++ */
    double begun;          /* seconds */
    struct lane *lanes;
    int lane_count;
    atomic_bool stopped;         /* by the progress callback, or at the deadline */
    const kmeans_keeper *keeper; /* NULL: none */
} plan;

typedef struct attempt {
    int restart;      /* -1: none */
    int64_t capacity; /* of the history */
    kmeans_outcome outcome;
} attempt;

/* What a thread needs for one start after the other: working memory, the best so far, and the one
 * that it is at. */
typedef struct lane {
    lloyd work;
    attempt best, now;
    orthant_status status;
} lane;

static orthant_status make_history(orthant_context *ctx, attempt *a, int64_t entries)
{
    double *history =
        memory_resize(ctx, a->outcome.history, entries, sizeof *history, "the history of k-means");
    if (!history)
        return ORTHANT_ERROR_MEMORY;
    a->outcome.history = history;
    a->capacity = entries;
    return ORTHANT_OK;
}

static orthant_status remember(orthant_context *ctx, attempt *a, int64_t iteration, double inertia)
{
    if (iteration >= a->capacity) {
        const orthant_status status = make_history(ctx, a, a->capacity ? 2 * a->capacity : 64);
        if (status != ORTHANT_OK)
            return status;
    }
    a->outcome.history[iteration] = inertia;
    a->outcome.inertia = inertia;
    a->outcome.iterations = iteration;
    return ORTHANT_OK;
}

static bool is_stopped(const plan *p)
{
    return atomic_load_explicit(&p->stopped, memory_order_relaxed);
}

/* Only the caller's own thread, which is the first, tells how far it is. */
static bool go_on(plan *p, int restart, double inertia, int thread)
{
    const bool goes_on = thread ? !deadline_passed(p->ctx)
                                : progress_tell(p->ctx, "k-means", restart, p->restarts,
                                                clock_seconds() - p->begun, inertia);
    if (!goes_on)
        atomic_store(&p->stopped, true);
    return !is_stopped(p);
}

/* Who asks while centres are chosen. */
typedef struct seeding {
    plan *p;
    int restart, thread;
} seeding;

static bool seeding_goes_on(void *user)
{
    const seeding *s = user;
    return !is_stopped(s->p) && go_on(s->p, s->restart, NAN, s->thread);
}

static void keep(const plan *p, attempt *a, bool stopped)
{
    lane *l = &p->lanes[0];
    attempt *best = a == &l->now ? &l->best : &l->now;
    const kmeans_standing s = {.restart = a->restart,
                               .now = &a->outcome,
                               .sums = l->work.sums,
                               .size = l->work.size,
                               .best_restart = a == &l->now ? best->restart : -1,
                               .best = p->restarts > 1 ? &best->outcome : NULL,
                               .room = a->capacity};
    p->keeper->keep(p->keeper->user, &s, stopped);
}

/* Stopped before a start that is not the first: the best so far, as if it were the last start. */
static void keep_best(const plan *p, int restart)
{
    lane *l = &p->lanes[0];
    const int64_t *label = l->best.outcome.label;
    const kmeans_standing s = {.restart = restart - 1,
                               .now = &l->best.outcome,
                               .sums = l->work.sums,
                               .size = l->work.size,
                               .best_restart = -1,
                               .best = &l->now.outcome,
                               .room = l->best.capacity};
    memset(s.size, 0, (size_t)l->work.k * sizeof *s.size);
    for (int64_t i = 0; i < l->work.n; i++)
        s.size[label[i]]++;
    p->keeper->keep(p->keeper->user, &s, true);
}

/* From iteration `from` to the end of the start. */
static orthant_status iterate(lloyd *f, plan *p, int thread, attempt *a, int64_t from)
{
    kmeans_outcome *outcome = &a->outcome;
    orthant_status status = ORTHANT_OK;
    for (int64_t t = from; t <= p->iterations && !status && !outcome->converged && !is_stopped(p);
         t++) {
        const double last = outcome->inertia;
        lloyd_move(f);
        status = remember(f->ctx, a, t, lloyd_assign(f));
        /* Copies of one point in several clusters can change places for ever; the inertia tells. */
        outcome->converged = f->changes == 0 || !(outcome->inertia < last);
        const bool goes_on = go_on(p, a->restart, outcome->inertia, thread);
        if (p->keeper && !status)
            keep(p, a, !goes_on);
        if (!goes_on)
            break;
    }
    if (status == ORTHANT_OK)
        outcome->inertia = outcome->history[outcome->iterations] = lloyd_inertia(f);
    return status;
}

/* Where it is stopped before its first iteration the first start has labels nevertheless, so that
 * there is a result; any other leaves nothing. */
static orthant_status run_start(lloyd *f, plan *p, int restart, int thread, attempt *a)
{
    kmeans_outcome *outcome = &a->outcome;
    seeding asking = {p, restart, thread};
    a->restart = restart;
    outcome->converged = false;
    lloyd_begin(f, outcome->label, outcome->centres);
    if (p->centres)
        memcpy(outcome->centres, p->centres, (size_t)(f->k * f->m) * sizeof *p->centres);
    else
        lloyd_choose_centres(f, p->seed, (uint64_t)restart, seeding_goes_on, &asking);
    if (restart > 0 && is_stopped(p)) {
        a->restart = -1;
        if (p->keeper)
            keep_best(p, restart);
        return ORTHANT_OK;
    }
    const orthant_status status = remember(f->ctx, a, 0, lloyd_assign(f));
    return status ? status : iterate(f, p, thread, a, 1);
}

/* ---- all starts ---- */

/* Of equals the earlier one is better, so that it does not matter which thread took which. */
static bool is_better(const attempt *a, const attempt *b)
{
    if (a->restart < 0 || b->restart < 0)
        return a->restart >= 0;
    return a->outcome.inertia < b->outcome.inertia ||
           (a->outcome.inertia <= b->outcome.inertia && a->restart < b->restart);
}

static void keep_better(attempt *best, attempt *other)
{
    const attempt better = *other;
    if (!is_better(other, best))
        return;
    *other = *best;
    *best = better;
}

static void run_restart(void *user, int64_t restart, int thread)
{
    plan *p = user;
    lane *l = &p->lanes[thread];
    if (l->status != ORTHANT_OK || (restart > 0 && is_stopped(p)))
        return;
    attempt *a = l->best.restart < 0 ? &l->best : &l->now;
    l->status = run_start(&l->work, p, (int)restart, thread, a);
    if (l->status == ORTHANT_OK && a == &l->now)
        keep_better(&l->best, a);
}

/* The start that was under way when the run was kept, to its end; *next is the one behind it. */
static void resume_restart(plan *p, int *next)
{
    lane *l = &p->lanes[0];
    attempt *a = p->restarts > 1 ? &l->now : &l->best;
    kmeans_standing s = {.now = &a->outcome,
                         .sums = l->work.sums,
                         .size = l->work.size,
                         .best = p->restarts > 1 ? &l->best.outcome : NULL,
                         .room = a->capacity};
    l->status = p->keeper->restore(p->keeper->user, &s);
    if (l->status != ORTHANT_OK)
        return;
    if (s.best_restart < 0 && a == &l->now) { /* the first is the best so far */
        const attempt empty = l->best;
        l->best = l->now;
        l->now = empty;
        a = &l->best;
    } else if (a == &l->now) {
        l->best.restart = (int)s.best_restart;
    }
    a->restart = (int)s.restart;
    a->outcome.inertia = a->outcome.history[a->outcome.iterations];
    *next = a->restart + 1;
    lloyd_continue(&l->work, a->outcome.label, a->outcome.centres);
    l->status = iterate(&l->work, p, 0, a, a->outcome.iterations + 1);
    if (l->status == ORTHANT_OK && a == &l->now)
        keep_better(&l->best, a);
}

static orthant_status make_attempt(const lloyd *f, attempt *a)
{
    orthant_context *ctx = f->ctx;
    a->restart = -1;
    a->outcome.label = memory_new(ctx, f->n, sizeof *a->outcome.label, "labels of k-means");
    a->outcome.centres = memory_new(ctx, f->k * f->m, sizeof *a->outcome.centres, "centres");
    return a->outcome.label && a->outcome.centres ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* No memory is to be had while threads run side by side, so each has a whole history; nor where one
 * is read back. */
static orthant_status make_lane(const plan *p, lane *l)
{
    orthant_status status = make_attempt(&l->work, &l->best);
    l->now.restart = -1;
    if (status == ORTHANT_OK && p->restarts > 1)
        status = make_attempt(&l->work, &l->now);
    for (int i = 0; i < 2 && status == ORTHANT_OK && (p->lane_count > 1 || p->keeper); i++)
        status = make_history(p->ctx, i ? &l->now : &l->best, p->iterations + 1);
    return status;
}

/* How many starts run side by side. Where one pass is long, threads share the pass instead. */
static int choose_lanes(const plan *p, const orthant_matrix *points, int64_t clusters)
{
    const double pass = (double)points->rows * (double)points->columns * (double)clusters;
    const int threads = parallel_threads(p->ctx);
    if (pass > LLOYD_LONG_PASS || p->iterations > LONG_HISTORY || (p->keeper && p->keeper->restore))
        return 1;
    const int64_t fitting = MOST_POINTS / points->rows,
                  lanes = threads < p->restarts ? threads : p->restarts;
    return fitting < 1 ? 1 : fitting < lanes ? (int)fitting : (int)lanes;
}

static orthant_status make_lanes(plan *p, const orthant_matrix *points, int64_t clusters)
{
    const int count = choose_lanes(p, points, clusters);
    p->lanes = memory_new(p->ctx, count, sizeof *p->lanes, "starts of k-means");
    if (!p->lanes)
        return ORTHANT_ERROR_MEMORY;
    p->lane_count = count;
    if (count > 1 || p->iterations > MOST_KEPT)
        p->keeper = NULL;
    orthant_status status = lloyd_make(p->ctx, points, clusters, &p->lanes[0].work);
    for (int i = 1; i < count && status == ORTHANT_OK; i++)
        status = lloyd_make_beside(&p->lanes[0].work, &p->lanes[i].work);
    for (int i = 0; i < count && status == ORTHANT_OK; i++)
        status = make_lane(p, &p->lanes[i]);
    return status;
}

static void free_lanes(plan *p)
{
    for (int i = p->lane_count - 1; i >= 0; i--) {
        kmeans_free(p->ctx, &p->lanes[i].best.outcome);
        kmeans_free(p->ctx, &p->lanes[i].now.outcome);
        if (p->lanes[i].work.ctx)
            lloyd_free(&p->lanes[i].work);
    }
    memory_free(p->ctx, p->lanes);
}

static orthant_status run_starts(plan *p, kmeans_outcome *outcome)
{
    lane *first = &p->lanes[0];
    first->work.alone = p->lane_count > 1;
    if (p->lane_count > 1) {
        /* Other threads may take all starts: before and after them the caller's own tells. */
        go_on(p, 0, NAN, 0);
        parallel_for(p->ctx, p->restarts, run_restart, p);
        if (is_stopped(p))
            go_on(p, p->restarts, NAN, 0);
    }
    int restart = 0;
    if (p->keeper && p->keeper->restore)
        resume_restart(p, &restart);
    for (; restart < p->restarts && p->lane_count == 1; restart++)
        run_restart(p, restart, 0);
    first->work.alone = false;
    for (int i = 0; i < p->lane_count; i++)
        if (p->lanes[i].status != ORTHANT_OK)
            return p->lanes[i].status;
    for (int i = 1; i < p->lane_count; i++)
        keep_better(&first->best, &p->lanes[i].best);
    *outcome = first->best.outcome;
    outcome->stopped = atomic_load(&p->stopped);
    first->best.outcome = (kmeans_outcome){0};
    return ORTHANT_OK;
}

static orthant_status check_arguments(orthant_context *ctx, const orthant_matrix *points,
                                      int64_t clusters, int restarts, int64_t iterations)
{
    if (clusters < 1 || clusters > points->rows)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " clusters of %" PRId64 " samples: must be from 1 to %" PRId64,
                    clusters, points->rows, points->rows);
    if (restarts < 1 || iterations < 0)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "k-means with %d restarts of %" PRId64
                    " iterations: at least one restart is needed, and no less than 0 iterations",
                    restarts, iterations);
    const orthant_status status = matrix_check(points, false, "data", "kmeans");
    if (status == ORTHANT_OK && matrix_largest(points) > 1e150)
        return fail(ctx, ORTHANT_ERROR_DATA,
                    "the largest entry of the data is %g: squares of distances do not fit; "
                    "scale the data first (scale = 'max')",
                    matrix_largest(points));
    return status;
}

orthant_status kmeans_run_kept(orthant_context *ctx, const orthant_matrix *points, int64_t clusters,
                               int restarts, int64_t iterations, uint64_t seed,
                               const double *centres, const kmeans_keeper *keeper,
                               kmeans_outcome *outcome)
{
    plan p = {.ctx = ctx,
              .restarts = centres ? 1 : restarts,
              .iterations = iterations,
              .seed = seed,
              .centres = centres,
              .keeper = keeper,
              .begun = clock_seconds()};
    *outcome = (kmeans_outcome){0};
    orthant_status status = matrix_check_here(points, "k-means");
    if (!status)
        status = check_arguments(ctx, points, clusters, restarts, iterations);
    if (status != ORTHANT_OK)
        return status;
    status = make_lanes(&p, points, clusters);
    if (status == ORTHANT_OK)
        status = run_starts(&p, outcome);
    free_lanes(&p);
    return status;
}

orthant_status kmeans_run(orthant_context *ctx, const orthant_matrix *points, int64_t clusters,
                          int restarts, int64_t iterations, uint64_t seed, const double *centres,
                          kmeans_outcome *outcome)
{
    return kmeans_run_kept(ctx, points, clusters, restarts, iterations, seed, centres, NULL,
                           outcome);
}

void kmeans_free(orthant_context *ctx, kmeans_outcome *outcome)
{
    memory_free(ctx, outcome->label);
    memory_free(ctx, outcome->centres);
    memory_free(ctx, outcome->history);
    *outcome = (kmeans_outcome){0};
}
