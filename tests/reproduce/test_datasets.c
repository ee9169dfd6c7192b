/* The papers' data sets: which samples of a file they take. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/random.h"
#include "data/image.h"
#include "reproduce/datasets.h"
#include "reproduce/protocol.h"

static void make_folder(const char *name)
{
    mkdir(files_path(name), 0777);
}

static void put_number(FILE *out, int32_t value)
{
    assert_int_equal(fwrite(&value, sizeof value, 1, out), 1);
}

/* A matrix of bytes as MATLAB 4 writes it, by columns. */
static void put_variable(FILE *out, const char *name, int rows, int columns,
                         const unsigned char *values)
{
    put_number(out, 50);
    put_number(out, rows);
    put_number(out, columns);
    put_number(out, 0);
    put_number(out, (int32_t)strlen(name) + 1);
    fwrite(name, 1, strlen(name) + 1, out);
    fwrite(values, 1, (size_t)rows * (size_t)columns, out);
}

static int64_t *read_labels(const char *path, int64_t expected)
{
    int64_t *labels = calloc((size_t)expected, sizeof *labels);
    FILE *in = fopen(path, "r");
    assert_non_null(labels);
    assert_non_null(in);
    for (int64_t i = 0; i < expected; i++) {
        long value;
        assert_int_equal(fscanf(in, "%ld", &value), 1);
        labels[i] = value;
    }
    assert_int_equal(fscanf(in, "%*s"), EOF);
    fclose(in);
    return labels;
}

/* The first 100 samples of each digit; samples are the columns of Xt. */
static void so_many_of_each_class(void **state)
{
    orthant_context *ctx = *state;
    enum { SAMPLES = 330, FEATURES = 5 };
    static unsigned char values[SAMPLES * FEATURES], labels[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        labels[i] = (unsigned char)(i % 10 < 6 ? 1 : i % 10 < 9 ? 2 : 3);
        for (int j = 0; j < FEATURES; j++)
            values[i * FEATURES + j] = (unsigned char)(i + j);
    }
    make_folder("data");
    make_folder("data/USPS");
    FILE *out = fopen(files_path("data/USPS/usps_9298.mat"), "wb");
    assert_non_null(out);
    put_variable(out, "Xt", FEATURES, SAMPLES, values);
    put_variable(out, "Lt", 1, SAMPLES, labels);
    put_variable(out, "Xs", FEATURES, 20, values + FEATURES);
    put_variable(out, "Ls", 1, 20, labels + 1);
    fclose(out);
    dataset found;
    char data[300], made[300];
    snprintf(data, sizeof data, "%s", files_path("data"));
    snprintf(made, sizeof made, "%s", files_path("made"));
    expect_ok(ctx, dataset_find(ctx, data, made, "USPS", 0, &found));
    assert_false(found.missing);
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    expect_ok(ctx, dataset_read(&found, &samples, &truth));
    assert_int_equal(orthant_matrix_rows(samples), SAMPLES);
    assert_int_equal(orthant_matrix_columns(samples), FEATURES);
    assert_true(orthant_matrix_get(samples, 7, 2) == 9);
    int64_t count[4] = {0};
    for (int i = 0; i < SAMPLES; i++) {
        const int64_t label = orthant_labels_values(truth)[i];
        const bool kept = count[labels[i]] < 100;
        assert_int_equal(label, kept ? labels[i] : -1);
        count[labels[i]] += kept;
    }
    assert_true(count[1] == 100 && count[2] == 99 && count[3] == 33);
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    dataset_free(&found);
    /* The other part of the file. */
    assert_string_equal(dataset_known_as("USPS-Xs"), "USPS");
    assert_string_equal(dataset_known_as("USPS"), "USPS");
    expect_ok(ctx, dataset_find(ctx, data, made, "USPS-Xs", 0, &found));
    expect_ok(ctx, dataset_read(&found, &samples, &truth));
    assert_int_equal(orthant_matrix_rows(samples), 20);
    assert_true(orthant_matrix_get(samples, 0, 2) == 3);
    assert_int_equal(orthant_labels_values(truth)[19], labels[20]);
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    dataset_free(&found);
    /* The first two classes, in a file of their own. */
    expect_ok(ctx, dataset_find(ctx, data, made, "USPS", 2, &found));
    assert_non_null(strstr(found.truth, "/made/USPS-2.labels.csv"));
    int64_t *cut = read_labels(found.truth, SAMPLES);
    memset(count, 0, sizeof count);
    for (int i = 0; i < SAMPLES; i++) {
        const bool kept = labels[i] != 3 && count[labels[i]] < 100;
        assert_int_equal(cut[i], kept ? labels[i] : -1);
        count[labels[i]] += kept;
    }
    free(cut);
    dataset_free(&found);
}

