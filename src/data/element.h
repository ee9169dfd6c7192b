/* Numbers as files hold them: kinds, sizes and byte orders, brought into a matrix. */
#ifndef DATA_ELEMENT_H
#define DATA_ELEMENT_H

#include "data/matrix.h"
#include "data/stream.h"

typedef struct element {
    char kind; /* 'u' unsigned, 'i' signed, 'f' floating, 'b' truth value */
    int size;  /* bytes: 1, 2, 4, 8 */
    bool big;  /* most significant byte first */
} element;

static inline bool host_is_big(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

#define ELEMENT_DIMENSIONS 8

/* An array's shape as files give it; the first dimension counts samples. */
typedef struct element_shape {
    int dimensions;
    int64_t extent[ELEMENT_DIMENSIONS];
    bool first_fastest; /* Fortran's order */
} element_shape;

/* Reads a whole array into a matrix of `precision`: the first dimension becomes rows, all others
 * columns, in C order. 3-D arrays and 4-D ones with 1, 3 or 4 channels set the picture's shape.
 * Refuses a shape that the stream cannot fill before anything is allocated. */
orthant_status element_read_array(stream *in, element type, const element_shape *shape,
                                  orthant_precision precision, orthant_matrix **matrix);

/* What an array of pictures has the shape of; zeros for others. */
orthant_picture_shape element_picture(const element_shape *shape);

/* The array's columns, and its entries; refuses what does not fit or what the stream cannot fill.
 */
orthant_status element_measure(stream *in, element type, const element_shape *shape,
                               int64_t *columns, int64_t *count);

/* Entries `first` .. `first + count` of an array, some thousands at a time. */
typedef orthant_status (*element_taker)(void *user, int64_t first, const double *values,
                                        int64_t count);
/* Hands the next `count` entries of the stream over in order, and ends with the first failure. */
orthant_status element_read_each(stream *in, element type, int64_t count, element_taker take,
                                 void *user);

/* The next `count` entries of the stream into the values of a matrix. */
orthant_status element_read_values(stream *in, element type, int64_t count, orthant_matrix *matrix);

/* Whether every number of the type is neither 0 nor infinite in that precision unless it is so. */
bool element_is_lossless(element type, orthant_precision precision);

/* `count` of them, one behind the other, into floats or doubles. */
void element_convert(element type, const unsigned char *bytes, int64_t count,
                     orthant_precision precision, void *to);
/* Whole columns, one behind the other, to the columns of a dense matrix from `first` on. */
void element_place_columns(element type, const unsigned char *columns, int64_t first, int64_t count,
                           orthant_matrix *matrix);
double element_value(element type, const unsigned char *bytes);

#endif
