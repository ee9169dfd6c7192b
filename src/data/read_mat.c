/* MATLAB's files: which variable holds the samples, and which the labels. `fea` (or `X`) and `gnd`
 * (or `y`, ...) are found by themselves. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/convert.h"
#include "data/labels.h"
#include "data/mat_file.h"
#include "data/read.h"

static const char *const data_names[] = {"fea", "X"};
static const char *const label_names[] = {"gnd", "y",     "Y",      "labels", "label",
                                          "gt",  "truth", "target", "targets"};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- the data variable ---------------------------------------------------------------- */

/* " Try variable = 'Xt' truth = 'Lt' transpose = 'yes'." for the largest matrix, "" where there is
 * none. */
static void suggest(const mat_file *file, char *text, size_t size)
{
    const mat_variable *largest = NULL;
    text[0] = '\0';
    for (int i = 0; i < file->count; i++) {
        const mat_variable *v = &file->variables[i];
        if (mat_is_matrix(v) && !mat_is_vector(v) && mat_entries(v) > 0 &&
            (!largest || mat_entries(v) > mat_entries(largest)))
            largest = v;
    }
    if (!largest)
        return;
    text_append(text, size, " Try variable = '%.40s'", largest->name);
    for (int i = 0; i < file->count; i++) {
        const mat_variable *v = &file->variables[i];
        const bool rows = mat_entries(v) == largest->rows,
                   columns = mat_entries(v) == largest->columns;
        if (mat_is_vector(v) && (rows || columns)) {
            text_append(text, size, " truth = '%.40s'%s", v->name,
                        rows ? "" : " transpose = 'yes'");
            break;
        }
    }
    text_append(text, size, ".");
}

static orthant_status fail_missing(const mat_file *file, const char *name)
{
    char held[512], way_out[160];
    mat_file_describe(file, held, sizeof held);
    suggest(file, way_out, sizeof way_out);
    return fail(file->ctx, ORTHANT_ERROR_ARGUMENT, "%s: no variable '%s'; it holds %s.%s",
                file->path, name, held, way_out);
}

/* The only matrix that is no vector (or the only vector); NULL where there is none or more than
 * one. */
static const mat_variable *only_one(const mat_file *file, bool vector)
{
    const mat_variable *only = NULL;
    for (int i = 0; i < file->count; i++) {
        const mat_variable *v = &file->variables[i];
        if (!mat_is_matrix(v) || mat_entries(v) == 0 || mat_is_vector(v) != vector)
            continue;
        if (only)
            return NULL;
        only = v;
    }
    return only;
}

/* The first of these names that there is, or NULL. */
static const mat_variable *find_first(const mat_file *file, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (mat_file_find(file, names[i]))
            return mat_file_find(file, names[i]);
    return NULL;
}

/* `name` NULL: fea, X, or the only matrix that is no vector. */
static orthant_status choose_data(const mat_file *file, const char *name,
                                  const mat_variable **chosen)
{
    *chosen = name ? mat_file_find(file, name) : find_first(file, data_names, COUNT(data_names));
    if (!name && !*chosen)
        *chosen = only_one(file, false);
    if (!*chosen)
        return fail_missing(file, name ? name : data_names[0]);
    const mat_variable *v = *chosen;
    if (v->dimensions > 2 && !v->complex && v->class >= MAT_C_DOUBLE && v->class <= MAT_C_UINT64)
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' has %d dimensions, expected 2: a row for each sample", file->path,
                    v->name, v->dimensions);
    if (!mat_is_matrix(v))
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' is of class %s, expected a matrix of real numbers", file->path,
                    v->name, mat_class_name(v));
    if (v->rows < 1 || v->columns < 1 || v->rows > INT_MAX || v->columns > INT_MAX)
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' is %" PRId64 " x %" PRId64 ", expected 1 to %d rows and columns",
                    file->path, v->name, v->rows, v->columns, INT_MAX);
    return ORTHANT_OK;
}

/* A square number of pixels is taken for a picture, in MATLAB's order. */
static void guess_picture(orthant_matrix *matrix, bool samples_are_columns)
{
    const int64_t features = samples_are_columns ? matrix->rows : matrix->columns;
    const int side = (int)lround(sqrt((double)features));
    if (!matrix->sparse && side >= 8 && (int64_t)side * side == features)
        orthant_matrix_set_picture(matrix, (orthant_picture_shape){side, side, 1, true});
}

/* ---- labels --------------------------------------------------------------------------- */

/* *labels stays NULL without an error where a value is not whole and `required` is not set. */
static orthant_status read_labels(mat_file *file, const mat_variable *v, bool required,
                                  orthant_labels **labels)
{
    orthant_context *ctx = file->ctx;
    orthant_matrix *vector = NULL;
    int64_t *values = NULL;
    *labels = NULL;
    if (!mat_is_vector(v) || mat_entries(v) < 1 || v->rows > INT_MAX || v->columns > INT_MAX)
        return fail(ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' cannot be labels: expected a row or a column of numbers", file->path,
                    v->name);
    orthant_status status = mat_file_read(file, v, ORTHANT_DOUBLE, &vector);
    if (status == ORTHANT_OK &&
        !(values = memory_new(ctx, mat_entries(v), sizeof *values, "labels")))
        status = ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; status == ORTHANT_OK && i < mat_entries(v); i++) {
        const double value = matrix_value(vector, i);
        if (!(fabs(value) <= 0x1p53) || value != floor(value)) {
            if (required)
                status = fail(ctx, ORTHANT_ERROR_DATA,
                              "%s: entry %" PRId64 " of '%s' is %g; labels are whole numbers",
                              file->path, i + 1, v->name, value);
            goto done;
        }
        values[i] = (int64_t)value;
    }
    if (status == ORTHANT_OK)
        status = orthant_labels_create(ctx, mat_entries(v), values, labels);
    if (status == ORTHANT_OK)
        status = labels_set_source(labels, file->path, v->name);
