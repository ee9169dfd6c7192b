/* The table and the figures on small pictures made here: everything is run, scored, drawn and told.
 */
#include "fixture.h"
#include "pinned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/random.h"
#include "report/text_file.h"
#include "reproduce/grpnmf.h"

enum { SIDE = 96 };

/* A new folder with that name. */
static const char *new_folder(const char *name)
{
    static char path[4][500];
    static int next;
    char *at = path[next++ % 4];
    snprintf(at, sizeof path[0], "%s", files_path(name));
    assert_int_equal(mkdir(at, 0777), 0);
    return at;
}

static const char *in_folder(const char *folder, const char *name)
{
    static char path[4][1200];
    static int next;
    char *at = path[next++ % 4];
    snprintf(at, sizeof path[0], "%s/%s", folder, name);
    return at;
}

/* Gratings left and right of the middle; the truth beside them. */
static void write_mosaic(orthant_context *ctx, const char *folder, const char *picture,
                         const char *truth, int channels)
{
    unsigned char *pixels = malloc(SIDE * SIDE * 3), regions[SIDE * SIDE];
    assert_non_null(pixels);
    for (int p = 0; p < SIDE * SIDE; p++) {
        const int x = p % SIDE, y = p / SIDE;
        const double wave = sin(2.0 * M_PI * (x < SIDE / 2 ? x : y) / 6.0);
        regions[p] = x < SIDE / 2 ? 7 : 9;
        for (int c = 0; c < channels; c++)
            pixels[p * channels + c] = (unsigned char)(128.0 + 60.0 * wave + 5.0 * c);
    }
    const image drawn = {SIDE, SIDE, channels, pixels, NULL}, map = {SIDE, SIDE, 1, regions, NULL};
    expect_ok(ctx, image_write_png(ctx, &drawn, in_folder(folder, picture)));
    if (truth)
        expect_ok(ctx, image_write_png(ctx, &map, in_folder(folder, truth)));
    free(pixels);
}

static void make_data(orthant_context *ctx, const char *folder)
{
    assert_int_equal(mkdir(in_folder(folder, "Prague"), 0777), 0);
    assert_int_equal(mkdir(in_folder(folder, "Prague/colour"), 0777), 0);
    assert_int_equal(mkdir(in_folder(folder, "Prague/grayscale"), 0777), 0);
    write_mosaic(ctx, folder, "Prague/colour/tm2_1_1.png", NULL, 3);
    write_mosaic(ctx, folder, "Prague/grayscale/tm10_1_1.png", "Prague/grayscale/gt10_1.png", 1);
    write_mosaic(ctx, folder, "Prague/grayscale/tm2_1_1.png", "Prague/grayscale/gt2_1.png", 1);
    write_mosaic(ctx, folder, "Prague/grayscale/tm3_1_1.png", NULL, 1); /* has no truth */
}

static void finds_mosaics_by_their_numbers(void **state)
{
    const char *folder = new_folder("found");
    make_data(*state, folder);
    mosaic_set grey = {.name = "grey", .folder = "grayscale", .data = folder, .channels = 1};
    mosaic_set colour = {.name = "colour", .folder = "colour", .data = folder, .channels = 3};
    mosaic_set none = {.name = "none", .folder = "nowhere", .data = folder, .channels = 3};
    expect_ok(*state, mosaics_find(*state, &grey));
    expect_ok(*state, mosaics_find(*state, &colour));
    expect_ok(*state, mosaics_find(*state, &none));
    assert_int_equal(grey.count, 2);
    assert_int_equal(grey.mosaic[0].set, 2);
    assert_int_equal(grey.mosaic[1].set, 10);
    assert_int_equal(colour.count, 1); /* with the grey one's truth */
    assert_int_equal(none.count, 0);
}

static double cell_of(const sheet *table, const char *data, const char *method, const char *measure,
                      int column)
{
    for (int r = 0; r < table->rows; r++) {
        const sheet_cell *cell = table->cell + r * table->columns;
        if (!strcmp(cell[1].text, data) && !strcmp(cell[2].text, method) &&
            !strcmp(cell[3].text, measure))
            return cell[column].value;
    }
    fail_msg("no row %s %s %s", data, method, measure);
    return 0;
}

static void expect_in_file(orthant_context *ctx, const char *path, const char *words)
{
    char *text = NULL;
    size_t length;
    expect_ok(ctx, text_file_read(ctx, path, 64 << 20, &text, &length));
    if (!strstr(text, words))
        fail_msg("%s has no '%s'", path, words);
    memory_free(ctx, text);
}

