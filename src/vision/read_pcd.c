/* PCD, the Point Cloud Library's format, version 0.7 and its forerunners with the same header:
 * lines
 *
 *     FIELDS x y z rgb      SIZE 4 4 4 4      TYPE F F F F      COUNT 1 1 1 1
 *     WIDTH 640   HEIGHT 480   VIEWPOINT tx ty tz qw qx qy qz   POINTS 307200
 *     DATA ascii | binary | binary_compressed
 *
 * and the points: in text, a line each; in bytes, one behind the other; or compressed, two 32-bit
 * sizes (packed, plain) and LZF, in which all values of a field stand together. Bytes are little
 * endian. A packed colour is often declared a float: its bits count, not its value. */
#include "vision/cloud.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/lzf.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/element.h"
#include "data/lines.h"

#define MOST_FIELDS 64
#define MOST_VALUES (1 << 20) /* of one point */

typedef enum pcd_data { DATA_NONE, DATA_ASCII, DATA_BINARY, DATA_COMPRESSED } pcd_data;

typedef struct pcd_field {
    element type;
    int64_t count;  /* values */
    int64_t offset; /* bytes from the point's start */
} pcd_field;

typedef struct pcd {
    orthant_context *ctx;
    const char *path;
    lines text; /* behind the header: at the first point */
    int fields, sizes, types, counts;
    pcd_field field[MOST_FIELDS];
    cloud_role role[MOST_FIELDS];
    int64_t width, height, points; /* -1: not said */
    double viewpoint[3];
    pcd_data data;
    int64_t point_bytes, point_values;
} pcd;

static orthant_status fail_line(const pcd *in, piece found, const char *expected)
{
    return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s:%" PRId64 ": found '%s', expected %s", in->path,
                in->text.number, piece_show(found).text, expected);
}

static bool to_whole(piece word, int64_t most, int64_t *value)
{
    char text[24];
    const size_t length = (size_t)(word.end - word.begin);
    if (length >= sizeof text)
        return false;
    memcpy(text, word.begin, length);
    text[length] = '\0';
    return text_to_int64(text, value) && *value >= 0 && *value <= most;
}

/* ---- the header ---- */

static orthant_status take_fields(pcd *in, piece rest)
{
    piece word;
    for (in->fields = 0; piece_word(&rest, &word); in->fields++) {
        char name[32];
        if (in->fields == MOST_FIELDS)
            return fail_line(in, word, "64 fields at most");
        snprintf(name, sizeof name, "%.*s",
                 (int)(word.end - word.begin < 31 ? word.end - word.begin : 31), word.begin);
        in->role[in->fields] = cloud_role_of(name);
        in->field[in->fields].count = 1;
    }
    return in->fields > 0 ? ORTHANT_OK : fail_line(in, rest, "names of fields");
}

static orthant_status take_sizes(pcd *in, piece rest)
{
    piece word;
    for (in->sizes = 0; piece_word(&rest, &word); in->sizes++) {
        int64_t size;
        if (in->sizes == in->fields)
            return fail_line(in, word, "as many sizes as fields, behind FIELDS");
        if (!to_whole(word, 8, &size) || (size != 1 && size != 2 && size != 4 && size != 8))
            return fail_line(in, word, "a size of 1, 2, 4 or 8 bytes");
        in->field[in->sizes].type.size = (int)size;
    }
    return ORTHANT_OK;
}

static orthant_status take_types(pcd *in, piece rest)
{
    piece word;
    for (in->types = 0; piece_word(&rest, &word); in->types++) {
        if (in->types == in->fields)
            return fail_line(in, word, "as many types as fields, behind FIELDS");
        const char kind = piece_equals(word, "F")   ? 'f'
                          : piece_equals(word, "I") ? 'i'
                          : piece_equals(word, "U") ? 'u'
                                                    : '\0';
        if (!kind)
            return fail_line(in, word, "a type F, I or U");
        in->field[in->types].type.kind = kind;
    }
    return ORTHANT_OK;
}

