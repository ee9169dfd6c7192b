/* Converters from every kind of number to float and double, in either byte order. */
#include "data/element.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"

#define CHUNK_BYTES (1 << 16)
#define COLUMNS_BYTES (1 << 22)

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction ? NAN : sign * HUGE_VAL;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double floating_value(int size, uint64_t bits)
{
    if (size == 2)
        return half_value((uint16_t)bits);
    if (size == 4) {
        const uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t load_bits(element type, const unsigned char *bytes)
{
    const bool swap = type.big != host_is_big();
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (type.size) {
    case 1: return bytes[0];
    case 2: memcpy(&two, bytes, 2); return swap ? __builtin_bswap16(two) : two;
    case 4: memcpy(&four, bytes, 4); return swap ? __builtin_bswap32(four) : four;
    default: memcpy(&eight, bytes, 8); return swap ? __builtin_bswap64(eight) : eight;
    }
}

double element_value(element type, const unsigned char *bytes)
{
    const uint64_t bits = load_bits(type, bytes);
    if (type.kind == 'f')
        return floating_value(type.size, bits);
    if (type.kind == 'b')
        return bits != 0;
    if (type.kind == 'i' && bits >> (8 * type.size - 1) & 1)
        return -(double)(~(bits | (type.size == 8 ? 0 : ~UINT64_C(0) << 8 * type.size)) + 1);
    return (double)bits;
}

/* ---- many at once ---- */

/* From entries as they stand in a file, at any address, in this machine's byte order; by way of
 * `WAY`: a double, as all numbers that are read, or what is exact for all of the type. Steps of a
 * constant width are what the compiler turns into vectors. */
#define STEP 16
#define CONVERT_TO(REAL, TYPE, WAY)                                     \
    for (; i + STEP <= count; i += STEP) {                              \
        TYPE step[STEP];                                                \
        memcpy(step, bytes + (size_t)i * sizeof *step, sizeof step);    \
        for (int lane = 0; lane < STEP; lane++)                         \
            ((REAL *)to)[i + lane] = (REAL)(WAY)step[lane];             \
    }                                                                   \
    for (; i < count; i++) {                                            \
        TYPE value;                                                     \
        memcpy(&value, bytes + (size_t)i * sizeof value, sizeof value); \
        ((REAL *)to)[i] = (REAL)(WAY)value;                             \
    }
#define CONVERT(TYPE, WAY, NAME)                                         \
    static void NAME(const unsigned char *restrict bytes, int64_t count, \
                     orthant_precision precision, void *restrict to)     \
    {                                                                    \
        int64_t i = 0;                                                   \
        if (precision == ORTHANT_DOUBLE) {                               \
            CONVERT_TO(double, TYPE, double)                             \
        } else {                                                         \
            CONVERT_TO(float, TYPE, WAY)                                 \
        }                                                                \
    }

CONVERT(uint8_t, float, from_u1)
CONVERT(int8_t, float, from_i1)
CONVERT(uint16_t, float, from_u2)
CONVERT(int16_t, float, from_i2)
CONVERT(uint32_t, double, from_u4)
CONVERT(int32_t, double, from_i4)
CONVERT(int64_t, double, from_i8)
CONVERT(float, float, from_f4)
CONVERT(double, double, from_f8)

typedef void (*converter)(const unsigned char *, int64_t, orthant_precision, void *);

/* NULL where entries have to be looked at one by one: swapped bytes, halves, truth values. */
static converter converter_of(element type)
{
    static const struct {
        char kind;
        int size;
        converter convert;
    } known[] = {{'u', 1, from_u1}, {'i', 1, from_i1}, {'u', 2, from_u2},
                 {'i', 2, from_i2}, {'u', 4, from_u4}, {'i', 4, from_i4},
                 {'i', 8, from_i8}, {'f', 4, from_f4}, {'f', 8, from_f8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].kind == type.kind && known[i].size == type.size &&
            (type.size == 1 || type.big == host_is_big()))
            return known[i].convert;
    return NULL;
}

void element_convert(element type, const unsigned char *bytes, int64_t count,
                     orthant_precision precision, void *to)
{
    const converter convert = converter_of(type);
    if (convert) {
        convert(bytes, count, precision, to);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const double value = element_value(type, bytes + i * type.size);
        if (precision == ORTHANT_DOUBLE)
            ((double *)to)[i] = value;
        else
            ((float *)to)[i] = (float)value;
    }
}

/* Rows and columns of a tile: its lines stay in cache on both sides. */
#define TILE_ROWS 64
#define TILE_COLUMNS 16

#define PLACE(REAL, NAME)                                                                     \
    static void NAME(element type, const unsigned char *columns, int64_t height, int64_t top, \
                     int64_t rows, int64_t left, int64_t width, REAL *to, int64_t stride)     \
    {                                                                                         \
        REAL tile[TILE_COLUMNS][TILE_ROWS];                                                   \
        for (int64_t j = 0; j < width; j++)                                                   \
            element_convert(type, columns + ((left + j) * height + top) * type.size, rows,    \
                            sizeof(REAL) == sizeof(double) ? ORTHANT_DOUBLE : ORTHANT_SINGLE, \
                            tile[j]);                                                         \
        for (int64_t i = 0; i < rows; i++)                                                    \
            for (int64_t j = 0; j < width; j++)                                               \
                to[i * stride + j] = tile[j][i];                                              \
    }

PLACE(float, place_single)
PLACE(double, place_double)

void element_place_columns(element type, const unsigned char *columns, int64_t first, int64_t count,
                           orthant_matrix *matrix)
{
    const int64_t height = matrix->rows;
    for (int64_t top = 0; top < height; top += TILE_ROWS)
        for (int64_t left = 0; left < count; left += TILE_COLUMNS) {
            const int64_t rows = height - top < TILE_ROWS ? height - top : TILE_ROWS;
            const int64_t width = count - left < TILE_COLUMNS ? count - left : TILE_COLUMNS;
            const int64_t at = top * matrix->stride + first + left;
            if (matrix->precision == ORTHANT_DOUBLE)
                place_double(type, columns, height, top, rows, left, width,
                             (double *)matrix->values + at, matrix->stride);
            else
                place_single(type, columns, height, top, rows, left, width,
                             (float *)matrix->values + at, matrix->stride);
        }
}

/* Where in C order the elements of an array in Fortran's order go, one after the other. */
typedef struct walk {
    const element_shape *shape;
    int64_t step[ELEMENT_DIMENSIONS], index[ELEMENT_DIMENSIONS];
    int64_t position;
} walk;

static walk walk_start(const element_shape *shape)
{
    walk w = {.shape = shape};
    int64_t step = 1;
    for (int d = shape->dimensions - 1; d >= 0; d--) {
        w.step[d] = step;
        step *= shape->extent[d];
    }
    return w;
}

static void walk_next(walk *w)
{
    for (int d = 0; d < w->shape->dimensions; d++) {
        w->position += w->step[d];
        if (++w->index[d] < w->shape->extent[d])
            return;
        w->position -= w->step[d] * w->shape->extent[d];
        w->index[d] = 0;
    }
}

/* Entries that the matrix holds just as the file does go there directly. */
static bool same_in_memory(element type, const element_shape *shape, const orthant_matrix *matrix)
{
    return type.kind == 'f' && (size_t)type.size == precision_size(matrix->precision) &&
           type.big == host_is_big() && !shape->first_fastest;
}

/* Some columns at a time, so that what is read stays small beside the matrix. */
static orthant_status fill_columns(stream *in, element type, orthant_matrix *matrix)
{
    const int64_t height = matrix->rows * type.size, width = matrix->columns;
    int64_t block = height > 0 ? COLUMNS_BYTES / height : 1;
    block = block < 1 ? 1 : block > width ? width : block;
    unsigned char *columns =
        memory_new(in->ctx, block * matrix->rows, (size_t)type.size, "a file's columns");
    orthant_status status = columns ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t first = 0; first < width && status == ORTHANT_OK; first += block) {
        const int64_t count = width - first < block ? width - first : block;
        status = stream_read_all(in, columns, count * height);
        if (status == ORTHANT_OK)
            element_place_columns(type, columns, first, count, matrix);
    }
    memory_free(in->ctx, columns);
    return status;
}

static orthant_status fill(stream *in, element type, const element_shape *shape, int64_t count,
                           orthant_matrix *matrix)
{
    if (same_in_memory(type, shape, matrix))
        return stream_read_all(in, matrix->values, count * type.size);
    if (shape->first_fastest && shape->dimensions == 2)
        return fill_columns(in, type, matrix);
    unsigned char *chunk = memory_new(in->ctx, CHUNK_BYTES, 1, "a file's bytes");
    const int64_t most = CHUNK_BYTES / type.size;
    walk w = walk_start(shape);
    /* A chunk leaves the end of the matrix before entries come to lie there. */
    if (!shape->first_fastest)
        stream_unpack_ahead(in, count * type.size, matrix->values,
                            count * (int64_t)precision_size(matrix->precision));
    orthant_status status = chunk ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t done = 0; done < count && status == ORTHANT_OK;) {
        const int64_t now = count - done < most ? count - done : most;
        status = stream_read_all(in, chunk, now * type.size);
        if (status == ORTHANT_OK && !shape->first_fastest)
            element_convert(type, chunk, now, matrix->precision,
                            (char *)matrix->values +
                                (size_t)done * precision_size(matrix->precision));
        for (int64_t i = 0; i < now && status == ORTHANT_OK && shape->first_fastest; i++) {
            matrix_set_value(matrix, w.position, element_value(type, chunk + i * type.size));
            walk_next(&w);
        }
        done += now;
    }
    memory_free(in->ctx, chunk);
    return status;
}

