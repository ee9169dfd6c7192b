/* Segmentations of every kind of nodes and with every option, in numbers: labels, graph, objective
 * and evidence beside what they were when someone last looked (ORTHANT_PIN=1 writes them again). */
#include "fixture.h"
#include "pinned.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "data/picture_list.h"
#include "orthant/graph.h"
#include "vision/cloud.h"
#include "vision/colour.h"
#include "vision/filters.h"
#include "vision/gabor.h"
#include "vision/gradient.h"
#include "vision/normals.h"
#include "vision/picture_features.h"
#include "vision/region_features.h"
#include "vision/segment.h"
#include "vision/superpixels.h"

/* ---- what is segmented ---- */

enum { HEIGHT = 54, WIDTH = 72 };

/* Waves of three directions and colours, with a little disorder that has no pattern. */
static void paint(image *of, int channels)
{
    *of = (image){.height = HEIGHT, .width = WIDTH, .channels = channels};
    of->pixels = malloc((size_t)HEIGHT * WIDTH * (size_t)channels);
    assert_non_null(of->pixels);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int part = x < 30 ? 0 : y < 24 ? 1 : 2;
            const int wave = part == 0 ? x % 6 < 3 : part == 1 ? y % 4 < 2 : (x + y) % 8 < 4;
            static const int colour[3][3] = {{180, 60, 50}, {50, 150, 70}, {70, 80, 190}};
            for (int c = 0; c < channels; c++)
                of->pixels[(y * WIDTH + x) * channels + c] =
                    (unsigned char)(colour[part][c] + 40 * wave + (x * 7 + y * 13 + x * y) % 11);
        }
}

static FILE *begin(const char *name)
{
    char file[200];
    snprintf(file, sizeof file, "%s.txt", name);
    FILE *out = fopen(files_path(file), "w");
    assert_non_null(out);
    return out;
}

static void finish(FILE *out, const char *name, double close)
{
    char kept[200], patterns[200];
    assert_int_equal(fclose(out), 0);
    snprintf(kept, sizeof kept, "tests/vision/whole/%s.txt", name);
    snprintf(patterns, sizeof patterns, "--close %g %s.txt", close, name);
    expect_pinned(files_folder(), kept, patterns);
}

/* Every third row and column: a letter a label. */
static void print_labels(FILE *out, const int32_t *labels, int height, int width)
{
    for (int y = 0; y < height; y += 3) {
        for (int x = 0; x < width; x += 2) {
            const int32_t label = labels[y * width + x];
            fputc(label < 0 ? '-' : (int)('a' + label % 26), out);
        }
        fputc('\n', out);
    }
}

static void print_segmentation(FILE *out, const char *what, const segmentation *s)
{
    int64_t sum = 0;
    for (int64_t i = 0; s->height && i < s->count; i++)
        sum += (s->labels[i] + 2) * (i % 97 + 1);
    fprintf(out,
            "## %s\nsegments %" PRId64 " nodes %" PRId64 " edges %" PRId64 " iterations %" PRId64
            " objective %.6g graph_weight %.6g sum %" PRId64 "\n",
            what, s->segments, s->nodes, s->edges, s->iterations, s->objective, s->graph_weight,
            sum);
    if (s->estimated)
        fprintf(out, "evidence %s\n", s->evidence);
    if (s->height)
        print_labels(out, s->labels, s->height, s->width);
    for (int i = 0; i < s->snapshot_count; i++) {
        fprintf(out, "after %" PRId64 "\n", s->snapshots[i].iteration);
        if (s->height)
            print_labels(out, s->snapshots[i].labels, s->height, s->width);
    }
    for (int64_t i = 0; s->position && i < s->nodes; i += 7)
        fprintf(out, "node %" PRId64 " %.4g %.4g\n", i, s->position[2 * i], s->position[2 * i + 1]);
}

static void print_matrix(FILE *out, const orthant_matrix *matrix, int64_t row_step)
{
    fprintf(out, "%" PRId64 " x %" PRId64 "\n", matrix->rows, matrix->columns);
    for (int64_t i = 0; i < matrix->rows; i += row_step) {
        for (int64_t j = 0; j < matrix->columns; j++)
            fprintf(out, "%s%.4g", j ? " " : "", orthant_matrix_get(matrix, i, j));
        fputc('\n', out);
    }
}

/* ---- pictures ---- */

