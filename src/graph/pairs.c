/* Blocks of samples are packed, shifted and scaled, and multiplied a piece of the features and a
 * tile of columns at a time; the sizes of blocks and pieces follow from the memory that scratch may
 * take. */
#include "graph/pairs.h"

#include <inttypes.h>
#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"

/* Samples of a column tile (a multiple of every padding) and features of a piece: a tile's lines
 * stay in the second-level cache. Fewer features cost a little time and take less scratch. */
#define TILE PAIRS_TILE
#define MOST_FEATURES 256
#define FEWEST_FEATURES 32
#define FEWEST_SPARSE 16 /* samples of a block */

/* Integers up to here are exact in single precision. */
#define EXACT 16777216.0

/* ---- dense samples ---- */

/* Steps of a constant width, which the compiler turns into vectors. */
#define STEP 16

#define PACK(REAL, ROWS, COLUMNS, SQUARES, DISTANCES)                                              \
    /* rows x features, shifted and scaled */                                                      \
    static void ROWS(const REAL *from, int64_t stride, int64_t rows, int64_t features,             \
                     const REAL *shift, REAL scale, REAL *restrict to, int64_t to_stride)          \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++, from += stride, to += to_stride) {                      \
            int64_t l = 0;                                                                         \
            for (; l + STEP <= features; l += STEP)                                                \
                for (int lane = 0; lane < STEP; lane++)                                            \
                    to[l + lane] = from[l + lane] * scale - shift[l + lane];                       \
            for (; l < features; l++)                                                              \
                to[l] = from[l] * scale - shift[l];                                                \
        }                                                                                          \
    }                                                                                              \
    /* the same, transposed: features x TILE, a cache line's worth of features at a time, four     \
       samples side by side */                                                                     \
    typedef REAL COLUMNS##_quad                                                                    \
        __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));          \
    static void COLUMNS(const REAL *from, int64_t stride, int64_t rows, int64_t features,          \
                        const REAL *shift, REAL scale, REAL *restrict to, int64_t to_stride)       \
    {                                                                                              \
        for (int64_t first = 0; first < features; first += STEP) {                                 \
            const int64_t end = features - first < STEP ? features : first + STEP;                 \
            int64_t i = 0;                                                                         \
            for (; i + 4 <= rows; i += 4) {                                                        \
                const REAL *a = from + i * stride, *b = a + stride, *c = b + stride,               \
                           *d = c + stride;                                                        \
                for (int64_t l = first; l < end; l++) {                                            \
                    const COLUMNS##_quad four = {a[l], b[l], c[l], d[l]};                          \
                    *(COLUMNS##_quad *)(void *)(to + l * to_stride + i) = four * scale - shift[l]; \
                }                                                                                  \
            }                                                                                      \
            for (; i < rows; i++)                                                                  \
                for (int64_t l = first; l < end; l++)                                              \
                    to[l * to_stride + i] = from[i * stride + l] * scale - shift[l];               \
        }                                                                                          \
    }                                                                                              \
    static double SQUARES(const REAL *x, int64_t features, const REAL *shift, REAL scale)          \
    {                                                                                              \
        double total = 0.0;                                                                        \
        for (int64_t l = 0; l < features; l++) {                                                   \
            const REAL value = x[l] * scale - shift[l];                                            \
            total += (double)value * (double)value;                                                \
        }                                                                                          \
        return total;                                                                              \
    }                                                                                              \
    static void DISTANCES(const REAL *dots, double mine, const double *squares, int64_t count,     \
                          float *restrict distances)                                               \
    {                                                                                              \
        int64_t j = 0;                                                                             \
        for (; j + STEP <= count; j += STEP)                                                       \
            for (int lane = 0; lane < STEP; lane++)                                                \
                distances[j + lane] =                                                              \
                    (float)(mine + squares[j + lane] - 2.0 * (double)dots[j + lane]);              \
        for (; j < count; j++)                                                                     \
            distances[j] = (float)(mine + squares[j] - 2.0 * (double)dots[j]);                     \
    }

PACK(float, rows_single, columns_single, squares_single, distances_single)
PACK(double, rows_double, columns_double, squares_double, distances_double)

/* A thread's scratch: rows (block x piece), columns (piece x TILE), dots (a block x TILE for each
 * column tile). */
typedef struct dense_scratch {
    char *rows, *columns, *dots;
} dense_scratch;

static int64_t tiles_of(int64_t samples)
{
    return (samples + TILE - 1) / TILE;
}

static dense_scratch dense_slots(const pairs *p, int thread)
{
    const int64_t size = (int64_t)p->ops->size;
    char *start = p->scratch + thread * p->scratch_bytes;
    return (dense_scratch){start, start + p->block * p->piece * size,
                           start + (p->block + TILE) * p->piece * size};
}

static int64_t dense_scratch_bytes(const pairs *p)
{
    const int64_t size = (int64_t)p->ops->size;
    return ((p->block + TILE) * p->piece + tiles_of(p->block) * TILE * p->block) * size;
}

static void pack(const pairs *p, int64_t sample, int64_t count, int64_t feature, int64_t features,
                 bool transposed, char *to)
{
    const orthant_matrix *X = p->samples;
    const int64_t at = sample * X->stride + feature, to_stride = transposed ? TILE : p->piece;
    if (X->precision == ORTHANT_DOUBLE) {
        const double *from = (const double *)X->values + at, *shift = (double *)p->shift + feature;
        (transposed ? columns_double : rows_double)(from, X->stride, count, features, shift,
                                                    p->scale, (double *)(void *)to, to_stride);
    } else {
        const float *from = (const float *)X->values + at, *shift = (float *)p->shift + feature;
        (transposed ? columns_single : rows_single)(from, X->stride, count, features, shift,
                                                    (float)p->scale, (float *)(void *)to,
                                                    to_stride);
    }
}

static void dense_prepare(const pairs *p, int64_t block, int64_t other, int thread)
{
    const dense_scratch slots = dense_slots(p, thread);
    const int64_t size = (int64_t)p->ops->size, m = p->samples->columns;
    const int64_t rows = pairs_count(p, block), columns = pairs_count(p, other);
    for (int64_t feature = 0; feature < m; feature += p->piece) {
        const int64_t features = m - feature < p->piece ? m - feature : p->piece;
        pack(p, pairs_first(p, block), rows, feature, features, false, slots.rows);
        for (int64_t tile = 0; tile < tiles_of(columns); tile++) {
            const int64_t left = columns - tile * TILE;
            pack(p, pairs_first(p, other) + tile * TILE, left < TILE ? left : TILE, feature,
                 features, true, slots.columns);
            const array a = {slots.rows, rows, features, p->piece};
            const array b = {slots.columns, features, TILE, TILE};
            const array c = {slots.dots + tile * TILE * p->block * size, rows, TILE, TILE};
            p->ops->product(c, a, b, feature > 0);
        }
    }
}

static void dense_distances(const pairs *p, int64_t block, int64_t row, int64_t other, int thread,
                            float *distances)
{
    const dense_scratch slots = dense_slots(p, thread);
    const double mine = p->square[pairs_first(p, block) + row];
    const int64_t columns = pairs_count(p, other);
    for (int64_t first = 0; first < columns; first += TILE) {
        const int64_t count = columns - first < TILE ? columns - first : TILE;
        const int64_t at = first * p->block + row * TILE;
        const double *squares = p->square + pairs_first(p, other) + first;
        if (p->samples->precision == ORTHANT_DOUBLE)
            distances_double((double *)(void *)slots.dots + at, mine, squares, count,
                             distances + first);
        else
            distances_single((float *)(void *)slots.dots + at, mine, squares, count,
                             distances + first);
    }
}

/* ---- both kinds ---- */

static void square_block(void *user, int64_t block, int thread)
{
    const pairs *p = user;
    const orthant_matrix *X = p->samples;
    (void)thread;
    for (int64_t i = pairs_first(p, block); i < pairs_first(p, block) + pairs_count(p, block); i++)
        if (X->sparse)
            p->square[i] *= p->scale * p->scale;
        else if (X->precision == ORTHANT_DOUBLE)
            p->square[i] =
                squares_double((double *)X->values + i * X->stride, X->columns, p->shift, p->scale);
        else
            p->square[i] = squares_single((float *)X->values + i * X->stride, X->columns, p->shift,
                                          (float)p->scale);
}

static bool whole_numbers(const orthant_matrix *matrix)
{
    const int64_t rows = matrix->sparse ? 1 : matrix->rows;
    const int64_t columns = matrix->sparse ? matrix->row_start[matrix->rows] : matrix->columns;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const double value = matrix_value(matrix, i * matrix->stride + j);
            if (value < rint(value) || value > rint(value))
                return false;
        }
    return true;
}

