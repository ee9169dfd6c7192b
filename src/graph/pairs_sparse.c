/* Sparse samples: a block's entries listed by feature, so that a sample is multiplied only with the
 * entries that it shares with others. */
#include "graph/pairs.h"

#include <string.h>

/* A thread's scratch: values of the entries, dot products of the block, samples of the entries,
 * features + 1 starts of lists. */
typedef struct postings {
    double *value, *dots;
    int32_t *sample; /* within the block */
    int32_t *start;
} postings;

static postings postings_of(const pairs *p, int thread)
{
    char *scratch = p->scratch + thread * p->scratch_bytes;
    postings list = {.value = (double *)(void *)scratch};
    list.dots = list.value + p->most_entries;
    list.sample = (int32_t *)(void *)(list.dots + p->block);
    list.start = list.sample + p->most_entries;
    return list;
}

int64_t pairs_sparse_scratch(pairs *p)
{
    const int64_t *row_start = p->samples->row_start;
    p->most_entries = 0;
    for (int64_t block = 0; block < p->blocks; block++) {
        const int64_t first = pairs_first(p, block);
        const int64_t entries = row_start[first + pairs_count(p, block)] - row_start[first];
        p->most_entries = entries > p->most_entries ? entries : p->most_entries;
    }
    return (p->most_entries + p->block) * (int64_t)sizeof(double) +
           (p->most_entries + p->samples->columns + 1) * (int64_t)sizeof(int32_t);
}

/* Counting sort of the block's entries by feature; within a feature by sample. */
void pairs_sparse_prepare(const pairs *p, int64_t other, int thread)
{
    const postings list = postings_of(p, thread);
    const orthant_matrix *X = p->samples;
    const int64_t first = pairs_first(p, other), count = pairs_count(p, other);
    int32_t *start = list.start;
    memset(start, 0, (size_t)(X->columns + 1) * sizeof *start);
    for (int64_t e = X->row_start[first]; e < X->row_start[first + count]; e++)
        start[X->column[e] + 1]++;
    for (int64_t l = 0; l < X->columns; l++)
        start[l + 1] += start[l];
    for (int64_t j = 0; j < count; j++)
        for (int64_t e = X->row_start[first + j]; e < X->row_start[first + j + 1]; e++) {
            const int64_t at = start[X->column[e]]++;
            list.sample[at] = (int32_t)j;
            list.value[at] = matrix_value(X, e) * p->scale;
        }
    /* Filling moved every start to its end, which is the next one's start. */
    memmove(start + 1, start, (size_t)X->columns * sizeof *start);
    start[0] = 0;
}

void pairs_sparse_distances(const pairs *p, int64_t i, int64_t other, int thread, float *distances)
{
    const postings list = postings_of(p, thread);
    const orthant_matrix *X = p->samples;
    const int64_t count = pairs_count(p, other);
    const double *squares = p->square + pairs_first(p, other);
    memset(list.dots, 0, (size_t)count * sizeof *list.dots);
    for (int64_t e = X->row_start[i]; e < X->row_start[i + 1]; e++) {
        const double mine = matrix_value(X, e) * p->scale;
        const int64_t end = list.start[X->column[e] + 1];
        for (int64_t q = list.start[X->column[e]]; q < end; q++)
            list.dots[list.sample[q]] += mine * list.value[q];
    }
    for (int64_t j = 0; j < count; j++)
        distances[j] = (float)(p->square[i] + squares[j] - 2.0 * list.dots[j]);
}
