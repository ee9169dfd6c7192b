#include "engine/sums.h"

#include <string.h>

#include "core/memory.h"

orthant_status sums_new(orthant_context *ctx, const plan *p, int64_t rank, sums *s)
{
    const int64_t m = p->strips.m;
    *s = (sums){.columns = memory_new(ctx, rank, sizeof *s->columns, "sums")};
    if (!s->columns || !plan_new_array(p, true, m, rank, &s->A) ||
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

/* The arrays that are there, each once; how many. */
static int arrays_of(const sums *s, array all[4])
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

static void add(const kernels *ops, sums *to, const sums *from)
{
    array theirs[4], ours[4];
    const int count = arrays_of(from, theirs);
    arrays_of(to, ours);
    for (int i = 0; i < count; i++)
        ops->add(ours[i], 1, theirs[i]);
    for (int64_t j = 0; j < rank_of(to); j++)
        to->columns[j] += from->columns[j];
    to->value += from->value;
}

/* ------------------------------------------------------------------ the tree */

orthant_status sums_tree_new(orthant_context *ctx, const plan *p, int64_t rank, sums_tree *tree)
{
    orthant_status status = ORTHANT_OK;
    *tree = (sums_tree){0};
    if (p->levels == 0)
        return ORTHANT_OK;
    tree->level = memory_new(ctx, p->levels, sizeof *tree->level, "sums");
    if (!tree->level)
        return ORTHANT_ERROR_MEMORY;
    for (; tree->levels < p->levels && !status; tree->levels++)
        status = sums_new(ctx, p, rank, &tree->level[tree->levels]);
    return status;
}

void sums_tree_free(orthant_context *ctx, sums_tree *tree)
{
    for (int l = 0; l < tree->levels; l++)
        sums_free(ctx, &tree->level[l]);
    memory_free(ctx, tree->level);
    *tree = (sums_tree){0};
}

/* Before chunk c the accumulators of the bits of c are taken. Chunk c meets those below its lowest
 * zero bit; the last one meets them all. */
void sums_tree_add(const kernels *ops, sums_tree *tree, sums *now, int64_t chunk, bool last)
{
    int l = 0;
    for (; chunk >> l & 1 || (last && chunk >> l); l++)
        if (chunk >> l & 1)
            add(ops, now, &tree->level[l]);
    if (last)
        return;
    const sums kept = *now;
    *now = tree->level[l];
    tree->level[l] = kept;
    sums_clear(ops, now);
}
