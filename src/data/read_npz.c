/* NumPy's archives: a zip file of .npy arrays, among them the sparse matrices of
 * scipy.sparse.save_npz. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/labels.h"
#include "data/npy.h"
#include "data/read.h"
#include "data/zip.h"

/* An array of the archive, opened up to its first entry. */
typedef struct npz_array {
    stream in;
    npy_header header;
    char name[256]; /* "file.npz:X" */
} npz_array;

static orthant_status array_open(const zip_archive *archive, const zip_member *member,
                                 npz_array *array)
{
    *array = (npz_array){.name = ""};
    snprintf(array->name, sizeof array->name, "%s:%s", archive->path, member->name);
    orthant_status status =
        stream_open_part(archive->ctx, archive->path, array->name, member->part, &array->in);
    if (status != ORTHANT_OK)
        return status;
    status = npy_read_header(&array->in, &array->header);
    if (status != ORTHANT_OK)
        stream_close(&array->in);
    return status;
}

static orthant_status read_member(const zip_archive *archive, const zip_member *member,
                                  orthant_precision precision, orthant_matrix **matrix)
{
    npz_array array;
    *matrix = NULL;
    orthant_status status = array_open(archive, member, &array);
    if (status != ORTHANT_OK)
        return status;
    status = npy_read_entries(&array.in, &array.header, precision, matrix);
    stream_close(&array.in);
    return status;
}

/* ---- which array ------------------------------------------------------------------------------
 */

static void describe(const zip_archive *archive, char *text, size_t size)
{
    for (int64_t i = 0; i < archive->count; i++) {
        npz_array array;
        text_append(text, size, "%s'%s'", i ? ", " : "", archive->members[i].name);
        if (array_open(archive, &archive->members[i], &array) != ORTHANT_OK)
            continue;
        for (int d = 0; d < array.header.shape.dimensions; d++)
            text_append(text, size, "%s%" PRId64, d ? " x " : " (", array.header.shape.extent[d]);
        text_append(text, size, "%s", array.header.shape.dimensions ? ")" : "");
        stream_close(&array.in);
    }
}

static orthant_status fail_choice(const zip_archive *archive, const char *variable)
{
    char held[512] = "";
    describe(archive, held, sizeof held);
    if (variable)
        return fail(archive->ctx, ORTHANT_ERROR_ARGUMENT, "%s: no variable '%s'; it holds %s",
                    archive->path, variable, held[0] ? held : "nothing");
    return fail(archive->ctx, ORTHANT_ERROR_ARGUMENT,
                "%s: no array that is clearly the data; it holds %s. Choose one with --variable",
                archive->path, held[0] ? held : "nothing");
}

static bool is_table(const zip_archive *archive, const zip_member *member)
{
    npz_array array;
    if (array_open(archive, member, &array) != ORTHANT_OK)
        return false;
    const bool table = array.header.type.kind != 0 && array.header.shape.dimensions >= 2;
    stream_close(&array.in);
    return table;
}

static const zip_member *find_data(const zip_archive *archive)
{
    static const char *const names[] = {"X", "data", "fea", "arr_0"};
    const zip_member *only = NULL;
    int64_t tables = 0;
    for (int64_t i = 0; i < archive->count; i++)
        if (is_table(archive, &archive->members[i])) {
            only = &archive->members[i];
            tables++;
        }
    if (tables == 1)
        return only;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const zip_member *named = zip_find(archive, names[i]);
        if (named && (tables == 0 || is_table(archive, named)))
            return named;
    }
    return NULL;
}

/* ---- sparse matrices --------------------------------------------------------------------------
 */

/* "csr" or "csc" out of the archive's array of characters, one or four bytes each. */
static orthant_status read_format(const zip_archive *archive, char format[8])
{
    npz_array array;
    unsigned char bytes[64];
    int64_t got = 0;
    size_t length = 0;
    orthant_status status = array_open(archive, zip_find(archive, "format"), &array);
    if (status != ORTHANT_OK)
        return status;
    status = stream_read(&array.in, bytes, sizeof bytes, &got);
    for (int64_t i = 0; i < got && length < 7; i++)
        if (bytes[i])
            format[length++] = (char)bytes[i];
    format[length] = '\0';
    stream_close(&array.in);
    return status;
}

