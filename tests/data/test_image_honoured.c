/* What a picture's file says beside its pixels: how it stands, how deep it is, what is transparent;
 * and chunks that nobody wants. */
#include "fixture.h"

#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "data/exif.h"
#include "data/image.h"
#include "data/matrix.h"

/* EXIF data with the one entry; little-endian, or big-endian where `big`. */
static size_t make_exif(unsigned char *to, int orientation, bool big)
{
    static const unsigned char little_endian[] =
        "II*\0\10\0\0\0\1\0\x12\1\3\0\1\0\0\0?\0\0\0\0\0\0";
    static const unsigned char big_endian[] = "MM\0*\0\0\0\10\0\1\1\x12\0\3\0\0\0\1\0?\0\0\0\0\0";
    memcpy(to, big ? big_endian : little_endian, 26);
    to[big ? 19 : 18] = (unsigned char)orientation;
    return 26;
}

static void test_exif(void **state)
{
    unsigned char bytes[64] = {0};
    (void)state;
    for (int big = 0; big < 2; big++)
        for (int orientation = 1; orientation <= 8; orientation++) {
            const size_t count = make_exif(bytes, orientation, big);
            assert_int_equal(exif_orientation(bytes, count), orientation);
            assert_int_equal(exif_orientation(bytes, 22), orientation);
            for (size_t cut = 0; cut < 22; cut++)
                assert_int_equal(exif_orientation(bytes, cut), 1);
            for (size_t at = 0; at < 18; at++) { /* one damaged byte: read or not, in its bounds */
                const unsigned char kept = bytes[at];
                bytes[at] ^= 0xff;
                const int found = exif_orientation(bytes, count);
                assert_true(found == 1 || found == orientation);
                bytes[at] = kept;
            }
        }
    make_exif(bytes, 9, false);
    assert_int_equal(exif_orientation(bytes, 26), 1);
    make_exif(bytes, 0, false);
    assert_int_equal(exif_orientation(bytes, 26), 1);
}

/* ---- a PNG of any kind -------------------------------------------------------------------- */

typedef struct png_wish {
    int height, width, type, depth;
    const unsigned char *rows;
    int orientation; /* 0: no EXIF */
    bool text;       /* a compressed text of 16 MB */
} png_wish;

static const char *write_png(const char *name, png_wish w)
{
    const char *path = files_path(name);
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_byte exif[26];
    char *words = calloc(1, (16 << 20) + 1);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)w.width, (png_uint_32)w.height, w.depth, w.type, 0, 0, 0);
    if (w.orientation)
        png_set_eXIf_1(png, info, (png_uint_32)make_exif(exif, w.orientation, true), exif);
    memset(words, 'a', 16 << 20);
    png_text text = {.compression = PNG_TEXT_COMPRESSION_zTXt, .key = "key", .text = words};
    if (w.text)
        png_set_text(png, info, &text, 1);
    png_write_info(png, info);
    const size_t line = png_get_rowbytes(png, info);
    for (int y = 0; y < w.height; y++)
        png_write_row(png, w.rows + (size_t)y * line);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    free(words);
    return path;
}

/* ---- upright ------------------------------------------------------------------------------ */

/* The file has 0 1 2 / 3 4 5; upright, as the standard says where row 0 and column 0 belong: */
static const struct {
    int height, width;
    unsigned char pixels[6];
} upright[9] = {
    {0},
    {2, 3, {0, 1, 2, 3, 4, 5}}, /* row 0 top, column 0 left */
    {2, 3, {2, 1, 0, 5, 4, 3}}, /* top, right */
    {2, 3, {5, 4, 3, 2, 1, 0}}, /* bottom, right */
    {2, 3, {3, 4, 5, 0, 1, 2}}, /* bottom, left */
    {3, 2, {0, 3, 1, 4, 2, 5}}, /* left, top */
    {3, 2, {3, 0, 4, 1, 5, 2}}, /* right, top: a quarter turn clockwise */
    {3, 2, {5, 2, 4, 1, 3, 0}}, /* right, bottom */
    {3, 2, {2, 5, 1, 4, 0, 3}}, /* left, bottom: a quarter turn anticlockwise */
};

