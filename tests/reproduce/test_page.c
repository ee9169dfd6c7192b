/* Tables, figures and the page of a made-up protocol over made-up runs, beside true figures of a
 * paper: as whole texts. */
#include "fixture.h"
#include "pinned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "report/text_file.h"
#include "reproduce/page.h"

static const protocol_table tables[] = {
    {.number = "2",
     .measures = "accuracy,nmi",
     .remark = "Pixels & more.",
     .study = {.dataset = "COIL20", .classes = "4,6,8,10", .methods = "kmeans,snmf,rmnd"}},
    {.number = "3",
     .measures = "accuracy",
     .remark = "Not there.",
     .study = {.dataset = "Reuters21578", .classes = "2,4", .methods = "kmeans,snmf"}},
    {.number = "9",
     .measures = "seconds",
     .from = "2",
     .remark = "Seconds of Table 2.",
     .study = {.classes = "4,6", .methods = "snmf,rmnd"}},
    {.number = "10",
     .measures = "sparseness",
     .from = "2,3",
     .remark = "All runs.",
     .study = {.methods = "kmeans,rmnd"}},
};

static const protocol_figure figures[] = {
    {.number = "1 and 3", .kind = FIGURE_RANKS, .title = "Ranks", .table = "2"},
    {.number = "4",
     .kind = FIGURE_SWEEP,
     .title = "Against <k>",
     .remark = "Other people.",
     .measures = "accuracy,nmi",
     .parameter = "k",
     .study = {.dataset = "COIL20|ORL", .methods = "snmf,rmnd"}},
    {.number = "5",
     .kind = FIGURE_CONVERGENCE,
     .title = "Objectives",
     .study = {.dataset = "ORL", .methods = "snmf,rmnd"}},
    {.number = "6",
     .kind = FIGURE_BASES,
     .title = "Parts",
     .study = {.dataset = "ORL", .methods = "nmf"}},
    {.number = "7",
     .kind = FIGURE_POINTS,
     .title = "Points",
     .study = {.dataset = "toy", .methods = "nmf,nlcf"}},
    {.number = "8",
     .kind = FIGURE_SIMILARITY,
     .title = "Similarities",
     .study = {.dataset = "ORL", .methods = "snmf,wnmf,rmnd"}},
    {.number = "9",
     .kind = FIGURE_SWEEP,
     .title = "Nothing ended",
     .measures = "accuracy",
     .parameter = "k",
     .study = {.dataset = "ORL", .methods = "snmf"}},
};

static const protocol paper = {.paper = "rmnd",
                               .title = "A <title>",
                               .tables = tables,
                               .table_count = sizeof tables / sizeof *tables,
                               .figures = figures,
                               .figure_count = sizeof figures / sizeof *figures};

/* ---- what the runs left ---- */

static void make_folders(const char *path)
{
    char command[1200];
    snprintf(command, sizeof command, "mkdir -p '%s'", path);
    assert_int_equal(system(command), 0);
}

static void begin_runs(orthant_context *ctx, protocol_runs *runs, const char *name,
                       const char *dataset)
{
    *runs = (protocol_runs){.ctx = ctx, .seconds = 12.5};
    snprintf(runs->dataset, sizeof runs->dataset, "%s", dataset);
    results_begin(ctx, &runs->results);
    runs->folder = memory_text(ctx, files_path(name));
    assert_non_null(runs->folder);
}

static void add_run(protocol_runs *runs, const char *method, int64_t classes, int64_t repeat,
                    double accuracy)
{
    study_row row = {.dataset = "COIL20",
                     .method = method,
                     .classes = classes,
                     .repeat = repeat,
                     .seed = 7 + repeat};
    const double values[MEASURE_COUNT] = {
        accuracy, accuracy * accuracy, 0.25, 0.5, accuracy / 4, 10, 20, 0.5 + accuracy};
    memcpy(row.value, values, sizeof values);
    if (!strcmp(method, "kmeans"))
        row.value[MEASURE_SPARSENESS] = NAN;
    assert_int_equal(results_add(&runs->results, &row), ORTHANT_OK);
}