/* Mean and standard error over three mosaics, two, one and none. */
static void means_of_mosaics(void **state)
{
    (void)state;
    orthant_segmentation_scores scores[3] = {
        {sizeof scores[0], .cs = 10}, {sizeof scores[0], .cs = 40}, {sizeof scores[0], .cs = 70}};
    static const double means[] = {NAN, 10, 25, 40}, errors[] = {NAN, NAN, 15, 17.320508075688775};
    orthant_criterion_info info = {.size = sizeof info, .name = ""};
    int cs = -1;
    while (strcmp(info.name, "CS") != 0)
        assert_int_equal(orthant_criterion_at(++cs, &info), ORTHANT_OK);
    for (int count = 0; count <= 3; count++) {
        grpnmf_work w = {.set[1].count = count};
        double mean, error;
        w.scores[1][0][2] = scores;
        grpnmf_mean(&w, 1, 0, 2, cs, &mean, &error);
        assert_true(isnan(means[count]) ? isnan(mean) : fabs(mean - means[count]) < 1e-12);
        assert_true(isnan(errors[count]) ? isnan(error) : fabs(error - errors[count]) < 1e-12);
    }
}

static void table_and_figure_are_made(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = new_folder("made");
    make_data(ctx, folder);
    char run[1000];
    snprintf(run, sizeof run, "%s/run", folder);
    const reproduce_request request = {
        .data = folder, .output = run, .quick = true, .seed = 1, .command = "test"};
    sheet_list shown = {.ctx = ctx};
    expect_ok(ctx, reproduce_grpnmf(ctx, &request, &shown, &(reproduce_failures){0}));
    /* Averages, two sets and four pipelines with two sheets each, numbers of segments, claims. */
    assert_int_equal(shown.count, 1 + 2 * 4 * 2 + 1 + 1);
    assert_string_equal(shown.table[17]->name, "table-I-numbers");
    assert_true(fabs(shown.table[17]->cell[3].value - 2) < 1e-9); /* the true number */
    const sheet *averages = shown.table[0];
    assert_true(fabs(cell_of(averages, "colour/paper", "grpnmf", "CS", 5) - 69.50) < 1e-9);
    assert_true(fabs(cell_of(averages, "colour/paper", "convex-nmf", "GCE", 5) - 9.88) < 1e-9);
    assert_true(isnan(cell_of(averages, "colour/paper", "grpnmf^1", "CS", 5)));
    assert_true(fabs(cell_of(averages, "colour/count", "fseg", "CO", 5) - 84.11) < 1e-9);
    assert_true(isnan(cell_of(averages, "colour/paper", "kmeans", "CO", 5)));
    assert_true(isnan(cell_of(averages, "grey/ours", "grpnmf", "CO", 5)));
    assert_true(cell_of(averages, "grey/ours", "grpnmf^1", "CO", 4) > 90.0);
    assert_true(fabs(cell_of(averages, "colour/paper", "fseg", "I", 4) +
                     cell_of(averages, "colour/paper", "fseg", "CO", 4) - 100.0) < 1e-6);
    image drawing;
    expect_ok(ctx, image_read_size(ctx, in_folder(run, "mosaics/grey-2_1_1.png"), &drawing));
    assert_int_equal(drawing.height, SIDE / 2);
    expect_in_file(ctx, in_folder(run, "report.html"), "Figure 2");
    expect_in_file(ctx, in_folder(run, "report.html"), "grey 2_1_1, true regions and found ones");
    expect_in_file(ctx, in_folder(run, "results.csv"), "colour,2_1_1,ours,grpnmf^1,2,2,");
    expect_in_file(ctx, in_folder(run, "charts/figure-2.csv"), "0.5,");
    expect_in_file(ctx, in_folder(run, "tables.md"), "convex-nmf");
    sheet_list_free(&shown);
    expect_pinned(
        run, "tests/reproduce/pages/grpnmf.txt",
        "--close 0.02 --mask 'class=\"n[^\"]*\"( style=[^ >]*)?' n --mask 'colours 2, "
        "[^]]*' 'colours 2' "
        "--mask '\\*\\*|.textbf' '' "
        "--mask 'Orthant [0-9.]+, [a-z0-9]+ kernels, OpenBLAS [^,]*, [0-9]+ threads,' 'Orthant,' "
        "--mask 'by Orthant [0-9.]*' 'by Orthant' --mask '[^ >\"\\n]*/made' 'made' "
        "--mask '(?s)<div class=\"chart\">.*?</div>' '[chart]' "
        "--mask ',[0-9.e-]+(?=\\n(colour|grey|====))' ',#' "
        "--mask '(\"version\": )[^,\\n]*' '\\1#' --mask '[0-9.]+ s\\b' '# s' "
        "report.html 'tables.*' results.csv reproduce.json 'charts/*.csv' 'charts/*.gp' "
        "'mosaics/*'");
}

