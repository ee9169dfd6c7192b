#include "method/lloyd.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/point.h"

#define FEATURES_OF_A_TASK 256
/* Below this many multiplications a step is not worth waking threads for. */
#define WORTH_THREADS 262144.0

void lloyd_run(lloyd *f, int64_t count, parallel_task task, double multiplications)
{
    if (multiplications >= WORTH_THREADS) {
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
            if (f->kernels->size == sizeof(double))
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
    memset(f->moved, 0, (size_t)f->k * sizeof *f->moved);
}

/* ---- points to the nearest centre ---- */

static double differing_part(const lloyd *f, array dots, int64_t row, int64_t c)
{
    const int64_t at = row * dots.stride + c;
    return f->offset[c] - 2.0 * (f->kernels->size == sizeof(double)
                                     ? ((double *)dots.data)[at]
                                     : (double)((float *)dots.data)[at]);
}

/* Twice the error that the rounding of a product of so many terms may make. */
static double twice_the_error(const lloyd *f, int64_t i)
{
    const orthant_matrix *X = f->points;
    const int64_t terms = X->sparse ? X->row_start[i + 1] - X->row_start[i] : f->m;
    const double unit = f->kernels->size == sizeof(double) ? 0x1p-53 : 0x1p-24;
    return 4.0 * ((double)terms + 4.0) * unit * f->length[i] * f->longest;
}

/* How many differing parts of a point are not above a limit (what is not a number, an overflow of
 * single precision, is not), and the least of them. STEP centres at a time: rows of dots are padded
 * to that, and offsets behind the last centre are infinite. */
#define PARTS(REAL, STEP, CLOSE, LEAST)                                                         \
    static double CLOSE(const REAL *dots, const double *offset, int64_t k, double limit)        \
    {                                                                                           \
        double close[STEP] = {0};                                                               \
        for (int64_t c = 0; c < k; c += STEP)                                                   \
            for (int lane = 0; lane < STEP; lane++)                                             \
                close[lane] += offset[c + lane] - 2.0 * (double)dots[c + lane] > limit ? 0 : 1; \
        for (int lane = 1; lane < STEP; lane++)                                                 \
            close[0] += close[lane];                                                            \
        return close[0];                                                                        \
    }                                                                                           \
    static double LEAST(const REAL *dots, const double *offset, int64_t k)                      \
    {                                                                                           \
        double least[STEP];                                                                     \
        for (int lane = 0; lane < STEP; lane++)                                                 \
            least[lane] = INFINITY;                                                             \
        for (int64_t c = 0; c < k; c += STEP)                                                   \
            for (int lane = 0; lane < STEP; lane++) {                                           \
                const double part = offset[c + lane] - 2.0 * (double)dots[c + lane];            \
                least[lane] = part < least[lane] ? part : least[lane];                          \
            }                                                                                   \
        for (int lane = 1; lane < STEP; lane++)                                                 \
            least[0] = least[lane] < least[0] ? least[lane] : least[0];                         \
        return least[0];                                                                        \
    }

PARTS(float, 4, close_single, least_single)
PARTS(double, 2, close_double, least_double)

/* Whether a centre with that part is nearer than all others beyond doubt. */
static bool stands_alone(const lloyd *f, array dots, int64_t row, double part, double margin)
{
    const int64_t at = row * dots.stride;
    return (f->kernels->size == sizeof(double)
                ? close_double((double *)dots.data + at, f->offset, f->k, part + margin)
                : close_single((float *)dots.data + at, f->offset, f->k, part + margin)) < 1.5;
}

/* The nearest centre of point i; most points stay with theirs. */
static int64_t nearest_centre(const lloyd *f, array dots, int64_t row, int64_t i)
{
    const double margin = twice_the_error(f, i);
    const int64_t at = row * dots.stride, last = f->summed[i];
    if (last >= 0 && stands_alone(f, dots, row, differing_part(f, dots, row, last), margin))
        return last;
    const double least = f->kernels->size == sizeof(double)
                             ? least_double((double *)dots.data + at, f->offset, f->k)
                             : least_single((float *)dots.data + at, f->offset, f->k);
    const bool alone = stands_alone(f, dots, row, least, margin);
    double nearest = INFINITY;
    int64_t label = 0;
    for (int64_t c = 0; c < f->k; c++) {
        if (differing_part(f, dots, row, c) > least + margin)
            continue;
        if (alone)
            return c;
        const double distance = point_distance(f->points, i, f->centres + c * f->m, f->square[c]);
        if (distance < nearest) {
            nearest = distance;
            label = c;
        }
    }
    return label;
}

static void assign_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const int64_t first = block * f->block, rows = lloyd_block_end(f, block) - first;
    char *scratch = (char *)f->dots + (size_t)(thread * f->block * f->stride) * f->kernels->size;
    const array dots = {scratch, rows, f->k, f->stride};
    const array shifted = {f->shifted, f->m, f->k, f->stride};
    if (f->points->sparse)
        f->kernels->sparse_product(dots, matrix_csr(f->points), first, shifted, false);
    else
        f->kernels->product(dots, array_rows(f->kernels, matrix_array(f->points), first, rows),
                            shifted, false);
    for (int64_t i = 0; i < rows; i++)
        f->label[first + i] = nearest_centre(f, dots, i, first + i);
}

static void measure_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    (void)thread;
    for (int64_t i = block * f->block; i < lloyd_block_end(f, block); i++) {
        const int64_t c = f->label[i];
        f->distance[i] = point_distance(f->points, i, f->centres + c * f->m, f->square[c]);
    }
}

