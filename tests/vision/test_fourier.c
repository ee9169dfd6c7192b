/* Fast transforms against the sums that define them, in double precision. */
#include "fixture.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/random.h"
#include "vision/fourier.h"

#define PI 3.14159265358979323846

typedef struct sample {
    orthant_context *ctx;
    int height, width;
    fourier transform;
    complex_plane plane;
    double complex *expected;
    float *scratch;
} sample;

static void sample_make(orthant_context *ctx, int height, int width, sample *s)
{
    const int64_t entries = (int64_t)height * width;
    *s = (sample){.ctx = ctx, .height = height, .width = width};
    expect_ok(ctx, fourier_make(ctx, height, width, &s->transform));
    s->plane.real = memory_new(ctx, entries, sizeof(float), "a test");
    s->plane.imaginary = memory_new(ctx, entries, sizeof(float), "a test");
    s->expected = memory_new(ctx, entries, sizeof *s->expected, "a test");
    s->scratch = memory_new(ctx, fourier_scratch(&s->transform), sizeof(float), "a test");
    assert_true(s->plane.real && s->plane.imaginary && s->expected && s->scratch);
    for (int64_t i = 0; i < entries; i++) {
        s->plane.real[i] = (float)random_normal(5, RANDOM_TEST, (uint64_t)i, 0);
        s->plane.imaginary[i] = (float)random_normal(5, RANDOM_TEST, (uint64_t)i, 1);
    }
}

static void sample_free(sample *s)
{
    fourier_free(&s->transform);
    memory_free(s->ctx, s->plane.real);
    memory_free(s->ctx, s->plane.imaginary);
    memory_free(s->ctx, s->expected);
    memory_free(s->ctx, s->scratch);
}

/* `count` numbers that are `step` apart, by the definition. */
static void sum_axis(double complex *at, int count, int64_t step, double sign)
{
    double complex *made = calloc((size_t)count, sizeof *made);
    assert_non_null(made);
    for (int u = 0; u < count; u++)
        for (int r = 0; r < count; r++)
            made[u] += at[r * step] * cexp(sign * I * 2.0 * PI * ((double)r * u / count));
    for (int u = 0; u < count; u++)
        at[u * step] = made[u];
    free(made);
}

static void expect_by_definition(sample *s, double sign)
{
    for (int64_t i = 0; i < (int64_t)s->height * s->width; i++)
        s->expected[i] = (double)s->plane.real[i] + I * (double)s->plane.imaginary[i];
    for (int c = 0; c < s->width; c++)
        sum_axis(s->expected + c, s->height, s->width, sign);
    for (int r = 0; r < s->height; r++)
        sum_axis(s->expected + (int64_t)r * s->width, s->width, 1, sign);
}

/* The largest difference in the first `rows` rows, in parts of the largest entry. */
static double difference(const sample *s, int rows)
{
    double largest = 0.0, most = 0.0;
    for (int64_t i = 0; i < (int64_t)rows * s->width; i++) {
        const double complex found = (double)s->plane.real[i] + I * (double)s->plane.imaginary[i];
        most = fmax(most, cabs(found - s->expected[i]));
        largest = fmax(largest, cabs(s->expected[i]));
    }
    return most / largest;
}

/* Every radix first, last and repeated; panels that are full and such as are not. */
static const int shapes[][2] = {{1, 1},  {2, 3},   {4, 5},   {5, 4},   {8, 9},    {15, 16},
                                {16, 1}, {16, 18}, {27, 25}, {60, 36}, {125, 32}, {30, 243}};
#define SHAPES (sizeof shapes / sizeof *shapes)

static void forward_is_the_sum(void **state)
{
    for (size_t i = 0; i < SHAPES; i++) {
        sample s;
        sample_make(*state, shapes[i][0], shapes[i][1], &s);
        expect_by_definition(&s, -1.0);
        fourier_forward(&s.transform, s.plane, s.scratch);
        assert_true(difference(&s, s.height) <= 1e-6);
        sample_free(&s);
    }
}

static void inverse_is_the_sum_in_the_rows_asked_for(void **state)
{
    for (size_t i = 0; i < SHAPES; i++) {
        sample s;
        sample_make(*state, shapes[i][0], shapes[i][1], &s);
        const int rows = (s.height + 1) / 2;
        expect_by_definition(&s, 1.0);
        fourier_inverse(&s.transform, s.plane, rows, s.scratch);
        assert_true(difference(&s, rows) <= 1e-6);
        sample_free(&s);
    }
}

static void lengths_have_small_factors(void **state)
{
    fourier made;
    assert_int_equal(fourier_length(1), 1);
    assert_int_equal(fourier_length(7), 8);
    assert_int_equal(fourier_length(340), 360);
    assert_int_equal(fourier_length(500), 500);
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "length 14", fourier_make(*state, 8, 14, &made));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(forward_is_the_sum),
        fixture_test(inverse_is_the_sum_in_the_rows_asked_for),
        fixture_test(lengths_have_small_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
