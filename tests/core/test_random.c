/* Random123's published vectors of Philox 4x32-10, reached through the public functions: a column
 * that carries the stream's own tag takes it away again, so that every counter can be had. */
#include "expect.h"

#include <math.h>

#include "core/random.h"

typedef struct vector {
    uint32_t counter[4], key[2], answer[4];
} vector;

static const vector vectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static uint64_t join(const uint32_t words[2])
{
    return (uint64_t)words[1] << 32 | words[0];
}

static double unit(uint64_t word)
{
    return ((double)(word >> 11) + 0.5) * 0x1p-53;
}

static void test_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const vector *v = &vectors[i];
        const uint64_t first = join(v->answer), second = join(v->answer + 2);
        const uint64_t seed = join(v->key), row = join(v->counter);
        const uint64_t column = join(v->counter + 2) ^ (uint64_t)RANDOM_TEST << 56;
        assert_true(random_uniform(seed, RANDOM_TEST, row, column) == unit(first));
        assert_int_equal(random_below(seed, RANDOM_TEST, row, column, UINT64_C(1) << 32),
                         first >> 32);
        const double normal = sqrt(-2.0 * log(unit(first))) * cos(6.283185307179586 * unit(second));
        assert_true(random_normal(seed, RANDOM_TEST, row, column) == normal);
    }
}

static void test_range_and_moments(void **state)
{
    (void)state;
    double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
    const int count = 100000;
    int buckets[7] = {0};
    for (int i = 0; i < count; i++) {
        const double u = random_uniform(7, RANDOM_TEST, (uint64_t)i, 3);
        const double z = random_normal(7, RANDOM_TEST, (uint64_t)i, 4);
        const uint64_t b = random_below(7, RANDOM_TEST, (uint64_t)i, 5, 7);
        assert_true(u > 0.0 && u < 1.0 && isfinite(z) && b < 7);
        sum += u;
        squares += u * u;
        normal_sum += z;
        normal_squares += z * z;
        buckets[b]++;
    }
    /* Five standard errors of each mean. */
    assert_true(fabs(sum / count - 0.5) < 5 * 0.2887 / sqrt(count));
    assert_true(fabs(squares / count - 1.0 / 3) < 5 * 0.2981 / sqrt(count));
    assert_true(fabs(normal_sum / count) < 5 / sqrt(count));
    assert_true(fabs(normal_squares / count - 1) < 5 * 1.4142 / sqrt(count));
    for (int b = 0; b < 7; b++)
        assert_true(fabs(buckets[b] - count / 7.0) < 5 * sqrt(count / 7.0));
}

static void test_streams_rows_columns_and_seeds_differ(void **state)
{
    (void)state;
    const double base = random_uniform(1, RANDOM_BASIS, 2, 3);
    assert_true(base == random_uniform(1, RANDOM_BASIS, 2, 3));
    assert_true(base != random_uniform(2, RANDOM_BASIS, 2, 3));
    assert_true(base != random_uniform(1, RANDOM_ENCODING, 2, 3));
    assert_true(base != random_uniform(1, RANDOM_BASIS, 3, 3));
    assert_true(base != random_uniform(1, RANDOM_BASIS, 2, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_range_and_moments),
        cmocka_unit_test(test_streams_rows_columns_and_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
