/* Pairs the runs of each method with those of the reference and averages the differences. */
#include "study/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "score/tails.h"

#define ALPHA 0.05

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_draw(const void *left, const void *right)
{
    const study_row *a = *(const study_row *const *)left, *b = *(const study_row *const *)right;
    int order = strcmp(a->dataset, b->dataset);
    if (!order)
        order = by_number(a->classes, b->classes);
    if (!order)
        order = by_number(a->repeat, b->repeat);
    return order ? order : by_number(a->seed, b->seed);
}

/* The rows of a method that know the measure, by draw; returns how many. */
static int64_t rows_of(const study_results *results, const char *method, study_measure measure,
                       const study_row **rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < results->count; i++)
        if (!strcmp(results->row[i].method, method) && isfinite(results->row[i].value[measure]))
            rows[count++] = &results->row[i];
    qsort(rows, (size_t)count, sizeof *rows, by_draw);
    return count;
}

/* Both lists are sorted by draw; the differences of the common ones go to `found`. */
static int64_t pair_rows(const study_row *const *row, int64_t rows, const study_row *const *base,
                         int64_t bases, study_measure measure, double *found)
{
    int64_t count = 0;
    for (int64_t i = 0, j = 0; i < rows && j < bases;) {
        const int order = by_draw(&row[i], &base[j]);
        if (!order)
            found[count++] = row[i]->value[measure] - base[j]->value[measure];
        i += order <= 0;
        j += order >= 0;
    }
    return count;
}

static study_difference difference_of(const char *method, const double *value, int64_t count)
{
    study_difference found = {.method = method, .draws = count, .half = NAN};
    double squares = 0;
    for (int64_t i = 0; i < count; i++) {
        found.mean += value[i] / (double)count;
        found.better += value[i] > 0;
    }
    for (int64_t i = 0; i < count; i++)
        squares += (value[i] - found.mean) * (value[i] - found.mean);
    if (count > 1)
        found.half = student_quantile((double)(count - 1), ALPHA) *
                     sqrt(squares / (double)(count - 1) / (double)count);
    return found;
}

void differences_free(study_differences *differences)
{
    memory_free(differences->ctx, differences->difference);
    *differences = (study_differences){.ctx = differences->ctx};
}

orthant_status differences_make(orthant_context *ctx, const study_results *results,
                                study_measure measure, const char *reference,
                                const char *const *method, int64_t methods,
                                study_differences *differences)
{
    *differences = (study_differences){.ctx = ctx};
    const study_row **base = memory_new(ctx, results->count, sizeof *base, "a reference's runs");
    const study_row **rows = memory_new(ctx, results->count, sizeof *rows, "a method's runs");
    double *value = memory_new(ctx, results->count, sizeof *value, "differences of runs");
    differences->difference =
        memory_new(ctx, methods, sizeof *differences->difference, "differences of methods");
    const bool fits = base && rows && value && differences->difference;
    const int64_t bases = fits ? rows_of(results, reference, measure, base) : 0;
    for (int64_t m = 0; m < methods && fits; m++) {
        if (!strcmp(method[m], reference))
            continue;
        const int64_t count = rows_of(results, method[m], measure, rows);
        const int64_t pairs = pair_rows(rows, count, base, bases, measure, value);
        if (pairs)
            differences->difference[differences->count++] = difference_of(method[m], value, pairs);
    }
    memory_free(ctx, value);
    memory_free(ctx, rows);
    memory_free(ctx, base);
    if (!fits)
        differences_free(differences);
    return fits ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}
