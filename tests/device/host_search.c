/* Neighbours and nearest centres of the device of plain loops: every distance in double, summed as
 * src/kernel/nearest.inc and src/cluster/point.c sum it. HOSTDEVICE_SEARCH=fails: it cannot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_device.h"

#define PIECE 64 /* KERNEL_FEATURES */

static double entry(const device_points *p, int64_t i, int64_t l)
{
    const int64_t at = i * p->stride + l;
    return p->single ? (double)((const float *)p->values)[at] : ((const double *)p->values)[at];
}

static double entry_or_centre(const device_points *p, const double *centre, int64_t j, int64_t l)
{
    return centre ? centre[l] : entry(p, j, l);
}

/* From sample i to a centre, or to sample j where there is none. */
static double distance(const device_points *p, int64_t i, const double *centre, int64_t j)
{
    const int64_t m = p->columns, piece = centre ? m : PIECE;
    double total = 0;
    for (int64_t first = 0; first < m; first += piece) {
        const int64_t count = m - first < piece ? m - first : piece;
        double sums[4] = {0};
        for (int64_t l = 0; l < count; l++) {
            const double apart = entry(p, i, first + l) - entry_or_centre(p, centre, j, first + l);
            const volatile double square = apart * apart;
            sums[l < count / 4 * 4 ? l % 4 : 0] += square;
        }
        total += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    return total;
}

static bool is_told_to_fail(char *message)
{
    const char *told = getenv("HOSTDEVICE_SEARCH");
    if (!told || strcmp(told, "fails") != 0)
        return false;
    snprintf(message, DEVICE_MESSAGE, "it was told to fail");
    return true;
}

static bool neighbours(int device, const device_points *p, int64_t count, int32_t *nearest,
                       char *message)
{
    double *list = malloc((size_t)count * sizeof *list);
    (void)device;
    if (!list || is_told_to_fail(message)) {
        free(list);
        return false;
    }
    for (int64_t i = 0; i < p->rows; i++) {
        int32_t *mine = nearest + i * count;
        int64_t found = 0;
        for (int64_t j = 0; j < p->rows; j++) {
            const double d = j == i ? INFINITY : distance(p, i, NULL, j);
            if (j == i || (found == count && d >= list[count - 1]))
                continue;
            int64_t at = found < count ? found++ : count - 1;
            for (; at > 0 && list[at - 1] > d; at--) {
                list[at] = list[at - 1];
                mine[at] = mine[at - 1];
            }
            list[at] = d;
            mine[at] = (int32_t)j;
        }
    }
    free(list);
    return true;
}

struct device_centres {
    device_points p;
    int64_t k;
};

static bool open_centres(int device, const device_points *points, int64_t k, device_centres **state,
                         char *message)
{
    (void)device;
    if (is_told_to_fail(message) || !(*state = malloc(sizeof **state)))
        return false;
    **state = (device_centres){*points, k};
    return true;
}

static bool assign(device_centres *s, const double *centres, int64_t *labels, char *message)
{
    if (is_told_to_fail(message))
        return false;
    for (int64_t i = 0; i < s->p.rows; i++) {
        double least = INFINITY;
        for (int64_t c = 0; c < s->k; c++) {
            const double d = distance(&s->p, i, centres + c * s->p.columns, 0);
            labels[i] = d < least ? c : labels[i];
            least = fmin(least, d);
        }
    }
    return true;
}

static void close_centres(device_centres *s)
{
    free(s);
}

const device_search host_search = {neighbours, 100, open_centres, assign, close_centres};
