/* Checksums: the standard vectors, and the same digest for any pieces. */
#include "expect.h"

#include "core/sha256.h"

/* FIPS 180-4's examples. */
static void test_standard_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *digest;
    } vectors[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
         "mnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        sha256 hash;
        char digest[65];
        sha256_begin(&hash);
        sha256_add(&hash, vectors[i].text, strlen(vectors[i].text));
        sha256_end(&hash, digest);
        assert_string_equal(digest, vectors[i].digest);
    }
}

/* A million letters, in pieces of every length up to 200. */
static void test_pieces(void **state)
{
    (void)state;
    sha256 hash;
    char digest[65], letters[200];
    memset(letters, 'a', sizeof letters);
    sha256_begin(&hash);
    for (size_t left = 1000000, piece = 1; left > 0; piece = piece % 200 + 1) {
        const size_t now = piece < left ? piece : left;
        sha256_add(&hash, letters, now);
        left -= now;
    }
    sha256_end(&hash, digest);
    assert_string_equal(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_standard_vectors),
                                       cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
