/* LZF: random bytes never leave the block, and known ones unpack. */
#include "fixture.h"

#include <stdlib.h>

#include "core/lzf.h"

/* Whatever the bytes are, nothing outside of the two blocks is touched: blocks of exact size, for
 * the sanitizer. */
static void test_lzf(void **state)
{
    (void)state;
    const unsigned char good[] = {2, 'a', 'b', 'c', 0xe0, 3, 2}; /* abc and 12 of it again */
    unsigned char *out = malloc(15);
    assert_true(lzf_unpack(good, sizeof good, out, 15));
    assert_memory_equal(out, "abcabcabcabcabc", 15);
    assert_int_equal(lzf_unpacked_size(good, sizeof good), 15);
    for (int64_t cut = 1; cut < 4; cut++)
        assert_int_equal(lzf_unpacked_size(good, cut), -1);
    assert_int_equal(lzf_unpacked_size(good, 4), 3);
    for (int64_t size = 0; size < 15; size++)
        assert_false(lzf_unpack(good, sizeof good, out, size));
    free(out);
    uint32_t number = 1;
    for (int trial = 0; trial < 20000; trial++) {
        const int64_t size = trial % 40, capacity = trial / 40 % 60;
        unsigned char *from = malloc((size_t)size + 1), *to = malloc((size_t)capacity + 1);
        for (int64_t i = 0; i < size; i++) {
            number = number * 1664525 + 1013904223;
            from[i] = (unsigned char)(number >> 24 & (trial % 3 ? 0x27 : 0xff));
        }
        const bool whole = lzf_unpack(from + (size == 0), size, to, capacity);
        const int64_t unpacked = lzf_unpacked_size(from + (size == 0), size);
        assert_true(unpacked >= -1 && unpacked <= LZF_TIGHTEST * size);
        if (whole)
            assert_int_equal(unpacked, capacity);
        free(from);
        free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lzf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
