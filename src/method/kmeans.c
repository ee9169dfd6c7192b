/* k-means: labels and centres that minimise the inertia, sum over points of |x_i - c(label_i)|^2.
 *
 * k-means++ (Arthur and Vassilvitskii 2007): the first centre is any point, each next one a point
 * drawn with probability in proportion to the squared distance to the nearest centre so far. Then
 * Lloyd's iterations: centres to the means of their points, points to the nearest centre (ties to
 * the lower one), until no label changes. A cluster without points takes the point that is farthest
 * from its centre. Neither step can raise the inertia.
 *
 * Nearest centres are found by products with the centres, shifted by the mean mu of all points to
 * lose fewer digits: with s = c - mu
 *
 *     |x - c|^2 = |x - mu|^2 + (|s|^2 + 2 <mu, s>) - 2 <x, s>
 *
 * and only the last two parts differ between centres. Where the rounding of the product could hide
 * the nearest, distances in double decide. */
#include "method/kmeans.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "kernel/kernel.h"
#include "method/point.h"

#define FEATURES_OF_A_TASK 256
/* Below this many multiplications a step is not worth waking threads for. */
#define WORTH_THREADS 262144.0

typedef struct lloyd {
    orthant_context *ctx;
    const orthant_matrix *points;
    const kernels *kernels;
    int64_t n, m, k;
    int64_t block;  /* points of a task */
    double *length; /* |x| of each point */
    double *mean;   /* mu */
    double *square; /* |c|^2 */
    double *offset; /* |s|^2 + 2 <mu, s> */
    double longest; /* largest |s| */
    int64_t stride;
    void *shifted;     /* m x k, rows of `stride` elements: the s as columns */
    void *dots;        /* threads x block x stride */
    int64_t *previous; /* labels of the last iteration */
    int64_t *order;    /* points by label, the points of cluster c from start[c] on */
    int64_t *start;    /* k + 1 */
    double *distance;  /* to the point's centre; while starting, to the nearest so far */
    const double *newest;
    kmeans_outcome *now; /* the start being worked on */
} lloyd;

/* ---- work ---- */

/* Tasks write to places of their own, so the way they are run cannot change a bit. */
static void run_tasks(lloyd *f, int64_t count, parallel_task task, double multiplications)
{
    if (multiplications >= WORTH_THREADS) {
        parallel_for(f->ctx, count, task, f);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        task(f, i, 0);
}

static int64_t blocks_of(const lloyd *f)
{
    return (f->n + f->block - 1) / f->block;
}

static int64_t block_end(const lloyd *f, int64_t block)
{
    return f->n - block * f->block < f->block ? f->n : (block + 1) * f->block;
}

/* ---- k-means++ ---- */

static void approach_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const double square = f->points->sparse ? centre_square(f->newest, f->m) : 0.0;
    (void)thread;
    for (int64_t i = block * f->block; i < block_end(f, block); i++) {
        const double distance = point_distance(f->points, i, f->newest, square);
        if (distance < f->distance[i])
            f->distance[i] = distance;
    }
}

/* A point drawn with probability in proportion to its distance; any point where all are 0. */
static int64_t draw_point(const lloyd *f, uint64_t seed, int restart, int64_t step)
{
    double total = 0.0;
    for (int64_t i = 0; i < f->n; i++)
        total += f->distance[i];
    if (step == 0 || !(total > 0.0))
        return (int64_t)random_below(seed, RANDOM_KMEANS, (uint64_t)restart, (uint64_t)step,
                                     (uint64_t)f->n);
    const double goal =
        total * random_uniform(seed, RANDOM_KMEANS, (uint64_t)restart, (uint64_t)step);
    int64_t drawn = 0;
    double sum = 0.0;
    for (int64_t i = 0; i < f->n && sum < goal; i++)
        if (f->distance[i] > 0.0) {
            sum += f->distance[i];
            drawn = i;
        }
    return drawn;
}

static void choose_centres(lloyd *f, uint64_t seed, int restart)
{
    for (int64_t i = 0; i < f->n; i++)
        f->distance[i] = INFINITY;
    for (int64_t c = 0; c < f->k; c++) {
        double *centre = f->now->centres + c * f->m;
        point_copy(f->points, draw_point(f, seed, restart, c), centre);
        f->newest = centre;
        if (c + 1 < f->k)
            run_tasks(f, blocks_of(f), approach_block, (double)f->n * (double)f->m);
    }
}

