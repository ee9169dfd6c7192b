#include "graph/outline.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "graph/directions.h"
#include "graph/select.h"
#include "kernel/kernel.h"

#define FIRST (OUTLINE_COORDINATES - 1)          /* directions of the outline */
#define DIRECTIONS (FIRST + OUTLINE_DETAILS - 1) /* and of the details */
#define MOST_STEPS 127                           /* of a detail */
#define STEPS_OF_SIZE (MOST_STEPS / 5.0)         /* of their usual size */
#define FEWEST_SAMPLES 4000
/* Bytes of a sample: its outline and slack are then no more than an eighth of it. */
#define FEWEST_BYTES \
    (8 * (OUTLINE_COORDINATES * sizeof(float) + OUTLINE_DETAILS + 2 * sizeof(double) + 4))
#define MOST_FEATURES 8192
#define PROBES 8
/* Of all pairs, those that are near by their outlines, and CLOSER times those that are near by
 * their details too, whose samples are compared: with more than this, as limits are wide before the
 * neighbours are found, products of the samples themselves are faster. */
#define CLOSER 8
#define MOST_NEAR 0.16
#define MOST_OFF 8  /* times what the coordinates are, the rest may be off */
#define BLOCK 32    /* samples of a task */
#define PIECE 64    /* features whose products are added at a time */
#define TOGETHER 64 /* outlines whose order does not matter */

/* ---- outlines of all samples ---- */

typedef struct drawing {
    directions directions;
    const orthant_matrix *samples;
    outline *o;
    char *scratch; /* a thread's: samples, two arrays of products, and some in double */
    int64_t scratch_bytes;
    double rounding; /* of the coordinates, by the sample's length */
    double rest;     /* the usual length of what all directions leave */
} drawing;

/* Coordinates are sums over pieces, and these of products, of rounded samples with rounded
 * directions that are not quite orthonormal. */
static double rounding_of(const directions *d)
{
    const double unit = d->ops->size == sizeof(double) ? 0x1p-53 : 0x1p-24;
    const double count = (double)d->count;
    const double sums = PIECE + (double)(d->Q->rows / PIECE) + 16;
    return sqrt(count) * sums * unit + count * d->defect;
}

/* A sample that is drawn. */
typedef struct sitter {
    array x;                   /* shifted */
    const double *coordinates; /* along all directions */
    double square, length;     /* of the sample */
    double *work;              /* twice the features */
} sitter;

/* The length of what some directions leave of a sample, and how far that may be off. With
 * coordinates y that are off by e |x| the square |x|^2 - |y|^2 is off by no more than 2 |y| e |x| +
 * e^2 |x|^2. Where little is left that is too much; |x - Q y| is off by e |x|, and by what rounding
 * Q makes. */
static double length_left(const drawing *d, const sitter *x, int64_t count, double seen,
                          double *off)
{
    const kernels *ops = d->directions.ops;
    const int64_t m = d->samples->columns;
    const double e = d->rounding * x->length, left = sqrt(fmax(x->square - seen, 0));
    const double moved = 2 * e * sqrt(seen) + e * e;
    double total = 0;
    *off = left > 0 ? moved / left : 0;
    if (moved <= MOST_OFF * e * left)
        return left;
    ops->get_values(x->x, x->work);
    ops->vector_product(array_columns(ops, matrix_array(d->directions.Q), 0, count), x->coordinates,
                        x->work + m);
    for (int64_t f = 0; f < m; f++)
        total += (x->work[f] - x->work[m + f]) * (x->work[f] - x->work[m + f]);
    *off = 2 * e;
    return sqrt(total);
}

/* Rounds a detail to steps; the square of what that moves it by, in steps. */
static double draw_detail(double steps, int8_t *to)
{
    const double cut = fmax(fmin(steps, MOST_STEPS), -MOST_STEPS);
    *to = (int8_t)(cut < 0 ? cut - 0.5 : cut + 0.5);
    return (steps - *to) * (steps - *to);
}

