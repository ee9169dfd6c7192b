/* Rows of a .npy file in C order: they lie one behind the other, and any range is read at once. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/pieces.h"
#include "data/npy.h"
#include "data/row_file.h"

#define CONVERTED_BYTES (1 << 14) /* on the stack */
#define ENOUGH_AHEAD_KB 2048      /* that the system reads ahead by itself: about a strip */

typedef struct npy_rows {
    int descriptor;
    element type;
    bool ready;    /* entries lie in the file as they lie in memory */
    bool ahead;    /* the system reads far enough ahead by itself */
    int64_t begin; /* of the first entry in the file */
    int64_t bytes; /* of the whole file, when it was opened */
    struct timespec changed;
} npy_rows;

/* All of the bytes, at an offset; other threads read at others. */
static bool read_bytes(const row_file *file, int64_t offset, void *to, int64_t bytes,
                       row_failure *failure)
{
    const npy_rows *npy = file->state;
    int64_t done;
    const int error = file_read_at(npy->descriptor, to, bytes, offset, &done);
    if (error)
        return row_fail(failure, ORTHANT_ERROR_IO,
                        "%s: cannot be read at byte %" PRId64 " of %" PRId64 ": %s", file->name,
                        offset + done, npy->bytes, strerror(error));
    if (done < bytes)
        return row_fail(failure, ORTHANT_ERROR_IO,
                        "%s: ends at byte %" PRId64 ", but had %" PRId64
                        " bytes when it was opened: it was cut off while it was read",
                        file->name, offset + done, npy->bytes);
    return true;
}

static bool read_rows(const row_file *file, int64_t first, int64_t rows, row_target to,
                      row_failure *failure)
{
    const npy_rows *npy = file->state;
    const int64_t size = npy->type.size, begin = npy->begin + first * file->columns * size,
                  count = rows * file->columns, most = CONVERTED_BYTES / size;
    unsigned char piece[CONVERTED_BYTES];
    if (npy->ready)
        return read_bytes(file, begin, to.values, count * size, failure);
    for (int64_t done = 0; done < count; done += most) {
        const int64_t now = smaller(most, count - done);
        if (!read_bytes(file, begin + done * size, piece, now * size, failure))
            return false;
        element_convert(npy->type, piece, now, file->precision,
                        (char *)to.values + done * (int64_t)precision_size(file->precision));
    }
    return true;
}

/* Kilobytes that the system reads ahead of one who reads from a device; 0 where it does not say. */
static long device_ahead_kb(dev_t device)
{
#ifdef __linux__
    static const char *const forms[] = {"/sys/dev/block/%u:%u/queue/read_ahead_kb",
                                        "/sys/dev/block/%u:%u/../queue/read_ahead_kb"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char path[64], text[24] = "";
        snprintf(path, sizeof path, forms[i], major(device), minor(device));
        const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
        if (descriptor < 0)
            continue; /* of a partition the disk has it */
        const ssize_t count = read(descriptor, text, sizeof text - 1);
        close(descriptor);
        return count > 0 ? strtol(text, NULL, 10) : 0;
    }
#endif
    (void)device;
    return 0;
}

/* What the system reads ahead by itself comes in large pages, what it is told to in pages of 4 KB,
 * which take three times the time in the system: it is told where it would not read enough. */
static bool reads_ahead(int descriptor, dev_t device)
{
#ifdef POSIX_FADV_SEQUENTIAL
    return device_ahead_kb(device) >= ENOUGH_AHEAD_KB &&
           posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) == 0;
#else
    (void)descriptor;
    (void)device;
    return false;
#endif
}

static void will_read(const row_file *file, int64_t first, int64_t rows)
{
#ifdef POSIX_FADV_WILLNEED
    const npy_rows *npy = file->state;
    const int64_t row = file->columns * npy->type.size;
    if (!npy->ahead)
        posix_fadvise(npy->descriptor, npy->begin + first * row, rows * row, POSIX_FADV_WILLNEED);
#else
    (void)file;
    (void)first;
    (void)rows;
#endif
}

static bool look(const npy_rows *npy, const char *name, struct stat *now, row_failure *failure)
{
    if (fstat(npy->descriptor, now) == 0)
        return true;
    return row_fail(failure, ORTHANT_ERROR_IO, "%s: cannot be read: %s", name, strerror(errno));
}