/* ---- points to the nearest centre ---- */

static void shift_centres(lloyd *f)
{
    f->longest = 0.0;
    for (int64_t c = 0; c < f->k; c++) {
        const double *centre = f->now->centres + c * f->m;
        double square = 0.0, cross = 0.0;
        for (int64_t l = 0; l < f->m; l++) {
            const double s = centre[l] - f->mean[l];
            square += s * s;
            cross += f->mean[l] * s;
            if (f->kernels->size == sizeof(double))
                ((double *)f->shifted)[l * f->stride + c] = s;
            else
                ((float *)f->shifted)[l * f->stride + c] = (float)s;
        }
        f->square[c] = centre_square(centre, f->m);
        f->offset[c] = square + 2.0 * cross;
        f->longest = fmax(f->longest, sqrt(square));
    }
}

static double dot_at(const lloyd *f, array dots, int64_t row, int64_t c)
{
    const int64_t at = row * dots.stride + c;
    return f->kernels->size == sizeof(double) ? ((double *)dots.data)[at]
                                              : (double)((float *)dots.data)[at];
}

/* The nearest centre of point i. A comparison with what is not a number (an overflow of single
 * precision) makes the centre a candidate. */
static void assign_point(const lloyd *f, array dots, int64_t row, int64_t i)
{
    const orthant_matrix *X = f->points;
    const double terms = (double)(X->sparse ? X->row_start[i + 1] - X->row_start[i] : f->m) + 4.0;
    const double unit = f->kernels->size == sizeof(double) ? 0x1p-53 : 0x1p-24;
    const double error = 2.0 * terms * unit * f->length[i] * f->longest;
    double least = INFINITY, best = INFINITY;
    int64_t label = 0, candidates = 0;
    for (int64_t c = 0; c < f->k; c++) {
        const double part = f->offset[c] - 2.0 * dot_at(f, dots, row, c);
        if (part < least) {
            least = part;
            label = c;
        }
    }
    for (int64_t c = 0; c < f->k; c++)
        candidates += !(f->offset[c] - 2.0 * dot_at(f, dots, row, c) > least + 2.0 * error);
    if (candidates == 1)
        best = point_distance(f->points, i, f->now->centres + label * f->m, f->square[label]);
    for (int64_t c = 0; c < f->k && candidates != 1; c++) {
        if (f->offset[c] - 2.0 * dot_at(f, dots, row, c) > least + 2.0 * error)
            continue;
        const double distance =
            point_distance(f->points, i, f->now->centres + c * f->m, f->square[c]);
        if (distance < best) {
            best = distance;
            label = c;
        }
    }
    f->now->label[i] = label;
    f->distance[i] = best;
}

static void assign_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const int64_t first = block * f->block, rows = block_end(f, block) - first;
    char *scratch = (char *)f->dots + (size_t)(thread * f->block * f->stride) * f->kernels->size;
    const array dots = {scratch, rows, f->k, f->stride};
    const array shifted = {f->shifted, f->m, f->k, f->stride};
    if (f->points->sparse)
        f->kernels->sparse_product(dots, matrix_csr(f->points), first, shifted, false);
    else
        f->kernels->product(dots, array_rows(f->kernels, matrix_array(f->points), first, rows),
                            shifted, false);
    for (int64_t i = 0; i < rows; i++)
        assign_point(f, dots, i, first + i);
}

/* Counts the points of each cluster into start[c + 1]. */
static void count_points(lloyd *f)
{
    memset(f->start, 0, (size_t)(f->k + 1) * sizeof *f->start);
    for (int64_t i = 0; i < f->n; i++)
        f->start[f->now->label[i] + 1]++;
}

/* The farthest point that does not stand alone becomes the only one of an empty cluster, and its
 * centre. */
static void fill_empty_clusters(lloyd *f)
{
    int64_t *points_of = f->start + 1;
    for (int64_t c = 0; c < f->k; c++) {
        if (points_of[c] > 0)
            continue;
        int64_t farthest = -1;
        for (int64_t i = 0; i < f->n; i++)
            if (points_of[f->now->label[i]] > 1 &&
                (farthest < 0 || f->distance[i] > f->distance[farthest]))
                farthest = i;
        points_of[f->now->label[farthest]]--;
        points_of[c] = 1;
        f->now->label[farthest] = c;
        f->distance[farthest] = 0.0;
        point_copy(f->points, farthest, f->now->centres + c * f->m);
    }
}

