/* How samples are cut into chunks, which of them a process has, and the tree along which the sums
 * of chunks are added.
 *
 *     level 2                 (0,2)
 *     level 1         (0,1)           (1,1)
 *     level 0      0         1      2       3   4        chunk 4 is (0,0), (2,1), (1,2), too: it
 *                                                        has no sibling there
 *
 * Samples and features alone decide the cut, so that one process or many, in memory or from a file,
 * give the same bits. */
#ifndef DATA_CHUNKS_H
#define DATA_CHUNKS_H

#include <stdint.h>

#define CHUNKS_MOST 4096
#define CHUNKS_MOST_NODES 26 /* of some consecutive chunks: two of each level */

typedef struct chunk_cut {
    int64_t samples; /* of all */
    int64_t chunk;   /* samples of one */
    int64_t count;   /* chunks */
    int levels;      /* the whole is node 0 of this one */
} chunk_cut;

chunk_cut chunks_cut(int64_t samples, int64_t features);
/* The chunk that a rank's begin with; rank + 1: where they end. */
int64_t chunks_first(const chunk_cut *cut, int rank, int ranks);
/* And the row. */
int64_t chunks_row(const chunk_cut *cut, int rank, int ranks);

typedef struct chunk_node {
    int level;
    int64_t index;
} chunk_node;

/* The nodes that make up chunks [first, end), from the first on; how many. */
int chunks_nodes(const chunk_cut *cut, int64_t first, int64_t end,
                 chunk_node node[CHUNKS_MOST_NODES]);

/* Nodes that wait for a sibling. What belongs to each is the caller's, in slots of the same order.
 */
typedef struct chunk_stack {
    chunk_node node[CHUNKS_MOST_NODES + 1];
    int depth;
} chunk_stack;

/* Adds what a slot holds to what is at hand. */
typedef void (*chunk_add)(void *user, int slot);
/* The node at hand joins those on top of the stack that are its siblings. Returns what it has
 * become; the caller puts it on top, or is done. */
chunk_node chunks_join(const chunk_cut *cut, chunk_stack *stack, chunk_node now, chunk_add add,
                       void *user);
/* Slots that chunks [first, end) take beside the one at hand. */
int chunks_slots(const chunk_cut *cut, int64_t first, int64_t end);

/* Sums of two numbers of each row, of all rows in their order: within a chunk, then along the tree.
 */
typedef struct row_sums {
    chunk_cut cut;
    chunk_stack stack;
    double slot[CHUNKS_MOST_NODES][2], now[2];
    int64_t row;
} row_sums;

void row_sums_begin(row_sums *sums, int64_t rows, int64_t columns);
/* After the last row `now` holds them. */
void row_sums_add(row_sums *sums, double first, double second);

#endif
