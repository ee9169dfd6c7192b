/* Reading and inflating in pieces, or all at once where everything fits. */
#include "data/stream.h"

#include <inttypes.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"

#define INPUT_BYTES (1 << 16)
/* Deflate cannot pack tighter than this, so a file cannot promise more. */
#define TIGHTEST_PACKING 1032

static orthant_status fail_damaged(stream *in, const char *what)
{
    return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s: %s", in->name, what);
}

static orthant_status start_inflating(stream *in)
{
    in->input = memory_new(in->ctx, INPUT_BYTES, 1, "packed bytes");
    return in->input ? inflater_make(in->ctx, in->name, in->gzip, &in->inflater)
                     : ORTHANT_ERROR_MEMORY;
}

static int64_t most_inflated(int64_t packed)
{
    int64_t most;
    return size_multiply(packed, TIGHTEST_PACKING, &most) ? most : INT64_MAX;
}

orthant_status stream_open(orthant_context *ctx, const char *path, stream *in)
{
    unsigned char magic[2] = {0, 0};
    *in = (stream){.ctx = ctx, .name = path};
    orthant_status status = file_open(ctx, path, &in->file);
    if (status == ORTHANT_OK)
        status = file_size(ctx, path, &in->left);
    if (status != ORTHANT_OK)
        goto done;
    in->plain = in->most = in->packed = in->left;
    if (fread(magic, 1, 2, in->file) == 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
        in->plain = -1;
        in->gzip = true;
        in->most = most_inflated(in->left);
        status = start_inflating(in);
    }
    if (status == ORTHANT_OK)
        status = file_rewind(ctx, path, in->file);
done:
    if (status != ORTHANT_OK)
        stream_close(in);
    return status;
}

orthant_status stream_open_part(orthant_context *ctx, const char *path, const char *name,
                                stream_part part, stream *in)
{
    *in = (stream){.ctx = ctx,
                   .name = name,
                   .begin = part.offset,
                   .packed = part.packed,
                   .left = part.packed,
                   .plain = part.plain,
                   .most = part.plain,
                   .checked = true,
                   .expected_crc = part.crc};
    orthant_status status = file_open(ctx, path, &in->file);
    if (status == ORTHANT_OK && fseek(in->file, (long)part.offset, SEEK_SET) != 0)
        status =
            fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be read at byte %" PRId64, name, part.offset);
    const int64_t possible = part.deflated ? most_inflated(part.packed) : part.packed;
    if (status == ORTHANT_OK && part.plain > possible)
        status =
            fail(ctx, ORTHANT_ERROR_FORMAT, "%s: %" PRId64 " packed bytes cannot hold %" PRId64,
                 name, part.packed, part.plain);
    if (status == ORTHANT_OK && part.deflated)
        status = start_inflating(in);
    if (status != ORTHANT_OK)
        stream_close(in);
    return status;
}

void stream_close(stream *in)
{
    inflater_free(in->inflater);
    if (in->file)
        fclose(in->file);
    memory_free(in->ctx, in->input);
    *in = (stream){.ctx = in->ctx};
}

static size_t read_packed(stream *in, void *to, int64_t wanted)
{
    const size_t got = fread(to, 1, (size_t)(wanted < in->left ? wanted : in->left), in->file);
    in->left -= (int64_t)got;
    return got;
}

static void refill(stream *in)
{
    if (in->waiting > 0)
        return;
    in->next = in->input;
    in->waiting = read_packed(in, in->input, INPUT_BYTES);
}

/* A gzip file may be several, one behind the other; anything else behind the end is left alone. */
static void end_of_member(stream *in)
{
    refill(in);
    if (in->plain < 0 && in->waiting > 0 && in->next[0] == 0x1f)
        inflater_reset(in->inflater);
    else
        in->ended = true;
}

static orthant_status read_inflated(stream *in, void *to, int64_t wanted, int64_t *got)
{
    *got = 0;
    while (*got < wanted && !in->ended) {
        int64_t made = 0;
        refill(in);
        const inflate_outcome outcome =
            inflater_run(in->inflater, &in->next, &in->waiting, (unsigned char *)to + *got,
                         wanted - *got, &made);
        *got += made;
        switch (outcome) {
        case INFLATE_GOES_ON: break;
        case INFLATE_ENDED: end_of_member(in); break;
        case INFLATE_NO_MEMORY: return ORTHANT_ERROR_MEMORY;
        case INFLATE_CUT_OFF:
            return fail_damaged(in, "the packed data end too early; the file is cut off");
        case INFLATE_DAMAGED: return fail_damaged(in, "the packed data are damaged");
        }
    }
    return ORTHANT_OK;
}

