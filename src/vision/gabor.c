/* Responses by Fourier transforms. With f = 0.25 / sqrt(2)^u, theta = v pi / 8 and gamma = eta =
 * sqrt(2), as in the released code of GRPNMF (Bampis, Maragos, Bovik, ICIP 2016),
 *
 *     g(x, y) = f^2 / (2 pi) exp(-(f^2 / 2)(x^2 + y^2)) exp(i 2 pi f (x cos theta + y sin theta)),
 *
 * a Gaussian that is round, and so a product of a function of the row and one of the column: the
 * transform of a kernel is the product of two short ones, and a response costs one transform. */
#include "vision/gabor.h"

#include <complex.h>
#include <math.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "vision/fourier.h"

#define PI 3.14159265358979323846

typedef struct filter_shape {
    double frequency, row_phase, column_phase; /* cycles a pixel */
} filter_shape;

static filter_shape shape_of(int filter)
{
    const double f = 0.25 / pow(sqrt(2.0), filter / GABOR_ORIENTATIONS);
    const double theta = (filter % GABOR_ORIENTATIONS) * PI / GABOR_ORIENTATIONS;
    return (filter_shape){f, f * cos(theta), f * sin(theta)};
}

/* One factor of the kernel, `phase` cycles a pixel; both have the root of the kernel's height. */
static double complex factor_at(double frequency, double phase, int offset)
{
    const double envelope =
        frequency / sqrt(2.0 * PI) * exp(-0.5 * frequency * frequency * offset * offset);
    return envelope * cexp(I * 2.0 * PI * phase * offset);
}

void gabor_kernel(int filter, int row, int column, double value[2])
{
    const filter_shape s = shape_of(filter);
    const double complex g =
        factor_at(s.frequency, s.row_phase, row) * factor_at(s.frequency, s.column_phase, column);
    value[0] = creal(g);
    value[1] = cimag(g);
}

typedef struct bank {
    int height, width; /* of the picture */
    int padded_height, padded_width;
    fourier transform;
    complex_plane spectrum; /* of the picture, divided by the number of entries */
    complex_plane rows;     /* transforms of the kernels' factors: filters x padded height */
    complex_plane columns;  /* filters x padded width */
    complex_plane work;     /* one plane per thread */
    float *modulus;         /* one plane per thread */
    float *scratch;         /* one per thread */
    gabor_receiver receive;
    void *user;
} bank;

/* The transform of a factor at all `length` frequencies: 39 terms each. */
static void transform_factor(double frequency, double phase, int length, float *real,
                             float *imaginary)
{
    for (int u = 0; u < length; u++) {
        double complex sum = 0.0;
        for (int d = -GABOR_RADIUS; d <= GABOR_RADIUS; d++)
            sum += factor_at(frequency, phase, d) * cexp(-I * 2.0 * PI * u * d / length);
        real[u] = (float)creal(sum);
        imaginary[u] = (float)cimag(sum);
    }
}

static void transform_kernel(void *user, int64_t filter, int thread)
{
    const bank *b = user;
    const filter_shape s = shape_of((int)filter);
    const int64_t row = filter * b->padded_height, column = filter * b->padded_width;
    (void)thread;
    transform_factor(s.frequency, s.row_phase, b->padded_height, b->rows.real + row,
                     b->rows.imaginary + row);
    transform_factor(s.frequency, s.column_phase, b->padded_width, b->columns.real + column,
                     b->columns.imaginary + column);
}

/* The spectrum times the kernel's: row u times (rows[u] columns). */
static void multiply_spectrum(const bank *b, int64_t filter, complex_plane to)
{
    const int width = b->padded_width;
    const float *cr = b->columns.real + filter * width, *ci = b->columns.imaginary + filter * width;
    for (int u = 0; u < b->padded_height; u++) {
        const float rr = b->rows.real[filter * b->padded_height + u];
        const float ri = b->rows.imaginary[filter * b->padded_height + u];
        const int64_t at = (int64_t)u * width;
        const float *restrict sr = b->spectrum.real + at, *restrict si = b->spectrum.imaginary + at;
        float *restrict real = to.real + at, *restrict imaginary = to.imaginary + at;
#pragma omp simd
        for (int v = 0; v < width; v++) {
            const float gr = rr * cr[v] - ri * ci[v], gi = rr * ci[v] + ri * cr[v];
            real[v] = sr[v] * gr - si[v] * gi;
            imaginary[v] = sr[v] * gi + si[v] * gr;
        }
    }
}

