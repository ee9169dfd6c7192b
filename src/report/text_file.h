/* Small text files as one block. */
#ifndef REPORT_TEXT_FILE_H
#define REPORT_TEXT_FILE_H

#include "core/context.h"

/* The whole file with a 0 behind it, to be freed by memory_free; a file of more than `limit` bytes
 * is refused. */
orthant_status text_file_read(orthant_context *ctx, const char *path, int64_t limit, char **text,
                              size_t *length);

/* "folder/name", to be freed by memory_free; NULL with the message set when there is no memory. */
char *path_join(orthant_context *ctx, const char *folder, const char *name);

#endif
