/* Every file cut off at every byte, and with every byte changed: refused or read, never a crash,
 * never memory left or out of all proportion. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "core/memory.h"
#include "data/matrix.h"

#define MOST_MEMORY (4 << 20)

static void try_reading(orthant_context *ctx, const char *path, bool must_fail)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    orthant_context_reset_peak_memory(ctx);
    const orthant_status status = orthant_matrix_read(ctx, path, NULL, &matrix, &truth);
    if (must_fail && status == ORTHANT_OK)
        fail_msg("%s was read although it is cut off", path);
    if (status != ORTHANT_OK) {
        assert_true(orthant_message(ctx)[0] != '\0');
        assert_null(matrix);
        assert_null(truth);
    }
    assert_true(orthant_context_peak_memory(ctx) < MOST_MEMORY);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    expect_ok(ctx, orthant_labels_read(ctx, path, &truth) == ORTHANT_ERROR_MEMORY
                       ? ORTHANT_ERROR_MEMORY
                       : ORTHANT_OK);
    orthant_labels_free(truth);
    assert_int_equal(orthant_context_memory(ctx), 0);
}

/* `strict`: no shorter file is a good one. */
static void damage(orthant_context *ctx, const char *name, const unsigned char *bytes, size_t size,
                   bool strict)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    unsigned char *copy = malloc(size);
    assert_non_null(copy);
    for (size_t length = 0; length < size; length++)
        try_reading(ctx, files_write(name, bytes, length), strict);
    for (size_t i = 0; i < size; i++)
        for (size_t c = 0; c < sizeof changes; c++) {
            memcpy(copy, bytes, size);
            copy[i] ^= changes[c];
            try_reading(ctx, files_write(name, copy, size), false);
        }
    free(copy);
}

static void damage_fixture(orthant_context *ctx, const char *name)
{
    char path[100];
    size_t size;
    snprintf(path, sizeof path, "tests/data/fixtures/%s", name);
    unsigned char *bytes = files_read(fixture_path(path), &size);
    damage(ctx, name, bytes, size, true);
    free(bytes);
}

static void damage_text(orthant_context *ctx, const char *name, const char *text, bool strict)
{
    damage(ctx, name, (const unsigned char *)text, strlen(text), strict);
}

static void test_npy(void **state)
{
    damage_fixture(*state, "fortran.npy");
    damage_fixture(*state, "cube.npy");
    damage_fixture(*state, "version3.npy");
}

static void test_npz(void **state)
{
    damage_fixture(*state, "labelled.npz");
    damage_fixture(*state, "csr.npz");
    damage_fixture(*state, "csc.npz");
}

static void test_csv(void **state)
{
    damage_text(*state, "a.csv",
                "\xef\xbb\xbf"
                "a,\"b\",c\r\n1,2.5,-3e4\r\n# note\n0.1,\"7\",1e-9\n",
                false);
    damage_text(*state, "a.txt", "1 2\t3\n 4 5 6", false);
}

static void test_mtx(void **state)
{
    damage_text(*state, "a.mtx",
                "%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 2\n2 1 1.5\n3 3 2\n",
                false);
    damage_text(*state, "b.mtx", "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n",
                false);
}

static void test_idx(void **state)
{
    static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                                           0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    damage(*state, "images.idx", images, sizeof images, true);
    gzFile file = gzopen(files_path("whole.gz"), "wb");
    assert_int_equal(gzwrite(file, images, sizeof images), sizeof images);
    gzclose(file);
    size_t size;
    unsigned char *packed = files_read(files_path("whole.gz"), &size);
    damage(*state, "images.gz", packed, size, true);
    free(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_npy), fixture_test(test_npz), fixture_test(test_csv),
        fixture_test(test_mtx), fixture_test(test_idx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