static orthant_status take_counts(pcd *in, piece rest)
{
    piece word;
    for (in->counts = 0; piece_word(&rest, &word); in->counts++) {
        if (in->counts == in->fields)
            return fail_line(in, word, "as many counts as fields, behind FIELDS");
        if (!to_whole(word, MOST_VALUES, &in->field[in->counts].count) ||
            in->field[in->counts].count < 1)
            return fail_line(in, word, "a count from 1 to 1048576");
    }
    return ORTHANT_OK;
}

static orthant_status take_number(pcd *in, piece rest, int64_t *number)
{
    piece word = rest;
    if (!piece_word(&rest, &word) || !to_whole(word, INT64_C(1) << 40, number))
        return fail_line(in, word, "a whole number");
    return ORTHANT_OK;
}

static orthant_status take_viewpoint(pcd *in, piece rest)
{
    piece word = rest;
    for (int i = 0; i < 3; i++)
        if (!piece_word(&rest, &word) ||
            text_read_double(word.begin, word.end, &in->viewpoint[i]) != word.end)
            return fail_line(in, word, "the viewpoint tx ty tz qw qx qy qz");
    return ORTHANT_OK;
}

static orthant_status take_data(pcd *in, piece rest)
{
    rest = piece_trim(rest);
    if (piece_equals(rest, "ascii"))
        in->data = DATA_ASCII;
    else if (piece_equals(rest, "binary"))
        in->data = DATA_BINARY;
    else if (piece_equals(rest, "binary_compressed"))
        in->data = DATA_COMPRESSED;
    else
        return fail_line(in, rest, "DATA ascii, binary or binary_compressed");
    return ORTHANT_OK;
}

static orthant_status take_line(pcd *in, piece line)
{
    piece rest = line, key;
    if (!piece_word(&rest, &key) || key.begin[0] == '#' || piece_equals(key, "VERSION"))
        return ORTHANT_OK;
    if (piece_equals(key, "FIELDS") || piece_equals(key, "COLUMNS"))
        return take_fields(in, rest);
    if (piece_equals(key, "SIZE"))
        return take_sizes(in, rest);
    if (piece_equals(key, "TYPE"))
        return take_types(in, rest);
    if (piece_equals(key, "COUNT"))
        return take_counts(in, rest);
    if (piece_equals(key, "WIDTH"))
        return take_number(in, rest, &in->width);
    if (piece_equals(key, "HEIGHT"))
        return take_number(in, rest, &in->height);
    if (piece_equals(key, "POINTS"))
        return take_number(in, rest, &in->points);
    if (piece_equals(key, "VIEWPOINT"))
        return take_viewpoint(in, rest);
    if (piece_equals(key, "DATA"))
        return take_data(in, rest);
    return fail_line(in, key, "a line of a PCD header (FIELDS, SIZE, TYPE, ..., DATA)");
}

static orthant_status check_fields(pcd *in)
{
    if (in->fields == 0)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s: no FIELDS in the header", in->path);
    if (in->sizes != in->fields || in->types != in->fields ||
        (in->counts > 0 && in->counts != in->fields))
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: %d fields with %d sizes, %d types and %d counts, expected as many of each",
                    in->path, in->fields, in->sizes, in->types, in->counts);
    for (int f = 0; f < in->fields; f++) {
        pcd_field *field = &in->field[f];
        if (field->type.kind == 'f' && field->type.size < 4)
            return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: field %d is a float of %d bytes, expected 4 or 8", in->path, f + 1,
                        field->type.size);
        /* Only one value of 4 bytes is a packed colour. */
        if (field->count != 1 || (in->role[f] == CLOUD_PACKED && field->type.size != 4))
            in->role[f] = CLOUD_OTHER;
        field->offset = in->point_bytes;
        in->point_bytes += field->count * field->type.size;
        in->point_values += field->count;
    }
    return ORTHANT_OK;
}

