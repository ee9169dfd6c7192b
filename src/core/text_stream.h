/* A FILE that writes to memory of the context. open_memstream's does not say when it found none. */
#ifndef CORE_TEXT_STREAM_H
#define CORE_TEXT_STREAM_H

#include <stdio.h>

#include "core/context.h"

typedef struct text_stream {
    orthant_context *ctx;
    FILE *file; /* write here; NULL when closed */
    char *text; /* what was written up to the last fflush or the end */
    size_t length, capacity;
} text_stream;

/* Stays where it is until it is freed. */
orthant_status text_stream_open(orthant_context *ctx, text_stream *stream);
/* Fails where not all that was written found memory. */
orthant_status text_stream_close(text_stream *stream);
void text_stream_free(text_stream *stream);

#endif
