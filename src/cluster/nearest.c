/* Every point to its nearest centre, ties to the lower one.
 *
 * Bounds (Hamerly 2010) prune most points: `upper` is an upper bound of the distance to the point's
 * own centre, `lower` a lower bound of that to any other. Both change by no more than the drifts of
 * the centres, and while upper < lower the label stays. For the other points products with all
 * centres decide (lloyd.h), and where rounding could hide the nearest, distances in double: every
 * label is the one that plain distances in double give. Points of few features lie in groups
 * (kernel.h) and are all compared with all centres: there that costs less than bounds. */
#include <math.h>
#include <string.h>

#include "cluster/lloyd.h"
#include "cluster/point.h"
#include "core/device_search.h"

/* Rows of points are gathered for a product, unless so many are contiguous already. */
#define LONG_RUN 8

/* ---- bounds ---- */

static void measure_drifts(lloyd *f)
{
    double largest = 0.0, second = 0.0;
    int64_t farthest = 0;
    for (int64_t c = 0; c < f->k; c++)
        if (f->drift[c] > largest) {
            second = largest;
            largest = f->drift[c];
            farthest = c;
        } else if (f->drift[c] > second) {
            second = f->drift[c];
        }
    for (int64_t c = 0; c < f->k; c++)
        f->fall[c] = c == farthest ? second : largest;
    /* Rounding of the sums over the features, and of as many drifts as were added, in units of the
     * largest square that a distance can have. */
    f->slack = (8.0 * (double)f->m + 64.0 + 8.0 * (double)f->age++) * 0x1p-53;
}

/* The points of a block, counted from its first, that may have another nearest centre now. */
static int64_t list_doubtful(const lloyd *f, int64_t first, int64_t rows, int32_t *doubtful)
{
    const double slack = f->slack, farthest_reach = f->reach, *drift = f->drift;
    const double *length = f->length + first, *fall = f->fall;
    const int64_t *label = f->label + first;
    double *upper = f->upper + first, *lower = f->lower + first;
    int64_t count = 0;
    for (int64_t row = 0; row < rows; row++) {
        const double reach = length[row] + farthest_reach;
        const double most = upper[row] + drift[label[row]], least = lower[row] - fall[label[row]];
        upper[row] = most;
        lower[row] = least;
        doubtful[count] = (int32_t)row;
        /* A mispredicted branch would take longer than both comparisons. */
        count += !((least > most) & ((least - most) * (least + most) > slack * reach * reach));
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
    const size_t size = f->ops->size;
    char *to = (char *)f->gathered + (size_t)(thread * f->gather * f->m) * size;
    for (int64_t p = 0; p < dots.rows; p++)
        memcpy(to + (size_t)(p * f->m) * size,
               (char *)f->points->values + (size_t)((first + rows[p]) * stride) * size,
               (size_t)f->m * size);
    f->ops->product(dots, (array){to, dots.rows, f->m, f->m},
                    (array){f->shifted, f->m, f->k, f->stride}, false);
}

static void multiply_run(const lloyd *f, int64_t first, array dots)
{
    const array shifted = {f->shifted, f->m, f->k, f->stride};
    if (f->points->sparse)
        f->ops->sparse_product(dots, matrix_csr(f->points), first, shifted, false);
    else
        f->ops->product(dots, array_rows(f->ops, matrix_array(f->points), first, dots.rows),
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
            multiply_gathered(f, first, rows + p, array_rows(f->ops, dots, p, taken), thread);
        } else {
            multiply_run(f, first + rows[p], array_rows(f->ops, dots, p, taken));
        }
    }
}

/* ---- the nearest of a point's centres ---- */

static double differing_part(const lloyd *f, array dots, int64_t row, int64_t c)
{
    const int64_t at = row * dots.stride + c;
    return f->offset[c] - 2.0 * (f->ops->size == sizeof(double) ? ((double *)dots.data)[at]
                                                                : (double)((float *)dots.data)[at]);
}

