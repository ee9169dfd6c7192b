/* Builds without zlib and libdeflate. */
#include "data/inflate.h"

orthant_status inflater_make(orthant_context *ctx, const char *name, bool gzip, inflater **made)
{
    *made = NULL;
    return fail(
        ctx, ORTHANT_ERROR_UNSUPPORTED,
        "%s: is packed (%s), and this build of Orthant cannot unpack; unpack it first, or build "
        "with -DORTHANT_COMPRESSION=ON",
        name, gzip ? "gzip" : "deflate");
}

/* Nobody has an inflater. */
inflate_outcome inflater_run(inflater *of, const unsigned char **from, size_t *waiting,
                             unsigned char *to, int64_t wanted, int64_t *made)
{
    (void)of, (void)from, (void)waiting, (void)to, (void)wanted;
    *made = 0;
    return INFLATE_DAMAGED;
}

void inflater_reset(inflater *of)
{
    (void)of;
}

void inflater_free(inflater *of)
{
    (void)of;
}

bool inflate_at_once(bool gzip, const unsigned char *packed, size_t packed_bytes, unsigned char *to,
                     size_t bytes)
{
    (void)gzip, (void)packed, (void)packed_bytes, (void)to, (void)bytes;
    return false;
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= from[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}
