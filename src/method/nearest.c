/* Every point to its nearest centre, ties to the lower one.
 *
 * Bounds (Hamerly 2010) leave most points out: `upper` is no less than the distance to the point's
 * own centre, `lower` no more than that to any other. Centres that move by their drifts change them
 * by no more than that, and while upper < lower the label stays. For the other points products with
 * all centres tell (lloyd.h), and where rounding could hide the nearest, distances in double do:
 * every label is the one that plain distances in double give. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "method/lloyd.h"
#include "method/point.h"

/* Rows of points are copied to one place for a product, unless so many stand together already. */
#define LONG_RUN 8

/* ---- bounds ---- */

static void measure_drifts(lloyd *f)
{
    f->farthest = 0;
    f->largest_drift = f->second_drift = 0.0;
    for (int64_t c = 0; c < f->k; c++)
        if (f->drift[c] > f->largest_drift) {
            f->second_drift = f->largest_drift;
            f->largest_drift = f->drift[c];
            f->farthest = c;
        } else {
            f->second_drift = fmax(f->second_drift, f->drift[c]);
        }
    /* Rounding of the sums over the features, and of as many drifts as were added, in units of the
     * largest square that a distance can have. */
    f->slack = (8.0 * (double)f->m + 64.0 + 8.0 * (double)f->age++) * 0x1p-53;
}

/* The points of a block, counted from its first, that may have another nearest centre now. */
static int64_t list_doubtful(const lloyd *f, int64_t first, int64_t rows, int32_t *doubtful)
{
    int64_t count = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t i = first + row, own = f->label[i];
        const double reach = f->length[i] + f->reach;
        const double upper = f->upper[i] + f->drift[own];
        const double lower =
            f->lower[i] - (own == f->farthest ? f->second_drift : f->largest_drift);
        f->upper[i] = upper;
        f->lower[i] = lower;
        doubtful[count] = (int32_t)row;
        count += !(lower > upper && (lower - upper) * (lower + upper) > f->slack * reach * reach);
    }
    return count;
}

static int64_t list_all(int64_t rows, int32_t *doubtful)
{
    for (int64_t row = 0; row < rows; row++)
        doubtful[row] = (int32_t)row;
    return rows;
}

/* ---- products ---- */

static void multiply_gathered(const lloyd *f, int64_t first, const int32_t *rows, array dots,
                              int thread)
{
    const int64_t stride = f->points->stride;
    const size_t size = f->kernels->size;
    char *to = (char *)f->gathered + (size_t)(thread * f->gather * stride) * size;
    for (int64_t p = 0; p < dots.rows; p++)
        memcpy(to + (size_t)(p * stride) * size,
               (char *)f->points->values + (size_t)((first + rows[p]) * stride) * size,
               (size_t)f->m * size);
    f->kernels->product(dots, (array){to, dots.rows, f->m, stride},
                        (array){f->shifted, f->m, f->k, f->stride}, false);
}

static void multiply_run(const lloyd *f, int64_t first, array dots)
{
    const array shifted = {f->shifted, f->m, f->k, f->stride};
    if (f->points->sparse)
        f->kernels->sparse_product(dots, matrix_csr(f->points), first, shifted, false);
    else
        f->kernels->product(dots, array_rows(f->kernels, matrix_array(f->points), first, dots.rows),
                            shifted, false);
}

/* Row p of `dots`: point first + rows[p] with every centre. */
static void multiply(const lloyd *f, int64_t first, const int32_t *rows, array dots, int thread)
{
    for (int64_t p = 0, taken; p < dots.rows; p += taken) {
        for (taken = 1; p + taken < dots.rows && rows[p + taken] == rows[p] + taken;)
            taken++;
        if (taken < LONG_RUN && f->gather) {
            taken = dots.rows - p < f->gather ? dots.rows - p : f->gather;
            multiply_gathered(f, first, rows + p, array_rows(f->kernels, dots, p, taken), thread);
        } else {
            multiply_run(f, first + rows[p], array_rows(f->kernels, dots, p, taken));
        }
    }
}

/* ---- the nearest of a point's centres ---- */

/* Of a point's squared distances the parts that differ between centres: the least and the one after
 * it, and what is not 0 where one of them overflowed. STEP at a time: rows of dots are padded to
 * that with zeros, and offsets behind the last centre are as large as can be. */
typedef struct two_least {
    double least, second, overflow;
} two_least;

