/* HDF5: a dataset of numbers, the first dimension counting samples, or a group that holds a sparse
 * matrix as scipy and AnnData write it (data, indices, indptr and a shape). */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/convert.h"
#include "data/hdf5_file.h"
#include "data/labels.h"
#include "data/read.h"

static const char *const data_names[] = {"/fea", "/X", "/data"};
static const char *const label_names[] = {"labels", "label", "y", "Y", "gnd", "target", "truth"};
/* Of the parts of a sparse matrix: where rows or columns begin, the others, the values. */
static const char *const scipy_names[] = {"indptr", "indices", "data"}, *const matlab_names[] = {
                                                                            "jc", "ir", "data"};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* What to read: a dataset, or a group with the three datasets of a sparse matrix. */
typedef struct choice {
    const hdf5_dataset *dense;
    const hdf5_dataset *values, *indices, *starts;
    char group[1024]; /* of the sparse matrix itself: "/X" */
    int64_t rows, columns;
    bool by_columns; /* CSC */
} choice;

/* ---- sparse matrices ---------------------------------------------------------------------- */

/* Whether `group` ("" is the root) holds a sparse matrix; then `found` says which. */
static bool find_sparse(const hdf5_file *file, const char *group, const char *const names[3],
                        choice *found)
{
    int64_t shape[2] = {0, 0};
    choice candidate = {.starts = hdf5_file_find_in(file, group, names[0]),
                        .indices = hdf5_file_find_in(file, group, names[1]),
                        .values = hdf5_file_find_in(file, group, names[2])};
    const hdf5_dataset *size = hdf5_file_find_in(file, group, "shape");
    if (!candidate.values || !candidate.indices || !candidate.starts ||
        candidate.values->dimensions != 1 || candidate.indices->dimensions != 1 ||
        candidate.starts->dimensions != 1)
        return false;
    if (size && size->number && size->dimensions == 1 && size->extent[0] == 2) {
        if (hdf5_file_read(file, size, HDF5_INT64, shape) != ORTHANT_OK)
            return false;
    } else if (candidate.starts->has_shape) {
        memcpy(shape, candidate.starts->shape, sizeof shape);
    } else {
        return false;
    }
    candidate.rows = shape[0];
    candidate.columns = shape[1];
    const int64_t starts = candidate.starts->extent[0];
    candidate.by_columns =
        candidate.starts->by_columns || (starts != shape[0] + 1 && starts == shape[1] + 1);
    snprintf(candidate.group, sizeof candidate.group, "%s", group);
    *found = candidate;
    return true;
}

static orthant_status fail_sparse(const hdf5_file *file, const choice *from, const char *what)
{
    return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: the sparse matrix '%s' is damaged: %s",
                file->path, from->group[0] ? from->group : "/", what);
}

static orthant_status check_sparse(const hdf5_file *file, const choice *from)
{
    const int64_t stored = hdf5_entries(from->values);
    const int64_t outer = from->by_columns ? from->columns : from->rows;
    if (!from->values->number || !from->indices->number || !from->starts->number)
        return fail_sparse(file, from, "its parts are not all numbers");
    if (from->rows < 1 || from->columns < 1 || from->rows > INT32_MAX || from->columns > INT32_MAX)
        return fail_sparse(file, from, "its shape");
    if (hdf5_entries(from->indices) != stored || hdf5_entries(from->starts) != outer + 1)
        return fail_sparse(file, from, "its parts do not agree on their lengths");
    if (!hdf5_can_hold(file->bytes, stored, 1) || !hdf5_can_hold(file->bytes, outer, 1) ||
        !hdf5_can_hold(file->bytes, from->by_columns ? from->rows : from->columns, 1))
        return fail_sparse(file, from, "it is larger than the file can hold");
    return ORTHANT_OK;
}