static void regions_of_a_picture(void **state)
{
    orthant_context *ctx = *state;
    static const char *const parameters[] = {"tolerance=0"};
    const struct {
        const char *what;
        segment_options options;
    } cases[] = {
        {"slic", {.nodes = SEGMENT_SLIC, .superpixels = 60, .segments = 3, .iterations = 30}},
        {"slic, estimated", {.nodes = SEGMENT_SLIC, .superpixels = 60, .iterations = 30}},
        {"slic, binary, pieces by share",
         {.nodes = SEGMENT_SLIC,
          .superpixels = 60,
          .segments = 3,
          .iterations = 30,
          .edge_weights = "binary",
          .smallest = 0.2}},
        {"slic, all features, textures",
         {.nodes = SEGMENT_SLIC,
          .superpixels = 40,
          .segments = 3,
          .iterations = 10,
          .features = "lab,rgb,gabor,space,histogram",
          .finish = "textures"}},
        {"slic, gnmf",
         {.nodes = SEGMENT_SLIC,
          .method = "gnmf",
          .superpixels = 40,
          .segments = 3,
          .iterations = 20,
          .graph_weight = 0.5,
          .parameters = parameters,
          .parameter_count = 1}},
        {"slic, kmeans",
         {.nodes = SEGMENT_SLIC, .method = "kmeans", .superpixels = 40, .segments = 3}},
        {"slic, snapshots",
         {.nodes = SEGMENT_SLIC,
          .superpixels = 40,
          .segments = 3,
          .iterations = 12,
          .snapshots = "1,6",
          .finish = "none"}},
        {"watershed",
         {.nodes = SEGMENT_WATERSHED, .segments = 3, .iterations = 20, .smoothing = 1.5}},
        {"watershed, few",
         {.nodes = SEGMENT_WATERSHED, .superpixels = 12, .segments = 2, .iterations = 20}},
    };
    image picture;
    paint(&picture, 3);
    FILE *out = begin("regions");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        segmentation s;
        segment_options options = cases[i].options;
        options.seed = 1;
        if (options.graph_weight == 0)
            options.graph_weight = -1;
        if (options.smallest == 0)
            options.smallest = -1;
        expect_ok(ctx, segment_superpixels(ctx, &picture, &options, &s));
        print_segmentation(out, cases[i].what, &s);
        segmentation_free(&s);
    }
    finish(out, "regions", 1e-3);
    free(picture.pixels);
}

static void pixels_of_a_picture(void **state)
{
    orthant_context *ctx = *state;
    const struct {
        const char *what;
        segment_options options;
    } cases[] = {
        {"pixels", {.segments = 3, .window = 13, .iterations = 40}},
        {"estimated", {.window = 13, .iterations = 40}},
        {"demo bank, width, textures",
         {.segments = 3,
          .bank = "demo",
          .window = 11,
          .bins = 8,
          .binning = "width",
          .finish = "textures",
          .iterations = 20}},
        {"bank a, fseg", {.segments = 3, .bank = "a", .method = "fseg", .window = 13}},
        {"bank b, nmf, none",
         {.segments = 3,
          .bank = "b",
          .method = "nmf",
          .window = 13,
          .iterations = 20,
          .finish = "none"}},
        {"kmeans", {.segments = 3, .method = "kmeans", .window = 13}},
        {"snapshots",
         {.segments = 3, .window = 13, .iterations = 9, .snapshots = "2,5", .finish = "none"}},
    };
    image picture;
    paint(&picture, 3);
    FILE *out = begin("pixels");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        segmentation s;
        segment_options options = cases[i].options;
        options.seed = 1;
        options.graph_weight = options.smallest = -1;
        expect_ok(ctx, segment_pixels(ctx, &picture, &options, &s));
        print_segmentation(out, cases[i].what, &s);
        segmentation_free(&s);
    }
    finish(out, "pixels", 1e-3);
    free(picture.pixels);
}