#define LEAST(REAL, STEP, NAME)                                                       \
    static two_least NAME(const REAL *dots, const double *offset, int64_t k)          \
    {                                                                                 \
        double least[STEP], second[STEP], overflow[STEP];                             \
        for (int lane = 0; lane < STEP; lane++) {                                     \
            least[lane] = second[lane] = DBL_MAX;                                     \
            overflow[lane] = 0.0;                                                     \
        }                                                                             \
        for (int64_t c = 0; c < k; c += STEP)                                         \
            for (int lane = 0; lane < STEP; lane++) {                                 \
                const double part = offset[c + lane] - 2.0 * (double)dots[c + lane];  \
                const double larger = part > least[lane] ? part : least[lane];        \
                least[lane] = part < least[lane] ? part : least[lane];                \
                second[lane] = larger < second[lane] ? larger : second[lane];         \
                overflow[lane] += part - part;                                        \
            }                                                                         \
        for (int lane = 1; lane < STEP; lane++) {                                     \
            const double larger = least[lane] > least[0] ? least[lane] : least[0];    \
            const double other = second[lane] < second[0] ? second[lane] : second[0]; \
            least[0] = least[lane] < least[0] ? least[lane] : least[0];               \
            second[0] = larger < other ? larger : other;                              \
            overflow[0] += overflow[lane];                                            \
        }                                                                             \
        return (two_least){least[0], second[0], overflow[0]};                         \
    }

LEAST(float, 4, least_single)
LEAST(double, 2, least_double)

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

/* By distances in double, of centres whose part is not above a limit (what is not a number is not).
 */
static int64_t nearest_by_distance(const lloyd *f, array dots, int64_t row, int64_t i, double limit)
{
    double nearest = INFINITY;
    int64_t label = 0;
    for (int64_t c = 0; c < f->k; c++) {
        if (differing_part(f, dots, row, c) > limit)
            continue;
        const double distance = point_distance(f->points, i, f->centres + c * f->m, f->square[c]);
        if (distance < nearest) {
            nearest = distance;
            label = c;
        }
    }
    return label;
}

static int64_t centre_with(const lloyd *f, array dots, int64_t row, int64_t guess, double part)
{
    int64_t c = guess >= 0 && differing_part(f, dots, row, guess) <= part ? guess : 0;
    while (differing_part(f, dots, row, c) > part)
        c++;
    return c;
}

/* The nearest centre of point i, whose products are in a row of `dots`, and its bounds. Where more
 * than one come into question there is no lower bound, and the next pass looks again. */
static int64_t nearest_centre(const lloyd *f, array dots, int64_t row, int64_t i)
{
    const int64_t at = row * dots.stride;
    const double margin = twice_the_error(f, i);
    const two_least parts = f->kernels->size == sizeof(double)
                                ? least_double((double *)dots.data + at, f->offset, f->k)
                                : least_single((float *)dots.data + at, f->offset, f->k);
    f->upper[i] = INFINITY;
    f->lower[i] = 0.0;
    if (parts.overflow < 0.0 || parts.overflow > 0.0 || isnan(parts.overflow))
        return nearest_by_distance(f, dots, row, i, INFINITY);
    if (parts.second <= parts.least + margin)
        return nearest_by_distance(f, dots, row, i, parts.least + margin);
    f->upper[i] = sqrt(fmax(f->spread[i] + parts.least + margin, 0.0));
    f->lower[i] = sqrt(fmax(f->spread[i] + parts.second - margin, 0.0));
    return centre_with(f, dots, row, f->summed[i], parts.least);
}

static void assign_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const int64_t first = block * f->block, rows = lloyd_block_end(f, block) - first;
    int32_t *doubtful = f->doubtful + thread * f->block;
    const int64_t count =
        f->bounded ? list_doubtful(f, first, rows, doubtful) : list_all(rows, doubtful);
    char *scratch = (char *)f->dots + (size_t)(thread * f->block * f->stride) * f->kernels->size;
    const array dots = {scratch, count, f->k, f->stride};
    bool touched = false;
    multiply(f, first, doubtful, dots, thread);
    for (int64_t p = 0; p < count; p++) {
        const int64_t i = first + doubtful[p];
        f->label[i] = nearest_centre(f, dots, p, i);
        touched = touched || f->label[i] != f->summed[i];
    }
    f->touched[block] = touched;
}

void nearest_centres(lloyd *f)
{
    measure_drifts(f);
    lloyd_run(f, lloyd_blocks(f), assign_block, (double)f->n * (double)f->m * (double)f->k);
    f->bounded = true;
}