/* No partial sum of a distance is larger than four times the longest sample's square. */
static bool sums_are_exact(const pairs *p)
{
    double longest = 0.0;
    for (int64_t i = 0; i < p->samples->rows; i++)
        longest = fmax(longest, p->square[i]);
    return 4.0 * longest <= EXACT && whole_numbers(p->samples);
}

static orthant_status choose_shift_and_scale(pairs *p)
{
    const orthant_matrix *X = p->samples;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    double *mean = NULL;
    const double largest = matrix_largest(X);
    if (largest > 1e150 || (largest > 0.0 && largest < 1e-140))
        return fail(p->ctx, ORTHANT_ERROR_DATA,
                    "the largest entry of the samples is %g: squares of distances do not fit; "
                    "scale the data first (scale = 'max')",
                    largest);
    matrix_row_squares(X, p->square);
    p->exact = sums_are_exact(p);
    p->scale = p->exact || largest <= 0.0 ? 1.0 : ldexp(1.0, -ilogb(largest));
    /* The smallest and largest numbers of single precision have no inverse there. */
    if (X->precision == ORTHANT_SINGLE)
        p->scale = fmin(fmax(p->scale, 0x1p-126), 0x1p126);
    if (X->sparse)
        return ORTHANT_OK;
    p->shift = memory_new(p->ctx, X->columns, p->ops->size, "the mean of the samples");
    mean = memory_new(p->ctx, X->columns, sizeof *mean, "the mean of the samples");
    if (!p->shift || !mean)
        goto done;
    if (!p->exact)
        p->ops->column_sums(matrix_array(X), mean);
    for (int64_t l = 0; l < X->columns; l++)
        if (X->precision == ORTHANT_DOUBLE)
            ((double *)p->shift)[l] = mean[l] / (double)X->rows * p->scale;
        else
            ((float *)p->shift)[l] = (float)(mean[l] / (double)X->rows * p->scale);
    status = ORTHANT_OK;
done:
    memory_free(p->ctx, mean);
    return status;
}