/* Of 33 categories the 30 largest; of those of equal size the ones with the lower labels. */
static void the_largest_classes(void **state)
{
    orthant_context *ctx = *state;
    enum { CLASSES = 33, MOST = 400 };
    unsigned char values[MOST * 2], labels[MOST];
    int samples = 0, size[CLASSES];
    for (int c = 0; c < CLASSES; c++) {
        size[c] = c == 4       ? 1
                  : c % 5 == 0 ? 2
                               : 3 + c % 4; /* six of size 2, of which two stay out */
        for (int i = 0; i < size[c]; i++)
            labels[samples++] = (unsigned char)(c + 1);
    }
    for (int i = 0; i < samples * 2; i++)
        values[i] = (unsigned char)(i % 50 + 1);
    make_folder("data");
    make_folder("data/Reuters21578");
    FILE *out = fopen(files_path("data/Reuters21578/Reuters21578.mat"), "wb");
    assert_non_null(out);
    put_variable(out, "fea", samples, 2, values);
    put_variable(out, "gnd", samples, 1, labels);
    fclose(out);
    dataset found;
    char data[300], made[300];
    snprintf(data, sizeof data, "%s", files_path("data"));
    snprintf(made, sizeof made, "%s", files_path("made"));
    expect_ok(ctx, dataset_find(ctx, data, made, "Reuters21578", 0, &found));
    assert_non_null(strstr(found.truth, "/made/Reuters21578.labels.csv"));
    int64_t *cut = read_labels(found.truth, samples);
    for (int i = 0; i < samples; i++) {
        const int c = labels[i] - 1;
        /* 30 and 25 are the last two of size 2, 4 is the smallest. */
        const bool kept = c != 4 && c != 30 && c != 25;
        assert_int_equal(cut[i], kept ? labels[i] : -1);
    }
    free(cut);
    dataset_free(&found);
}

/* Noise, in which SIFT finds many points. */
static void write_picture(orthant_context *ctx, const char *name, uint64_t seed)
{
    enum { SIDE = 112 };
    static unsigned char pixels[SIDE * SIDE];
    for (int p = 0; p < SIDE * SIDE; p++) {
        const uint64_t block = (uint64_t)(p / SIDE / 4 * (SIDE / 4) + p % SIDE / 4);
        pixels[p] = (unsigned char)(255.0 * random_uniform(seed, RANDOM_DRAW, block, 0));
    }
    const image picture = {.height = SIDE, .width = SIDE, .channels = 1, .pixels = pixels};
    expect_ok(ctx, image_write_png(ctx, &picture, files_path(name)));
}

/* Of eleven classes the ten largest, without the two that are no objects of their own; as words. */
static void pictures_become_words(void **state)
{
    orthant_context *ctx = *state;
    static const char *const classes[] = {
        "BACKGROUND_Google", "Faces_easy", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    uint64_t seed = 1;
    make_folder("data");
    make_folder("data/Caltech101");
    for (int c = 0; c < 13; c++) {
        char name[100];
        snprintf(name, sizeof name, "data/Caltech101/%s", classes[c]);
        make_folder(name);
        for (int i = 0; i < (c < 2 ? 4 : c == 5 ? 1 : 2); i++) {
            snprintf(name, sizeof name, "data/Caltech101/%s/%d.png", classes[c], i);
            write_picture(ctx, name, seed++);
        }
    }
    dataset found;
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    char data[300], made[300];
    snprintf(data, sizeof data, "%s", files_path("data"));
    snprintf(made, sizeof made, "%s", files_path("made"));
    expect_ok(ctx, dataset_find(ctx, data, made, "Caltech101", 0, &found));
    assert_non_null(strstr(found.path, "/made/Caltech101.npy"));
    expect_ok(ctx, dataset_read(&found, &samples, &truth));
    assert_int_equal(orthant_matrix_rows(samples), 20);
    assert_int_equal(orthant_matrix_columns(samples), 500);
    for (int64_t i = 0; i < 20; i++) {
        /* Two of each class in the order of the folders, "d" left out. */
        const int64_t expected = 2 + i / 2 + (i / 2 >= 3);
        assert_int_equal(orthant_labels_values(truth)[i], expected);
        double words = 0;
        for (int64_t j = 0; j < 500; j++)
            words += orthant_matrix_get(samples, i, j);
        assert_true(words >= 10);
    }
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    dataset_free(&found);
}

static void what_is_not_there(void **state)
{
    orthant_context *ctx = *state;
    dataset found;
    expect_ok(ctx, dataset_find(ctx, "nowhere", "nowhere/made", "ORL", 0, &found));
    assert_true(found.missing);
    assert_string_equal(found.reason, "nowhere/ORL/ORL_32x32.mat is not there");
    dataset_free(&found);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "there is no data set 'orl'",
                   dataset_find(ctx, "nowhere", "nowhere/made", "orl", 0, &found));
    make_folder("data");
    make_folder("data/Yale");
    fclose(fopen(files_path("data/Yale/Yale_32x32.mat"), "w"));
    char data[300], below[300];
    snprintf(data, sizeof data, "%s", files_path("data"));
    snprintf(below, sizeof below, "%s/below", files_write_text("file", "text"));
    assert_int_equal(dataset_find(ctx, data, below, "Yale", 2, &found), ORTHANT_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(so_many_of_each_class),
        fixture_test(the_largest_classes),
        fixture_test(pictures_become_words),
        fixture_test(what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
