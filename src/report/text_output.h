/* A text that is printed into memory, to be given out. */
#ifndef REPORT_TEXT_OUTPUT_H
#define REPORT_TEXT_OUTPUT_H

#include <stdio.h>

#include "core/context.h"

typedef struct text_output {
    orthant_context *ctx;
    FILE *file; /* print here */
    char *buffer;
    size_t length;
} text_output;

orthant_status text_output_begin(orthant_context *ctx, text_output *output);
/* With `status` OK and all printed: the text (memory_free), else NULL. Returns the first failure.
 * To be called once after a begin that did not fail. */
orthant_status text_output_end(text_output *output, orthant_status status, char **text);

#endif
