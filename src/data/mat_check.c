/* The layout is that of "MAT-File Format" (The MathWorks): version 5 is a header of 128 bytes and
 * elements; an element is a tag (type, bytes) and its data, padded to 8 bytes; up to 4 bytes of
 * data can stand inside the tag. A variable is an element of type 'matrix' whose data are again
 * elements: flags, dimensions, name, values. A compressed element inflates to one variable. */
#include "data/mat_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/file.h"
#include "core/memory.h"

#define HEADER_BYTES 128
#define MOST_DIMENSIONS 32
#define DEEPEST_NESTING 32
#define INPUT_BYTES 16384

enum { TYPE_INT32 = 5, TYPE_UINT32 = 6, TYPE_MATRIX = 14, TYPE_COMPRESSED = 15 };
enum {
    CLASS_CELL = 1,
    CLASS_STRUCT,
    CLASS_OBJECT,
    CLASS_CHAR,
    CLASS_SPARSE,
    CLASS_DOUBLE,
    CLASS_UINT64 = 15,
    CLASS_FUNCTION,
    CLASS_OPAQUE
};

/* Bytes in order: of the file itself, or of a compressed element. */
typedef struct source {
    orthant_context *ctx;
    const char *path;
    FILE *file;
    int64_t place;       /* of the variable that is looked at, in bytes */
    bool swapped;        /* the file's byte order is not this machine's */
    bool packed;         /* inside a compressed element */
    int64_t packed_left; /* its bytes that are still in the file */
    z_stream stream;
    unsigned char input[INPUT_BYTES], scratch[INPUT_BYTES];
} source;

typedef struct tag {
    uint32_t type;
    int64_t bytes;
    bool small; /* the data stand in the tag */
    unsigned char data[4];
} tag;

static orthant_status fail_short(source *from)
{
    return fail(from->ctx, ORTHANT_ERROR_FORMAT,
                "%s: the file is cut short or damaged: the variable at byte %" PRId64
                " holds less than it says",
                from->path, from->place);
}

static orthant_status fail_damaged(source *from, const char *what)
{
    return fail(from->ctx, ORTHANT_ERROR_FORMAT,
                "%s: the file is damaged: the variable at byte %" PRId64 " has %s", from->path,
                from->place, what);
}

/* One step of inflating into the memory at stream.next_out; *ended where the stream does. */
static orthant_status inflate_step(source *from, bool *ended)
{
    z_stream *stream = &from->stream;
    if (stream->avail_in == 0 && from->packed_left > 0) {
        const int64_t wanted = from->packed_left < INPUT_BYTES ? from->packed_left : INPUT_BYTES;
        if (fread(from->input, 1, (size_t)wanted, from->file) != (size_t)wanted)
            return fail_short(from);
        from->packed_left -= wanted;
        stream->next_in = from->input;
        stream->avail_in = (uInt)wanted;
    }
    const int state = inflate(stream, Z_NO_FLUSH);
    *ended = state == Z_STREAM_END;
    if (state == Z_BUF_ERROR && from->packed_left == 0)
        return fail_short(from);
    if (state == Z_MEM_ERROR)
        return fail(from->ctx, ORTHANT_ERROR_MEMORY, "out of memory: to inflate %s", from->path);
    if (state != Z_OK && state != Z_STREAM_END)
        return fail_damaged(from, "compressed bytes that do not inflate");
    return ORTHANT_OK;
}

static orthant_status inflate_bytes(source *from, unsigned char *out, int64_t count)
{
    from->stream.next_out = out;
    from->stream.avail_out = (uInt)count;
    while (from->stream.avail_out > 0) {
        bool ended;
        const orthant_status status = inflate_step(from, &ended);
        if (status != ORTHANT_OK)
            return status;
        if (ended && from->stream.avail_out > 0)
            return fail_short(from);
    }
    return ORTHANT_OK;
}

/* Nothing may be left, and the stream's own checksum must be right. */
static orthant_status inflate_end(source *from)
{
    bool ended = false;
    while (!ended) {
        from->stream.next_out = from->scratch;
        from->stream.avail_out = 1;
        const orthant_status status = inflate_step(from, &ended);
        if (status != ORTHANT_OK)
            return status;
        if (from->stream.avail_out == 0)
            return fail_damaged(from, "more compressed bytes than it says");
    }
    return ORTHANT_OK;
}

/* The next `count` bytes; `left` is what the element around them still holds. `out` NULL skips
 * them. */
