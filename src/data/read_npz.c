/* NumPy's archives: a zip file of .npy arrays, among them the sparse matrices of
 * scipy.sparse.save_npz. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/convert.h"
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
                                 npz_array *npy)
{
    *npy = (npz_array){.name = ""};
    snprintf(npy->name, sizeof npy->name, "%s:%s", archive->path, member->name);
    orthant_status status =
        stream_open_part(archive->ctx, archive->path, npy->name, member->part, &npy->in);
    if (status != ORTHANT_OK)
        return status;
    status = npy_read_header(&npy->in, &npy->header);
    if (status != ORTHANT_OK)
        stream_close(&npy->in);
    return status;
}

static orthant_status read_member(const zip_archive *archive, const zip_member *member,
                                  orthant_precision precision, orthant_matrix **matrix)
{
    npz_array npy;
    *matrix = NULL;
    orthant_status status = array_open(archive, member, &npy);
    if (status != ORTHANT_OK)
        return status;
    status = npy_read_entries(&npy.in, &npy.header, precision, matrix);
    stream_close(&npy.in);
    return status;
}

/* ---- which array ------------------------------------------------------------------------------
 */

static void describe(const zip_archive *archive, char *text, size_t size)
{
    for (int64_t i = 0; i < archive->count; i++) {
        npz_array npy;
        text_append(text, size, "%s'%s'", i ? ", " : "", archive->members[i].name);
        if (array_open(archive, &archive->members[i], &npy) != ORTHANT_OK)
            continue;
        for (int d = 0; d < npy.header.shape.dimensions; d++)
            text_append(text, size, "%s%" PRId64, d ? " x " : " (", npy.header.shape.extent[d]);
        text_append(text, size, "%s", npy.header.shape.dimensions ? ")" : "");
        stream_close(&npy.in);
    }
}

static orthant_status fail_choice(const zip_archive *archive, const char *variable)
{
    char held[512] = "";
    describe(archive, held, sizeof held);
    if (variable)
        return fail(archive->ctx, ORTHANT_ERROR_ARGUMENT, "%s: no variable '%s'; it holds %s",
                    archive->path, variable, held[0] ? held : "nothing");
    return fail(
        archive->ctx, ORTHANT_ERROR_ARGUMENT,
        "%s: no array that is clearly the data; it holds %s. Choose one with variable = 'NAME'",
        archive->path, held[0] ? held : "nothing");
}

static bool is_table(const zip_archive *archive, const zip_member *member)
{
    npz_array npy;
    if (array_open(archive, member, &npy) != ORTHANT_OK)
        return false;
    const bool table = npy.header.type.kind != 0 && npy.header.shape.dimensions >= 2;
    stream_close(&npy.in);
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
    npz_array npy;
    unsigned char bytes[64];
    int64_t got = 0;
    size_t length = 0;
    orthant_status status = array_open(archive, zip_find(archive, "format"), &npy);
    if (status != ORTHANT_OK)
        return status;
    status = stream_read(&npy.in, bytes, sizeof bytes, &got);
    for (int64_t i = 0; i < got && length < 7; i++)
        if (bytes[i])
            format[length++] = (char)bytes[i];
    format[length] = '\0';
    stream_close(&npy.in);
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

/* A sparse matrix of the archive on its way into `made`: CSR, or CSC as the rows of what is to be
 * transposed. */
typedef struct sparse_reading {
    const zip_archive *archive;
    bool by_column;
    int64_t rows, columns; /* of `made` */
    int64_t stored;
    orthant_matrix *made;
} sparse_reading;

/* The vector opened up to its first entry; refuses one that the archive cannot hold. */
static orthant_status vector_open(const zip_archive *archive, const char *name, npz_array *npy,
                                  int64_t *count)
{
    int64_t columns = 1;
    orthant_status status = array_open(archive, zip_find(archive, name), npy);
    if (status != ORTHANT_OK)
        return status;
    if (npy->header.type.kind == 0 || npy->header.shape.dimensions != 1)
        status =
            fail(archive->ctx, ORTHANT_ERROR_FORMAT, "%s: expected a vector of numbers", npy->name);
    if (status == ORTHANT_OK)
        status = element_measure(&npy->in, npy->header.type, &npy->header.shape, &columns, count);
    if (status != ORTHANT_OK)
        stream_close(&npy->in);
    return status;
}

static orthant_status take_starts(void *user, int64_t first, const double *values, int64_t count)
{
    const sparse_reading *to = user;
    int64_t *start = to->made->row_start;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = first + i;
        const double least = at > 0 ? (double)start[at - 1] : 0;
        const double most = at > 0 ? (double)to->stored : 0;
        if (!(values[i] >= (at < to->rows ? least : most) && values[i] <= most &&
              values[i] == floor(values[i])))
            return fail(to->archive->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: 'indptr' is damaged at %" PRId64 ": found %.15g, expected to rise "
                        "from 0 to %" PRId64,
                        to->archive->path, at + 1, values[i], to->stored);
        start[at] = (int64_t)values[i];
    }
    return ORTHANT_OK;
}

