/* XXH64 against the values of its reference implementation, and sums over rows against pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/checksum.h"

/* The reference's own test: bytes of a generator, lengths on both sides of each branch. */
static void test_known_values(void **state)
{
    static const struct {
        const char *text;
        uint64_t seed, expected;
    } known[] = {
        {"", 0, UINT64_C(0xEF46DB3751D8E999)},
        {"a", 0, UINT64_C(0xD24EC4F1A98C6E5B)},
        {"abc", 0, UINT64_C(0x44BC2CF5AD770999)},
        {"Nobody inspects the spammish repetition", 0, UINT64_C(0xFBCEA83C8A378BF1)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(checksum_bytes(known[i].text, strlen(known[i].text), known[i].seed) ==
                    known[i].expected);
}

/* Every bit counts, and so does the length. */
static void test_every_bit(void **state)
{
    unsigned char bytes[80] = {0};
    (void)state;
    for (size_t length = 1; length <= sizeof bytes; length++) {
        const uint64_t before = checksum_bytes(bytes, length, 1);
        assert_true(before != checksum_bytes(bytes, length - 1, 1));
        for (size_t bit = 0; bit < 8 * length; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(before != checksum_bytes(bytes, length, 1));
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

static void test_rows(void **state)
{
    float values[9][8];
    (void)state;
    for (int i = 0; i < 72; i++)
        values[i / 8][i % 8] = (float)i;
    const size_t row = 5 * sizeof(float), stride = 8 * sizeof(float);
    const uint64_t whole = checksum_rows(values, 0, 9, row, stride);
    for (int cut = 0; cut <= 9; cut++)
        assert_true(whole == checksum_rows(values, 0, cut, row, stride) +
                                 checksum_rows(values[0] + 8 * cut, cut, 9 - cut, row, stride));
    values[3][6] = -1; /* behind the row */
    assert_true(whole == checksum_rows(values, 0, 9, row, stride));
    memcpy(values[7], values[2], row); /* rows that change places */
    for (int j = 0; j < 5; j++)
        values[2][j] = (float)(7 * 8 + j);
    assert_true(whole != checksum_rows(values, 0, 9, row, stride));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