done:
    memory_free(ctx, values);
    orthant_matrix_free(vector);
    return status;
}

/* The first whole-numbered vector under one of the usual names, of `samples` entries or, `other`,
 * of another number of them; a single number is no vector of labels. */
static orthant_status find_named(mat_file *file, const mat_variable *data, int64_t samples,
                                 bool other, orthant_labels **labels)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < COUNT(label_names) && !status && !*labels; i++) {
        const mat_variable *v = mat_file_find(file, label_names[i]);
        if (v && v != data && mat_is_vector(v) && (mat_entries(v) != samples) == other &&
            !(other && mat_entries(v) <= 1))
            status = read_labels(file, v, false, labels);
    }
    return status;
}

/* The only whole-numbered vector with `samples` entries. */
static orthant_status find_only(mat_file *file, const mat_variable *data, int64_t samples,
                                orthant_labels **labels)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < file->count && status == ORTHANT_OK; i++) {
        const mat_variable *v = &file->variables[i];
        orthant_labels *more = NULL;
        if (v == data || !mat_is_vector(v) || mat_entries(v) != samples)
            continue;
        status = read_labels(file, v, false, &more);
        if (!more)
            continue;
        if (*labels) {
            orthant_labels_free(more);
            orthant_labels_free(*labels);
            *labels = NULL;
            return ORTHANT_OK;
        }
        *labels = more;
    }
    return status;
}

/* Labels by their usual names, or the only vector that can be them. Where there are none, labels of
 * the wrong number under a usual name: the dispatcher refuses them and says the way out. */
static orthant_status find_labels(mat_file *file, const mat_variable *data, int64_t samples,
                                  orthant_labels **labels)
{
    orthant_status status = find_named(file, data, samples, false, labels);
    if (!status && !*labels)
        status = find_only(file, data, samples, labels);
    if (!status && !*labels)
        status = find_named(file, data, samples, true, labels);
    return status;
}

static orthant_status read_truth(mat_file *file, const orthant_read_options *options,
                                 const mat_variable *data, orthant_labels **truth)
{
    const char *name = options->truth;
    const int64_t samples = options->transpose ? data->columns : data->rows;
    if (!name)
        return find_labels(file, data, samples, truth);
    const mat_variable *v = strcmp(name, "none") == 0 ? NULL : mat_file_find(file, name);
    if (!v)
        return ORTHANT_OK; /* a label file's name, perhaps: not for this reader */
    if (mat_is_vector(v) && mat_entries(v) != samples)
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' has %" PRId64 " labels, '%s' %" PRId64 " samples%s", file->path, name,
                    mat_entries(v), data->name, samples,
                    mat_entries(v) == (options->transpose ? data->rows : data->columns)
                        ? options->transpose ? ". Try without transpose = 'yes'."
                                             : ". Try transpose = 'yes'."
                        : "");
    return read_labels(file, v, true, truth);
}

/* ---- entries -------------------------------------------------------------------------- */

orthant_status labels_read_mat(orthant_context *ctx, const char *path, const char *name,
                               orthant_labels **labels)
{
    mat_file file;
    const mat_variable *chosen = NULL;
    *labels = NULL;
    orthant_status status = mat_file_open(ctx, path, &file);
    if (status != ORTHANT_OK)
        goto done;
    chosen = name ? mat_file_find(&file, name) : find_first(&file, label_names, COUNT(label_names));
    if (!name && !chosen)
        chosen = only_one(&file, true);
    if (chosen) {
        status = read_labels(&file, chosen, true, labels);
    } else {
        char held[512];
        mat_file_describe(&file, held, sizeof held);
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: no variable '%s'; it holds %s. Name one as %s:NAME.", path,
                      name ? name : label_names[0], held, path);
    }
done:
    mat_file_close(&file);
    return status;
}

/* The variable with the samples, and the labels; the file is to be closed in any case. */
static orthant_status open_data(orthant_context *ctx, const char *path,
                                const orthant_read_options *options, mat_file *file,
                                const mat_variable **data, orthant_labels **truth)
{
    orthant_status status = mat_file_open(ctx, path, file);
    if (status == ORTHANT_OK)
        status = choose_data(file, options->variable, data);
    return status == ORTHANT_OK ? read_truth(file, options, *data, truth) : status;
}

orthant_status mat_find_data(orthant_context *ctx, const char *path,
                             const orthant_read_options *options, char *name, size_t size,
                             orthant_labels **truth)
{
    mat_file file;
    const mat_variable *data = NULL;
    const orthant_status status = open_data(ctx, path, options, &file, &data, truth);
    if (status == ORTHANT_OK)
        snprintf(name, size, "%s", data->name);
    mat_file_close(&file);
    return status;
}

orthant_status read_mat(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    mat_file file;
    const mat_variable *data = NULL;
    *found = NULL;
    *truth = NULL;
    orthant_status status = open_data(ctx, path, options, &file, &data, truth);
    if (status == ORTHANT_OK)
        status = mat_file_read(&file, data, ctx->precision, found);
    if (status == ORTHANT_OK)
        guess_picture(*found, options->transpose);
    if (status != ORTHANT_OK) {
        orthant_labels_free(*truth);
        *truth = NULL;
    }
    mat_file_close(&file);
    return status;
}
