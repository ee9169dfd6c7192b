/* PLY, the Stanford format: a header
 *
 *     ply
 *     format ascii | binary_little_endian | binary_big_endian 1.0
 *     element vertex 8
 *     property float x                        (a number)
 *     property list uchar int vertex_indices  (a count and so many numbers)
 *     end_header
 *
 * and the elements in the header's order, each with its properties in order. Points are the
 * elements 'vertex'; what stands before them is passed over, what stands behind is not read. */
#include "vision/cloud.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/element.h"
#include "data/lines.h"

#define MOST_ELEMENTS 16
#define MOST_PROPERTIES 64

typedef struct ply_property {
    element type;
    element counted; /* size > 0: a list, whose count has this type */
    double scale;    /* brings a colour to 0 .. 255 */
} ply_property;

typedef struct ply_element {
    bool vertex;
    int64_t count;
    int properties;
    ply_property property[MOST_PROPERTIES];
    cloud_role role[MOST_PROPERTIES];
} ply_element;

typedef struct ply {
    orthant_context *ctx;
    const char *path;
    lines text;
    piece line; /* ascii: what is left of the line */
    bool ascii, big, format_known;
    int elements;
    ply_element element[MOST_ELEMENTS];
} ply;

static orthant_status fail_line(const ply *in, piece found, const char *expected)
{
    return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s:%" PRId64 ": found '%s', expected %s", in->path,
                in->text.number, piece_show(found).text, expected);
}

/* ---- the header ---- */

