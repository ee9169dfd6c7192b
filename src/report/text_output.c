/* The C library's growing buffer, copied into memory that the context counts. */
#include "report/text_output.h"

#include <stdlib.h>

#include "core/memory.h"

static orthant_status refuse(orthant_context *ctx)
{
    return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory for a text");
}

orthant_status text_output_begin(orthant_context *ctx, text_output *output)
{
    *output = (text_output){.ctx = ctx};
    output->file = open_memstream(&output->buffer, &output->length);
    return output->file ? ORTHANT_OK : refuse(ctx);
}

orthant_status text_output_end(text_output *output, orthant_status status, char **text)
{
    const bool failed = ferror(output->file) != 0;
    const bool closed = fclose(output->file) == 0;
    *text = NULL;
    if (!status && (failed || !closed || !output->buffer))
        status = refuse(output->ctx);
    if (!status) {
        *text = memory_text(output->ctx, output->buffer);
        status = *text ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    free(output->buffer);
    return status;
}
