/* Projects all samples, quantises their residuals and bounds the rounding errors; estimates how
 * many pairs the bounds prune; sorts the points by recursive bisection. */
#include "graph/lower_bounds.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "graph/directions.h"
#include "graph/select.h"
#include "kernel/kernel.h"

#define FIRST (BOUND_COORDINATES - 1)        /* directions of the points */
#define DIRECTIONS (FIRST + BOUND_CODES - 1) /* and of the codes */
#define MOST_STEPS 127                       /* of a code */
#define STEPS_OF_SIZE (MOST_STEPS / 5.0)     /* of the usual size of what they stand for */
#define FEWEST_SAMPLES 4000
/* Bytes of a sample: its point, codes and slack are then no more than an eighth of it. */
#define FEWEST_BYTES \
    (8 * (BOUND_COORDINATES * sizeof(float) + BOUND_CODES + 2 * sizeof(double) + 4))
#define MOST_FEATURES 8192
#define PROBES 8
/* The share of all pairs that the points do not prune, plus CLOSER times the share that the codes
 * do not prune either (these samples are compared): with more than this, as limits are wide before
 * the neighbours are found, products of the samples themselves are faster. */
#define CLOSER 8
#define MOST_NEAR 0.16
#define MOST_OFF 8  /* times the error of the coordinates: the error of a residual's length */
#define BLOCK 32    /* samples of a task */
#define PIECE 64    /* features whose products are added at a time */
#define TOGETHER 64 /* points whose order does not matter */

/* ---- points and codes of all samples ---- */

typedef struct construction {
    directions directions;
    const orthant_matrix *samples;
    lower_bounds *bounds;
    char *scratch; /* per thread: samples, two arrays of products, and some in double */
    int64_t scratch_bytes;
    double rounding; /* of the coordinates, by the sample's length */
    double residual; /* the usual length of what all directions leave */
    bool tight;      /* whether short residuals are worth a second look at the sample */
} construction;

/* Coordinates are sums over pieces, and these of products, of rounded samples with rounded
 * directions that are not quite orthonormal. */
static double rounding_of(const directions *d)
{
    const double unit = d->ops->size == sizeof(double) ? 0x1p-53 : 0x1p-24;
    const double count = (double)d->count;
    const double sums = PIECE + (double)(d->Q->rows / PIECE) + 16;
    return sqrt(count) * sums * unit + count * d->defect;
}

/* A sample and its projection. */
typedef struct projected {
    array x;                   /* shifted */
    const double *coordinates; /* along all directions */
    double square, length;     /* of the sample */
    double *work;              /* twice the features */
} projected;

/* The length of the residual that some directions leave of a sample, and how far that may be off.
 * With coordinates y that are off by e |x| the square |x|^2 - |y|^2 is off by no more than 2 |y| e
 * |x| + e^2 |x|^2. Where little is left that is too much; |x - Q y| is off by e |x|, and by what
 * rounding Q makes. */
static double residual_length(const construction *d, const projected *x, int64_t count, double seen,
                              double *off)
{
    const kernels *ops = d->directions.ops;
    const int64_t m = d->samples->columns;
    const double e = d->rounding * x->length, left = sqrt(fmax(x->square - seen, 0));
    const double moved = 2 * e * sqrt(seen) + e * e;
    double total = 0;
    *off = left > 0 ? fmin(moved / left, sqrt(moved)) : sqrt(moved);
    if (!d->tight || moved <= MOST_OFF * e * left)
        return left;
    ops->get_values(x->x, x->work);
    ops->vector_product(array_columns(ops, matrix_array(d->directions.Q), 0, count), x->coordinates,
                        x->work + m);
    for (int64_t f = 0; f < m; f++)
        total += (x->work[f] - x->work[m + f]) * (x->work[f] - x->work[m + f]);
    *off = 2 * e;
    return sqrt(total);
}

/* Rounds to steps; returns the squared error, in steps. */
static double quantise(double steps, int8_t *to)
{
    const double cut = fmax(fmin(steps, MOST_STEPS), -MOST_STEPS);
    *to = (int8_t)(cut < 0 ? cut - 0.5 : cut + 0.5);
    return (steps - *to) * (steps - *to);
}

