/* Lab against known values, and gradients of simple reliefs. */
#include "fixture.h"

#include <math.h>

#include "core/memory.h"
#include "vision/colour.h"
#include "vision/gradient.h"

static void lab_has_known_values(void **state)
{
    static const struct {
        unsigned char rgb[3];
        double lab[3];
    } known[] = {
        {{255, 0, 0}, {53.2408, 80.0925, 67.2032}},
        {{0, 255, 0}, {87.7347, -86.1827, 83.1793}},
        {{0, 0, 255}, {32.2970, 79.1875, -107.8602}},
        {{128, 128, 128}, {53.5850, 0, 0}},
        {{12, 34, 56}, {12.6562, 0.1226, -16.8332}},
        {{0, 0, 0}, {0, 0, 0}},
        {{255, 255, 255}, {100, 0, 0}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        unsigned char pixel[3];
        float *lab = NULL;
        memcpy(pixel, known[i].rgb, sizeof pixel);
        const image one = {1, 1, 3, pixel, NULL};
        expect_ok(*state, colour_planes(*state, &one, &lab));
        for (int c = 0; c < 3; c++)
            if (fabs((double)lab[c] - known[i].lab[c]) > 6e-4)
                fail_msg("colour %zu, channel %d: %.5f, expected %.5f", i, c, (double)lab[c],
                         known[i].lab[c]);
        memory_free(*state, lab);
    }
}

static double curve(double t)
{
    return t > 216.0 / 24389.0 ? cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
}

static void reference_lab(const unsigned char *rgb, double lab[3])
{
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = rgb[i] <= 10 ? rgb[i] / 255.0 / 12.92 : pow((rgb[i] / 255.0 + 0.055) / 1.055, 2.4);
    const double x = curve((0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2]) / 0.95047);
    const double y = curve(0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2]);
    const double z = curve((0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2]) / 1.08883);
    lab[0] = 116.0 * y - 16.0;
    lab[1] = 500.0 * (x - y);
    lab[2] = 200.0 * (y - z);
}

/* Every third value of each channel, rows that are no whole number of chunks. */
static void every_colour_is_near_its_reference(void **state)
{
    enum { STEPS = 86, PIXELS = STEPS * STEPS * STEPS };
    unsigned char *pixels = test_malloc(3 * PIXELS);
    const image all = {STEPS * STEPS, STEPS, 3, pixels, NULL};
    float *planes = NULL;
    double worst = 0.0;
    for (int p = 0; p < PIXELS; p++) {
        pixels[3 * p] = (unsigned char)(3 * (p % STEPS));
        pixels[3 * p + 1] = (unsigned char)(3 * (p / STEPS % STEPS));
        pixels[3 * p + 2] = (unsigned char)(3 * (p / STEPS / STEPS));
    }
    expect_ok(*state, colour_planes(*state, &all, &planes));
    for (int p = 0; p < PIXELS; p++) {
        double lab[3];
        reference_lab(pixels + 3 * p, lab);
        for (int c = 0; c < 3; c++)
            worst = fmax(worst, fabs((double)planes[(int64_t)c * PIXELS + p] - lab[c]));
    }
    if (worst > 2e-4)
        fail_msg("off by %g", worst);
    memory_free(*state, planes);
    test_free(pixels);
}

static void planes_hold_each_pixel(void **state)
{
    orthant_context *ctx = *state;
    unsigned char pixels[] = {255, 0, 0, 12, 34, 56}, grey[] = {128, 0};
    const image coloured = {1, 2, 3, pixels, NULL}, plain = {1, 2, 1, grey, NULL};
    float *planes = NULL;
    expect_ok(ctx, colour_planes(ctx, &coloured, &planes));
    assert_float_equal(planes[0], 53.2408f, 1e-3);
    assert_float_equal(planes[1], 12.6562f, 1e-3);
    assert_float_equal(planes[5], -16.8332f, 1e-3);
    memory_free(ctx, planes);
    expect_ok(ctx, colour_planes(ctx, &plain, &planes));
    assert_float_equal(planes[0], 53.5850f, 1e-3);
    assert_true(planes[2] == 0.0f && planes[4] == 0.0f);
    memory_free(ctx, planes);
}

/* 16 bits where 8 say the same give the same planes; between two of 8 bits lies what is between. */
static void deep_pictures_have_finer_planes(void **state)
{
    orthant_context *ctx = *state;
    unsigned char pixels[] = {255, 0, 7, 12, 34, 56};
    uint16_t deep[6];
    for (int i = 0; i < 6; i++)
        deep[i] = (uint16_t)(257 * pixels[i]);
    const image plain = {1, 2, 3, pixels, NULL}, same = {1, 2, 3, pixels, deep};
    float *few = NULL, *many = NULL;
    expect_ok(ctx, colour_planes(ctx, &plain, &few));
    expect_ok(ctx, colour_planes(ctx, &same, &many));
    for (int i = 0; i < 6; i++)
        assert_float_equal(many[i], few[i], 1e-4);
    memory_free(ctx, many);
    deep[5] += 128;
    expect_ok(ctx, colour_planes(ctx, &same, &many));
    assert_true(many[5] < few[5] - 0.1f && many[5] > few[5] - 1.0f);
    memory_free(ctx, many);
    memory_free(ctx, few);
    expect_ok(ctx, colour_grey(ctx, &same, &many));
    assert_float_equal(many[1], (0.2989 * 12 + 0.5870 * 34 + 0.1140 * (56 + 128 / 257.0)) / 255,
                       1e-6);
    memory_free(ctx, many);
}

static void a_ramp_has_one_slope(void **state)
{
    enum { HEIGHT = 5, WIDTH = 6 };
    float plane[HEIGHT * WIDTH], magnitude[HEIGHT * WIDTH];
    for (int p = 0; p < HEIGHT * WIDTH; p++)
        plane[p] = 0.25f * (float)(p % WIDTH) - 0.5f * (float)(p / WIDTH);
    gradient_magnitude(*state, plane, HEIGHT, WIDTH, magnitude);
    /* Sobel's differences are eight times the slope; at an edge half of it is seen. */
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++)
            assert_float_equal(magnitude[y * WIDTH + x], 8 * sqrtf(0.3125f), 1e-5);
    assert_float_equal(magnitude[2 * WIDTH], sqrtf(1 + 16), 1e-5);
}

static void smoothing_keeps_constants_and_spreads_a_point(void **state)
{
    enum { SIDE = 15 };
    float plane[SIDE * SIDE];
    for (int p = 0; p < SIDE * SIDE; p++)
        plane[p] = 3.0f;
    expect_ok(*state, gradient_smooth(*state, plane, SIDE, SIDE, 1.5));
    for (int p = 0; p < SIDE * SIDE; p++)
        assert_float_equal(plane[p], 3.0f, 1e-5);
    memset(plane, 0, sizeof plane);
    plane[7 * SIDE + 7] = 1.0f;
    expect_ok(*state, gradient_smooth(*state, plane, SIDE, SIDE, 1.5));
    assert_float_equal(plane[7 * SIDE + 8] / plane[7 * SIDE + 7], expf(-0.5f / 2.25f), 1e-5);
    assert_float_equal(plane[5 * SIDE + 7], plane[7 * SIDE + 9], 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(lab_has_known_values),
        fixture_test(every_colour_is_near_its_reference),
        fixture_test(planes_hold_each_pixel),
        fixture_test(deep_pictures_have_finer_planes),
        fixture_test(a_ramp_has_one_slope),
        fixture_test(smoothing_keeps_constants_and_spreads_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
