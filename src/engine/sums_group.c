/* Sums over processes that share the samples. Each has the sums of some nodes of the tree
 * (chunks.h), for powers of two one each. Of the numbers in them every process adds up a slice,
 * along the tree, and then all take all slices:
 *
 *     exchange    slice s of every node goes to rank s, with the few numbers in double
 *     gather      the slices' totals go to all
 *
 * What a process sends are as many numbers as it has nodes, and as many again over all ranks. */
#include <string.h>

#include "core/memory.h"
#include "engine/sums.h"

struct sums_exchange {
    int64_t elements;      /* of all arrays, without padding */
    int64_t doubles;       /* sums of columns and the value */
    char *send, *received; /* blocks to and from each rank */
    char *whole;           /* elements: one node's, then all totals */
    int *nodes;            /* of each rank */
    const void **to;       /* of each rank: its block of `send`, ... */
    void **from;           /* ... and of `received` */
    int64_t *to_bytes, *from_bytes, *slice_bytes;
};

static int64_t elements_of(const plan *p, int64_t rank)
{
    const int64_t arrays = 1 + (p->keeps_weights ? 1 : 0) + (p->keeps_products ? 1 : 0);
    return (arrays * p->strips.m + (p->keeps_gram ? rank : 0)) * rank;
}

static int64_t slice_first(int64_t elements, const sample_share *s, int rank)
{
    return elements * rank / s->ranks;
}

static int64_t slice_length(int64_t elements, const sample_share *s, int rank)
{
    return slice_first(elements, s, rank + 1) - slice_first(elements, s, rank);
}

/* A block: the doubles of each node, then its elements; whole doubles. */
static int64_t block_bytes(int64_t nodes, int64_t doubles, int64_t length, int64_t size)
{
    const int64_t whole = (int64_t)sizeof(double);
    return nodes * doubles * whole + pieces(nodes * length * size, whole) * whole;
}

static int nodes_of(const sample_share *s, int rank, chunk_node node[CHUNKS_MOST_NODES])
{
    return chunks_nodes(&s->cut, chunks_first(&s->cut, rank, s->ranks),
                        chunks_first(&s->cut, rank + 1, s->ranks), node);
}

/* How long every block is; what is sent and received in all. */
static void count_blocks(sums_exchange *e, const sample_share *s, int64_t size, int64_t *sent,
                         int64_t *received)
{
    chunk_node node[CHUNKS_MOST_NODES];
    *sent = *received = 0;
    for (int r = 0; r < s->ranks; r++)
        e->nodes[r] = nodes_of(s, r, node);
    for (int r = 0; r < s->ranks; r++) {
        const int64_t theirs = slice_length(e->elements, s, r);
        e->slice_bytes[r] = theirs * size;
        e->to_bytes[r] = block_bytes(e->nodes[s->rank], e->doubles, theirs, size);
        e->from_bytes[r] =
            block_bytes(e->nodes[r], e->doubles, slice_length(e->elements, s, s->rank), size);
        *sent += e->to_bytes[r];
        *received += e->from_bytes[r];
    }
}

orthant_status sums_exchange_new(orthant_context *ctx, const plan *p, int64_t rank,
                                 sums_exchange **exchange)
{
    const sample_share *s = &p->strips.share;
    const int64_t size = (int64_t)p->strips.ops->size;
    const char *what = "sums of processes";
    int64_t sent, received;
    sums_exchange *e = *exchange = memory_new(ctx, 1, sizeof *e, what);
    if (!e)
        return ORTHANT_ERROR_MEMORY;
    e->elements = elements_of(p, rank);
    e->doubles = rank + 1;
    if (!(e->nodes = memory_new(ctx, s->ranks, sizeof *e->nodes, what)) ||
        !(e->to = memory_new(ctx, s->ranks, sizeof *e->to, what)) ||
        !(e->from = memory_new(ctx, s->ranks, sizeof *e->from, what)) ||
        !(e->to_bytes = memory_new(ctx, s->ranks, sizeof *e->to_bytes, what)) ||
        !(e->from_bytes = memory_new(ctx, s->ranks, sizeof *e->from_bytes, what)) ||
        !(e->slice_bytes = memory_new(ctx, s->ranks, sizeof *e->slice_bytes, what)))
        return ORTHANT_ERROR_MEMORY;
    count_blocks(e, s, size, &sent, &received);
    if (!(e->send = memory_new(ctx, sent, 1, what)) ||
        !(e->received = memory_new(ctx, received, 1, what)) ||
        !(e->whole = memory_new(ctx, e->elements, (size_t)size, what)))
        return ORTHANT_ERROR_MEMORY;
    for (int r = 0; r < s->ranks; r++) {
        e->to[r] = r ? (const char *)e->to[r - 1] + e->to_bytes[r - 1] : e->send;
        e->from[r] = r ? (char *)e->from[r - 1] + e->from_bytes[r - 1] : e->received;
    }
    return ORTHANT_OK;
}

