/* The list of what a zip archive holds. */
#ifndef DATA_ZIP_H
#define DATA_ZIP_H

#include "data/stream.h"

typedef struct zip_member {
    const char *name; /* without a ".npy" ending */
    stream_part part;
} zip_member;

typedef struct zip_archive {
    orthant_context *ctx;
    const char *path;
    int64_t count;
    zip_member *members;
    char *directory; /* where the names stand */
} zip_archive;

/* `path` must outlive the archive. */
orthant_status zip_open(orthant_context *ctx, const char *path, zip_archive *archive);
/* NULL where there is none. */
const zip_member *zip_find(const zip_archive *archive, const char *name);
void zip_close(zip_archive *archive);

#endif