static void draw_sample(const drawing *d, int64_t i, const sitter *x)
{
    outline *o = d->o;
    float *to = (float *)o->points->values + i * o->points->stride;
    int8_t *details = o->details + i * OUTLINE_DETAILS;
    const double *coordinates = x->coordinates;
    /* What all coordinates may be off by, single precision and numbers near zero counted in. */
    const double off = (d->rounding + 0x1p-21) * x->length + 1e-36;
    double seen = 0, moved = 0, rest_off;
    for (int64_t j = 0; j < FIRST; j++) {
        to[j] = (float)coordinates[j];
        seen += coordinates[j] * coordinates[j];
    }
    to[FIRST] = (float)length_left(d, x, FIRST, seen, &rest_off);
    o->slack[i] = off + rest_off;
    for (int64_t j = FIRST; j < DIRECTIONS; j++) {
        seen += coordinates[j] * coordinates[j];
        moved += draw_detail(coordinates[j] / o->step, details + j - FIRST);
    }
    const double rest = length_left(d, x, DIRECTIONS, seen, &rest_off) - d->rest;
    moved += draw_detail(rest / o->step, details + DIRECTIONS - FIRST);
    o->blur[i] = nextafterf((float)(sqrt(moved) + (off + rest_off) / o->step), INFINITY);
}

/* Some samples, shifted, and their coordinates, in a thread's scratch. */
typedef struct group {
    array x;
    double *coordinates, *work;
} group;

/* `rows` of them, from `first` on every `apart`-th. */
static group project(const drawing *d, int64_t first, int64_t apart, int64_t rows, int thread)
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

static void draw_block(void *user, int64_t block, int thread)
{
    const drawing *d = user;
    const kernels *ops = d->directions.ops;
    const int64_t first = block * BLOCK;
    const int64_t rows = d->samples->rows - first < BLOCK ? d->samples->rows - first : BLOCK;
    const group g = project(d, first, 1, rows, thread);
    for (int64_t i = 0; i < rows; i++) {
        const array row = array_rows(ops, g.x, i, 1);
        const double square = ops->dot(row, row);
        draw_sample(d, first + i,
                    &(sitter){row, g.coordinates + i * DIRECTIONS, square, sqrt(square), g.work});
    }
}

/* Steps by the usual size of a detail, from a few samples. */
static void choose_step(drawing *d)
{
    const kernels *ops = d->directions.ops;
    const int64_t n = d->samples->rows, count = n < BLOCK ? n : BLOCK, apart = n / count;
    const group g = project(d, apart / 2, apart, count, 0);
    double details = 0, rests = 0, squares = 0, all = 0;
    for (int64_t i = 0; i < count; i++) {
        const array row = array_rows(ops, g.x, i, 1);
        const double square = ops->dot(row, row);
        double seen = 0;
        for (int64_t j = 0; j < DIRECTIONS; j++) {
            const double along = g.coordinates[i * DIRECTIONS + j];
            seen += along * along;
            details += j < FIRST ? 0 : along * along;
        }
        all += square;
        squares += fmax(square - seen, 0);
        rests += sqrt(fmax(square - seen, 0));
    }
    d->rest = rests / (double)count;
    details += fmax(squares - rests * d->rest, 0);
    d->o->step = sqrt(details / (double)(count * OUTLINE_DETAILS) + 1e-18 * all / (double)count) /
                     STEPS_OF_SIZE +
                 1e-30;
}

bool outline_suits(const orthant_matrix *samples)
{
    const int64_t m = samples->columns;
    if (samples->sparse || samples->rows < FEWEST_SAMPLES || m > MOST_FEATURES ||
        (size_t)m * precision_size(samples->precision) < FEWEST_BYTES)
        return false;
    const double largest = matrix_largest(samples);
    return largest > 1e-12 && largest < 1e12;
}