static orthant_status read_sparse(const hdf5_file *file, const choice *from, orthant_matrix **found)
{
    orthant_context *ctx = file->ctx;
    const int64_t stored = hdf5_entries(from->values);
    const int64_t outer = from->by_columns ? from->columns : from->rows;
    const int64_t inner = from->by_columns ? from->rows : from->columns;
    int64_t *starts = NULL, *indices = NULL;
    double *values = NULL;
    orthant_matrix *transposed = NULL;
    orthant_status status = check_sparse(file, from);
    if (status != ORTHANT_OK)
        return status;
    starts = memory_new(ctx, outer + 1, sizeof *starts, "a sparse matrix");
    indices = memory_new(ctx, stored, sizeof *indices, "a sparse matrix");
    values = memory_new(ctx, stored, sizeof *values, "a sparse matrix");
    if (!starts || !indices || !values) {
        status = ORTHANT_ERROR_MEMORY;
        goto done;
    }
    status = hdf5_file_read(file, from->starts, HDF5_INT64, starts);
    if (status == ORTHANT_OK && stored > 0)
        status = hdf5_file_read(file, from->indices, HDF5_INT64, indices);
    if (status == ORTHANT_OK && stored > 0)
        status = hdf5_file_read(file, from->values, HDF5_DOUBLE, values);
    if (status != ORTHANT_OK)
        goto done;
    for (int64_t i = 0; i < outer; i++)
        if (starts[0] != 0 || starts[i + 1] < starts[i] || starts[outer] != stored)
            status = fail_sparse(file, from, "'indptr' does not rise from 0 to the last entry");
    for (int64_t p = 0; p < stored; p++)
        if (indices[p] < 0 || indices[p] >= inner)
            status = fail_sparse(file, from, "'indices' lead outside its shape");
    if (status == ORTHANT_OK)
        status = orthant_matrix_create_csr(ctx, outer, inner, starts, indices, values, found);
    if (status == ORTHANT_OK && from->by_columns) {
        status = matrix_transpose(ctx, *found, &transposed);
        orthant_matrix_free(*found);
        *found = transposed;
    }
done:
    memory_free(ctx, starts);
    memory_free(ctx, indices);
    memory_free(ctx, values);
    return status;
}

/* ---- dense datasets ----------------------------------------------------------------------- */

orthant_picture_shape hdf5_picture(const hdf5_dataset *dataset)
{
    const int64_t *extent = dataset->extent;
    const int64_t channels = dataset->dimensions == 4 ? extent[3] : 1;
    if (dataset->dimensions < 3 || extent[1] > INT_MAX || extent[2] > INT_MAX ||
        (channels != 1 && channels != 3 && channels != 4))
        return (orthant_picture_shape){0};
    return (orthant_picture_shape){(int)extent[1], (int)extent[2], (int)channels, false};
}

/* HDF5 converts in small pieces on the way, so there is no second copy. */
static orthant_status read_dense(const hdf5_file *file, const hdf5_dataset *dataset,
                                 orthant_matrix **found)
{
    orthant_context *ctx = file->ctx;
    const bool single = ctx->precision == ORTHANT_SINGLE;
    orthant_status status = hdf5_file_check(file, dataset);
    if (status != ORTHANT_OK)
        return status;
    const int64_t rows = dataset->extent[0], columns = hdf5_entries(dataset) / rows;
    status = matrix_new_dense(ctx, ctx->precision, rows, columns, found);
    if (status == ORTHANT_OK)
        status =
            hdf5_file_read(file, dataset, single ? HDF5_SINGLE : HDF5_DOUBLE, (*found)->values);
    if (status == ORTHANT_OK)
        orthant_matrix_set_picture(*found, hdf5_picture(dataset));
    return status;
}

/* ---- which one ---------------------------------------------------------------------------- */

static orthant_status fail_choice(const hdf5_file *file, const char *wanted)
{
    char held[640];
    const hdf5_dataset *largest = NULL;
    hdf5_file_describe(file, held, sizeof held);
    for (int64_t i = 0; i < file->count; i++) {
        const hdf5_dataset *dataset = &file->datasets[i];
        if (dataset->number && dataset->dimensions >= 2 &&
            (!largest || hdf5_entries(dataset) > hdf5_entries(largest)))
            largest = dataset;
    }
    if (wanted)
        return fail(file->ctx, ORTHANT_ERROR_ARGUMENT, "%s: no dataset '%s'; it holds %s",
                    file->path, wanted, held);
    return fail(file->ctx, ORTHANT_ERROR_ARGUMENT,
                "%s: cannot tell which dataset holds the samples; it holds %s.%s%s%s%s", file->path,
                held, largest ? " Try " : "", largest ? file->path : "", largest ? ":" : "",
                largest ? largest->path : "");
}

