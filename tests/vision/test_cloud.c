/* Files of points: every kind read, the result written and read again, and damage refused. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "vision/cloud.h"

#define MOST_MEMORY (1 << 20)

/* Three points: coloured, missing, coloured. */
static void check_three(const cloud *c)
{
    assert_int_equal(c->count, 3);
    assert_int_equal(c->kept, 2);
    assert_int_equal(c->keep[0], 0);
    assert_int_equal(c->keep[1], 2);
    assert_true(c->position[0] == 1.5 && c->position[1] == -2.0 && c->position[2] == 0.25);
    assert_true(isnan(c->position[3]));
    assert_true(c->position[6] == 4.0 && c->position[7] == 5.0 && c->position[8] == 6.0);
    const unsigned char colors[9] = {255, 128, 1, 0, 0, 0, 16, 32, 48};
    assert_non_null(c->color);
    assert_memory_equal(c->color, colors, 3);
    assert_memory_equal(c->color + 6, colors + 6, 3);
}

static const char pcd_head[] = "# .PCD v0.7 - Point Cloud Data file format\n"
                               "VERSION 0.7\nFIELDS x y z rgb label\nSIZE 4 4 4 4 4\n"
                               "TYPE F F F F U\nCOUNT 1 1 1 1 1\nWIDTH 3\nHEIGHT 1\n"
                               "VIEWPOINT 0 0 2.5 1 0 0 0\nPOINTS 3\nDATA ";

typedef struct bytes {
    unsigned char data[1000];
    size_t size;
} bytes;

static void add(bytes *to, const void *from, size_t size)
{
    assert_true(to->size + size <= sizeof to->data);
    memcpy(to->data + to->size, from, size);
    to->size += size;
}

static void add_text(bytes *to, const char *text)
{
    add(to, text, strlen(text));
}

static void add_number(bytes *to, const void *value, size_t size, bool big)
{
    const unsigned char *from = value;
    unsigned char turned[8];
    for (size_t i = 0; i < size; i++) /* the machine of the tests is little endian */
        turned[i] = from[big ? size - 1 - i : i];
    add(to, turned, size);
}

static void add_float(bytes *to, float value, bool big)
{
    add_number(to, &value, sizeof value, big);
}

static void add_uint(bytes *to, uint32_t value)
{
    add_number(to, &value, sizeof value, false);
}

static const float values[3][3] = {{1.5f, -2.0f, 0.25f}, {NAN, NAN, NAN}, {4.0f, 5.0f, 6.0f}};
static const uint32_t packed[3] = {0xff8001, 0, 0xff102030}, labels[3] = {21, 0, 7};

static bytes binary_pcd(void)
{
    bytes b = {.size = 0};
    add_text(&b, pcd_head);
    add_text(&b, "binary\n");
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++)
            add_float(&b, values[i][c], false);
        add_uint(&b, packed[i]);
        add_uint(&b, labels[i]);
    }
    return b;
}

/* Fields one behind the other, packed as literals, but for the last bytes: a back reference. */
static bytes compressed_pcd(void)
{
    bytes plain = {.size = 0}, lzf = {.size = 0}, b = {.size = 0};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            add_float(&plain, values[i][c], false);
    for (int i = 0; i < 3; i++)
        add_uint(&plain, packed[i]);
    for (int i = 0; i < 3; i++)
        add_uint(&plain, labels[i]);
    /* the last three zero bytes repeat the zeros of the second label, five bytes before */
    const size_t literal = plain.size - 3;
    for (size_t at = 0; at < literal;) {
        const size_t run = literal - at < 32 ? literal - at : 32;
        const unsigned char control = (unsigned char)(run - 1);
        add(&lzf, &control, 1);
        add(&lzf, plain.data + at, run);
        at += run;
    }
    const unsigned char back[2] = {1 << 5, 4};
    add(&lzf, back, 2);
    add_text(&b, pcd_head);
    add_text(&b, "binary_compressed\n");
    add_uint(&b, (uint32_t)lzf.size);
    add_uint(&b, (uint32_t)plain.size);
    add(&b, lzf.data, lzf.size);
    return b;
}

