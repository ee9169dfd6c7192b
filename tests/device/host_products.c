/* Products with K, and work on factors, of the device of plain loops, in double; what is kept is
 * rounded to the precision of the problem. HOSTDEVICE_FAILS=multiply: the products fail, gram: the
 * Gram matrices, kernel: it cannot begin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_device.h"

struct device_multiplier {
    device_kernel p;
    double *K; /* n x n */
    double *arrays[16];
    int count;
    char message[DEVICE_MESSAGE];
};

static bool told_to_fail(const char *verb)
{
    const char *given = getenv("HOSTDEVICE_FAILS");
    return given && !strcmp(given, verb);
}

static double entry(const device_kernel *p, const void *values, int64_t at)
{
    return p->single ? (double)((const float *)values)[at] : ((const double *)values)[at];
}

static void close_products(device_multiplier *s)
{
    for (int i = 0; i < s->count; i++)
        free(s->arrays[i]);
    free(s->K);
    free(s);
}

/* One row of what was given, zeros where nothing is stored. */
static void read_entries(const device_kernel *p, int64_t i, double *to)
{
    memset(to, 0, (size_t)p->features * sizeof *to);
    if (p->start)
        for (int64_t e = p->start[i]; e < p->start[i + 1]; e++)
            to[p->column[e]] = entry(p, p->values, e);
    else
        for (int64_t j = 0; j < p->features; j++)
            to[j] = entry(p, p->values, i * p->stride + j);
}

static bool make_kernel(device_multiplier *s)
{
    const device_kernel *p = &s->p;
    const int64_t n = p->samples, m = p->features;
    double *rows = malloc((size_t)(n * m + 1) * sizeof *rows);
    for (int64_t i = 0; rows && i < n; i++)
        read_entries(p, i, rows + i * m);
    if (!p->is_gram) {
        s->K = rows;
        return rows != NULL;
    }
    s->K = calloc((size_t)(n * n), sizeof *s->K);
    for (int64_t i = 0; rows && s->K && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t f = 0; f < m; f++)
                s->K[i * n + j] += rows[i * m + f] * rows[j * m + f];
    free(rows);
    return rows && s->K;
}

static bool accepts(const device_kernel *p, char *message)
{
    const bool refused = p->is_gram && p->splits && p->start;
    if (refused)
        snprintf(message, DEVICE_MESSAGE, "takes no CSR data of mixed signs");
    return !refused;
}

static bool open_products(int device, const device_kernel *p, device_multiplier **state,
                          char *message)
{
    device_multiplier *s = calloc(1, sizeof *s);
    (void)device;
    *state = NULL;
    if (!s)
        return false;
    s->p = *p;
    if (!told_to_fail("kernel") && make_kernel(s)) {
        *state = s;
        return true;
    }
    snprintf(message, DEVICE_MESSAGE, "kernel was told to fail");
    close_products(s);
    return false;
}

static const char *message_of(const device_multiplier *s)
{
    return s->message;
}

static bool fails(device_multiplier *s, const char *verb)
{
    if (told_to_fail(verb))
        snprintf(s->message, sizeof s->message, "%s was told to fail", verb);
    return told_to_fail(verb);
}

static int64_t size_of(const device_multiplier *s)
{
    return s->p.samples * s->p.columns;
}

static void set(device_multiplier *s, int array, int64_t at, double value)
{
    s->arrays[array][at] = s->p.single ? (double)(float)value : value;
}

static bool make(device_multiplier *s, int *array)
{
    *array = s->count;
    s->arrays[s->count] = calloc((size_t)size_of(s), sizeof(double));
    return s->arrays[s->count++] != NULL;
}

static bool put(device_multiplier *s, int array, const void *rows, int64_t stride)
{
    const int64_t k = s->p.columns;
    for (int64_t e = 0; e < size_of(s); e++)
        s->arrays[array][e] = entry(&s->p, rows, e / k * stride + e % k);
    return true;
}