void sums_exchange_free(orthant_context *ctx, sums_exchange *e)
{
    if (!e)
        return;
    void *all[] = {e->send, e->received, e->whole,      e->nodes,       (void *)e->to,
                   e->from, e->to_bytes, e->from_bytes, e->slice_bytes, e};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(ctx, all[i]);
}

int64_t sums_moved_bytes(const plan *p, int64_t rank)
{
    const sample_share *s = &p->strips.share;
    const int64_t size = (int64_t)p->strips.ops->size, elements = elements_of(p, rank);
    chunk_node node[CHUNKS_MOST_NODES];
    int64_t moved = 0;
    for (int r = 0; r < s->ranks; r++)
        if (r != s->rank)
            moved += block_bytes(nodes_of(s, s->rank, node), rank + 1, slice_length(elements, s, r),
                                 size) +
                     block_bytes(nodes_of(s, r, node), rank + 1, slice_length(elements, s, s->rank),
                                 size) +
                     (slice_length(elements, s, r) + slice_length(elements, s, s->rank)) * size;
    return moved;
}

/* Rows of all arrays, one behind the other without their padding; to the arrays, or from them. */
static void copy_rows(const sums *from, char *packed, size_t size, bool unpack)
{
    array all[SUMS_MOST_ARRAYS];
    const int count = sums_arrays(from, all);
    for (int a = 0; a < count; a++)
        for (int64_t i = 0; i < all[a].rows; i++) {
            char *row = (char *)all[a].data + (size_t)(i * all[a].stride) * size;
            const size_t bytes = (size_t)all[a].columns * size;
            memcpy(unpack ? row : packed, unpack ? packed : row, bytes);
            packed += bytes;
        }
}

/* Node number `index` of this process into the blocks of all. */
static void put_node(sums_exchange *e, const sample_share *s, size_t size, const sums *node,
                     int index)
{
    const size_t doubles = (size_t)e->doubles * sizeof(double);
    copy_rows(node, e->whole, size, false);
    for (int r = 0; r < s->ranks; r++) {
        char *place = (char *)e->send + ((const char *)e->to[r] - e->send);
        char *own = place + (size_t)index * doubles;
        memcpy(own, node->columns, doubles - sizeof(double));
        memcpy(own + doubles - sizeof(double), &node->value, sizeof(double));
        memcpy(place + (size_t)e->nodes[s->rank] * doubles + index * e->slice_bytes[r],
               e->whole + (size_t)slice_first(e->elements, s, r) * size, (size_t)e->slice_bytes[r]);
    }
}

/* ------------------------------------------------------------------ adding */

typedef struct node_data {
    double *doubles;
    void *elements;
} node_data;

typedef struct join_work {
    node_data slot[CHUNK_SUM_SLOTS], now;
    int64_t doubles, length;
    bool single;
} join_work;

static void add_node(void *user, int slot)
{
    const join_work *w = user;
    const node_data *to = &w->now, *from = &w->slot[slot];
    for (int64_t i = 0; i < w->doubles; i++)
        to->doubles[i] += from->doubles[i];
    if (w->single)
        for (int64_t i = 0; i < w->length; i++)
            ((float *)to->elements)[i] += ((const float *)from->elements)[i];
    else
        for (int64_t i = 0; i < w->length; i++)
            ((double *)to->elements)[i] += ((const double *)from->elements)[i];
}

/* What was received, from the first sample's node on. */
static node_data add_nodes(const sums_exchange *e, const sample_share *s, size_t size)
{
    chunk_node node[CHUNKS_MOST_NODES];
    chunk_stack stack = {.depth = 0};
    join_work work = {.doubles = e->doubles,
                      .length = slice_length(e->elements, s, s->rank),
                      .single = size == sizeof(float)};
    for (int r = 0; r < s->ranks; r++) {
        const int count = nodes_of(s, r, node);
        for (int i = 0; i < count; i++) {
            char *place = e->from[r];
            const size_t doubles = (size_t)e->doubles * sizeof(double);
            work.now =
                (node_data){(double *)(void *)(place + (size_t)i * doubles),
                            place + (size_t)count * doubles + (size_t)(i * work.length) * size};
            const chunk_node joined = chunks_join(&s->cut, &stack, node[i], add_node, &work);
            work.slot[stack.depth] = work.now;
            stack.node[stack.depth++] = joined;
        }
    }
    return work.slot[0];
}

void sums_tree_group(const sums_tree *tree, const kernels *ops, sums *now)
{
    const sample_share *s = &tree->share;
    sums_exchange *e = tree->exchange;
    if (!s->shared)
        return;
    const int own = e->nodes[s->rank];
    for (int i = 0; i < own; i++)
        put_node(e, s, ops->size, i + 1 < own ? &tree->slot[i] : now, i);
    group_exchange(s, e->to, e->to_bytes, e->from, e->from_bytes);
    const node_data total = add_nodes(e, s, ops->size);
    group_gather(s, total.elements, e->whole, e->slice_bytes);
    copy_rows(now, e->whole, ops->size, true);
    memcpy(now->columns, total.doubles, (size_t)(e->doubles - 1) * sizeof(double));
    now->value = total.doubles[e->doubles - 1];
}