/* Returns whether every cluster has points. */
static bool count_points(lloyd *f)
{
    bool all = true;
    memset(f->size, 0, (size_t)f->k * sizeof *f->size);
    for (int64_t i = 0; i < f->n; i++)
        f->size[f->label[i]]++;
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

static void sum_points(lloyd *f)
{
    f->changes = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->label[i] != f->summed[i])
            f->changed[f->changes++] = i;
    lloyd_run(f, f->k * (f->points->sparse ? 1 : pieces_of(f)), sum_piece,
              (double)f->changes * (double)f->m);
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
    lloyd_run(f, lloyd_blocks(f), assign_block, (double)f->n * (double)f->m * (double)f->k);
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
    double *centre = f->centres + c * f->m;
    (void)thread;
    for (int64_t l = 0; l < f->m && f->moved[c]; l++) {
        centre[l] = f->mean[l] + f->sums[c * f->m + l] / (double)f->size[c];
        /* What is left of a feature that is zero in all of its points is rounding. */
        if (fabs(centre[l]) <= 1e-12 * fabs(f->mean[l]))
            centre[l] = 0.0;
    }
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

void lloyd_begin(lloyd *f, int64_t *label, double *centres)
{
    f->label = label;
    f->centres = centres;
    memset(f->sums, 0, (size_t)(f->k * f->m) * sizeof *f->sums);
    memset(f->moved, 1, (size_t)f->k * sizeof *f->moved);
    for (int64_t i = 0; i < f->n; i++)
        f->summed[i] = -1;
}

/* ---- working memory ---- */

static void scatter_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    (void)thread;
    for (int64_t i = block * f->block; i < lloyd_block_end(f, block); i++)
        f->distance[i] = point_distance(f->points, i, f->mean, 0.0);
}

static void measure_points(lloyd *f)
{
    matrix_row_squares(f->points, f->length);
    for (int64_t i = 0; i < f->n; i++)
        f->length[i] = sqrt(f->length[i]);
    if (!f->points->sparse)
        f->kernels->column_sums(matrix_array(f->points), f->mean);
    for (int64_t l = 0; l < f->m; l++)
        f->mean[l] /= (double)f->n;
    lloyd_run(f, lloyd_blocks(f), scatter_block, (double)f->n * (double)f->m);
    for (int64_t i = 0; i < f->n; i++)
        f->scatter += f->distance[i];
}

static orthant_status make_room(lloyd *f)
{
    orthant_context *ctx = f->ctx;
    int64_t dots, shifted, entries;
    if (!size_multiply(f->block * parallel_threads(ctx), f->stride, &dots) ||
        !size_multiply(f->m, f->stride, &shifted) || !size_multiply(f->k, f->m, &entries))
        return fail(ctx, ORTHANT_ERROR_MEMORY,
                    "out of memory: %" PRId64 " centres of %" PRId64 " features do not fit", f->k,
                    f->m);
    f->length = memory_new(ctx, f->n, sizeof *f->length, "lengths of points");
    f->mean = memory_new(ctx, f->m, sizeof *f->mean, "the mean of the points");
    f->square = memory_new(ctx, f->k, sizeof *f->square, "squares of centres");
    f->shift = memory_new(ctx, f->k, sizeof *f->shift, "squares of centres");
    f->offset = memory_new(ctx, f->stride, sizeof *f->offset, "squares of centres");
    for (int64_t c = f->k; c < f->stride && f->offset; c++)
        f->offset[c] = INFINITY;
    f->part = memory_new(ctx, f->k, sizeof *f->part, "parts of the inertia");
    f->shifted = memory_new(ctx, shifted, f->kernels->size, "shifted centres");
    f->dots = memory_new(ctx, dots, f->kernels->size, "products with centres");
    f->moved = memory_new(ctx, f->k, sizeof *f->moved, "centres that moved");
    f->sums = memory_new(ctx, entries, sizeof *f->sums, "sums of clusters");
    f->size = memory_new(ctx, f->k, sizeof *f->size, "sizes of clusters");
    f->summed = memory_new(ctx, f->n, sizeof *f->summed, "labels of k-means");
    f->changed = memory_new(ctx, f->n, sizeof *f->changed, "labels of k-means");
    f->distance = memory_new(ctx, f->n, sizeof *f->distance, "distances to centres");
    f->trial = memory_new(ctx, f->n, sizeof *f->trial, "distances to centres");
    f->kept = memory_new(ctx, f->n, sizeof *f->kept, "distances to centres");
    return f->length && f->mean && f->square && f->shift && f->offset && f->part && f->shifted &&
                   f->dots && f->moved && f->sums && f->size && f->summed && f->changed &&
                   f->distance && f->trial && f->kept
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

orthant_status lloyd_make(orthant_context *ctx, const orthant_matrix *points, int64_t k, lloyd *f)
{
    *f = (lloyd){.ctx = ctx, .points = points, .n = points->rows, .m = points->columns, .k = k};
    f->kernels = kernel_table(points->precision);
    f->stride = matrix_padded(points->precision, k);
    f->block = 65536 / f->stride < 256 ? 65536 / f->stride : 256;
    f->block = f->block < 8 ? 8 : f->block;
    const orthant_status status = make_room(f);
    if (status == ORTHANT_OK)
        measure_points(f);
    else
        lloyd_free(f);
    return status;
}

void lloyd_free(lloyd *f)
{
    void *const owned[] = {f->moved,   f->length,   f->mean,  f->square, f->shift, f->offset,
                           f->part,    f->shifted,  f->dots,  f->sums,   f->size,  f->summed,
                           f->changed, f->distance, f->trial, f->kept};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(f->ctx, owned[i]);
    *f = (lloyd){0};
}
