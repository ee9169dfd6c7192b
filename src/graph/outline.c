#include "graph/outline.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "graph/select.h"
#include "kernel/kernel.h"

#define DIRECTIONS (OUTLINE_COORDINATES - 1)
#define FEWEST_SAMPLES 4000
/* Bytes of a sample: its outline and slack are then no more than an eighth of it. */
#define FEWEST_BYTES (8 * (OUTLINE_COORDINATES * sizeof(float) + 2 * sizeof(double)))
#define MOST_FEATURES 8192
#define MOST_LEARNT 1024         /* samples that the directions are found from */
#define LEARNT_ENTRIES (1 << 21) /* and their entries */
#define ROUNDS 3                 /* of subspace iteration */
#define PROBES 8
/* A comparison of two samples takes as long as some ten products of a tile, and before the
 * neighbours are found their limits are wide: with more pairs than this, products of the samples
 * themselves are faster. */
#define MOST_PASSING 0.02
#define BLOCK 16    /* samples of a task */
#define TOGETHER 64 /* outlines whose order does not matter */

typedef struct learning {
    const kernels *k; /* double */
    int64_t features;
    orthant_matrix *learnt;     /* samples x features, without their mean */
    orthant_matrix *directions; /* features x DIRECTIONS */
    orthant_matrix *products;   /* samples x DIRECTIONS */
    double *rows;               /* DIRECTIONS x features: the directions, to be made orthonormal */
    double *mean;
} learning;

/* ---- directions ---- */

static array direction(const learning *l, int64_t i)
{
    const int64_t m = l->features;
    return (array){l->rows + i * m, 1, m, m};
}

/* Gram and Schmidt, each twice. What lies in the span of the others becomes 0. */
static void make_orthonormal(learning *l)
{
    orthant_matrix *Q = l->directions;
    const int64_t m = Q->rows;
    for (int64_t i = 0; i < DIRECTIONS; i++) {
        const array mine = direction(l, i);
        for (int64_t f = 0; f < m; f++)
            l->rows[i * m + f] = ((double *)Q->values)[f * Q->stride + i];
        const double before = l->k->dot(mine, mine);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t j = 0; j < i; j++)
                l->k->add(mine, -l->k->dot(mine, direction(l, j)), direction(l, j));
        const double square = l->k->dot(mine, mine);
        const double scale = square > 1e-16 * before ? 1 / sqrt(square) : 0;
        for (int64_t f = 0; f < m; f++) {
            l->rows[i * m + f] *= scale;
            ((double *)Q->values)[f * Q->stride + i] = l->rows[i * m + f];
        }
    }
}

/* The largest entry of Q'Q - I, where a direction of 0 counts as good. */
static double defect(const learning *l)
{
    double largest = 0;
    for (int64_t i = 0; i < DIRECTIONS; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double dot = l->k->dot(direction(l, i), direction(l, j));
            largest = fmax(largest, i == j && dot > 0.5 ? fabs(dot - 1) : fabs(dot));
        }
    return largest;
}

static void find_directions(learning *l)
{
    const array T = matrix_array(l->learnt), Q = matrix_array(l->directions),
                Y = matrix_array(l->products);
    for (int64_t i = 0; i < l->products->rows; i++)
        for (int64_t j = 0; j < DIRECTIONS; j++)
            matrix_set_value(l->products, i * l->products->stride + j,
                             random_uniform(0, RANDOM_SUBSPACE, (uint64_t)i, (uint64_t)j) - 0.5);
    for (int round = 0; round < ROUNDS; round++) {
        if (round)
            l->k->product(Y, T, Q, false);
        l->k->product_transposed(Q, T, Y, false);
        make_orthonormal(l);
    }
}

