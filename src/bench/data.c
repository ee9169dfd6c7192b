/* Synthetic data of the standard shapes: pictures, text, points and regions, the same for any
 * number of threads. */
#include <math.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "data/matrix.h"

#define ROWS_OF_A_TASK 64
#define PARTS_OF_A_SAMPLE 4

typedef struct making {
    orthant_matrix *X;
    bench_size size;
    const float *parts; /* parts x features */
} making;

static double draw(uint64_t seed, int64_t row, int64_t column)
{
    return random_uniform(seed, RANDOM_TEST, (uint64_t)row, (uint64_t)column);
}

static int64_t draw_below(uint64_t seed, int64_t row, int64_t column, int64_t bound)
{
    return (int64_t)random_below(seed, RANDOM_TEST, (uint64_t)row, (uint64_t)column,
                                 (uint64_t)bound);
}

/* Every part lies on a stretch of the features, as a stroke does on some pixels. */
static orthant_status make_parts(orthant_context *ctx, bench_size size, float **parts)
{
    const int64_t stretch = size.features / 8 + 1;
    *parts = memory_new(ctx, size.parts * size.features, sizeof **parts, "parts");
    for (int64_t p = 0; p < size.parts && *parts; p++) {
        const int64_t first = draw_below(1, p, 0, size.features);
        for (int64_t l = 0; l < stretch; l++)
            (*parts)[p * size.features + (first + l) % size.features] = (float)draw(2, p, l);
    }
    return *parts ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* A few parts with weights, and noise where they are: most entries of a digit are zero. */
static void mix_row(const making *m, int64_t i)
{
    float *row = (float *)m->X->values + i * m->X->stride;
    for (int64_t c = 0; c < PARTS_OF_A_SAMPLE; c++) {
        const float *part = m->parts + draw_below(3, i, c, m->size.parts) * m->size.features;
        const float weight = (float)(0.2 + draw(4, i, c));
        for (int64_t l = 0; l < m->size.features; l++)
            row[l] += weight * part[l];
    }
    for (int64_t l = 0; l < m->size.features; l++)
        if (row[l] > 0)
            row[l] *= (float)(0.8 + 0.4 * draw(5, i, l));
}

static int64_t tasks_of(int64_t rows)
{
    return (rows + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK;
}

static int64_t task_end(int64_t task, int64_t rows)
{
    return rows - task * ROWS_OF_A_TASK < ROWS_OF_A_TASK ? rows : (task + 1) * ROWS_OF_A_TASK;
}

static void mix_rows(void *user, int64_t task, int thread)
{
    const making *m = user;
    (void)thread;
    for (int64_t i = task * ROWS_OF_A_TASK; i < task_end(task, m->X->rows); i++)
        mix_row(m, i);
}

orthant_status bench_pictures(orthant_context *ctx, bench_size size, orthant_matrix **X)
{
    float *parts = NULL;
    making m = {.size = size};
    *X = NULL;
    orthant_status status =
        matrix_new_dense(ctx, ORTHANT_SINGLE, size.samples, size.features, &m.X);
    if (!status)
        status = make_parts(ctx, size, &parts);
    m.parts = parts;
    if (!status)
        parallel_for(ctx, tasks_of(size.samples), mix_rows, &m);
    memory_free(ctx, parts);
    if (status)
        orthant_matrix_free(m.X);
    else
        *X = m.X;
    return status;
}

/* ---- text ---- */

/* Documents of uneven length that add up to what is asked for. */
static void measure_documents(const bench_size *size, int64_t *start)
{
    double whole = 0, part = 0;
    for (int64_t i = 0; i < size->samples; i++)
        whole += 0.2 + 1.6 * draw(6, i, 0);
    for (int64_t i = 0; i < size->samples; i++) {
        start[i] = (int64_t)(part / whole * (double)size->stored);
        part += 0.2 + 1.6 * draw(6, i, 0);
    }
    start[size->samples] = size->stored;
}

/* Words rise, and the first are the most frequent; a document's topic says how often each comes. */
static void write_document(const making *m, int64_t i)
{
    const int64_t first = m->X->row_start[i], count = m->X->row_start[i + 1] - first;
    const int64_t words = m->X->columns, topic = draw_below(7, i, 0, m->size.parts);
    for (int64_t e = 0, last = -1; e < count; e++) {
        const double u = ((double)e + draw(8, i, e)) / (double)count;
        int64_t word = (int64_t)(pow(u, 2.5) * (double)words);
        word = word > last ? word : last + 1;
        word = word > words - (count - e) ? words - (count - e) : word;
        m->X->column[first + e] = (int32_t)word;
        ((float *)m->X->values)[first + e] = (float)(1 + floor(8 * pow(draw(9, topic, word), 6)));
        last = word;
    }
}

static void write_documents(void *user, int64_t task, int thread)
{
    const making *m = user;
    (void)thread;
    for (int64_t i = task * ROWS_OF_A_TASK; i < task_end(task, m->X->rows); i++)
        write_document(m, i);
}

orthant_status bench_text(orthant_context *ctx, bench_size size, orthant_matrix **X)
{
    making m = {.size = size};
    *X = NULL;
    const orthant_status status =
        matrix_new_sparse(ctx, ORTHANT_SINGLE, size.samples, size.features, size.stored, &m.X);
    if (status)
        return status;
    measure_documents(&size, m.X->row_start);
    parallel_for(ctx, tasks_of(size.samples), write_documents, &m);
    *X = m.X;
    return ORTHANT_OK;
}

/* ---- points and regions ---- */

orthant_status bench_points(orthant_context *ctx, bench_size size, orthant_matrix **X)
{
    const orthant_status status =
        matrix_new_dense(ctx, ORTHANT_SINGLE, size.samples, size.features, X);
    for (int64_t e = 0; !status && e < size.samples * size.features; e++) {
        const int64_t i = e / size.features, l = e % size.features;
        matrix_set_value(*X, e,
                         draw(10, i % size.parts, l) +
                             0.5 * random_normal(11, RANDOM_TEST, (uint64_t)e, 0));
    }
    return status;
}

#define MOST_NEIGHBOURS 8

/* Regions lie on a grid whose cells are cut by a random diagonal: planar, six neighbours a node on
 * average, degrees from 2 to 8. */
static bool touch(int64_t i, int64_t j, int64_t width)
{
    const int64_t x = i % width, y = i / width, u = j % width, v = j / width;
    const int64_t across = llabs(x - u), down = llabs(y - v);
    if (across + down == 1)
        return true;
    if (across != 1 || down != 1)
        return false;
    const int64_t corner = (y < v ? y : v) * width + (x < u ? x : u);
    return (draw(12, corner, 0) < 0.5) == ((x < u) == (y < v));
}

static orthant_status touching_regions(orthant_context *ctx, int64_t nodes, int64_t width,
                                       orthant_graph **graph)
{
    orthant_matrix *A = NULL;
    int64_t count = 0;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t *start = memory_new(ctx, nodes + 1, sizeof *start, "a graph");
    int64_t *column = memory_new(ctx, MOST_NEIGHBOURS * nodes, sizeof *column, "a graph");
    double *value = memory_new(ctx, MOST_NEIGHBOURS * nodes, sizeof *value, "a graph");
    if (!start || !column || !value)
        goto done;
    for (int64_t i = 0; i < nodes; i++) {
        for (int64_t down = -1; down <= 1; down++)
            for (int64_t across = -1; across <= 1; across++) {
                const int64_t j = i + down * width + across;
                if (j != i && j >= 0 && j < nodes && touch(i, j, width)) {
                    column[count] = j;
                    value[count++] = 1;
                }
            }
        start[i + 1] = count;
    }
    status = orthant_matrix_create_csr(ctx, nodes, nodes, start, column, value, &A);
    if (!status)
        status = orthant_graph_from_matrix(ctx, A, graph);
done:
    orthant_matrix_free(A);
    memory_free(ctx, start);
    memory_free(ctx, column);
    memory_free(ctx, value);
    return status;
}

orthant_status bench_regions(orthant_context *ctx, bench_size size, orthant_matrix **X,
                             orthant_graph **graph)
{
    const int64_t width = (int64_t)ceil(sqrt((double)size.samples));
    *graph = NULL;
    orthant_status status = matrix_new_dense(ctx, ORTHANT_SINGLE, size.samples, size.features, X);
    for (int64_t e = 0; !status && e < size.samples * size.features; e++) {
        const int64_t i = e / size.features, l = e % size.features;
        const int64_t segment = i % width * size.parts / width;
        matrix_set_value(*X, e,
                         0.3 * draw(13, i, l) + 0.3 * (double)(1 + segment) * (double)(1 + l % 2));
    }
    if (!status)
        status = touching_regions(ctx, size.samples, width, graph);
    if (status) {
        orthant_matrix_free(*X);
        *X = NULL;
    }
    return status;
}
