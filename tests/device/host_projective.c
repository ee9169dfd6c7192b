/* Projective methods of the device of plain loops, in double; single precision is rounded to after
 * each step. HOSTDEVICE_FAILS=step: a step cannot be made, open: it cannot begin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_device.h"

struct device_projective {
    device_projection p;
    double *H[2];               /* the last, the next */
    double *XH[2];              /* X'H, m x k */
    double *gram[2];            /* H'H */
    double *form[2];            /* H'K H */
    double *image, *neighbours; /* K H and A H of a row */
    char message[DEVICE_MESSAGE];
};

static bool told_to_fail(const char *verb)
{
    const char *given = getenv("HOSTDEVICE_FAILS");
    return given && !strcmp(given, verb);
}

static double entry(const device_projective *s, const void *values, int64_t at)
{
    return s->p.single ? (double)((const float *)values)[at] : ((const double *)values)[at];
}

static double sample(const device_projective *s, int64_t i, int64_t f)
{
    return entry(s, s->p.values, i * s->p.stride + f);
}

static void close_fit(device_projective *s)
{
    for (int i = 0; i < 2; i++) {
        free(s->H[i]);
        free(s->XH[i]);
        free(s->gram[i]);
        free(s->form[i]);
    }
    free(s->image);
    free(s->neighbours);
    free(s);
}

static bool accepts(const device_projection *p, char *message)
{
    (void)p;
    (void)message;
    return true;
}

static bool open_fit(int device, const device_projection *p, device_projective **state,
                     char *message)
{
    const size_t n = (size_t)p->samples, m = (size_t)p->features, k = (size_t)p->rank;
    device_projective *s = calloc(1, sizeof *s);
    (void)device;
    *state = NULL;
    if (!s)
        return false;
    s->p = *p;
    bool made = !told_to_fail("open");
    for (int i = 0; i < 2; i++) {
        s->H[i] = calloc(n * k, sizeof(double));
        s->XH[i] = calloc(m * k, sizeof(double));
        s->gram[i] = calloc(k * k, sizeof(double));
        s->form[i] = calloc(k * k, sizeof(double));
        made = made && s->H[i] && s->XH[i] && s->gram[i] && s->form[i];
    }
    s->image = calloc(k, sizeof(double));
    s->neighbours = calloc(k, sizeof(double));
    if (made && s->image && s->neighbours) {
        *state = s;
        return true;
    }
    snprintf(message, DEVICE_MESSAGE, "open was told to fail");
    close_fit(s);
    return false;
}

static const char *message_of(const device_projective *s)
{
    return s->message;
}

/* A H of a row, and half of what its edges add to the energy. */
static double visit(const device_projective *s, const double *H, int64_t i, double *to)
{
    const int64_t k = s->p.rank;
    double energy = 0;
    memset(to, 0, (size_t)k * sizeof *to);
    for (int64_t e = s->p.start ? s->p.start[i] : 0; s->p.start && e < s->p.start[i + 1]; e++)
        for (int64_t j = 0; j < k; j++) {
            const double weight = entry(s, s->p.weights, e), other = H[s->p.column[e] * k + j],
                         apart = H[i * k + j] - other;
            to[j] += weight * other;
            energy += weight * apart * apart / 2;
        }
    return energy;
}

static void make_sums(device_projective *s, projective_sums *sums)
{
    const int64_t n = s->p.samples, m = s->p.features, k = s->p.rank;
    double *H = s->H[1], *XH = s->XH[1], *gram = s->gram[1], *form = s->form[1];
    *sums = (projective_sums){0};
    memset(XH, 0, (size_t)(m * k) * sizeof *XH);
    memset(gram, 0, (size_t)(k * k) * sizeof *gram);
    memset(form, 0, (size_t)(k * k) * sizeof *form);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < k; j++) {
            H[i * k + j] = s->p.single ? (double)(float)H[i * k + j] : H[i * k + j];
            for (int64_t f = 0; f < m; f++)
                XH[f * k + j] += sample(s, i, f) * H[i * k + j];
        }
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++)
                gram[a * k + b] += H[i * k + a] * H[i * k + b];
    }
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            for (int64_t f = 0; f < m; f++)
                form[a * k + b] += XH[f * k + a] * XH[f * k + b];
            sums->trace += a == b ? form[a * k + b] : 0;
            sums->fitted += form[a * k + b] * gram[a * k + b];
        }
    for (int64_t i = 0; i < n; i++)
        sums->energy += visit(s, H, i, s->neighbours);
}

static bool put(device_projective *s, const void *rows, int64_t stride, projective_sums *sums)
{
    for (int64_t i = 0; i < s->p.samples; i++)
        for (int64_t j = 0; j < s->p.rank; j++)
            s->H[1][i * s->p.rank + j] = entry(s, rows, i * stride + j);
    make_sums(s, sums);
    return true;
}

static bool step(device_projective *s, double exponent, projective_sums *sums)
{
    const int64_t k = s->p.rank;
    const double *H = s->H[0], *gram = s->gram[0], *form = s->form[0];
    if (told_to_fail("step")) {
        snprintf(s->message, sizeof s->message, "step was told to fail");
        return false;
    }
    for (int64_t i = 0; i < s->p.samples; i++) {
        visit(s, H, i, s->neighbours);
        memset(s->image, 0, (size_t)k * sizeof *s->image);
        for (int64_t f = 0; f < s->p.features; f++)
            for (int64_t j = 0; j < k; j++)
                s->image[j] += sample(s, i, f) * s->XH[0][f * k + j];
        for (int64_t j = 0; j < k; j++) {
            const double lambda = s->p.start ? s->p.graph_weight : 0, h = H[i * k + j];
            double above = 2 * s->image[j] + lambda * s->neighbours[j],
                   below = s->p.start ? lambda * s->p.degree[i] * h : 0;
            for (int64_t l = 0; l < k; l++)
                below += H[i * k + l] * form[l * k + j] + s->image[l] * gram[l * k + j];
            s->H[1][i * k + j] = h * pow(above / fmax(below, 1e-30), exponent);
        }
    }
    make_sums(s, sums);
    return true;
}

static bool scale(device_projective *s, double factor, projective_sums *sums)
{
    for (int64_t e = 0; e < s->p.samples * s->p.rank; e++)
        s->H[1][e] *= factor;
    make_sums(s, sums);
    return true;
}

static void exchange(double **pair)
{
    double *first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
}

static bool take(device_projective *s)
{
    exchange(s->H);
    exchange(s->XH);
    exchange(s->gram);
    exchange(s->form);
    return true;
}

static bool get(device_projective *s, void *rows, int64_t stride)
{
    for (int64_t i = 0; i < s->p.samples; i++)
        for (int64_t j = 0; j < s->p.rank; j++) {
            const double value = s->H[0][i * s->p.rank + j];
            if (s->p.single)
                ((float *)rows)[i * stride + j] = (float)value;
            else
                ((double *)rows)[i * stride + j] = value;
        }
    return true;
}

static bool loss(device_projective *s, double *value)
{
    *value = 0;
    for (int64_t i = 0; i < s->p.samples; i++)
        for (int64_t f = 0; f < s->p.features; f++) {
            double left = sample(s, i, f);
            for (int64_t j = 0; j < s->p.rank; j++)
                left -= s->H[0][i * s->p.rank + j] * s->XH[0][f * s->p.rank + j];
            *value += left * left;
        }
    return true;
}

const device_projections host_projections = {accepts, open_fit, close_fit, message_of, put,
                                             step,    scale,    take,      get,        loss};