static orthant_status take_indices(void *user, int64_t first, const double *values, int64_t count)
{
    const sparse_reading *to = user;
    for (int64_t i = 0; i < count; i++) {
        if (!(values[i] >= 0 && values[i] < (double)to->columns && values[i] == floor(values[i])))
            return fail(to->archive->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: 'indices' holds %.15g at %" PRId64 ", expected 0 to %" PRId64,
                        to->archive->path, values[i], first + i + 1, to->columns - 1);
        to->made->column[first + i] = (int32_t)values[i];
    }
    return ORTHANT_OK;
}

/* Format and shape, checked by themselves. */
static orthant_status read_sparse_header(const zip_archive *archive, sparse_reading *to)
{
    static const char *const parts[] = {"indptr", "indices", "data"};
    char format[8] = "";
    int64_t dimensions = 0, *shape = NULL;
    orthant_status status = read_format(archive, format);
    if (status == ORTHANT_OK && strcmp(format, "csr") != 0 && strcmp(format, "csc") != 0)
        return fail(
            archive->ctx, ORTHANT_ERROR_UNSUPPORTED,
            "%s: a sparse matrix in format '%s', expected csr or csc (scipy: matrix.tocsr())",
            archive->path, format);
    for (int i = 0; i < 3 && status == ORTHANT_OK; i++)
        if (!zip_find(archive, parts[i]))
            status = fail(archive->ctx, ORTHANT_ERROR_FORMAT, "%s: a sparse matrix without '%s'",
                          archive->path, parts[i]);
    if (status == ORTHANT_OK)
        status = read_integers(archive, "shape", &shape, &dimensions);
    if (status == ORTHANT_OK && (dimensions != 2 || shape[0] < 0 || shape[1] < 0))
        status = fail(archive->ctx, ORTHANT_ERROR_FORMAT, "%s: 'shape' does not hold two sizes",
                      archive->path);
    const bool by_column = strcmp(format, "csc") == 0;
    if (status == ORTHANT_OK)
        *to = (sparse_reading){.archive = archive,
                               .by_column = by_column,
                               .rows = shape[by_column ? 1 : 0],
                               .columns = shape[by_column ? 0 : 1]};
    memory_free(archive->ctx, shape);
    return status;
}

/* The three vectors straight to where they belong. The indices are unpacked in the place of the
 * values, which come last. */
static orthant_status read_parts(sparse_reading *to, npz_array *starts, npz_array *indices,
                                 npz_array *values)
{
    orthant_context *ctx = to->archive->ctx;
    orthant_status status =
        matrix_new_sparse(ctx, ctx->precision, to->rows, to->columns, to->stored, &to->made);
    if (status == ORTHANT_OK)
        status = element_read_each(&starts->in, starts->header.type, to->rows + 1, take_starts, to);
    if (status == ORTHANT_OK) {
        stream_unpack_ahead(&indices->in, to->stored * indices->header.type.size, to->made->values,
                            to->stored * (int64_t)precision_size(ctx->precision));
        status =
            element_read_each(&indices->in, indices->header.type, to->stored, take_indices, to);
    }
    if (status == ORTHANT_OK)
        status = element_read_values(&values->in, values->header.type, to->stored, to->made);
    return status == ORTHANT_OK ? matrix_order_rows(to->made) : status;
}