static void features_of_regions(void **state)
{
    orthant_context *ctx = *state;
    image picture;
    paint(&picture, 3);
    FILE *out = begin("features");
    for (int kind = 0; kind < 2; kind++) {
        const segment_options options = {.nodes = kind ? SEGMENT_WATERSHED : SEGMENT_SLIC,
                                         .superpixels = kind ? 0 : 30,
                                         .smoothing = 1,
                                         .features = "space,lab,rgb,gabor,histogram",
                                         .feature_weights = "1,2,0.5,1,3",
                                         .bins = 5,
                                         .bank = "demo"};
        superpixels set;
        orthant_matrix *features = NULL;
        expect_ok(ctx, superpixels_make(ctx, &picture, &options, &set));
        fprintf(out, "## %s: %" PRId64 " regions\n", kind ? "watershed" : "slic", set.count);
        print_labels(out, set.region_of, HEIGHT, WIDTH);
        for (int64_t i = 0; i < set.count; i += 5)
            fprintf(out, "%" PRId64 " pixels at %.4g %.4g, colour %.4g %.4g %.4g\n", set.size[i],
                    set.position[2 * i], set.position[2 * i + 1], set.lab[3 * i],
                    set.lab[3 * i + 1], set.lab[3 * i + 2]);
        expect_ok(ctx, region_features(&set, &options, &features));
        print_matrix(out, features, 11);
        orthant_matrix_free(features);
        superpixels_free(&set);
    }
    finish(out, "features", 1e-3);
    free(picture.pixels);
}

static void keep_response(void *user, int number, const float *modulus)
{
    double *sums = user, sum = 0, weighed = 0;
    for (int p = 0; p < HEIGHT * WIDTH; p++) {
        sum += (double)modulus[p];
        weighed += (double)modulus[p] * (p % WIDTH + 2 * (p / WIDTH));
    }
    sums[2 * number] = sum;
    sums[2 * number + 1] = weighed / 1000;
}

static void planes_and_filters(void **state)
{
    orthant_context *ctx = *state;
    image picture;
    float *grey = NULL, *planes = NULL, *steep = malloc(HEIGHT * WIDTH * sizeof *steep);
    double sums[80];
    assert_non_null(steep);
    paint(&picture, 3);
    FILE *out = begin("planes");
    expect_ok(ctx, colour_grey(ctx, &picture, &grey));
    expect_ok(ctx, colour_planes(ctx, &picture, &planes));
    for (int p = 0; p < HEIGHT * WIDTH; p += 331)
        fprintf(out, "%.4g %.4g %.4g %.4g\n", (double)grey[p], (double)planes[p],
                (double)planes[p + HEIGHT * WIDTH], (double)planes[p + 2 * HEIGHT * WIDTH]);
    gradient_magnitude(ctx, grey, HEIGHT, WIDTH, steep);
    expect_ok(ctx, gradient_smooth(ctx, grey, HEIGHT, WIDTH, 1.7));
    for (int p = 0; p < HEIGHT * WIDTH; p += 331)
        fprintf(out, "%.4g %.4g\n", (double)steep[p], (double)grey[p]);
    expect_ok(ctx, gabor_responses(ctx, grey, HEIGHT, WIDTH, keep_response, sums));
    for (int f = 0; f < 40; f++)
        fprintf(out, "gabor %d %.4g %.4g\n", f, sums[2 * f], sums[2 * f + 1]);
    static const char *const banks[] = {"demo", "a", "b", "texture"};
    for (int b = 0; b < 4; b++) {
        filter_bank bank;
        expect_ok(ctx, filter_bank_create(ctx, banks[b], &bank));
        fprintf(out, "## %s: %d filters, radius %d, lab %d\n", banks[b], bank.count, bank.radius,
                bank.lab);
        for (int f = 0; f < bank.count; f++) {
            const int side = 2 * bank.filters[f].radius + 1;
            fprintf(out, "%d:", side);
            for (int w = 0; w<side * side; w += side> 5 ? 5 : 1)
                fprintf(out, " %.4g", (double)bank.filters[f].weights[w]);
            fputc('\n', out);
        }
        filter_bank_free(ctx, &bank);
    }
    finish(out, "planes", 1e-3);
    memory_free(ctx, grey);
    memory_free(ctx, planes);
    free(steep);
    free(picture.pixels);
}