static void check_upright(orthant_context *ctx, const char *path, int orientation)
{
    image found;
    expect_ok(ctx, image_read_size(ctx, path, &found));
    assert_int_equal(found.height, upright[orientation].height);
    assert_int_equal(found.width, upright[orientation].width);
    for (int channels = 1; channels <= 3; channels += 2) {
        expect_ok(ctx, image_read(ctx, path, channels, &found));
        assert_int_equal(found.height, upright[orientation].height);
        assert_int_equal(found.width, upright[orientation].width);
        for (int i = 0; i < 6 * channels; i++)
            assert_int_equal(found.pixels[i], upright[orientation].pixels[i / channels]);
        image_free(ctx, &found);
    }
}

static const unsigned char six[] = {0, 1, 2, 3, 4, 5};

static void test_png_stands_upright(void **state)
{
    orthant_context *ctx = *state;
    for (int orientation = 1; orientation <= 8; orientation++)
        check_upright(ctx,
                      write_png("upright.png", (png_wish){.height = 2,
                                                          .width = 3,
                                                          .type = PNG_COLOR_TYPE_GRAY,
                                                          .depth = 8,
                                                          .rows = six,
                                                          .orientation = orientation}),
                      orientation);
}

static void check_half(orthant_context *ctx, const char *path, bool turned)
{
    image found;
    expect_ok(ctx, image_read_size(ctx, path, &found));
    assert_int_equal(found.height, turned ? 24 : 16);
    expect_ok(ctx, image_read(ctx, path, 3, &found));
    assert_int_equal(found.height, turned ? 24 : 16);
    assert_int_equal(found.width, turned ? 16 : 24);
    /* blocks.jpg: 8 columns of red, 8 of green, 8 of white; a clockwise turn puts red on top. */
    const int64_t green = turned ? 12 * 16 + 8 : 8 * 24 + 12;
    assert_in_range(found.pixels[0], 190, 210);
    assert_in_range(found.pixels[3 * green + 1], 170, 190);
    assert_in_range(found.pixels[3 * (16 * 24 - 1) + 2], 240, 255);
    image_free(ctx, &found);
}

static void test_jpeg_stands_upright(void **state)
{
    orthant_context *ctx = *state;
    size_t size;
    unsigned char made[65536] = {0xff, 0xd8, 0xff, 0xe1, 0, 2 + 6 + 26, 'E', 'x', 'i', 'f'};
    const char *fixture = fixture_path("tests/data/fixtures/blocks.jpg");
    unsigned char *bytes = files_read(fixture, &size);
    check_half(ctx, fixture, false);
    make_exif(made + 12, 6, false);
    memcpy(made + 12 + 26, bytes + 2, size - 2);
    check_half(ctx, files_write("turned.jpg", made, size + 10 + 26), true);
    make_exif(made + 12, 1, false);
    check_half(ctx, files_write("turned.jpg", made, size + 10 + 26), false);
    free(bytes);
}

typedef struct tiff_wish {
    int orientation, samples, depth, photometric;
    int extra;        /* kind of the last sample; -1: none */
    const void *rows; /* 2 x 3 pixels */
} tiff_wish;

static const char *write_tiff(const char *name, tiff_wish w)
{
    const char *path = files_path(name);
    TIFF *tiff = TIFFOpen(path, "w");
    const uint16_t extra = (uint16_t)w.extra;
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 2);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 3);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, w.depth);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, w.samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, w.photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1);
    if (w.orientation)
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, w.orientation);
    if (w.extra >= 0)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
    for (int y = 0; y < 2; y++)
        TIFFWriteScanline(tiff, (char *)w.rows + y * 3 * w.samples * w.depth / 8, (uint32_t)y, 0);
    TIFFClose(tiff);
    return path;
}

