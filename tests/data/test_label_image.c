/* Label images of every kind, and files that are none. */
#include "fixture.h"

#include <matio.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/label_image.h"

enum { H = 3, W = 4 };

/* What is in the files, and how it comes back: numbered by the first pixels. */
static const int values[H * W] = {2, 2, 1, 0, 2, 3, 1, 0, 3, 3, 3, 1};
static const int32_t numbered[H * W] = {0, 0, 1, 2, 0, 3, 1, 2, 3, 3, 3, 1};

static void expect_labels(orthant_context *ctx, const char *path, int64_t count)
{
    label_images found;
    expect_ok(ctx, label_images_read(ctx, path, &found));
    assert_int_equal(found.count, count);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(found.image[i].height, H);
        assert_int_equal(found.image[i].width, W);
        assert_int_equal(found.image[i].regions, 4);
        assert_memory_equal(found.image[i].labels, numbered, sizeof numbered);
    }
    label_images_free(&found);
}

static void expect_refusal(orthant_context *ctx, orthant_status status, const char *words,
                           const char *path)
{
    label_images found;
    expect_failure(ctx, status, words, label_images_read(ctx, path, &found));
    assert_null(found.image);
    assert_int_equal(found.count, 0);
}

/* ---- pictures ------------------------------------------------------------------------------- */

/* `sample` gives a pixel's samples. */
typedef void (*sampler)(int value, int x, uint16_t samples[4]);

static const char *write_png(const char *name, int type, int depth, bool interlaced, sampler of)
{
    static const png_color colours[] = {{9, 9, 9}, {9, 9, 9}, {1, 2, 3}, {200, 0, 0}};
    const char *path = files_path(name);
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_true(file && info);
    png_init_io(png, file);
    png_set_IHDR(png, info, W, H, depth, type,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (type == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, colours, 4);
    png_write_info(png, info);
    png_set_packing(png);
    const int count = png_get_channels(png, info);
    unsigned char rows[H][W * 8], *pointers[H];
    for (int y = 0; y < H; y++) {
        unsigned char *to = pointers[y] = rows[y];
        for (int x = 0; x < W; x++) {
            uint16_t samples[4] = {0};
            of(values[y * W + x], x, samples);
            for (int s = 0; s < count; s++) {
                if (depth == 16)
                    *to++ = (unsigned char)(samples[s] >> 8);
                *to++ = (unsigned char)samples[s];
            }
        }
    }
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    return path;
}

static void plain(int value, int x, uint16_t samples[4])
{
    samples[0] = (uint16_t)value;
    samples[1] = (uint16_t)(60 * x); /* alpha */
}

/* All the same in 8 bits. */
static void deep(int value, int x, uint16_t samples[4])
{
    (void)x;
    samples[0] = (uint16_t)(0x1200 + value);
}

/* Colours of the same luma and the same sum, with an alpha that changes. */
static void colour(int value, int x, uint16_t samples[4])
{
    samples[value == 3 ? 0 : value] = 7;
    samples[0] = (uint16_t)(samples[0] + (value == 3 ? 1 : 0));
    samples[3] = (uint16_t)(60 * x);
}

static void test_png(void **state)
{
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        for (int depth = 2; depth <= 16; depth *= 2)
            expect_labels(*state,
                          write_png("grey.png", PNG_COLOR_TYPE_GRAY, depth, interlaced, plain), 1);
        for (int depth = 2; depth <= 8; depth *= 2)
            expect_labels(*state,
                          write_png("index.png", PNG_COLOR_TYPE_PALETTE, depth, interlaced, plain),
                          1);
        expect_labels(*state, write_png("deep.png", PNG_COLOR_TYPE_GRAY, 16, interlaced, deep), 1);
        for (int depth = 8; depth <= 16; depth *= 2) {
            expect_labels(*state,
                          write_png("rgb.png", PNG_COLOR_TYPE_RGB, depth, interlaced, colour), 1);
            expect_labels(*state,
                          write_png("rgba.png", PNG_COLOR_TYPE_RGBA, depth, interlaced, colour), 1);
            expect_labels(*state,
                          write_png("ga.png", PNG_COLOR_TYPE_GRAY_ALPHA, depth, interlaced, plain),
                          1);
        }
    }
}

