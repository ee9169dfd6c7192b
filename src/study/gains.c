/* Pairs the runs of variants with those of the plain method and averages the differences. */
#include "study/gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* A variant's row beside the plain one. */
typedef struct pair {
    const study_row *variant;
    const char *plain; /* the plain method's name */
    double difference;
} pair;

static int by_place(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Dataset, method without its settings, classes, repeat, then the plain row before its variants. */
static int by_draw(const void *left, const void *right)
{
    const study_row *a = *(const study_row *const *)left, *b = *(const study_row *const *)right;
    const size_t length = strcspn(a->method, " "), other = strcspn(b->method, " ");
    int order = strcmp(a->dataset, b->dataset);
    if (!order)
        order = strncmp(a->method, b->method, length > other ? length : other);
    if (!order)
        order = by_place(a->classes, b->classes);
    if (!order)
        order = by_place(a->repeat, b->repeat);
    return order ? order : strcmp(a->method, b->method);
}

static bool same_draw(const study_row *plain, const study_row *row)
{
    const size_t length = strlen(plain->method);
    return !strcmp(plain->dataset, row->dataset) && !strncmp(plain->method, row->method, length) &&
           row->method[length] == ' ' && plain->classes == row->classes &&
           plain->repeat == row->repeat && plain->seed == row->seed;
}

static int by_variant(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    const int order = strcmp(a->variant->dataset, b->variant->dataset);
    return order ? order : strcmp(a->variant->method, b->variant->method);
}

static bool same_variant(const pair *a, const pair *b)
{
    return !by_variant(a, b);
}

/* Rows sorted by draw: a plain one, then its variants. */
static int64_t collect_pairs(const study_row **order, int64_t count, study_measure measure,
                             pair *pairs)
{
    const study_row *plain = NULL;
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        const study_row *row = order[i];
        if (method_is_plain(row->method)) {
            plain = row;
            continue;
        }
        const double difference = plain ? row->value[measure] - plain->value[measure] : (double)NAN;
        if (plain && same_draw(plain, row) && !isnan(difference))
            pairs[found++] = (pair){row, plain->method, difference};
    }
    return found;
}

static study_gain gain_of(const pair *pairs, int64_t count)
{
    study_gain gain = {pairs[0].variant->dataset,
                       pairs[0].plain,
                       pairs[0].variant->method + strlen(pairs[0].plain) + 1,
                       count,
                       0,
                       0};
    for (int64_t i = 0; i < count; i++)
        gain.mean += pairs[i].difference / (double)count;
    for (int64_t i = 0; i < count; i++)
        gain.error += (pairs[i].difference - gain.mean) * (pairs[i].difference - gain.mean);
    gain.error = count > 1 ? sqrt(gain.error / (double)(count - 1) / (double)count) : (double)NAN;
    return gain;
}

static int by_gain(const void *left, const void *right)
{
    const study_gain *a = left, *b = right;
    const int order = strcmp(a->dataset, b->dataset);
    if (order)
        return order;
    if (a->mean > b->mean || a->mean < b->mean)
        return a->mean > b->mean ? -1 : 1;
    const int method = strcmp(a->method, b->method);
    return method ? method : strcmp(a->setting, b->setting);
}

/* Whole datasets change places, so that they stand as in the results. */
static orthant_status order_datasets(const study_results *results, study_gains *gains)
{
    study_gain *sorted =
        memory_new(gains->ctx, gains->count, sizeof *sorted, "the gains of settings");
    int64_t placed = 0;
    if (!sorted)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < results->count && placed < gains->count; i++) {
        bool there = placed && !strcmp(sorted[placed - 1].dataset, results->row[i].dataset);
        for (int64_t j = 0; j < placed && !there; j++)
            there = !strcmp(sorted[j].dataset, results->row[i].dataset);
        for (int64_t j = 0; j < gains->count && !there; j++)
            if (!strcmp(gains->gain[j].dataset, results->row[i].dataset))
                sorted[placed++] = gains->gain[j];
    }
    memory_free(gains->ctx, gains->gain);
    gains->gain = sorted;
    return ORTHANT_OK;
}

void gains_free(study_gains *gains)
{
    memory_free(gains->ctx, gains->gain);
    *gains = (study_gains){.ctx = gains->ctx};
}

orthant_status gains_make(orthant_context *ctx, const study_results *results, study_measure measure,
                          study_gains *gains)
{
    *gains = (study_gains){.ctx = ctx};
    const study_row **order =
        memory_new(ctx, results->count, sizeof *order, "the runs of a study in order");
    pair *pairs = memory_new(ctx, results->count, sizeof *pairs, "the pairs of runs");
    orthant_status status = order && pairs ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (status)
        goto done;
    for (int64_t i = 0; i < results->count; i++)
        order[i] = &results->row[i];
    qsort(order, (size_t)results->count, sizeof *order, by_draw);
    const int64_t found = collect_pairs(order, results->count, measure, pairs);
    qsort(pairs, (size_t)found, sizeof *pairs, by_variant);
    gains->gain = memory_new(ctx, found, sizeof *gains->gain, "the gains of settings");
    if (!gains->gain) {
        status = ORTHANT_ERROR_MEMORY;
        goto done;
    }
    for (int64_t first = 0, end; first < found; first = end) {
        for (end = first + 1; end < found && same_variant(&pairs[first], &pairs[end]); end++)
            ;
        gains->gain[gains->count++] = gain_of(pairs + first, end - first);
    }
    qsort(gains->gain, (size_t)gains->count, sizeof *gains->gain, by_gain);
    status = order_datasets(results, gains);
done:
    memory_free(ctx, order);
    memory_free(ctx, pairs);
    if (status)
        gains_free(gains);
    return status;
}
