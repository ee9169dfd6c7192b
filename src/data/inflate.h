/* What zlib and libdeflate do for us (inflate_zlib.c): deflated bytes unpacked, and the checksum of
 * zip archives and PNG files. In a build without them (inflate_none.c) packed bytes are refused. */
#ifndef DATA_INFLATE_H
#define DATA_INFLATE_H

#include "core/context.h"

typedef struct inflater inflater;

typedef enum inflate_outcome {
    INFLATE_GOES_ON,
    INFLATE_ENDED, /* of what was packed: behind it may stand more */
    INFLATE_CUT_OFF,
    INFLATE_DAMAGED,
    INFLATE_NO_MEMORY
} inflate_outcome;

/* `gzip`, or what stands in a zip archive; `name` for the message. */
orthant_status inflater_make(orthant_context *ctx, const char *name, bool gzip, inflater **made);
/* Up to `wanted` bytes, *made in the end, from *waiting packed ones at *from, which go on by what
 * was used. */
inflate_outcome inflater_run(inflater *of, const unsigned char **from, size_t *waiting,
                             unsigned char *to, int64_t wanted, int64_t *made);
/* For the next gzip member. */
void inflater_reset(inflater *of);
void inflater_free(inflater *of);

/* Whether the packed bytes, to the last of them, make just `bytes`. */
bool inflate_at_once(bool gzip, const unsigned char *packed, size_t packed_bytes, unsigned char *to,
                     size_t bytes);

/* CRC-32 of more bytes; it starts from 0. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t count);

#endif
