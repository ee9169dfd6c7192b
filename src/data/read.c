/* Chooses the reader, finds the labels, transposes and checks what was read. */
#include "data/read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/sized.h"
#include "data/beside.h"
#include "data/kind.h"
#include "data/labels.h"

static data_reader reader_of(file_kind kind)
{
    switch (kind) {
    case KIND_MAT: return read_mat;
    case KIND_NPY: return read_npy;
    case KIND_NPZ: return read_npz;
    case KIND_CSV: return read_csv;
    case KIND_MTX: return read_mtx;
    case KIND_HDF5: return read_hdf5;
    case KIND_IDX: return read_idx;
    case KIND_CSR: return read_csr;
    case KIND_FOLDER: return read_images;
    case KIND_UNKNOWN: break;
    }
    return NULL;
}

static bool has_variables(file_kind kind)
{
    return kind == KIND_MAT || kind == KIND_NPZ || kind == KIND_HDF5;
}

static orthant_status fail_unknown(orthant_context *ctx, const char *path)
{
    static const char *const pictures[] = {"png", "jpg", "jpeg", "tif", "tiff", "pgm", "ppm"};
    char ending[16];
    file_ending(path, ending);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (strcmp(ending, pictures[i]) == 0)
            return fail(ctx, ORTHANT_ERROR_FORMAT,
                        "%s: a single picture; give the folder that holds the pictures", path);
    return fail(ctx, ORTHANT_ERROR_FORMAT,
                "%s: a file of unknown kind; known are .mat, .npy, .npz, .csv, .tsv, .txt, .mtx, "
                ".h5, .csr, IDX (also .gz) and folders of images",
                path);
}

/* ---- the truth --------------------------------------------------------------------------------
 */

/* "t10k-images-idx3-ubyte.gz" has its labels in "t10k-labels-idx1-ubyte.gz" or the same without
 * ".gz". */
static orthant_status find_sibling(orthant_context *ctx, const char *path, orthant_labels **truth)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *images = strstr(base, "images"), *idx3 = images ? strstr(images, "idx3") : NULL;
    if (!idx3)
        return ORTHANT_OK;
    const int64_t bytes = (int64_t)strlen(path) + 8;
    char *sibling = memory_new(ctx, bytes, 1, "a file's name");
    if (!sibling)
        return ORTHANT_ERROR_MEMORY;
    snprintf(sibling, (size_t)bytes, "%.*slabels%.*sidx1%s", (int)(images - path), path,
             (int)(idx3 - images) - 6, images + 6, idx3 + 4);
    const size_t length = strlen(sibling);
    const bool packed = length > 3 && strcmp(sibling + length - 3, ".gz") == 0;
    if (!file_exists(sibling) && packed)
        sibling[length - 3] = '\0';
    else if (!file_exists(sibling))
        memcpy(sibling + length, ".gz", 4);
    const orthant_status status =
        file_exists(sibling) ? orthant_labels_read(ctx, sibling, truth) : ORTHANT_OK;
    memory_free(ctx, sibling);
    return status;
}

/* "words.npy" has its labels in "words.labels.csv", where `orthant features` puts them. */
static orthant_status find_labels_beside(orthant_context *ctx, const char *path,
                                         orthant_labels **truth)
{
    char *beside = NULL;
    orthant_status status = labels_path_beside(ctx, path, &beside);
    if (!status && file_exists(beside))
        status = orthant_labels_read(ctx, beside, truth);
    memory_free(ctx, beside);
    return status;
}

static orthant_status read_truth_file(orthant_context *ctx, const char *path, file_kind kind,
                                      const char *name, orthant_labels **truth)
{
    char *file = NULL;
    const char *inside;
    orthant_status status = file_split(ctx, name, &file, &inside);
    if (status != ORTHANT_OK)
        return status;
    if (!file_exists(file))
        status =
            fail(ctx, ORTHANT_ERROR_IO,
                 has_variables(kind) ? "%s: truth '%s' is neither a variable in it nor a label file"
                                     : "%s: truth '%s': there is no such label file",
                 path, name);
    else
        status = orthant_labels_read(ctx, name, truth);
    memory_free(ctx, file);
    return status;
}

