/* Bytes of a file in order: plain, gzip, or a member of a zip archive; how they are packed is found
 * and undone here. */
#ifndef DATA_STREAM_H
#define DATA_STREAM_H

#include <stdio.h>

#include "core/context.h"
#include "data/inflate.h"

typedef struct stream {
    orthant_context *ctx;
    const char *name; /* in messages */
    FILE *file;
    int64_t begin;     /* where the packed bytes stand in the file */
    int64_t packed;    /* all of them */
    int64_t left;      /* those still to come */
    int64_t plain;     /* all bytes that come out, -1 where it is not known */
    int64_t most;      /* what the file can justify: no more bytes than these can come out */
    int64_t delivered; /* bytes that came out so far */
    bool ended;
    inflater *inflater;         /* NULL: the bytes are plain */
    bool gzip;                  /* each of its members in a frame of its own */
    unsigned char *input;       /* packed bytes on their way to the inflater: */
    const unsigned char *next;  /* the next of them, and */
    size_t waiting;             /* how many */
    const unsigned char *whole; /* all that comes out, where it was unpacked at once */
    bool checked;               /* compare the sum of all bytes with: */
    uint32_t expected_crc, crc;
} stream;

/* Where a member of an archive lies. */
typedef struct stream_part {
    int64_t offset, packed, plain; /* bytes */
    bool deflated;
    uint32_t crc;
} stream_part;

/* A whole file, gzip or not by its first bytes. `name` must outlive the stream. */
orthant_status stream_open(orthant_context *ctx, const char *path, stream *in);
orthant_status stream_open_part(orthant_context *ctx, const char *path, const char *name,
                                stream_part part, stream *in);
/* For who reads `bytes` more, and nothing behind them, from front to back into `buffer`, where what
 * they become takes no less than they do. Where the packed bytes make just these and `buffer` holds
 * both, all are unpacked at once, to its end, in a third of the time. Where not, be they damaged or
 * several files in one, the stream goes on as it was. */
void stream_unpack_ahead(stream *in, int64_t bytes, void *buffer, int64_t buffer_bytes);
/* Up to `wanted` bytes; fewer only at the end. */
orthant_status stream_read(stream *in, void *to, int64_t wanted, int64_t *got);
/* All of `wanted` bytes, or the refusal "the file ends at byte ..., expected ...". */
orthant_status stream_read_all(stream *in, void *to, int64_t wanted);
/* Everything that is left, with a zero behind it, to be freed with memory_free. */
orthant_status stream_read_text(stream *in, char **text, int64_t *length);
void stream_close(stream *in);

#endif
