/* An HDF5 file that a confined child process has open: lists its datasets and sends their values.
 * What comes back is believed no more than the file itself. */
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/element.h"
#include "data/hdf5_file.h"

#define LONGEST_NAME (1 << 16)
#define PLAIN_BLOCK (INT64_C(1) << 16) /* entries */

/* Rows in the type that is added to ROWS. */
enum { LIST, VALUES, ROWS };

/* A dataset as it is sent; its name follows. */
typedef struct entry {
    int64_t name_bytes; /* with the 0 at its end */
    int64_t extent[HDF5_DIMENSIONS], shape[2];
    int64_t plain_offset, chunk_rows;
    int32_t dimensions, number, has_shape, by_columns, plain_bytes;
} entry;

/* ---- in the child --------------------------------------------------------------------------- */

static orthant_status send_list(child *link, hdf5_file *file)
{
    const orthant_status status = hdf5_list(file);
    if (status != ORTHANT_OK)
        return status;
    child_send(link, &file->count, sizeof file->count);
    for (int64_t i = 0; i < file->count; i++) {
        const hdf5_dataset *d = &file->datasets[i];
        entry e = {.name_bytes = (int64_t)strlen(d->path) + 1,
                   .dimensions = d->dimensions,
                   .number = d->number,
                   .has_shape = d->has_shape,
                   .by_columns = d->by_columns,
                   .plain_bytes = d->plain_bytes,
                   .plain_offset = d->plain_offset,
                   .chunk_rows = d->chunk_rows};
        memcpy(e.extent, d->extent, sizeof e.extent);
        memcpy(e.shape, d->shape, sizeof e.shape);
        if (e.name_bytes > LONGEST_NAME)
            return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: a dataset's name is too long",
                        file->path);
        child_send(link, &e, sizeof e);
        child_send(link, d->path, e.name_bytes);
    }
    return ORTHANT_OK;
}

/* As many rows at once as a slot takes, straight into it. Chunks are read once each: where those
 * of a row of chunks are more than a slot, they go through memory of the child's own. */
static orthant_status send_rows(child *link, const hdf5_file *file, const hdf5_dataset *dataset,
                                hdf5_type type, int64_t begin, int64_t end)
{
    const int64_t rows = end - begin;
    const int64_t row_bytes = hdf5_entries(dataset) / dataset->extent[0] * hdf5_type_bytes(type);
    int64_t together;
    void *own = NULL;
    hid_t id;
    orthant_status status = hdf5_open_dataset(file, dataset, &id, &together);
    if (status != ORTHANT_OK)
        return status;
    int64_t step = CHILD_SLOT_BYTES / row_bytes / together * together;
    if (step == 0) {
        step = together < rows ? together : rows;
        own = memory_new(file->ctx, step, (size_t)row_bytes, "rows of a dataset");
        if (!own)
            status = ORTHANT_ERROR_MEMORY;
    }
    for (int64_t first = begin, count; first < end && status == ORTHANT_OK; first += count) {
        /* To the end of a row of chunks, where the first is inside of one. */
        count = step - first % (step < together ? step : together);
        count = first + count < end ? count : end - first;
        void *to = own ? own : child_slot(link);
        status = hdf5_read_rows(file, dataset, id, type, first, count, to);
        if (status == ORTHANT_OK && own)
            child_send(link, own, count * row_bytes);
        else if (status == ORTHANT_OK)
            child_post(link, count * row_bytes);
    }
    memory_free(file->ctx, own);
    H5Dclose(id);
    return status;
}

static orthant_status serve(child *link, const child_request *request, void *user)
{
    hdf5_file *file = user;
    if (request->what == LIST) {
        file->reader = link;
        return send_list(link, file);
    }
    const hdf5_dataset *dataset = &file->datasets[request->index];
    if (request->what == VALUES)
        return send_rows(link, file, dataset, (hdf5_type)request->count, 0, dataset->extent[0]);
    return send_rows(link, file, dataset, (hdf5_type)(request->what - ROWS), request->first,
                     request->first + request->count);
}

/* ---- in the parent -------------------------------------------------------------------------- */