orthant_status element_read_values(stream *in, element type, int64_t count, orthant_matrix *matrix)
{
    const element_shape vector = {.dimensions = 1, .extent = {count}};
    matrix->lossless = element_is_lossless(type, matrix->precision);
    return fill(in, type, &vector, count, matrix);
}

orthant_picture_shape element_picture(const element_shape *shape)
{
    const orthant_picture_shape none = {0};
    const int64_t channels = shape->dimensions == 4 ? shape->extent[3] : 1;
    if (shape->dimensions != 3 && shape->dimensions != 4)
        return none;
    if (shape->extent[1] > INT_MAX || shape->extent[2] > INT_MAX ||
        (channels != 1 && channels != 3 && channels != 4))
        return none;
    return (orthant_picture_shape){
        .height = (int)shape->extent[1], .width = (int)shape->extent[2], .channels = (int)channels};
}

orthant_status element_measure(stream *in, element type, const element_shape *shape,
                               int64_t *columns, int64_t *count)
{
    int64_t strides = type.size; /* a dimension of 0 must not hide what overflows beside it */
    *columns = 1;
    *count = 0;
    for (int d = 0; d < shape->dimensions; d++)
        if (!size_multiply(strides, shape->extent[d] > 0 ? shape->extent[d] : 1, &strides))
            return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: the header promises more entries than there can be", in->name);
    for (int d = 1; d < shape->dimensions; d++)
        *columns *= shape->extent[d];
    *count = shape->extent[0] * *columns;
    const int64_t bytes = *count * type.size;
    const int64_t left = (in->plain >= 0 ? in->plain : in->most) - in->delivered;
    if (in->plain >= 0 ? bytes != left : bytes > left)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: the header promises %" PRId64 " x %" PRId64
                    " entries of %d bytes: found %" PRId64 " bytes of data, expected %" PRId64,
                    in->name, shape->extent[0], *columns, type.size,
                    in->plain >= 0 ? left : in->most, bytes);
    return ORTHANT_OK;
}