static bytes ascii_pcd(void)
{
    bytes b = {.size = 0};
    add_text(&b, pcd_head);
    /* a colour as a float of these bits, and as a whole number */
    add_text(&b, "ascii\n1.5 -2 0.25 2.34639707e-38 21\nnan nan nan 0 0\n4 5 6 1056816 7\n");
    return b;
}

static bytes ply(bool text, bool big)
{
    bytes b = {.size = 0};
    add_text(&b, "ply\nformat ");
    add_text(&b, text ? "ascii" : big ? "binary_big_endian" : "binary_little_endian");
    add_text(&b, " 1.0\ncomment made by hand\nelement camera 2\nproperty short a\n"
                 "property list uchar double b\nelement vertex 3\n"
                 "property float x\nproperty float y\nproperty float32 z\n"
                 "property list uchar uchar more\nproperty uchar red\nproperty uint8 green\n"
                 "property uchar blue\nproperty double quality\nproperty int label\n"
                 "element face 1\nproperty list uchar int vertex_indices\nend_header\n");
    if (text) {
        add_text(&b, "1 2 0.5 0.5\n-1 0\n1.5 -2 0.25 0 255 128 1 0.5 21\n"
                     "nan nan nan 2 9 9 0 0 0 0 0\n4 5 6 1 7 16 32 48 1e3 7\n3 0 1 2\n");
        return b;
    }
    const double half = 0.5;
    const int16_t numbers[2] = {1, -1};
    const unsigned char lists[2] = {2, 0};
    for (int i = 0; i < 2; i++) {
        add_number(&b, &numbers[i], 2, big);
        add(&b, &lists[i], 1);
        for (int j = 0; j < lists[i]; j++)
            add_number(&b, &half, 8, big);
    }
    const unsigned char colors[9] = {255, 128, 1, 0, 0, 0, 16, 32, 48}, more[3] = {0, 2, 1};
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++)
            add_float(&b, values[i][c], big);
        add(&b, &more[i], 1);
        add(&b, colors, more[i]);
        add(&b, colors + 3 * i, 3);
        add_number(&b, &half, 8, big);
        add_number(&b, &labels[i], 4, big);
    }
    const unsigned char corners = 3;
    add(&b, &corners, 1);
    for (int32_t i = 0; i < 3; i++)
        add_number(&b, &i, 4, big);
    return b;
}

static void check_file(orthant_context *ctx, const char *name, bytes b)
{
    cloud c;
    const char *path = files_write(name, b.data, b.size);
    assert_true(cloud_is_cloud(path));
    expect_ok(ctx, cloud_read(ctx, path, &c));
    check_three(&c);
    assert_non_null(c.label);
    assert_int_equal(c.label[0], 21);
    assert_int_equal(c.label[2], 7);
    assert_true(c.viewpoint[2] == (strstr(name, "pcd") ? 2.5 : 0.0));
    cloud_free(&c);
}

static void test_kinds(void **state)
{
    check_file(*state, "ascii.pcd", ascii_pcd());
    check_file(*state, "binary.pcd", binary_pcd());
    check_file(*state, "compressed.pcd", compressed_pcd());
    check_file(*state, "ascii.ply", ply(true, false));
    check_file(*state, "little.ply", ply(false, false));
    check_file(*state, "big.ply", ply(false, true));
    check_file(*state, "no-ending-pcd", binary_pcd());
}

static void try_reading(orthant_context *ctx, const char *name, const void *data, size_t size,
                        bool must_fail)
{
    cloud c;
    orthant_context_reset_peak_memory(ctx);
    const orthant_status status = cloud_read(ctx, files_write(name, data, size), &c);
    if (must_fail && status == ORTHANT_OK)
        fail_msg("%s was read although it is cut off at byte %zu", name, size);
    if (status != ORTHANT_OK)
        assert_true(orthant_message(ctx)[0] != '\0' && c.position == NULL);
    assert_true(orthant_context_peak_memory(ctx) < MOST_MEMORY);
    cloud_free(&c);
    assert_int_equal(orthant_context_memory(ctx), 0);
}