orthant_status read_find_truth(orthant_context *ctx, const char *path, file_kind kind,
                               const char *wanted, orthant_labels **truth)
{
    if (*truth || (wanted && strcmp(wanted, "none") == 0))
        return ORTHANT_OK;
    if (wanted)
        return read_truth_file(ctx, path, kind, wanted, truth);
    return kind == KIND_IDX ? find_sibling(ctx, path, truth) : find_labels_beside(ctx, path, truth);
}

/* ---- one file ---------------------------------------------------------------------------------
 */

/* Readers know that samples stand in columns: the picture's shape they found is that of the
 * transposed matrix. */
static orthant_status transpose(orthant_context *ctx, orthant_matrix **matrix)
{
    const orthant_picture_shape shape = (*matrix)->picture;
    orthant_matrix *transposed = NULL;
    const orthant_status status = matrix_transpose(ctx, *matrix, &transposed);
    if (transposed) {
        transposed->feature_names = (*matrix)->sample_names;
        transposed->sample_names = (*matrix)->feature_names;
        (*matrix)->feature_names = (*matrix)->sample_names = (name_list){0};
    }
    orthant_matrix_free(*matrix);
    *matrix = transposed;
    if (transposed && (int64_t)shape.height * shape.width * shape.channels == transposed->columns)
        transposed->picture = shape;
    return status;
}

/* A truth that the user named is the user's to correct: the message names its file. */
static orthant_status check_found(orthant_context *ctx, const char *path,
                                  const orthant_matrix *matrix, const orthant_labels *truth,
                                  const orthant_read_options *options)
{
    if (matrix->rows < 1 || matrix->columns < 1)
        return fail(ctx, ORTHANT_ERROR_DATA,
                    "%s: holds %" PRId64 " samples with %" PRId64
                    " features, expected at least one of each",
                    path, matrix->rows, matrix->columns);
    if (!truth || truth->count == matrix->rows)
        return ORTHANT_OK;
    const char *hint = "; truth = 'none' leaves them out";
    if (truth->count == matrix->columns)
        hint = options->transpose ? "; is transpose = 'yes' right?"
                                  : "; do samples stand in columns? Then give transpose = 'yes'";
    else if (options->truth)
        hint = "";
    if (options->truth)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: found %" PRId64 " labels, expected one for each of the %" PRId64
                    " samples of %s%s",
                    options->truth, truth->count, matrix->rows, path, hint);
    return fail(ctx, ORTHANT_ERROR_DATA,
                "%s: found %" PRId64 " labels, expected one for each of the %" PRId64 " samples%s",
                path, truth->count, matrix->rows, hint);
}

static orthant_status read_file(orthant_context *ctx, const char *path,
                                const orthant_read_options *options, orthant_matrix **matrix,
                                orthant_labels **truth)
{
    file_kind kind;
    orthant_status status = kind_of_file(ctx, path, &kind);
    if (status != ORTHANT_OK)
        return status;
    const data_reader reader = reader_of(kind);
    if (!reader)
        return fail_unknown(ctx, path);
    if (options->variable && !has_variables(kind))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: variable '%s': only .mat, .npz and HDF5 files have variables", path,
                    options->variable);
    status = options->stream ? matrix_open(ctx, path, options, matrix)
                             : reader(ctx, path, options, matrix, truth);
    if (status == ORTHANT_OK)
        status = read_find_truth(ctx, path, kind, options->truth, truth);
    if (status == ORTHANT_OK && options->transpose)
        status = transpose(ctx, matrix);
    if (status == ORTHANT_OK)
        status = beside_find(ctx, path, *matrix);
    if (status == ORTHANT_OK)
        status = check_found(ctx, path, *matrix, *truth, options);
    return status;
}

static orthant_status refuse_narrowed(orthant_context *ctx, const char *path,
                                      const orthant_matrix *wide, int64_t position)
{
    int64_t row = 0;
    while (wide->sparse && wide->row_start[row + 1] <= position)
        row++;
    if (!wide->sparse)
        row = position / wide->stride;
    const int64_t column = wide->sparse ? wide->column[position] : position % wide->stride;
    return fail(ctx, ORTHANT_ERROR_DATA,
                "%s: entry (%" PRId64 ", %" PRId64
                ") is %.6g, more than single precision can hold; use precision = 'double'",
                path, row + 1, column + 1, matrix_value(wide, position));
}

/* What the file holds where single precision has only an infinity, or zeros everywhere. Looks at
 * the file again, in double precision, in that case alone. A memory-mapped file
 * is as it is, and like one that is streamed is not gone through here. */