static void test_pgm(void **state)
{
    expect_labels(
        *state, files_write_text("a.pgm", "P2\n# labels\n4 3\n1000\n2 2 1 0 2 3 1 0 3 3 3 1\n"), 1);
    expect_labels(*state, files_write("b.pgm", "P5 4 3 255\n\2\2\1\0\2\3\1\0\3\3\3\1", 11 + H * W),
                  1);
    expect_labels(*state,
                  files_write("c.pgm",
                              "P5 4 3 999\n\3\2\3\2\3\1\3\0\3\2\3\3\3\1\3\0\3\3\3\3\3\3\3\1",
                              11 + 2 * H * W),
                  1);
    expect_labels(*state,
                  files_write_text("d.ppm", "P3 4 3 9 0 0 2 0 0 2 0 2 0 0 0 0 0 0 2 2 0 0 0 2 0 "
                                            "0 0 0 2 0 0 2 0 0 2 0 0 0 2 0\n"),
                  1);
    expect_refusal(*state, ORTHANT_ERROR_FORMAT, "missing",
                   files_write_text("cut.pgm", "P2 4 3 9 1 2 3\n"));
}

static void test_pictures_that_hold_no_labels(void **state)
{
    expect_refusal(*state, ORTHANT_ERROR_UNSUPPORTED, "JPEG, which changes them",
                   fixture_path("tests/data/fixtures/blocks.jpg"));
    expect_refusal(*state, ORTHANT_ERROR_UNSUPPORTED, "TIFF",
                   fixture_path("tests/data/fixtures/grey.tif"));
    expect_refusal(*state, ORTHANT_ERROR_FORMAT, "not a picture",
                   files_write_text("text.png", "not a picture at all"));
    expect_refusal(*state, ORTHANT_ERROR_IO, "no such", files_path("nowhere.png"));
    expect_refusal(*state, ORTHANT_ERROR_IO, "folder", files_folder());
}

/* ---- arrays --------------------------------------------------------------------------------- */

static void test_csv(void **state)
{
    expect_labels(*state, files_write_text("a.csv", "2,2,1,0\n2,3,1,0\n3,3,3,1\n"), 1);
    expect_labels(*state, files_write_text("b.txt", "-1 -1 7 5e9\n-1 0 7 5e9\n0 0 0 7\n"), 1);
    expect_refusal(*state, ORTHANT_ERROR_DATA, "entry (2, 1) is 0.5",
                   files_write_text("c.csv", "1,2\n0.5,1\n"));
    expect_refusal(*state, ORTHANT_ERROR_DATA, "1e+300", files_write_text("d.csv", "1,1e300\n"));
    expect_refusal(*state, ORTHANT_ERROR_FORMAT, "fields", files_write_text("e.csv", "1,2\n1\n"));
}

static const char *write_npy(const char *name, const char *type, const char *shape,
                             const void *entries, size_t size)
{
    char bytes[1024];
    const int length = snprintf(
        bytes + 10, 400, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", type, shape);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (char)length;
    bytes[9] = 0;
    memcpy(bytes + 10 + length, entries, size);
    return files_write(name, bytes, 10 + (size_t)length + size);
}

static void test_npy(void **state)
{
    int64_t wide[H * W];
    uint8_t narrow[H * W];
    float real[H * W];
    for (int i = 0; i < H * W; i++) {
        wide[i] = values[i] == 2 ? -INT64_C(4000000000) : values[i] - 1;
        narrow[i] = (uint8_t)(255 - values[i]);
        real[i] = (float)values[i] * 100;
    }
    expect_labels(*state, write_npy("a.npy", "<i8", "(3, 4)", wide, sizeof wide), 1);
    expect_labels(*state, write_npy("b.npy", "|u1", "(3, 4)", narrow, sizeof narrow), 1);
    expect_labels(*state, write_npy("c.npy", "<f4", "(3, 4)", real, sizeof real), 1);
    expect_labels(*state, write_npy("d.npy", "<i8", "(3, 4, 1)", wide, sizeof wide), 1);
    expect_refusal(*state, ORTHANT_ERROR_DATA, "3 dimensions",
                   write_npy("e.npy", "<i8", "(3, 2, 2)", wide, sizeof wide));
    real[5] = 0.25f;
    expect_refusal(*state, ORTHANT_ERROR_DATA, "entry (2, 2) is 0.25",
                   write_npy("f.npy", "<f4", "(3, 4)", real, sizeof real));
    label_images found;
    expect_ok(*state, label_images_read(
                          *state, write_npy("g.npy", "<i8", "(12,)", wide, sizeof wide), &found));
    assert_true(found.image->height == H * W && found.image->width == 1);
    label_images_free(&found);
    expect_refusal(*state, ORTHANT_ERROR_FORMAT, "g.npy",
                   write_npy("g.npy", "<i8", "(1000000, 1000000)", wide, sizeof wide));
}

/* ---- MATLAB --------------------------------------------------------------------------------- */

/* Column by column, as MATLAB keeps a matrix. */
static matvar_t *make_matrix(const char *name, enum matio_classes class, enum matio_types type,
                             double shift)
{
    size_t size[2] = {H, W};
    double real[H * W];
    uint16_t whole[H * W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            real[x * H + y] = values[y * W + x] + shift;
            whole[x * H + y] = (uint16_t)(values[y * W + x] + 300);
        }
    return Mat_VarCreate(name, class, type, 2, size,
                         class == MAT_C_DOUBLE ? (void *)real : (void *)whole, 0);
}

static matvar_t *make_annotator(const char *name, const char *field)
{
    const char *fields[] = {"Boundaries", field};
    size_t one[2] = {1, 1};
    double zero = 0;
    matvar_t *made = Mat_VarCreateStruct(name, 2, one, fields, 2);
    Mat_VarSetStructFieldByName(
        made, "Boundaries", 0,
        Mat_VarCreate("Boundaries", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &zero, 0));
    Mat_VarSetStructFieldByName(made, field, 0, make_matrix(field, MAT_C_UINT16, MAT_T_UINT16, 0));
    return made;
}

static matvar_t *make_cell(const char *name, int count, matvar_t *(*entry)(int))
{
    size_t size[2] = {1, (size_t)count};
    matvar_t *made = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, size, NULL, 0);
    for (int i = 0; i < count; i++)
        Mat_VarSetCell(made, i, entry(i));
    return made;
}

