/* Checksums of data: what xxh64sum gives, and the same digest for any pieces. */
#include "expect.h"

#include "core/xxh64.h"

static void fill(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)((i * 7 + 3) % 251);
}

/* Lengths on both sides of a word, a half one, and a block. */
static void test_lengths(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        const char *digest;
    } vectors[] = {{0, "ef46db3751d8e999"},  {1, "1f25c8d0bc1f4bb6"},  {3, "31d2363f52e564c9"},
                   {4, "9bb64b7d66ee9fda"},  {7, "9a7b149959ce60d8"},  {8, "dab99d95c6f90092"},
                   {14, "c7f1d4d0acfa5a14"}, {31, "a2aa5f33cc4a6119"}, {32, "23c3c17ef790fd97"},
                   {33, "50a7cfc7ba588784"}, {63, "f1438f15b9ed16e9"}, {64, "2cd990a1beed6894"},
                   {100, "778e26df8290f456"}};
    unsigned char bytes[100];
    fill(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        xxh64 hash;
        char digest[XXH64_DIGITS + 1];
        xxh64_begin(&hash, 0);
        xxh64_add(&hash, bytes, vectors[i].count);
        xxh64_end(&hash, digest);
        assert_string_equal(digest, vectors[i].digest);
    }
}

static void test_pieces(void **state)
{
    (void)state;
    unsigned char bytes[1000];
    char digest[XXH64_DIGITS + 1];
    fill(bytes, sizeof bytes);
    for (size_t piece = 1; piece < 100; piece++) {
        xxh64 hash;
        xxh64_begin(&hash, 0);
        for (size_t at = 0; at < sizeof bytes; at += piece)
            xxh64_add(&hash, bytes + at, piece < sizeof bytes - at ? piece : sizeof bytes - at);
        xxh64_end(&hash, digest);
        assert_string_equal(digest, "021f7a7424085ea4");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths),
                                       cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