static orthant_status take(source *from, int64_t *left, void *out, int64_t count)
{
    if (count > *left)
        return fail_short(from);
    *left -= count;
    if (!from->packed && !out)
        return fseek(from->file, (long)count, SEEK_CUR) == 0 ? ORTHANT_OK : fail_short(from);
    if (!from->packed)
        return fread(out, 1, (size_t)count, from->file) == (size_t)count ? ORTHANT_OK
                                                                         : fail_short(from);
    if (out)
        return inflate_bytes(from, out, count);
    while (count > 0) {
        const int64_t part = count < INPUT_BYTES ? count : INPUT_BYTES;
        const orthant_status status = inflate_bytes(from, from->scratch, part);
        if (status != ORTHANT_OK)
            return status;
        count -= part;
    }
    return ORTHANT_OK;
}

static uint32_t number_at(const source *from, const unsigned char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return from->swapped ? __builtin_bswap32(number) : number;
}

static orthant_status take_tag(source *from, int64_t *left, tag *found)
{
    unsigned char bytes[8];
    const orthant_status status = take(from, left, bytes, sizeof bytes);
    if (status != ORTHANT_OK)
        return status;
    const uint32_t first = number_at(from, bytes);
    found->small = (first >> 16) != 0;
    found->type = found->small ? first & 0xffff : first;
    found->bytes = found->small ? first >> 16 : number_at(from, bytes + 4);
    memcpy(found->data, bytes + 4, 4);
    if (found->small && found->bytes > 4)
        return fail_damaged(from, "a short element of more than 4 bytes");
    if (!found->small && found->bytes > *left)
        return fail_short(from);
    return ORTHANT_OK;
}

/* What follows a tag, with its padding; the last padding of a variable may be missing. */
static orthant_status take_data(source *from, int64_t *left, const tag *of, void *out)
{
    if (of->small) {
        if (out)
            memcpy(out, of->data, (size_t)of->bytes);
        return ORTHANT_OK;
    }
    const orthant_status status = take(from, left, out, of->bytes);
    if (status != ORTHANT_OK)
        return status;
    const int64_t padding = (8 - of->bytes % 8) % 8;
    return take(from, left, NULL, padding < *left ? padding : *left);
}

/* Bytes of an entry of a stored type; 0 for what is no number or text. */
static int64_t type_bytes(uint32_t type)
{
    static const unsigned char bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};
    return type < sizeof bytes ? bytes[type] : 0;
}

static orthant_status check_values(source *from, int64_t *left, int64_t count)
{
    tag values;
    int64_t expected;
    const orthant_status status = take_tag(from, left, &values);
    if (status != ORTHANT_OK)
        return status;
    if (!type_bytes(values.type) || !size_multiply(count, type_bytes(values.type), &expected) ||
        values.bytes != expected)
        return fail_damaged(from, "a shape that does not agree with its values");
    return take_data(from, left, &values, NULL);
}

/* Row indices, column starts and values; what they say is looked at when they are used. */
static orthant_status check_sparse(source *from, int64_t *left, int64_t columns, bool complex)
{
    for (int part = 0; part < (complex ? 4 : 3); part++) {
        tag values;
        orthant_status status = take_tag(from, left, &values);
        if (status != ORTHANT_OK)
            return status;
        const bool index = part < 2;
        const int64_t bytes = type_bytes(values.type);
        if (!bytes || values.bytes % bytes ||
            (index && values.type != TYPE_INT32 && values.type != TYPE_UINT32) ||
            (part == 1 && values.bytes / 4 != columns + 1))
            return fail_damaged(from, "a shape that does not agree with its values");
        status = take_data(from, left, &values, NULL);
        if (status != ORTHANT_OK)
            return status;
    }
    return ORTHANT_OK;
}

static orthant_status check_text(source *from, int64_t *left, int64_t count)
{
    tag text;
    if (*left == 0 && count == 0)
        return ORTHANT_OK;
    const orthant_status status = take_tag(from, left, &text);
    if (status != ORTHANT_OK)
        return status;
    if (count > text.bytes || !type_bytes(text.type))
        return fail_damaged(from, "a shape that does not agree with its text");
    return take_data(from, left, &text, NULL);
}

static orthant_status check_matrix(source *from, int64_t bytes, int depth);

/* The elements of a cell array or a structure: each is a variable of its own. */
static orthant_status check_nested(source *from, int64_t *left, int64_t count, int depth)
{
    if (count > *left / 8)
        return fail_short(from);
    for (int64_t i = 0; i < count; i++) {
        tag element;
        orthant_status status = take_tag(from, left, &element);
        if (status != ORTHANT_OK)
            return status;
        if (element.type != TYPE_MATRIX || element.small)
            return fail_damaged(from, "a cell or a field that is not an array");
        status = check_matrix(from, element.bytes, depth + 1);
        if (status != ORTHANT_OK)
            return status;
        *left -= element.bytes;
    }
    return ORTHANT_OK;
}

