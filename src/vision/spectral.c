/* Rolling integral histograms: of each column of the picture the counts of the bins in the rows of
 * the window are kept, rows being added below and taken away above as the window goes down; their
 * sums from the left give every window of that row as a difference of two. That is what a
 * cumulative picture for each bin would give, without the memory for one. */
#include "vision/spectral.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"

#define STRIP 32 /* rows of the lattice in a task */

lattice lattice_create(int height, int width, int step)
{
    return (lattice){step, (height + step - 1) / step, (width + step - 1) / step};
}

lattice lattice_bounded(int height, int width, int step)
{
    while ((int64_t)height * width / ((int64_t)step * step) > LATTICE_MOST)
        step++;
    return lattice_create(height, width, step);
}

int64_t lattice_nodes(const lattice *l)
{
    return (int64_t)l->rows * l->columns;
}

typedef struct counting {
    const band_set *bands;
    const lattice *nodes;
    int radius, strips;
    orthant_matrix *histograms;
    int32_t *columns; /* a thread: width x bins */
    int32_t *sums;    /* a thread: (width + 1) x bins */
} counting;

static void count_row(const counting *c, const uint8_t *bin, int y, int32_t change,
                      int32_t *columns)
{
    const int width = c->bands->width, bins = c->bands->bins;
    const uint8_t *row = bin + (int64_t)y * width;
    for (int x = 0; x < width; x++)
        columns[x * (int64_t)bins + row[x]] += change;
}

static void sum_from_left(const counting *c, const int32_t *columns, int32_t *sums)
{
    const int bins = c->bands->bins;
    const int64_t entries = (int64_t)c->bands->width * bins;
    memset(sums, 0, (size_t)bins * sizeof *sums);
    for (int64_t i = 0; i < entries; i++)
        sums[i + bins] = sums[i] + columns[i];
}

/* The histograms of one band along one row of the lattice. */
static void write_row(const counting *c, int band, int row, int tall, const int32_t *sums)
{
    const int bins = c->bands->bins, width = c->bands->width;
    const orthant_matrix *h = c->histograms;
    float *to =
        (float *)h->values + (int64_t)row * c->nodes->columns * h->stride + (int64_t)band * bins;
    for (int i = 0; i < c->nodes->columns; i++, to += h->stride) {
        const int x = lattice_place(c->nodes, i, width);
        const int64_t left = x > c->radius ? x - c->radius : 0;
        const int64_t right = width - x > c->radius + 1 ? x + c->radius + 1 : width;
        const double share = 1.0 / ((double)(right - left) * tall);
        for (int j = 0; j < bins; j++)
            to[j] = (float)(share * (sums[right * bins + j] - sums[left * bins + j]));
    }
}

static void count_strip(void *user, int64_t task, int thread)
{
    const counting *c = user;
    const band_set *b = c->bands;
    const int band = (int)(task / c->strips), first = (int)(task % c->strips) * STRIP;
    const int end = first + STRIP < c->nodes->rows ? first + STRIP : c->nodes->rows;
    const uint8_t *bin = b->bin + (int64_t)band * b->height * b->width;
    const int64_t entries = (int64_t)b->width * b->bins;
    int32_t *columns = c->columns + thread * entries;
    int32_t *sums = c->sums + thread * (entries + b->bins);
    int top = 0, bottom = 0; /* rows that the columns count */
    memset(columns, 0, (size_t)entries * sizeof *columns);
    for (int row = first; row < end; row++) {
        const int y = lattice_place(c->nodes, row, b->height);
        const int from = y > c->radius ? y - c->radius : 0;
        const int to = b->height - y > c->radius + 1 ? y + c->radius + 1 : b->height;
        if (row == first || from >= bottom) {
            memset(columns, 0, (size_t)entries * sizeof *columns);
            top = bottom = from;
        }
        for (; top < from; top++)
            count_row(c, bin, top, -1, columns);
        for (; bottom < to; bottom++)
            count_row(c, bin, bottom, 1, columns);
        sum_from_left(c, columns, sums);
        write_row(c, band, row, to - from, sums);
    }
}

orthant_status spectral_histograms(const band_set *bands, const lattice *nodes, int window,
                                   orthant_matrix **histograms)
{
    orthant_context *ctx = bands->ctx;
    counting c = {.bands = bands, .nodes = nodes, .radius = window / 2};
    c.strips = (nodes->rows + STRIP - 1) / STRIP;
    const int64_t tasks = (int64_t)c.strips * bands->bands;
    const int64_t entries = (int64_t)bands->width * bands->bins;
    const int64_t threads = parallel_threads(ctx) < tasks ? parallel_threads(ctx) : tasks;
    orthant_status status = matrix_new_factor(ctx, ORTHANT_SINGLE, lattice_nodes(nodes),
                                              (int64_t)bands->bands * bands->bins, histograms);
    if (status)
        return status;
    c.histograms = *histograms;
    c.columns = memory_new(ctx, threads * entries, sizeof *c.columns, "counts of bins");
    c.sums = memory_new(ctx, threads * (entries + bands->bins), sizeof *c.sums, "counts of bins");
    if (c.columns && c.sums) {
        parallel_for(ctx, tasks, count_strip, &c);
    } else {
        status = ORTHANT_ERROR_MEMORY;
        orthant_matrix_free(*histograms);
        *histograms = NULL;
    }
    memory_free(ctx, c.columns);
    memory_free(ctx, c.sums);
    return status;
}
