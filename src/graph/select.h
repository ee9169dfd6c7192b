/* Hoare's selection, for whatever has places, a value at each and a way to swap two of them. */
#ifndef GRAPH_SELECT_H
#define GRAPH_SELECT_H

#include <math.h>
#include <stdint.h>

/* The value at a place along an axis, and two places that swap what they hold. */
typedef double (*select_value)(const void *of, int64_t place, int64_t axis);
typedef void (*select_swap)(void *of, int64_t a, int64_t b);

static inline double middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Nothing in [begin, place) is then above what `place` holds along the axis, nothing behind it
 * below. Equal values are spread over both sides, so duplicates cost nothing. */
static inline void select_place(void *of, int64_t begin, int64_t end, int64_t place, int64_t axis,
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
        if (place <= high)
            end = high + 1;
        else if (place >= low)
            begin = low;
        else
            return;
    }
}

#endif