static bool check(const row_file *file, row_failure *failure)
{
    const npy_rows *npy = file->state;
    struct stat now;
    if (!look(npy, file->name, &now, failure))
        return false;
    if (now.st_size != npy->bytes)
        return row_fail(failure, ORTHANT_ERROR_IO,
                        "%s: has %" PRId64 " bytes, but had %" PRId64
                        " when it was opened: it was changed while it was read",
                        file->name, (int64_t)now.st_size, npy->bytes);
    if (now.st_mtim.tv_sec != npy->changed.tv_sec || now.st_mtim.tv_nsec != npy->changed.tv_nsec)
        return row_fail(failure, ORTHANT_ERROR_IO,
                        "%s: was written to while it was read: the factors would belong to no data",
                        file->name);
    return true;
}

static void close_npy(row_file *file)
{
    npy_rows *npy = file->state;
    if (npy->descriptor >= 0)
        close(npy->descriptor);
    memory_free(file->ctx, npy);
    file->state = NULL;
}

static const row_file_kind kind_npy = {
    .name = ".npy", .read = read_rows, .will_read = will_read, .check = check, .close = close_npy};

/* What the header says, and whether the file is as long as it has to be. */
static orthant_status read_shape(row_file *file, const char *path, npy_header *header)
{
    stream in;
    int64_t entries;
    orthant_status status = stream_open(file->ctx, path, &in);
    if (status)
        return status;
    if (in.inflater)
        status = fail(file->ctx, ORTHANT_ERROR_UNSUPPORTED,
                      "%s: is compressed, and its rows cannot be read one by one; unpack it", path);
    if (!status)
        status = npy_read_header(&in, header);
    if (!status && header->type.kind == 0)
        status = fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: holds texts, expected numbers", path);
    if (!status && (header->type.size > 1 && header->type.big != host_is_big()))
        status = fail(file->ctx, ORTHANT_ERROR_UNSUPPORTED,
                      "%s: lies in another byte order than this machine's, and its rows cannot be "
                      "read one by one; convert it",
                      path);
    if (!status && header->shape.first_fastest && header->shape.dimensions > 1)
        status = fail(file->ctx, ORTHANT_ERROR_UNSUPPORTED,
                      "%s: lies in Fortran's order, a column behind the other, and its rows cannot "
                      "be read one by one; convert it to C order",
                      path);
    if (!status && header->shape.dimensions == 0) {
        header->shape.dimensions = 1;
        header->shape.extent[0] = 1;
    }
    if (!status)
        status = element_measure(&in, header->type, &header->shape, &file->columns, &entries);
    stream_close(&in);
    file->rows = header->shape.extent[0];
    return status;
}

orthant_status row_file_open_plain(row_file *file, const char *path, element type, int64_t begin,
                                   int64_t bytes)
{
    struct stat now;
    row_failure failure = {ORTHANT_OK, ""};
    npy_rows *npy = memory_new(file->ctx, 1, sizeof *npy, "an open file");
    if (!npy)
        return ORTHANT_ERROR_MEMORY;
    npy->type = type;
    npy->begin = begin;
    npy->ready = type.kind == 'f' && (size_t)type.size == precision_size(file->precision);
    npy->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    file->state = npy;
    file->kind = &kind_npy;
    file->lossless = element_is_lossless(type, file->precision);
    if (npy->descriptor < 0)
        return file_fail_read(file->ctx, path, errno);
    if (!look(npy, path, &now, &failure))
        return fail(file->ctx, failure.status, "%s", failure.message);
    int64_t least;
    if (!size_multiply(file->rows, file->columns, &least) ||
        !size_multiply(least, type.size, &least) || begin < 0 || begin > INT64_MAX - least)
        return fail(file->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: damaged: %" PRId64 " x %" PRId64 " entries from byte %" PRId64
                    " on are more than any file holds",
                    path, file->rows, file->columns, begin);
    /* The header is of a file that another may have replaced since. */
    least += begin;
    npy->bytes = bytes < 0 && now.st_size >= least ? (int64_t)now.st_size : least;
    npy->changed = now.st_mtim;
    npy->ahead = reads_ahead(npy->descriptor, now.st_dev);
    return check(file, &failure) ? ORTHANT_OK
                                 : fail(file->ctx, failure.status, "%s", failure.message);
}

orthant_status row_file_open_npy(row_file *file, const char *path)
{
    npy_header header;
    const orthant_status status = read_shape(file, path, &header);
    if (status)
        return status;
    file->picture = element_picture(&header.shape);
    return row_file_open_plain(file, path, header.type, header.bytes,
                               header.bytes + file->rows * file->columns * header.type.size);
}