static void apply_filter(void *user, int64_t filter, int thread)
{
    const bank *b = user;
    const int64_t plane = (int64_t)b->padded_height * b->padded_width;
    const complex_plane work = {b->work.real + thread * plane, b->work.imaginary + thread * plane};
    float *modulus = b->modulus + (int64_t)thread * b->height * b->width;
    multiply_spectrum(b, filter, work);
    fourier_inverse(&b->transform, work, b->height,
                    b->scratch + thread * fourier_scratch(&b->transform));
    for (int y = 0; y < b->height; y++) {
        const float *real = work.real + (int64_t)y * b->padded_width;
        const float *imaginary = work.imaginary + (int64_t)y * b->padded_width;
        float *restrict to = modulus + (int64_t)y * b->width;
#pragma omp simd
        for (int x = 0; x < b->width; x++)
            to[x] = sqrtf(real[x] * real[x] + imaginary[x] * imaginary[x]);
    }
    b->receive(b->user, (int)filter, modulus);
}

static void transform_picture(bank *b, const float *plane)
{
    const float entries = (float)((int64_t)b->padded_height * b->padded_width);
    for (int y = 0; y < b->height; y++)
        for (int x = 0; x < b->width; x++)
            b->spectrum.real[(int64_t)y * b->padded_width + x] =
                plane[(int64_t)y * b->width + x] / entries;
    fourier_forward(&b->transform, b->spectrum, b->scratch);
}

static complex_plane plane_make(orthant_context *ctx, int64_t entries, const char *what)
{
    return (complex_plane){memory_new(ctx, entries, sizeof(float), what),
                           memory_new(ctx, entries, sizeof(float), what)};
}

static bool plane_made(complex_plane plane)
{
    return plane.real && plane.imaginary;
}

static void plane_free(orthant_context *ctx, complex_plane plane)
{
    memory_free(ctx, plane.real);
    memory_free(ctx, plane.imaginary);
}

static orthant_status bank_make(orthant_context *ctx, bank *b)
{
    const int threads =
        parallel_threads(ctx) < GABOR_FILTERS ? parallel_threads(ctx) : GABOR_FILTERS;
    const int64_t entries = (int64_t)b->padded_height * b->padded_width;
    const orthant_status status =
        fourier_make(ctx, b->padded_height, b->padded_width, &b->transform);
    if (status)
        return status;
    b->spectrum = plane_make(ctx, entries, "a picture's transform");
    b->rows = plane_make(ctx, (int64_t)GABOR_FILTERS * b->padded_height, "Gabor kernels");
    b->columns = plane_make(ctx, (int64_t)GABOR_FILTERS * b->padded_width, "Gabor kernels");
    b->work = plane_make(ctx, threads * entries, "Gabor responses");
    b->modulus = memory_new(ctx, (int64_t)threads * b->height * b->width, sizeof *b->modulus,
                            "Gabor responses");
    b->scratch = memory_new(ctx, threads * fourier_scratch(&b->transform), sizeof *b->scratch,
                            "Gabor responses");
    return plane_made(b->spectrum) && plane_made(b->rows) && plane_made(b->columns) &&
                   plane_made(b->work) && b->modulus && b->scratch
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

static void bank_free(orthant_context *ctx, bank *b)
{
    fourier_free(&b->transform);
    plane_free(ctx, b->spectrum);
    plane_free(ctx, b->rows);
    plane_free(ctx, b->columns);
    plane_free(ctx, b->work);
    memory_free(ctx, b->modulus);
    memory_free(ctx, b->scratch);
}

orthant_status gabor_responses(orthant_context *ctx, const float *plane, int height, int width,
                               gabor_receiver receive, void *user)
{
    /* Zeros of a kernel's radius behind the picture keep its edges apart. */
    bank b = {.height = height,
              .width = width,
              .padded_height = fourier_length(height + GABOR_RADIUS),
              .padded_width = fourier_length(width + GABOR_RADIUS),
              .receive = receive,
              .user = user};
    orthant_status status = bank_make(ctx, &b);
    if (!status) {
        transform_picture(&b, plane);
        parallel_for(ctx, GABOR_FILTERS, transform_kernel, &b);
        parallel_for(ctx, GABOR_FILTERS, apply_filter, &b);
    }
    bank_free(ctx, &b);
    return status;
}
