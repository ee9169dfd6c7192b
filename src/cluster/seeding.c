/* k-means++ (Arthur and Vassilvitskii 2007): the first centre is any point; for each next one
 * 2 + log k points are drawn with probability in proportion to the squared distance to the nearest
 * centre so far, and the one that leaves the smallest inertia is taken. Sums are over blocks of
 * points, in their order: the same for any number of threads. */
#include <math.h>
#include <string.h>

#include "cluster/lloyd.h"
#include "cluster/point.h"
#include "core/random.h"

#define MOST_CANDIDATES 64 /* 2 + log k never reaches it */
#define FAR 4.00001        /* of squares: twice the distance, and more than rounding */

int lloyd_candidates(int64_t k)
{
    return 2 + (int)log((double)k);
}

/* ---- what each candidate would leave ---- */

/* Whether distances between centres help: not of points in groups, whose distances cost less than a
 * wrong guess whether they are needed, nor of sparse ones, where they are not as exact. */
static bool has_gaps(const lloyd *f)
{
    return !f->points->sparse && !f->grouped;
}

static void measure_gaps(lloyd *f, int candidates)
{
    if (!has_gaps(f))
        return;
    for (int64_t pair = 0; pair < candidates * f->chosen; pair++) {
        const double *candidate = f->candidate + pair / f->chosen * f->m;
        const double *centre = f->centres + pair % f->chosen * f->m;
        double gap = 0.0;
        for (int64_t l = 0; l < f->m; l++)
            gap += (candidate[l] - centre[l]) * (candidate[l] - centre[l]);
        f->gap[pair / f->chosen * f->k + pair % f->chosen] = gap;
    }
}

/* Of each point of a block to `count` candidates from `first` on: the squared distance, or what is
 * no less than the point's own. A candidate that is twice as far from a point's centre as the point
 * is no nearer to it. */
static const double *try_candidates(const lloyd *f, int64_t block, int first, int count, int thread)
{
    const int64_t begin = block * f->block, rows = lloyd_block_end(f, block) - begin;
    double *tries = f->tries + thread * f->block * lloyd_candidates(f->k);
    const double *candidates = f->candidate + first * f->m;
    for (int64_t i = 0; i < rows; i++)
        for (int c = 0; c < count; c++) {
            const double own = f->distance[begin + i];
            const bool far = f->gap[(first + c) * f->k + f->near[begin + i]] >= own * FAR;
            tries[i * count + c] = far ? own
                                       : point_distance(f->points, begin + i, candidates + c * f->m,
                                                        f->candidate_square[first + c]);
        }
    return tries;
}

static void try_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const int64_t begin = block * f->block, end = lloyd_block_end(f, block);
    if (f->grouped) {
        f->ops->grouped_tries(lloyd_grouped(f, block), end - begin, f->m, f->candidate, f->tried,
                              f->distance + begin, f->left + block * f->tried);
        return;
    }
    const double *tries = try_candidates(f, block, 0, f->tried, thread);
    double left[MOST_CANDIDATES] = {0};
    for (int64_t i = begin; i < end; i++, tries += f->tried) {
        const double own = f->distance[i];
        for (int c = 0; c < f->tried; c++)
            left[c] += tries[c] < own ? tries[c] : own;
    }
    memcpy(f->left + block * f->tried, left, (size_t)f->tried * sizeof *left);
}

static int best_candidate(lloyd *f)
{
    double least = INFINITY;
    int best = 0;
    lloyd_run(f, lloyd_blocks(f), try_block, (double)(f->n * f->tried) * (double)f->m);
    for (int c = 0; c < f->tried; c++) {
        double left = 0.0;
        for (int64_t block = 0; block < lloyd_blocks(f); block++)
            left += f->left[block * f->tried + c];
        if (left < least) {
            least = left;
            best = c;
        }
    }
    return best;
}

/* ---- one centre after the other ---- */

static void approach_block(void *user, int64_t block, int thread)
{
    const lloyd *f = user;
    const int64_t begin = block * f->block, end = lloyd_block_end(f, block);
    if (f->grouped) {
        f->block_sum[block] =
            f->ops->grouped_approach(lloyd_grouped(f, block), end - begin, f->m,
                                     f->candidate + f->taken * f->m, f->distance + begin);
        return;
    }
    const double *tries = try_candidates(f, block, f->taken, 1, thread);
    double sum = 0.0;
    for (int64_t i = begin; i < end; i++, tries++) {
        f->near[i] = *tries < f->distance[i] ? f->chosen : f->near[i];
        f->distance[i] = *tries < f->distance[i] ? *tries : f->distance[i];
        sum += f->distance[i];
    }
    f->block_sum[block] = sum;
}

/* Candidate `taken` becomes the next centre. */
static void take_candidate(lloyd *f, int taken)
{
    memcpy(f->centres + f->chosen * f->m, f->candidate + taken * f->m,
           (size_t)f->m * sizeof *f->centres);
    f->taken = taken;
    lloyd_run(f, lloyd_blocks(f), approach_block, (double)f->n * (double)f->m);
    f->chosen++;
}

/* The point at which the sum of distances reaches `goal`, or the last one before. */
static int64_t point_at(const lloyd *f, double goal)
{
    double before = 0.0;
    int64_t block = 0, last = 0;
    while (block + 1 < lloyd_blocks(f) && before + f->block_sum[block] < goal)
        before += f->block_sum[block++];
    for (int64_t i = block * f->block; i < f->n && before < goal; i++)
        if (f->distance[i] > 0.0) {
            before += f->distance[i];
            last = i;
        }
    return last;
}

/* A point drawn with probability in proportion to its distance; any point where all are 0. */
static int64_t draw_point(const lloyd *f, uint64_t seed, uint64_t restart, double total,
                          int candidate)
{
    const uint64_t draw = (uint64_t)f->chosen * MOST_CANDIDATES + (uint64_t)candidate;
    if (f->chosen == 0 || !(total > 0.0))
        return (int64_t)random_below(seed, RANDOM_KMEANS, restart, draw, (uint64_t)f->n);
    return point_at(f, total * random_uniform(seed, RANDOM_KMEANS, restart, draw));
}

static void choose_next(lloyd *f, uint64_t seed, uint64_t restart)
{
    double total = 0.0;
    for (int64_t block = 0; block < lloyd_blocks(f) && f->chosen; block++)
        total += f->block_sum[block];
    f->tried = f->chosen ? lloyd_candidates(f->k) : 1;
    for (int c = 0; c < f->tried; c++) {
        double *candidate = f->candidate + c * f->m;
        point_copy(f->points, draw_point(f, seed, restart, total, c), candidate);
        f->candidate_square[c] = centre_square(candidate, f->m);
    }
    measure_gaps(f, f->tried);
    take_candidate(f, f->chosen ? best_candidate(f) : 0);
}

void lloyd_choose_centres(lloyd *f, uint64_t seed, uint64_t restart, lloyd_go_on go_on, void *user)
{
    memset(f->gap, 0, (size_t)(lloyd_candidates(f->k) * f->k) * sizeof *f->gap);
    for (int64_t i = 0; i < f->n; i++) {
        f->distance[i] = INFINITY;
        f->near[i] = 0;
    }
    for (f->chosen = 0; f->chosen < f->k && go_on(user);)
        choose_next(f, seed, restart);
    for (; f->chosen < f->k; f->chosen++)
        point_copy(f->points, draw_point(f, seed, restart, 0, 0), f->centres + f->chosen * f->m);
}