/* Cut off at every byte and with every byte changed. `end` bytes at the end may be missing. */
static void damage(orthant_context *ctx, const char *name, bytes b, size_t end)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    for (size_t size = 0; size < b.size; size++) {
        unsigned char *exact = malloc(size ? size : 1);
        memcpy(exact, b.data, size);
        try_reading(ctx, name, exact, size, size + end < b.size);
        free(exact);
    }
    for (size_t i = 0; i < b.size; i++)
        for (size_t k = 0; k < sizeof changes; k++) {
            bytes changed = b;
            changed.data[i] ^= changes[k];
            try_reading(ctx, name, changed.data, changed.size, false);
        }
}

static void test_damage(void **state)
{
    damage(*state, "a.pcd", ascii_pcd(), 2); /* "7\n": the last label may lose its end */
    damage(*state, "b.pcd", binary_pcd(), 0);
    damage(*state, "c.pcd", compressed_pcd(), 0);
    damage(*state, "a.ply", ply(true, false), 12);
    damage(*state, "l.ply", ply(false, false), 13);
    damage(*state, "b.ply", ply(false, true), 13);
}

static void expect_refusal(orthant_context *ctx, const char *text, const char *words)
{
    cloud c;
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, words,
                   cloud_read(ctx, files_write_text("refused", text), &c));
}

#define FIELDS "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n"

static void test_refusals(void **state)
{
    cloud c;
    expect_refusal(*state, "hello\n", "expected a PCD or a PLY");
    expect_refusal(*state, "FIELDS x y\nSIZE 4 4\nTYPE F F\nWIDTH 1\nHEIGHT 1\nDATA ascii\n1 2\n",
                   "no fields x, y and z");
    expect_refusal(*state, "FIELDS x y z\nSIZE 4 4\nTYPE F F F\nWIDTH 1\nDATA ascii\n1 2 3\n",
                   "3 fields with 2 sizes");
    expect_refusal(*state, "FIELDS x y z\nSIZE 4 4 3\n", ":2: found '3', expected a size");
    expect_refusal(*state, FIELDS "WIDTH 2\nHEIGHT 2\nPOINTS 5\nDATA ascii\n1 2 3\n",
                   "expected POINTS to be WIDTH times HEIGHT");
    expect_refusal(*state, FIELDS "POINTS 1000000000\nDATA binary\nabc", "for 1000000000 points");
    expect_refusal(*state, FIELDS "POINTS 2\nDATA ascii\n1 2 3\n4 5\n\n\n\n\n",
                   ":7: the line ends");
    expect_refusal(*state, FIELDS "POINTS 1\nDATA ascii\n1 two 3\n",
                   ":6: found 'two', expected a number");
    expect_refusal(*state, FIELDS "POINTS 1\nDATA zip\n", "expected DATA ascii, binary");
    expect_refusal(*state, "ply\nformat ascii 1.0\nelement face 0\nend_header\n",
                   "no element 'vertex'");
    expect_refusal(*state, "ply\nformat text 1.0\n", ":2: found 'text', expected format ascii");
    expect_refusal(*state,
                   "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\n"
                   "property float y\nproperty float z\nend_header\n1 2 3\n",
                   "for 99999999999 elements");
    expect_refusal(
        *state,
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty quaternion y\n",
        ":5: found ' quaternion y', expected property TYPE NAME");
    expect_failure(
        *state, ORTHANT_ERROR_DATA, "a cloud without points",
        cloud_read(*state, files_write_text("e.pcd", FIELDS "POINTS 0\nDATA ascii\n"), &c));
    expect_failure(*state, ORTHANT_ERROR_IO, "missing.pcd",
                   cloud_read(*state, files_path("missing.pcd"), &c));
}

static void refuse_bytes(orthant_context *ctx, bytes b, const char *words)
{
    cloud c;
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, words,
                   cloud_read(ctx, files_write("refused.pcd", b.data, b.size), &c));
}

/* 3 points of 20 bytes in 61 packed ones, behind both sizes. */
static void test_packed_refusals(void **state)
{
    const bytes whole = compressed_pcd();
    const size_t sizes = strlen(pcd_head) + strlen("binary_compressed\n");
    assert_int_equal(whole.size, sizes + 8 + 61);
    bytes b = whole;
    b.size -= 5;
    refuse_bytes(*state, b, "found 56 bytes of packed points, expected 61; the file is cut off");
    b.size = sizes + 7;
    refuse_bytes(*state, b, "the file ends before the two sizes of its packed points");
    b = whole;
    b.data[sizes + 4] += 4;
    refuse_bytes(*state, b,
                 "the packed points say that they are 64 bytes, expected 60 for 3 points");
    b = whole;
    b.data[sizes] -= 1;
    refuse_bytes(*state, b, "the packed points are damaged: they do not give 60 bytes");
}

