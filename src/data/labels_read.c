/* Labels from and to files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/part.h"
#include "data/beside.h"
#include "data/csv_labels.h"
#include "data/kind.h"
#include "data/labels.h"
#include "data/read.h"

/* ---- text -------------------------------------------------------------------------------------
 */

/* All labels in one line. */
static orthant_status read_line(csv_table *table, orthant_labels **labels)
{
    piece row, field = {NULL, NULL};
    orthant_status status = ORTHANT_OK;
    int64_t *values = memory_new(table->text.ctx, table->columns, sizeof *values, "labels");
    if (!values)
        return ORTHANT_ERROR_MEMORY;
    csv_row(table, &row);
    for (int64_t j = 0; j < table->columns && status == ORTHANT_OK; j++) {
        csv_field(table, &row, &field);
        status = csv_read_label(table, j, field, &values[j]);
    }
    if (status == ORTHANT_OK)
        status = orthant_labels_create(table->text.ctx, table->columns, values, labels);
    memory_free(table->text.ctx, values);
    return status;
}

static orthant_status read_text(orthant_context *ctx, const char *path, const char *wanted,
                                orthant_labels **labels)
{
    csv_table table;
    int64_t column = 0;
    orthant_status status = csv_open(ctx, path, &table);
    if (status != ORTHANT_OK)
        return status;
    if (!wanted && table.rows == 1 && !table.header) {
        status = read_line(&table, labels);
    } else {
        status = csv_choose_column(&table, wanted, &column);
        if (status == ORTHANT_OK && !wanted)
            csv_take_header_as_label(&table);
        if (status == ORTHANT_OK)
            status = csv_read_labels(&table, column, labels);
    }
    csv_close(&table);
    return status;
}

/* ---- arrays -----------------------------------------------------------------------------------
 */

/* Through the reader of data, in double so that every label keeps its digits. */
static orthant_status read_array(orthant_context *ctx, const char *path, const char *variable,
                                 data_reader reader, orthant_labels **labels)
{
    orthant_read_options options = {.size = sizeof options,
                                    .variable = variable,
                                    .truth = reader == read_npz && !variable ? NULL : "none"};
    const orthant_precision precision = ctx->precision;
    orthant_matrix *matrix = NULL;
    ctx->precision = ORTHANT_DOUBLE;
    orthant_status status = reader(ctx, path, &options, &matrix, labels);
    ctx->precision = precision;
    if (status == ORTHANT_OK && !*labels)
        status = labels_from_matrix(ctx, path, matrix, labels);
    orthant_matrix_free(matrix);
    return status;
}

static orthant_status read_file(orthant_context *ctx, const char *path, const char *inside,
                                orthant_labels **labels)
{
    file_kind kind;
    const orthant_status status = kind_of_file(ctx, path, &kind);
    if (status != ORTHANT_OK)
        return status;
    switch (kind) {
    case KIND_FOLDER:
        return fail(ctx, ORTHANT_ERROR_IO, "%s: is a folder, expected a file of labels", path);
    case KIND_MAT: return labels_read_mat(ctx, path, inside, labels);
    case KIND_NPY: return read_array(ctx, path, NULL, read_npy, labels);
    case KIND_IDX: return read_array(ctx, path, NULL, read_idx, labels);
    case KIND_MTX: return read_array(ctx, path, NULL, read_mtx, labels);
    case KIND_NPZ: return read_array(ctx, path, inside, read_npz, labels);
    case KIND_HDF5: return read_array(ctx, path, inside, read_hdf5, labels);
    case KIND_CSV:
    case KIND_CSR:
    case KIND_UNKNOWN: break;
    }
    return read_text(ctx, path, inside, labels);
}

orthant_status orthant_labels_read(orthant_context *context, const char *path,
                                   orthant_labels **labels)
{
    char *file = NULL;
    const char *inside = NULL;
    if (labels)
        *labels = NULL;
    const orthant_status refused = entry_check(context, path && labels, __func__);
    if (refused)
        return refused;
    orthant_status status = file_split(context, path, &file, &inside);
    if (status == ORTHANT_OK)
        status = read_file(context, file, inside, labels);
    if (status == ORTHANT_OK)
        status = labels_set_source(labels, path, NULL);
    memory_free(context, file);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static void put_integer(FILE *file, int64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)value >> 8 * i);
    fwrite(bytes, 1, sizeof bytes, file);
}

/* printf takes several times as long. */
static void put_line(FILE *file, int64_t value)
{
    char text[24], *end = text + sizeof text, *at = end;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *--at = '\n';
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0)
        *--at = '-';
    fwrite(at, 1, (size_t)(end - at), file);
}

orthant_status orthant_labels_write(orthant_context *context, const orthant_labels *labels,
                                    const char *path)
{
    file_writer writer;
    char ending[16];
    const orthant_status refused = entry_check(context, labels && path, __func__);
    if (refused)
        return refused;
    file_ending(path, ending);
    const bool npy = strcmp(ending, "npy") == 0;
    if (!npy && strcmp(ending, "csv") != 0 && strcmp(ending, "txt") != 0 && ending[0])
        return fail(context, ORTHANT_ERROR_ARGUMENT, "%s: labels are written as .csv, .txt or .npy",
                    path);
    part_sweep_file(path);
    const orthant_status status = file_write_begin(context, path, &writer);
    if (status != ORTHANT_OK)
        return status;
    if (npy)
        write_npy_header(writer.file, "<i8", labels->count, -1);
    for (int64_t i = 0; i < labels->count; i++) {
        if (npy)
            put_integer(writer.file, labels->values[i]);
        else
            put_line(writer.file, labels->values[i]);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

orthant_status labels_path_beside(orthant_context *ctx, const char *path, char **beside)
{
    return beside_path(ctx, path, ".labels.csv", beside);
}
