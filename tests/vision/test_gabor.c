/* Responses by Fourier transforms against sums over the kernel. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "vision/gabor.h"

enum { HEIGHT = 33, WIDTH = 52 };

typedef struct responses {
    float plane[HEIGHT * WIDTH];
    float modulus[GABOR_FILTERS][HEIGHT * WIDTH];
} responses;

static void keep(void *user, int filter, const float *modulus)
{
    responses *r = user;
    memcpy(r->modulus[filter], modulus, sizeof r->modulus[filter]);
}

static double direct(const responses *r, int filter, int y, int x)
{
    double real = 0.0, imaginary = 0.0;
    for (int v = 0; v < HEIGHT; v++)
        for (int u = 0; u < WIDTH; u++) {
            double g[2];
            if (abs(y - v) > GABOR_RADIUS || abs(x - u) > GABOR_RADIUS)
                continue;
            gabor_kernel(filter, y - v, x - u, g);
            real += g[0] * (double)r->plane[v * WIDTH + u];
            imaginary += g[1] * (double)r->plane[v * WIDTH + u];
        }
    return hypot(real, imaginary);
}

static void responses_are_convolutions(void **state)
{
    static responses r;
    static const int places[][2] = {{0, 0}, {0, WIDTH - 1}, {HEIGHT - 1, 0}, {16, 25}, {7, 44}};
    orthant_context *ctx = *state;
    for (int p = 0; p < HEIGHT * WIDTH; p++)
        r.plane[p] = (float)random_uniform(3, RANDOM_TEST, (uint64_t)p, 0);
    expect_ok(ctx, gabor_responses(ctx, r.plane, HEIGHT, WIDTH, keep, &r));
    for (int filter = 0; filter < GABOR_FILTERS; filter++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            const double expected = direct(&r, filter, places[i][0], places[i][1]);
            assert_true(fabs((double)r.modulus[filter][places[i][0] * WIDTH + places[i][1]] -
                             expected) <= 1e-5);
        }
}

/* g = f^2 / (2 pi) exp(-f^2 (x^2 + y^2) / 2) exp(i 2 pi f (x cos + y sin)), x down, y right. */
static void kernels_are_the_published_ones(void **state)
{
    double g[2];
    (void)state;
    gabor_kernel(0, 0, 0, g);
    assert_true(fabs(g[0] - (0.0625 / (2 * 3.14159265358979))) <= 1e-12);
    assert_true(fabs(g[1] - 0.0) <= 1e-12);
    gabor_kernel(0, 1, 0, g); /* a quarter of a period down */
    assert_true(fabs(g[0] - 0.0) <= 1e-12);
    assert_true(fabs(g[1] - (0.0625 / (2 * 3.14159265358979) * exp(-0.03125))) <= 1e-12);
    gabor_kernel(4, 5, 2, g); /* 90 degrees: the wave runs along the row */
    assert_true(fabs(g[0] - (-0.0625 / (2 * 3.14159265358979) * exp(-0.03125 * 29))) <= 1e-12);
    assert_true(fabs(g[1] - 0.0) <= 1e-12);
}

/* Stripes of eight pixels answer strongest at a frequency of 1/8, across their direction. */
static void stripes_find_their_filter(void **state)
{
    static responses r;
    for (int p = 0; p < HEIGHT * WIDTH; p++)
        r.plane[p] = 0.5f + 0.5f * (float)cos(2 * 3.14159265358979 * (p % WIDTH) / 8.0);
    expect_ok(*state, gabor_responses(*state, r.plane, HEIGHT, WIDTH, keep, &r));
    int strongest = 0;
    for (int filter = 0; filter < GABOR_FILTERS; filter++)
        if (r.modulus[filter][16 * WIDTH + 26] > r.modulus[strongest][16 * WIDTH + 26])
            strongest = filter;
    assert_int_equal(strongest, 2 * GABOR_ORIENTATIONS + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(responses_are_convolutions),
        fixture_test(kernels_are_the_published_ones),
        fixture_test(stripes_find_their_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
