/* The names of new samples' features beside those that the run was fitted to: columns that stand in
 * another order, or are others, would be encoded without a word. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "data/csv.h"
#include "data/csv_text.h"
#include "data/matrix.h"
#include "report/saved_run.h"

/* The first column of basis.csv, below its header. */
static orthant_status read_names(orthant_context *ctx, const char *path, name_list *names)
{
    csv_table table;
    piece row, field;
    orthant_status status = csv_open(ctx, path, &table);
    if (status)
        return status;
    for (int64_t i = 0; i < table.chunk_count && !status; i++) {
        csv_table part = csv_part(&table, i);
        while (!status && csv_row(&part, &row) && csv_field(&part, &row, &field)) {
            const size_t size = (size_t)(field.end - field.begin) + 1;
            char *text = memory_new(ctx, (int64_t)size, 1, "a name");
            if (!text) {
                status = ORTHANT_ERROR_MEMORY;
                break;
            }
            csv_copy_text(field, text, size);
            status = names_add(ctx, names, text);
            memory_free(ctx, text);
        }
    }
    csv_close(&table);
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether both lists hold the same names. */
static orthant_status same_names(orthant_context *ctx, const name_list *a, const name_list *b,
                                 bool *same)
{
    const int64_t count = a->count;
    const char **sorted = memory_new(ctx, count, 2 * sizeof *sorted, "names");
    if (!sorted)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        sorted[i] = names_at(a, i);
        sorted[count + i] = names_at(b, i);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_texts);
    qsort(sorted + count, (size_t)count, sizeof *sorted, compare_texts);
    *same = true;
    for (int64_t i = 0; i < count && *same; i++)
        *same = !strcmp(sorted[i], sorted[count + i]);
    memory_free(ctx, (void *)sorted);
    return ORTHANT_OK;
}

static orthant_status compare_names(const orthant_saved_run *saved, const orthant_matrix *samples,
                                    const name_list *own)
{
    const name_list *given = &samples->feature_names;
    int64_t at = 0;
    bool permuted = false;
    /* another number of features is told where they meet the basis */
    if (own->count != given->count)
        return ORTHANT_OK;
    while (at < own->count && !strcmp(names_at(own, at), names_at(given, at)))
        at++;
    if (at == own->count)
        return ORTHANT_OK;
    const orthant_status status = same_names(saved->ctx, own, given, &permuted);
    return status ? status
                  : fail(saved->ctx, ORTHANT_ERROR_DATA,
                         "%s: feature %" PRId64 " is '%.60s', and '%.60s' in %s%s",
                         samples->name ? samples->name : "the new samples", at + 1,
                         names_at(given, at), names_at(own, at), saved->folder,
                         permuted ? ": the features are the same in another order; bring them to "
                                    "that of the run"
                                  : ": new samples need the features of the run, in its order; "
                                    "data without names are taken as they are");
}

orthant_status saved_run_check_names(const orthant_saved_run *saved, const orthant_matrix *samples)
{
    char *path = NULL;
    name_list own = {0};
    if (!samples || !samples->feature_names.count ||
        samples->feature_names.count != samples->columns)
        return ORTHANT_OK;
    orthant_status status =
        contents_find(saved->ctx, saved->folder, saved->json, "basis.csv", &path);
    if (!status && path)
        status = read_names(saved->ctx, path, &own);
    if (!status && path)
        status = compare_names(saved, samples, &own);
    names_free(saved->ctx, &own);
    memory_free(saved->ctx, path);
    return status;
}