static void test_tiff_stands_upright(void **state)
{
    orthant_context *ctx = *state;
    uint16_t deep[6];
    for (int i = 0; i < 6; i++)
        deep[i] = (uint16_t)(257 * i);
    for (int orientation = 1; orientation <= 8; orientation++) {
        check_upright(ctx,
                      write_tiff("upright.tif",
                                 (tiff_wish){orientation, 1, 8, PHOTOMETRIC_MINISBLACK, -1, six}),
                      orientation);
        check_upright(ctx,
                      write_tiff("upright16.tif",
                                 (tiff_wish){orientation, 1, 16, PHOTOMETRIC_MINISBLACK, -1, deep}),
                      orientation);
    }
}

/* ---- 16 bits ------------------------------------------------------------------------------ */

static const uint16_t depths[6] = {0, 1, 1000, 30000, 65534, 65535};

static void check_deep(orthant_context *ctx, const char *path, bool deep, bool inverted)
{
    image found;
    expect_ok(ctx, image_read(ctx, path, 1, &found));
    assert_int_equal(found.deep != NULL, deep);
    for (int i = 0; i < 6; i++) {
        const int value = inverted ? 65535 - depths[i] : depths[i];
        assert_int_equal(found.pixels[i], (value + 128) / 257);
        assert_true(image_value(&found, i) ==
                    (deep ? (float)value / 257.0f : (float)found.pixels[i]));
    }
    image_free(ctx, &found);
}

static void test_depth_is_kept(void **state)
{
    orthant_context *ctx = *state;
    unsigned char big_endian[12];
    for (int i = 0; i < 6; i++) {
        big_endian[2 * i] = (unsigned char)(depths[i] >> 8);
        big_endian[2 * i + 1] = (unsigned char)depths[i];
    }
    check_deep(
        ctx, write_png("deep.png", (png_wish){2, 3, PNG_COLOR_TYPE_GRAY, 16, big_endian, 0, false}),
        true, false);
    check_deep(ctx,
               write_tiff("deep.tif", (tiff_wish){0, 1, 16, PHOTOMETRIC_MINISBLACK, -1, depths}),
               true, false);
    check_deep(ctx,
               write_tiff("white.tif", (tiff_wish){0, 1, 16, PHOTOMETRIC_MINISWHITE, -1, depths}),
               true, true);
    unsigned char pgm[27] = "P5\n3 2\n65535\n";
    memcpy(pgm + 13, big_endian, 12);
    check_deep(ctx, files_write("deep.pgm", pgm, 25), true, false);
}

static void test_a_folder_keeps_the_depth(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *samples = NULL;
    char path[600];
    unsigned char pgm[17] = "P5\n2 1\n65535\n\1\2\3\4";
    snprintf(path, sizeof path, "mkdir -p '%s'", files_path("folder"));
    assert_int_equal(system(path), 0);
    files_write("folder/one.pgm", pgm, 17);
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("folder"), NULL, &samples, NULL));
    assert_true(matrix_value(samples, 0) == (double)(0x0102 / 257.0f));
    assert_true(matrix_value(samples, 1) == (double)(0x0304 / 257.0f));
    orthant_matrix_free(samples);
}

static void test_resizing_keeps_the_depth(void **state)
{
    orthant_context *ctx = *state;
    image found, half;
    unsigned char pgm[17] = "P5\n2 1\n65535\n\x01\x00\x02\x01";
    expect_ok(ctx, image_read(ctx, files_write("pair.pgm", pgm, 17), 1, &found));
    expect_ok(ctx, image_resize(ctx, &found, 1, 1, &half));
    assert_int_equal(half.deep[0], (0x0100 + 0x0201 + 1) / 2);
    assert_int_equal(half.pixels[0], 1);
    image_free(ctx, &found);
    image_free(ctx, &half);
}

/* ---- alpha -------------------------------------------------------------------------------- */

