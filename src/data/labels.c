/* Labels as values and as classes, and the draw of a labelled part. */
#include "data/labels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/numbering.h"
#include "core/random.h"
#include "data/matrix.h"

orthant_status orthant_labels_create(orthant_context *context, int64_t count, const int64_t *values,
                                     orthant_labels **labels)
{
    if (labels)
        *labels = NULL;
    const orthant_status refused = entry_check(context, labels && (values || count < 1), __func__);
    if (refused)
        return refused;
    if (count < 1)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "%" PRId64 " labels: expected at least one",
                    count);
    orthant_labels *made = memory_new(context, 1, sizeof *made, "labels");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->ctx = context;
    made->count = count;
    made->values = memory_new(context, count, sizeof *made->values, "labels");
    if (!made->values) {
        memory_free(context, made);
        return ORTHANT_ERROR_MEMORY;
    }
    memcpy(made->values, values, (size_t)count * sizeof *values);
    *labels = made;
    return ORTHANT_OK;
}

void orthant_labels_free(orthant_labels *labels)
{
    if (!labels)
        return;
    orthant_context *ctx = labels->ctx;
    memory_free(ctx, labels->values);
    names_free(ctx, &labels->class_names);
    memory_free(ctx, labels->source);
    memory_free(ctx, labels);
}

orthant_status labels_set_source(orthant_labels **labels, const char *path, const char *inside)
{
    if (!*labels || (*labels)->source)
        return ORTHANT_OK;
    orthant_context *ctx = (*labels)->ctx;
    const size_t bytes = strlen(path) + (inside ? strlen(inside) + 1 : 0) + 1;
    (*labels)->source = memory_new(ctx, (int64_t)bytes, 1, "the labels' source");
    if (!(*labels)->source) {
        orthant_labels_free(*labels);
        *labels = NULL;
        return ORTHANT_ERROR_MEMORY;
    }
    snprintf((*labels)->source, bytes, "%s%s%s", path, inside ? ":" : "", inside ? inside : "");
    return ORTHANT_OK;
}

const char *orthant_labels_source(const orthant_labels *labels)
{
    return labels && labels->source ? labels->source : "";
}

const char *orthant_labels_name(const orthant_labels *labels, int64_t label)
{
    return labels ? names_at(&labels->class_names, label) : NULL;
}

int64_t orthant_labels_count(const orthant_labels *labels)
{
    return labels ? labels->count : 0;
}

const int64_t *orthant_labels_values(const orthant_labels *labels)
{
    return labels ? labels->values : NULL;
}

int64_t orthant_labels_classes(const orthant_labels *labels)
{
    numbering known;
    int64_t number;
    orthant_status status = ORTHANT_OK;
    if (!labels)
        return 0;
    numbering_begin(labels->ctx, &known);
    for (int64_t i = 0; i < labels->count && status == ORTHANT_OK; i++)
        if (labels->values[i] != -1)
            status = numbering_take(&known, labels->values[i], &number);
    const int64_t count = status == ORTHANT_OK ? known.count : -1;
    numbering_free(&known);
    return count;
}

/* A label and its number in the order in which labels first come. */
typedef struct known_label {
    int64_t value, number;
} known_label;

static int by_value(const void *left, const void *right)
{
    const known_label *a = left, *b = right;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* rank[number]: the place among all values in order. */
static orthant_status rank_labels(const numbering *known, int64_t **rank)
{
    known_label *order = memory_new(known->ctx, known->count, sizeof *order, "labels in order");
    *rank = memory_new(known->ctx, known->count, sizeof **rank, "labels in order");
    const orthant_status status = order && *rank ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (status == ORTHANT_OK) {
        for (int64_t i = 0; i < known->count; i++)
            order[i] = (known_label){known->key[i], i};
        qsort(order, (size_t)known->count, sizeof *order, by_value);
        for (int64_t i = 0; i < known->count; i++)
            (*rank)[order[i].number] = i;
    }
    memory_free(known->ctx, order);
    return status;
}

orthant_status labels_to_classes(orthant_context *ctx, const orthant_labels *labels,
                                 int64_t *class_of, int64_t *classes)
{
    numbering known;
    int64_t *rank = NULL;
    orthant_status status = ORTHANT_OK;
    numbering_begin(ctx, &known);
    for (int64_t i = 0; i < labels->count && status == ORTHANT_OK; i++) {
        class_of[i] = -1;
        if (labels->values[i] != -1)
            status = numbering_take(&known, labels->values[i], &class_of[i]);
    }
    if (status == ORTHANT_OK)
        status = rank_labels(&known, &rank);
    for (int64_t i = 0; i < labels->count && status == ORTHANT_OK; i++)
        class_of[i] = class_of[i] < 0 ? -1 : rank[class_of[i]];
    *classes = status == ORTHANT_OK ? known.count : 0;
    memory_free(ctx, rank);
    numbering_free(&known);
    return status;
}

orthant_status orthant_labels_sizes(const orthant_labels *labels, int64_t most, int64_t *sizes)
{
    const orthant_status refused =
        entry_check(labels ? labels->ctx : NULL, sizes != NULL, __func__);
    int64_t classes = 0;
    if (refused)
        return refused;
    int64_t *class_of = memory_new(labels->ctx, labels->count, sizeof *class_of, "labels");
    const orthant_status status = class_of
                                      ? labels_to_classes(labels->ctx, labels, class_of, &classes)
                                      : ORTHANT_ERROR_MEMORY;
    for (int64_t l = 0; l < classes && l < most; l++)
        sizes[l] = 0;
    for (int64_t i = 0; i < labels->count && !status; i++)
        if (class_of[i] >= 0 && class_of[i] < most)
            sizes[class_of[i]]++;
    memory_free(labels->ctx, class_of);
    return status;
}

orthant_status labels_from_matrix(orthant_context *ctx, const char *name,
                                  const orthant_matrix *matrix, orthant_labels **labels)
{
    const int64_t count = matrix->columns == 1 ? matrix->rows : matrix->columns;
    *labels = NULL;
    if (matrix->rows != 1 && matrix->columns != 1)
        return fail(ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " x %" PRId64
                    " numbers, expected labels in one column or one row",
                    name, matrix->rows, matrix->columns);
    int64_t *values = memory_new(ctx, count, sizeof *values, "labels");
    if (!values)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < count && status == ORTHANT_OK; i++) {
        const double value =
            orthant_matrix_get(matrix, matrix->columns == 1 ? i : 0, matrix->columns == 1 ? 0 : i);
        if (fabs(value) <= 0x1p53 && value == floor(value))
            values[i] = (int64_t)value;
        else
            status =
                fail(ctx, ORTHANT_ERROR_FORMAT,
                     "%s: label %" PRId64 " is %.6g, expected a whole number", name, i + 1, value);
    }
    if (status == ORTHANT_OK)
        status = orthant_labels_create(ctx, count, values, labels);
    memory_free(ctx, values);
    return status;
}