static matvar_t *annotator(int i)
{
    (void)i;
    return make_annotator(NULL, "Segmentation");
}

static matvar_t *misnamed(int i)
{
    return make_annotator(NULL, i == 1 ? "Segments" : "Segmentation");
}

static matvar_t *matrix_entry(int i)
{
    return make_matrix(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, -i);
}

/* A cell array in a cell array in a cell array. */
static matvar_t *nested(int i)
{
    (void)i;
    return make_cell(NULL, 1, matrix_entry);
}

static matvar_t *nested_twice(int i)
{
    (void)i;
    return make_cell(NULL, 1, nested);
}

static const char *write_version(const char *name, enum mat_ft version, bool packed,
                                 matvar_t *first, matvar_t *second)
{
    const char *path = files_path(name);
    remove(path);
    mat_t *mat = Mat_CreateVer(path, NULL, version);
    assert_non_null(mat);
    matvar_t *both[] = {first, second};
    for (int i = 0; i < 2; i++)
        if (both[i]) {
            assert_int_equal(
                Mat_VarWrite(mat, both[i], packed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE),
                0);
            Mat_VarFree(both[i]);
        }
    Mat_Close(mat);
    return path;
}

static const char *write_mat(const char *name, bool packed, matvar_t *first, matvar_t *second)
{
    return write_version(name, MAT_FT_MAT5, packed, first, second);
}

static void test_mat_73(void **state)
{
    expect_labels(*state,
                  write_version("a.mat", MAT_FT_MAT73, true,
                                make_matrix("g", MAT_C_UINT16, MAT_T_UINT16, 0), NULL),
                  1);
    expect_labels(
        *state, write_version("b.mat", MAT_FT_MAT73, true, make_cell("g", 3, annotator), NULL), 3);
    expect_labels(*state,
                  write_version("c.mat", MAT_FT_MAT73, true, make_cell("g", 3, matrix_entry), NULL),
                  3);
}

static void test_mat(void **state)
{
    for (int packed = 0; packed < 2; packed++) {
        expect_labels(*state,
                      write_mat("a.mat", packed,
                                make_matrix("anything", MAT_C_UINT16, MAT_T_UINT16, 0), NULL),
                      1);
        expect_labels(*state,
                      write_mat("b.mat", packed, make_cell("groundTruth", 5, annotator), NULL), 5);
        expect_labels(*state, write_mat("c.mat", packed, make_cell("segs", 3, matrix_entry), NULL),
                      3);
        expect_labels(*state,
                      write_mat("d.mat", packed, make_annotator("one", "Segmentation"), NULL), 1);
    }
    const char *two = write_mat("two.mat", true, make_cell("humans", 2, annotator),
                                make_matrix("machine", MAT_C_DOUBLE, MAT_T_DOUBLE, 0));
    expect_refusal(*state, ORTHANT_ERROR_ARGUMENT, "'machine' (3 x 4)", two);
    char path[600];
    snprintf(path, sizeof path, "%s:machine", two);
    expect_labels(*state, path, 1);
    snprintf(path, sizeof path, "%s:humans", two);
    expect_labels(*state, path, 2);
    snprintf(path, sizeof path, "%s:nobody", two);
    expect_refusal(*state, ORTHANT_ERROR_ARGUMENT, "no variable 'nobody'", path);
}