bool element_is_lossless(element type, orthant_precision precision)
{
    return precision == ORTHANT_DOUBLE || type.kind != 'f' || type.size < 8;
}

/* How much a gzip file holds, and whether it is what was packed, shows only at its end. */
static orthant_status check_end(stream *in, const orthant_matrix *matrix)
{
    unsigned char byte;
    int64_t more = 0;
    const orthant_status status = stream_read(in, &byte, 1, &more);
    if (status == ORTHANT_OK && more > 0)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: more data than the header's %" PRId64 " x %" PRId64 " entries", in->name,
                    matrix->rows, matrix->columns);
    return status;
}

orthant_status element_read_each(stream *in, element type, int64_t count, element_taker take,
                                 void *user)
{
    unsigned char *chunk = memory_new(in->ctx, CHUNK_BYTES, 1, "a file's bytes");
    double *values = memory_new(in->ctx, CHUNK_BYTES, sizeof *values, "a file's numbers");
    const int64_t most = CHUNK_BYTES / type.size;
    orthant_status status = chunk && values ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t done = 0, now; done < count && status == ORTHANT_OK; done += now) {
        now = count - done < most ? count - done : most;
        status = stream_read_all(in, chunk, now * type.size);
        if (status != ORTHANT_OK)
            break;
        element_convert(type, chunk, now, ORTHANT_DOUBLE, values);
        status = take(user, done, values, now);
    }
    memory_free(in->ctx, values);
    memory_free(in->ctx, chunk);
    return status;
}

orthant_status element_read_array(stream *in, element type, const element_shape *shape,
                                  orthant_precision precision, orthant_matrix **matrix)
{
    int64_t columns, count;
    orthant_matrix *made = NULL;
    *matrix = NULL;
    orthant_status status = element_measure(in, type, shape, &columns, &count);
    if (status == ORTHANT_OK)
        status = matrix_new_dense(in->ctx, precision, shape->extent[0], columns, &made);
    if (status == ORTHANT_OK)
        status = fill(in, type, shape, count, made);
    if (status == ORTHANT_OK)
        status = check_end(in, made);
    if (status != ORTHANT_OK) {
        orthant_matrix_free(made);
        return status;
    }
    made->picture = element_picture(shape);
    made->lossless = element_is_lossless(type, precision);
    *matrix = made;
    return ORTHANT_OK;
}
