/* The .npy format, versions 1 to 3: "\x93NUMPY", version, header's length, and a Python dictionary
 * such as
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/npy.h"
#include "data/read.h"

#define LONGEST_HEADER (1 << 16)

static orthant_status fail_header(stream *in, const char *what)
{
    return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s: the NumPy header %s", in->name, what);
}

static const char *skip_spaces(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n')
        at++;
    return at;
}

/* What stands behind 'key': in the dictionary, or NULL. */
static const char *find_key(const char *text, const char *key)
{
    char quoted[32];
    for (int i = 0; i < 2; i++) {
        snprintf(quoted, sizeof quoted, "%c%s%c", "'\""[i], key, "'\""[i]);
        const char *found = strstr(text, quoted);
        if (!found)
            continue;
        found = skip_spaces(found + strlen(quoted));
        return *found == ':' ? skip_spaces(found + 1) : NULL;
    }
    return NULL;
}

static orthant_status parse_type(stream *in, const char *at, element *type)
{
    char descr[16] = "", kind = 0;
    const char *end = at && (*at == '\'' || *at == '"') ? strchr(at + 1, *at) : NULL;
    if (at && *at == '[')
        return fail_header(in, "describes records, expected plain numbers");
    if (!end || end - at - 1 >= (int64_t)sizeof descr)
        return fail_header(in, "has no 'descr' that can be understood");
    memcpy(descr, at + 1, (size_t)(end - at - 1));
    const char *letter = strchr("<>|=", descr[0]) && descr[0] ? descr + 1 : descr;
    int size = 0;
    if (*letter)
        kind = *letter;
    for (const char *digit = letter + 1; *letter && isdigit((unsigned char)*digit) && size < 1000;
         digit++)
        size = size * 10 + (*digit - '0');
    const bool number = strchr("uifb", kind) &&
                        (size == 1 || size == 2 || size == 4 || size == 8) &&
                        (kind != 'f' || size > 1);
    *type = (element){.kind = number ? kind : 0, .size = size, .big = descr[0] == '>'};
    if (kind && (number || ((kind == 'S' || kind == 'U') && size > 0)))
        return ORTHANT_OK;
    return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                "%s: entries of type '%s', expected whole numbers of 8 to 64 bits, floating ones "
                "of 16 to 64 bits or truth values",
                in->name, descr);
}

static orthant_status parse_shape(stream *in, const char *at, element_shape *shape)
{
    shape->dimensions = 0;
    if (!at || *at != '(')
        return fail_header(in, "has no 'shape' that can be understood");
    at = skip_spaces(at + 1);
    while (isdigit((unsigned char)*at)) {
        int64_t extent = 0;
        for (; isdigit((unsigned char)*at); at++)
            if (__builtin_mul_overflow(extent, (int64_t)10, &extent) ||
                __builtin_add_overflow(extent, *at - '0', &extent))
                return fail_header(in, "gives a dimension that does not fit");
        if (shape->dimensions == ELEMENT_DIMENSIONS)
            return fail_header(in, "gives more than 8 dimensions");
        shape->extent[shape->dimensions++] = extent;
        at = skip_spaces(at);
        if (*at == ',')
            at = skip_spaces(at + 1);
    }
    return *at == ')' ? ORTHANT_OK : fail_header(in, "has no 'shape' that can be understood");
}