/* Whole numbers of a 1-D array, to be freed. */
static orthant_status read_integers(const zip_archive *archive, const char *name, int64_t **values,
                                    int64_t *count)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *labels = NULL;
    *values = NULL;
    *count = 0;
    orthant_status status = read_member(archive, zip_find(archive, name), ORTHANT_DOUBLE, &matrix);
    if (status == ORTHANT_OK && matrix->rows == 0) {
        *values = memory_new(archive->ctx, 0, sizeof **values, name);
        status = *values ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    } else if (status == ORTHANT_OK) {
        status = labels_from_matrix(archive->ctx, name, matrix, &labels);
    }
    if (labels) {
        *count = labels->count;
        *values = labels->values;
        labels->values = NULL;
    }
    orthant_labels_free(labels);
    orthant_matrix_free(matrix);
    return status;
}

/* The outer index (row of CSR, column of CSC) of each entry, from where the rows start. */
static orthant_status expand_starts(const zip_archive *archive, const int64_t *start, int64_t outer,
                                    int64_t count, int64_t **index)
{
    for (int64_t i = 0; i < outer; i++)
        if (start[0] != 0 || start[i + 1] < start[i] || start[outer] != count)
            return fail(archive->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: 'indptr' is damaged at %" PRId64
                        ": expected to rise from 0 to %" PRId64,
                        archive->path, i + 1, count);
    *index = memory_new(archive->ctx, count, sizeof **index, "a sparse matrix's rows");
    if (!*index)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < outer; i++)
        for (int64_t p = start[i]; p < start[i + 1]; p++)
            (*index)[p] = i;
    return ORTHANT_OK;
}

/* The arrays of a sparse matrix as they stand in the archive. */
typedef struct sparse_arrays {
    int64_t *shape, *start, *index;
    orthant_matrix *data;
    bool by_column;
} sparse_arrays;

static orthant_status load_sparse(const zip_archive *archive, sparse_arrays *sparse)
{
    static const char *const parts[] = {"indptr", "indices", "data"};
    char format[8] = "";
    int64_t dimensions = 0, starts = 0, indices = 0;
    orthant_status status = read_format(archive, format);
    if (status == ORTHANT_OK && strcmp(format, "csr") != 0 && strcmp(format, "csc") != 0)
        return fail(
            archive->ctx, ORTHANT_ERROR_UNSUPPORTED,
            "%s: a sparse matrix in format '%s', expected csr or csc (scipy: matrix.tocsr())",
            archive->path, format);
    sparse->by_column = strcmp(format, "csc") == 0;
    for (int i = 0; i < 3 && status == ORTHANT_OK; i++)
        if (!zip_find(archive, parts[i]))
            status = fail(archive->ctx, ORTHANT_ERROR_FORMAT, "%s: a sparse matrix without '%s'",
                          archive->path, parts[i]);
    if (status == ORTHANT_OK)
        status = read_integers(archive, "shape", &sparse->shape, &dimensions);
    if (status == ORTHANT_OK)
        status = read_integers(archive, "indptr", &sparse->start, &starts);
    if (status == ORTHANT_OK)
        status = read_integers(archive, "indices", &sparse->index, &indices);
    if (status == ORTHANT_OK)
        status = read_member(archive, zip_find(archive, "data"), ORTHANT_DOUBLE, &sparse->data);
    if (status != ORTHANT_OK)
        return status;
    if (dimensions != 2 || sparse->shape[0] < 0 || sparse->shape[1] < 0)
        return fail(archive->ctx, ORTHANT_ERROR_FORMAT, "%s: 'shape' does not hold two sizes",
                    archive->path);
    if (!sparse_rows_plausible(sparse->shape[0], sparse->data->rows))
        return fail(archive->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: 'shape' promises %" PRId64 " rows, but there are %" PRId64 " entries",
                    archive->path, sparse->shape[0], sparse->data->rows);
    const int64_t outer = sparse->shape[sparse->by_column ? 1 : 0];
    if (starts - 1 != outer || indices != sparse->data->rows || sparse->data->columns != 1)
        return fail(archive->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " starts, %" PRId64 " indices and %" PRId64
                    " entries, expected %" PRId64 " starts and as many indices as entries",
                    archive->path, starts, indices, sparse->data->rows, outer + 1);
    return ORTHANT_OK;
}

