/* Pictures: PNG, TIFF, JPEG and PNM, limits, damage, resizing and writing. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "data/image.h"

static const char *fixture(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/data/fixtures/%s", name);
    return fixture_path(path);
}

/* The pictures of the fixtures, 5 x 7, as make_images.py has them. */
static int red(int y)
{
    return 40 * y;
}

static int green(int x)
{
    return 30 * x;
}

static int blue(int y, int x)
{
    return 255 - 20 * (x + y);
}

static int grey(int y, int x)
{
    return 30 * y + 10 * x;
}

static void check_colour(orthant_context *ctx, const char *name, int transparent_columns)
{
    image picture;
    expect_ok(ctx, image_read(ctx, fixture(name), 3, &picture));
    assert_true(picture.height == 5 && picture.width == 7 && picture.channels == 3);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++) {
            const unsigned char *pixel = picture.pixels + (y * 7 + x) * 3;
            const bool black = x < transparent_columns;
            assert_int_equal(pixel[0], black ? 0 : red(y));
            assert_int_equal(pixel[1], black ? 0 : green(x));
            assert_int_equal(pixel[2], black ? 0 : blue(y, x));
        }
    image_free(ctx, &picture);
    expect_ok(ctx, image_read(ctx, fixture(name), 1, &picture));
    assert_int_equal(picture.channels, 1);
    for (int y = 0; y < 5; y++)
        for (int x = transparent_columns; x < 7; x++)
            assert_int_equal(picture.pixels[y * 7 + x],
                             (299 * red(y) + 587 * green(x) + 114 * blue(y, x) + 500) / 1000);
    image_free(ctx, &picture);
}

static void check_grey(orthant_context *ctx, const char *path)
{
    image picture;
    expect_ok(ctx, image_read(ctx, path, 1, &picture));
    assert_true(picture.height == 5 && picture.width == 7);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++)
            assert_int_equal(picture.pixels[y * 7 + x], grey(y, x));
    image_free(ctx, &picture);
    expect_ok(ctx, image_read(ctx, path, 3, &picture));
    for (int p = 0; p < 35; p++)
        for (int c = 0; c < 3; c++)
            assert_int_equal(picture.pixels[3 * p + c], grey(p / 7, p % 7));
    image_free(ctx, &picture);
}

static void test_png(void **state)
{
    orthant_context *ctx = *state;
    image picture;
    check_colour(ctx, "colour.png", 0);
    check_colour(ctx, "palette.png", 0);
    check_colour(ctx, "alpha.png", 3);
    check_grey(ctx, fixture("grey.png"));
    check_grey(ctx, fixture("grey16.png"));
    expect_ok(ctx, image_read(ctx, fixture("bits.png"), 1, &picture));
    for (int p = 0; p < 35; p++)
        assert_int_equal(picture.pixels[p], grey(p / 7, p % 7) > 100 ? 255 : 0);
    image_free(ctx, &picture);
}

static void test_tiff(void **state)
{
    orthant_context *ctx = *state;
    image picture;
    check_colour(ctx, "lzw.tif", 0);
    check_colour(ctx, "pages.tif", 0);
    check_grey(ctx, fixture("grey.tif"));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "float.tif: a TIFF of a kind",
                   image_read(ctx, fixture("float.tif"), 1, &picture));
    assert_null(picture.pixels);
}

static void check_near(int found, int wanted)
{
    assert_in_range(found + 4, wanted, wanted + 8);
}

