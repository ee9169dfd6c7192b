/* Rows of a .csr file. Where each begins is held, eight bytes per row; columns and entries are read
 * when they are wanted, and columns are checked every time: the file may be anybody's. Checksums of
 * columns and values are those of all rows in order, and are compared where these are read so. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/pieces.h"
#include "core/xxh64.h"
#include "data/csr_file.h"
#include "data/element.h"
#include "data/row_file.h"

#define CONVERTED_BYTES (1 << 14) /* on the stack */

typedef struct csr_rows {
    int descriptor;
    csr_header header;
    int64_t *start; /* rows + 1 */
    bool in_order;  /* rows are, and their checksums are made */
    xxh64 sum[2];   /* of columns and values */
    struct stat opened;
} csr_rows;

static bool read_bytes(const row_file *file, int64_t offset, void *to, int64_t bytes,
                       row_failure *failure)
{
    const csr_rows *c = file->state;
    int64_t done;
    const int error = file_read_at(c->descriptor, to, bytes, offset, &done);
    if (done == bytes)
        return true;
    return row_fail(failure, ORTHANT_ERROR_IO,
                    error ? "%s: cannot be read at byte %" PRId64
                          : "%s: ends at byte %" PRId64 ": it was cut off while it was read",
                    file->name, offset + done);
}

/* Bytes of a section, from the one at `at` on. */
static bool read_section(const row_file *file, int section, int64_t at, void *to, int64_t bytes,
                         row_failure *failure)
{
    csr_rows *c = file->state;
    if (!read_bytes(file, c->header.begin[section] + at, to, bytes, failure))
        return false;
    if (c->in_order)
        xxh64_add(&c->sum[section], to, (size_t)bytes);
    return true;
}

static bool read_values(const row_file *file, int64_t first, int64_t count, void *to,
                        row_failure *failure)
{
    const csr_rows *c = file->state;
    const element type = {'f', (int)precision_size(c->header.precision), false};
    const int64_t begin = first * type.size, most = CONVERTED_BYTES / type.size;
    unsigned char piece[CONVERTED_BYTES];
    if (c->header.precision == file->precision)
        return read_section(file, CSR_VALUES, begin, to, count * type.size, failure);
    for (int64_t done = 0; done < count; done += most) {
        const int64_t now = smaller(most, count - done);
        if (!read_section(file, CSR_VALUES, begin + done * type.size, piece, now * type.size,
                          failure))
            return false;
        element_convert(type, piece, now, file->precision,
                        (char *)to + done * (int64_t)precision_size(file->precision));
    }
    return true;
}

static bool read_rows(const row_file *file, int64_t first, int64_t rows, row_target to,
                      row_failure *failure)
{
    const csr_rows *c = file->state;
    const int64_t begin = c->start[first], count = c->start[first + rows] - begin;
    const int64_t at = to.row_start[0];
    if (!read_section(file, CSR_COLUMNS, begin * (int64_t)sizeof(int32_t), to.column + at,
                      count * (int64_t)sizeof(int32_t), failure))
        return false;
    for (int64_t i = 0; i < rows; i++)
        if (csr_bad_column(&c->header, to.column + to.row_start[i],
                           to.row_start[i + 1] - to.row_start[i]) >= 0)
            return row_fail(failure, ORTHANT_ERROR_FORMAT,
                            "%s: damaged: row %" PRId64
                            " has columns that do not rise within 1 to %" PRId64,
                            file->name, first + i + 1, file->columns);
    return read_values(file, begin, count,
                       (char *)to.values + at * (int64_t)precision_size(file->precision), failure);
}

static void starts(const row_file *file, int64_t first, int64_t rows, int64_t *row_start)
{
    const csr_rows *c = file->state;
    const int64_t beyond = row_start[0] - c->start[first];
    for (int64_t i = 1; i <= rows; i++)
        row_start[i] = c->start[first + i] + beyond;
}

static int64_t stored(const row_file *file, int64_t first, int64_t rows)
{
    const csr_rows *c = file->state;
    return c->start[first + rows] - c->start[first];
}