static orthant_status read_sparse(const zip_archive *archive, orthant_matrix **found)
{
    sparse_arrays sparse = {0};
    int64_t *outer = NULL;
    orthant_status status = load_sparse(archive, &sparse);
    if (status != ORTHANT_OK)
        goto done;
    const int64_t count = sparse.data->rows, extent = sparse.shape[sparse.by_column ? 1 : 0];
    status = expand_starts(archive, sparse.start, extent, count, &outer);
    if (status != ORTHANT_OK)
        goto done;
    for (int64_t p = 0; p < count; p++)
        if (sparse.index[p] < 0 || sparse.index[p] >= sparse.shape[sparse.by_column ? 0 : 1]) {
            status = fail(archive->ctx, ORTHANT_ERROR_FORMAT,
                          "%s: 'indices' holds %" PRId64 " at %" PRId64 ", expected 0 to %" PRId64,
                          archive->path, sparse.index[p], p + 1,
                          sparse.shape[sparse.by_column ? 0 : 1] - 1);
            goto done;
        }
    status =
        matrix_from_triplets(archive->ctx, archive->ctx->precision, sparse.shape[0],
                             sparse.shape[1], count, sparse.by_column ? sparse.index : outer,
                             sparse.by_column ? outer : sparse.index, sparse.data->values, found);
done:
    memory_free(archive->ctx, outer);
    memory_free(archive->ctx, sparse.shape);
    memory_free(archive->ctx, sparse.start);
    memory_free(archive->ctx, sparse.index);
    orthant_matrix_free(sparse.data);
    return status;
}

/* ---- labels and the entry ---------------------------------------------------------------------
 */

static orthant_status read_truth(const zip_archive *archive, const char *wanted,
                                 orthant_labels **truth)
{
    static const char *const names[] = {"y", "labels", "gnd", "target"};
    const zip_member *member = wanted ? zip_find(archive, wanted) : NULL;
    orthant_matrix *matrix = NULL;
    for (size_t i = 0; !wanted && !member && i < sizeof names / sizeof *names; i++)
        member = zip_find(archive, names[i]);
    if (!member)
        return ORTHANT_OK;
    orthant_status status = read_member(archive, member, ORTHANT_DOUBLE, &matrix);
    if (status == ORTHANT_OK)
        status = labels_from_matrix(archive->ctx, member->name, matrix, truth);
    /* A 'y' that was not asked for may be anything, a regression's target for one. */
    if (status == ORTHANT_ERROR_FORMAT && !wanted) {
        log_note(archive->ctx, "%s: '%s' is not taken as labels: %s", archive->path, member->name,
                 orthant_message(archive->ctx));
        status = ORTHANT_OK;
    }
    orthant_matrix_free(matrix);
    return status;
}

static orthant_status read_data(const zip_archive *archive, const char *variable,
                                orthant_matrix **found)
{
    const bool sparse = zip_find(archive, "format") && zip_find(archive, "shape");
    if (sparse && !variable)
        return read_sparse(archive, found);
    const zip_member *member = variable ? zip_find(archive, variable) : find_data(archive);
    return member ? read_member(archive, member, archive->ctx->precision, found)
                  : fail_choice(archive, variable);
}

orthant_status read_npz(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    zip_archive archive;
    *found = NULL;
    *truth = NULL;
    orthant_status status = zip_open(ctx, path, &archive);
    if (status != ORTHANT_OK)
        return status;
    status = read_data(&archive, options->variable, found);
    if (status == ORTHANT_OK && (!options->truth || strcmp(options->truth, "none") != 0))
        status = read_truth(&archive, options->truth, truth);
    if (status != ORTHANT_OK) {
        orthant_matrix_free(*found);
        *found = NULL;
    }
    zip_close(&archive);
    return status;
}