/* Wide blocks spend less on packing, many blocks keep more threads busy; a sparse block costs a
 * walk over all features. */
static int64_t choose_block(const orthant_matrix *samples)
{
    const int64_t wanted = (samples->rows + 31) / 32, most = samples->sparse ? 4096 : 320;
    const int64_t block = tiles_of(wanted) * TILE;
    return block > most ? most : block;
}

/* What a thread's scratch takes with blocks and pieces as they are. */
static int64_t measure_scratch(pairs *p)
{
    p->blocks = (p->samples->rows + p->block - 1) / p->block;
    const int64_t bytes = p->samples->sparse ? pairs_sparse_scratch(p) : dense_scratch_bytes(p);
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

/* The next smaller piece or block; false where that would cost more than fewer threads do: a sparse
 * block costs a walk over all features, however small it is. */
static bool make_smaller(pairs *p)
{
    if (p->samples->sparse) {
        const bool small = p->block <= FEWEST_SPARSE || p->most_entries <= p->samples->columns;
        if (small && p->most_entries <= INT32_MAX)
            return false;
        p->block -= (p->block + 3) / 4;
    } else if (p->piece > FEWEST_FEATURES) {
        p->piece = (p->piece / 2 + STEP - 1) / STEP * STEP;
    } else if (p->block > TILE) {
        p->block = tiles_of(p->block / 2) * TILE;
    } else {
        return false;
    }
    return true;
}

/* Pieces and blocks as large as the limit allows; where even small ones do not fit on all
 * threads, fewer threads. */
static void choose_sizes(pairs *p, int64_t limit)
{
    const int64_t m = p->samples->columns, threads = parallel_threads(p->ctx);
    p->block = choose_block(p->samples);
    p->piece = m < MOST_FEATURES ? (m + STEP - 1) / STEP * STEP : MOST_FEATURES;
    p->scratch_bytes = measure_scratch(p);
    while ((threads * p->scratch_bytes > limit || p->most_entries > INT32_MAX) && make_smaller(p))
        p->scratch_bytes = measure_scratch(p);
    const int64_t fit = limit / p->scratch_bytes;
    p->threads = (int)(fit < 1 ? 1 : fit < threads ? fit : threads);
}

orthant_status pairs_begin(orthant_context *ctx, const orthant_matrix *samples, int64_t limit,
                           pairs *p)
{
    *p = (pairs){.ctx = ctx, .samples = samples, .ops = kernel_table(samples->precision)};
    choose_sizes(p, limit);
    p->square = memory_new(ctx, samples->rows, sizeof *p->square, "squares of the samples");
    if (!p->square)
        return ORTHANT_ERROR_MEMORY;
    const orthant_status status = choose_shift_and_scale(p);
    if (status != ORTHANT_OK)
        return status;
    parallel_for(ctx, p->blocks, square_block, p);
    p->scratch = memory_new(ctx, p->threads, (size_t)p->scratch_bytes, "products of samples");
    return p->scratch ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void pairs_end(pairs *p)
{
    memory_free(p->ctx, p->shift);
    memory_free(p->ctx, p->square);
    memory_free(p->ctx, p->scratch);
}

void pairs_prepare(const pairs *p, int64_t block, int64_t other, int thread)
{
    if (p->samples->sparse)
        pairs_sparse_prepare(p, other, thread);
    else
        dense_prepare(p, block, other, thread);
}

void pairs_distances(const pairs *p, int64_t block, int64_t row, int64_t other, int thread,
                     float *distances)
{
    if (p->samples->sparse)
        pairs_sparse_distances(p, pairs_first(p, block) + row, other, thread, distances);
    else
        dense_distances(p, block, row, other, thread, distances);
}

int64_t pairs_near(const pairs *p, int64_t block, int64_t row, int64_t other, int thread,
                   const float *squares, float limit, const float *limits, int32_t *found,
                   float *distances)
{
    float *dots = (float *)(void *)dense_slots(p, thread).dots + row * TILE;
    const int64_t columns = pairs_count(p, other), first = pairs_first(p, other);
    const array tiles = {dots, tiles_of(columns), TILE, TILE * p->block};
    return p->ops->list_near(tiles, columns, p->square[pairs_first(p, block) + row],
                             squares + first, limit, limits + first, found, distances);
}

/* With r = |x_i|, |y| <= r + sqrt(distance) = s and unit roundoff u: a dot product of m terms is
 * off by at most m u r s, shifting moves x and y by u r and u s, and the distance is stored in
 * single precision, or summed there (pairs_near), which is off by 3 u (r^2 + s^2) at most. Sparse
 * dots are summed in double. What underflows stays far below 2^-80. */
double pairs_error(const pairs *p, int64_t i, double distance)
{
    if (p->exact)
        return 0.0;
    const bool single = p->samples->precision == ORTHANT_SINGLE;
    const double terms = p->samples->sparse && single ? 1.0 : (double)p->samples->columns;
    const double mine = sqrt(p->square[i]), reach = 2.0 * mine + sqrt(distance);
    return 1.01 * (0.5 * terms + 8.0) * (single ? 0x1p-24 : 0x1p-53) * reach * reach +
           0x1p-22 * distance + (double)p->samples->columns * 0x1p-90 + 0x1p-80;
}
