/* From any readable file to one whose rows can be read one by one, without holding it whole. */
#include "data/convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/part.h"
#include "core/pieces.h"
#include "core/sized.h"
#include "data/beside.h"
#include "data/labels.h"
#include "data/npy.h"
#include "data/read.h"
#include "data/row_file.h"

/* ---- arrays ---- */

/* How much a packed file holds shows at its end. */
static orthant_status check_end(conversion *c, stream *in)
{
    unsigned char byte;
    int64_t more = 0;
    const orthant_status status = stream_read(in, &byte, 1, &more);
    if (!status && more > 0)
        return fail(c->ctx, ORTHANT_ERROR_FORMAT, "%s: more data than its header says", in->name);
    return status;
}

static orthant_status copy_rows(conversion *c, row_sink *sink, stream *in, element type,
                                int64_t rows, int64_t columns)
{
    orthant_status status = row_sink_begin(sink, rows, columns, false);
    if (status)
        return status;
    const int64_t step =
        row_sink_step(c->ctx, columns * (int64_t)precision_size(c->ctx->precision));
    for (int64_t first = 0; first < rows && !status; first += step) {
        orthant_matrix *block = NULL;
        status = matrix_new_dense(c->ctx, c->ctx->precision, smaller(step, rows - first), columns,
                                  &block);
        if (!status)
            status = element_read_values(in, type, block->rows * columns, block);
        if (!status)
            status = row_sink_add(sink, block);
        orthant_matrix_free(block);
    }
    return status ? status : check_end(c, in);
}

orthant_status convert_array(conversion *c, stream *in, element type, element_shape shape)
{
    int64_t columns = 1, count = 0;
    row_sink transposing;
    c->done = shape.dimensions < 2 || !shape.first_fastest || shape.dimensions == 2;
    if (!c->done)
        return ORTHANT_OK;
    if (type.kind == 0)
        return fail(c->ctx, ORTHANT_ERROR_FORMAT, "%s: holds texts, expected numbers", in->name);
    if (shape.dimensions == 0)
        shape = (element_shape){.dimensions = 1, .extent = {1}};
    orthant_status status = element_measure(in, type, &shape, &columns, &count);
    if (status)
        return status;
    if (!shape.first_fastest || shape.dimensions < 2)
        return copy_rows(c, c->sink, in, type, shape.extent[0], columns);
    row_sink_transpose(c->sink, &transposing);
    status = copy_rows(c, &transposing, in, type, columns, shape.extent[0]);
    return row_sink_end(&transposing, status);
}

static orthant_status convert_npy(conversion *c)
{
    stream in;
    npy_header header;
    orthant_status status = stream_open(c->ctx, c->path, &in);
    if (status)
        return status;
    status = npy_read_header(&in, &header);
    if (!status)
        status = convert_array(c, &in, header.type, header.shape);
    stream_close(&in);
    return status;
}

/* ---- our container ---- */

/* As many rows as hold so many bytes, at least one. */
static int64_t rows_within(const row_file *file, int64_t first, int64_t bytes)
{
    const int64_t entry = (int64_t)(precision_size(file->precision) + sizeof(int32_t));
    int64_t rows = 1;
    while (first + rows < file->rows &&
           row_file_stored(file, first, rows + 1) * entry + rows * 8 <= bytes)
        rows++;
    return rows;
}

static orthant_status copy_block(conversion *c, const row_file *file, int64_t first, int64_t rows)
{
    row_failure failure = {ORTHANT_OK, ""};
    orthant_matrix *block = NULL;
    orthant_status status = matrix_new_sparse(c->ctx, file->precision, rows, file->columns,
                                              row_file_stored(file, first, rows), &block);
    if (!status)
        row_file_starts(file, first, rows, block->row_start);
    if (!status &&
        !row_file_read(file, first, rows,
                       (row_target){block->values, block->row_start, block->column}, &failure))
        status = fail(c->ctx, failure.status, "%s", failure.message);
    if (!status)
        status = row_sink_add(c->sink, block);
    orthant_matrix_free(block);
    return status;
}