static orthant_status learn(orthant_context *ctx, const orthant_matrix *samples, learning *l)
{
    const int64_t n = samples->rows, m = samples->columns;
    int64_t count = LEARNT_ENTRIES / m < MOST_LEARNT ? LEARNT_ENTRIES / m : MOST_LEARNT;
    count = count < n / 20 ? count : n / 20;
    *l = (learning){.k = kernel_table(ORTHANT_DOUBLE), .features = m};
    l->mean = memory_new(ctx, m, sizeof *l->mean, "the mean of the samples");
    l->rows = memory_new(ctx, DIRECTIONS * m, sizeof *l->rows, "directions");
    if (!l->mean || !l->rows)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = matrix_new_dense(ctx, ORTHANT_DOUBLE, count, m, &l->learnt);
    if (!status)
        status = matrix_new_factor(ctx, ORTHANT_DOUBLE, m, DIRECTIONS, &l->directions);
    if (!status)
        status = matrix_new_factor(ctx, ORTHANT_DOUBLE, count, DIRECTIONS, &l->products);
    if (status)
        return status;
    kernel_table(samples->precision)->column_sums(matrix_array(samples), l->mean);
    for (int64_t f = 0; f < m; f++)
        l->mean[f] /= (double)n;
    for (int64_t i = 0; i < count; i++) {
        double *row = (double *)l->learnt->values + i * l->learnt->stride;
        matrix_copy_row(samples, i * n / count, row);
        for (int64_t f = 0; f < m; f++)
            row[f] -= l->mean[f];
    }
    find_directions(l);
    orthant_matrix_free(l->learnt);
    orthant_matrix_free(l->products);
    l->learnt = l->products = NULL;
    return ORTHANT_OK;
}

static void unlearn(orthant_context *ctx, learning *l)
{
    orthant_matrix_free(l->learnt);
    orthant_matrix_free(l->directions);
    orthant_matrix_free(l->products);
    memory_free(ctx, l->rows);
    memory_free(ctx, l->mean);
}

/* ---- outlines of all samples ---- */

typedef struct drawing {
    const learning *l;
    const orthant_matrix *samples;
    outline *o;
    double *scratch; /* threads x BLOCK x (features + coordinates) */
    double rounding; /* of a coordinate, by the sample's length */
} drawing;

static void draw_block(void *user, int64_t block, int thread)
{
    const drawing *d = user;
    const orthant_matrix *X = d->samples, *Q = d->l->directions;
    const int64_t m = X->columns, first = block * BLOCK;
    const int64_t rows = X->rows - first < BLOCK ? X->rows - first : BLOCK;
    double *x = d->scratch + thread * BLOCK * (m + Q->stride), *y = x + BLOCK * m;
    for (int64_t i = 0; i < rows; i++) {
        matrix_copy_row(X, first + i, x + i * m);
        for (int64_t f = 0; f < m; f++)
            x[i * m + f] -= d->l->mean[f];
    }
    d->l->k->product((array){y, rows, DIRECTIONS, Q->stride}, (array){x, rows, m, m},
                     matrix_array(Q), false);
    for (int64_t i = 0; i < rows; i++) {
        const array row = {x + i * m, 1, m, m};
        const double square = d->l->k->dot(row, row);
        float *to = (float *)d->o->points->values + (first + i) * d->o->points->stride;
        double seen = 0;
        for (int64_t j = 0; j < DIRECTIONS; j++) {
            const double value = y[i * Q->stride + j];
            to[j] = (float)value;
            seen += value * value;
        }
        to[DIRECTIONS] = (float)sqrt(fmax(square - seen, 0));
        d->o->slack[first + i] = d->rounding * sqrt(square);
    }
}

/* With coordinates off by e |x| the square of what is left is off by 2 e |x|^2, and the root of
 * that by no more than sqrt(2 e) |x|; then everything is rounded to single precision. */
static double rounding_of(const learning *l)
{
    const double m = (double)l->features, d = DIRECTIONS;
    const double e = 4 * sqrt(d) * (m + 16) * 0x1p-53 + d * defect(l);
    return 2 * e + sqrt(4 * e) + 0x1p-21;
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
    const int64_t n = d->samples->rows, room = d->samples->columns + d->l->directions->stride;
    outline *o = d->o;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    d->scratch = memory_new(ctx, parallel_threads(ctx) * BLOCK * room, sizeof *d->scratch,
                            "outlines of samples");
    o->slack = memory_new(ctx, n, sizeof *o->slack, "outlines of samples");
    if (d->scratch && o->slack)
        status = matrix_new_dense(ctx, ORTHANT_SINGLE, n, OUTLINE_COORDINATES, &o->points);
    if (!status)
        parallel_for(ctx, (n + BLOCK - 1) / BLOCK, draw_block, d);
    for (int64_t i = 0; i < n && !status; i++)
        o->most_slack = fmax(o->most_slack, o->slack[i]);
    memory_free(ctx, d->scratch);
    return status;
}

