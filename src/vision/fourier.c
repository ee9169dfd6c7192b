/* Stockham's form of the mixed-radix transform (C. Van Loan, Computational frameworks for the fast
 * Fourier transform, SIAM 1992, section 1.7): a pass of radix r takes a transform of length n to r
 * interleaved ones of length n / r, and the order comes right without a permutation. LANES rows or
 * columns go through the passes side by side, so that the innermost loops run over contiguous
 * floats and vectorise. */
#include "vision/fourier.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

#define PI 3.14159265358979323846
#define LANES 16

/* LANES complex numbers for every place of an axis: real parts, then imaginary ones. */
typedef struct panel {
    float *real, *imaginary;
} panel;

int fourier_length(int least)
{
    for (int length = least;; length++) {
        int rest = length;
        for (int prime = 2; prime <= 5; prime += prime == 2 ? 1 : 2)
            while (rest % prime == 0)
                rest /= prime;
        if (rest == 1)
            return length;
    }
}

static orthant_status axis_make(orthant_context *ctx, int length, fourier_axis *axis)
{
    static const int radix[] = {4, 2, 3, 5};
    int rest = length;
    *axis = (fourier_axis){.length = length};
    for (size_t i = 0; i < sizeof radix / sizeof *radix; i++)
        for (; rest % radix[i] == 0; rest /= radix[i])
            axis->factor[axis->count++] = radix[i];
    if (rest != 1)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a transform of length %d; expected a product of 2, 3 and 5", length);
    axis->root = memory_new(ctx, 2 * (int64_t)length, sizeof *axis->root, "roots of unity");
    if (!axis->root)
        return ORTHANT_ERROR_MEMORY;
    for (int t = 0; t < length; t++) {
        axis->root[2 * t] = (float)cos(2.0 * PI * t / length);
        axis->root[2 * t + 1] = (float)-sin(2.0 * PI * t / length);
    }
    return ORTHANT_OK;
}

orthant_status fourier_make(orthant_context *ctx, int height, int width, fourier *made)
{
    *made = (fourier){.ctx = ctx};
    orthant_status status = axis_make(ctx, height, &made->rows);
    if (!status)
        status = axis_make(ctx, width, &made->columns);
    if (status)
        fourier_free(made);
    return status;
}

void fourier_free(fourier *of)
{
    memory_free(of->ctx, of->rows.root);
    memory_free(of->ctx, of->columns.root);
    *of = (fourier){.ctx = of->ctx};
}

int64_t fourier_scratch(const fourier *of)
{
    const int longest = of->rows.length > of->columns.length ? of->rows.length : of->columns.length;
    return 4 * (int64_t)LANES * longest; /* two panels */
}

/* ---- butterflies ---------------------------------------------------------------------------- */

/* A butterfly of radix r reads `run` numbers at each of r places that are `step` apart, and writes
 * them to r places that are `run` apart, the k-th times w[k]. */
typedef struct butterfly {
    const float *restrict xr, *restrict xi;
    float *restrict yr, *restrict yi;
    int64_t step, run;
    float wr[5], wi[5];
} butterfly;

static void radix_2(const butterfly *b)
{
    const float *restrict xr = b->xr, *restrict xi = b->xi;
    float *restrict yr = b->yr, *restrict yi = b->yi;
    const int64_t step = b->step, run = b->run;
    const float wr = b->wr[1], wi = b->wi[1];
#pragma omp simd
    for (int64_t t = 0; t < run; t++) {
        const float dr = xr[t] - xr[t + step], di = xi[t] - xi[t + step];
        yr[t] = xr[t] + xr[t + step];
        yi[t] = xi[t] + xi[t + step];
        yr[t + run] = dr * wr - di * wi;
        yi[t + run] = dr * wi + di * wr;
    }
}

static void radix_3(const butterfly *b)
{
    const float *restrict xr = b->xr, *restrict xi = b->xi;
    float *restrict yr = b->yr, *restrict yi = b->yi;
    const int64_t step = b->step, run = b->run;
    const float w1r = b->wr[1], w1i = b->wi[1], w2r = b->wr[2], w2i = b->wi[2];
    const float sine = 0.866025403784438646764f; /* of 2 pi / 3 */
#pragma omp simd
    for (int64_t t = 0; t < run; t++) {
        const float sr = xr[t + step] + xr[t + 2 * step], si = xi[t + step] + xi[t + 2 * step];
        const float dr = sine * (xr[t + step] - xr[t + 2 * step]);
        const float di = sine * (xi[t + step] - xi[t + 2 * step]);
        const float mr = xr[t] - 0.5f * sr, mi = xi[t] - 0.5f * si;
        const float ar = mr + di, ai = mi - dr, br = mr - di, bi = mi + dr;
        yr[t] = xr[t] + sr;
        yi[t] = xi[t] + si;
        yr[t + run] = ar * w1r - ai * w1i;
        yi[t + run] = ar * w1i + ai * w1r;
        yr[t + 2 * run] = br * w2r - bi * w2i;
        yi[t + 2 * run] = br * w2i + bi * w2r;
    }
}