static bool take_type(piece word, bool big, element *type)
{
    static const struct {
        const char *name, *other;
        element type;
    } types[] = {
        {"char", "int8", {'i', 1, false}},     {"uchar", "uint8", {'u', 1, false}},
        {"short", "int16", {'i', 2, false}},   {"ushort", "uint16", {'u', 2, false}},
        {"int", "int32", {'i', 4, false}},     {"uint", "uint32", {'u', 4, false}},
        {"float", "float32", {'f', 4, false}}, {"double", "float64", {'f', 8, false}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (piece_equals(word, types[i].name) || piece_equals(word, types[i].other)) {
            *type = types[i].type;
            type->big = big;
            return true;
        }
    return false;
}

static orthant_status take_property(ply *in, piece rest)
{
    static const char expected[] = "property TYPE NAME or property list TYPE TYPE NAME";
    const piece whole = rest;
    piece word, name;
    char text[32];
    if (in->elements == 0)
        return fail_line(in, rest, "an element before its properties");
    ply_element *to = &in->element[in->elements - 1];
    if (to->properties == MOST_PROPERTIES)
        return fail_line(in, rest, "64 properties at most");
    ply_property *property = &to->property[to->properties];
    *property = (ply_property){.scale = 1.0};
    if (!piece_word(&rest, &word))
        return fail_line(in, whole, expected);
    const bool list = piece_equals(word, "list");
    if (list && (!piece_word(&rest, &word) || !take_type(word, in->big, &property->counted) ||
                 property->counted.kind == 'f' || !piece_word(&rest, &word)))
        return fail_line(in, whole, expected);
    if (!take_type(word, in->big, &property->type) || !piece_word(&rest, &name))
        return fail_line(in, whole, expected);
    snprintf(text, sizeof text, "%.*s",
             (int)(name.end - name.begin < 31 ? name.end - name.begin : 31), name.begin);
    to->role[to->properties] = list ? CLOUD_OTHER : cloud_role_of(text);
    if (property->type.kind == 'f')
        property->scale = 255.0;
    else if (property->type.size == 2)
        property->scale = 255.0 / 65535.0;
    to->properties++;
    return ORTHANT_OK;
}

static orthant_status take_format(ply *in, piece rest)
{
    piece word = rest;
    piece_word(&rest, &word);
    in->ascii = piece_equals(word, "ascii");
    in->big = piece_equals(word, "binary_big_endian");
    if (!in->ascii && !in->big && !piece_equals(word, "binary_little_endian"))
        return fail_line(in, word, "format ascii, binary_little_endian or binary_big_endian");
    in->format_known = true;
    return ORTHANT_OK;
}

static orthant_status take_element(ply *in, piece rest)
{
    const piece whole = rest;
    piece name, word;
    char text[24];
    if (!in->format_known)
        return fail_line(in, rest, "the format before the elements");
    if (in->elements == MOST_ELEMENTS)
        return fail_line(in, rest, "16 kinds of elements at most");
    if (!piece_word(&rest, &name) || !piece_word(&rest, &word) || word.end - word.begin > 20)
        return fail_line(in, whole, "element NAME COUNT");
    ply_element *to = &in->element[in->elements++];
    to->vertex = piece_equals(name, "vertex");
    snprintf(text, sizeof text, "%.*s", (int)(word.end - word.begin), word.begin);
    if (!text_to_int64(text, &to->count) || to->count < 0)
        return fail_line(in, word, "how many elements there are");
    return ORTHANT_OK;
}

static orthant_status read_header(ply *in)
{
    piece rest = {in->text.at, in->text.at}, key;
    orthant_status status = ORTHANT_OK;
    lines_next(&in->text, &rest);
    if (!piece_equals(piece_trim(rest), "ply"))
        return fail_line(in, rest, "ply");
    while (status == ORTHANT_OK) {
        if (!lines_next(&in->text, &rest))
            return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: the file ends in its header (line %" PRId64 "), expected end_header",
                        in->path, in->text.number);
        if (!piece_word(&rest, &key) || piece_equals(key, "comment") ||
            piece_equals(key, "obj_info"))
            continue;
        if (piece_equals(key, "end_header"))
            return ORTHANT_OK;
        if (piece_equals(key, "format"))
            status = take_format(in, rest);
        else if (piece_equals(key, "element"))
            status = take_element(in, rest);
        else if (piece_equals(key, "property"))
            status = take_property(in, rest);
        else
            status = fail_line(in, key, "format, element, property, comment or end_header");
    }
    return status;
}

/* ---- the elements ---- */

static orthant_status next_word(ply *in, double *value)
{
    piece word;
    while (!piece_word(&in->line, &word))
        if (!lines_next(&in->text, &in->line))
            return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: the file ends at line %" PRId64
                        ", before all elements that its header promises",
                        in->path, in->text.number);
    if (text_read_double(word.begin, word.end, value) == word.end)
        return ORTHANT_OK;
    *value = NAN;
    if (*word.begin == '-' || *word.begin == '+')
        word.begin++;
    if (piece_equals(word, "nan") || piece_equals(word, "inf") || piece_equals(word, "infinity"))
        return ORTHANT_OK;
    return fail_line(in, word, "a number");
}

static orthant_status fail_short(const ply *in, int64_t wanted)
{
    return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                "%s: found %" PRId64 " bytes at byte %" PRId64 ", expected %" PRId64
                "; the file is cut off",
                in->path, (int64_t)(in->text.end - in->text.at),
                (int64_t)(in->text.at - in->text.text), wanted);
}

static orthant_status next_value(ply *in, element type, double *value)
{
    if (in->ascii) {
        const orthant_status status = next_word(in, value);
        if (status == ORTHANT_OK && type.kind == 'f')
            *value = cloud_as_declared(*value, type.size);
        return status;
    }
    if (in->text.end - in->text.at < type.size)
        return fail_short(in, type.size);
    *value = element_value(type, (const unsigned char *)in->text.at);
    in->text.at += type.size;
    return ORTHANT_OK;
}

static orthant_status pass_list(ply *in, const ply_property *list)
{
    double count, value;
    orthant_status status = next_value(in, list->counted, &count);
    if (status != ORTHANT_OK)
        return status;
    if (!(count >= 0.0 && count <= 4294967295.0))
        return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s: a list of %g numbers, expected 0 or more",
                    in->path, count);
    if (!in->ascii) {
        const int64_t bytes = (int64_t)count * list->type.size;
        if (in->text.end - in->text.at < bytes)
            return fail_short(in, bytes);
        in->text.at += bytes;
        return ORTHANT_OK;
    }
    for (int64_t i = 0; i < (int64_t)count && status == ORTHANT_OK; i++)
        status = next_word(in, &value);
    return status;
}