static void test_jpeg(void **state)
{
    static const unsigned char colours[3][3] = {{200, 30, 60}, {20, 180, 90}, {250, 250, 250}};
    static const char *const names[] = {"blocks.jpg", "progressive.jpg"};
    orthant_context *ctx = *state;
    image picture;
    for (int i = 0; i < 2; i++) {
        expect_ok(ctx, image_read(ctx, fixture(names[i]), 3, &picture));
        assert_true(picture.height == 16 && picture.width == 24);
        for (int p = 0; p < 16 * 24; p++)
            for (int c = 0; c < 3; c++)
                check_near(picture.pixels[3 * p + c], colours[p % 24 / 8][c]);
        image_free(ctx, &picture);
    }
    expect_ok(ctx, image_read(ctx, fixture("grey.jpg"), 1, &picture));
    for (int p = 0; p < 16 * 24; p++) {
        const unsigned char *rgb = colours[p % 24 / 8];
        check_near(picture.pixels[p], (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
    }
    image_free(ctx, &picture);
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "CMYK",
                   image_read(ctx, fixture("cmyk.jpg"), 3, &picture));
}

static void test_pnm(void **state)
{
    orthant_context *ctx = *state;
    image picture;
    const char *path =
        files_write_text("text.pgm", "P2 # grey\n2 2\n# the brightest\n15\n0 15 3\n6");
    expect_ok(ctx, image_read(ctx, path, 1, &picture));
    assert_memory_equal(picture.pixels, ((unsigned char[]){0, 255, 51, 102}), 4);
    image_free(ctx, &picture);
    path = files_write_text("text.ppm", "P3\n1 2 255\n1 2 3 \n 4 5 6\n");
    expect_ok(ctx, image_read(ctx, path, 3, &picture));
    assert_true(picture.height == 2 && picture.width == 1);
    assert_memory_equal(picture.pixels, ((unsigned char[]){1, 2, 3, 4, 5, 6}), 6);
    image_free(ctx, &picture);
    path = files_write("bytes.ppm", "P6 2 1 255\n\1\2\3\4\5\6", 17);
    expect_ok(ctx, image_read(ctx, path, 3, &picture));
    assert_memory_equal(picture.pixels, ((unsigned char[]){1, 2, 3, 4, 5, 6}), 6);
    image_free(ctx, &picture);
    path = files_write("wide.pgm", "P5 2 1 65535\n\xff\xff\x80\x00", 17);
    expect_ok(ctx, image_read(ctx, path, 1, &picture));
    assert_memory_equal(picture.pixels, ((unsigned char[]){255, 128}), 2);
    image_free(ctx, &picture);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "brighter than the header's maximum",
                   image_read(ctx, files_write_text("a.pgm", "P2 2 1 15 3 16 "), 1, &picture));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "missing or not a number",
                   image_read(ctx, files_write_text("a.pgm", "P2 2 2 15 3 x 1 1"), 1, &picture));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "between 1 and 65535",
                   image_read(ctx, files_write_text("a.pgm", "P2 1 1 0 0 "), 1, &picture));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "width and height",
                   image_read(ctx, files_write_text("a.pgm", "P5 -3 4 255 "), 1, &picture));
}

static void test_limits(void **state)
{
    orthant_context *ctx = *state;
    image picture;
    orthant_context_reset_peak_memory(ctx);
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "a picture of 70000 x 2",
                   image_read(ctx, files_write_text("a.pgm", "P5 2 70000 255\n"), 1, &picture));
    expect_failure(ctx, ORTHANT_ERROR_UNSUPPORTED, "268435456 pixels",
                   image_read(ctx, files_write_text("a.pgm", "P5 65535 65535 255\n"), 1, &picture));
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "more than a file of 18 bytes can hold",
                   image_read(ctx, files_write_text("a.pgm", "P5 9000 9000 255\n."), 1, &picture));
    size_t size;
    unsigned char *bytes = files_read(fixture("grey.png"), &size);
    /* Width and height of 16,000 in the header, with its checksum. */
    static const unsigned char large[] = {0x00, 0x00, 0x3e, 0x80, 0x00, 0x00, 0x3e, 0x80, 0x08,
                                          0x00, 0x00, 0x00, 0x00, 0x64, 0x15, 0x80, 0x02};
    memcpy(bytes + 16, large, sizeof large);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "says it is a picture of 16000 x 16000",
                   image_read(ctx, files_write("large.png", bytes, size), 1, &picture));
    free(bytes);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "2 channels",
                   image_read(ctx, fixture("grey.png"), 2, &picture));
    assert_true(orthant_context_peak_memory(ctx) < 1 << 20);
    assert_null(picture.pixels);
}

/* Every cut of a picture is refused or, where only padding is lost, read; nothing else happens. */
static void test_damaged(void **state)
{
    static const char *const names[] = {"colour.png",      "palette.png", "blocks.jpg",
                                        "progressive.jpg", "grey.jpg",    "lzw.tif",
                                        "grey.tif"};
    orthant_context *ctx = *state;
    image picture;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size;
        unsigned char *bytes = files_read(fixture(names[i]), &size);
        for (size_t length = 0; length + 4 < size; length += 3) {
            const char *path = files_write("cut", bytes, length);
            const orthant_status status = image_read(ctx, path, 3, &picture);
            if (status == ORTHANT_OK && i < 5)
                fail_msg("%s cut to %zu of %zu bytes is taken for whole", names[i], length, size);
            if (status != ORTHANT_OK)
                assert_non_null(strstr(orthant_message(ctx), "cut: "));
            image_free(ctx, &picture);
        }
        for (size_t at = 0; at < size; at++)
            for (int flip = 0; flip < 2; flip++) {
                const unsigned char mask = flip ? 0xff : 0x10;
                bytes[at] ^= mask;
                image_read(ctx, files_write("flipped", bytes, size), 3, &picture);
                image_free(ctx, &picture);
                bytes[at] ^= mask;
            }
        free(bytes);
    }
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "expected PNG, JPEG, TIFF, PGM or PPM",
                   image_read(ctx, files_write_text("words", "only words here"), 1, &picture));
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   image_read(ctx, files_path("nothing.png"), 1, &picture));
}

