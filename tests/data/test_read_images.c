/* Folders of pictures: classes, flat ones, refusals and a stop. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/image.h"
#include "data/labels.h"
#include "data/read.h"

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(files_path(name), 0777), 0);
}

/* A PGM of one grey value with a brighter last pixel. */
static void make_picture(const char *name, int height, int width, int value)
{
    char header[32];
    unsigned char bytes[256];
    const int length = snprintf(header, sizeof header, "P5 %d %d 255\n", width, height);
    memcpy(bytes, header, (size_t)length);
    memset(bytes + length, value, (size_t)(height * width));
    bytes[length + height * width - 1] = (unsigned char)(value + 1);
    files_write(name, bytes, (size_t)(length + height * width));
}

typedef struct log_book {
    int notes;
    char last[512];
} log_book;

static void keep_note(void *user, orthant_log_level level, const char *message)
{
    log_book *book = user;
    assert_int_equal(level, ORTHANT_LOG_NOTE);
    book->notes++;
    snprintf(book->last, sizeof book->last, "%s", message);
}

static void test_classes(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    log_book book = {0};
    make_folder("pets");
    make_folder("pets/dog");
    make_folder("pets/cat");
    make_folder("pets/Zebra"); /* before the small letters */
    make_folder("pets/none");
    make_folder("pets/cat/deeper");
    make_picture("pets/dog/2.pgm", 2, 3, 40);
    make_picture("pets/dog/10.pgm", 2, 3, 30);
    make_picture("pets/cat/a", 2, 3, 20); /* known by its first bytes */
    make_picture("pets/Zebra/z.pgm", 2, 3, 10);
    make_picture("pets/cat/deeper/lost.pgm", 2, 3, 99);
    files_write_text("pets/cat/notes.txt", "not a picture");
    files_write_text("pets/cat/.hidden", "not seen");
    files_write_text("pets/readme", "not in a class");
    orthant_context_set_log(ctx, keep_note, &book);
    expect_ok(ctx, read_images(ctx, files_path("pets"), &options, &matrix, &truth));
    assert_int_equal(book.notes, 2);
    assert_true(matrix->rows == 4 && matrix->columns == 6);
    for (int64_t i = 0; i < 4; i++) {
        assert_true(orthant_matrix_get(matrix, i, 0) == 10.0 * (double)(i + 1));
        assert_true(orthant_matrix_get(matrix, i, 5) == 10.0 * (double)(i + 1) + 1);
        assert_int_equal(truth->values[i], i < 2 ? i : 2);
    }
    const orthant_picture_shape shape = orthant_matrix_picture(matrix);
    assert_true(shape.height == 2 && shape.width == 3 && shape.channels == 1 &&
                !shape.column_major);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    const orthant_read_options small = {
        .size = sizeof small, .image_height = 1, .image_width = 2, .color = true};
    expect_ok(ctx, read_images(ctx, files_path("pets"), &small, &matrix, &truth));
    assert_true(matrix->rows == 4 && matrix->columns == 6);
    assert_int_equal(orthant_matrix_picture(matrix).channels, 3);
    for (int64_t c = 0; c < 3; c++)
        assert_true(orthant_matrix_get(matrix, 3, c) == 40);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

static void test_flat(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    make_folder("flat");
    make_picture("flat/b.pgm", 3, 2, 2);
    make_picture("flat/a.pgm", 3, 2, 1);
    assert_int_equal(symlink(".", files_path("flat/self")), 0);
    expect_ok(ctx, read_images(ctx, files_path("flat/"), &options, &matrix, &truth));
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    assert_int_equal(unlink(files_path("flat/self")), 0);
    expect_ok(ctx, orthant_matrix_read(ctx, files_path("flat"), &options, &matrix, &truth));
    assert_null(truth);
    assert_true(matrix->rows == 2 && orthant_matrix_get(matrix, 0, 0) == 1);
    orthant_matrix_free(matrix);
    make_picture("flat/c.pgm", 2, 2, 3);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "a.pgm is 3 x 2, but ",
                   read_images(ctx, files_path("flat"), &options, &matrix, &truth));
    assert_non_null(strstr(orthant_message(ctx), "c.pgm is 2 x 2; pictures must have one size. Try "
                                                 "size = '32x32'"));
    options.image_height = options.image_width = 4;
    expect_ok(ctx, read_images(ctx, files_path("flat"), &options, &matrix, &truth));
    assert_true(matrix->rows == 3 && matrix->columns == 16);
    orthant_matrix_free(matrix);
}