static void bound_sample(const construction *d, int64_t i, const projected *x)
{
    lower_bounds *bounds = d->bounds;
    float *to = (float *)bounds->points->values + i * bounds->points->stride;
    int8_t *codes = bounds->codes + i * BOUND_CODES;
    const double *coordinates = x->coordinates;
    /* What all coordinates may be off by, single precision and numbers near zero counted in. */
    const double off = (d->rounding + 0x1p-21) * x->length + 1e-36;
    double seen = 0, moved = 0, residual_off;
    for (int64_t j = 0; j < FIRST; j++) {
        to[j] = (float)coordinates[j];
        seen += coordinates[j] * coordinates[j];
    }
    to[FIRST] = (float)residual_length(d, x, FIRST, seen, &residual_off);
    bounds->slack[i] = off + residual_off;
    for (int64_t j = FIRST; j < DIRECTIONS; j++) {
        seen += coordinates[j] * coordinates[j];
        moved += quantise(coordinates[j] / bounds->step, codes + j - FIRST);
    }
    const double residual = residual_length(d, x, DIRECTIONS, seen, &residual_off) - d->residual;
    moved += quantise(residual / bounds->step, codes + DIRECTIONS - FIRST);
    bounds->code_error[i] =
        nextafterf((float)(sqrt(moved) + (off + residual_off) / bounds->step), INFINITY);
}

/* Some samples, shifted, and their coordinates, in a thread's scratch. */
typedef struct group {
    array x;
    double *coordinates, *work;
} group;

/* `rows` of them, from `first` on every `apart`-th. */
static group project(const construction *d, int64_t first, int64_t apart, int64_t rows, int thread)
{
    const kernels *ops = d->directions.ops;
    const array Q = matrix_array(d->directions.Q);
    const int64_t m = d->samples->columns, size = (int64_t)ops->size;
    double *coordinates = (double *)(void *)(d->scratch + thread * d->scratch_bytes);
    double *work = coordinates + BLOCK * DIRECTIONS;
    char *x = (char *)(work + 2 * m), *y = x + BLOCK * m * size;
    const array X = {x, rows, m, m}, Y = {y, rows, DIRECTIONS, Q.stride};
    const array part = {y + BLOCK * Q.stride * size, rows, DIRECTIONS, Q.stride};
    for (int64_t i = 0; i < rows; i++)
        directions_shifted(&d->directions, d->samples, first + i * apart, x + i * m * size);
    for (int64_t f = 0; f < m; f += PIECE) {
        const int64_t count = m - f < PIECE ? m - f : PIECE;
        ops->product(f ? part : Y, array_columns(ops, X, f, count), array_rows(ops, Q, f, count),
                     false);
        if (f)
            ops->add(Y, 1, part);
    }
    ops->get_values(Y, coordinates);
    return (group){X, coordinates, work};
}

static void bound_block(void *user, int64_t block, int thread)
{
    const construction *d = user;
    const kernels *ops = d->directions.ops;
    const int64_t first = block * BLOCK;
    const int64_t rows = d->samples->rows - first < BLOCK ? d->samples->rows - first : BLOCK;
    const group g = project(d, first, 1, rows, thread);
    for (int64_t i = 0; i < rows; i++) {
        const array row = array_rows(ops, g.x, i, 1);
        const double square = ops->dot(row, row);
        bound_sample(
            d, first + i,
            &(projected){row, g.coordinates + i * DIRECTIONS, square, sqrt(square), g.work});
    }
}

