/* Rows into the dataset "/data" of a new HDF5 file: one behind the other where their number is
 * known, else in chunks, which can grow. */
#include "core/file.h"
#include "core/memory.h"
#include "data/hdf5_errors.h"
#include "data/row_sink.h"

#define DATASET "/data"
#define CHUNK_BYTES (INT64_C(1) << 20)

typedef struct hdf5_sink {
    file_writer writer;
    hdf5_quiet quiet;
    hid_t file, dataset, type;
    bool grows;
    orthant_matrix *dense; /* rows of a sparse block; or NULL */
} hdf5_sink;

static orthant_status fail_write(const row_sink *sink)
{
    return hdf5_fail(sink->ctx, ORTHANT_ERROR_IO, "%s: cannot be written", sink->path);
}

static orthant_status make_dataset(row_sink *sink, int64_t rows)
{
    hdf5_sink *h = sink->state;
    const bool wide = sink->ctx->precision == ORTHANT_DOUBLE;
    const hsize_t size[2] = {h->grows ? 0 : (hsize_t)rows, (hsize_t)sink->columns};
    const hsize_t most[2] = {H5S_UNLIMITED, (hsize_t)sink->columns};
    const int64_t row_bytes = sink->columns * (int64_t)precision_size(sink->ctx->precision);
    const hsize_t chunk[2] = {(hsize_t)(1 + CHUNK_BYTES / row_bytes), (hsize_t)sink->columns};
    const hid_t space = H5Screate_simple(2, size, h->grows ? most : NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (h->grows)
        H5Pset_chunk(how, 2, chunk);
    h->type = wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    h->dataset = H5Dcreate2(h->file, DATASET, wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, space,
                            H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return h->dataset < 0 ? fail_write(sink) : ORTHANT_OK;
}

static orthant_status begin(row_sink *sink, int64_t rows, int64_t columns, bool sparse)
{
    hdf5_sink *h = memory_new(sink->ctx, 1, sizeof *h, "a file to write");
    (void)columns;
    (void)sparse;
    if (!h)
        return ORTHANT_ERROR_MEMORY;
    sink->state = h;
    h->grows = rows < 0;
    h->file = h->dataset = H5I_INVALID_HID;
    hdf5_quiet_begin(&h->quiet);
    const orthant_status status = file_write_begin_named(sink->ctx, sink->path, &h->writer);
    if (status)
        return status;
    h->file = H5Fcreate(h->writer.temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return h->file < 0 ? fail_write(sink) : make_dataset(sink, rows);
}

/* Rows of a dense matrix behind those that are there, from `at` on. */
static orthant_status write_rows(const row_sink *sink, const orthant_matrix *rows, int64_t at)
{
    const hdf5_sink *h = sink->state;
    const hsize_t zero[2] = {0, 0}, place[2] = {(hsize_t)at, 0};
    const hsize_t grown[2] = {(hsize_t)(at + rows->rows), (hsize_t)sink->columns};
    const hsize_t size[2] = {(hsize_t)rows->rows, (hsize_t)sink->columns};
    const hsize_t held[2] = {(hsize_t)rows->rows, (hsize_t)rows->stride};
    if (h->grows && H5Dset_extent(h->dataset, grown) < 0)
        return fail_write(sink);
    const hid_t memory = H5Screate_simple(2, held, NULL), disk = H5Dget_space(h->dataset);
    const bool written =
        memory >= 0 && disk >= 0 &&
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, zero, NULL, size, NULL) >= 0 &&
        H5Sselect_hyperslab(disk, H5S_SELECT_SET, place, NULL, size, NULL) >= 0 &&
        H5Dwrite(h->dataset, h->type, memory, disk, H5P_DEFAULT, rows->values) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (disk >= 0)
        H5Sclose(disk);
    return written ? ORTHANT_OK : fail_write(sink);
}

/* Sparse rows by way of dense ones, as many as memory has place for. */
static orthant_status add_sparse(row_sink *sink, const orthant_matrix *rows)
{
    hdf5_sink *h = sink->state;
    const int64_t step =
        row_sink_step(sink->ctx, sink->columns * (int64_t)precision_size(sink->ctx->precision));
    orthant_status status = ORTHANT_OK;
    for (int64_t first = 0; first < rows->rows && !status; first += step) {
        const int64_t count = first + step < rows->rows ? step : rows->rows - first;
        status = matrix_new_dense(sink->ctx, rows->precision, count, sink->columns, &h->dense);
        for (int64_t i = 0; i < count && !status; i++)
            for (int64_t p = rows->row_start[first + i]; p < rows->row_start[first + i + 1]; p++)
                matrix_set_value(h->dense, i * sink->columns + rows->column[p],
                                 matrix_value(rows, p));
        if (!status)
            status = write_rows(sink, h->dense, sink->rows + first);
        orthant_matrix_free(h->dense);
        h->dense = NULL;
    }
    return status;
}

static orthant_status add(row_sink *sink, const orthant_matrix *rows)
{
    return rows->sparse ? add_sparse(sink, rows) : write_rows(sink, rows, sink->rows);
}

static orthant_status end(row_sink *sink, orthant_status status)
{
    hdf5_sink *h = sink->state;
    if (!h)
        return status;
    if (h->dataset >= 0 && H5Dclose(h->dataset) < 0 && !status)
        status = fail_write(sink);
    if (h->file >= 0 && H5Fclose(h->file) < 0 && !status)
        status = fail_write(sink);
    if (h->writer.temporary)
        status = file_write_end(&h->writer, status);
    hdf5_quiet_end(&h->quiet);
    memory_free(sink->ctx, h);
    sink->state = NULL;
    return status;
}

const row_sink_kind row_sink_hdf5 = {begin, add, end};
