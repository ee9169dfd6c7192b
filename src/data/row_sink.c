/* Chooses the kind of file that rows are written to. */
#include "data/row_sink.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"

#define MOST_BYTES (INT64_C(32) << 20)

int64_t row_sink_step(const orthant_context *ctx, int64_t row_bytes)
{
    const int64_t left = memory_left(ctx) / 8, bytes = left < MOST_BYTES ? left : MOST_BYTES;
    const int64_t rows = bytes / (row_bytes > 0 ? row_bytes : 1);
    return rows > 0 ? rows : 1;
}

orthant_status row_sink_open(orthant_context *ctx, const char *path, row_sink *sink)
{
    char ending[16];
    file_ending(path, ending);
    *sink = (row_sink){.ctx = ctx, .path = path};
    if (strcmp(ending, "npy") == 0)
        sink->kind = &row_sink_npy;
    else if (strcmp(ending, "csr") == 0)
        sink->kind = &row_sink_csr;
    else if (strcmp(ending, "h5") == 0 || strcmp(ending, "hdf5") == 0)
        sink->kind = &row_sink_hdf5;
    else
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: cannot tell the kind of file to write from its name; known are .npy, .h5 "
                    "and .csr",
                    path);
    return ORTHANT_OK;
}

orthant_status row_sink_begin(row_sink *sink, int64_t rows, int64_t columns, bool sparse)
{
    if (rows == 0 || columns < 1)
        return fail(sink->ctx, ORTHANT_ERROR_DATA,
                    "%s: %" PRId64 " samples with %" PRId64
                    " features, expected at least one of each",
                    sink->path, rows < 0 ? 0 : rows, columns);
    int64_t entries, bytes;
    if (!sparse && (!size_multiply(rows > 0 ? rows : 1, columns, &entries) ||
                    !size_multiply(entries, (int64_t)sizeof(double), &bytes)))
        return fail(sink->ctx, ORTHANT_ERROR_DATA,
                    "%s: %" PRId64 " samples with %" PRId64 " features, more than a file can hold",
                    sink->path, rows, columns);
    sink->columns = columns;
    sink->total = rows;
    sink->begun = true;
    sink->started = clock_seconds();
    return sink->kind->begin(sink, rows, columns, sparse);
}

orthant_status row_sink_add(row_sink *sink, const orthant_matrix *rows)
{
    const orthant_status status = sink->kind->add(sink, rows);
    sink->rows += rows->rows;
    if (!status && !progress_tell(sink->ctx, "convert", sink->rows, sink->total,
                                  clock_seconds() - sink->started, NAN))
        return fail(sink->ctx, ORTHANT_STOPPED, "stopped while converting");
    return status;
}

orthant_status row_sink_end(row_sink *sink, orthant_status status)
{
    return sink->begun ? sink->kind->end(sink, status) : status;
}