static void check_alpha(orthant_context *ctx, const char *path, const int wanted[6])
{
    image found;
    expect_ok(ctx, image_read(ctx, path, 1, &found));
    for (int i = 0; i < 6; i++)
        assert_int_equal(found.pixels[i], wanted[i]);
    image_free(ctx, &found);
}

/* What is transparent is black, whatever the file and its depth. */
static void test_alpha_is_honoured(void **state)
{
    orthant_context *ctx = *state;
    static const unsigned char pairs[] = {200, 255, 200, 0, 200, 128, 100, 51, 255, 254, 0, 255};
    static const int over_black[] = {200, 0, 100, 20, 254, 0},
                     stored[] = {200, 200, 200, 100, 255, 0};
    unsigned char wide[24];
    uint16_t deep[12];
    for (int i = 0; i < 12; i++) {
        wide[2 * i] = wide[2 * i + 1] = pairs[i];
        deep[i] = (uint16_t)(257 * pairs[i]);
    }
    const int type = PNG_COLOR_TYPE_GRAY_ALPHA, black = PHOTOMETRIC_MINISBLACK;
    check_alpha(ctx, write_png("a.png", (png_wish){2, 3, type, 8, pairs, 0, false}), over_black);
    check_alpha(ctx, write_png("a16.png", (png_wish){2, 3, type, 16, wide, 0, false}), over_black);
    check_alpha(ctx,
                write_tiff("a16.tif", (tiff_wish){0, 2, 16, black, EXTRASAMPLE_UNASSALPHA, deep}),
                over_black);
    /* Multiplied already, or no alpha at all: the colours are as they stand. */
    check_alpha(ctx,
                write_tiff("b16.tif", (tiff_wish){0, 2, 16, black, EXTRASAMPLE_ASSOCALPHA, deep}),
                stored);
    check_alpha(ctx,
                write_tiff("c16.tif", (tiff_wish){0, 2, 16, black, EXTRASAMPLE_UNSPECIFIED, deep}),
                stored);
}

static void test_deep_colours(void **state)
{
    orthant_context *ctx = *state;
    image found;
    uint16_t colours[24];
    for (int i = 0; i < 24; i++)
        colours[i] = (uint16_t)(i % 4 == 3 ? 32768 : 2000 * i + 77);
    const char *path = write_tiff(
        "colours.tif", (tiff_wish){0, 4, 16, PHOTOMETRIC_RGB, EXTRASAMPLE_UNASSALPHA, colours});
    expect_ok(ctx, image_read(ctx, path, 3, &found));
    for (int i = 0; i < 18; i++)
        assert_int_equal(found.deep[i],
                         ((uint32_t)colours[i / 3 * 4 + i % 3] * 32768u + 32767) / 65535);
    image_free(ctx, &found);
}

/* ---- what nobody wants -------------------------------------------------------------------- */

static void test_texts_are_passed_over(void **state)
{
    orthant_context *ctx = *state;
    image found;
    const char *path =
        write_png("text.png", (png_wish){2, 3, PNG_COLOR_TYPE_GRAY, 8, six, 0, true});
    orthant_context_set_memory_limit(ctx, 1 << 20);
    expect_ok(ctx, image_read(ctx, path, 1, &found));
    assert_memory_equal(found.pixels, six, 6);
    image_free(ctx, &found);
    /* The chunk behind the header says more than the file has. */
    size_t size;
    unsigned char *bytes = files_read(path, &size);
    memcpy(bytes + 33, "\x7f\xff\xff\xf0", 4);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT,
                   "its chunk at byte 33 says 2147483632 bytes, the file has 85",
                   image_read(ctx, files_write("lies.png", bytes, 85), 1, &found));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_exif),
        fixture_test(test_png_stands_upright),
        fixture_test(test_jpeg_stands_upright),
        fixture_test(test_tiff_stands_upright),
        fixture_test(test_depth_is_kept),
        fixture_test(test_a_folder_keeps_the_depth),
        fixture_test(test_resizing_keeps_the_depth),
        fixture_test(test_alpha_is_honoured),
        fixture_test(test_deep_colours),
        fixture_test(test_texts_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
