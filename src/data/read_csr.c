/* A whole .csr file into memory: its checksums are compared. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/xxh64.h"
#include "data/csr_file.h"
#include "data/element.h"
#include "data/read.h"

#define PIECE_BYTES (1 << 20)

typedef struct reading {
    orthant_context *ctx;
    const char *path;
    FILE *file;
    csr_header header;
    unsigned char *piece; /* of values in another precision */
} reading;

static orthant_status fail_damaged(const reading *r, int section)
{
    static const char *const names[] = {"columns", "values", "row starts"};
    return fail(r->ctx, ORTHANT_ERROR_FORMAT, "%s: damaged: the checksum of its %s is another",
                r->path, names[section]);
}

static orthant_status read_bytes(const reading *r, void *to, int64_t bytes)
{
    if (fread(to, 1, (size_t)bytes, r->file) == (size_t)bytes)
        return ORTHANT_OK;
    return ferror(r->file) ? file_fail_read(r->ctx, r->path, errno)
                           : fail(r->ctx, ORTHANT_ERROR_IO,
                                  "%s: ends before the sizes that its header gives", r->path);
}

/* A section as it stands in the file. */
static orthant_status read_section(const reading *r, int section, void *to)
{
    xxh64 hash;
    if (fseeko(r->file, (off_t)r->header.begin[section], SEEK_SET))
        return file_fail_read(r->ctx, r->path, errno);
    const orthant_status status = read_bytes(r, to, r->header.length[section]);
    if (status)
        return status;
    xxh64_begin(&hash, 0);
    xxh64_add(&hash, to, (size_t)r->header.length[section]);
    return xxh64_value(&hash) == r->header.checksum[section] ? ORTHANT_OK
                                                             : fail_damaged(r, section);
}

/* Values of another precision than the matrix's, a piece at a time. */
static orthant_status read_converted(reading *r, orthant_matrix *matrix)
{
    const element type = {'f', (int)precision_size(r->header.precision), false};
    const int64_t most = PIECE_BYTES / type.size;
    xxh64 hash;
    orthant_status status = ORTHANT_OK;
    r->piece = memory_new(r->ctx, PIECE_BYTES, 1, "a file's values");
    if (!r->piece)
        return ORTHANT_ERROR_MEMORY;
    if (fseeko(r->file, (off_t)r->header.begin[CSR_VALUES], SEEK_SET))
        return file_fail_read(r->ctx, r->path, errno);
    xxh64_begin(&hash, 0);
    for (int64_t done = 0, now; done < r->header.stored && !status; done += now) {
        now = r->header.stored - done < most ? r->header.stored - done : most;
        status = read_bytes(r, r->piece, now * type.size);
        if (status)
            break;
        xxh64_add(&hash, r->piece, (size_t)(now * type.size));
        element_convert(type, r->piece, now, matrix->precision,
                        (char *)matrix->values + (size_t)done * precision_size(matrix->precision));
    }
    if (!status && xxh64_value(&hash) != r->header.checksum[CSR_VALUES])
        status = fail_damaged(r, CSR_VALUES);
    return status;
}

static orthant_status check_columns(const reading *r, const orthant_matrix *matrix)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t first = matrix->row_start[i];
        const int64_t bad =
            csr_bad_column(&r->header, matrix->column + first, matrix->row_start[i + 1] - first);
        if (bad >= 0)
            return fail(r->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: damaged: row %" PRId64 " has an entry in column %" PRId64
                        ", expected to rise within 1 to %" PRId64,
                        r->path, i + 1, (int64_t)matrix->column[first + bad] + 1, matrix->columns);
    }
    return ORTHANT_OK;
}

static orthant_status read_matrix(reading *r, orthant_matrix **found)
{
    const csr_header *h = &r->header;
    orthant_status status =
        matrix_new_sparse(r->ctx, r->ctx->precision, h->rows, h->columns, h->stored, found);
    if (status)
        return status;
    orthant_matrix *matrix = *found;
    status = read_section(r, CSR_STARTS, matrix->row_start);
    if (!status)
        status = csr_check_starts(r->ctx, r->path, h, matrix->row_start, 0, h->rows);
    if (!status)
        status = read_section(r, CSR_COLUMNS, matrix->column);
    if (!status)
        status = check_columns(r, matrix);
    if (!status)
        status = matrix->precision == h->precision ? read_section(r, CSR_VALUES, matrix->values)
                                                   : read_converted(r, matrix);
    matrix->lossless = matrix->precision == h->precision || matrix->precision == ORTHANT_DOUBLE;
    return status;
}

orthant_status read_csr(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    reading r = {.ctx = ctx, .path = path};
    unsigned char head[CSR_HEADER_BYTES];
    int64_t bytes = 0;
    (void)options;
    *found = NULL;
    *truth = NULL;
    orthant_status status = file_open(ctx, path, &r.file);
    if (!status)
        status = file_size(ctx, path, &bytes);
    if (!status && bytes < CSR_HEADER_BYTES)
        status =
            fail(ctx, ORTHANT_ERROR_FORMAT, "%s: %" PRId64 " bytes are no .csr file", path, bytes);
    if (!status)
        status = read_bytes(&r, head, sizeof head);
    if (!status)
        status = csr_unpack(ctx, path, head, bytes, &r.header);
    if (!status)
        status = read_matrix(&r, found);
    if (status) {
        orthant_matrix_free(*found);
        *found = NULL;
    }
    memory_free(ctx, r.piece);
    if (r.file)
        fclose(r.file);
    return status;
}
