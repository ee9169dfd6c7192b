/* The sizes of the data sets that a paper takes, counted in the files. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "report/text_file.h"
#include "reproduce/datasets.h"
#include "reproduce/made_tables.h"

typedef struct counted {
    bool missing;
    int64_t samples, features, classes;
} counted;

/* Samples that the paper leaves out have no label. */
static orthant_status count(const dataset *found, counted *size)
{
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    *size = (counted){.missing = found->missing};
    const orthant_status status =
        found->missing ? ORTHANT_OK : dataset_read(found, &samples, &truth);
    for (int64_t i = 0; !status && truth && i < orthant_labels_count(truth); i++)
        size->samples += orthant_labels_values(truth)[i] >= 0;
    if (!status && truth) {
        size->features = orthant_matrix_columns(samples);
        size->classes = orthant_labels_classes(truth);
    }
    orthant_matrix_free(samples);
    orthant_labels_free(truth);
    return status;
}

static void add_row(sheet *page, const protocol_size *printed, const counted *size)
{
    const int64_t ours[3] = {size->samples, size->features, size->classes},
                  theirs[3] = {printed->samples, printed->features, printed->classes};
    sheet_add_row(page, false);
    sheet_add_text(page, printed->dataset);
    for (int i = 0; i < 3; i++) {
        sheet_add_number(page, size->missing ? (double)NAN : (double)ours[i]);
        sheet_add_number(page, (double)theirs[i]);
    }
    sheet_add_text(page, size->missing                        ? "data not here"
                         : !memcmp(ours, theirs, sizeof ours) ? "the same"
                                                              : "differs");
}

orthant_status sizes_make(const made_table *asked)
{
    orthant_context *ctx = asked->ctx;
    const protocol_table *table = asked->table;
    static const char *const columns[] = {"samples",          "paper's samples", "features",
                                          "paper's features", "classes",         "paper's classes"};
    char name[64], caption[120];
    orthant_status status = ORTHANT_OK;
    snprintf(name, sizeof name, "table-%.20s-sizes", table->number);
    snprintf(caption, sizeof caption,
             "Table %.20s: sizes of the data sets as the files have them, beside the paper's.",
             table->number);
    sheet *page = sheet_new(ctx, name, caption);
    sheet_add_column(page, "data set", -1);
    for (int i = 0; i < 6; i++)
        sheet_add_column(page, columns[i], 0);
    sheet_add_column(page, "verdict", -1);
    char *made = path_join(ctx, asked->request->output, "data");
    if (!made)
        status = ORTHANT_ERROR_MEMORY;
    for (const protocol_size *printed = table->sizes; printed->dataset && !status; printed++) {
        dataset found;
        counted size;
        status = dataset_find(ctx, asked->request->data, made, printed->dataset, 0, &found);
        if (status)
            break;
        status = count(&found, &size);
        if (!status)
            add_row(page, printed, &size);
        dataset_free(&found);
    }
    memory_free(ctx, made);
    return made_table_add(asked, status, page);
}