static void radix_4(const butterfly *b)
{
    const float *restrict xr = b->xr, *restrict xi = b->xi;
    float *restrict yr = b->yr, *restrict yi = b->yi;
    const int64_t step = b->step, run = b->run;
    const float w1r = b->wr[1], w1i = b->wi[1], w2r = b->wr[2], w2i = b->wi[2];
    const float w3r = b->wr[3], w3i = b->wi[3];
#pragma omp simd
    for (int64_t t = 0; t < run; t++) {
        const float er = xr[t] + xr[t + 2 * step], ei = xi[t] + xi[t + 2 * step];
        const float fr = xr[t] - xr[t + 2 * step], fi = xi[t] - xi[t + 2 * step];
        const float gr = xr[t + step] + xr[t + 3 * step], gi = xi[t + step] + xi[t + 3 * step];
        const float hr = xr[t + step] - xr[t + 3 * step], hi = xi[t + step] - xi[t + 3 * step];
        const float ar = fr + hi, ai = fi - hr, cr = fr - hi, ci = fi + hr;
        const float dr = er - gr, di = ei - gi;
        yr[t] = er + gr;
        yi[t] = ei + gi;
        yr[t + run] = ar * w1r - ai * w1i;
        yi[t + run] = ar * w1i + ai * w1r;
        yr[t + 2 * run] = dr * w2r - di * w2i;
        yi[t + 2 * run] = dr * w2i + di * w2r;
        yr[t + 3 * run] = cr * w3r - ci * w3i;
        yi[t + 3 * run] = cr * w3i + ci * w3r;
    }
}

static void radix_5(const butterfly *b)
{
    const float *restrict xr = b->xr, *restrict xi = b->xi;
    float *restrict yr = b->yr, *restrict yi = b->yi;
    const int64_t step = b->step, run = b->run;
    const float *wr = b->wr, *wi = b->wi;
    const float c1 = 0.309016994374947424102f, s1 = 0.951056516295153572116f;  /* of 2 pi / 5 */
    const float c2 = -0.809016994374947424102f, s2 = 0.587785252292473129169f; /* of 4 pi / 5 */
#pragma omp simd
    for (int64_t t = 0; t < run; t++) {
        const float pr = xr[t + step] + xr[t + 4 * step], pi = xi[t + step] + xi[t + 4 * step];
        const float qr = xr[t + step] - xr[t + 4 * step], qi = xi[t + step] - xi[t + 4 * step];
        const float ur = xr[t + 2 * step] + xr[t + 3 * step];
        const float ui = xi[t + 2 * step] + xi[t + 3 * step];
        const float vr = xr[t + 2 * step] - xr[t + 3 * step];
        const float vi = xi[t + 2 * step] - xi[t + 3 * step];
        const float mr = xr[t] + c1 * pr + c2 * ur, mi = xi[t] + c1 * pi + c2 * ui;
        const float nr = xr[t] + c2 * pr + c1 * ur, ni = xi[t] + c2 * pi + c1 * ui;
        const float dr = s1 * qr + s2 * vr, di = s1 * qi + s2 * vi;
        const float er = s2 * qr - s1 * vr, ei = s2 * qi - s1 * vi;
        yr[t] = xr[t] + pr + ur;
        yi[t] = xi[t] + pi + ui;
        yr[t + run] = (mr + di) * wr[1] - (mi - dr) * wi[1];
        yi[t + run] = (mr + di) * wi[1] + (mi - dr) * wr[1];
        yr[t + 2 * run] = (nr + ei) * wr[2] - (ni - er) * wi[2];
        yi[t + 2 * run] = (nr + ei) * wi[2] + (ni - er) * wr[2];
        yr[t + 3 * run] = (nr - ei) * wr[3] - (ni + er) * wi[3];
        yi[t + 3 * run] = (nr - ei) * wi[3] + (ni + er) * wr[3];
        yr[t + 4 * run] = (mr - di) * wr[4] - (mi + dr) * wi[4];
        yi[t + 4 * run] = (mr - di) * wi[4] + (mi + dr) * wr[4];
    }
}