static void test_mat_without_labels(void **state)
{
    expect_refusal(*state, ORTHANT_ERROR_DATA, "'g{2}' is a structure without the field",
                   write_mat("a.mat", true, make_cell("g", 3, misnamed), NULL));
    expect_refusal(*state, ORTHANT_ERROR_DATA, "is of class cell",
                   write_mat("b.mat", false, make_cell("g", 1, nested_twice), NULL));
    expect_refusal(*state, ORTHANT_ERROR_DATA, "nothing",
                   write_mat("c.mat", false, make_cell("g", 0, annotator), NULL));
    expect_refusal(
        *state, ORTHANT_ERROR_DATA, "entry (1, 1) is 2.5",
        write_mat("d.mat", false, make_matrix("g", MAT_C_DOUBLE, MAT_T_DOUBLE, 0.5), NULL));
    expect_refusal(
        *state, ORTHANT_ERROR_DATA, "class text",
        write_mat("e.mat", false,
                  Mat_VarCreate("g", MAT_C_CHAR, MAT_T_UTF8, 2, (size_t[]){1, 3}, "abc", 0), NULL));
}

/* ---- damage and no memory ------------------------------------------------------------------- */

static void damage(orthant_context *ctx, const char *name)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    size_t size;
    label_images found;
    unsigned char *bytes = files_read(files_path(name), &size);
    unsigned char *copy = malloc(size);
    char other[40];
    assert_non_null(copy);
    snprintf(other, sizeof other, "damaged-%s", name);
    for (size_t length = 0; length < size; length++) {
        const char *path = files_write(other, bytes, length);
        if (label_images_read(ctx, path, &found) == ORTHANT_OK)
            fail_msg("%s was read although it is cut off at %zu", name, length);
        assert_int_equal(orthant_context_memory(ctx), 0);
    }
    for (size_t i = 0; i < size; i++)
        for (size_t c = 0; c < sizeof changes; c++) {
            memcpy(copy, bytes, size);
            copy[i] ^= changes[c];
            orthant_context_reset_peak_memory(ctx);
            if (label_images_read(ctx, files_write(other, copy, size), &found) == ORTHANT_OK)
                label_images_free(&found);
            assert_int_equal(orthant_context_memory(ctx), 0);
            assert_true(orthant_context_peak_memory(ctx) < 8 << 20);
        }
    free(bytes);
    free(copy);
}

static void test_damage(void **state)
{
    write_png("a.png", PNG_COLOR_TYPE_PALETTE, 4, false, plain);
    write_mat("plain.mat", false, make_cell("g", 2, annotator), NULL);
    write_mat("packed.mat", true, make_cell("g", 2, annotator), NULL);
    damage(*state, "a.png");
    damage(*state, "plain.mat");
    damage(*state, "packed.mat");
}

static void *allocate(void *user, size_t size, size_t alignment)
{
    int *left = user;
    return (*left)-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void exhaust(const char *path)
{
    orthant_status status = ORTHANT_ERROR_MEMORY;
    for (int n = 0; n < 1000 && status != ORTHANT_OK; n++) {
        orthant_context *ctx = NULL;
        label_images found;
        int left = n;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &left));
        status = label_images_read(ctx, path, &found);
        if (status != ORTHANT_OK)
            assert_int_equal(status, ORTHANT_ERROR_MEMORY);
        label_images_free(&found);
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
    }
    assert_int_equal(status, ORTHANT_OK);
}

static void test_no_memory(void **state)
{
    (void)state;
    exhaust(write_png("a.png", PNG_COLOR_TYPE_RGB, 8, true, colour));
    exhaust(files_write_text("a.pgm", "P2 2 1 9 1 2\n"));
    exhaust(files_write_text("a.csv", "1,2\n"));
    exhaust(write_mat("a.mat", true, make_cell("g", 3, annotator), NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_png),
        fixture_test(test_pgm),
        fixture_test(test_pictures_that_hold_no_labels),
        fixture_test(test_csv),
        fixture_test(test_npy),
        fixture_test(test_mat),
        fixture_test(test_mat_73),
        fixture_test(test_mat_without_labels),
        confined_test(test_mat),
        confined_test(test_mat_73),
        confined_test(test_mat_without_labels),
        fixture_test(test_damage),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
