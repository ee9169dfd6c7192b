/* The assignment of points, the move of centres, empty clusters, and the memory for all. */
#include "cluster/lloyd.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cluster/point.h"
#include "core/device_search.h"
#include "core/memory.h"

#define FEATURES_OF_A_TASK 256
/* Below this many multiplications a step is not worth waking threads for. */
#define WORTH_THREADS 262144.0
/* Rows of points that are put together for a product fit a second-level cache, and are so many that
 * it pays. */
#define GATHERED_ENTRIES 65536
#define LEAST_GATHERED 8
/* Points of no more features lie in groups: comparing with all centres costs less than bounds do.
 * Of so many centres a block of points is one group. */
#define FEW_FEATURES 31
#define MOST_GROUPED 2048

static bool is_worth_threads(const lloyd *f, double multiplications)
{
    return !f->alone && multiplications >= WORTH_THREADS;
}

void lloyd_run(lloyd *f, int64_t count, parallel_task task, double multiplications)
{
    if (is_worth_threads(f, multiplications)) {
        parallel_for(f->ctx, count, task, f);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        task(f, i, 0);
}

int64_t lloyd_blocks(const lloyd *f)
{
    return (f->n + f->block - 1) / f->block;
}

int64_t lloyd_block_end(const lloyd *f, int64_t block)
{
    return f->n - block * f->block < f->block ? f->n : (block + 1) * f->block;
}

const void *lloyd_grouped(const lloyd *f, int64_t block)
{
    return (char *)f->grouped + (size_t)(block * f->block * f->m) * f->ops->size;
}

static int64_t pieces_of(const lloyd *f)
{
    return (f->m + FEATURES_OF_A_TASK - 1) / FEATURES_OF_A_TASK;
}

static int64_t piece_end(const lloyd *f, int64_t piece)
{
    const int64_t first = piece * FEATURES_OF_A_TASK;
    return f->m - first < FEATURES_OF_A_TASK ? f->m : first + FEATURES_OF_A_TASK;
}

/* ---- centres made ready for the products ---- */

static void measure_centre(void *user, int64_t c, int thread)
{
    const lloyd *f = user;
    const double *centre = f->centres + c * f->m;
    double square = 0.0, cross = 0.0;
    (void)thread;
    if (!f->moved[c])
        return;
    for (int64_t l = 0; l < f->m; l++) {
        const double s = centre[l] - f->mean[l];
        square += s * s;
        cross += f->mean[l] * s;
    }
    f->square[c] = centre_square(centre, f->m);
    f->shift[c] = square;
    f->offset[c] = square + 2.0 * cross;
}

static void shift_piece(void *user, int64_t piece, int thread)
{
    const lloyd *f = user;
    (void)thread;
    for (int64_t l = piece * FEATURES_OF_A_TASK; l < piece_end(f, piece); l++)
        for (int64_t c = 0; c < f->k; c++) {
            if (!f->moved[c])
                continue;
            const double s = f->centres[c * f->m + l] - f->mean[l];
            if (f->ops->size == sizeof(double))
                ((double *)f->shifted)[l * f->stride + c] = s;
            else
                ((float *)f->shifted)[l * f->stride + c] = (float)s;
        }
}

static void shift_centres(lloyd *f)
{
    const double entries = (double)f->k * (double)f->m;
    lloyd_run(f, f->k, measure_centre, entries);
    lloyd_run(f, pieces_of(f), shift_piece, entries);
    f->longest = 0.0;
    for (int64_t c = 0; c < f->k; c++)
        f->longest = fmax(f->longest, sqrt(f->shift[c]));
    f->reach = sqrt(centre_square(f->mean, f->m)) + f->longest;
    memset(f->moved, 0, (size_t)f->k * sizeof *f->moved);
}

/* ---- empty clusters ---- */

static void measure_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    (void)thread;
    for (int64_t i = block * f->block; i < lloyd_block_end(f, block); i++) {
        const int64_t c = f->label[i];
        f->distance[i] = point_distance(f->points, i, f->centres + c * f->m, f->square[c]);
    }
}

/* Points of [first, end) with another label than their sums stand for, behind those listed. */
static void list_changes_of(lloyd *f, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        f->changed[f->changes] = i;
        f->changes += f->label[i] != f->summed[i];
    }
}

