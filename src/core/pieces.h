/* Whole numbers: lengths and the pieces that work is cut into. */
#ifndef CORE_PIECES_H
#define CORE_PIECES_H

#include <stdint.h>

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How many of one length cover the whole; the last may be shorter. */
static inline int64_t pieces(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

/* The pair (row, column), column <= row, at row (row + 1) / 2 + column of all such pairs. */
static inline void pair_of(int64_t number, int64_t *row, int64_t *column)
{
    *row = 0;
    for (; number > *row; ++*row)
        number -= *row + 1;
    *column = number;
}

#endif
