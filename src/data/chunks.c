#include "data/chunks.h"

#include "core/pieces.h"
#include "kernel/kernel.h"

/* A chunk has at least this many entries of X, so that threads are not woken for little, ... */
#define CHUNK_ENTRIES (1 << 20)
/* ... and samples between these: enough that adding up its sums is little beside forming them, and
 * few enough that processes can share them evenly. */
#define LEAST_SAMPLES 4096
#define MOST_SAMPLES 32768
/* Every level of the tree keeps sums as long as the basis: a chunk has more samples than that. */
#define SAMPLES_PER_FEATURE 2

chunk_cut chunks_cut(int64_t samples, int64_t features)
{
    const int64_t least = larger(LEAST_SAMPLES, SAMPLES_PER_FEATURE * features),
                  enough =
                      larger(least, smaller(MOST_SAMPLES, CHUNK_ENTRIES / larger(features, 1)));
    chunk_cut cut = {.samples = samples};
    int64_t count = 1;
    while (count < CHUNKS_MOST && samples / count > enough)
        count *= 2;
    cut.chunk = larger(pieces(pieces(samples, count), KERNEL_ROWS), 1) * KERNEL_ROWS;
    cut.count = pieces(samples, cut.chunk);
    for (int64_t left = cut.count - 1; left > 0; left /= 2)
        cut.levels++;
    return cut;
}

int64_t chunks_first(const chunk_cut *cut, int rank, int ranks)
{
    return cut->count * rank / ranks;
}

int64_t chunks_row(const chunk_cut *cut, int rank, int ranks)
{
    return smaller(chunks_first(cut, rank, ranks) * cut->chunk, cut->samples);
}

static bool is_within(const chunk_cut *cut, int64_t first, int64_t end, int level)
{
    const int64_t length = (int64_t)1 << level;
    return level <= cut->levels && first % length == 0 &&
           smaller(first + length, cut->count) <= end;
}

int chunks_nodes(const chunk_cut *cut, int64_t first, int64_t end,
                 chunk_node node[CHUNKS_MOST_NODES])
{
    int count = 0;
    while (first < end) {
        int level = 0;
        while (is_within(cut, first, end, level + 1))
            level++;
        node[count++] = (chunk_node){level, first >> level};
        first += (int64_t)1 << level;
    }
    return count;
}

chunk_node chunks_join(const chunk_cut *cut, chunk_stack *stack, chunk_node now, chunk_add add,
                       void *user)
{
    while (now.level < cut->levels) {
        const chunk_node *top = stack->depth > 0 ? &stack->node[stack->depth - 1] : NULL;
        const bool is_left = now.index % 2 == 0;
        if (is_left && (now.index + 1) << now.level < cut->count)
            break;
        if (!is_left && (!top || top->level != now.level || top->index != now.index - 1))
            break;
        if (!is_left)
            add(user, --stack->depth);
        now = (chunk_node){now.level + 1, now.index / 2};
    }
    return now;
}

static void add_nothing(void *user, int slot)
{
    (void)user;
    (void)slot;
}

int chunks_slots(const chunk_cut *cut, int64_t first, int64_t end)
{
    chunk_stack stack = {.depth = 0};
    int most = 0;
    for (int64_t chunk = first; chunk < end; chunk++) {
        const chunk_node now = chunks_join(cut, &stack, (chunk_node){0, chunk}, add_nothing, NULL);
        if (chunk + 1 < end)
            stack.node[stack.depth++] = now;
        most = stack.depth > most ? stack.depth : most;
    }
    return most;
}

/* ------------------------------------------------------------------ rows */

void row_sums_begin(row_sums *sums, int64_t rows, int64_t columns)
{
    *sums = (row_sums){.cut = chunks_cut(rows, columns)};
}

static void add_slot(void *user, int slot)
{
    row_sums *sums = user;
    for (int i = 0; i < 2; i++)
        sums->now[i] += sums->slot[slot][i];
}

void row_sums_add(row_sums *sums, double first, double second)
{
    chunk_stack *stack = &sums->stack;
    sums->now[0] += first;
    sums->now[1] += second;
    if (++sums->row % sums->cut.chunk && sums->row < sums->cut.samples)
        return;
    const chunk_node node = {0, (sums->row - 1) / sums->cut.chunk};
    const chunk_node joined = chunks_join(&sums->cut, stack, node, add_slot, sums);
    if (sums->row == sums->cut.samples)
        return;
    for (int i = 0; i < 2; i++) {
        sums->slot[stack->depth][i] = sums->now[i];
        sums->now[i] = 0;
    }
    stack->node[stack->depth++] = joined;
}
