/* Counts in a square where it is small, otherwise in sorted pairs; matches clusters to classes. */
#include "score/table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/numbering.h"
#include "data/labels.h"
#include "score/assignment.h"

static int by_cluster_and_class(const void *left, const void *right)
{
    const table_cell *a = left, *b = right;
    if (a->cluster != b->cluster)
        return a->cluster < b->cluster ? -1 : 1;
    return a->class < b->class ? -1 : a->class > b->class;
}

/* The samples that both know, in their order. */
static orthant_status keep_common(orthant_context *ctx, const orthant_labels *found,
                                  const orthant_labels *truth, orthant_labels **kept_found,
                                  orthant_labels **kept_truth)
{
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t count = 0;
    int64_t *clusters = memory_new(ctx, found->count, sizeof *clusters, "labels that both know");
    int64_t *classes = memory_new(ctx, found->count, sizeof *classes, "labels that both know");
    if (!clusters || !classes)
        goto done;
    for (int64_t i = 0; i < found->count; i++)
        if (found->values[i] != -1 && truth->values[i] != -1) {
            clusters[count] = found->values[i];
            classes[count++] = truth->values[i];
        }
    if (count == 0) {
        status =
            fail(ctx, ORTHANT_ERROR_ARGUMENT,
                 "no sample of %" PRId64 " has both a found and a true label: nothing to score",
                 found->count);
        goto done;
    }
    status = orthant_labels_create(ctx, count, clusters, kept_found);
    if (status == ORTHANT_OK)
        status = orthant_labels_create(ctx, count, classes, kept_truth);
done:
    memory_free(ctx, clusters);
    memory_free(ctx, classes);
    return status;
}

/* A cell for every cluster and class, in order; those without samples go. */
static void count_in_square(const int64_t *cluster, const int64_t *class, int64_t pairs, table *t)
{
    for (int64_t p = 0; p < pairs; p++)
        t->cell[p] = (table_cell){p / t->classes, p % t->classes, 0};
    for (int64_t i = 0; i < t->samples; i++) {
        t->cell[cluster[i] * t->classes + class[i]].count++;
        t->cluster_size[cluster[i]]++;
        t->class_size[class[i]]++;
    }
    for (int64_t p = 0; p < pairs; p++)
        if (t->cell[p].count)
            t->cell[t->cells++] = t->cell[p];
}

/* One cell a sample, then equal ones joined. */
static void count_in_list(const int64_t *cluster, const int64_t *class, table *t)
{
    for (int64_t i = 0; i < t->samples; i++)
        t->cell[i] = (table_cell){cluster[i], class[i], 1};
    qsort(t->cell, (size_t)t->samples, sizeof *t->cell, by_cluster_and_class);
    for (int64_t i = 0; i < t->samples; i++) {
        t->cluster_size[t->cell[i].cluster]++;
        t->class_size[t->cell[i].class]++;
        if (t->cells > 0 && by_cluster_and_class(&t->cell[i], &t->cell[t->cells - 1]) == 0)
            t->cell[t->cells - 1].count++;
        else
            t->cell[t->cells++] = t->cell[i];
    }
}

orthant_status table_make(orthant_context *ctx, const orthant_labels *found,
                          const orthant_labels *truth, table *t)
{
    orthant_labels *clusters = NULL, *classes = NULL;
    int64_t *cluster = NULL, *class = NULL, pairs;
    *t = (table){0};
    orthant_status status = keep_common(ctx, found, truth, &clusters, &classes);
    if (status != ORTHANT_OK)
        goto done;
    t->samples = clusters->count;
    status = ORTHANT_ERROR_MEMORY;
    cluster = memory_new(ctx, t->samples, sizeof *cluster, "clusters of samples");
    class = memory_new(ctx, t->samples, sizeof *class, "classes of samples");
    t->cell = memory_new(ctx, t->samples, sizeof *t->cell, "a contingency table");
    if (!cluster || !class || !t->cell)
        goto done;
    status = labels_to_classes(ctx, clusters, cluster, &t->clusters);
    if (status == ORTHANT_OK)
        status = labels_to_classes(ctx, classes, class, &t->classes);
    if (status != ORTHANT_OK)
        goto done;
    status = ORTHANT_ERROR_MEMORY;
    t->cluster_size = memory_new(ctx, t->clusters, sizeof *t->cluster_size, "sizes of clusters");
    t->class_size = memory_new(ctx, t->classes, sizeof *t->class_size, "sizes of classes");
    if (!t->cluster_size || !t->class_size)
        goto done;
    if (size_multiply(t->clusters, t->classes, &pairs) && pairs <= t->samples)
        count_in_square(cluster, class, pairs, t);
    else
        count_in_list(cluster, class, t);
    status = ORTHANT_OK;
done:
    orthant_labels_free(clusters);
    orthant_labels_free(classes);
    memory_free(ctx, cluster);
    memory_free(ctx, class);
    if (status != ORTHANT_OK)
        table_free(ctx, t);
    return status;
}