static void test_refused(void **state)
{
    orthant_context *ctx = *state;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    make_folder("bare");
    expect_failure(ctx, ORTHANT_ERROR_DATA, "bare: no pictures",
                   read_images(ctx, files_path("bare"), &options, &matrix, &truth));
    make_picture("bare/good.pgm", 2, 2, 5);
    files_write_text("bare/wrong.png", "this is not a PNG at all");
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "wrong.png: not a picture",
                   read_images(ctx, files_path("bare"), &options, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_DATA, "one picture is one sample",
                   read_images(ctx, files_path("bare/good.pgm"), &options, &matrix, &truth));
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file or folder",
                   read_images(ctx, files_path("nowhere"), &options, &matrix, &truth));
    options.image_height = 8;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "a size of 8 x 0",
                   read_images(ctx, files_path("bare"), &options, &matrix, &truth));
    assert_null(matrix);
    assert_null(truth);
}

static bool stop_at_once(void *user, const orthant_progress *progress)
{
    (void)user;
    assert_string_equal(progress->phase, "read");
    return false;
}

typedef struct told {
    int64_t calls, total;
} told;

static bool count_calls(void *user, const orthant_progress *progress)
{
    told *seen = user;
    seen->calls++;
    assert_string_equal(progress->phase, "read");
    assert_int_equal(progress->done, seen->calls);
    assert_int_equal(progress->total, seen->total);
    return true;
}

/* A step for each picture that was read, up to all of them. */
static void test_progress(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    told seen = {.total = 3};
    make_folder("told");
    make_picture("told/a.pgm", 2, 2, 5);
    make_picture("told/b.pgm", 2, 2, 6);
    make_picture("told/c.pgm", 2, 2, 7);
    orthant_context_set_progress(ctx, count_calls, &seen);
    expect_ok(ctx, read_images(ctx, files_path("told"), &options, &matrix, &truth));
    assert_int_equal(seen.calls, 3);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

static void test_stopped(void **state)
{
    orthant_context *ctx = *state;
    const orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    make_folder("stop");
    make_picture("stop/a.pgm", 2, 2, 5);
    orthant_context_set_progress(ctx, stop_at_once, NULL);
    expect_failure(ctx, ORTHANT_STOPPED, "stopped",
                   read_images(ctx, files_path("stop"), &options, &matrix, &truth));
    assert_null(matrix);
}

static void test_research(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = getenv("ORTHANT_DATA");
    if (!folder) {
        print_message("skipped: the research data are not here; ORTHANT_DATA names their folder\n");
        skip();
    }
    const orthant_read_options options = {
        .size = sizeof options, .image_height = 8, .image_width = 8};
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/Caltech101", folder);
    expect_ok_or_left_out(ctx, read_images(ctx, path, &options, &matrix, &truth));
    assert_true(matrix->rows == 3479 && matrix->columns == 64);
    assert_int_equal(orthant_labels_classes(truth), 11);
    int64_t counts[11] = {0};
    for (int64_t i = 0; i < truth->count; i++)
        counts[truth->values[i]]++;
    /* Faces, Faces_easy, Leopards, Motorbikes, airplanes, bonsai, car_side, chandelier, ... */
    assert_true(counts[0] == 435 && counts[2] == 200 && counts[3] == 798 && counts[4] == 800 &&
                counts[7] == 107);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_classes), fixture_test(test_flat),
                                       fixture_test(test_refused), fixture_test(test_progress),
                                       fixture_test(test_stopped), fixture_test(test_research)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