static orthant_status draw_all(orthant_context *ctx, drawing *d)
{
    const int64_t n = d->samples->rows, size = (int64_t)d->directions.ops->size;
    const int64_t numbers = d->samples->columns + 2 * d->directions.Q->stride;
    outline *o = d->o;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    d->scratch_bytes = BLOCK * numbers * size +
                       (BLOCK * DIRECTIONS + 2 * d->samples->columns) * (int64_t)sizeof(double);
    d->scratch_bytes += MEMORY_ALIGNMENT - d->scratch_bytes % MEMORY_ALIGNMENT;
    d->scratch =
        memory_new(ctx, parallel_threads(ctx), (size_t)d->scratch_bytes, "outlines of samples");
    o->slack = memory_new(ctx, n, sizeof *o->slack, "outlines of samples");
    o->details = memory_new(ctx, n, OUTLINE_DETAILS, "outlines of samples");
    o->blur = memory_new(ctx, n, sizeof *o->blur, "outlines of samples");
    if (d->scratch && o->slack && o->details && o->blur)
        status = matrix_new_dense(ctx, ORTHANT_SINGLE, n, OUTLINE_COORDINATES, &o->points);
    if (!status) {
        choose_step(d);
        parallel_for(ctx, (n + BLOCK - 1) / BLOCK, draw_block, d);
    }
    for (int64_t i = 0; i < n && !status; i++)
        o->most_slack = fmax(o->most_slack, o->slack[i]);
    memory_free(ctx, d->scratch);
    return status;
}

orthant_status outline_make(orthant_context *ctx, const orthant_matrix *samples, outline *o)
{
    drawing d = {.samples = samples, .o = o};
    *o = (outline){.ctx = ctx};
    orthant_status status = directions_find(ctx, samples, DIRECTIONS, &d.directions);
    if (!status && d.directions.defect < 1e-9) {
        d.rounding = rounding_of(&d.directions);
        status = draw_all(ctx, &d);
    }
    directions_free(&d.directions);
    if (status)
        outline_free(o);
    return status;
}

/* ---- how much they tell ---- */

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

/* The distance of the count-th neighbour of a probe; `nearest` has room for them. */
static double last_neighbour(const orthant_matrix *samples, const double *distances, int64_t q,
                             int64_t count, double *nearest)
{
    int64_t found = 0;
    for (int64_t i = 0; i < samples->rows; i++) {
        const double distance = distances[i * PROBES + q];
        if (i == probe(samples, q) || (found == count && distance >= nearest[count - 1]))
            continue;
        int64_t place = found < count ? found++ : count - 1;
        for (; place > 0 && nearest[place - 1] > distance; place--)
            nearest[place] = nearest[place - 1];
        nearest[place] = distance;
    }
    return nearest[found - 1];
}

/* Whether what is near a probe by its outline is near by its details too. */
static bool still_near(const outline *o, int64_t i, int64_t j, double distance, double limit)
{
    const float *rests = (const float *)o->points->values + FIRST;
    const int64_t stride = o->points->stride;
    const int32_t place = 0;
    const double rest = (double)rests[i * stride] - (double)rests[j * stride];
    int32_t steps;
    kernel_table(ORTHANT_SINGLE)
        ->byte_distances(o->details + i * OUTLINE_DETAILS, o->details + j * OUTLINE_DETAILS,
                         OUTLINE_DETAILS, &place, 1, &steps);
    const double apart = sqrt((double)steps) - (double)o->blur[i] - (double)o->blur[j];
    const double details = o->step * fmax(apart, 0);
    return distance - rest * rest + details * details <= limit;
}