static void test_resize(void **state)
{
    orthant_context *ctx = *state;
    unsigned char pixels[] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150};
    image in = {4, 4, 1, pixels, NULL}, out;
    expect_ok(ctx, image_resize(ctx, &in, 2, 2, &out));
    assert_memory_equal(out.pixels, ((unsigned char[]){25, 45, 105, 125}), 4);
    image_free(ctx, &out);
    expect_ok(ctx, image_resize(ctx, &in, 1, 3, &out)); /* columns weigh 1, 1/3; 2/3, 2/3; 1/3, 1 */
    assert_memory_equal(out.pixels, ((unsigned char[]){63, 75, 88}), 3);
    image_free(ctx, &out);
    expect_ok(ctx, image_resize(ctx, &in, 4, 4, &out));
    assert_memory_equal(out.pixels, pixels, sizeof pixels);
    image_free(ctx, &out);
    image two = {1, 2, 1, pixels + 1, NULL}; /* 10 and 20 */
    expect_ok(ctx, image_resize(ctx, &two, 1, 4, &out));
    assert_memory_equal(out.pixels, ((unsigned char[]){10, 13, 18, 20}), 4);
    image_free(ctx, &out);
    image colours = {2, 2, 3, pixels, NULL};
    expect_ok(ctx, image_resize(ctx, &colours, 1, 1, &out));
    assert_memory_equal(out.pixels, ((unsigned char[]){45, 55, 65}), 3);
    image_free(ctx, &out);
    unsigned char one[] = {77};
    image single = {1, 1, 1, one, NULL};
    expect_ok(ctx, image_resize(ctx, &single, 5, 3, &out));
    for (int p = 0; p < 15; p++)
        assert_int_equal(out.pixels[p], 77);
    image_free(ctx, &out);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "without pixels", image_resize(ctx, &in, 0, 3, &out));
}

/* Each sample stands for its colour. */
static void check_palette(orthant_context *ctx, const image *in)
{
    unsigned char palette[IMAGE_PALETTE], *bytes = NULL;
    size_t count = 0;
    image back;
    for (int i = 0; i < IMAGE_PALETTE; i++)
        palette[i] = (unsigned char)(i * 29 + 7);
    expect_ok(ctx, image_encode_png(ctx, in, palette, &bytes, &count));
    expect_ok(ctx, image_read(ctx, files_write("palette.png", bytes, count), 3, &back));
    for (int i = 0; i < in->height * in->width; i++)
        assert_memory_equal(back.pixels + 3 * i, palette + 3 * in->pixels[i], 3);
    image_free(ctx, &back);
    memory_free(ctx, bytes);
}

static void test_writing(void **state)
{
    orthant_context *ctx = *state;
    unsigned char pixels[60];
    for (int i = 0; i < 60; i++)
        pixels[i] = (unsigned char)(i * 37);
    for (int channels = 1; channels <= 3; channels += 2) {
        image in = {4, channels == 3 ? 5 : 15, channels, pixels, NULL}, back;
        unsigned char *bytes = NULL;
        size_t count = 0;
        expect_ok(ctx, image_encode_png(ctx, &in, NULL, &bytes, &count));
        assert_memory_equal(bytes, "\x89PNG", 4);
        expect_ok(ctx, image_read(ctx, files_write("encoded.png", bytes, count), channels, &back));
        assert_true(back.height == in.height && back.width == in.width);
        assert_memory_equal(back.pixels, pixels, sizeof pixels);
        image_free(ctx, &back);
        memory_free(ctx, bytes);
        expect_ok(ctx, image_write_png(ctx, &in, files_path("written.png")));
        expect_ok(ctx, image_read(ctx, files_path("written.png"), channels, &back));
        assert_memory_equal(back.pixels, pixels, sizeof pixels);
        image_free(ctx, &back);
    }
    image in = {4, 15, 1, pixels, NULL};
    check_palette(ctx, &in);
    expect_failure(ctx, ORTHANT_ERROR_IO, "there is no folder",
                   image_write_png(ctx, &in, files_path("nowhere/a.png")));
    in.channels = 2;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "2 channels",
                   image_write_png(ctx, &in, files_path("a.png")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_png),    fixture_test(test_tiff),
                                       fixture_test(test_jpeg),   fixture_test(test_pnm),
                                       fixture_test(test_limits), fixture_test(test_damaged),
                                       fixture_test(test_resize), fixture_test(test_writing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