static void test_write_and_read_again(void **state)
{
    cloud c, again;
    bytes b = binary_pcd();
    const int32_t found[3] = {1, -1, 0};
    const char *path = files_path("out.ply");
    expect_ok(*state, cloud_read(*state, files_write("in.pcd", b.data, b.size), &c));
    expect_ok(*state, cloud_write_ply(*state, &c, found, path));
    expect_ok(*state, cloud_read(*state, path, &again));
    assert_int_equal(again.count, 2);
    assert_int_equal(again.label[0], 1);
    assert_int_equal(again.label[1], 0);
    assert_true(again.position[0] == 1.5 && again.position[5] == 6.0);
    assert_memory_not_equal(again.color, again.color + 3, 3);
    cloud_free(&again);
    c.position[0] = 0.1; /* not a float */
    expect_ok(*state, cloud_write_ply(*state, &c, NULL, path));
    expect_ok(*state, cloud_read(*state, path, &again));
    assert_true(again.position[0] == 0.1);
    assert_null(again.label);
    assert_memory_equal(again.color, c.color, 3);
    cloud_free(&again);
    cloud_free(&c);
}

static void test_text_is_a_float_too(void **state)
{
    cloud c;
    expect_ok(*state,
              cloud_read(*state,
                         files_write_text("t.pcd", "FIELDS x y z\nSIZE 4 8 4\nTYPE F F F\n"
                                                   "POINTS 1\nDATA ascii\n0.1 0.1 -1e300\n"),
                         &c));
    assert_true(c.position[0] == (double)0.1f);
    assert_true(c.position[1] == 0.1);
    assert_int_equal(c.kept, 0); /* 1e300 is no place */
    cloud_free(&c);
}

static void test_render(void **state)
{
    bytes b = {.size = 0};
    cloud c;
    image picture;
    add_text(&b, "FIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F U\nWIDTH 2\nHEIGHT 2\nDATA ascii\n"
                 "0 0 1 16711680\n1 0 1 65280\n0 1 1 255\nnan 1 1 255\n");
    expect_ok(*state, cloud_read(*state, files_write("grid.pcd", b.data, b.size), &c));
    expect_ok(*state, cloud_render(*state, &c, NULL, 4, 4, &picture));
    const unsigned char red[3] = {255, 0, 0}, green[3] = {0, 255, 0}, white[3] = {255, 255, 255};
    assert_memory_equal(picture.pixels, red, 3);
    assert_memory_equal(picture.pixels + 3 * 3, green, 3);
    assert_memory_equal(picture.pixels + 3 * 15, white, 3);
    image_free(*state, &picture);
    c.width = 4; /* no grid any more: seen obliquely, all three points are there */
    c.height = 1;
    expect_ok(*state, cloud_render(*state, &c, NULL, 60, 0, &picture));
    int seen = 0;
    for (int64_t i = 0; i < (int64_t)picture.height * picture.width; i++)
        seen |= memcmp(picture.pixels + 3 * i, red, 3) == 0     ? 1
                : memcmp(picture.pixels + 3 * i, green, 3) == 0 ? 2
                                                                : 0;
    assert_int_equal(seen, 3);
    image_free(*state, &picture);
    c.kept = 1;
    expect_ok(*state, cloud_render(*state, &c, NULL, 0, 0, &picture));
    image_free(*state, &picture);
    c.kept = 0;
    expect_failure(*state, ORTHANT_ERROR_DATA, "nothing to draw",
                   cloud_render(*state, &c, NULL, 0, 0, &picture));
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_kinds),
        fixture_test(test_damage),
        fixture_test(test_refusals),
        fixture_test(test_packed_refusals),
        fixture_test(test_render),
        fixture_test(test_text_is_a_float_too),
        fixture_test(test_write_and_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