orthant_status outline_tells(const outline *o, const orthant_matrix *samples, int64_t count,
                             bool *tells)
{
    orthant_context *ctx = o->ctx;
    const int64_t n = samples->rows;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    double limits[PROBES], near = 0;
    double *distances = memory_new(ctx, n * PROBES, sizeof *distances, "distances");
    double *nearest = memory_new(ctx, count, sizeof *nearest, "distances");
    *tells = false;
    if (!distances || !nearest)
        goto done;
    measure_probes(ctx, samples, distances);
    for (int64_t q = 0; q < PROBES; q++) {
        const double reach =
            sqrt(last_neighbour(samples, distances, q, count, nearest)) + 2 * o->most_slack;
        limits[q] = reach * reach;
    }
    measure_probes(ctx, o->points, distances);
    for (int64_t e = 0; e < n * PROBES; e++) {
        const int64_t q = e % PROBES;
        if (distances[e] <= limits[q])
            near += still_near(o, probe(samples, q), e / PROBES, distances[e], limits[q])
                        ? 1 + CLOSER
                        : 1;
    }
    *tells = near <= MOST_NEAR * (double)(n * PROBES);
    status = ORTHANT_OK;
done:
    memory_free(ctx, nearest);
    memory_free(ctx, distances);
    return status;
}

/* ---- near ones together ---- */

static double coordinate(const void *of, int64_t place, int64_t along)
{
    const orthant_matrix *points = ((const outline *)of)->points;
    return ((const float *)points->values)[place * points->stride + along];
}

static void swap_outlines(void *of, int64_t i, int64_t j)
{
    outline *o = of;
    float row[OUTLINE_COORDINATES];
    int8_t details[OUTLINE_DETAILS];
    int8_t *my_details = o->details + i * OUTLINE_DETAILS,
           *other_details = o->details + j * OUTLINE_DETAILS;
    const float blur = o->blur[i];
    float *mine = (float *)o->points->values + i * o->points->stride,
          *other = (float *)o->points->values + j * o->points->stride;
    const double slack = o->slack[i];
    const int32_t sample = o->order[i];
    memcpy(row, mine, sizeof row);
    memmove(mine, other, sizeof row);
    memcpy(other, row, sizeof row);
    memcpy(details, my_details, sizeof details);
    memmove(my_details, other_details, sizeof details);
    memcpy(other_details, details, sizeof details);
    o->blur[i] = o->blur[j];
    o->blur[j] = blur;
    o->slack[i] = o->slack[j];
    o->slack[j] = slack;
    o->order[i] = o->order[j];
    o->order[j] = sample;
}

/* The coordinate along which a range of outlines spreads most. */
static int64_t widest(const outline *o, int64_t first, int64_t end)
{
    const kernels *ops = kernel_table(ORTHANT_SINGLE);
    const array range = array_rows(ops, matrix_array(o->points), first, end - first);
    double sums[OUTLINE_COORDINATES] = {0}, squares[OUTLINE_COORDINATES] = {0}, most = -1;
    int64_t found = 0;
    ops->column_sums(range, sums);
    ops->column_squares(range, squares);
    for (int64_t j = 0; j < OUTLINE_COORDINATES; j++) {
        const double spread = squares[j] - sums[j] * sums[j] / (double)(end - first);
        if (spread > most) {
            most = spread;
            found = j;
        }
    }
    return found;
}

static void arrange_range(outline *o, int64_t first, int64_t end)
{
    if (end - first <= TOGETHER)
        return;
    const int64_t middle = first + ((end - first) / 2 + TOGETHER / 2) / TOGETHER * TOGETHER;
    select_place(o, first, end, middle, widest(o, first, end), coordinate, swap_outlines);
    arrange_range(o, first, middle);
    arrange_range(o, middle, end);
}

orthant_status outline_arrange(outline *o)
{
    const int64_t n = o->points->rows;
    o->order = memory_new(o->ctx, n, sizeof *o->order, "outlines of samples");
    if (!o->order)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        o->order[i] = (int32_t)i;
    arrange_range(o, 0, n);
    return ORTHANT_OK;
}

void outline_free(outline *o)
{
    orthant_matrix_free(o->points);
    memory_free(o->ctx, o->order);
    memory_free(o->ctx, o->slack);
    memory_free(o->ctx, o->details);
    memory_free(o->ctx, o->blur);
    *o = (outline){.ctx = o->ctx};
}