/* ---- one panel --------------------------------------------------------------------------------
 */

/* `stride` interleaved transforms of length `n`, once through a pass of radix r. */
static void run_pass(const fourier_axis *axis, int radix, int n, int64_t stride, panel x, panel y)
{
    static void (*const run[])(const butterfly *) = {
        [2] = radix_2, [3] = radix_3, [4] = radix_4, [5] = radix_5};
    const int m = n / radix;
    const int64_t width = stride * LANES, apart = axis->length / n;
    butterfly b = {.step = m * width, .run = width};
    for (int p = 0; p < m; p++) {
        for (int k = 1; k < radix; k++) {
            const int64_t t = apart * p * k; /* below the length: p k < n */
            b.wr[k] = axis->root[2 * t];
            b.wi[k] = axis->root[2 * t + 1];
        }
        b.xr = x.real + p * width;
        b.xi = x.imaginary + p * width;
        b.yr = y.real + p * radix * width;
        b.yi = y.imaginary + p * radix * width;
        run[radix](&b);
    }
}

/* The forward transform of every lane of `x`; where it is after it: `x` or `y`. The inverse is the
 * same with real and imaginary parts exchanged. */
static panel run_passes(const fourier_axis *axis, panel x, panel y)
{
    int n = axis->length;
    int64_t stride = 1;
    for (int i = 0; i < axis->count; i++) {
        run_pass(axis, axis->factor[i], n, stride, x, y);
        n /= axis->factor[i];
        stride *= axis->factor[i];
        const panel swap = x;
        x = y;
        y = swap;
    }
    return x;
}

/* Two panels of zeros: lanes that the last rows or columns do not fill carry nothing on. */
static void take_panels(float *scratch, int length, panel *x, panel *y)
{
    const int64_t part = (int64_t)LANES * length;
    memset(scratch, 0, 4 * (size_t)part * sizeof *scratch);
    *x = (panel){scratch, scratch + part};
    *y = (panel){scratch + 2 * part, scratch + 3 * part};
}

/* ---- planes -----------------------------------------------------------------------------------
 */

static void transform_columns(const fourier *of, complex_plane plane, float *scratch)
{
    const int height = of->rows.length, width = of->columns.length;
    panel x, y;
    take_panels(scratch, height, &x, &y);
    for (int c = 0; c < width; c += LANES) {
        const size_t bytes = sizeof(float) * (size_t)(width - c < LANES ? width - c : LANES);
        for (int r = 0; r < height; r++) {
            memcpy(x.real + r * LANES, plane.real + (int64_t)r * width + c, bytes);
            memcpy(x.imaginary + r * LANES, plane.imaginary + (int64_t)r * width + c, bytes);
        }
        const panel made = run_passes(&of->rows, x, y);
        for (int r = 0; r < height; r++) {
            memcpy(plane.real + (int64_t)r * width + c, made.real + r * LANES, bytes);
            memcpy(plane.imaginary + (int64_t)r * width + c, made.imaginary + r * LANES, bytes);
        }
    }
}

/* The first `rows` rows. */
static void transform_rows(const fourier *of, complex_plane plane, int rows, float *scratch)
{
    const int width = of->columns.length;
    panel x, y;
    take_panels(scratch, width, &x, &y);
    for (int r = 0; r < rows; r += LANES) {
        const int lanes = rows - r < LANES ? rows - r : LANES;
        for (int lane = 0; lane < lanes; lane++) {
            const int64_t row = (int64_t)(r + lane) * width;
            for (int c = 0; c < width; c++) {
                x.real[c * LANES + lane] = plane.real[row + c];
                x.imaginary[c * LANES + lane] = plane.imaginary[row + c];
            }
        }
        const panel made = run_passes(&of->columns, x, y);
        for (int lane = 0; lane < lanes; lane++) {
            const int64_t row = (int64_t)(r + lane) * width;
            for (int c = 0; c < width; c++) {
                plane.real[row + c] = made.real[c * LANES + lane];
                plane.imaginary[row + c] = made.imaginary[c * LANES + lane];
            }
        }
    }
}

void fourier_forward(const fourier *of, complex_plane plane, float *scratch)
{
    transform_columns(of, plane, scratch);
    transform_rows(of, plane, of->rows.length, scratch);
}

void fourier_inverse(const fourier *of, complex_plane plane, int rows, float *scratch)
{
    const complex_plane exchanged = {plane.imaginary, plane.real};
    transform_columns(of, exchanged, scratch);
    transform_rows(of, exchanged, rows, scratch);
}