/* One element; its values go to point `at` of `out` where that is not NULL. */
static orthant_status read_element(ply *in, const ply_element *kind, int64_t at, cloud *out)
{
    for (int p = 0; p < kind->properties; p++) {
        const ply_property *property = &kind->property[p];
        const cloud_role role = kind->role[p];
        double value;
        const orthant_status status = property->counted.size > 0
                                          ? pass_list(in, property)
                                          : next_value(in, property->type, &value);
        if (status != ORTHANT_OK)
            return status;
        if (!out || role == CLOUD_OTHER)
            continue;
        const bool color = role >= CLOUD_RED && role <= CLOUD_BLUE;
        cloud_put(out, at, role, color ? property->scale * value : value);
    }
    return ORTHANT_OK;
}

/* Bytes that an element takes at least: in text a digit and a blank for each property. */
static int64_t least_bytes(const ply *in, const ply_element *kind)
{
    int64_t bytes = 0;
    for (int p = 0; p < kind->properties; p++) {
        const ply_property *property = &kind->property[p];
        bytes += in->ascii                    ? 2
                 : property->counted.size > 0 ? property->counted.size
                                              : property->type.size;
    }
    return bytes;
}

/* A wrong header is refused before memory is taken or time is spent. */
static orthant_status check_bytes(const ply *in, const ply_element *kind)
{
    const int64_t left = in->text.end - in->text.at + (in->ascii ? 1 : 0);
    int64_t needed;
    if (!size_multiply(kind->count, least_bytes(in, kind), &needed))
        needed = INT64_MAX;
    if (left < needed)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: found %" PRId64 " bytes, expected at least %" PRId64 " for %" PRId64
                    " elements; the file is cut off",
                    in->path, left, needed, kind->count);
    return ORTHANT_OK;
}

static orthant_status pass_elements(ply *in, const ply_element *kind)
{
    orthant_status status = check_bytes(in, kind);
    for (int64_t i = 0; i < kind->count && kind->properties > 0 && status == ORTHANT_OK; i++)
        status = read_element(in, kind, i, NULL);
    return status;
}

static orthant_status read_points(ply *in, ply_element *points, cloud *out)
{
    const int with = cloud_settle_roles(points->role, points->properties);
    if (with < 0)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: the vertices lack one of the properties x, y and z", in->path);
    if (points->count == 0)
        return fail(in->ctx, ORTHANT_ERROR_DATA, "%s: a cloud without points", in->path);
    orthant_status status = check_bytes(in, points);
    if (status == ORTHANT_OK)
        status = cloud_begin(in->ctx, in->path, points->count, with, out);
    for (int64_t i = 0; i < points->count && status == ORTHANT_OK; i++)
        status = read_element(in, points, i, out);
    return status;
}

orthant_status cloud_read_ply(orthant_context *ctx, const char *path, cloud *out)
{
    ply *in = memory_new(ctx, 1, sizeof *in, "the header of a PLY file");
    if (!in)
        return ORTHANT_ERROR_MEMORY;
    in->ctx = ctx;
    in->path = path;
    orthant_status status = lines_open(ctx, path, &in->text);
    if (status == ORTHANT_OK)
        status = read_header(in);
    int e = 0;
    for (; status == ORTHANT_OK && e < in->elements && !in->element[e].vertex; e++)
        status = pass_elements(in, &in->element[e]);
    if (status == ORTHANT_OK && e == in->elements)
        status = fail(ctx, ORTHANT_ERROR_FORMAT, "%s: no element 'vertex' in the header", path);
    if (status == ORTHANT_OK)
        status = read_points(in, &in->element[e], out);
    if (in->text.ctx)
        lines_close(&in->text);
    memory_free(ctx, in);
    return status;
}