/* A structure: the length of a field's name, the names, and the fields of each entry in turn. */
static orthant_status check_struct(source *from, int64_t *left, int64_t count, bool object,
                                   int depth)
{
    tag part;
    unsigned char length_bytes[4] = {0};
    int64_t total;
    orthant_status status = ORTHANT_OK;
    if (object) {
        status = take_tag(from, left, &part);
        if (status == ORTHANT_OK)
            status = take_data(from, left, &part, NULL);
    }
    if (status == ORTHANT_OK)
        status = take_tag(from, left, &part);
    if (status != ORTHANT_OK)
        return status;
    if (part.type != TYPE_INT32 || part.bytes != 4)
        return fail_damaged(from, "a structure without the length of its fields' names");
    status = take_data(from, left, &part, length_bytes);
    const int64_t length = number_at(from, length_bytes);
    if (status == ORTHANT_OK)
        status = take_tag(from, left, &part);
    if (status != ORTHANT_OK)
        return status;
    if (length < 1 || part.bytes % length || !size_multiply(part.bytes / length, count, &total))
        return fail_damaged(from, "a structure whose fields' names do not fit");
    status = take_data(from, left, &part, NULL);
    return status == ORTHANT_OK ? check_nested(from, left, total, depth) : status;
}

/* Dimensions and name: *count entries, *columns along the second dimension. */
static orthant_status check_shape(source *from, int64_t *left, int64_t *count, int64_t *columns)
{
    unsigned char sizes[4 * MOST_DIMENSIONS];
    tag part;
    orthant_status status = take_tag(from, left, &part);
    if (status != ORTHANT_OK)
        return status;
    if (part.type != TYPE_INT32 || part.bytes < 8 || part.bytes % 4 ||
        part.bytes > (int64_t)sizeof sizes)
        return fail_damaged(from, "no dimensions that can be read");
    status = take_data(from, left, &part, sizes);
    if (status != ORTHANT_OK)
        return status;
    *count = 1;
    *columns = number_at(from, sizes + 4);
    for (int64_t i = 0; i < part.bytes / 4; i++) {
        const int64_t size = number_at(from, sizes + 4 * i);
        if (size > INT32_MAX || !size_multiply(*count, size, count))
            return fail_damaged(from, "dimensions that are too large");
    }
    status = take_tag(from, left, &part);
    return status == ORTHANT_OK ? take_data(from, left, &part, NULL) : status;
}

static orthant_status check_content(source *from, int64_t *left, uint32_t flags, int depth)
{
    const uint32_t class = flags & 0xff;
    const bool complex = (flags & 0x0800) != 0;
    int64_t count = 0, columns = 0;
    orthant_status status = check_shape(from, left, &count, &columns);
    if (status != ORTHANT_OK)
        return status;
    switch (class) {
    case CLASS_CELL:
    case CLASS_FUNCTION: return check_nested(from, left, count, depth);
    case CLASS_STRUCT:
    case CLASS_OBJECT: return check_struct(from, left, count, class == CLASS_OBJECT, depth);
    case CLASS_CHAR: return check_text(from, left, count);
    case CLASS_SPARSE: return check_sparse(from, left, columns, complex);
    default: break;
    }
    if (class < CLASS_DOUBLE || class > CLASS_UINT64)
        return fail_damaged(from, "a class that is not known");
    if (count == 0 && *left == 0)
        return ORTHANT_OK;
    status = check_values(from, left, count);
    return status == ORTHANT_OK && complex ? check_values(from, left, count) : status;
}

/* What an opaque object holds is not documented; its elements must fit. */
static orthant_status check_opaque(source *from, int64_t *left)
{
    orthant_status status = ORTHANT_OK;
    while (*left > 0 && status == ORTHANT_OK) {
        tag part;
        status = take_tag(from, left, &part);
        if (status == ORTHANT_OK)
            status = take_data(from, left, &part, NULL);
    }
    return status;
}

/* The data of an element of type 'matrix', `bytes` long. */
static orthant_status check_matrix(source *from, int64_t bytes, int depth)
{
    unsigned char flags[8] = {0};
    tag part;
    int64_t left = bytes;
    if (bytes == 0)
        return ORTHANT_OK;
    if (depth > DEEPEST_NESTING)
        return fail_damaged(from, "too many arrays inside each other");
    orthant_status status = take_tag(from, &left, &part);
    if (status != ORTHANT_OK)
        return status;
    if (part.type != TYPE_UINT32 || part.bytes != 8)
        return fail_damaged(from, "no flags of an array");
    status = take_data(from, &left, &part, flags);
    if (status == ORTHANT_OK)
        status = (number_at(from, flags) & 0xff) == CLASS_OPAQUE
                     ? check_opaque(from, &left)
                     : check_content(from, &left, number_at(from, flags), depth);
    return status == ORTHANT_OK ? take(from, &left, NULL, left) : status;
}