/* The only dataset of numbers with `dimensions` or, where that is 0, with 3 or 4. */
static const hdf5_dataset *only_one(const hdf5_file *file, int dimensions)
{
    const hdf5_dataset *only = NULL;
    for (int64_t i = 0; i < file->count; i++) {
        const hdf5_dataset *dataset = &file->datasets[i];
        const int its = dataset->dimensions;
        if (!dataset->number || (dimensions ? its != dimensions : its != 3 && its != 4))
            continue;
        if (only)
            return NULL;
        only = dataset;
    }
    return only;
}

static orthant_status choose(const hdf5_file *file, const char *wanted, choice *chosen)
{
    memset(chosen, 0, sizeof *chosen);
    if (wanted) {
        char group[1024];
        snprintf(group, sizeof group, "%s%s", wanted[0] == '/' ? "" : "/", wanted);
        for (size_t end = strlen(group); end > 0 && group[end - 1] == '/'; end--)
            group[end - 1] = '\0';
        chosen->dense = hdf5_file_find(file, wanted);
        return chosen->dense || find_sparse(file, group, scipy_names, chosen)
                   ? ORTHANT_OK
                   : fail_choice(file, wanted);
    }
    if (find_sparse(file, "", scipy_names, chosen))
        return ORTHANT_OK;
    for (int i = 0; i < COUNT(data_names); i++) {
        chosen->dense = hdf5_file_find(file, data_names[i]);
        if (chosen->dense || find_sparse(file, data_names[i], scipy_names, chosen))
            return ORTHANT_OK;
    }
    chosen->dense = only_one(file, 2);
    if (!chosen->dense)
        chosen->dense = only_one(file, 0);
    return chosen->dense ? ORTHANT_OK : fail_choice(file, NULL);
}

orthant_status hdf5_choose_dense(const hdf5_file *file, const char *wanted,
                                 const hdf5_dataset **dataset)
{
    choice data;
    const orthant_status status = choose(file, wanted, &data);
    *dataset = NULL;
    if (status != ORTHANT_OK)
        return status;
    if (!data.dense)
        return fail(file->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: rows of its sparse matrix cannot be read one by one; convert it to .csr",
                    file->path);
    *dataset = data.dense;
    return hdf5_file_check(file, data.dense);
}

/* ---- labels ------------------------------------------------------------------------------- */

/* A vector of numbers: one dimension, or all but one of length 1. */
static bool is_vector(const hdf5_dataset *dataset)
{
    int64_t longest = 0;
    if (!dataset->number || dataset->dimensions < 1 || dataset->dimensions > HDF5_DIMENSIONS)
        return false;
    for (int i = 0; i < dataset->dimensions; i++)
        longest = dataset->extent[i] > longest ? dataset->extent[i] : longest;
    return longest > 0 && longest == hdf5_entries(dataset);
}

/* *labels stays NULL without an error where a value is not whole and `required` is not set. */
static orthant_status read_labels(const hdf5_file *file, const hdf5_dataset *dataset, bool required,
                                  orthant_labels **labels)
{
    orthant_context *ctx = file->ctx;
    const int64_t count = hdf5_entries(dataset);
    int64_t *whole = NULL;
    orthant_status status = hdf5_file_check(file, dataset);
    if (status != ORTHANT_OK)
        return status;
    double *values = memory_new(ctx, count, sizeof *values, "labels");
    whole = memory_new(ctx, count, sizeof *whole, "labels");
    status =
        values && whole ? hdf5_file_read(file, dataset, HDF5_DOUBLE, values) : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < count && status == ORTHANT_OK; i++) {
        if (!(fabs(values[i]) <= 0x1p53) || values[i] != floor(values[i])) {
            if (required)
                status = fail(ctx, ORTHANT_ERROR_DATA,
                              "%s: entry %" PRId64 " of '%s' is %g; labels are whole numbers",
                              file->path, i + 1, dataset->path, values[i]);
            goto done;
        }
        whole[i] = (int64_t)values[i];
    }
    if (status == ORTHANT_OK)
        status = orthant_labels_create(ctx, count, whole, labels);
    if (status == ORTHANT_OK)
        status = labels_set_source(labels, file->path, dataset->path);