/* Points by POINTS or by WIDTH x HEIGHT, which must agree. */
static orthant_status check_shape(pcd *in)
{
    int64_t area;
    if (in->height < 0)
        in->height = in->width < 0 ? -1 : 1;
    if (in->width < 0 && in->points >= 0) {
        in->width = in->points;
        in->height = 1;
    }
    if (in->width < 0)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s: neither POINTS nor WIDTH in the header",
                    in->path);
    if (!size_multiply(in->width, in->height, &area) || (in->points >= 0 && in->points != area))
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: %" PRId64 " points in %" PRId64 " columns and %" PRId64
                    " rows, expected POINTS to be WIDTH times HEIGHT",
                    in->path, in->points, in->width, in->height);
    in->points = area;
    return area > 0 ? ORTHANT_OK
                    : fail(in->ctx, ORTHANT_ERROR_DATA, "%s: a cloud without points", in->path);
}

static orthant_status read_header(pcd *in)
{
    piece line;
    orthant_status status = ORTHANT_OK;
    in->width = in->height = in->points = -1;
    while (in->data == DATA_NONE && status == ORTHANT_OK) {
        if (!lines_next(&in->text, &line))
            return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: the file ends in its header (line %" PRId64 "), expected DATA",
                        in->path, in->text.number);
        status = take_line(in, line);
    }
    if (status == ORTHANT_OK)
        status = check_fields(in);
    return status == ORTHANT_OK ? check_shape(in) : status;
}

/* ---- the points ---- */

/* A colour in text is its 32 bits as a whole number, or the float that has these bits. */
static double packed_of(double value)
{
    if (value >= 1.0 && value < 4294967296.0 && value == floor(value))
        return value;
    uint32_t bits;
    const float single = fabs(value) <= (double)FLT_MAX ? (float)value : 0.0f;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static bool is_missing(piece word)
{
    if (word.begin < word.end && (*word.begin == '-' || *word.begin == '+'))
        word.begin++;
    return piece_equals(word, "nan") || piece_equals(word, "inf") || piece_equals(word, "infinity");
}

static orthant_status read_ascii_point(pcd *in, piece line, int64_t point, cloud *out)
{
    piece word = {line.begin, line.begin};
    for (int f = 0; f < in->fields; f++)
        for (int64_t v = 0; v < in->field[f].count; v++) {
            double value = NAN;
            if (!piece_word(&line, &word))
                return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                            "%s:%" PRId64 ": the line ends before field %d, expected %" PRId64
                            " values",
                            in->path, in->text.number, f + 1, in->point_values);
            if (!is_missing(word) && text_read_double(word.begin, word.end, &value) != word.end)
                return fail_line(in, word, "a number");
            if (in->role[f] == CLOUD_PACKED)
                value = isnan(value) ? 0.0 : packed_of(value);
            else if (in->field[f].type.kind == 'f')
                value = cloud_as_declared(value, in->field[f].type.size);
            if (in->role[f] != CLOUD_OTHER)
                cloud_put(out, point, in->role[f], value);
        }
    return ORTHANT_OK;
}

static orthant_status read_ascii(pcd *in, cloud *out)
{
    piece line;
    for (int64_t i = 0; i < in->points;) {
        if (!lines_next(&in->text, &line))
            return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: found %" PRId64 " points, expected %" PRId64 "; the file is cut off",
                        in->path, i, in->points);
        line = piece_trim(line);
        if (line.begin == line.end)
            continue;
        const orthant_status status = read_ascii_point(in, line, i++, out);
        if (status != ORTHANT_OK)
            return status;
    }
    return ORTHANT_OK;
}

/* `together`: the values of a field stand together, not those of a point. */
static void read_bytes(const pcd *in, const unsigned char *bytes, bool together, cloud *out)
{
    for (int f = 0; f < in->fields; f++) {
        element type = in->field[f].type;
        const int64_t step = together ? in->field[f].count * type.size : in->point_bytes;
        const unsigned char *from = bytes + in->field[f].offset * (together ? in->points : 1);
        if (in->role[f] == CLOUD_OTHER)
            continue;
        if (in->role[f] == CLOUD_PACKED)
            type.kind = 'u';
        for (int64_t i = 0; i < in->points; i++)
            cloud_put(out, i, in->role[f], element_value(type, from + i * step));
    }
}