static void add_table(protocol_runs *runs)
{
    static const struct {
        const char *method;
        double accuracy;
        int64_t most; /* classes that were run */
    } rows[] = {{"kmeans", 0.55, 10}, {"snmf", 0.9, 8}, {"rmnd", 0.3, 10}};
    for (size_t m = 0; m < 3; m++)
        for (int64_t classes = 4; classes <= rows[m].most; classes += 2)
            for (int64_t repeat = 0; repeat < 3; repeat++)
                add_run(runs, rows[m].method, classes, repeat,
                        rows[m].accuracy + 0.004 * (double)(classes - 7) +
                            0.03 * (double)(repeat - 1) * (double)(m + 1));
}

static void keep(orthant_context *ctx, const protocol_runs *runs, const char *method,
                 const char *file, int64_t rows, int64_t columns, const double *values)
{
    char path[800];
    orthant_matrix *matrix = NULL;
    snprintf(path, sizeof path, "%s/runs/COIL20/%s/3", runs->folder, method);
    make_folders(path);
    snprintf(path, sizeof path, "%s/runs/COIL20/%s/3/%s", runs->folder, method, file);
    expect_ok(ctx, orthant_matrix_create(ctx, rows, columns, values, &matrix));
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    orthant_matrix_free(matrix);
}

