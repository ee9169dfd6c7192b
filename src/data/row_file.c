/* Chooses the kind of file; everything else is the kind's. */
#include "data/row_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/kind.h"
#include "data/matrix.h"

bool row_fail(row_failure *failure, orthant_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->message, sizeof failure->message, format, arguments);
    va_end(arguments);
    failure->status = status;
    return false;
}

static orthant_status open_kind(row_file *file, const char *path, file_kind kind,
                                const char *variable)
{
    switch (kind) {
    case KIND_NPY: return row_file_open_npy(file, path);
    case KIND_CSR: return row_file_open_csr(file, path);
    case KIND_HDF5: return row_file_open_hdf5(file, path, variable);
    default:
        return fail(file->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: rows of this kind of file cannot be read one by one; convert it to .npy, "
                    "HDF5 or .csr",
                    path);
    }
}

static orthant_status check_opened(const row_file *file)
{
    if (file->rows < 1 || file->columns < 1)
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: holds %" PRId64 " samples with %" PRId64
                    " features, expected at least one of each",
                    file->name, file->rows, file->columns);
    return ORTHANT_OK;
}

orthant_status row_file_open(orthant_context *ctx, const char *path,
                             const orthant_read_options *options, row_file **file)
{
    file_kind kind;
    *file = NULL;
    orthant_status status = kind_of_file(ctx, path, &kind);
    if (status)
        return status;
    if (options->transpose)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: samples that stand in columns cannot be read one by one; convert it with "
                    "samples in rows",
                    path);
    row_file *made = memory_new(ctx, 1, sizeof *made, "an open file");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    *made = (row_file){
        .ctx = ctx, .name = memory_text(ctx, path), .precision = ctx->precision, .grain = 1};
    status = made->name ? open_kind(made, path, kind, options->variable) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = check_opened(made);
    if (status)
        row_file_close(made);
    else
        *file = made;
    return status;
}

void row_file_cut(row_file *file, int64_t first, int64_t rows)
{
    file->first += first;
    file->rows = rows;
}

void row_file_close(row_file *file)
{
    if (!file)
        return;
    orthant_context *ctx = file->ctx;
    if (file->kind)
        file->kind->close(file);
    orthant_matrix_free(file->statistics);
    memory_free(ctx, file->name);
    memory_free(ctx, file);
}

bool row_file_read(const row_file *file, int64_t first, int64_t rows, row_target to,
                   row_failure *failure)
{
    if (!file->kind->read(file, file->first + first, rows, to, failure))
        return false;
    if (file->scaling != ORTHANT_SCALE_NONE)
        scale_rows(&(orthant_matrix){.precision = file->precision,
                                     .sparse = file->sparse,
                                     .rows = rows,
                                     .columns = file->columns,
                                     .stride = file->columns,
                                     .values = to.values,
                                     .row_start = (int64_t *)(uintptr_t)to.row_start,
                                     .column = to.column},
                   file->scaling, file->statistics);
    return true;
}

void row_file_keep(row_file *file, const row_failure *failure)
{
    if (!__atomic_exchange_n(&file->failing, true, __ATOMIC_ACQ_REL))
        file->failure = *failure;
}

void row_file_take(row_file *file, int64_t first, int64_t rows, row_target to)
{
    row_failure failure;
    if (!row_file_read(file, first, rows, to, &failure))
        row_file_keep(file, &failure);
}

orthant_status row_file_status(const row_file *file)
{
    return file->failure.status ? fail(file->ctx, file->failure.status, "%s", file->failure.message)
                                : ORTHANT_OK;
}

int64_t row_file_stored(const row_file *file, int64_t first, int64_t rows)
{
    return file->kind->stored(file, file->first + first, rows);
}

void row_file_starts(const row_file *file, int64_t first, int64_t rows, int64_t *row_start)
{
    file->kind->starts(file, file->first + first, rows, row_start);
}

void row_file_will_read(const row_file *file, int64_t first, int64_t rows)
{
    if (file->kind->will_read)
        file->kind->will_read(file, file->first + first, rows);
}

bool row_file_check(const row_file *file, row_failure *failure)
{
    return !file->kind->check || file->kind->check(file, failure);
}

void row_file_watch(row_file *file)
{
    row_failure failure;
    if (!row_file_check(file, &failure))
        row_file_keep(file, &failure);
}
