/* k-means: labels and centres that minimise the inertia, sum over points of |x_i - c(label_i)|^2.
 *
 * k-means++ (Arthur and Vassilvitskii 2007): the first centre is any point; for each next one
 * 2 + log k points are drawn with probability in proportion to the squared distance to the nearest
 * centre so far, and the one that leaves the smallest inertia is taken. Then Lloyd's iterations
 * (lloyd.h): centres to the means of their points, points to the nearest centre, until no label
 * changes. Neither step can raise the inertia. */
#include "method/kmeans.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "method/lloyd.h"
#include "method/point.h"

/* ---- k-means++ ---- */

#define MOST_CANDIDATES 64 /* 2 + log k never reaches it */

/* Each point's distance to the nearest centre if the newest one stayed, into `trial`. */
static void approach_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const double *newest = f->centres + f->chosen * f->m;
    const double square = f->square[f->chosen];
    (void)thread;
    for (int64_t i = block * f->block; i < lloyd_block_end(f, block); i++)
        f->trial[i] = fmin(f->distance[i], point_distance(f->points, i, newest, square));
}

static double sum_of(const double *values, int64_t count)
{
    double total = 0.0;
    for (int64_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* A point drawn with probability in proportion to its distance; any point where all are 0. */
static int64_t draw_point(const lloyd *f, uint64_t seed, uint64_t restart, double total,
                          int candidate)
{
    const uint64_t draw = (uint64_t)f->chosen * MOST_CANDIDATES + (uint64_t)candidate;
    double sum = 0.0;
    int64_t drawn = 0;
    if (f->chosen == 0 || !(total > 0.0))
        return (int64_t)random_below(seed, RANDOM_KMEANS, restart, draw, (uint64_t)f->n);
    const double goal = total * random_uniform(seed, RANDOM_KMEANS, restart, draw);
    for (int64_t i = 0; i < f->n && sum < goal; i++)
        if (f->distance[i] > 0.0) {
            sum += f->distance[i];
            drawn = i;
        }
    return drawn;
}

static void place_centre(lloyd *f, int64_t point)
{
    double *centre = f->centres + f->chosen * f->m;
    point_copy(f->points, point, centre);
    f->square[f->chosen] = centre_square(centre, f->m);
}

/* The next centre: of a few points drawn, the one that leaves the smallest sum of distances. */
static void choose_next(lloyd *f, uint64_t seed, uint64_t restart, int candidates)
{
    const double total = f->chosen ? sum_of(f->distance, f->n) : 0.0;
    double least = INFINITY;
    int64_t best = 0;
    for (int c = 0; c < candidates; c++) {
        const int64_t point = draw_point(f, seed, restart, total, c);
        place_centre(f, point);
        lloyd_run(f, lloyd_blocks(f), approach_block, (double)f->n * (double)f->m);
        const double left = sum_of(f->trial, f->n);
        if (left < least) {
            double *swap = f->kept;
            f->kept = f->trial;
            f->trial = swap;
            least = left;
            best = point;
        }
    }
    place_centre(f, best);
    double *swap = f->distance;
    f->distance = f->kept;
    f->kept = swap;
    f->chosen++;
}

static void choose_centres(lloyd *f, uint64_t seed, uint64_t restart)
{
    const int candidates = 2 + (int)log((double)f->k);
    for (int64_t i = 0; i < f->n; i++)
        f->distance[i] = INFINITY;
    for (f->chosen = 0; f->chosen < f->k;)
        choose_next(f, seed, restart, f->chosen ? candidates : 1);
}

/* ---- one start ---- */

typedef struct plan {
    int restarts;
    int64_t iterations;
    uint64_t seed;
    const double *centres; /* the start, or NULL for k-means++ */
    double begun;          /* seconds */
} plan;

static orthant_status remember(orthant_context *ctx, kmeans_outcome *outcome, int64_t *room,
                               int64_t iteration, double inertia)
{
    if (iteration >= *room) {
        const int64_t more = *room ? 2 * *room : 64;
        double *history =
            memory_resize(ctx, outcome->history, more, sizeof *history, "the history of k-means");
        if (!history)
            return ORTHANT_ERROR_MEMORY;
        outcome->history = history;
        *room = more;
    }
    outcome->history[iteration] = inertia;
    outcome->inertia = inertia;
    outcome->iterations = iteration;
    return ORTHANT_OK;
}

static orthant_status run_start(lloyd *f, const plan *p, int restart, kmeans_outcome *outcome)
{
    int64_t room = 0;
    outcome->converged = outcome->stopped = false;
    memory_free(f->ctx, outcome->history);
    outcome->history = NULL;
    lloyd_begin(f, outcome->label, outcome->centres);
    if (p->centres)
        memcpy(outcome->centres, p->centres, (size_t)(f->k * f->m) * sizeof *p->centres);
    else
        choose_centres(f, p->seed, (uint64_t)restart);
    orthant_status status = remember(f->ctx, outcome, &room, 0, lloyd_assign(f));
    for (int64_t t = 1; t <= p->iterations && status == ORTHANT_OK; t++) {
        const double last = outcome->inertia;
        lloyd_move(f);
        status = remember(f->ctx, outcome, &room, t, lloyd_assign(f));
        /* Copies of one point in several clusters can change places for ever; the inertia tells. */
        outcome->converged = f->changes == 0 || !(outcome->inertia < last);
        outcome->stopped = !progress_tell(f->ctx, "k-means", restart, p->restarts,
                                          clock_seconds() - p->begun, outcome->inertia);
        if (outcome->converged || outcome->stopped)
            break;
    }
    if (status == ORTHANT_OK)
        outcome->inertia = outcome->history[outcome->iterations] = lloyd_inertia(f);
    return status;
}

/* ---- all starts ---- */

static orthant_status outcome_make(orthant_context *ctx, const lloyd *f, kmeans_outcome *outcome)
{
    outcome->label = memory_new(ctx, f->n, sizeof *outcome->label, "labels of k-means");
    outcome->centres = memory_new(ctx, f->k * f->m, sizeof *outcome->centres, "centres");
    return outcome->label && outcome->centres ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status run_starts(lloyd *f, const plan *p, kmeans_outcome *best)
{
    kmeans_outcome other = {0};
    bool stopped = false;
    orthant_status status = outcome_make(f->ctx, f, best);
    if (status == ORTHANT_OK && p->restarts > 1)
        status = outcome_make(f->ctx, f, &other);
    for (int restart = 0; restart < p->restarts && status == ORTHANT_OK && !stopped; restart++) {
        kmeans_outcome *now = restart == 0 ? best : &other;
        status = run_start(f, p, restart, now);
        stopped = now->stopped;
        if (status == ORTHANT_OK && restart > 0 && other.inertia < best->inertia) {
            const kmeans_outcome better = other;
            other = *best;
            *best = better;
        }
    }
    best->stopped = stopped;
    kmeans_free(f->ctx, &other);
    return status;
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
                    "scale the data first (--scale max)",
                    matrix_largest(points));
    return status;
}

orthant_status kmeans_run(orthant_context *ctx, const orthant_matrix *points, int64_t clusters,
                          int restarts, int64_t iterations, uint64_t seed, const double *centres,
                          kmeans_outcome *outcome)
{
    lloyd work;
    const plan p = {centres ? 1 : restarts, iterations, seed, centres, clock_seconds()};
    *outcome = (kmeans_outcome){0};
    orthant_status status = check_arguments(ctx, points, clusters, restarts, iterations);
    if (status == ORTHANT_OK)
        status = lloyd_make(ctx, points, clusters, &work);
    if (status != ORTHANT_OK)
        return status;
    status = run_starts(&work, &p, outcome);
    lloyd_free(&work);
    if (status != ORTHANT_OK)
        kmeans_free(ctx, outcome);
    return status;
}

void kmeans_free(orthant_context *ctx, kmeans_outcome *outcome)
{
    memory_free(ctx, outcome->label);
    memory_free(ctx, outcome->centres);
    memory_free(ctx, outcome->history);
    *outcome = (kmeans_outcome){0};
}