static bool get(device_multiplier *s, int array, void *rows, int64_t stride)
{
    const int64_t k = s->p.columns;
    for (int64_t e = 0; e < size_of(s); e++)
        if (s->p.single)
            ((float *)rows)[e / k * stride + e % k] = (float)s->arrays[array][e];
        else
            ((double *)rows)[e / k * stride + e % k] = s->arrays[array][e];
    return true;
}

static bool multiply(device_multiplier *s, int v, int plus, int minus)
{
    const int64_t n = s->p.samples, k = s->p.columns;
    if (fails(s, "multiply"))
        return false;
    for (int64_t e = 0; e < size_of(s); e++) {
        double above = 0, below = 0;
        for (int64_t l = 0; l < n; l++) {
            const double x = s->K[e / k * n + l], v_lj = s->arrays[v][l * k + e % k];
            above += (minus >= 0 ? fmax(x, 0) : x) * v_lj;
            below += fmax(-x, 0) * v_lj;
        }
        set(s, plus, e, above);
        if (minus >= 0)
            set(s, minus, e, below);
    }
    return true;
}

static bool gram(device_multiplier *s, int a, int b, double *small)
{
    const int64_t k = s->p.columns;
    if (fails(s, "gram"))
        return false;
    memset(small, 0, (size_t)(k * k) * sizeof *small);
    for (int64_t e = 0; e < size_of(s); e++)
        for (int64_t j = 0; j < k; j++)
            small[e % k * k + j] += s->arrays[a][e] * s->arrays[b][e / k * k + j];
    return true;
}

static bool dot(device_multiplier *s, int a, int b, double *value)
{
    *value = 0;
    for (int64_t e = 0; e < size_of(s); e++)
        *value += s->arrays[a][e] * s->arrays[b][e];
    return true;
}

/* Of entry e of an array times a small matrix. */
static double product_of(const device_multiplier *s, int a, const double *small, int64_t e)
{
    const int64_t k = s->p.columns;
    double total = 0;
    for (int64_t l = 0; l < k; l++)
        total += s->arrays[a][e / k * k + l] * small[l * k + e % k];
    return total;
}

static bool product(device_multiplier *s, int c, int a, const double *small, bool adds)
{
    for (int64_t e = 0; e < size_of(s); e++)
        set(s, c, e, product_of(s, a, small, e) + (adds ? s->arrays[c][e] : 0));
    return true;
}

static bool update(device_multiplier *s, int to, int u, const double *left, int v,
                   const double *right, double exponent, bool damps)
{
    double *next = malloc((size_t)size_of(s) * sizeof *next);
    for (int64_t e = 0; next && e < size_of(s); e++) {
        const double above = left ? product_of(s, u, left, e) : s->arrays[u][e],
                     ratio = above / fmax(product_of(s, v, right, e), 1e-100);
        next[e] = s->arrays[to][e] * (damps ? 0.5 + 0.5 * ratio : pow(ratio, exponent));
    }
    for (int64_t e = 0; next && e < size_of(s); e++)
        set(s, to, e, next[e]);
    free(next);
    return next != NULL;
}

static bool columns(device_multiplier *s, int a, bool squares, double *totals)
{
    const int64_t k = s->p.columns;
    memset(totals, 0, (size_t)k * sizeof *totals);
    for (int64_t e = 0; e < size_of(s); e++)
        totals[e % k] += s->arrays[a][e] * (squares ? s->arrays[a][e] : 1);
    return true;
}

static bool scale(device_multiplier *s, int a, const double *scales)
{
    for (int64_t e = 0; e < size_of(s); e++)
        set(s, a, e, s->arrays[a][e] * scales[e % s->p.columns]);
    return true;
}

static bool step(device_multiplier *s, int to, int from, int slope, double length)
{
    for (int64_t e = 0; e < size_of(s); e++)
        set(s, to, e, fmax(s->arrays[from][e] - length * s->arrays[slope][e], 0));
    return true;
}

const device_products host_products = {accepts, open_products, close_products, message_of, make,
                                       put,     get,           multiply,       gram,       dot,
                                       product, update,        columns,        scale,      step};
