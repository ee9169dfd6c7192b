#include "data/inflate.h"

#include <libdeflate.h>
#include <zlib.h>

#include "core/memory.h"

#define PIECE (1 << 30) /* zlib counts in unsigned int */

struct inflater {
    orthant_context *ctx;
    z_stream stream;
};

static void *allocate(void *ctx, unsigned count, unsigned size)
{
    return memory_new(ctx, (int64_t)count, size, "unpacking");
}

static void release(void *ctx, void *memory)
{
    memory_free(ctx, memory);
}

orthant_status inflater_make(orthant_context *ctx, const char *name, bool gzip, inflater **made)
{
    const int window = gzip ? 31 : -15; /* as zlib wants it */
    inflater *of = *made = memory_new(ctx, 1, sizeof *of, "unpacking");
    (void)name;
    if (!of)
        return ORTHANT_ERROR_MEMORY;
    of->ctx = ctx;
    of->stream = (z_stream){.zalloc = allocate, .zfree = release, .opaque = ctx};
    if (inflateInit2(&of->stream, window) == Z_OK)
        return ORTHANT_OK;
    memory_free(ctx, of);
    *made = NULL;
    return ORTHANT_ERROR_MEMORY;
}

inflate_outcome inflater_run(inflater *of, const unsigned char **from, size_t *waiting,
                             unsigned char *to, int64_t wanted, int64_t *made)
{
    z_stream *z = &of->stream;
    const int64_t count = wanted < PIECE ? wanted : PIECE;
    const size_t input = *waiting < PIECE ? *waiting : PIECE;
    z->next_in = (unsigned char *)(uintptr_t)*from;
    z->avail_in = (unsigned)input;
    z->next_out = to;
    z->avail_out = (unsigned)count;
    const int outcome = inflate(z, Z_NO_FLUSH);
    *made = count - (int64_t)z->avail_out;
    *from = z->next_in;
    *waiting -= input - z->avail_in;
    if (outcome == Z_BUF_ERROR && z->avail_in == 0)
        return INFLATE_CUT_OFF;
    return outcome == Z_OK           ? INFLATE_GOES_ON
           : outcome == Z_STREAM_END ? INFLATE_ENDED
           : outcome == Z_MEM_ERROR  ? INFLATE_NO_MEMORY
                                     : INFLATE_DAMAGED;
}

void inflater_reset(inflater *of)
{
    inflateReset(&of->stream);
}

void inflater_free(inflater *of)
{
    if (!of)
        return;
    inflateEnd(&of->stream);
    memory_free(of->ctx, of);
}

bool inflate_at_once(bool gzip, const unsigned char *packed, size_t packed_bytes, unsigned char *to,
                     size_t bytes)
{
    struct libdeflate_decompressor *unpacker = libdeflate_alloc_decompressor();
    size_t used = 0, made = 0;
    if (!unpacker)
        return false;
    const enum libdeflate_result result =
        (gzip ? libdeflate_gzip_decompress_ex : libdeflate_deflate_decompress_ex)(
            unpacker, packed, packed_bytes, to, bytes, &used, &made);
    libdeflate_free_decompressor(unpacker);
    return result == LIBDEFLATE_SUCCESS && used == packed_bytes && made == bytes;
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}
