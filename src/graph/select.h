/* Hoare's selection (quickselect) on anything with numbered elements, a value of each and a
 * function that swaps two. */
#ifndef GRAPH_SELECT_H
#define GRAPH_SELECT_H

#include <math.h>
#include <stdint.h>

/* The value of an element along an axis, and the swap of two elements. */
typedef double (*select_value)(const void *of, int64_t rank, int64_t axis);
typedef void (*select_swap)(void *of, int64_t a, int64_t b);

static inline double middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* No element of [begin, rank) is then above element `rank` along the axis, and none after it is
 * below. Equal values are spread over both sides, so duplicates cost nothing. */
static inline void select_rank(void *of, int64_t begin, int64_t end, int64_t rank, int64_t axis,
                               select_value value, select_swap swap)
{
    while (end - begin > 1) {
        const double pivot =
            middle_of_three(value(of, begin, axis), value(of, begin + (end - begin) / 2, axis),
                            value(of, end - 1, axis));
        int64_t low = begin, high = end - 1;
        while (low <= high) {
            while (value(of, low, axis) < pivot)
                low++;
            while (value(of, high, axis) > pivot)
                high--;
            if (low <= high)
                swap(of, low++, high--);
        }
        if (rank <= high)
            end = high + 1;
        else if (rank >= low)
            begin = low;
        else
            return;
    }
}

#endif
