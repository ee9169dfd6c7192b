/* The directory of an archive, byte by byte: what is found in it and what is refused. */
#include "fixture.h"

#include <stdlib.h>

#include "data/zip.h"

/* X.npy and y.npy, stored; the directory stands in front of the last 22 bytes. */
typedef struct held {
    unsigned char *bytes;
    size_t size, directory, second; /* where the directory and its second entry begin */
} held;

static uint32_t number(const unsigned char *bytes, int size)
{
    uint32_t value = 0;
    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static held read_archive(void)
{
    held h;
    h.bytes = files_read(fixture_path("tests/data/fixtures/labelled.npz"), &h.size);
    h.directory = number(h.bytes + h.size - 6, 4);
    h.second = h.directory + 46 + number(h.bytes + h.directory + 28, 2) +
               number(h.bytes + h.directory + 30, 2) + number(h.bytes + h.directory + 32, 2);
    return h;
}

static void test_members(void **state)
{
    orthant_context *ctx = *state;
    const held h = read_archive();
    zip_archive archive;
    expect_ok(ctx, zip_open(ctx, files_write("good.npz", h.bytes, h.size), &archive));
    assert_int_equal(archive.count, 2);
    assert_string_equal(archive.members[0].name, "X");
    assert_string_equal(archive.members[1].name, "y");
    assert_ptr_equal(zip_find(&archive, "y"), &archive.members[1]);
    assert_null(zip_find(&archive, "y.npy"));
    assert_null(zip_find(&archive, ""));
    for (int i = 0; i < 2; i++) {
        const unsigned char *entry = h.bytes + (i ? h.second : h.directory);
        const stream_part part = archive.members[i].part;
        const size_t local = number(entry + 42, 4);
        assert_int_equal(part.packed, number(entry + 20, 4));
        assert_int_equal(part.plain, number(entry + 24, 4));
        assert_int_equal(part.crc, number(entry + 16, 4));
        assert_int_equal(part.deflated, number(entry + 10, 2) == 8);
        assert_int_equal(part.offset, local + 30 + number(h.bytes + local + 26, 2) +
                                          number(h.bytes + local + 28, 2));
    }
    zip_close(&archive);
    assert_null(zip_find(&archive, "X"));
    free(h.bytes);
}

/* A comment of up to 65535 bytes may stand behind the end record. */
static void test_comments(void **state)
{
    orthant_context *ctx = *state;
    const held h = read_archive();
    unsigned char *longer = calloc(h.size + 65536, 1);
    zip_archive archive;
    memcpy(longer, h.bytes, h.size);
    static const size_t lengths[] = {1, 65535};
    for (int i = 0; i < 2; i++) {
        expect_ok(ctx,
                  zip_open(ctx, files_write("comment.npz", longer, h.size + lengths[i]), &archive));
        assert_int_equal(archive.count, 2);
        zip_close(&archive);
    }
    expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                   "comment.npz: not a zip archive, or it is cut off: no end record found",
                   zip_open(ctx, files_write("comment.npz", longer, h.size + 65536), &archive));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "no end record found",
                   zip_open(ctx, files_write("short.npz", "PK\5\6", 4), &archive));
    free(longer);
    free(h.bytes);
}

static void test_damage(void **state)
{
    orthant_context *ctx = *state;
    /* `at` counts from the directory's first entry (0) or its second (1), from the end record (2)
     * or from the first member (3). */
    static const struct {
        int from, at;
        const char *bytes;
        int count;
        orthant_status status;
        const char *words;
    } cases[] = {
        {0, 8, "\1", 1, ORTHANT_ERROR_UNSUPPORTED, "d.npz: 'X' is encrypted"},
        {1, 8, "\1", 1, ORTHANT_ERROR_UNSUPPORTED, "d.npz: 'y' is encrypted"},
        {1, 10, "\x0c\0", 2, ORTHANT_ERROR_UNSUPPORTED,
         "'y' is packed by method 12, expected 0 (stored) or 8 (deflate)"},
        {0, 10, "\1", 1, ORTHANT_ERROR_UNSUPPORTED, "'X' is packed by method 1,"},
        {0, 20, "\xff\xff\xff\xff", 4, ORTHANT_ERROR_UNSUPPORTED,
         "'X' is a zip64 member (4 GiB or more), which is not supported"},
        {1, 24, "\xff\xff\xff\xff", 4, ORTHANT_ERROR_UNSUPPORTED, "'y' is a zip64 member"},
        {0, 42, "\xff\xff\xff\xff", 4, ORTHANT_ERROR_UNSUPPORTED, "'X' is a zip64 member"},
        {2, 10, "\xff\xff", 2, ORTHANT_ERROR_UNSUPPORTED, "a zip64 archive (4 GiB or more)"},
        {2, 12, "\xff\xff\xff\xff", 4, ORTHANT_ERROR_UNSUPPORTED, "a zip64 archive"},
        {2, 16, "\xff\xff\xff\xff", 4, ORTHANT_ERROR_UNSUPPORTED, "a zip64 archive"},
        {0, 0, "PK\1\3", 4, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {1, 0, "PQ", 2, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {1, 28, "\xff", 1, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {1, 30, "\xff", 1, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {1, 32, "\xff", 1, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {0, 42, "\xff\xff\xff\x7f", 4, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {0, 42, "\1\0\0\0", 4, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {2, 10, "\3", 1, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {3, 0, "PK\3\5", 4, ORTHANT_ERROR_FORMAT, "the archive's directory is damaged"},
        {0, 20, "\0\0\0\1", 4, ORTHANT_ERROR_FORMAT, "'X' is cut off: found "},
        {3, 28, "\xff\xff", 2, ORTHANT_ERROR_FORMAT, "'X' is cut off: found 0 bytes, expected "},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const held h = read_archive();
        zip_archive archive;
        const size_t from[] = {h.directory, h.second, h.size - 22, 0};
        memcpy(h.bytes + from[cases[c].from] + cases[c].at, cases[c].bytes, (size_t)cases[c].count);
        expect_failure(ctx, cases[c].status, cases[c].words,
                       zip_open(ctx, files_write("d.npz", h.bytes, h.size), &archive));
        assert_int_equal(archive.count, 0);
        assert_null(archive.members);
        free(h.bytes);
    }
}

/* Names that do not end in ".npy" stay as they are, and ".npy" alone is a name. */
static void test_names(void **state)
{
    orthant_context *ctx = *state;
    const held h = read_archive();
    zip_archive archive;
    memcpy(h.bytes + h.directory + 46, "X.npz", 5);
    expect_ok(ctx, zip_open(ctx, files_write("n.npz", h.bytes, h.size), &archive));
    assert_non_null(zip_find(&archive, "X.npz"));
    assert_non_null(zip_find(&archive, "y"));
    zip_close(&archive);
    memcpy(h.bytes + h.directory + 46, ".npy\0", 5);
    expect_ok(ctx, zip_open(ctx, files_write("n.npz", h.bytes, h.size), &archive));
    assert_non_null(zip_find(&archive, ".npy"));
    zip_close(&archive);
    free(h.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_members), fixture_test(test_comments),
                                       fixture_test(test_damage), fixture_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