orthant_status outline_make(orthant_context *ctx, const orthant_matrix *samples, outline *o)
{
    learning l;
    drawing d = {.l = &l, .samples = samples, .o = o};
    *o = (outline){.ctx = ctx};
    orthant_status status = learn(ctx, samples, &l);
    const bool good = !status && defect(&l) < 1e-9;
    if (good)
        d.rounding = rounding_of(&l);
    memory_free(ctx, l.rows);
    l.rows = NULL;
    if (good)
        status = draw_all(ctx, &d);
    unlearn(ctx, &l);
    if (status)
        outline_free(o);
    return status;
}

/* ---- how much they tell ---- */

typedef struct probing {
    const orthant_matrix *of;
    double *probes;    /* PROBES x columns */
    double *distances; /* rows x PROBES */
} probing;

static int64_t probe(const orthant_matrix *of, int64_t q)
{
    return q * of->rows / PROBES;
}

static void probe_block(void *user, int64_t block, int thread)
{
    const probing *p = user;
    const kernels *k = kernel_table(p->of->precision);
    const int64_t first = block * BLOCK;
    const int64_t rows = p->of->rows - first < BLOCK ? p->of->rows - first : BLOCK;
    (void)thread;
    k->row_distances(array_rows(k, matrix_array(p->of), first, rows), p->probes, PROBES,
                     p->distances + first * PROBES);
}

/* Of every row to each of the probes. */
static orthant_status measure_probes(orthant_context *ctx, const orthant_matrix *of,
                                     double *distances)
{
    probing p = {.of = of, .distances = distances};
    p.probes = memory_new(ctx, PROBES * of->columns, sizeof *p.probes, "samples");
    if (!p.probes)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t q = 0; q < PROBES; q++)
        matrix_copy_row(of, probe(of, q), p.probes + q * of->columns);
    parallel_for(ctx, (of->rows + BLOCK - 1) / BLOCK, probe_block, &p);
    memory_free(ctx, p.probes);
    return ORTHANT_OK;
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

orthant_status outline_tells(const outline *o, const orthant_matrix *samples, int64_t count,
                             bool *tells)
{
    orthant_context *ctx = o->ctx;
    const int64_t n = samples->rows;
    double limits[PROBES] = {0}, passing = 0;
    double *distances = memory_new(ctx, n * PROBES, sizeof *distances, "distances");
    double *nearest = memory_new(ctx, count, sizeof *nearest, "distances");
    orthant_status status =
        distances && nearest ? measure_probes(ctx, samples, distances) : ORTHANT_ERROR_MEMORY;
    *tells = false;
    for (int64_t q = 0; q < PROBES && !status; q++) {
        const double reach =
            sqrt(last_neighbour(samples, distances, q, count, nearest)) + 2 * o->most_slack;
        limits[q] = reach * reach;
    }
    if (!status)
        status = measure_probes(ctx, o->points, distances);
    for (int64_t e = 0; e < n * PROBES && !status; e++)
        passing += distances[e] <= limits[e % PROBES];
    *tells = !status && passing <= MOST_PASSING * (double)(n * PROBES);
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
    float *mine = (float *)o->points->values + i * o->points->stride,
          *other = (float *)o->points->values + j * o->points->stride;
    const double slack = o->slack[i];
    const int32_t sample = o->order[i];
    memcpy(row, mine, sizeof row);
    memmove(mine, other, sizeof row);
    memcpy(other, row, sizeof row);
    o->slack[i] = o->slack[j];
    o->slack[j] = slack;
    o->order[i] = o->order[j];
    o->order[j] = sample;
}

/* The coordinate along which a range of outlines spreads most. */
static int64_t widest(const outline *o, int64_t first, int64_t end)
{
    const kernels *k = kernel_table(ORTHANT_SINGLE);
    const array range = array_rows(k, matrix_array(o->points), first, end - first);
    double sums[OUTLINE_COORDINATES] = {0}, squares[OUTLINE_COORDINATES] = {0}, most = -1;
    int64_t found = 0;
    k->column_sums(range, sums);
    k->column_squares(range, squares);
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
    const int64_t middle = first + (end - first) / 2;
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
    *o = (outline){.ctx = o->ctx};
}
