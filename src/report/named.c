#include "report/named.h"

#include <inttypes.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/csv_text.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "report/text_file.h"

/* The class by its name where it has one. */
static void write_label(FILE *file, const orthant_labels *labels, int64_t row)
{
    fputc(',', file);
    if (!labels || row >= labels->count)
        return;
    const char *name = orthant_labels_name(labels, labels->values[row]);
    if (name)
        csv_write_string(file, name);
    else
        fprintf(file, "%" PRId64, labels->values[row]);
}

static void write_rows(FILE *file, const orthant_run *run)
{
    const name_list *names = &run->samples->sample_names;
    fputs("sample,name,class,cluster\n", file);
    for (int64_t i = 0; i < names->count; i++) {
        fprintf(file, "%" PRId64 ",", run->sample_rows ? run->sample_rows->values[i] : i);
        csv_write_string(file, names_at(names, i));
        write_label(file, run->truth_labels, i);
        write_label(file, run->labels, i);
        fputc('\n', file);
    }
}

orthant_status named_write_samples(orthant_context *ctx, const orthant_run *run, const char *folder)
{
    file_writer writer;
    const int64_t names = run->samples ? run->samples->sample_names.count : 0;
    const bool fits = !run->sample_rows || run->sample_rows->count == names;
    if (!run->sample_rows && !names)
        return ORTHANT_OK;
    char *path = path_join(ctx, folder, "samples.csv");
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = ORTHANT_OK;
    if (!names || !fits) {
        status = orthant_labels_write(ctx, run->sample_rows, path);
    } else if (!(status = file_write_begin(ctx, path, &writer))) {
        write_rows(writer.file, run);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    return status;
}

bool named_features(const orthant_run *run, const orthant_matrix *basis)
{
    return basis && run->samples && run->samples->feature_names.count == basis->rows &&
           !run->samples->picture.height;
}

orthant_status named_write_basis(orthant_context *ctx, const orthant_run *run,
                                 const orthant_matrix *basis, const char *folder)
{
    file_writer writer;
    char *path = path_join(ctx, folder, "basis.csv");
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        fputs("feature", writer.file);
        for (int64_t j = 0; j < basis->columns; j++)
            fprintf(writer.file, ",part %" PRId64, j);
        fputc('\n', writer.file);
        for (int64_t i = 0; i < basis->rows; i++) {
            csv_write_string(writer.file, names_at(&run->samples->feature_names, i));
            for (int64_t j = 0; j < basis->columns; j++)
                fprintf(writer.file, ",%.9g", matrix_value(basis, i * basis->stride + j));
            fputc('\n', writer.file);
        }
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    return status;
}