/* The step by the usual size of what is quantised, from a few samples. */
static void choose_step(construction *d)
{
    const kernels *ops = d->directions.ops;
    const int64_t n = d->samples->rows, count = n < BLOCK ? n : BLOCK, apart = n / count;
    const group g = project(d, apart / 2, apart, count, 0);
    double coded = 0, lengths = 0, squares = 0, all = 0;
    for (int64_t i = 0; i < count; i++) {
        const array row = array_rows(ops, g.x, i, 1);
        const double square = ops->dot(row, row);
        double seen = 0;
        for (int64_t j = 0; j < DIRECTIONS; j++) {
            const double along = g.coordinates[i * DIRECTIONS + j];
            seen += along * along;
            coded += j < FIRST ? 0 : along * along;
        }
        all += square;
        squares += fmax(square - seen, 0);
        lengths += sqrt(fmax(square - seen, 0));
    }
    d->residual = lengths / (double)count;
    coded += fmax(squares - lengths * d->residual, 0);
    d->bounds->step =
        sqrt(coded / (double)(count * BOUND_CODES) + 1e-18 * all / (double)count) / STEPS_OF_SIZE +
        1e-30;
}

bool lower_bounds_suit(const orthant_matrix *samples)
{
    const int64_t m = samples->columns;
    if (samples->sparse || samples->rows < FEWEST_SAMPLES || m > MOST_FEATURES ||
        (size_t)m * precision_size(samples->precision) < FEWEST_BYTES)
        return false;
    const double largest = matrix_largest(samples);
    return largest > 1e-12 && largest < 1e12;
}

static orthant_status bound_all(orthant_context *ctx, const search_step *at, construction *d)
{
    const int64_t n = d->samples->rows, size = (int64_t)d->directions.ops->size;
    const int64_t numbers = d->samples->columns + 2 * d->directions.Q->stride;
    lower_bounds *bounds = d->bounds;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    d->scratch_bytes = BLOCK * numbers * size +
                       (BLOCK * DIRECTIONS + 2 * d->samples->columns) * (int64_t)sizeof(double);
    d->scratch_bytes += MEMORY_ALIGNMENT - d->scratch_bytes % MEMORY_ALIGNMENT;
    d->scratch = memory_new(ctx, parallel_threads(ctx), (size_t)d->scratch_bytes,
                            "lower bounds of distances");
    bounds->slack = memory_new(ctx, n, sizeof *bounds->slack, "lower bounds of distances");
    bounds->codes = memory_new(ctx, n, BOUND_CODES, "lower bounds of distances");
    bounds->code_error =
        memory_new(ctx, n, sizeof *bounds->code_error, "lower bounds of distances");
    if (d->scratch && bounds->slack && bounds->codes && bounds->code_error)
        status = matrix_new_dense(ctx, ORTHANT_SINGLE, n, BOUND_COORDINATES, &bounds->points);
    if (!status) {
        choose_step(d);
        status = search_run(ctx, at, (n + BLOCK - 1) / BLOCK, bound_block, d);
    }
    for (int64_t i = 0; i < n && !status; i++)
        bounds->most_slack = fmax(bounds->most_slack, bounds->slack[i]);
    memory_free(ctx, d->scratch);
    return status;
}

orthant_status lower_bounds_make(orthant_context *ctx, const orthant_matrix *samples, bool tight,
                                 const search_step *at, lower_bounds *bounds)
{
    construction d = {.samples = samples, .bounds = bounds, .tight = tight};
    *bounds = (lower_bounds){.ctx = ctx};
    orthant_status status = directions_find(ctx, samples, DIRECTIONS, &d.directions);
    if (!status && d.directions.defect < 1e-9) {
        d.rounding = rounding_of(&d.directions);
        status = bound_all(ctx, at, &d);
    }
    directions_free(&d.directions);
    if (status)
        lower_bounds_free(bounds);
    return status;
}

/* ---- how much they prune ---- */

typedef struct probing {
    const orthant_matrix *of;
    double *distances; /* rows x PROBES */
} probing;

static int64_t probe(const orthant_matrix *of, int64_t q)
{
    return q * of->rows / PROBES;
}

static void probe_block(void *user, int64_t block, int thread)
{
    const probing *p = user;
    const kernels *ops = kernel_table(p->of->precision);
    const array rows = matrix_array(p->of);
    (void)thread;
    for (int64_t i = block * BLOCK; i < rows.rows && i < (block + 1) * BLOCK; i++)
        for (int64_t q = 0; q < PROBES; q++)
            p->distances[i * PROBES + q] = ops->row_distance(
                array_rows(ops, rows, i, 1), array_rows(ops, rows, probe(p->of, q), 1));
}