static orthant_status convert_csr(conversion *c)
{
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    row_file *file = NULL;
    orthant_status status = row_file_open(c->ctx, c->path, &options, &file);
    if (status)
        return status;
    c->done = true;
    row_file_sum_csr(file);
    status = row_sink_begin(c->sink, file->rows, file->columns, true);
    for (int64_t first = 0, rows; first < file->rows && !status; first += rows) {
        rows = rows_within(file, first, row_sink_step(c->ctx, 1));
        status = copy_block(c, file, first, rows);
    }
    if (!status)
        status = row_file_compare_csr(file);
    row_file_close(file);
    return status;
}

/* ---- what memory holds ---- */

/* No such file holds names itself. */
static orthant_status convert_whole(conversion *c)
{
    orthant_read_options options = *c->options;
    orthant_matrix *matrix = NULL;
    options.transpose = false;
    orthant_status status =
        orthant_matrix_read(c->ctx, c->path, &options, &matrix, c->labels ? NULL : &c->labels);
    if (!status)
        status = row_sink_begin(c->sink, matrix->rows, matrix->columns, matrix->sparse);
    if (!status)
        status = row_sink_add(c->sink, matrix);
    orthant_matrix_free(matrix);
    return status;
}

/* ---- the whole ---- */

/* A .mat file of version 7.3, by the text that MATLAB begins it with. */
static bool is_hdf5(const char *path)
{
    static const char text[] = "MATLAB 7.3";
    char start[sizeof text] = "";
    FILE *file = fopen(path, "rb");
    const bool read = file && fread(start, 1, sizeof text - 1, file) == sizeof text - 1;
    if (file)
        fclose(file);
    return read && memcmp(start, text, sizeof text - 1) == 0;
}

/* A column of a table that is no feature. */
static orthant_status read_column(conversion *c)
{
    const size_t size = strlen(c->path) + 24;
    char *address = memory_new(c->ctx, (int64_t)size, 1, "a file's name");
    if (!address)
        return ORTHANT_ERROR_MEMORY;
    snprintf(address, size, "%s:%" PRId64, c->path, c->left_out);
    const orthant_status status = orthant_labels_read(c->ctx, address, &c->labels);
    memory_free(c->ctx, address);
    return status;
}

static orthant_status convert_rows(conversion *c)
{
    const char *truth = c->options->truth;
    file_kind kind;
    orthant_status status = kind_of_file(c->ctx, c->path, &kind);
    if (status)
        return status;
    switch (kind) {
    case KIND_NPY: status = convert_npy(c); break;
    case KIND_NPZ: status = convert_npz(c); break;
    case KIND_CSV: status = convert_csv(c); break;
    case KIND_MTX: status = convert_mtx(c); break;
    case KIND_IDX: status = convert_idx(c); break;
    case KIND_HDF5: status = convert_hdf5(c, false); break;
    case KIND_MAT: status = is_hdf5(c->path) ? convert_hdf5(c, true) : ORTHANT_OK; break;
    case KIND_FOLDER: status = convert_images(c); break;
    case KIND_CSR: status = convert_csr(c); break;
    case KIND_UNKNOWN: break;
    }
    if (!status && !c->done)
        status = convert_whole(c);
    else if (!status && c->left_out)
        status = read_column(c);
    return status ? status : read_find_truth(c->ctx, c->path, kind, truth, &c->labels);
}

static orthant_status check_labels(const conversion *c)
{
    const int64_t samples = c->options->transpose ? c->sink->columns : c->sink->rows;
    if (c->labels->count == samples)
        return ORTHANT_OK;
    return fail(c->ctx, ORTHANT_ERROR_DATA,
                "%s: found %" PRId64 " labels, expected one for each of the %" PRId64
                " samples; truth = 'none' leaves them out",
                c->path, c->labels->count, samples);
}

static orthant_status refuse_beside(const conversion *c, const char *to, const char *ending,
                                    const char *what)
{
    char *beside = NULL;
    orthant_status status = beside_path(c->ctx, to, ending, &beside);
    if (!status)
        status = fail(c->ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: is there already and would be taken for the %s of %s, but %s has "
                      "none; move it away or write to another name",
                      beside, what, to, c->path);
    memory_free(c->ctx, beside);
    return status;
}

