/* A round-robin schedule: the circle method, or a greedy colouring of the pairs by distance. */
#include "graph/tournament.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

#define WORD 64 /* rounds of a word of bits */

typedef struct scheduled_pair {
    float distance;
    int32_t round;
    tournament_pair pair;
} scheduled_pair;

tournament tournament_of(int64_t blocks)
{
    return (tournament){.blocks = blocks, .rounds = blocks > 1 ? blocks - 1 + blocks % 2 : 0};
}

/* ---- near pairs first ---- */

static int by_distance(const void *left, const void *right)
{
    const scheduled_pair *a = left, *b = right;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->pair.block != b->pair.block)
        return a->pair.block < b->pair.block ? -1 : 1;
    return a->pair.other < b->pair.other ? -1 : a->pair.other > b->pair.other;
}

/* The first round in which neither of two blocks is busy; both are then busy in it. */
static int64_t first_free(uint64_t *mine, uint64_t *theirs)
{
    int64_t word = 0;
    while (!~(mine[word] | theirs[word]))
        word++;
    const int bit = __builtin_ctzll(~(mine[word] | theirs[word]));
    mine[word] |= UINT64_C(1) << bit;
    theirs[word] |= UINT64_C(1) << bit;
    return word * WORD + bit;
}

/* Each pair, the nearest first, into the first round that has both of its blocks free. A block
 * is in blocks - 1 pairs, so that one of the first 2 blocks - 3 rounds is free for any two. */
static void choose_rounds(tournament *t, scheduled_pair *candidates, int64_t count, uint64_t *busy)
{
    const int64_t words = (2 * t->blocks + WORD - 1) / WORD;
    qsort(candidates, (size_t)count, sizeof *candidates, by_distance);
    for (int64_t i = 0; i < count; i++) {
        const tournament_pair pair = candidates[i].pair;
        const int64_t round = first_free(busy + pair.block * words, busy + pair.other * words);
        candidates[i].round = (int32_t)round;
        t->start[round + 1]++;
        t->rounds = round >= t->rounds ? round + 1 : t->rounds;
    }
    for (int64_t r = 0; r < t->rounds; r++)
        t->start[r + 1] += t->start[r];
    for (int64_t i = count - 1; i >= 0; i--)
        t->pairs[--t->start[candidates[i].round + 1]] = candidates[i].pair;
    for (int64_t r = 0; r < t->rounds; r++)
        t->start[r] = t->start[r + 1];
    t->start[t->rounds] = count;
}

orthant_status tournament_by_distance(orthant_context *ctx, int64_t blocks, const float *distances,
                                      tournament *t)
{
    const int64_t count = blocks * (blocks - 1) / 2, words = (2 * blocks + WORD - 1) / WORD;
    scheduled_pair *candidates = memory_new(ctx, count + 1, sizeof *candidates, "pairs of blocks");
    uint64_t *busy = memory_new(ctx, blocks * words, sizeof *busy, "pairs of blocks");
    *t = (tournament){.blocks = blocks};
    t->pairs = memory_new(ctx, count + 1, sizeof *t->pairs, "pairs of blocks");
    t->start = memory_new(ctx, 2 * blocks + 1, sizeof *t->start, "pairs of blocks");
    const bool made = candidates && busy && t->pairs && t->start;
    for (int64_t i = 1, at = 0; i < blocks && made; i++)
        for (int64_t j = 0; j < i; j++, at++)
            candidates[at] = (scheduled_pair){distances[at], 0, {(int32_t)i, (int32_t)j}};
    if (made)
        choose_rounds(t, candidates, count, busy);
    else
        tournament_free(ctx, t);
    memory_free(ctx, candidates);
    memory_free(ctx, busy);
    return made ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void tournament_free(orthant_context *ctx, tournament *t)
{
    memory_free(ctx, t->pairs);
    memory_free(ctx, t->start);
    *t = (tournament){0};
}

/* ---- the rounds ---- */

bool tournament_task(const tournament *t, int64_t task, int64_t *block, int64_t *other)
{
    if (t->pairs) {
        const tournament_pair pair = t->pairs[t->start[t->round] + task];
        *block = pair.block;
        *other = pair.other;
        return true;
    }
    *block = task == 0 ? t->rounds : (t->round + task) % t->rounds;
    *other = (t->round - task + t->rounds) % t->rounds;
    return *block < t->blocks && *other < t->blocks;
}

orthant_status tournament_run(orthant_context *ctx, int threads, const search_clock *clock,
                              tournament *t, parallel_task itself, parallel_task other, void *user)
{
    parallel_for_few(ctx, threads, t->blocks, itself, user);
    for (t->round = 0; t->round < t->rounds; t->round++) {
        const orthant_status status = search_tell(ctx, clock, t->round + 1, t->rounds + 1, true);
        if (status)
            return status;
        const int64_t tasks =
            t->pairs ? t->start[t->round + 1] - t->start[t->round] : (t->blocks + 1) / 2;
        parallel_for_few(ctx, threads, tasks, other, user);
    }
    return search_tell(ctx, clock, t->rounds + 1, t->rounds + 1, true);
}