/* Of every row to each of the probes. */
static void measure_probes(orthant_context *ctx, const orthant_matrix *of, double *distances)
{
    probing p = {of, distances};
    parallel_for(ctx, (of->rows + BLOCK - 1) / BLOCK, probe_block, &p);
}

/* The distance of the count-th neighbour of a probe; `nearest` is scratch for them. */
static double last_neighbour(const orthant_matrix *samples, const double *distances, int64_t q,
                             int64_t count, double *nearest)
{
    int64_t found = 0;
    for (int64_t i = 0; i < samples->rows; i++) {
        const double distance = distances[i * PROBES + q];
        if (i == probe(samples, q) || (found == count && distance >= nearest[count - 1]))
            continue;
        int64_t at = found < count ? found++ : count - 1;
        for (; at > 0 && nearest[at - 1] > distance; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = distance;
    }
    return nearest[found - 1];
}

/* Whether a pair that the points do not prune is not pruned by its codes either. */
static bool still_near(const lower_bounds *bounds, int64_t i, int64_t j, double distance,
                       double limit)
{
    const float *residuals = (const float *)bounds->points->values + FIRST;
    const int64_t stride = bounds->points->stride;
    const int32_t first = 0;
    const double residual = (double)residuals[i * stride] - (double)residuals[j * stride];
    int32_t steps;
    kernel_table(ORTHANT_SINGLE)
        ->byte_distances(bounds->codes + i * BOUND_CODES, bounds->codes + j * BOUND_CODES,
                         BOUND_CODES, &first, 1, &steps);
    const double apart =
        sqrt((double)steps) - (double)bounds->code_error[i] - (double)bounds->code_error[j];
    const double coded = bounds->step * fmax(apart, 0);
    return distance - residual * residual + coded * coded <= limit;
}

orthant_status lower_bounds_prune(const lower_bounds *bounds, const orthant_matrix *samples,
                                  int64_t count, bool *prune)
{
    orthant_context *ctx = bounds->ctx;
    const int64_t n = samples->rows;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    double limits[PROBES], near = 0;
    double *distances = memory_new(ctx, n * PROBES, sizeof *distances, "distances");
    double *nearest = memory_new(ctx, count, sizeof *nearest, "distances");
    *prune = false;
    if (!distances || !nearest)
        goto done;
    measure_probes(ctx, samples, distances);
    for (int64_t q = 0; q < PROBES; q++) {
        const double reach =
            sqrt(last_neighbour(samples, distances, q, count, nearest)) + 2 * bounds->most_slack;
        limits[q] = reach * reach;
    }
    measure_probes(ctx, bounds->points, distances);
    for (int64_t e = 0; e < n * PROBES; e++) {
        const int64_t q = e % PROBES;
        if (distances[e] <= limits[q])
            near += still_near(bounds, probe(samples, q), e / PROBES, distances[e], limits[q])
                        ? 1 + CLOSER
                        : 1;
    }
    *prune = near <= MOST_NEAR * (double)(n * PROBES);
    status = ORTHANT_OK;
done:
    memory_free(ctx, nearest);
    memory_free(ctx, distances);
    return status;
}

/* ---- one sample and a list of others ---- */

int64_t lower_bounds_estimate(const lower_bounds *bounds, int64_t i, float limit, int64_t count,
                              int32_t *listed, float *distances, int32_t *steps)
{
    const float *residuals = (const float *)bounds->points->values + FIRST;
    const int64_t stride = bounds->points->stride;
    const float mine = residuals[i * stride], square = (float)(bounds->step * bounds->step);
    int64_t kept = 0;
    kernel_table(ORTHANT_SINGLE)
        ->byte_distances(bounds->codes + i * BOUND_CODES, bounds->codes, BOUND_CODES, listed, count,
                         steps);
    for (int64_t c = 0; c < count; c++) {
        const int32_t j = listed[c];
        const float residual = mine - residuals[j * stride];
        const float distance = distances[c] - residual * residual + square * (float)steps[c];
        listed[kept] = j;
        distances[kept] = distance;
        kept += distance <= limit;
    }
    return kept;
}

/* ---- near points close together ---- */

static double coordinate(const void *of, int64_t row, int64_t along)
{
    const orthant_matrix *points = ((const lower_bounds *)of)->points;
    return ((const float *)points->values)[row * points->stride + along];
}

static void swap_points(void *of, int64_t i, int64_t j)
{
    lower_bounds *bounds = of;
    float row[BOUND_COORDINATES];
    int8_t codes[BOUND_CODES];
    int8_t *my_codes = bounds->codes + i * BOUND_CODES,
           *other_codes = bounds->codes + j * BOUND_CODES;
    const float code_error = bounds->code_error[i];
    float *mine = (float *)bounds->points->values + i * bounds->points->stride,
          *other = (float *)bounds->points->values + j * bounds->points->stride;
    const double slack = bounds->slack[i];
    const int32_t sample = bounds->order[i];
    memcpy(row, mine, sizeof row);
    memmove(mine, other, sizeof row);
    memcpy(other, row, sizeof row);
    memcpy(codes, my_codes, sizeof codes);
    memmove(my_codes, other_codes, sizeof codes);
    memcpy(other_codes, codes, sizeof codes);
    bounds->code_error[i] = bounds->code_error[j];
    bounds->code_error[j] = code_error;
    bounds->slack[i] = bounds->slack[j];
    bounds->slack[j] = slack;
    bounds->order[i] = bounds->order[j];
    bounds->order[j] = sample;
}

/* The coordinate along which a range of points spreads most. */
static int64_t widest(const lower_bounds *bounds, int64_t first, int64_t end)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const array range = array_rows(ops, matrix_array(bounds->points), first, end - first);
    double sums[BOUND_COORDINATES] = {0}, squares[BOUND_COORDINATES] = {0}, most = -1;
    int64_t found = 0;
    ops->column_sums(range, sums);
    ops->column_squares(range, squares);
    for (int64_t j = 0; j < BOUND_COORDINATES; j++) {
        const double spread = squares[j] - sums[j] * sums[j] / (double)(end - first);
        if (spread > most) {
            most = spread;
            found = j;
        }
    }
    return found;
}