done:
    memory_free(ctx, values);
    memory_free(ctx, whole);
    return status;
}

/* Labels by name, or beside the data by their usual names. */
static orthant_status read_truth(const hdf5_file *file, const choice *data, const char *wanted,
                                 int64_t samples, orthant_labels **truth)
{
    char group[1024];
    const hdf5_dataset *named = NULL;
    snprintf(group, sizeof group, "%s", data->dense ? data->dense->path : data->group);
    char *slash = strrchr(group, '/');
    if (slash)
        *slash = '\0';
    if (wanted && strcmp(wanted, "none") == 0)
        return ORTHANT_OK;
    if (wanted) {
        named = wanted[0] == '/' ? hdf5_file_find(file, wanted)
                                 : hdf5_file_find_in(file, group, wanted);
        return named ? read_labels(file, named, true, truth) : ORTHANT_OK;
    }
    /* Labels of the wrong number are looked for last: the dispatcher refuses them and says the way
     * out. A single number is no vector of labels. */
    orthant_status status = ORTHANT_OK;
    for (int other = 0; other < 2; other++)
        for (int i = 0; i < COUNT(label_names) && !status && !*truth; i++) {
            named = hdf5_file_find_in(file, group, label_names[i]);
            if (named && named != data->dense && is_vector(named) &&
                (hdf5_entries(named) != samples) == (other == 1) &&
                !(other && hdf5_entries(named) <= 1))
                status = read_labels(file, named, false, truth);
        }
    return status;
}

orthant_status read_hdf5(orthant_context *ctx, const char *path,
                         const orthant_read_options *options, orthant_matrix **found,
                         orthant_labels **truth)
{
    hdf5_file file;
    choice data;
    *found = NULL;
    *truth = NULL;
    orthant_status status = hdf5_file_open(ctx, path, &file);
    if (status == ORTHANT_OK)
        status = choose(&file, options->variable, &data);
    if (status == ORTHANT_OK)
        status =
            data.dense ? read_dense(&file, data.dense, found) : read_sparse(&file, &data, found);
    if (status == ORTHANT_OK)
        status = read_truth(&file, &data, options->truth,
                            options->transpose ? (*found)->columns : (*found)->rows, truth);
    if (status != ORTHANT_OK) {
        orthant_matrix_free(*found);
        *found = NULL;
    }
    hdf5_file_close(&file);
    return status;
}

/* ---- row by row --------------------------------------------------------------------------- */

static orthant_status give_rows(conversion *c, row_sink *sink, const hdf5_file *file,
                                const hdf5_dataset *dataset)
{
    const int64_t rows = dataset->extent[0], columns = hdf5_entries(dataset) / rows;
    const hdf5_type type = c->ctx->precision == ORTHANT_SINGLE ? HDF5_SINGLE : HDF5_DOUBLE;
    orthant_status status = row_sink_begin(sink, rows, columns, false);
    if (status)
        return status;
    const int64_t step = row_sink_step(c->ctx, columns * hdf5_type_bytes(type));
    for (int64_t first = 0; first < rows && status == ORTHANT_OK; first += step) {
        const int64_t count = rows - first < step ? rows - first : step;
        orthant_matrix *block = NULL;
        status = matrix_new_dense(c->ctx, c->ctx->precision, count, columns, &block);
        if (status == ORTHANT_OK)
            status = hdf5_file_read_rows(file, dataset, type, first, count, block->values);
        if (status == ORTHANT_OK)
            status = row_sink_add(sink, block);
        orthant_matrix_free(block);
    }
    return status;
}

