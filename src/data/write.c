/* Chooses the writer by the ending of the name. */
#include <string.h>

#include "core/file.h"
#include "data/read.h"

/* "file.h5:/path" as well as "file.h5". */
static bool is_hdf5(const char *path, const char *ending)
{
    return strcmp(ending, "h5") == 0 || strcmp(ending, "hdf5") == 0 || strstr(path, ".h5:") ||
           strstr(path, ".hdf5:");
}

static bool is_table(const char *ending)
{
    return strcmp(ending, "csv") == 0 || strcmp(ending, "tsv") == 0;
}

orthant_status write_check_name(orthant_context *ctx, const char *path)
{
    char ending[16];
    file_ending(path, ending);
    if (is_hdf5(path, ending) || is_table(ending) || strcmp(ending, "npy") == 0 ||
        strcmp(ending, "mtx") == 0 || strcmp(ending, "csr") == 0)
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "%s: cannot tell the kind of file to write from its name; known are .npy, .csv, "
                ".tsv, .h5, .csr and .mtx",
                path);
}

orthant_status orthant_matrix_write(orthant_context *context, const orthant_matrix *matrix,
                                    const char *path)
{
    char ending[16];
    const orthant_status refused = entry_check(context, matrix && path, __func__);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(matrix, __func__);
    if (here)
        return here;
    const orthant_status status = write_check_name(context, path);
    if (status)
        return status;
    file_ending(path, ending);
    if (is_hdf5(path, ending))
        return write_hdf5(context, matrix, path);
    if (strcmp(ending, "npy") == 0)
        return write_npy(context, matrix, path);
    if (strcmp(ending, "csr") == 0)
        return write_csr(context, matrix, path);
    return is_table(ending) ? write_csv(context, matrix, path) : write_mtx(context, matrix, path);
}