typedef struct stopper {
    int64_t calls, stop_at;
} stopper;

static bool stop_there(void *user, const orthant_progress *progress)
{
    stopper *s = user;
    if (strcmp(progress->phase, "mosaics") != 0)
        return true;
    s->calls++;
    return progress->done != s->stop_at;
}

static orthant_status run_again(orthant_context *ctx, const reproduce_request *request, stopper *s)
{
    sheet_list shown = {.ctx = ctx};
    orthant_context_set_progress(ctx, stop_there, s);
    const orthant_status status = reproduce_grpnmf(ctx, request, &shown, &(reproduce_failures){0});
    orthant_context_set_progress(ctx, NULL, NULL);
    sheet_list_free(&shown);
    return status;
}

static void expect_same_file(const char *one, const char *two)
{
    size_t size, other;
    unsigned char *a = files_read(one, &size), *b = files_read(two, &other);
    assert_int_equal(size, other);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
}

/* Stopped within a mosaic and within the ridges; each segmentation is made once. */
static void goes_on_where_it_stopped(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = new_folder("stopped");
    char run[1000], whole[1000];
    make_data(ctx, folder);
    snprintf(run, sizeof run, "%s/run", folder);
    snprintf(whole, sizeof whole, "%s/whole", folder);
    reproduce_request request = {.data = folder, .output = whole, .quick = true, .seed = 1};
    stopper s = {0, -1};
    expect_ok(ctx, run_again(ctx, &request, &s));
    assert_int_equal(s.calls, 70); /* 2 sets, 4 pipelines, 7 methods; 14 ridges */
    request.output = run;
    s = (stopper){0, 7};
    assert_int_equal(run_again(ctx, &request, &s), ORTHANT_STOPPED);
    s = (stopper){0, 61};
    assert_int_equal(run_again(ctx, &request, &s), ORTHANT_STOPPED);
    assert_int_equal(s.calls, 54);
    s = (stopper){0, -1};
    expect_ok(ctx, run_again(ctx, &request, &s));
    assert_int_equal(s.calls, 9);
    expect_same_file(in_folder(run, "results.csv"), in_folder(whole, "results.csv"));
    expect_same_file(in_folder(run, "tables.csv"), in_folder(whole, "tables.csv"));
    expect_same_file(in_folder(run, "charts/figure-2.csv"),
                     in_folder(whole, "charts/figure-2.csv"));
    assert_int_equal(access(in_folder(run, "checkpoint"), F_OK), -1);
    /* Another seed begins. */
    s = (stopper){0, 3};
    assert_int_equal(run_again(ctx, &request, &s), ORTHANT_STOPPED);
    request.seed = 2;
    s = (stopper){0, 2};
    assert_int_equal(run_again(ctx, &request, &s), ORTHANT_STOPPED);
    assert_int_equal(s.calls, 2);
}