/* A sample and its lot: the lowest lots of each class keep their labels. */
typedef struct ticket {
    int64_t class, sample;
    double lot;
} ticket;

static int by_lot(const void *left, const void *right)
{
    const ticket *a = left, *b = right;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (a->lot < b->lot || a->lot > b->lot)
        return a->lot < b->lot ? -1 : 1;
    return a->sample < b->sample ? -1 : a->sample > b->sample;
}

/* How many of a class's samples keep their label: a fraction, or `count` where that is positive. */
typedef struct share {
    double fraction;
    int64_t count;
} share;

static int64_t share_of(share wanted, int64_t size)
{
    /* 0.1 * 10 must give 1 and 0.3 * 10 must give 3: what rounding adds is not rounded up. */
    const int64_t keep = wanted.count > 0
                             ? wanted.count
                             : (int64_t)ceil(wanted.fraction * (double)size * (1.0 - 1e-12));
    return keep > size ? size : keep;
}

static void keep_lowest(const ticket *tickets, int64_t count, share wanted,
                        const orthant_labels *truth, int64_t *values)
{
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && tickets[end].class == tickets[first].class; end++)
            ;
        if (tickets[first].class < 0)
            continue;
        for (int64_t i = first; i < first + share_of(wanted, end - first); i++)
            values[tickets[i].sample] = truth->values[tickets[i].sample];
    }
}

static orthant_status keep_share(orthant_context *context, const orthant_labels *truth,
                                 share wanted, uint64_t seed, orthant_labels **kept)
{
    int64_t *class_of = NULL, classes;
    ticket *tickets = NULL;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    class_of = memory_new(context, truth->count, sizeof *class_of, "classes of samples");
    if (class_of)
        tickets = memory_new(context, truth->count, sizeof *tickets, "lots of samples");
    if (!tickets)
        goto done;
    status = labels_to_classes(context, truth, class_of, &classes);
    if (status != ORTHANT_OK)
        goto done;
    for (int64_t i = 0; i < truth->count; i++)
        tickets[i] =
            (ticket){class_of[i], i, random_uniform(seed, RANDOM_LABELLED, (uint64_t)i, 0)};
    qsort(tickets, (size_t)truth->count, sizeof *tickets, by_lot);
    for (int64_t i = 0; i < truth->count; i++)
        class_of[i] = -1;
    keep_lowest(tickets, truth->count, wanted, truth, class_of);
    status = orthant_labels_create(context, truth->count, class_of, kept);
done:
    memory_free(context, class_of);
    memory_free(context, tickets);
    return status;
}

orthant_status orthant_labels_keep_fraction(orthant_context *context, const orthant_labels *truth,
                                            double fraction, uint64_t seed, orthant_labels **kept)
{
    if (kept)
        *kept = NULL;
    const orthant_status refused = entry_check(context, truth && kept, __func__);
    if (refused)
        return refused;
    if (!(fraction >= 0.0 && fraction <= 1.0))
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "labelled fraction %g: must be between 0 and 1", fraction);
    return keep_share(context, truth, (share){.fraction = fraction}, seed, kept);
}

orthant_status orthant_labels_keep_count(orthant_context *context, const orthant_labels *truth,
                                         int64_t count, uint64_t seed, orthant_labels **kept)
{
    if (kept)
        *kept = NULL;
    const orthant_status refused = entry_check(context, truth && kept, __func__);
    if (refused)
        return refused;
    if (count < 1)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%" PRId64 " labels per class: must be at least 1", count);
    return keep_share(context, truth, (share){.count = count}, seed, kept);
}