/* Twice the error that the rounding of a product of so many terms may make. */
static double twice_the_error(const lloyd *f, int64_t i)
{
    const orthant_matrix *X = f->points;
    const int64_t terms = X->sparse ? X->row_start[i + 1] - X->row_start[i] : f->m;
    const double unit = f->ops->size == sizeof(double) ? 0x1p-53 : 0x1p-24;
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

/* Whether no product of point i with a centre can overflow. */
static bool is_moderate(const lloyd *f, int64_t i)
{
    const double most = f->ops->size == sizeof(double) ? 1e300 : 1e37;
    return f->longest < most && f->length[i] * f->longest < most;
}

/* The nearest centre of point i, whose products are in a row of `dots`, and its bounds; least and
 * second of the parts of the squared distances that differ between centres. Where more than one
 * come into question there is no lower bound, and the next pass looks again. */
static int64_t nearest_centre(const lloyd *f, array dots, int64_t row, int64_t i, double least,
                              double second)
{
    const double margin = twice_the_error(f, i);
    if (is_moderate(f, i) && second > least + margin) {
        const double most = f->spread[i] + least + margin;
        const double next = f->spread[i] + second - margin;
        f->upper[i] = most > 0.0 ? sqrt(most) : 0.0;
        f->lower[i] = next > 0.0 ? sqrt(next) : 0.0;
        return centre_with(f, dots, row, f->summed[i], least);
    }
    f->upper[i] = INFINITY;
    f->lower[i] = 0.0;
    return nearest_by_distance(f, dots, row, i, is_moderate(f, i) ? least + margin : INFINITY);
}

static void assign_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const int64_t first = block * f->block, rows = lloyd_block_end(f, block) - first;
    int32_t *doubtful = f->doubtful + thread * f->block;
    const int64_t count =
        f->bounded ? list_doubtful(f, first, rows, doubtful) : list_all(rows, doubtful);
    char *scratch = (char *)f->dots + (size_t)(thread * f->block * f->stride) * f->ops->size;
    const array dots = {scratch, count, f->k, f->stride};
    double *least = f->least + 2 * thread * f->block, *second = least + f->block;
    bool touched = false;
    multiply(f, first, doubtful, dots, thread);
    f->ops->two_least(dots, f->offset, least, second);
    for (int64_t p = 0; p < count; p++) {
        const int64_t i = first + doubtful[p];
        f->label[i] = nearest_centre(f, dots, p, i, least[p], second[p]);
        touched = touched || f->label[i] != f->summed[i];
    }
    f->touched[block] = touched;
}

/* ---- points in groups ---- */

/* No less than what the rounding of bias + <x, s>, with both in the points' precision, and that of
 * plain distances can change between two centres. */
static double grouped_margin(const lloyd *f, double largest_bias)
{
    const double unit = f->ops->size == sizeof(double) ? 0x1p-53 : 0x1p-24,
                 most = f->ops->size == sizeof(double) ? 1e300 : 1e37,
                 product = f->far * f->longest;
    if (!(largest_bias < most && product < most && f->longest < most))
        return INFINITY;
    return 2.0 * ((double)f->m + 4.0) *
           (unit * (largest_bias + product) + 0x1p-53 * (f->wide + f->longest * f->longest));
}

static int64_t nearest_of_all(const lloyd *f, int64_t i)
{
    double nearest = INFINITY;
    int64_t label = 0;
    for (int64_t c = 0; c < f->k; c++) {
        const double distance = point_distance(f->points, i, f->centres + c * f->m, f->square[c]);
        label = distance < nearest ? c : label;
        nearest = distance < nearest ? distance : nearest;
    }
    return label;
}

static void prepare_grouped(lloyd *f)
{
    double largest = 0.0;
    for (int64_t c = 0; c < f->stride; c++) {
        const double bias = c < f->k ? -0.5 * f->offset[c] : -INFINITY;
        if (f->ops->size == sizeof(double))
            ((double *)f->bias)[c] = bias;
        else
            ((float *)f->bias)[c] = (float)bias;
        if (c < f->k)
            largest = fmax(largest, fabs(bias));
    }
    f->margin = grouped_margin(f, largest);
}

static void assign_grouped(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const int64_t first = block * f->block, rows = lloyd_block_end(f, block) - first;
    int32_t *doubtful = f->doubtful + thread * f->block;
    const int64_t count = f->ops->grouped_nearest(lloyd_grouped(f, block), rows,
                                                  (array){f->shifted, f->m, f->k, f->stride},
                                                  f->bias, f->margin, f->label + first, doubtful);
    for (int64_t p = 0; p < count; p++)
        f->label[first + doubtful[p]] = nearest_of_all(f, first + doubtful[p]);
    f->touched[block] = true;
}

/* All points anew: there are no bounds on a device. */
static bool assign_on_device(lloyd *f)
{
    char reason[DEVICE_MESSAGE] = "";
    if (!f->ctx->device_search->assign(f->device, f->centres, f->label, reason)) {
        lloyd_leave_device(f, reason);
        return false;
    }
    memset(f->touched, 1, (size_t)lloyd_blocks(f) * sizeof *f->touched);
    return true;
}

void nearest_centres(lloyd *f)
{
    if (f->device && assign_on_device(f))
        return;
    if (f->grouped) {
        prepare_grouped(f);
        lloyd_run(f, lloyd_blocks(f), assign_grouped, (double)f->n * (double)f->m * (double)f->k);
        return;
    }
    measure_drifts(f);
    lloyd_run(f, lloyd_blocks(f), assign_block, (double)f->n * (double)f->m * (double)f->k);
    f->bounded = true;
}
