/* The header of a .csr file, and what is checked of its sections. */
#include "data/csr_file.h"

#include <inttypes.h>
#include <string.h>

#include "core/checksum.h"
#include "core/memory.h"
#include "data/element.h"

#define VERSION 1
#define ALIGNMENT 64
#define HASHED_BYTES 64 /* of the header */

static void put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

bool csr_measure(csr_header *header)
{
    const int64_t size[CSR_SECTIONS] = {sizeof(int32_t), (int64_t)precision_size(header->precision),
                                        sizeof(int64_t)};
    const int64_t count[CSR_SECTIONS] = {header->stored, header->stored, header->rows + 1};
    int64_t at = CSR_HEADER_BYTES;
    for (int s = 0; s < CSR_SECTIONS; s++) {
        header->begin[s] = at;
        if (!size_multiply(count[s], size[s], &header->length[s]) ||
            __builtin_add_overflow(at, header->length[s], &at) || at > INT64_MAX - ALIGNMENT)
            return false;
        if (s + 1 < CSR_SECTIONS)
            at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return true;
}

void csr_pack(const csr_header *header, unsigned char bytes[CSR_HEADER_BYTES])
{
    memset(bytes, 0, CSR_HEADER_BYTES);
    memcpy(bytes, CSR_MAGIC, 8);
    put(bytes + 8, VERSION, 4);
    put(bytes + 12, precision_size(header->precision), 4);
    put(bytes + 16, (uint64_t)header->rows, 8);
    put(bytes + 24, (uint64_t)header->columns, 8);
    put(bytes + 32, (uint64_t)header->stored, 8);
    for (int s = 0; s < CSR_SECTIONS; s++)
        put(bytes + 40 + 8 * s, header->checksum[s], 8);
    put(bytes + HASHED_BYTES, checksum_bytes(bytes, HASHED_BYTES, 0), 8);
}

orthant_status csr_unpack(orthant_context *ctx, const char *path,
                          const unsigned char bytes[CSR_HEADER_BYTES], int64_t file_bytes,
                          csr_header *header)
{
    const uint64_t version = get(bytes + 8, 4), size = get(bytes + 12, 4);
    *header = (csr_header){.rows = (int64_t)get(bytes + 16, 8),
                           .columns = (int64_t)get(bytes + 24, 8),
                           .stored = (int64_t)get(bytes + 32, 8),
                           .precision = size == sizeof(double) ? ORTHANT_DOUBLE : ORTHANT_SINGLE};
    if (memcmp(bytes, CSR_MAGIC, 8) != 0)
        return fail(ctx, ORTHANT_ERROR_FORMAT, "%s: does not begin as a .csr file does", path);
    if (version != VERSION)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: version %" PRIu64 " of the .csr format, expected %d", path, version,
                    VERSION);
    if (get(bytes + HASHED_BYTES, 8) != checksum_bytes(bytes, HASHED_BYTES, 0))
        return fail(ctx, ORTHANT_ERROR_FORMAT, "%s: damaged: the header's checksum is another",
                    path);
    for (int s = 0; s < CSR_SECTIONS; s++)
        header->checksum[s] = get(bytes + 40 + 8 * s, 8);
    if ((size != sizeof(float) && size != sizeof(double)) || header->rows < 0 ||
        header->columns < 0 || header->stored < 0 || header->rows == INT64_MAX ||
        !csr_measure(header))
        return fail(ctx, ORTHANT_ERROR_FORMAT,
                    "%s: the header promises %" PRId64 " x %" PRId64 " with %" PRId64
                    " entries of %" PRIu64 " bytes, which cannot be",
                    path, header->rows, header->columns, header->stored, size);
    const int64_t end = header->begin[CSR_STARTS] + header->length[CSR_STARTS];
    if (file_bytes != end)
        return fail(ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " bytes, expected %" PRId64 " for %" PRId64
                    " rows and %" PRId64 " entries",
                    path, file_bytes, end, header->rows, header->stored);
    if (host_is_big())
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: .csr files are of the other byte order than this machine", path);
    return matrix_check_sparse(ctx, header->rows, header->columns, header->stored);
}

orthant_status csr_check_starts(orthant_context *ctx, const char *path, const csr_header *header,
                                const int64_t *start, int64_t first, int64_t count)
{
    for (int64_t i = 0; i <= count; i++) {
        const int64_t row = first + i, least = i > 0 ? start[i - 1] : 0;
        const bool right = row == 0              ? start[i] == 0
                           : row == header->rows ? start[i] == header->stored && start[i] >= least
                                                 : start[i] >= least && start[i] <= header->stored;
        if (!right)
            return fail(ctx, ORTHANT_ERROR_FORMAT,
                        "%s: damaged: row %" PRId64 " begins at entry %" PRId64
                        ", expected to rise from 0 to %" PRId64,
                        path, row + 1, start[i], header->stored);
    }
    return ORTHANT_OK;
}

#define TOGETHER 16 /* that are compared without a branch */

/* Whether each of the columns lies behind the one before. */
static bool rise(const int32_t *column, int64_t count)
{
    int64_t p = 1;
    for (; p + TOGETHER <= count; p += TOGETHER) {
        int32_t falls = 0;
        for (int i = 0; i < TOGETHER; i++)
            falls |= column[p + i] <= column[p + i - 1];
        if (falls)
            return false;
    }
    for (; p < count; p++)
        if (column[p] <= column[p - 1])
            return false;
    return true;
}

int64_t csr_bad_column(const csr_header *header, const int32_t *column, int64_t count)
{
    if (count == 0 ||
        (column[0] >= 0 && column[count - 1] < header->columns && rise(column, count)))
        return -1;
    for (int64_t p = 0; p < count; p++)
        if (column[p] < 0 || column[p] >= header->columns || (p > 0 && column[p] <= column[p - 1]))
            return p;
    return -1;
}
