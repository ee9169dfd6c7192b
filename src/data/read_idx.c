/* IDX, the format of MNIST: 0, 0, type, number of dimensions, each dimension as 32 bits and the
 * entries, most significant byte first. */
#include "data/convert.h"
#include "data/read.h"

static bool parse_type(unsigned char code, element *type)
{
    switch (code) {
    case 0x08: *type = (element){'u', 1, true}; return true;
    case 0x09: *type = (element){'i', 1, true}; return true;
    case 0x0b: *type = (element){'i', 2, true}; return true;
    case 0x0c: *type = (element){'i', 4, true}; return true;
    case 0x0d: *type = (element){'f', 4, true}; return true;
    case 0x0e: *type = (element){'f', 8, true}; return true;
    default: return false;
    }
}

static orthant_status read_header(stream *in, element *type, element_shape *shape)
{
    unsigned char start[4], extent[4];
    orthant_status status = stream_read_all(in, start, sizeof start);
    if (status != ORTHANT_OK)
        return status;
    if (start[0] != 0 || start[1] != 0 || !parse_type(start[2], type))
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: not an IDX file: it starts with %02x %02x %02x, expected 00 00 and a type "
                    "(08 to 0e)",
                    in->name, start[0], start[1], start[2]);
    if (start[3] < 1 || start[3] > ELEMENT_DIMENSIONS)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s: %d dimensions, expected 1 to %d", in->name,
                    start[3], ELEMENT_DIMENSIONS);
    *shape = (element_shape){.dimensions = start[3]};
    for (int d = 0; d < shape->dimensions && status == ORTHANT_OK; d++) {
        status = stream_read_all(in, extent, sizeof extent);
        if (status == ORTHANT_OK)
            shape->extent[d] = (int64_t)element_value((element){'u', 4, true}, extent);
    }
    return status;
}

orthant_status read_idx(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    stream in;
    element type;
    element_shape shape;
    (void)options;
    *found = NULL;
    *truth = NULL;
    orthant_status status = stream_open(ctx, path, &in);
    if (status != ORTHANT_OK)
        return status;
    status = read_header(&in, &type, &shape);
    if (status == ORTHANT_OK)
        status = element_read_array(&in, type, &shape, ctx->precision, found);
    stream_close(&in);
    return status;
}

orthant_status convert_idx(conversion *c)
{
    stream in;
    element type;
    element_shape shape;
    orthant_status status = stream_open(c->ctx, c->path, &in);
    if (status != ORTHANT_OK)
        return status;
    status = read_header(&in, &type, &shape);
    if (status == ORTHANT_OK)
        status = convert_array(c, &in, type, shape);
    stream_close(&in);
    return status;
}
