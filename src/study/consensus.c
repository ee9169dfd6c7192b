/* The consensus matrix C, its dispersion, and its cophenetic correlation from a tree of average
 * linkage that is grown along chains of nearest neighbours, in O(samples^2). */
#include "study/consensus.h"

#include <math.h>

#include "core/memory.h"

static double share_of(const int32_t *label, int64_t runs, int64_t samples, int64_t i, int64_t j)
{
    int64_t together = 0;
    for (int64_t r = 0; r < runs; r++)
        together += label[r * samples + i] == label[r * samples + j];
    return (double)together / (double)runs;
}

void consensus_shares(const int32_t *label, int64_t runs, int64_t samples, float *shares)
{
    for (int64_t i = 0; i < samples; i++)
        for (int64_t j = 0; j <= i; j++)
            shares[i * samples + j] = shares[j * samples + i] =
                (float)share_of(label, runs, samples, i, j);
}

/* A tree while it grows. A cluster has the number of one of its samples. */
typedef struct tree {
    const int32_t *label;
    int64_t runs, samples;
    float *distance; /* samples x samples, between clusters that are there */
    int64_t *size;   /* 0: joined to another */
    int64_t *next;   /* the next sample of the same cluster, -1 behind the last */
    int64_t *last;   /* of a cluster */
    int64_t *chain;
    double count, x, y, xx, yy, xy; /* sums over pairs: x distances, y heights of the tree */
} tree;

/* Every pair with one sample in each cluster meets at this height. */
static void count_pairs(tree *t, int64_t a, int64_t b, double height)
{
    for (int64_t i = a; i >= 0; i = t->next[i])
        for (int64_t j = b; j >= 0; j = t->next[j]) {
            const double distance = 1 - share_of(t->label, t->runs, t->samples, i, j);
            t->count++;
            t->x += distance;
            t->y += height;
            t->xx += distance * distance;
            t->yy += height * height;
            t->xy += distance * height;
        }
}

/* b joins a; distances to the two are averaged by their sizes. */
static void join(tree *t, int64_t a, int64_t b)
{
    const double wa = (double)t->size[a], wb = (double)t->size[b];
    count_pairs(t, a, b, (double)t->distance[a * t->samples + b]);
    for (int64_t c = 0; c < t->samples; c++)
        if (t->size[c] && c != a && c != b) {
            const double mean = (wa * (double)t->distance[a * t->samples + c] +
                                 wb * (double)t->distance[b * t->samples + c]) /
                                (wa + wb);
            t->distance[a * t->samples + c] = t->distance[c * t->samples + a] = (float)mean;
        }
    t->next[t->last[a]] = b;
    t->last[a] = t->last[b];
    t->size[a] += t->size[b];
    t->size[b] = 0;
}

/* The nearest other cluster; `before`, where it is as near, so that chains end. */
static int64_t nearest(const tree *t, int64_t of, int64_t before)
{
    int64_t found = before;
    for (int64_t c = 0; c < t->samples; c++)
        if (t->size[c] && c != of &&
            (found < 0 || t->distance[of * t->samples + c] < t->distance[of * t->samples + found]))
            found = c;
    return found;
}

static void grow(tree *t)
{
    int64_t length = 0, first = 0;
    for (int64_t left = t->samples; left > 1;) {
        while (!length && !t->size[first])
            first++;
        if (!length)
            t->chain[length++] = first;
        const int64_t tip = t->chain[length - 1];
        const int64_t before = length > 1 ? t->chain[length - 2] : -1;
        const int64_t near = nearest(t, tip, before);
        if (near != before) {
            t->chain[length++] = near;
            continue;
        }
        join(t, before < tip ? before : tip, before < tip ? tip : before);
        length -= 2;
        left--;
    }
}

static double correlation(const tree *t)
{
    const double x = t->xx - t->x * t->x / t->count, y = t->yy - t->y * t->y / t->count;
    const double xy = t->xy - t->x * t->y / t->count;
    const double rounding = 1e-12 * t->count;
    if (!(x > rounding) || !(y > rounding))
        return 1;
    return fmin(1, xy / sqrt(x * y));
}

orthant_status consensus_agree(orthant_context *ctx, const int32_t *label, int64_t runs,
                               int64_t samples, consensus_agreement *agreement)
{
    int64_t squares;
    if (!size_multiply(samples, samples, &squares))
        return fail(ctx, ORTHANT_ERROR_MEMORY, "a consensus matrix of so many samples");
    tree t = {.label = label, .runs = runs, .samples = samples};
    t.distance = memory_new(ctx, squares, sizeof *t.distance, "a consensus matrix");
    t.size = memory_new(ctx, 4 * samples, sizeof *t.size, "a tree of samples");
    orthant_status status = t.distance && t.size ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status) {
        double dispersion = 0;
        t.next = t.size + samples;
        t.last = t.next + samples;
        t.chain = t.last + samples;
        consensus_shares(label, runs, samples, t.distance);
        for (int64_t i = 0; i < squares; i++) {
            const double share = (double)t.distance[i];
            dispersion += (2 * share - 1) * (2 * share - 1);
            t.distance[i] = (float)(1 - share);
        }
        for (int64_t i = 0; i < samples; i++) {
            t.size[i] = 1;
            t.next[i] = -1;
            t.last[i] = i;
        }
        grow(&t);
        agreement->cophenetic = samples > 2 ? correlation(&t) : 1;
        agreement->dispersion = dispersion / (double)squares;
    }
    memory_free(ctx, t.size);
    memory_free(ctx, t.distance);
    return status;
}