/* All packed bytes of the file, which is left at the place where it was. */
static bool read_all_packed(const stream *in, unsigned char *to)
{
    const long place = ftell(in->file);
    if (place < 0 || fseek(in->file, (long)in->begin, SEEK_SET) != 0)
        return false;
    const size_t got = fread(to, 1, (size_t)in->packed, in->file);
    return fseek(in->file, place, SEEK_SET) == 0 && got == (size_t)in->packed;
}

void stream_unpack_ahead(stream *in, int64_t bytes, void *buffer, int64_t buffer_bytes)
{
    int64_t all, both;
    if (!in->inflater || __builtin_add_overflow(in->delivered, bytes, &all) ||
        __builtin_add_overflow(all, in->packed, &both) || both > buffer_bytes)
        return;
    unsigned char *packed = buffer, *whole = packed + (buffer_bytes - all);
    if (!read_all_packed(in, packed) ||
        !inflate_at_once(in->gzip, packed, (size_t)in->packed, whole, (size_t)all))
        return;
    in->whole = whole;
    in->plain = all;
}

static int64_t read_whole(const stream *in, void *to, int64_t wanted)
{
    memcpy(to, in->whole + in->delivered, (size_t)wanted);
    return wanted;
}

orthant_status stream_read(stream *in, void *to, int64_t wanted, int64_t *got)
{
    orthant_status status = ORTHANT_OK;
    *got = 0;
    if (in->plain >= 0 && wanted > in->plain - in->delivered)
        wanted = in->plain - in->delivered;
    if (in->whole)
        *got = read_whole(in, to, wanted);
    else if (in->inflater)
        status = read_inflated(in, to, wanted, got);
    else
        *got = (int64_t)read_packed(in, to, wanted);
    if (status != ORTHANT_OK)
        return status;
    if (ferror(in->file))
        return fail(in->ctx, ORTHANT_ERROR_IO, "%s: cannot be read to its end", in->name);
    in->delivered += *got;
    if (in->checked) {
        in->crc = crc32_add(in->crc, to, (size_t)*got);
        if (in->delivered == in->plain && in->crc != in->expected_crc)
            return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: damaged: the checksum is %08" PRIx32 ", expected %08" PRIx32, in->name,
                        in->crc, in->expected_crc);
    }
    return ORTHANT_OK;
}

orthant_status stream_read_all(stream *in, void *to, int64_t wanted)
{
    int64_t got;
    const int64_t before = in->delivered;
    const orthant_status status = stream_read(in, to, wanted, &got);
    if (status == ORTHANT_OK && got < wanted)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " bytes, expected at least %" PRId64
                    "; the file is cut off",
                    in->name, before + got, before + wanted);
    return status;
}

orthant_status stream_read_text(stream *in, char **text, int64_t *length)
{
    int64_t capacity = in->plain >= 0 ? in->plain - in->delivered : INPUT_BYTES, got;
    char *held = memory_new(in->ctx, capacity + 1, 1, "a file's text");
    *text = NULL;
    *length = 0;
    if (!held)
        return ORTHANT_ERROR_MEMORY;
    for (;;) {
        const orthant_status status = stream_read(in, held + *length, capacity - *length, &got);
        if (status != ORTHANT_OK) {
            memory_free(in->ctx, held);
            return status;
        }
        *length += got;
        if (*length < capacity || in->plain >= 0)
            break;
        char *larger = capacity < INT64_MAX / 4
                           ? memory_resize(in->ctx, held, 2 * capacity + 1, 1, "a file's text")
                           : NULL;
        if (!larger) {
            memory_free(in->ctx, held);
            return ORTHANT_ERROR_MEMORY;
        }
        held = larger;
        capacity *= 2;
    }
    held[*length] = '\0';
    *text = held;
    return ORTHANT_OK;
}
