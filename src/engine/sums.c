#include "engine/sums.h"

#include <string.h>

#include "core/memory.h"

orthant_status sums_new(orthant_context *ctx, const plan *p, int64_t rank, array A, sums *s)
{
    const int64_t m = p->strips.m;
    *s = (sums){.A = A, .columns = memory_new(ctx, rank, sizeof *s->columns, "sums")};
    if (!s->columns || !plan_new_array(p, !A.data, m, rank, &s->A) ||
        !plan_new_array(p, p->keeps_weights, m, rank, &s->Q) ||
        !plan_new_array(p, p->keeps_products, m, rank, &s->XS) ||
        !plan_new_array(p, p->keeps_gram, rank, rank, &s->B))
        return ORTHANT_ERROR_MEMORY;
    if (!s->XS.data)
        s->XS = s->A;
    return ORTHANT_OK;
}

void sums_free(orthant_context *ctx, sums *s)
{
    if (s->XS.data != s->A.data)
        memory_free(ctx, s->XS.data);
    void *all[] = {s->A.data, s->Q.data, s->B.data, s->columns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(ctx, all[i]);
    *s = (sums){0};
}

int sums_arrays(const sums *s, array all[SUMS_MOST_ARRAYS])
{
    int count = 0;
    const array none = {0}, each[] = {s->A, s->Q, s->XS.data == s->A.data ? none : s->XS, s->B};
    for (int i = 0; i < 4; i++)
        if (each[i].data)
            all[count++] = each[i];
    return count;
}

static int64_t rank_of(const sums *s)
{
    return s->A.columns;
}

void sums_parts(const kernels *ops, sums *s, checkpoint_parts *parts)
{
    parts_add_array(parts, "sums", ops, s->A);
    parts_add_array(parts, "sums of weights", ops, s->Q);
    if (s->XS.data != s->A.data)
        parts_add_array(parts, "products", ops, s->XS);
    parts_add_array(parts, "Gram matrix", ops, s->B);
    parts_add_numbers(parts, "column sums", s->columns, rank_of(s));
    parts_add_field(parts, "value", &s->value, sizeof s->value);
}

void sums_clear(const kernels *ops, sums *s)
{
    if (s->B.data)
        array_clear(ops, s->B);
    memset(s->columns, 0, (size_t)rank_of(s) * sizeof *s->columns);
    s->value = 0;
}

static void add(const kernels *ops, sums *to, const sums *from, bool with_data)
{
    array theirs[SUMS_MOST_ARRAYS], ours[SUMS_MOST_ARRAYS];
    const int count = sums_arrays(from, theirs);
    sums_arrays(to, ours);
    for (int i = 0; i < count; i++)
        if (with_data || theirs[i].data == from->B.data)
            ops->add(ours[i], 1, theirs[i]);
    for (int64_t j = 0; j < rank_of(to); j++)
        to->columns[j] += from->columns[j];
    to->value += from->value;
}

/* ------------------------------------------------------------------ the tree */

orthant_status sums_tree_new(orthant_context *ctx, const plan *p, int64_t rank, sums_tree *tree)
{
    orthant_status status = ORTHANT_OK;
    *tree = (sums_tree){.share = p->strips.share};
    if (p->levels > 0) {
        tree->slot = memory_new(ctx, p->levels, sizeof *tree->slot, "sums");
        if (!tree->slot)
            return ORTHANT_ERROR_MEMORY;
    }
    for (; tree->slots < p->levels && !status; tree->slots++)
        status = sums_new(ctx, p, rank, (array){0}, &tree->slot[tree->slots]);
    if (!status && tree->share.shared)
        status = sums_exchange_new(ctx, p, rank, &tree->exchange);
    return status;
}

void sums_tree_free(orthant_context *ctx, sums_tree *tree)
{
    for (int l = 0; l < tree->slots; l++)
        sums_free(ctx, &tree->slot[l]);
    memory_free(ctx, tree->slot);
    sums_exchange_free(ctx, tree->exchange);
    *tree = (sums_tree){0};
}

typedef struct join_work {
    const kernels *ops;
    const sums *slot;
    sums *now;
    bool with_data;
} join_work;

static void add_slot(void *user, int slot)
{
    const join_work *work = user;
    add(work->ops, work->now, &work->slot[slot], work->with_data);
}

void sums_tree_add(const kernels *ops, sums_tree *tree, sums *now, int64_t chunk, bool last,
                   bool with_data)
{
    chunk_stack *stack = &tree->stack;
    if (chunk == tree->share.first_chunk)
        stack->depth = 0;
    const chunk_node node = chunks_join(&tree->share.cut, stack, (chunk_node){0, chunk}, add_slot,
                                        &(join_work){ops, tree->slot, now, with_data});
    if (last)
        return;
    const sums kept = *now;
    *now = tree->slot[stack->depth];
    tree->slot[stack->depth] = kept;
    stack->node[stack->depth++] = node;
    sums_clear(ops, now);
}
