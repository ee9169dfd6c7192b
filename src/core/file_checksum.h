/* Checksums of files as lower-case hexadecimal text; of a folder: of its files' names and contents,
 * sorted by name. "file.h5:/path" is the file. */
#ifndef CORE_FILE_CHECKSUM_H
#define CORE_FILE_CHECKSUM_H

#include "core/context.h"
#include "core/sha256.h"
#include "core/xxh64.h"

/* For results, which are small. */
orthant_status file_sha256(orthant_context *ctx, const char *path, char digest[65]);
/* For data, which are large. */
orthant_status file_xxh64(orthant_context *ctx, const char *path, char digest[XXH64_DIGITS + 1]);

#endif