static void keep_text(const protocol_runs *runs, const char *method, const char *file,
                      const char *text)
{
    char path[800];
    snprintf(path, sizeof path, "%s/runs/COIL20/%s/3", runs->folder, method);
    make_folders(path);
    snprintf(path, sizeof path, "%s/runs/COIL20/%s/3/%s", runs->folder, method, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* Five samples of 2 x 3 pixels in three classes. */
static void add_samples(orthant_context *ctx, protocol_runs *runs)
{
    static const double values[] = {0, 1, 2, 3, 4, 5, 9, 8, 7, 6, 5, 4, 1, 1, 0,
                                    2, 2, 0, 0, 5, 0, 5, 0, 5, 3, 1, 4, 1, 5, 9};
    static const int64_t truth[] = {2, 5, 2, 7, 5};
    expect_ok(ctx, orthant_matrix_create(ctx, 5, 6, values, &runs->samples));
    orthant_matrix_set_picture(runs->samples, (orthant_picture_shape){2, 3, 1, false});
    expect_ok(ctx, orthant_labels_create(ctx, 5, truth, &runs->truth));
}

static void make_figures(orthant_context *ctx, figure_runs *made)
{
    static const double basis[] = {1, 0, 3, 0, 2, 1, 4, 1, 1, 0, 0, 2, 1, 5, 0, 2, 2, 2},
                        encoding[] = {1, 0, 2, 0, 3, 0, 4, 0, 1, 1, 1, 1, 0, 2, 5},
                        core[] = {1, 0.5, 0, 0.25, 2, 0, 0, 0, 1},
                        plane[] = {1, 5, 2, 7.25, 3, 0.125, 2, 9, 4, 4},
                        corners[] = {1, 9, 4, 0.5, 8, 4};
    for (int i = 0; i < paper.figure_count; i++)
        made[i].figure = &figures[i];
    protocol_runs *sweep = &made[1].runs;
    begin_runs(ctx, sweep, "figure-4", "ORL");
    for (int64_t r = 0; r < 3; r++) {
        add_run(sweep, "snmf k=1", 3, r, 0.5 + 0.1 * (double)r);
        add_run(sweep, "rmnd k=1", 3, r, 0.25 + 0.05 * (double)r);
        add_run(sweep, "snmf k=30", 3, r, 0.6 + 0.02 * (double)r);
        add_run(sweep, "snmf kk=7", 3, r, 0.9);
        add_run(sweep, "snmf", 3, r, 0.1);
    }
    add_run(sweep, "rmnd k=30", 3, 0, 0.875);
    protocol_runs *curve = &made[2].runs;
    begin_runs(ctx, curve, "figure-5", "ORL");
    add_run(curve, "snmf", 3, 0, 0.5);
    keep_text(curve, "snmf", "history.csv", "iteration,seconds,objective\n0,0,10\n1,1,7\n2,2,5\n");
    keep_text(curve, "rmnd", "history.csv", "iteration,seconds,loss,objective\n0,0,1,9\n5,1,1,3\n");
    protocol_runs *parts = &made[3].runs;
    begin_runs(ctx, parts, "figure-6", "ORL");
    add_run(parts, "nmf", 3, 0, 0.5);
    add_samples(ctx, parts);
    keep(ctx, parts, "nmf", "basis.npy", 6, 3, basis);
    keep(ctx, parts, "nmf", "encoding.npy", 5, 3, encoding);
    protocol_runs *points = &made[4].runs;
    begin_runs(ctx, points, "figure-7", "toy");
    add_run(points, "nmf", 3, 0, 0.5);
    expect_ok(ctx, orthant_matrix_create(ctx, 5, 2, plane, &points->samples));
    for (int m = 0; m < 2; m++) {
        keep(ctx, points, m ? "nlcf" : "nmf", "basis.npy", 2, 3, corners);
        keep_text(points, m ? "nlcf" : "nmf", "labels.csv",
                  m ? "0\n1\n2\n1\n0\n" : "2\n2\n1\n0\n1\n");
    }
    protocol_runs *alike = &made[5].runs;
    begin_runs(ctx, alike, "figure-8", "ORL");
    add_run(alike, "snmf", 3, 0, 0.5);
    add_samples(ctx, alike);
    keep(ctx, alike, "snmf", "encoding.npy", 5, 3, encoding);
    keep(ctx, alike, "wnmf", "encoding.npy", 5, 3, encoding);
    keep(ctx, alike, "wnmf", "core.npy", 3, 3, core);
    keep(ctx, alike, "rmnd", "relation.npy", 5, 3, encoding);
    begin_runs(ctx, &made[6].runs, "figure-9", "ORL");
}

static void make_tables(orthant_context *ctx, table_runs *made)
{
    for (int i = 0; i < paper.table_count; i++)
        made[i].table = &tables[i];
    begin_runs(ctx, &made[0].runs, "table-2", "COIL20");
    add_table(&made[0].runs);
    made[0].wanted = made[1].wanted = true;
    made[0].runs.data = memory_text(ctx, files_write_text("coil.mat", "bytes\n"));
    begin_runs(ctx, &made[1].runs, "table-3", "Reuters21578");
    made[1].runs.missing = true;
    snprintf(made[1].runs.reason, sizeof made[1].runs.reason, "data/<Reuters> is not there");
}

/* ---- tests ---- */

/* Everything of a request, in a folder that is then compared. */
static void make_all(orthant_context *ctx, const char *name, reproduce_request *request)
{
    table_runs runs[sizeof tables / sizeof *tables] = {0};
    figure_runs drawn[sizeof figures / sizeof *figures] = {0};
    static const protocol_item none[] = {{NULL, NULL, NULL, NULL, NULL}};
    static const reproducible row = {.name = "rmnd", .protocol = &paper, .items = none};
    reproduction made = {.ctx = ctx,
                         .request = request,
                         .paper = &paper,
                         .of = &row,
                         .tables = runs,
                         .figures = drawn};
    sheet_list list = {.ctx = ctx};
    char folder[500], words[RUNS_WORDS];
    snprintf(folder, sizeof folder, "%s", files_path(name));
    make_folders(folder);
    request->output = folder;
    request->command = "orthant <reproduce>";
    request->seed = 5;
    make_tables(ctx, runs);
    make_figures(ctx, drawn);
    for (int i = 0; i < paper.figure_count; i++) {
        drawn[i].shown = !request->tables;
        drawn[i].wanted = drawn[i].shown && !paper.figures[i].table;
    }
    expect_ok(ctx, tables_averages(ctx, &paper, runs, &list));
    for (int i = 0; i < paper.table_count; i++)
        expect_ok(ctx, tables_make(ctx, &paper, runs, i, &list));
    runs_words(request, words);
    expect_ok(ctx, reproduction_note(request, words, &list));
    expect_ok(ctx, reproduction_write_sheets(ctx, request, &list));
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    setenv("PATH", "/nowhere", 1); /* gnuplot's drawings are its own */
    expect_ok(ctx, reproduction_page(&made, &list));
    setenv("PATH", path, 1);
    free(path);
    sheet_list_free(&list);
    for (int i = 0; i < paper.table_count; i++)
        runs_free(&runs[i].runs);
    for (int i = 0; i < paper.figure_count; i++)
        runs_free(&drawn[i].runs);
}

#define MASKS                                                                                  \
    "--mask 'Orthant [0-9.]+, [a-z0-9]+ kernels, OpenBLAS [^,]*, [0-9]+ threads,' 'Orthant,' " \
    "--mask 'by Orthant [0-9.]*' 'by Orthant' "                                                \
    "--mask '>[^>\\n]*/coil.mat' '>coil.mat' "

static void whole_protocol(void **state)
{
    reproduce_request request = {.data = "data"};
    make_all(*state, "whole", &request);
    expect_pinned(files_path("whole"), "tests/reproduce/pages/whole.txt",
                  MASKS "report.html 'tables.*' 'charts/*'");
}

static void some_tables_quickly(void **state)
{
    reproduce_request request = {.data = "data", .tables = "2,10", .quick = true, .repeats = 1};
    make_all(*state, "quick", &request);
    expect_pinned(files_path("quick"), "tests/reproduce/pages/quick.txt",
                  MASKS "report.html tables.md");
}

static void some_repeats(void **state)
{
    reproduce_request request = {.data = "data", .tables = "3", .repeats = 3};
    make_all(*state, "repeats", &request);
    expect_pinned(files_path("repeats"), "tests/reproduce/pages/repeats.txt",
                  MASKS "report.html tables.md");
}

static void words_of_requests(void **state)
{
    static const struct {
        int64_t repeats;
        bool quick;
        const char *words;
    } cases[] = {
        {0, false, ""},
        {1, false, "1 repeat of each run"},
        {20, false, "20 repeats of each run"},
        {0, true, "30 iterations, at most 2 repeats, the first 2 numbers of classes"},
        {1, true, "30 iterations, at most 1 repeat, the first 2 numbers of classes"},
        {3, true, "30 iterations, at most 2 repeats, the first 2 numbers of classes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const reproduce_request request = {.repeats = cases[i].repeats, .quick = cases[i].quick};
        char words[RUNS_WORDS];
        runs_words(&request, words);
        assert_string_equal(words, cases[i].words);
    }
}

static void measures_of_runs(void **state)
{
    orthant_context *ctx = *state;
    protocol_runs runs;
    begin_runs(ctx, &runs, "measures", "ORL");
    add_run(&runs, "nmf", 4, 0, 0.5);
    add_run(&runs, "nmf", 4, 1, 0.7);
    add_run(&runs, "nmf", 4, 2, 0.9);
    add_run(&runs, "nmf", 6, 0, 0.1);
    add_run(&runs, "snmf", 4, 0, 0.3);
    runs_cell cell = runs_measure(&runs.results, "nmf", 4, MEASURE_ACCURACY);
    assert_int_equal(cell.count, 3);
    assert_true(fabs(cell.mean - 0.7) < 1e-15 && fabs(cell.deviation - 0.2) < 1e-15);
    cell = runs_measure(&runs.results, "nmf", 0, MEASURE_ACCURACY);
    assert_int_equal(cell.count, 4);
    assert_true(fabs(cell.mean - 0.55) < 1e-15);
    cell = runs_measure(&runs.results, "nmf", 6, MEASURE_ACCURACY);
    assert_true(cell.count == 1 && cell.mean == 0.1 && isnan(cell.deviation));
    cell = runs_measure(&runs.results, "nmf", 5, MEASURE_ACCURACY);
    assert_true(cell.count == 0 && isnan(cell.mean) && isnan(cell.deviation));
    study_measure measure = MEASURE_ACCURACY;
    assert_true(measure_find("seconds", &measure));
    assert_int_equal(measure, MEASURE_SECONDS);
    assert_false(measure_find("second", &measure));
    int64_t numbers[3];
    assert_int_equal(class_numbers("5,10,20", numbers, 3), 3);
    assert_true(numbers[0] == 5 && numbers[1] == 10 && numbers[2] == 20);
    assert_int_equal(class_numbers("5,10,20", numbers, 2), 2);
    assert_int_equal(class_numbers(NULL, numbers, 2), 0);
    char *kept = runs_kept(&runs, "nmf k=1.5 a/b:C9,+_", 12);
    assert_non_null(kept);
    assert_string_equal(kept + strlen(runs.folder), "/runs/COIL20/nmf_k=1.5_a_b_C9,+_/12");
    memory_free(ctx, kept);
    runs_free(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(whole_protocol),   fixture_test(some_tables_quickly),
        fixture_test(some_repeats),     fixture_test(words_of_requests),
        fixture_test(measures_of_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