/* All of them, in order; of most eights there is none. */
static void list_changes(lloyd *f)
{
    f->changes = 0;
    for (int64_t block = 0; block < lloyd_blocks(f); block++) {
        const int64_t end = lloyd_block_end(f, block);
        int64_t i = block * f->block;
        if (!f->touched[block])
            continue;
        f->touched[block] = false;
        for (; i + 8 <= end; i += 8) {
            int64_t any = 0;
            for (int lane = 0; lane < 8; lane++)
                any |= f->label[i + lane] ^ f->summed[i + lane];
            if (any)
                list_changes_of(f, i, i + 8);
        }
        list_changes_of(f, i, end);
    }
}

/* Returns whether every cluster has points. */
static bool count_points(lloyd *f)
{
    bool all = true;
    for (int64_t p = 0; p < f->changes; p++) {
        const int64_t i = f->changed[p];
        if (f->summed[i] >= 0)
            f->size[f->summed[i]]--;
        f->size[f->label[i]]++;
    }
    for (int64_t c = 0; c < f->k; c++)
        all = all && f->size[c] > 0;
    return all;
}

/* The farthest point that does not stand alone becomes the only one of an empty cluster, and its
 * centre. */
static void fill_empty_clusters(lloyd *f)
{
    lloyd_run(f, lloyd_blocks(f), measure_block, (double)f->n * (double)f->m);
    for (int64_t c = 0; c < f->k; c++) {
        if (f->size[c] > 0)
            continue;
        int64_t farthest = -1;
        for (int64_t i = 0; i < f->n; i++)
            if (f->size[f->label[i]] > 1 &&
                (farthest < 0 || f->distance[i] > f->distance[farthest]))
                farthest = i;
        f->size[f->label[farthest]]--;
        f->size[c] = 1;
        f->label[farthest] = c;
        f->distance[farthest] = 0.0;
        point_copy(f->points, farthest, f->centres + c * f->m);
        f->moved[c] = true;
        measure_centre(f, c, 0);
    }
    /* A centre went elsewhere: the bounds know nothing of it, nor the list of its new point. */
    f->bounded = false;
    memset(f->touched, 1, (size_t)lloyd_blocks(f) * sizeof *f->touched);
    list_changes(f);
}

/* ---- sums, inertia, means ---- */

/* A piece of one cluster's sum: points that left go out of it, points that came go in, in their
 * order. */
static void sum_piece(void *user, int64_t task, int thread)
{
    const lloyd *f = user;
    const int64_t pieces = f->points->sparse ? 1 : pieces_of(f);
    const int64_t c = task / pieces, first = task % pieces * FEATURES_OF_A_TASK;
    const int64_t features = f->points->sparse ? f->m : piece_end(f, task % pieces) - first;
    double *sum = f->sums + c * f->m + first;
    (void)thread;
    for (int64_t p = 0; p < f->changes; p++) {
        const int64_t i = f->changed[p];
        if (f->summed[i] == c)
            point_add(f->points, i, first, features, -1.0, f->mean, sum);
        if (f->label[i] == c)
            point_add(f->points, i, first, features, 1.0, f->mean, sum);
    }
}

/* The same with every cluster in one go. */
static void sum_all(lloyd *f)
{
    for (int64_t p = 0; p < f->changes; p++) {
        const int64_t i = f->changed[p];
        if (f->summed[i] >= 0)
            point_add(f->points, i, 0, f->m, -1.0, f->mean, f->sums + f->summed[i] * f->m);
        point_add(f->points, i, 0, f->m, 1.0, f->mean, f->sums + f->label[i] * f->m);
    }
}

static void sum_points(lloyd *f)
{
    const double entries = (double)f->changes * (double)f->m;
    if (is_worth_threads(f, entries))
        lloyd_run(f, f->k * (f->points->sparse ? 1 : pieces_of(f)), sum_piece, entries);
    else
        sum_all(f);
    for (int64_t p = 0; p < f->changes; p++) {
        const int64_t i = f->changed[p];
        if (f->summed[i] >= 0)
            f->moved[f->summed[i]] = true;
        f->moved[f->label[i]] = true;
        f->summed[i] = f->label[i];
    }
}