static orthant_status check_narrowed(orthant_context *ctx, const char *path,
                                     const orthant_read_options *options,
                                     const orthant_matrix *matrix)
{
    if (matrix->precision != ORTHANT_SINGLE || matrix->mapping || matrix->file || matrix->lossless)
        return ORTHANT_OK;
    const double largest = matrix_largest(matrix);
    const int64_t stored =
        matrix->sparse ? matrix->row_start[matrix->rows] : matrix->rows * matrix->stride;
    orthant_matrix *wide = NULL;
    orthant_labels *truth = NULL;
    orthant_status status = ORTHANT_OK;
    if (largest > 0 && isfinite(largest))
        return ORTHANT_OK;
    ctx->precision = ORTHANT_DOUBLE;
    status = read_file(ctx, path, options, &wide, &truth);
    ctx->precision = ORTHANT_SINGLE;
    if (status == ORTHANT_OK && largest == 0 && matrix_largest(wide) > 0)
        status = fail(ctx, ORTHANT_ERROR_DATA,
                      "%s: the largest entry is %.6g, too small for single precision to hold; use "
                      "precision = 'double'",
                      path, matrix_largest(wide));
    for (int64_t p = 0; p < stored && status == ORTHANT_OK && largest > 0; p++)
        if (isinf(matrix_value(matrix, p)) && isfinite(matrix_value(wide, p)))
            status = refuse_narrowed(ctx, path, wide, p);
    orthant_labels_free(truth);
    orthant_matrix_free(wide);
    return status;
}

/* Files of two classes often write -1 and 1; here -1 stands for 'not known'. */
static void tell_unknown_labels(orthant_context *ctx, const orthant_labels *labels)
{
    int64_t unknown = 0;
    for (int64_t i = 0; labels && i < labels->count; i++)
        unknown += labels->values[i] == -1;
    if (unknown)
        log_note(ctx, "%" PRId64 " of %" PRId64 " labels are -1, which stands for 'not known'",
                 unknown, labels->count);
}

/* A mapped file that memory does not hold is read where it is used. */
static bool is_gone_through(const orthant_matrix *matrix)
{
    return !matrix->mapping || matrix->mapped_bytes <= memory_left(matrix->ctx);
}

orthant_status orthant_matrix_read(orthant_context *context, const char *path,
                                   const orthant_read_options *options, orthant_matrix **matrix,
                                   orthant_labels **truth)
{
    orthant_read_options used = ORTHANT_READ_DEFAULTS;
    orthant_labels *labels = NULL;
    char *file = NULL;
    const char *inside = NULL;
    if (matrix)
        *matrix = NULL;
    if (truth)
        *truth = NULL;
    const orthant_status refused = entry_check(context, path && matrix, __func__);
    if (refused)
        return refused;
    if (options) {
        const orthant_status status =
            sized_take(context, "orthant_matrix_read", options, &used, sizeof used);
        if (status)
            return status;
    }
    /* A named truth may be a column, which is no feature, whether the labels are wanted or not. */
    if (!truth && !used.truth)
        used.truth = "none";
    orthant_status status = file_split(context, path, &file, &inside);
    if (status != ORTHANT_OK)
        return status;
    if (inside)
        used.variable = inside;
    status = read_file(context, file, &used, matrix, &labels);
    const bool shares = used.share && context->group.ranks;
    if (status == ORTHANT_OK && shares) /* by all rows: a part may have none, or zeros alone */
        status = check_narrowed(context, file, &used, *matrix);
    if (status == ORTHANT_OK && shares)
        status = orthant_matrix_share(*matrix);
    if (status == ORTHANT_OK && is_gone_through(*matrix))
        status = matrix_summarise(*matrix);
    if (status == ORTHANT_OK && !shares)
        status = check_narrowed(context, file, &used, *matrix);
    memory_name_file(context, file, status);
    memory_free(context, file);
    if (status == ORTHANT_OK && !((*matrix)->name = memory_text(context, path)))
        status = ORTHANT_ERROR_MEMORY;
    if (status == ORTHANT_OK && truth) {
        tell_unknown_labels(context, labels);
        *truth = labels;
        return ORTHANT_OK;
    }
    orthant_labels_free(labels);
    if (status != ORTHANT_OK) {
        orthant_matrix_free(*matrix);
        *matrix = NULL;
    }
    return status;
}
