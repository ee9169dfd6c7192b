/* Rows of a dense HDF5 dataset. Entries that lie in the file as they lie in memory, one behind the
 * other, are read as those of a .npy file are. Others, in chunks or packed, come through the child
 * process that has the file open, whole chunks at a time: they are kept until rows behind them are
 * wanted, so that each chunk is unpacked once per pass. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/pieces.h"
#include "data/hdf5_file.h"
#include "data/row_file.h"

#define KEPT_BYTES (INT64_C(4) << 20)

typedef struct hdf5_rows {
    orthant_context *own; /* for the file's messages, which may come from any thread */
    hdf5_file file;
    const hdf5_dataset *dataset;
    hdf5_type type;
    void *kept; /* rows [kept_first, kept_first + kept_rows) */
    int64_t kept_first, kept_rows, most;
    struct stat opened;
} hdf5_rows;

static bool keep_rows(hdf5_rows *h, int64_t row, row_failure *failure)
{
    const int64_t first = row - row % h->most,
                  rows = smaller(h->most, h->dataset->extent[0] - first);
    h->kept_rows = 0;
    const orthant_status status =
        hdf5_file_read_rows(&h->file, h->dataset, h->type, first, rows, h->kept);
    if (status)
        return row_fail(failure, status, "%s", orthant_message(h->own));
    h->kept_first = first;
    h->kept_rows = rows;
    return true;
}

static bool read_rows(const row_file *file, int64_t first, int64_t rows, row_target to,
                      row_failure *failure)
{
    hdf5_rows *h = file->state;
    const int64_t row_bytes = file->columns * (int64_t)precision_size(file->precision);
    for (int64_t done = 0; done < rows;) {
        const int64_t row = first + done;
        const bool here = row >= h->kept_first && row < h->kept_first + h->kept_rows;
        if (!here && !keep_rows(h, row, failure))
            return false;
        const int64_t now = smaller(rows - done, h->kept_first + h->kept_rows - row);
        memcpy((char *)to.values + done * row_bytes,
               (const char *)h->kept + (row - h->kept_first) * row_bytes,
               (size_t)(now * row_bytes));
        done += now;
    }
    return true;
}

static bool check(const row_file *file, row_failure *failure)
{
    const hdf5_rows *h = file->state;
    struct stat now;
    if (stat(file->name, &now))
        return row_fail(failure, ORTHANT_ERROR_IO, "%s: cannot be read any more", file->name);
    if (now.st_size == h->opened.st_size && now.st_mtim.tv_sec == h->opened.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == h->opened.st_mtim.tv_nsec)
        return true;
    return row_fail(failure, ORTHANT_ERROR_IO,
                    "%s: was written to while it was read: the factors would belong to no data",
                    file->name);
}

static void close_hdf5(row_file *file)
{
    hdf5_rows *h = file->state;
    if (h->file.ctx)
        hdf5_file_close(&h->file);
    orthant_context_free(h->own);
    memory_free(file->ctx, h->kept);
    memory_free(file->ctx, h);
    file->state = NULL;
    file->kind = NULL;
}

static const row_file_kind kind_hdf5 = {
    .name = "HDF5", .read = read_rows, .check = check, .close = close_hdf5};

/* Opens the file in a context of its own and finds the dataset. */
static orthant_status find_dataset(row_file *file, hdf5_rows *h, const char *variable)
{
    orthant_status status = orthant_context_create(&h->own);
    if (status)
        return fail(file->ctx, ORTHANT_ERROR_MEMORY, "out of memory: %s cannot be opened",
                    file->name);
    orthant_context_set_precision(h->own, file->precision);
    orthant_context_set_confined(h->own, file->ctx->confined);
    h->own->child_time_limit_s = file->ctx->child_time_limit_s;
    orthant_context_set_memory_limit(h->own, (size_t)memory_left(file->ctx));
    if (stat(file->name, &h->opened))
        return file_fail_read(file->ctx, file->name, errno);
    status = hdf5_file_open(h->own, file->name, &h->file);
    if (!status)
        status = hdf5_choose_dense(&h->file, variable, &h->dataset);
    return status ? fail(file->ctx, status, "%s", orthant_message(h->own)) : ORTHANT_OK;
}

orthant_status row_file_open_hdf5(row_file *file, const char *path, const char *variable)
{
    hdf5_rows *h = memory_new(file->ctx, 1, sizeof *h, "an open file");
    if (!h)
        return ORTHANT_ERROR_MEMORY;
    file->state = h;
    file->kind = &kind_hdf5;
    file->one_reader = true;
    orthant_status status = find_dataset(file, h, variable);
    if (status)
        return status;
    const hdf5_dataset *dataset = h->dataset;
    file->rows = dataset->extent[0];
    file->columns = hdf5_entries(dataset) / file->rows;
    file->picture = hdf5_picture(dataset);
    if (dataset->plain_bytes == 4 || dataset->plain_bytes == 8) {
        const element type = {'f', dataset->plain_bytes, host_is_big()};
        const int64_t begin = dataset->plain_offset;
        close_hdf5(file);
        file->one_reader = false;
        return row_file_open_plain(file, path, type, begin, -1);
    }
    const int64_t size = (int64_t)precision_size(file->precision), row_bytes = file->columns * size;
    h->type = file->precision == ORTHANT_SINGLE ? HDF5_SINGLE : HDF5_DOUBLE;
    h->most = larger(KEPT_BYTES / row_bytes / larger(dataset->chunk_rows, 1), 1) *
              larger(dataset->chunk_rows, 1);
    h->most = smaller(h->most, file->rows);
    file->grain = larger(dataset->chunk_rows, 1);
    h->kept = memory_new(file->ctx, h->most * file->columns, (size_t)size, "chunks of a dataset");
    return h->kept ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}
