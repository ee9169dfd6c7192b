/* Numbers for keys in the order in which they come, over several growths of the table. */
#include "fixture.h"

#include "core/numbering.h"

static int64_t key_of(int64_t i)
{
    return i % 3 == 0 ? -i : i % 3 == 1 ? i << 40 : INT64_MAX - i;
}

static void test_numbers_in_order(void **state)
{
    numbering of;
    int64_t number;
    numbering_begin(*state, &of);
    assert_int_equal(orthant_context_memory(*state), 0);
    for (int round = 0; round < 2; round++)
        for (int64_t i = 0; i < 1000; i++) {
            expect_ok(*state, numbering_take(&of, key_of(i), &number));
            assert_int_equal(number, i);
            assert_int_equal(of.count, round ? 1000 : i + 1);
            assert_true(of.slots >= 2 * of.count);
        }
    for (int64_t i = 0; i < 1000; i++)
        assert_true(of.key[i] == key_of(i));
    numbering_free(&of);
    assert_int_equal(of.count, 0);
    assert_null(of.key);
    expect_ok(*state, numbering_take(&of, 5, &number));
    assert_int_equal(number, 0);
    numbering_free(&of);
}

static void test_no_memory(void **state)
{
    numbering of;
    int64_t number = -7;
    numbering_begin(*state, &of);
    orthant_context_set_memory_limit(*state, 1200); /* the keys fit, their places do not */
    expect_failure(*state, ORTHANT_ERROR_MEMORY, "different labels",
                   numbering_take(&of, 5, &number));
    orthant_context_set_memory_limit(*state, 1 << 20);
    expect_ok(*state, numbering_take(&of, 5, &number));
    assert_int_equal(number, 0);
    numbering_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_numbers_in_order),
                                       fixture_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