static orthant_status take_dataset(hdf5_file *file)
{
    entry e;
    hdf5_dataset *d = NULL;
    orthant_status status = child_take(file->reader, &e, sizeof e);
    if (status == ORTHANT_OK &&
        (e.name_bytes < 2 || e.name_bytes > LONGEST_NAME || e.dimensions < 0))
        status =
            fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: an HDF5 file that is damaged", file->path);
    if (status == ORTHANT_OK)
        status = hdf5_add_dataset(file, e.name_bytes, &d);
    if (status != ORTHANT_OK)
        return status;
    d->dimensions = e.dimensions;
    d->number = e.number != 0;
    d->has_shape = e.has_shape != 0;
    d->by_columns = e.by_columns != 0;
    d->plain_bytes = e.plain_offset > 0 ? e.plain_bytes : 0;
    d->plain_offset = e.plain_offset;
    d->chunk_rows = e.chunk_rows > 0 && e.chunk_rows <= INT32_MAX ? e.chunk_rows : 0;
    memcpy(d->shape, e.shape, sizeof d->shape);
    for (int i = 0; i < HDF5_DIMENSIONS; i++)
        d->extent[i] = e.extent[i] > 0 ? e.extent[i] : 0;
    status = child_take(file->reader, d->path, e.name_bytes);
    d->path[e.name_bytes - 1] = '\0';
    return status;
}

orthant_status hdf5_child_list(hdf5_file *file)
{
    const child_request request = {.what = LIST};
    const child_options options = {.path = file->path,
                                   .library = "the HDF5 library",
                                   .bytes = hdf5_child_memory(file->ctx, file->bytes),
                                   .serve = serve,
                                   .user = file};
    int64_t count = 0;
    orthant_status status = child_start(file->ctx, &options, &file->reader);
    if (status == ORTHANT_OK)
        status = child_ask(file->reader, &request, 0);
    if (status == ORTHANT_OK)
        status = child_take(file->reader, &count, sizeof count);
    for (int64_t i = 0; i < count && status == ORTHANT_OK; i++)
        status = take_dataset(file);
    return status == ORTHANT_OK ? child_end(file->reader) : status;
}

/* Floats or doubles that stand in the file as they are in memory need no library. */
static orthant_status read_plain(const hdf5_file *file, const hdf5_dataset *dataset, hdf5_type type,
                                 char *values)
{
    const int64_t count = hdf5_entries(dataset), size = dataset->plain_bytes;
    const bool same = size == hdf5_type_bytes(type);
    const element stored = {'f', (int)size, host_is_big()};
    unsigned char *block = NULL;
    FILE *in = NULL;
    orthant_status status = file_open(file->ctx, file->path, &in);
    if (status == ORTHANT_OK && !same &&
        !(block = memory_new(file->ctx, PLAIN_BLOCK, (size_t)size, "a block of a dataset")))
        status = ORTHANT_ERROR_MEMORY;
    bool done = status == ORTHANT_OK && fseeko(in, (off_t)dataset->plain_offset, SEEK_SET) == 0;
    for (int64_t at = 0; done && at < count; at += PLAIN_BLOCK) {
        const int64_t piece = count - at < PLAIN_BLOCK ? count - at : PLAIN_BLOCK;
        char *to = values + at * hdf5_type_bytes(type);
        done = fread(same ? (void *)to : block, (size_t)size, (size_t)piece, in) == (size_t)piece;
        if (done && !same)
            element_convert(stored, block, piece,
                            type == HDF5_SINGLE ? ORTHANT_SINGLE : ORTHANT_DOUBLE, to);
    }
    if (status == ORTHANT_OK && !done)
        status = fail(file->ctx, ORTHANT_ERROR_FORMAT,
                      "%s: '%s' cannot be read: the file is cut short", file->path, dataset->path);
    memory_free(file->ctx, block);
    if (in)
        fclose(in);
    return status;
}

orthant_status hdf5_child_read(const hdf5_file *file, const hdf5_dataset *dataset, hdf5_type type,
                               void *values)
{
    const child_request request = {
        .what = VALUES, .index = (int32_t)(dataset - file->datasets), .count = type};
    const int64_t bytes = hdf5_entries(dataset) * hdf5_type_bytes(type);
    if (type != HDF5_INT64 && (dataset->plain_bytes == 4 || dataset->plain_bytes == 8))
        return read_plain(file, dataset, type, values);
    orthant_status status = child_ask(file->reader, &request, bytes);
    if (status == ORTHANT_OK)
        status = child_take(file->reader, values, bytes);
    return status == ORTHANT_OK ? child_end(file->reader) : status;
}

orthant_status hdf5_child_read_rows(const hdf5_file *file, const hdf5_dataset *dataset,
                                    hdf5_type type, int64_t first, int64_t count, void *values)
{
    const child_request request = {.what = ROWS + (int32_t)type,
                                   .index = (int32_t)(dataset - file->datasets),
                                   .first = first,
                                   .count = count};
    const int64_t bytes =
        hdf5_entries(dataset) / dataset->extent[0] * count * hdf5_type_bytes(type);
    orthant_status status = child_ask(file->reader, &request, bytes);
    if (status == ORTHANT_OK)
        status = child_take(file->reader, values, bytes);
    return status == ORTHANT_OK ? child_end(file->reader) : status;
}