static void sort_range(lower_bounds *bounds, int64_t first, int64_t end)
{
    if (end - first <= TOGETHER)
        return;
    const int64_t middle = first + ((end - first) / 2 + TOGETHER / 2) / TOGETHER * TOGETHER;
    select_rank(bounds, first, end, middle, widest(bounds, first, end), coordinate, swap_points);
    sort_range(bounds, first, middle);
    sort_range(bounds, middle, end);
}

static orthant_status new_order(lower_bounds *bounds)
{
    const int64_t n = bounds->points->rows;
    bounds->order = memory_new(bounds->ctx, n, sizeof *bounds->order, "lower bounds of distances");
    for (int64_t i = 0; i < n && bounds->order; i++)
        bounds->order[i] = (int32_t)i;
    return bounds->order ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

orthant_status lower_bounds_sort(lower_bounds *bounds)
{
    const orthant_status status = new_order(bounds);
    if (!status)
        sort_range(bounds, 0, bounds->points->rows);
    return status;
}

orthant_status lower_bounds_arrange(lower_bounds *bounds, const int32_t *order)
{
    const orthant_status status = new_order(bounds);
    for (int64_t i = 0; i < bounds->points->rows && !status; i++) {
        int64_t from = order[i];
        while (from < i) /* it was swapped away */
            from = order[from];
        swap_points(bounds, i, from);
    }
    return status;
}

void lower_bounds_free(lower_bounds *bounds)
{
    orthant_matrix_free(bounds->points);
    memory_free(bounds->ctx, bounds->order);
    memory_free(bounds->ctx, bounds->slack);
    memory_free(bounds->ctx, bounds->codes);
    memory_free(bounds->ctx, bounds->code_error);
    *bounds = (lower_bounds){.ctx = bounds->ctx};
}