static void inertia_of_cluster(void *user, int64_t c, int thread)
{
    const lloyd *f = user;
    const double *centre = f->centres + c * f->m, *sum = f->sums + c * f->m;
    double cross = 0.0;
    (void)thread;
    for (int64_t l = 0; l < f->m; l++)
        cross += (centre[l] - f->mean[l]) * sum[l];
    f->part[c] = (double)f->size[c] * f->shift[c] - 2.0 * cross;
}

double lloyd_assign(lloyd *f)
{
    shift_centres(f);
    nearest_centres(f);
    list_changes(f);
    if (!count_points(f))
        fill_empty_clusters(f);
    sum_points(f);
    lloyd_run(f, f->k, inertia_of_cluster, (double)f->k * (double)f->m);
    double inertia = f->scatter;
    for (int64_t c = 0; c < f->k; c++)
        inertia += f->part[c];
    return inertia > 0.0 ? inertia : 0.0;
}

static void move_centre(void *user, int64_t c, int thread)
{
    const lloyd *f = user;
    double *centre = f->centres + c * f->m, moved = 0.0;
    (void)thread;
    for (int64_t l = 0; l < f->m && f->moved[c]; l++) {
        const double last = centre[l];
        centre[l] = f->mean[l] + f->sums[c * f->m + l] / (double)f->size[c];
        /* What is left of a feature that is zero in all of its points is rounding. */
        if (fabs(centre[l]) <= 1e-12 * fabs(f->mean[l]))
            centre[l] = 0.0;
        moved += (centre[l] - last) * (centre[l] - last);
    }
    f->drift[c] = sqrt(moved);
}

void lloyd_move(lloyd *f)
{
    lloyd_run(f, f->k, move_centre, (double)f->k * (double)f->m);
}

double lloyd_inertia(lloyd *f)
{
    double inertia = 0.0;
    lloyd_run(f, lloyd_blocks(f), measure_block, (double)f->n * (double)f->m);
    for (int64_t i = 0; i < f->n; i++)
        inertia += f->distance[i];
    return inertia;
}

static void take_centres(lloyd *f, int64_t *label, double *centres)
{
    f->label = label;
    f->centres = centres;
    memset(f->moved, 1, (size_t)f->k * sizeof *f->moved);
    f->near = f->changed;
    f->bounded = false;
    f->age = 0;
}

void lloyd_begin(lloyd *f, int64_t *label, double *centres)
{
    take_centres(f, label, centres);
    memset(f->sums, 0, (size_t)(f->k * f->m) * sizeof *f->sums);
    memset(f->size, 0, (size_t)f->k * sizeof *f->size);
    for (int64_t i = 0; i < f->n; i++)
        f->summed[i] = -1;
}

/* Bounds are made again: they prune, and every label is the one that plain distances give. A centre
 * that did not move is computed again from the same sum. */
void lloyd_continue(lloyd *f, int64_t *label, double *centres)
{
    take_centres(f, label, centres);
    shift_centres(f); /* for the inertia, where there is no further step */
    memset(f->moved, 1, (size_t)f->k * sizeof *f->moved);
    memcpy(f->summed, label, (size_t)f->n * sizeof *label);
}

/* ---- working memory ---- */

static void scatter_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    (void)thread;
    for (int64_t i = block * f->block; i < lloyd_block_end(f, block); i++)
        f->spread[i] = point_distance(f->points, i, f->mean, 0.0);
}

static void measure_points(lloyd *f)
{
    matrix_row_squares(f->points, f->length);
    for (int64_t i = 0; i < f->n; i++)
        f->length[i] = sqrt(f->length[i]);
    if (!f->points->sparse)
        f->ops->column_sums(matrix_array(f->points), f->mean);
    for (int64_t l = 0; l < f->m; l++)
        f->mean[l] /= (double)f->n;
    lloyd_run(f, lloyd_blocks(f), scatter_block, (double)f->n * (double)f->m);
    for (int64_t i = 0; i < f->n; i++) {
        f->scatter += f->spread[i];
        f->wide = fmax(f->wide, f->spread[i]);
        f->far = fmax(f->far, f->length[i]);
    }
    if (f->grouped)
        f->ops->group(f->grouped, matrix_array(f->points));
}

static int64_t whole_groups(int64_t rows)
{
    return (rows + KERNEL_GROUP - 1) / KERNEL_GROUP * KERNEL_GROUP;
}