/* A dark square on light ground, with noise, and a cloud of two planes. */
static void make_pictures(orthant_context *ctx, const char *folder)
{
    static const char *const folders[] = {"BSDS", "BSDS/images", "pointclouds", "pointclouds/mOSD"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(mkdir(in_folder(folder, folders[i]), 0777), 0);
    unsigned char pixels[SIDE * SIDE * 3];
    for (int p = 0; p < SIDE * SIDE; p++) {
        const int x = p % SIDE, y = p / SIDE;
        const bool inside = x > 20 && x < 60 && y > 20 && y < 60;
        for (int c = 0; c < 3; c++)
            pixels[3 * p + c] = (unsigned char)((inside ? 60 : 180) + (p * 7919 + c * 13) % 31);
    }
    const image drawn = {SIDE, SIDE, 3, pixels, NULL};
    expect_ok(ctx, image_write_png(ctx, &drawn, in_folder(folder, "BSDS/images/42049.jpg")));
    expect_ok(ctx, image_write_png(ctx, &drawn, in_folder(folder, "BSDS/images/3096.jpg")));
    FILE *file = fopen(in_folder(folder, "pointclouds/mOSD/learn0.pcd"), "w");
    assert_non_null(file);
    fputs("VERSION .7\nFIELDS x y z rgba\nSIZE 4 4 4 4\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH 400\n"
          "HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 400\nDATA ascii\n",
          file);
    for (int i = 0; i < 400; i++)
        fprintf(file, "%g %g %g %d\n", i % 20 / 20.0, i / 20 / 20.0, i < 200 ? 1.0 : 2.0,
                i < 200 ? 0xff2020 : 0x2020ff);
    fclose(file);
}

static int64_t lines_of(orthant_context *ctx, const char *path)
{
    char *text = NULL;
    size_t length;
    int64_t lines = 0;
    expect_ok(ctx, text_file_read(ctx, path, 1 << 20, &text, &length));
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    memory_free(ctx, text);
    return lines;
}

static void pictures_are_made_and_claims_judged(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = new_folder("pictures");
    char run[1000];
    make_pictures(ctx, folder);
    snprintf(run, sizeof run, "%s/run", folder);
    reproduce_request request = {.data = folder,
                                 .output = run,
                                 .figures = "3,5,6,7",
                                 .claims = "seconds",
                                 .quick = true,
                                 .seed = 1};
    sheet_list shown = {.ctx = ctx};
    stopper s = {0, 4}; /* stopped after the fourth, it goes on */
    assert_int_equal(run_again(ctx, &request, &s), ORTHANT_STOPPED);
    expect_ok(ctx, reproduce_grpnmf(ctx, &request, &shown, &(reproduce_failures){0}));
    assert_int_equal(shown.count, 2); /* no mosaic was asked for */
    assert_string_equal(shown.table[0]->name, "figures");
    assert_int_equal(shown.table[0]->rows, 5 + 1 + 5); /* figures 5, 6 and 7; 3 has no data */
    const sheet *claims = shown.table[1];
    assert_int_equal(claims->rows, 2);
    assert_string_equal(claims->cell[0].text, "convergence");
    assert_string_equal(claims->cell[3].text, "holds");
    assert_string_equal(claims->cell[claims->columns].text, "seconds");
    sheet_list_free(&shown);
    assert_int_equal(lines_of(ctx, in_folder(run, "figures/figure-5.csv")), 1 + 5);
    assert_int_equal(access(in_folder(run, "figures/figure-3.csv"), F_OK), -1);
    assert_int_equal(access(in_folder(run, "results.csv"), F_OK), -1);
    expect_in_file(ctx, in_folder(run, "report.html"),
                   "Prague/colour/tm1_1_1.png, which is not in the data folder");
    expect_in_file(ctx, in_folder(run, "report.html"), "after 2 iterations");
    image drawing;
    static const char *const drawings[] = {"figures/figure-5-grpnmf-500.png",
                                           "figures/figure-6-grpnmf-500-after-2.png"};
    for (int i = 0; i < 2; i++) {
        expect_ok(ctx, image_read_size(ctx, in_folder(run, drawings[i]), &drawing));
        assert_int_equal(drawing.height, SIDE);
    }
    expect_ok(ctx, image_read_size(ctx, in_folder(run, "figures/figure-7-all-500.png"), &drawing));
    request.figures = "8";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no figure '8'; its figures are 1,2,3,4,5,6,7",
                   reproduce_grpnmf(ctx, &request, &shown, &(reproduce_failures){0}));
}

static void says_what_is_missing(void **state)
{
    const char *folder = new_folder("empty");
    char run[1000];
    snprintf(run, sizeof run, "%s/run", folder);
    reproduce_request request = {.data = folder, .output = run, .seed = 1};
    sheet_list shown = {.ctx = *state};
    expect_ok(*state, reproduce_grpnmf(*state, &request, &shown, &(reproduce_failures){0}));
    assert_true(fabs(cell_of(shown.table[0], "colour/paper", "fseg", "CO", 5) - 84.11) < 1e-9);
    assert_true(isnan(cell_of(shown.table[0], "colour/paper", "fseg", "CO", 4)));
    expect_in_file(*state, in_folder(run, "report.html"), "Missing: mosaics in");
    sheet_list_free(&shown);
    request.tables = "IV";
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "no table 'IV'; its tables are I",
                   reproduce_grpnmf(*state, &request, &shown, &(reproduce_failures){0}));
    request.tables = "I";
    request.data = files_path("nowhere");
    expect_failure(*state, ORTHANT_ERROR_IO, "no such folder",
                   reproduce_grpnmf(*state, &request, &shown, &(reproduce_failures){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(finds_mosaics_by_their_numbers),      fixture_test(means_of_mosaics),
        fixture_test(table_and_figure_are_made),           fixture_test(goes_on_where_it_stopped),
        fixture_test(pictures_are_made_and_claims_judged), fixture_test(says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