/* Pixels that share both labels, counted in one cell each; numbers of the labels come later. */
static orthant_status count_pairs(numbering *pairs, int64_t pixels, const int32_t *found,
                                  const int32_t *truth, table *t)
{
    int64_t capacity = 0, at = 0, last = 0;
    for (int64_t i = 0; i < pixels; i++) {
        const int64_t pair =
            (int64_t)((uint64_t)(uint32_t)found[i] << 32 | (uint64_t)(uint32_t)truth[i]);
        if (i == 0 || pair != last) {
            const orthant_status status = numbering_take(pairs, pair, &at);
            if (status != ORTHANT_OK)
                return status;
            last = pair;
        }
        if (at == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 256;
            table_cell *more =
                memory_resize(pairs->ctx, t->cell, capacity, sizeof *more, "a contingency table");
            if (!more)
                return ORTHANT_ERROR_MEMORY;
            t->cell = more;
        }
        t->cell[at].count++;
    }
    t->samples = pixels;
    t->cells = pairs->count;
    return ORTHANT_OK;
}

static orthant_status name_cells(const numbering *pairs, numbering *found, numbering *truth,
                                 table *t)
{
    orthant_status status = ORTHANT_OK;
    for (int64_t e = 0; e < t->cells && status == ORTHANT_OK; e++) {
        status = numbering_take(found, pairs->key[e] >> 32, &t->cell[e].cluster);
        if (status == ORTHANT_OK)
            status =
                numbering_take(truth, (int32_t)(pairs->key[e] & 0xffffffff), &t->cell[e].class);
    }
    t->clusters = found->count;
    t->classes = truth->count;
    return status;
}

orthant_status table_of_images(orthant_context *ctx, int64_t pixels, const int32_t *found,
                               const int32_t *truth, table *t)
{
    numbering pairs, clusters, classes;
    *t = (table){0};
    numbering_begin(ctx, &pairs);
    numbering_begin(ctx, &clusters);
    numbering_begin(ctx, &classes);
    orthant_status status = count_pairs(&pairs, pixels, found, truth, t);
    if (status == ORTHANT_OK)
        status = name_cells(&pairs, &clusters, &classes, t);
    if (status != ORTHANT_OK)
        goto done;
    status = ORTHANT_ERROR_MEMORY;
    t->cluster_size = memory_new(ctx, t->clusters, sizeof *t->cluster_size, "sizes of regions");
    t->class_size = memory_new(ctx, t->classes, sizeof *t->class_size, "sizes of regions");
    if (!t->cluster_size || !t->class_size)
        goto done;
    for (int64_t e = 0; e < t->cells; e++) {
        t->cluster_size[t->cell[e].cluster] += t->cell[e].count;
        t->class_size[t->cell[e].class] += t->cell[e].count;
    }
    qsort(t->cell, (size_t)t->cells, sizeof *t->cell, by_cluster_and_class);
    status = ORTHANT_OK;
done:
    numbering_free(&pairs);
    numbering_free(&clusters);
    numbering_free(&classes);
    if (status != ORTHANT_OK)
        table_free(ctx, t);
    return status;
}

orthant_status table_match(orthant_context *ctx, const table *t, int64_t *class_of)
{
    assignment_pair *pair = memory_new(ctx, t->cells, sizeof *pair, "a contingency table");
    if (!pair)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t e = 0; e < t->cells; e++) {
        const table_cell c = t->cell[e];
        pair[e] = (assignment_pair){c.cluster, c.class, (double)c.count};
    }
    const orthant_status status =
        assignment_largest(ctx, t->clusters, t->classes, pair, t->cells, class_of);
    memory_free(ctx, pair);
    return status;
}

void table_free(orthant_context *ctx, table *t)
{
    memory_free(ctx, t->cell);
    memory_free(ctx, t->cluster_size);
    memory_free(ctx, t->class_size);
    *t = (table){0};
}