static bool has_groups(const lloyd *f)
{
    return !f->points->sparse && f->m <= FEW_FEATURES && f->k <= MOST_GROUPED;
}

static orthant_status new_scratch_for_points(lloyd *f)
{
    f->length = memory_new(f->ctx, f->n, sizeof *f->length, "lengths of points");
    f->spread = memory_new(f->ctx, f->n, sizeof *f->spread, "lengths of points");
    f->mean = memory_new(f->ctx, f->m, sizeof *f->mean, "the mean of the points");
    if (has_groups(f) && f->mean)
        f->grouped =
            memory_new(f->ctx, whole_groups(f->n) * f->m, f->ops->size, "points in groups");
    return f->length && f->spread && f->mean && (f->grouped || !has_groups(f))
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

static bool new_scratch_for_centres(lloyd *f, int64_t shifted, int64_t entries)
{
    orthant_context *ctx = f->ctx;
    f->square = memory_new(ctx, f->k, sizeof *f->square, "squares of centres");
    f->shift = memory_new(ctx, f->k, sizeof *f->shift, "squares of centres");
    f->offset = memory_new(ctx, f->stride, sizeof *f->offset, "squares of centres");
    for (int64_t c = f->k; c < f->stride && f->offset; c++)
        f->offset[c] = DBL_MAX;
    f->bias = memory_new(ctx, f->stride, f->ops->size, "squares of centres");
    f->part = memory_new(ctx, f->k, sizeof *f->part, "parts of the inertia");
    f->drift = memory_new(ctx, f->k, sizeof *f->drift, "drifts of centres");
    f->fall = memory_new(ctx, f->k, sizeof *f->fall, "drifts of centres");
    f->shifted = memory_new(ctx, shifted, f->ops->size, "shifted centres");
    f->moved = memory_new(ctx, f->k, sizeof *f->moved, "centres that moved");
    f->sums = memory_new(ctx, entries, sizeof *f->sums, "sums of clusters");
    f->size = memory_new(ctx, f->k, sizeof *f->size, "sizes of clusters");
    return f->square && f->shift && f->offset && f->bias && f->part && f->drift && f->fall &&
           f->shifted && f->moved && f->sums && f->size;
}

static bool new_scratch_for_start(lloyd *f, int64_t threads)
{
    orthant_context *ctx = f->ctx;
    const int64_t candidates = lloyd_candidates(f->k), blocks = lloyd_blocks(f);
    f->block_sum = memory_new(ctx, blocks, sizeof *f->block_sum, "distances to centres");
    f->candidate = memory_new(ctx, candidates * f->m, sizeof *f->candidate, "centres");
    f->candidate_square = memory_new(ctx, candidates, sizeof *f->candidate_square, "centres");
    f->gap = memory_new(ctx, candidates * f->k, sizeof *f->gap, "distances to centres");
    f->left = memory_new(ctx, blocks * candidates, sizeof *f->left, "distances to centres");
    f->tries =
        memory_new(ctx, threads * f->block * candidates, sizeof *f->tries, "distances to centres");
    return f->block_sum && f->candidate && f->candidate_square && f->gap && f->left && f->tries;
}

static orthant_status new_scratch(lloyd *f)
{
    orthant_context *ctx = f->ctx;
    const int64_t threads = f->alone ? 1 : parallel_threads(ctx);
    int64_t dots, shifted, entries;
    if (!size_multiply(f->block * threads, f->stride, &dots) ||
        !size_multiply(f->m, f->stride, &shifted) || !size_multiply(f->k, f->m, &entries))
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: %" PRId64 " centres of %" PRId64 " features do not fit", f->k,
                    f->m);
    if (!new_scratch_for_centres(f, shifted, entries) || !new_scratch_for_start(f, threads))
        return ORTHANT_ERROR_MEMORY;
    f->dots = memory_new(ctx, dots, f->ops->size, "products with centres");
    f->gathered = memory_new(ctx, threads * f->gather * f->m, f->ops->size, "rows of points");
    f->doubtful = memory_new(ctx, threads * f->block, sizeof *f->doubtful, "labels of k-means");
    f->least = memory_new(ctx, 2 * threads * f->block, sizeof *f->least, "distances to centres");
    f->touched = memory_new(ctx, lloyd_blocks(f), sizeof *f->touched, "labels of k-means");
    f->upper = memory_new(ctx, f->grouped ? 0 : f->n, sizeof *f->upper, "bounds on distances");
    f->lower = memory_new(ctx, f->grouped ? 0 : f->n, sizeof *f->lower, "bounds on distances");
    f->summed = memory_new(ctx, f->n, sizeof *f->summed, "labels of k-means");
    f->changed = memory_new(ctx, f->n, sizeof *f->changed, "labels of k-means");
    f->distance = memory_new(ctx, whole_groups(f->n), sizeof *f->distance, "distances to centres");
    return f->dots && f->gathered && f->doubtful && f->least && f->touched && f->upper &&
                   f->lower && f->summed && f->changed && f->distance
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

/* Where passes over the points are long and products in single precision tell much, the points go
 * to the context's device. One that cannot leaves them to the host, with the same labels. */
static void bring_to_device(lloyd *f)
{
    const device_search *search = f->ctx->device_search;
    char reason[DEVICE_MESSAGE] = "";
    device_points points;
    if (!search || f->grouped || (double)f->n * (double)f->m * (double)f->k <= LLOYD_LONG_PASS ||
        !(f->far > 1e-12 && f->far < 1e12) || !matrix_device_points(f->points, &points))
        return;
    if (!search->open(f->ctx->device_number, &points, f->k, &f->device, reason))
        lloyd_leave_device(f, reason);
}

void lloyd_leave_device(lloyd *f, const char *reason)
{
    if (reason)
        log_note(f->ctx, "k-means runs on the CPU, as the device '%s' cannot: %s",
                 f->ctx->device_name, reason);
    if (f->device)
        f->ctx->device_search->close(f->device);
    f->device = NULL;
}

orthant_status lloyd_make(orthant_context *ctx, const orthant_matrix *points, int64_t k, lloyd *f)
{
    *f = (lloyd){.ctx = ctx, .points = points, .n = points->rows, .m = points->columns, .k = k};
    f->ops = kernel_table(points->precision);
    f->stride = (matrix_padded(points->precision, k) + 3) / 4 * 4;
    f->block = 65536 / f->stride < 256 ? 65536 / f->stride : 256;
    f->block = has_groups(f) ? f->block / KERNEL_GROUP * KERNEL_GROUP : f->block < 8 ? 8 : f->block;
    if (!points->sparse && f->m <= GATHERED_ENTRIES / LEAST_GATHERED)
        f->gather = GATHERED_ENTRIES / f->m < f->block ? GATHERED_ENTRIES / f->m : f->block;
    orthant_status status = new_scratch_for_points(f);
    if (status == ORTHANT_OK)
        status = new_scratch(f);
    if (status == ORTHANT_OK) {
        measure_points(f);
        bring_to_device(f);
    } else {
        lloyd_free(f);
    }
    return status;
}

orthant_status lloyd_make_beside(const lloyd *first, lloyd *f)
{
    *f = (lloyd){.ctx = first->ctx,
                 .points = first->points,
                 .ops = first->ops,
                 .n = first->n,
                 .m = first->m,
                 .k = first->k,
                 .alone = true,
                 .block = first->block,
                 .length = first->length,
                 .mean = first->mean,
                 .spread = first->spread,
                 .far = first->far,
                 .wide = first->wide,
                 .grouped = first->grouped,
                 .scatter = first->scatter,
                 .stride = first->stride,
                 .gather = first->gather};
    const orthant_status status = new_scratch(f);
    if (status != ORTHANT_OK)
        lloyd_free(f);
    return status;
}

void lloyd_free(lloyd *f)
{
    lloyd_leave_device(f, NULL);
    void *const shared[] = {f->length, f->spread, f->mean, f->grouped};
    void *const owned[] = {
        f->square,   f->shift,    f->offset,   f->bias,      f->part,      f->drift,
        f->fall,     f->shifted,  f->moved,    f->sums,      f->size,      f->dots,
        f->gathered, f->doubtful, f->least,    f->touched,   f->upper,     f->lower,
        f->summed,   f->changed,  f->distance, f->block_sum, f->candidate, f->candidate_square,
        f->gap,      f->left,     f->tries};
    for (size_t i = 0; i < sizeof shared / sizeof *shared && !f->alone; i++)
        memory_free(f->ctx, shared[i]);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(f->ctx, owned[i]);
    *f = (lloyd){0};
}