static void packed_sizes(const pcd *in, int64_t *packed, int64_t *plain)
{
    const element size_type = {.kind = 'u', .size = 4};
    const unsigned char *from = (const unsigned char *)in->text.at;
    *packed = (int64_t)element_value(size_type, from);
    *plain = (int64_t)element_value(size_type, from + 4);
}

static orthant_status read_compressed(pcd *in, cloud *out)
{
    int64_t packed, plain;
    packed_sizes(in, &packed, &plain);
    unsigned char *bytes = memory_new(in->ctx, plain, 1, "unpacked points");
    if (!bytes)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = ORTHANT_OK;
    if (lzf_unpack((const unsigned char *)in->text.at + 8, packed, bytes, plain))
        read_bytes(in, bytes, true, out);
    else
        status = fail(in->ctx, ORTHANT_ERROR_FORMAT,
                      "%s: the packed points are damaged: they do not give %" PRId64 " bytes",
                      in->path, plain);
    memory_free(in->ctx, bytes);
    return status;
}

/* Before anything is allocated: the packed bytes must be there, and able to give the points. */
static orthant_status check_packed(const pcd *in, int64_t needed)
{
    int64_t packed, plain;
    const int64_t left = in->text.end - in->text.at - 8;
    if (left < 0)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: the file ends before the two sizes of its packed points", in->path);
    packed_sizes(in, &packed, &plain);
    if (packed > left)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " bytes of packed points, expected %" PRId64
                    "; the file is cut off",
                    in->path, left, packed);
    if (plain != needed)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: the packed points say that they are %" PRId64 " bytes, expected %" PRId64
                    " for %" PRId64 " points",
                    in->path, plain, needed, in->points);
    if (plain / LZF_TIGHTEST > packed)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: %" PRId64 " packed bytes cannot hold %" PRId64, in->path, packed, plain);
    return ORTHANT_OK;
}

/* The same for points that are not packed. In text a value takes a digit and, but for the last, a
 * blank. */
static orthant_status check_bytes(const pcd *in)
{
    const bool text = in->data == DATA_ASCII;
    const int64_t left = in->text.end - in->text.at;
    int64_t needed;
    if (!size_multiply(in->points, text ? 2 * in->point_values : in->point_bytes, &needed))
        needed = INT64_MAX;
    if (in->data == DATA_COMPRESSED)
        return check_packed(in, needed);
    if (left < needed - (text ? 1 : 0))
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " bytes behind the header, expected at least %" PRId64
                    " for %" PRId64 " points; the file is cut off",
                    in->path, left, needed, in->points);
    return ORTHANT_OK;
}

orthant_status cloud_read_pcd(orthant_context *ctx, const char *path, cloud *out)
{
    pcd in = {.ctx = ctx, .path = path};
    int with = 0;
    orthant_status status = lines_open(ctx, path, &in.text);
    if (status == ORTHANT_OK)
        status = read_header(&in);
    if (status == ORTHANT_OK && (with = cloud_settle_roles(in.role, in.fields)) < 0)
        status = fail(ctx, ORTHANT_ERROR_FORMAT, "%s: no fields x, y and z in the header", path);
    if (status == ORTHANT_OK)
        status = check_bytes(&in);
    if (status == ORTHANT_OK)
        status = cloud_begin(ctx, path, in.points, with, out);
    if (status != ORTHANT_OK)
        goto done;
    out->width = in.width;
    out->height = in.height;
    memcpy(out->viewpoint, in.viewpoint, sizeof out->viewpoint);
    if (in.data == DATA_ASCII)
        status = read_ascii(&in, out);
    else if (in.data == DATA_BINARY)
        read_bytes(&in, (const unsigned char *)in.text.at, false, out);
    else
        status = read_compressed(&in, out);
done:
    lines_close(&in.text);
    return status;
}