static void will_read(const row_file *file, int64_t first, int64_t rows)
{
#ifdef POSIX_FADV_WILLNEED
    const csr_rows *c = file->state;
    const int64_t begin = c->start[first], count = c->start[first + rows] - begin;
    const int64_t size = (int64_t)precision_size(c->header.precision);
    posix_fadvise(c->descriptor, c->header.begin[CSR_COLUMNS] + begin * 4, count * 4,
                  POSIX_FADV_WILLNEED);
    posix_fadvise(c->descriptor, c->header.begin[CSR_VALUES] + begin * size, count * size,
                  POSIX_FADV_WILLNEED);
#else
    (void)file;
    (void)first;
    (void)rows;
#endif
}

static bool check(const row_file *file, row_failure *failure)
{
    const csr_rows *c = file->state;
    struct stat now;
    if (fstat(c->descriptor, &now))
        return row_fail(failure, ORTHANT_ERROR_IO, "%s: cannot be read", file->name);
    if (now.st_size == c->opened.st_size && now.st_mtim.tv_sec == c->opened.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == c->opened.st_mtim.tv_nsec)
        return true;
    return row_fail(failure, ORTHANT_ERROR_IO,
                    "%s: was written to while it was read: the factors would belong to no data",
                    file->name);
}

static void close_csr(row_file *file)
{
    csr_rows *c = file->state;
    if (c->descriptor >= 0)
        close(c->descriptor);
    memory_free(file->ctx, c->start);
    memory_free(file->ctx, c);
    file->state = NULL;
}

static const row_file_kind kind_csr = {.name = ".csr",
                                       .read = read_rows,
                                       .stored = stored,
                                       .starts = starts,
                                       .will_read = will_read,
                                       .check = check,
                                       .close = close_csr};

void row_file_sum_csr(row_file *file)
{
    csr_rows *c = file->state;
    for (int section = CSR_COLUMNS; section <= CSR_VALUES; section++)
        xxh64_begin(&c->sum[section], 0);
    c->in_order = true;
}

orthant_status row_file_compare_csr(const row_file *file)
{
    const csr_rows *c = file->state;
    for (int section = CSR_COLUMNS; section <= CSR_VALUES; section++)
        if (xxh64_value(&c->sum[section]) != c->header.checksum[section])
            return fail(file->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: damaged: the checksum of its %s is another", file->name,
                        section == CSR_COLUMNS ? "columns" : "values");
    return ORTHANT_OK;
}

/* Where the rows begin, compared with their checksum. */
static orthant_status read_starts(row_file *file, csr_rows *c, row_failure *failure)
{
    const csr_header *h = &c->header;
    c->start = memory_new(file->ctx, h->rows + 1, sizeof *c->start, "starts of rows");
    if (!c->start)
        return ORTHANT_ERROR_MEMORY;
    if (!read_bytes(file, h->begin[CSR_STARTS], c->start, h->length[CSR_STARTS], failure))
        return fail(file->ctx, failure->status, "%s", failure->message);
    if (checksum_bytes(c->start, (size_t)h->length[CSR_STARTS], 0) != h->checksum[CSR_STARTS])
        return fail(file->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: damaged: the checksum of its row starts is another", file->name);
    return csr_check_starts(file->ctx, file->name, h, c->start, 0, h->rows);
}

orthant_status row_file_open_csr(row_file *file, const char *path)
{
    unsigned char head[CSR_HEADER_BYTES];
    row_failure failure = {ORTHANT_OK, ""};
    csr_rows *c = memory_new(file->ctx, 1, sizeof *c, "an open file");
    if (!c)
        return ORTHANT_ERROR_MEMORY;
    file->state = c;
    file->kind = &kind_csr;
    file->sparse = true;
    c->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (c->descriptor < 0 || fstat(c->descriptor, &c->opened))
        return file_fail_read(file->ctx, path, errno);
    if (c->opened.st_size < CSR_HEADER_BYTES)
        return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: %" PRId64 " bytes are no .csr file", path,
                    (int64_t)c->opened.st_size);
    if (!read_bytes(file, 0, head, sizeof head, &failure))
        return fail(file->ctx, failure.status, "%s", failure.message);
    orthant_status status =
        csr_unpack(file->ctx, path, head, (int64_t)c->opened.st_size, &c->header);
    if (!status)
        status = read_starts(file, c, &failure);
    file->rows = c->header.rows;
    file->columns = c->header.columns;
    file->lossless = c->header.precision == file->precision || file->precision == ORTHANT_DOUBLE;
    return status;
}