/* A compressed element: one variable. */
static orthant_status check_packed(source *from, int64_t bytes)
{
    int64_t left = INT64_MAX;
    tag variable;
    memset(&from->stream, 0, sizeof from->stream);
    if (inflateInit(&from->stream) != Z_OK)
        return fail(from->ctx, ORTHANT_ERROR_MEMORY, "out of memory: to inflate %s", from->path);
    from->packed = true;
    from->packed_left = bytes;
    orthant_status status = take_tag(from, &left, &variable);
    if (status == ORTHANT_OK && (variable.type != TYPE_MATRIX || variable.small))
        status = fail_damaged(from, "compressed bytes that are no array");
    /* Kilobytes can inflate to gigabytes, and matio holds sparse ones and nested ones whole. */
    if (status == ORTHANT_OK)
        status = memory_check(from->ctx, variable.bytes, "a compressed variable");
    if (status == ORTHANT_OK)
        status = check_matrix(from, variable.bytes, 0);
    if (status == ORTHANT_OK)
        status = inflate_end(from);
    inflateEnd(&from->stream);
    from->packed = false;
    return status;
}

static orthant_status check_version_5(source *from, int64_t size, int64_t *variables)
{
    int64_t at = HEADER_BYTES;
    while (at < size) {
        int64_t left = size - at;
        tag variable;
        from->place = at;
        if (fseek(from->file, (long)at, SEEK_SET) != 0)
            return fail_short(from);
        orthant_status status = take_tag(from, &left, &variable);
        if (status != ORTHANT_OK)
            return status;
        if (variable.small || (variable.type != TYPE_MATRIX && variable.type != TYPE_COMPRESSED))
            return fail_damaged(from, "a type that no variable has");
        status = variable.type == TYPE_COMPRESSED ? check_packed(from, variable.bytes)
                                                  : check_matrix(from, variable.bytes, 0);
        if (status != ORTHANT_OK)
            return status;
        at += 8 + variable.bytes;
        ++*variables;
    }
    return ORTHANT_OK;
}

/* What the first bytes say; anything that is not version 5 or 7.3 is tried as version 4. */
static orthant_status check_file(source *from, int64_t size, bool *is_hdf5, int64_t *variables)
{
    unsigned char header[HEADER_BYTES] = {0};
    uint16_t version = 0, order = 0;
    const size_t got = fread(header, 1, sizeof header, from->file);
    if (got < sizeof header && memcmp(header, "MATLAB ", 7) == 0)
        return fail(from->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: the file is cut short: %zu bytes, the header alone has %d", from->path,
                    got, HEADER_BYTES);
    memcpy(&version, header + 124, sizeof version);
    memcpy(&order, header + 126, sizeof order);
    from->swapped = order == 0x494d; /* this machine's own order reads 0x4d49 */
    if (from->swapped)
        version = __builtin_bswap16(version);
    const bool has_order = got == sizeof header && (order == 0x4d49 || from->swapped);
    *is_hdf5 = has_order && version == 0x0200;
    if (*is_hdf5)
        return ORTHANT_OK;
    return has_order && version == 0x0100
               ? check_version_5(from, size, variables)
               : mat_check_4(from->ctx, from->path, from->file, size, variables);
}

orthant_status mat_check(orthant_context *ctx, const char *path, bool *is_hdf5, int64_t *variables)
{
    int64_t size = 0;
    *variables = 0;
    *is_hdf5 = false;
    orthant_status status = file_size(ctx, path, &size);
    if (status != ORTHANT_OK)
        return status;
    source *from = memory_new(ctx, 1, sizeof *from, "a MATLAB file");
    if (!from)
        return ORTHANT_ERROR_MEMORY;
    from->ctx = ctx;
    from->path = path;
    status = file_open(ctx, path, &from->file);
    if (status == ORTHANT_OK && size == 0)
        status = fail(ctx, ORTHANT_ERROR_FORMAT, "%s: the file is empty", path);
    if (status == ORTHANT_OK)
        status = check_file(from, size, is_hdf5, variables);
    if (from->file)
        fclose(from->file);
    memory_free(ctx, from);
    return status;
}