/* A file that already lies where readers look for the labels of what is made would be its truth.
 * The data's own may: they are of the same samples. */
static orthant_status check_truth(const conversion *c, const char *to)
{
    char *beside = NULL, *own = NULL;
    if (c->labels)
        return check_labels(c);
    orthant_status status = labels_path_beside(c->ctx, to, &beside);
    if (!status)
        status = labels_path_beside(c->ctx, c->path, &own);
    if (!status && file_exists(beside) && !file_same(beside, own))
        status = refuse_beside(c, to, ".labels.csv", "labels");
    memory_free(c->ctx, own);
    memory_free(c->ctx, beside);
    return status;
}

/* Names of a source that holds none lie beside it. Where there are none either, names that lie
 * beside what is made, and are as many as its own would be, are of other data. */
static orthant_status find_names(conversion *c, const char *to)
{
    const int64_t samples = c->file.rows, features = c->file.columns;
    if (c->options->transpose) {
        const name_list rows = c->rows;
        c->rows = c->columns;
        c->columns = rows;
    }
    orthant_status status =
        beside_find_names(c->ctx, c->path, samples, features, &c->rows, &c->columns);
    const bool rows_named = c->rows.count > 0, columns_named = c->columns.count > 0;
    if (!status)
        status = beside_find_names(c->ctx, to, samples, features, &c->rows, &c->columns);
    if (!status && !rows_named && c->rows.count)
        status = refuse_beside(c, to, ".samples.txt", "samples' names");
    if (!status && !columns_named && c->columns.count)
        status = refuse_beside(c, to, ".words.txt", "features' names");
    return status;
}

/* Labels and names go beside the file that is made, where every reader finds them. */
static orthant_status write_beside(const conversion *c, const char *to)
{
    orthant_status status = c->labels ? beside_write_labels(c->ctx, c->labels, to) : ORTHANT_OK;
    if (!status)
        status = beside_write_names(c->ctx, &c->rows, to, ".samples.txt");
    if (!status)
        status = beside_write_names(c->ctx, &c->columns, to, ".words.txt");
    return status;
}

static orthant_status convert(conversion *c, const char *to)
{
    orthant_status status = row_sink_open(c->ctx, to, &c->file);
    if (status)
        return status;
    part_sweep_file(to);
    c->sink = &c->file;
    if (c->options->transpose) {
        row_sink_transpose(&c->file, &c->transposing);
        c->sink = &c->transposing;
    }
    /* at once where it is known that there will be no labels */
    if (c->options->truth && strcmp(c->options->truth, "none") == 0)
        status = check_truth(c, to);
    if (!status)
        status = convert_rows(c);
    if (!status)
        status = check_truth(c, to);
    if (c->options->transpose)
        status = row_sink_end(&c->transposing, status);
    if (!status)
        status = find_names(c, to);
    status = row_sink_end(&c->file, status);
    return status ? status : write_beside(c, to);
}

orthant_status orthant_convert(orthant_context *context, const char *from,
                               const orthant_read_options *options, const char *to)
{
    orthant_read_options used = ORTHANT_READ_DEFAULTS;
    char *path = NULL;
    const char *inside = NULL;
    const orthant_status refused = entry_check(context, from && to, __func__);
    if (refused)
        return refused;
    orthant_status status =
        options ? sized_take(context, __func__, options, &used, sizeof used) : ORTHANT_OK;
    if (!status)
        status = file_split(context, from, &path, &inside);
    if (status)
        return status;
    if (inside)
        used.variable = inside;
    if (file_same(path, to))
        status = fail(context, ORTHANT_ERROR_ARGUMENT, "%s: cannot be converted to itself", from);
    conversion c = {.ctx = context, .path = path, .options = &used};
    if (!status)
        status = memory_name_file(context, path, convert(&c, to));
    names_free(context, &c.rows);
    names_free(context, &c.columns);
    orthant_labels_free(c.labels);
    memory_free(context, path);
    return status;
}