/* Returns the inertia. */
static double assign(lloyd *f)
{
    double inertia = 0.0;
    shift_centres(f);
    run_tasks(f, blocks_of(f), assign_block, (double)f->n * (double)f->m * (double)f->k);
    count_points(f);
    fill_empty_clusters(f);
    for (int64_t i = 0; i < f->n; i++)
        inertia += f->distance[i];
    return inertia;
}

/* ---- centres to the means of their points ---- */

static int64_t pieces_of(const lloyd *f)
{
    return f->points->sparse ? 1 : (f->m + FEATURES_OF_A_TASK - 1) / FEATURES_OF_A_TASK;
}

/* A piece of the features of one centre; its points are added in their order. */
static void move_piece(void *user, int64_t task, int thread)
{
    const lloyd *f = user;
    const orthant_matrix *X = f->points;
    const int64_t c = task / pieces_of(f), feature = task % pieces_of(f) * FEATURES_OF_A_TASK;
    const int64_t left = f->m - feature;
    const int64_t count = X->sparse || left < FEATURES_OF_A_TASK ? left : FEATURES_OF_A_TASK;
    double *centre = f->now->centres + c * f->m + feature;
    (void)thread;
    memset(centre, 0, (size_t)count * sizeof *centre);
    for (int64_t p = f->start[c]; p < f->start[c + 1]; p++)
        point_add(X, f->order[p], feature, count, centre);
    for (int64_t l = 0; l < count; l++)
        centre[l] /= (double)(f->start[c + 1] - f->start[c]);
}

static void move_centres(lloyd *f)
{
    for (int64_t c = 0; c < f->k; c++)
        f->start[c + 1] += f->start[c];
    for (int64_t i = 0; i < f->n; i++)
        f->order[f->start[f->now->label[i]]++] = i;
    /* Filling moved every start to its end, which is the next one's start. */
    memmove(f->start + 1, f->start, (size_t)f->k * sizeof *f->start);
    f->start[0] = 0;
    run_tasks(f, f->k * pieces_of(f), move_piece, (double)f->n * (double)f->m);
}

/* ---- one start, all starts ---- */

static orthant_status remember(lloyd *f, int64_t *room, int64_t iteration, double inertia)
{
    if (iteration >= *room) {
        const int64_t more = *room ? 2 * *room : 64;
        double *history =
            memory_resize(f->ctx, f->now->history, more, sizeof *history, "the history of k-means");
        if (!history)
            return ORTHANT_ERROR_MEMORY;
        f->now->history = history;
        *room = more;
    }
    f->now->history[iteration] = inertia;
    f->now->inertia = inertia;
    f->now->iterations = iteration;
    return ORTHANT_OK;
}

static orthant_status run_start(lloyd *f, int restart, int restarts, int64_t iterations,
                                double begun)
{
    int64_t room = 0;
    kmeans_outcome *now = f->now;
    now->converged = now->stopped = false;
    memory_free(f->ctx, now->history);
    now->history = NULL;
    orthant_status status = remember(f, &room, 0, assign(f));
    for (int64_t t = 1; t <= iterations && status == ORTHANT_OK; t++) {
        const double last = now->inertia;
        memcpy(f->previous, now->label, (size_t)f->n * sizeof *f->previous);
        move_centres(f);
        status = remember(f, &room, t, assign(f));
        /* Copies of one point in several clusters can change places for ever; the inertia tells. */
        now->converged = memcmp(f->previous, now->label, (size_t)f->n * sizeof *f->previous) == 0 ||
                         !(now->inertia < last);
        if (status == ORTHANT_OK)
            now->stopped = !progress_tell(f->ctx, "k-means", restart, restarts,
                                          clock_seconds() - begun, now->inertia);
        if (now->converged || now->stopped)
            break;
    }
    return status;
}