static orthant_status parse_header(stream *in, const char *text, npy_header *header)
{
    const char *order = find_key(text, "fortran_order");
    orthant_status status = parse_type(in, find_key(text, "descr"), &header->type);
    if (status == ORTHANT_OK)
        status = parse_shape(in, find_key(text, "shape"), &header->shape);
    if (status != ORTHANT_OK)
        return status;
    if (!order || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
        return fail_header(in, "has no 'fortran_order' that can be understood");
    header->shape.first_fastest = *order == 'T';
    return ORTHANT_OK;
}

orthant_status npy_read_header(stream *in, npy_header *header)
{
    unsigned char start[8] = {0}, length_bytes[4] = {0};
    int64_t got;
    *header = (npy_header){{0}, {0}, 0};
    orthant_status status = stream_read(in, start, sizeof start, &got);
    if (status != ORTHANT_OK)
        return status;
    if (got < (int64_t)sizeof start || memcmp(start, "\x93NUMPY", 6) != 0)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: not a NumPy array: it does not start with \\x93NUMPY and a version",
                    in->name);
    if (start[6] < 1 || start[6] > 3)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: NumPy format version %d, expected 1, 2 or 3", in->name, start[6]);
    status = stream_read_all(in, length_bytes, start[6] == 1 ? 2 : 4);
    if (status != ORTHANT_OK)
        return status;
    const int64_t length = (int64_t)element_value((element){'u', 4, false}, length_bytes);
    if (length > LONGEST_HEADER)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: a NumPy header of %" PRId64 " bytes, expected at most %d", in->name,
                    length, LONGEST_HEADER);
    char *text = memory_new(in->ctx, length + 1, 1, "a header");
    if (!text)
        return ORTHANT_ERROR_MEMORY;
    header->bytes = (start[6] == 1 ? 10 : 12) + length;
    status = stream_read_all(in, text, length);
    if (status == ORTHANT_OK)
        status = parse_header(in, text, header);
    memory_free(in->ctx, text);
    return status;
}

orthant_status npy_read_entries(stream *in, const npy_header *header, orthant_precision precision,
                                orthant_matrix **matrix)
{
    element_shape shape = header->shape;
    *matrix = NULL;
    if (header->type.kind == 0)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s: holds texts, expected numbers", in->name);
    if (shape.dimensions == 0) {
        shape.dimensions = 1;
        shape.extent[0] = 1;
    }
    return element_read_array(in, header->type, &shape, precision, matrix);
}

/* Whether the entries lie in the file as they lie in a matrix. */
static bool lies_ready(const npy_header *header, orthant_precision precision)
{
    const int one = 1;
    char first;
    memcpy(&first, &one, 1);
    return header->type.kind == 'f' && header->type.size == (int)precision_size(precision) &&
           header->type.big == (first == 0) && header->shape.dimensions == 2 &&
           !header->shape.first_fastest && header->bytes % header->type.size == 0;
}

/* Leaves *found NULL where the file has to be read: packed, of another kind, or of another length,
 * which the reader tells. */
static orthant_status map_npy(orthant_context *ctx, const char *path, const npy_header *header,
                              orthant_matrix **found)
{
    const int64_t rows = header->shape.extent[0], columns = header->shape.extent[1];
    int64_t bytes = 0, entries, wanted;
    if (!lies_ready(header, ctx->precision) || !size_multiply(rows, columns, &entries) ||
        !size_multiply(entries, header->type.size, &wanted))
        return ORTHANT_OK;
    char *mapping = file_map(path, &bytes);
    orthant_status status = ORTHANT_OK;
    if (mapping && bytes >= header->bytes && bytes - header->bytes == wanted &&
        memcmp(mapping, "\x93NUMPY", 6) == 0)
        status = matrix_of_mapping(ctx, ctx->precision, rows, columns, mapping, bytes,
                                   header->bytes, found);
    if (mapping && !*found)
        file_unmap(mapping, bytes);
    return status;
}

orthant_status read_npy(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    stream in;
    npy_header header;
    *found = NULL;
    *truth = NULL;
    orthant_status status = stream_open(ctx, path, &in);
    if (status != ORTHANT_OK)
        return status;
    status = npy_read_header(&in, &header);
    if (status == ORTHANT_OK && options->map)
        status = map_npy(ctx, path, &header, found);
    if (status == ORTHANT_OK && !*found)
        status = npy_read_entries(&in, &header, ctx->precision, found);
    stream_close(&in);
    return status;
}