static void whole_pictures(void **state)
{
    orthant_context *ctx = *state;
    picture_list list = {.ctx = ctx};
    static const char *const kinds[] = {"gabor", "lab", "spectral-histogram", "sift-words"};
    for (int i = 0; i < 3; i++) {
        image picture;
        char name[40];
        paint(&picture, i == 2 ? 1 : 3);
        if (i == 1)
            for (int p = 0; p < HEIGHT * WIDTH * 3; p++)
                picture.pixels[p] = (unsigned char)(picture.pixels[p] / 2 + p % 31);
        snprintf(name, sizeof name, "picture-%d.png", i);
        expect_ok(ctx, image_write_png(ctx, &picture, files_path(name)));
        expect_ok(ctx, picture_list_add(&list, memory_text(ctx, files_path(name)), i));
        free(picture.pixels);
    }
    FILE *out = begin("pictures");
    for (int k = 0; k < 4; k++) {
        const picture_feature_settings settings = {.kind = kinds[k], .words = 2, .seed = 3};
        orthant_matrix *features = NULL;
        expect_ok(ctx, picture_features(&list, &settings, &features));
        fprintf(out, "## %s\n", kinds[k]);
        print_matrix(out, features, 1);
        orthant_matrix_free(features);
    }
    finish(out, "pictures", 1e-3);
    picture_list_free(&list);
}

/* ---- clouds ---- */

/* A floor, a wall and a ball, in millimetres, some points of which are missing. */
static const char *write_cloud(void)
{
    FILE *out = fopen(files_path("scene.ply"), "w");
    assert_non_null(out);
    fputs("ply\nformat ascii 1.0\nelement vertex 400\nproperty float x\nproperty float y\n"
          "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
          "end_header\n",
          out);
    for (int i = 0; i < 400; i++) {
        const double u = i % 20, v = i / 20 % 7, jitter = (i * 37 % 11) * 0.01;
        if (i % 57 == 5)
            fputs("nan nan nan 0 0 0\n", out);
        else if (i < 140)
            fprintf(out, "%g %g %g 200 %d 60\n", u, v, jitter, 50 + i % 9);
        else if (i < 280)
            fprintf(out, "%g %g %g 40 %d 210\n", u, 9 + jitter, v, 90 + i % 9);
        else
            fprintf(out, "%g %g %g 90 %d 50\n", 26 + 3 * cos(0.7 * i) * sin(0.1 * i),
                    3 + 3 * sin(0.7 * i) * sin(0.1 * i), 3 + 3 * cos(0.1 * i), 190 + i % 9);
    }
    fclose(out);
    return files_path("scene.ply");
}

/* Letters in the order in which the labels come: which is called which depends on the last digits
 * of a start. */
static void print_points(FILE *out, const segmentation *s)
{
    int32_t order[26];
    int known = 0;
    for (int64_t i = 0; i < s->count; i++) {
        int letter = 0;
        while (s->labels[i] >= 0 && letter < known && order[letter] != s->labels[i])
            letter++;
        if (s->labels[i] >= 0 && letter == known)
            order[known++] = s->labels[i];
        fprintf(out, "%c%s", s->labels[i] < 0 ? '-' : 'a' + letter, i % 100 == 99 ? "\n" : "");
    }
}

static void points_of_a_cloud(void **state)
{
    orthant_context *ctx = *state;
    const struct {
        const char *what;
        segment_options options;
    } cases[] = {
        {"points", {.segments = 3, .iterations = 30}},
        {"estimated", {.iterations = 30}},
        {"space and normals",
         {.segments = 3,
          .features = "space,normals",
          .feature_weights = "1,0.5",
          .neighbours = 6,
          .iterations = 20}},
        {"colour, kmeans", {.segments = 3, .method = "kmeans", .features = "color"}},
        {"gnmf, snapshots",
         {.segments = 3, .method = "gnmf", .iterations = 10, .snapshots = "2,5"}},
    };
    cloud points;
    expect_ok(ctx, cloud_read(ctx, write_cloud(), &points));
    FILE *out = begin("cloud");
    fprintf(out, "%" PRId64 " points, %" PRId64 " kept\n", points.count, points.kept);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        segmentation s;
        segment_options options = cases[i].options;
        options.seed = 1;
        options.graph_weight = options.smallest = -1;
        expect_ok(ctx, segment_cloud(ctx, &points, &options, &s));
        print_segmentation(out, cases[i].what, &s);
        print_points(out, &s);
        segmentation_free(&s);
    }
    cloud_free(&points);
    finish(out, "cloud", 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(regions_of_a_picture), fixture_test(pixels_of_a_picture),
        fixture_test(features_of_regions),  fixture_test(planes_and_filters),
        fixture_test(whole_pictures),       fixture_test(points_of_a_cloud),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