static orthant_status outcome_make(orthant_context *ctx, int64_t n, int64_t m, int64_t k,
                                   kmeans_outcome *outcome)
{
    int64_t entries;
    if (!size_multiply(k, m, &entries))
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: %" PRId64 " centres of %" PRId64 " features do not fit", k, m);
    outcome->label = memory_new(ctx, n, sizeof *outcome->label, "labels of k-means");
    outcome->centres = memory_new(ctx, entries, sizeof *outcome->centres, "centres of k-means");
    return outcome->label && outcome->centres ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status run_starts(lloyd *f, int restarts, int64_t iterations, uint64_t seed,
                                 const double *centres, kmeans_outcome *best)
{
    kmeans_outcome other = {0};
    const double begun = clock_seconds();
    orthant_status status = outcome_make(f->ctx, f->n, f->m, f->k, best);
    if (status == ORTHANT_OK && restarts > 1)
        status = outcome_make(f->ctx, f->n, f->m, f->k, &other);
    for (int restart = 0; restart < restarts && status == ORTHANT_OK; restart++) {
        f->now = restart == 0 ? best : &other;
        if (centres)
            memcpy(f->now->centres, centres, (size_t)(f->k * f->m) * sizeof *centres);
        else
            choose_centres(f, seed, restart);
        status = run_start(f, restart, restarts, iterations, begun);
        const bool stopped = f->now->stopped;
        if (status == ORTHANT_OK && restart > 0 && other.inertia < best->inertia) {
            const kmeans_outcome better = other;
            other = *best;
            *best = better;
        }
        best->stopped = stopped;
        if (stopped)
            break;
    }
    kmeans_free(f->ctx, &other);
    return status;
}

static orthant_status lloyd_make(lloyd *f)
{
    orthant_context *ctx = f->ctx;
    int64_t dots, shifted;
    f->stride = matrix_padded(f->points->precision, f->k);
    f->block = 65536 / f->stride < 256 ? 65536 / f->stride : 256;
    f->block = f->block < 8 ? 8 : f->block;
    if (!size_multiply(f->block * parallel_threads(ctx), f->stride, &dots) ||
        !size_multiply(f->m, f->stride, &shifted))
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: %" PRId64 " centres of %" PRId64 " features do not fit", f->k,
                    f->m);
    f->length = memory_new(ctx, f->n, sizeof *f->length, "lengths of points");
    f->mean = memory_new(ctx, f->m, sizeof *f->mean, "the mean of the points");
    f->square = memory_new(ctx, f->k, sizeof *f->square, "squares of centres");
    f->offset = memory_new(ctx, f->k, sizeof *f->offset, "squares of centres");
    f->shifted = memory_new(ctx, shifted, f->kernels->size, "shifted centres");
    f->dots = memory_new(ctx, dots, f->kernels->size, "products with centres");
    f->previous = memory_new(ctx, f->n, sizeof *f->previous, "labels of k-means");
    f->order = memory_new(ctx, f->n, sizeof *f->order, "points by label");
    f->start = memory_new(ctx, f->k + 1, sizeof *f->start, "points by label");
    f->distance = memory_new(ctx, f->n, sizeof *f->distance, "distances to centres");
    return f->length && f->mean && f->square && f->offset && f->shifted && f->dots && f->previous &&
                   f->order && f->start && f->distance
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

static void lloyd_free(lloyd *f)
{
    void *const owned[] = {f->length, f->mean,     f->square, f->offset, f->shifted,
                           f->dots,   f->previous, f->order,  f->start,  f->distance};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(f->ctx, owned[i]);
}

static void measure_points(lloyd *f)
{
    const orthant_matrix *X = f->points;
    matrix_row_squares(X, f->length);
    for (int64_t i = 0; i < f->n; i++)
        f->length[i] = sqrt(f->length[i]);
    if (X->sparse)
        for (int64_t e = 0; e < X->row_start[f->n]; e++)
            f->mean[X->column[e]] += matrix_value(X, e);
    else
        f->kernels->column_sums(matrix_array(X), f->mean);
    for (int64_t l = 0; l < f->m; l++)
        f->mean[l] /= (double)f->n;
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
    lloyd f = {.ctx = ctx,
               .points = points,
               .kernels = kernel_table(points->precision),
               .n = points->rows,
               .m = points->columns,
               .k = clusters};
    *outcome = (kmeans_outcome){0};
    orthant_status status = check_arguments(ctx, points, clusters, restarts, iterations);
    if (status != ORTHANT_OK)
        return status;
    status = lloyd_make(&f);
    if (status == ORTHANT_OK) {
        measure_points(&f);
        status = run_starts(&f, centres ? 1 : restarts, iterations, seed, centres, outcome);
    }
    if (status != ORTHANT_OK)
        kmeans_free(ctx, outcome);
    lloyd_free(&f);
    return status;
}

void kmeans_free(orthant_context *ctx, kmeans_outcome *outcome)
{
    memory_free(ctx, outcome->label);
    memory_free(ctx, outcome->centres);
    memory_free(ctx, outcome->history);
    *outcome = (kmeans_outcome){0};
}
