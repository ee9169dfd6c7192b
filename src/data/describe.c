/* What a matrix holds, and the kind of a file by name. */
#include <math.h>

#include "core/part.h"
#include "core/sized.h"
#include "core/memory.h"
#include "data/beside.h"
#include "data/kind.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "data/pass.h"
#include "data/read.h"
#include "orthant/data.h"

/* Of the stored entries of a strip. */
static void widen_range(void *user, strip x)
{
    orthant_matrix_info *info = user;
    const orthant_matrix *data = x.data;
    for (int64_t row = x.row; row < x.row + x.rows; row++) {
        const int64_t first = data->sparse ? data->row_start[row] : row * data->stride;
        const int64_t end = data->sparse ? data->row_start[row + 1] : first + data->columns;
        for (int64_t i = first; i < end; i++) {
            const double value = matrix_value(data, i);
            info->missing += isnan(value);
            info->minimum = value < info->minimum ? value : info->minimum;
            info->maximum = value > info->maximum ? value : info->maximum;
        }
    }
}

static orthant_status find_range(const orthant_matrix *matrix, orthant_matrix_info *info)
{
    /* The zeros that a sparse matrix does not store count too. */
    const bool all_stored = !matrix->sparse || info->nonzeros == info->rows * info->columns;
    info->minimum = all_stored ? INFINITY : 0;
    info->maximum = all_stored ? -INFINITY : 0;
    if (matrix_file(matrix))
        return rows_pass_run(matrix->ctx, matrix, &(rows_pass){info, NULL, widen_range});
    widen_range(info, (strip){.data = matrix, .rows = matrix->rows});
    return ORTHANT_OK;
}

orthant_status orthant_matrix_describe(const orthant_matrix *matrix, orthant_matrix_info *info)
{
    orthant_matrix_info found = {.size = sizeof found};
    if (!matrix || !info)
        return fail(matrix ? matrix->ctx : NULL, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL",
                    __func__);
    found.sparse = matrix->sparse;
    found.rows = matrix->rows;
    found.columns = matrix->columns;
    found.nonzeros = orthant_matrix_nonzeros(matrix);
    const double entries = (double)found.rows * (double)found.columns;
    found.picture = matrix->picture;
    const orthant_status status = find_range(matrix, &found);
    found.nonzeros -= found.missing;
    found.density = entries > 0 ? (double)found.nonzeros / entries : 0;
    return status ? status
                  : sized_give(matrix->ctx, "orthant_matrix_describe", &found, sizeof found, info);
}

orthant_status orthant_file_kind(orthant_context *context, const char *path, const char **kind)
{
    static const char *const names[] = {
        [KIND_UNKNOWN] = "unknown", [KIND_MAT] = "mat", [KIND_NPY] = "npy",
        [KIND_NPZ] = "npz",         [KIND_CSV] = "csv", [KIND_MTX] = "mtx",
        [KIND_HDF5] = "hdf5",       [KIND_IDX] = "idx", [KIND_CSR] = "csr",
        [KIND_FOLDER] = "folder"};
    file_kind found;
    if (kind)
        *kind = NULL;
    const orthant_status refused = entry_check(context, path && kind, __func__);
    if (refused)
        return refused;
    const orthant_status status = kind_of_file(context, path, &found);
    if (!status)
        *kind = names[found];
    return status;
}

orthant_status orthant_matrix_write_check(orthant_context *context, const char *path)
{
    const orthant_status refused = entry_check(context, path != NULL, __func__);
    if (refused)
        return refused;
    const orthant_status status = write_check_name(context, path);
    if (!status)
        part_sweep_file(path);
    return status;
}

orthant_status orthant_labels_write_beside(orthant_context *context, const orthant_labels *labels,
                                           const char *path)
{
    const orthant_status refused = entry_check(context, labels && path, __func__);
    return refused ? refused : beside_write_labels(context, labels, path);
}