static orthant_status check_parts(const sparse_reading *to, int64_t starts, int64_t indices)
{
    const int64_t rows = to->by_column ? to->columns : to->rows;
    if (!sparse_rows_plausible(rows, to->stored))
        return fail(to->archive->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: 'shape' promises %" PRId64 " rows, but there are %" PRId64 " entries",
                    to->archive->path, rows, to->stored);
    if (starts - 1 != to->rows || indices != to->stored)
        return fail(to->archive->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " starts, %" PRId64 " indices and %" PRId64
                    " entries, expected %" PRId64 " starts and as many indices as entries",
                    to->archive->path, starts, indices, to->stored, to->rows + 1);
    return ORTHANT_OK;
}

static orthant_status read_sparse(const zip_archive *archive, orthant_matrix **found)
{
    static const char *const names[] = {"indptr", "indices", "data"};
    sparse_reading to = {.made = NULL};
    npz_array part[3];
    int64_t count[3];
    int open = 0;
    orthant_status status = read_sparse_header(archive, &to);
    while (status == ORTHANT_OK && open < 3) {
        status = vector_open(archive, names[open], &part[open], &count[open]);
        open += status == ORTHANT_OK;
    }
    if (status == ORTHANT_OK) {
        to.stored = count[2];
        status = check_parts(&to, count[0], count[1]);
    }
    if (status == ORTHANT_OK)
        status = read_parts(&to, &part[0], &part[1], &part[2]);
    while (open > 0)
        stream_close(&part[--open].in);
    if (status == ORTHANT_OK && to.by_column) {
        status = matrix_transpose(archive->ctx, to.made, found);
    } else if (status == ORTHANT_OK) {
        *found = to.made;
        to.made = NULL;
    }
    orthant_matrix_free(to.made);
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
    if (status == ORTHANT_OK)
        status = labels_set_source(truth, archive->path, member->name);
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

static orthant_status copy_numbers(void *user, int64_t first, const double *values, int64_t count)
{
    memcpy((double *)user + first, values, (size_t)count * sizeof *values);
    return ORTHANT_OK;
}

static orthant_status read_part(void *user, sparse_part part, int64_t first, int64_t count,
                                double *to)
{
    npz_array *npy = (npz_array *)user + part;
    (void)first; /* a stream is where it was left */
    return element_read_each(&npy->in, npy->header.type, count, copy_numbers, to);
}

static orthant_status convert_parts(conversion *c, const zip_archive *archive)
{
    static const char *const names[] = {"indptr", "indices", "data"};
    sparse_reading header = {.made = NULL};
    npz_array part[SPARSE_PARTS];
    int64_t count[SPARSE_PARTS];
    int open = 0;
    orthant_status status = read_sparse_header(archive, &header);
    while (status == ORTHANT_OK && open < SPARSE_PARTS) {
        status = vector_open(archive, names[open], &part[open], &count[open]);
        open += status == ORTHANT_OK;
    }
    if (status == ORTHANT_OK) {
        header.stored = count[SPARSE_VALUES];
        status = check_parts(&header, count[SPARSE_STARTS], count[SPARSE_COLUMNS]);
    }
    if (status == ORTHANT_OK)
        status = convert_sparse(c, &(sparse_parts){.user = part,
                                                   .name = {names[0], names[1], names[2]},
                                                   .rows = header.rows,
                                                   .columns = header.columns,
                                                   .stored = header.stored,
                                                   .by_columns = header.by_column,
                                                   .read = read_part});
    while (open > 0)
        stream_close(&part[--open].in);
    return status;
}

orthant_status convert_npz(conversion *c)
{
    zip_archive archive;
    npz_array npy;
    const char *variable = c->options->variable, *truth = c->options->truth;
    orthant_status status = zip_open(c->ctx, c->path, &archive);
    if (status != ORTHANT_OK)
        return status;
    const bool sparse = !variable && zip_find(&archive, "format") && zip_find(&archive, "shape");
    const zip_member *member = sparse     ? NULL
                               : variable ? zip_find(&archive, variable)
                                          : find_data(&archive);
    if (sparse)
        status = convert_parts(c, &archive);
    else if (!member)
        status = fail_choice(&archive, variable);
    else
        status = array_open(&archive, member, &npy);
    if (status == ORTHANT_OK && member) {
        status = convert_array(c, &npy.in, npy.header.type, npy.header.shape);
        stream_close(&npy.in);
    }
    if (status == ORTHANT_OK && c->done && (!truth || strcmp(truth, "none") != 0))
        status = read_truth(&archive, truth, &c->labels);
    zip_close(&archive);
    return status;
}