/* MATLAB writes the columns of a matrix as rows. */
static orthant_status give_dataset(conversion *c, const hdf5_file *file,
                                   const hdf5_dataset *dataset, bool matlab)
{
    row_sink transposing;
    orthant_status status = hdf5_file_check(file, dataset);
    if (status != ORTHANT_OK || !matlab)
        return status == ORTHANT_OK ? give_rows(c, c->sink, file, dataset) : status;
    row_sink_transpose(c->sink, &transposing);
    status = give_rows(c, &transposing, file, dataset);
    return row_sink_end(&transposing, status);
}

/* ---- sparse matrices, some rows at a time ------------------------------------------------- */

typedef struct hdf5_parts {
    const hdf5_file *file;
    const hdf5_dataset *part[SPARSE_PARTS];
} hdf5_parts;

static orthant_status read_part(void *user, sparse_part part, int64_t first, int64_t count,
                                double *to)
{
    const hdf5_parts *p = user;
    return hdf5_file_read_rows(p->file, p->part[part], HDF5_DOUBLE, first, count, to);
}

/* Scipy's and AnnData's, or MATLAB's, whose columns and values may be longer than what is stored.
 */
static orthant_status give_sparse(conversion *c, const hdf5_file *file, const choice *from,
                                  bool matlab)
{
    const char *const *name = matlab ? matlab_names : scipy_names;
    hdf5_parts parts = {file, {from->starts, from->indices, from->values}};
    const int64_t outer = from->by_columns ? from->columns : from->rows;
    orthant_status status = check_sparse(file, from);
    double stored = (double)hdf5_entries(from->values);
    if (status == ORTHANT_OK && matlab)
        status = read_part(&parts, SPARSE_STARTS, outer, 1, &stored);
    if (status == ORTHANT_OK && !(stored >= 0 && stored <= (double)hdf5_entries(from->values)))
        status = fail_sparse(file, from, "its parts do not agree on their lengths");
    if (status != ORTHANT_OK)
        return status;
    return convert_sparse(c,
                          &(sparse_parts){.user = &parts,
                                          .name = {name[0], name[1], name[2]},
                                          .rows = outer,
                                          .columns = from->by_columns ? from->rows : from->columns,
                                          .stored = (int64_t)stored,
                                          .by_columns = from->by_columns,
                                          .distinct = matlab,
                                          .read = read_part});
}

/* ---- entries ------------------------------------------------------------------------------ */

/* The variable that the reader of .mat files takes, with its labels. What matio knows and HDF5 does
 * not tell, members of structs and the like, is read whole. */
static orthant_status choose_matlab(conversion *c, const hdf5_file *file, choice *data)
{
    char group[1024] = "/";
    const orthant_status status =
        mat_find_data(c->ctx, c->path, c->options, group + 1, sizeof group - 1, &c->labels);
    if (status != ORTHANT_OK)
        return status;
    data->dense = hdf5_file_find(file, group);
    if (!data->dense)
        find_sparse(file, group, matlab_names, data);
    c->done = data->values || (data->dense && data->dense->dimensions == 2);
    return ORTHANT_OK;
}

orthant_status convert_hdf5(conversion *c, bool matlab)
{
    hdf5_file file;
    choice data = {.dense = NULL};
    orthant_status status = hdf5_file_open(c->ctx, c->path, &file);
    c->done = !matlab;
    if (status == ORTHANT_OK)
        status =
            matlab ? choose_matlab(c, &file, &data) : choose(&file, c->options->variable, &data);
    if (status == ORTHANT_OK && c->done)
        status = data.dense ? give_dataset(c, &file, data.dense, matlab)
                            : give_sparse(c, &file, &data, matlab);
    if (status == ORTHANT_OK && !matlab)
        status = read_truth(&file, &data, c->options->truth,
                            c->options->transpose ? c->sink->columns : c->sink->rows, &c->labels);
    hdf5_file_close(&file);
    return status;
}
