/* Responses by Fourier transforms. With f = 0.25 / sqrt(2)^u, theta = v pi / 8 and gamma = eta =
 * sqrt(2), as in the released code of GRPNMF (Bampis, Maragos, Bovik, ICIP 2016),
 *
 *     g(x, y) = f^2 / (2 pi) exp(-(f^2 / 2)(x^2 + y^2)) exp(i 2 pi f (x cos theta + y sin theta)),
 *
 * a Gaussian that is round, and so a product of a function of the row and one of the column: the
 * transform of a kernel is the product of two short ones, and a response costs one transform. */
#include "vision/gabor.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <pthread.h>

#include "core/memory.h"
#include "core/parallel.h"

#define PI 3.14159265358979323846

/* FFTW's planner has a state of its own for the whole process: one caller at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

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
    fftwf_complex *spectrum;       /* of the picture, divided by the number of entries */
    fftwf_complex *work;           /* one plane a thread */
    float *modulus;                /* one plane a thread */
    float complex *rows, *columns; /* transforms of the kernels' factors, one of each per filter */
    fftwf_plan inverse;
    gabor_receiver receive;
    void *user;
} bank;

/* The smallest length from `least` on that has no prime factor above 7. */
static int fast_length(int least)
{
    for (int length = least;; length++) {
        int rest = length;
        for (int prime = 2; prime <= 7; prime += prime == 2 ? 1 : 2)
            while (rest % prime == 0)
                rest /= prime;
        if (rest == 1)
            return length;
    }
}

/* The transform of a factor at all `length` frequencies: 39 terms each. */
static void transform_factor(double frequency, double phase, int length, float complex *to)
{
    for (int u = 0; u < length; u++) {
        double complex sum = 0.0;
        for (int d = -GABOR_RADIUS; d <= GABOR_RADIUS; d++)
            sum += factor_at(frequency, phase, d) * cexp(-I * 2.0 * PI * u * d / length);
        to[u] = (float complex)sum;
    }
}

static void transform_kernel(void *user, int64_t filter, int thread)
{
    const bank *b = user;
    const filter_shape s = shape_of((int)filter);
    (void)thread;
    transform_factor(s.frequency, s.row_phase, b->padded_height,
                     b->rows + filter * b->padded_height);
    transform_factor(s.frequency, s.column_phase, b->padded_width,
                     b->columns + filter * b->padded_width);
}

static void apply_filter(void *user, int64_t filter, int thread)
{
    const bank *b = user;
    const int64_t plane = (int64_t)b->padded_height * b->padded_width;
    const float complex *spectrum = (const float complex *)b->spectrum;
    float complex *work = (float complex *)b->work + thread * plane;
    float *modulus = b->modulus + (int64_t)thread * b->height * b->width;
    const float complex *columns = b->columns + filter * b->padded_width;
    for (int u = 0; u < b->padded_height; u++) {
        const float complex row = b->rows[filter * b->padded_height + u];
        const int64_t at = (int64_t)u * b->padded_width;
        for (int v = 0; v < b->padded_width; v++)
            work[at + v] = spectrum[at + v] * (row * columns[v]);
    }
    fftwf_execute_dft(b->inverse, (fftwf_complex *)work, (fftwf_complex *)work);
    for (int y = 0; y < b->height; y++)
        for (int x = 0; x < b->width; x++)
            modulus[(int64_t)y * b->width + x] = cabsf(work[(int64_t)y * b->padded_width + x]);
    b->receive(b->user, (int)filter, modulus);
}

/* Plans by estimate: measured ones could differ from run to run, and so would the last bits. */
static orthant_status transform_picture(orthant_context *ctx, bank *b, const float *plane)
{
    const int64_t entries = (int64_t)b->padded_height * b->padded_width;
    float complex *to = (float complex *)b->spectrum;
    pthread_mutex_lock(&planner);
    fftwf_plan forward = fftwf_plan_dft_2d(b->padded_height, b->padded_width, b->spectrum,
                                           b->spectrum, FFTW_FORWARD, FFTW_ESTIMATE);
    b->inverse = fftwf_plan_dft_2d(b->padded_height, b->padded_width, b->work, b->work,
                                   FFTW_BACKWARD, FFTW_ESTIMATE);
    pthread_mutex_unlock(&planner);
    if (forward && b->inverse) {
        for (int64_t p = 0; p < entries; p++)
            to[p] = 0.0f;
        for (int y = 0; y < b->height; y++)
            for (int x = 0; x < b->width; x++)
                to[(int64_t)y * b->padded_width + x] =
                    plane[(int64_t)y * b->width + x] / (float)entries;
        fftwf_execute(forward);
    }
    const bool planned = forward && b->inverse;
    pthread_mutex_lock(&planner);
    fftwf_destroy_plan(forward);
    pthread_mutex_unlock(&planner);
    return planned ? ORTHANT_OK
                   : fail(ctx, ORTHANT_ERROR_MEMORY,
                          "out of memory: no plan for a transform of "
                          "%d x %d",
                          b->padded_height, b->padded_width);
}

static orthant_status bank_make(orthant_context *ctx, bank *b)
{
    const int threads =
        parallel_threads(ctx) < GABOR_FILTERS ? parallel_threads(ctx) : GABOR_FILTERS;
    const int64_t entries = (int64_t)b->padded_height * b->padded_width;
    b->spectrum = memory_new(ctx, entries, sizeof *b->spectrum, "a picture's transform");
    b->work = memory_new(ctx, threads * entries, sizeof *b->work, "Gabor responses");
    b->modulus = memory_new(ctx, (int64_t)threads * b->height * b->width, sizeof *b->modulus,
                            "Gabor responses");
    b->rows = memory_new(ctx, (int64_t)GABOR_FILTERS * b->padded_height, sizeof *b->rows,
                         "Gabor kernels");
    b->columns = memory_new(ctx, (int64_t)GABOR_FILTERS * b->padded_width, sizeof *b->columns,
                            "Gabor kernels");
    return b->spectrum && b->work && b->modulus && b->rows && b->columns ? ORTHANT_OK
                                                                         : ORTHANT_ERROR_MEMORY;
}

static void bank_free(orthant_context *ctx, bank *b)
{
    if (b->inverse) {
        pthread_mutex_lock(&planner);
        fftwf_destroy_plan(b->inverse);
        pthread_mutex_unlock(&planner);
    }
    memory_free(ctx, b->spectrum);
    memory_free(ctx, b->work);
    memory_free(ctx, b->modulus);
    memory_free(ctx, b->rows);
    memory_free(ctx, b->columns);
}

orthant_status gabor_responses(orthant_context *ctx, const float *plane, int height, int width,
                               gabor_receiver receive, void *user)
{
    /* Zeros of a kernel's radius behind the picture keep its edges apart. */
    bank b = {.height = height,
              .width = width,
              .padded_height = fast_length(height + GABOR_RADIUS),
              .padded_width = fast_length(width + GABOR_RADIUS),
              .receive = receive,
              .user = user};
    orthant_status status = bank_make(ctx, &b);
    if (!status)
        status = transform_picture(ctx, &b, plane);
    if (!status) {
        parallel_for(ctx, GABOR_FILTERS, transform_kernel, &b);
        parallel_for(ctx, GABOR_FILTERS, apply_filter, &b);
    }
    bank_free(ctx, &b);
    return status;
}
