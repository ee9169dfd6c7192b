/* A dense dataset in a new HDF5 file, or, as "file.h5:/path", beside what such a file holds
 * already. */
#include <inttypes.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/hdf5_errors.h"
#include "data/read.h"

#define DEFAULT_DATASET "/data"
#define BLOCK_BYTES (INT64_C(4) << 20)

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), wanted = strlen(ending);
    return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

/* "file.h5:/path" in two; *inside is NULL where there is no path. `file` is a copy of the address.
 */
static void split(char *file, const char **inside)
{
    *inside = NULL;
    char *colon = strrchr(file, ':');
    if (!colon)
        return;
    *colon = '\0';
    if (ends_with(file, ".h5") || ends_with(file, ".hdf5"))
        *inside = colon + 1;
    else
        *colon = ':';
}

/* Sparse rows become dense ones in `block`. */
static void unpack_rows(const orthant_matrix *matrix, int64_t first, int64_t count, void *block)
{
    const int64_t columns = matrix->columns;
    memset(block, 0, (size_t)(count * columns) * precision_size(matrix->precision));
    for (int64_t i = 0; i < count; i++)
        for (int64_t p = matrix->row_start[first + i]; p < matrix->row_start[first + i + 1]; p++) {
            const int64_t place = i * columns + matrix->column[p];
            if (matrix->precision == ORTHANT_DOUBLE)
                ((double *)block)[place] = matrix_value(matrix, p);
            else
                ((float *)block)[place] = (float)matrix_value(matrix, p);
        }
}

static orthant_status fail_write(orthant_context *ctx, const char *path)
{
    return hdf5_fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written", path);
}

/* What is written, and where to. */
typedef struct destination {
    orthant_context *ctx;
    const char *path;
    hid_t dataset, type;
    int64_t columns;
} destination;

/* Rows `first` and on; the memory behind `values` has `stride` entries per row. */
static orthant_status write_rows(const destination *to, const void *values, int64_t stride,
                                 int64_t first, int64_t count)
{
    const hsize_t zero[2] = {0, 0}, place[2] = {(hsize_t)first, 0};
    const hsize_t size[2] = {(hsize_t)count, (hsize_t)to->columns};
    const hsize_t held[2] = {(hsize_t)count, (hsize_t)stride};
    const hid_t memory = H5Screate_simple(2, held, NULL), disk = H5Dget_space(to->dataset);
    orthant_status status = ORTHANT_OK;
    if (memory < 0 || disk < 0 ||
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, zero, NULL, size, NULL) < 0 ||
        H5Sselect_hyperslab(disk, H5S_SELECT_SET, place, NULL, size, NULL) < 0 ||
        H5Dwrite(to->dataset, to->type, memory, disk, H5P_DEFAULT, values) < 0)
        status = fail_write(to->ctx, to->path);
    if (memory >= 0)
        H5Sclose(memory);
    if (disk >= 0)
        H5Sclose(disk);
    return status;
}

/* A sparse matrix goes through a block of dense rows. */
static orthant_status write_values(const destination *to, const orthant_matrix *matrix)
{
    const int64_t size = (int64_t)precision_size(matrix->precision);
    const int64_t most = BLOCK_BYTES / size / matrix->columns + 1;
    const int64_t rows = most < matrix->rows ? most : matrix->rows;
    orthant_status status = ORTHANT_OK;
    if (!matrix->sparse)
        return write_rows(to, matrix->values, matrix->stride, 0, matrix->rows);
    void *block = memory_new(to->ctx, rows * matrix->columns, (size_t)size, "rows to write");
    if (!block)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t first = 0; first < matrix->rows && status == ORTHANT_OK; first += rows) {
        const int64_t count = first + rows < matrix->rows ? rows : matrix->rows - first;
        unpack_rows(matrix, first, count, block);
        status = write_rows(to, block, matrix->columns, first, count);
    }
    memory_free(to->ctx, block);
    return status;
}

static orthant_status write_dataset(orthant_context *ctx, const orthant_matrix *matrix,
                                    const char *path, hid_t file, const char *inside)
{
    const bool wide = matrix->precision == ORTHANT_DOUBLE;
    const hsize_t size[2] = {(hsize_t)matrix->rows, (hsize_t)matrix->columns};
    const hid_t space = H5Screate_simple(2, size, NULL), how = H5Pcreate(H5P_LINK_CREATE);
    orthant_status status;
    H5Pset_create_intermediate_group(how, 1);
    if (H5Lexists(file, inside, H5P_DEFAULT) > 0)
        H5Ldelete(file, inside, H5P_DEFAULT);
    const destination to = {.ctx = ctx,
                            .path = path,
                            .dataset =
                                H5Dcreate2(file, inside, wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE,
                                           space, how, H5P_DEFAULT, H5P_DEFAULT),
                            .type = wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT,
                            .columns = matrix->columns};
    if (to.dataset < 0)
        status =
            hdf5_fail(ctx, ORTHANT_ERROR_IO, "%s: the dataset '%s' cannot be made", path, inside);
    else
        status = write_values(&to, matrix);
    if (to.dataset >= 0 && H5Dclose(to.dataset) < 0 && status == ORTHANT_OK)
        status = fail_write(ctx, path);
    H5Pclose(how);
    H5Sclose(space);
    return status;
}

/* The file as it is, to add a dataset to. */
static orthant_status copy_file(orthant_context *ctx, const char *from, const char *to)
{
    char bytes[1 << 14];
    size_t got;
    FILE *in = NULL;
    orthant_status status = file_open(ctx, from, &in);
    if (status != ORTHANT_OK)
        return status;
    FILE *out = fopen(to, "wb");
    bool done = out != NULL;
    while (done && (got = fread(bytes, 1, sizeof bytes, in)) > 0)
        done = fwrite(bytes, 1, got, out) == got;
    done = done && !ferror(in);
    if (out && fclose(out) != 0)
        done = false;
    fclose(in);
    return done ? ORTHANT_OK
                : fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be copied to add a dataset", from);
}

static orthant_status write_file(orthant_context *ctx, const orthant_matrix *matrix,
                                 const char *path, const char *inside, const char *temporary)
{
    const bool add = inside && file_exists(path) && H5Fis_hdf5(path) > 0;
    orthant_status status = add ? copy_file(ctx, path, temporary) : ORTHANT_OK;
    if (status != ORTHANT_OK)
        return status;
    const hid_t file = add ? H5Fopen(temporary, H5F_ACC_RDWR, H5P_DEFAULT)
                           : H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return fail_write(ctx, path);
    status = write_dataset(ctx, matrix, path, file, inside ? inside : DEFAULT_DATASET);
    if (H5Fclose(file) < 0 && status == ORTHANT_OK)
        status = fail_write(ctx, path);
    return status;
}

orthant_status write_hdf5(orthant_context *ctx, const orthant_matrix *matrix, const char *address)
{
    const char *inside = NULL;
    file_writer writer;
    hdf5_quiet quiet;
    char *path = memory_text(ctx, address);
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    split(path, &inside);
    if (inside && (inside[0] != '/' || ends_with(inside, "/"))) {
        memory_free(ctx, path);
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: expected a path like /group/name behind the colon", address);
    }
    hdf5_quiet_begin(&quiet);
    orthant_status status = file_write_begin_named(ctx, path, &writer);
    if (status == ORTHANT_OK)
        status = file_write_end(&writer, write_file(ctx, matrix, path, inside, writer.temporary));
    hdf5_quiet_end(&quiet);
    memory_free(ctx, path);
    return status;
}
