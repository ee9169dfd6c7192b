/* Run folders by the library alone: what is written, replaced, refused and taken away again. */
#include <errno.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "orthant/orthant.h"
#include "report/history.h"
#include "report/record.h"
#include "report/replace.h"

/* After the library, whose fail() it makes a macro. */
#include <cmocka.h>

typedef struct fixture {
    orthant_context *ctx;
    orthant_matrix *samples;
    orthant_model *model;
    orthant_result *result;
    orthant_labels *labels;
    char folder[64]; /* goes away */
} fixture;

static int setup(void **state)
{
    static fixture f;
    double values[12 * 9];
    memset(&f, 0, sizeof f);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 9; j++)
            values[i * 9 + j] = (j / 3 == i % 3 ? 5 : 0) + 0.1 * ((i * 5 + j * 3) % 7);
    /* In memory where that can be: hundreds of runs are written, and each waits for its disk. */
    snprintf(f.folder, sizeof f.folder, "%s/orthant-test-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(f.folder) || orthant_context_create(&f.ctx) ||
        orthant_matrix_create(f.ctx, 12, 9, values, &f.samples))
        return -1;
    orthant_matrix_set_picture(f.samples, (orthant_picture_shape){3, 3, 1, false});
    if (orthant_model_create(f.ctx, "nnsc", 3, &f.model) ||
        orthant_model_set(f.model, "iterations", "20") ||
        orthant_fit(f.model, f.samples, &f.result) ||
        orthant_result_labels(f.result, NULL, 3, 5, 1, &f.labels))
        return -1;
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    char command[128];
    orthant_labels_free(f->labels);
    orthant_result_free(f->result);
    orthant_model_free(f->model);
    orthant_matrix_free(f->samples);
    const size_t left = orthant_context_memory(f->ctx);
    orthant_context_free(f->ctx);
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    return system(command) || left ? -1 : 0;
}

static orthant_run whole_run(const fixture *f)
{
    return (orthant_run){.size = sizeof(orthant_run),
                         .command = "orthant <fit>",
                         .scale = "unit",
                         .samples = f->samples,
                         .model = f->model,
                         .result = f->result,
                         .labels = f->labels,
                         .labels_rule = "kmeans:encoding"};
}

static const char *in(const fixture *f, const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    return path;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The first 64 kB, malloc'ed. */
static char *read_text(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void test_run_reads_back(void **state)
{
    const fixture *f = *state;
    const orthant_run run = whole_run(f);
    run_list list;
    orthant_matrix *basis = NULL;
    char path[256];
    snprintf(path, sizeof path, "%s", in(f, "new/deep/run"));
    assert_int_equal(orthant_run_check(f->ctx, path), ORTHANT_OK);
    assert_false(file_exists(in(f, "new")));
    assert_int_equal(orthant_run_write(f->ctx, &run, path), ORTHANT_OK);
    assert_int_equal(run_list_read(f->ctx, path, &list), ORTHANT_OK);
    assert_true(list.single);
    const run_record *record = &list.record[0];
    assert_string_equal(record->name, "run");
    assert_string_equal(record_text(record, "method"), "nnsc");
    assert_string_equal(record_text(record, "command"), "orthant <fit>");
    assert_string_equal(record_text(record, "scale"), "unit");
    assert_true(record_number(record, "rank") == 3);
    assert_true(record_number(record, "iterations") ==
                (double)orthant_result_iterations(f->result));
    assert_true(record_number(record, "objective") == orthant_result_objective(f->result));
    assert_true(record_data_number(record, "samples") == 12);
    assert_true(isnan(record_score(record, "accuracy")));
    assert_true(record_picture(record).width == 3);
    assert_int_equal(record->history.rows, orthant_result_history_rows(f->result));
    const int objective = history_column(&record->history, "objective");
    for (int64_t row = 0; row < record->history.rows; row++)
        assert_true(record->history.values[row * record->history.columns + objective] ==
                    orthant_result_history(f->result, row, objective));
    run_list_free(&list);
    assert_int_equal(
        orthant_matrix_read(f->ctx, in(f, "new/deep/run/basis.npy"), NULL, &basis, NULL),
        ORTHANT_OK);
    assert_int_equal(orthant_matrix_rows(basis), 9);
    assert_true(orthant_matrix_get(basis, 4, 1) ==
                orthant_matrix_get(orthant_result_factor(f->result, "basis"), 4, 1));
    orthant_matrix_free(basis);
    assert_true(file_exists(in(f, "new/deep/run/basis.png")));
    assert_true(file_exists(in(f, "new/deep/run/labels.csv")));
}

static void test_replacing_a_run_keeps_what_is_not_its_own(void **state)
{
    const fixture *f = *state;
    orthant_run run = whole_run(f);
    char path[256];
    snprintf(path, sizeof path, "%s", in(f, "run/"));
    assert_int_equal(orthant_run_write(f->ctx, &run, path), ORTHANT_OK);
    write_text(in(f, "run/notes.txt"), "mine");
    assert_true(file_exists(in(f, "run/charts/convergence.gp")));
    write_text(in(f, "run/charts/notes.txt"), "mine");
    write_text(in(f, "run/charts/stale.svg"), "of the earlier run");
    run.labels = NULL;
    assert_int_equal(orthant_run_check(f->ctx, path), ORTHANT_OK);
    assert_int_equal(orthant_run_write(f->ctx, &run, path), ORTHANT_OK);
    assert_true(file_exists(in(f, "run/notes.txt")));
    assert_true(file_exists(in(f, "run/charts/notes.txt")));
    assert_true(file_exists(in(f, "run/charts/convergence.gp")));
    assert_false(file_exists(in(f, "run/charts/stale.svg")));
    assert_false(file_exists(in(f, "run/labels.csv")));
    assert_true(file_exists(in(f, "run/run.json")));
}

/* The same where folders cannot be exchanged. */
static void test_moving_in_keeps_what_is_not_its_own(void **state)
{
    const fixture *f = *state;
    orthant_run run = whole_run(f);
    json_value *earlier = NULL;
    char from[256], target[256];
    snprintf(from, sizeof from, "%s", in(f, "new"));
    snprintf(target, sizeof target, "%s", in(f, "run"));
    assert_int_equal(orthant_run_write(f->ctx, &run, target), ORTHANT_OK);
    write_text(in(f, "run/notes.txt"), "mine");
    write_text(in(f, "run/charts/notes.txt"), "mine");
    write_text(in(f, "run/charts/stale.svg"), "of the earlier run");
    run.labels = NULL;
    assert_int_equal(orthant_run_write(f->ctx, &run, from), ORTHANT_OK);
    assert_int_equal(run_read_json(f->ctx, target, &earlier), ORTHANT_OK);
    assert_non_null(earlier);
    assert_int_equal(run_move_in(f->ctx, from, earlier, target), ORTHANT_OK);
    json_free(f->ctx, earlier);
    assert_true(file_exists(in(f, "run/notes.txt")));
    assert_true(file_exists(in(f, "run/charts/notes.txt")));
    assert_true(file_exists(in(f, "run/charts/convergence.gp")));
    assert_false(file_exists(in(f, "run/charts/stale.svg")));
    assert_false(file_exists(in(f, "run/labels.csv")));
    assert_false(file_exists(in(f, "new/run.json")));
    assert_int_equal(orthant_run_report(f->ctx, target), ORTHANT_OK);
}

static void test_refuses_other_folders(void **state)
{
    const fixture *f = *state;
    const orthant_run run = whole_run(f);
    FILE *file = fopen(in(f, "notes.txt"), "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(orthant_run_check(f->ctx, f->folder), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_run_write(f->ctx, &run, f->folder), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_run_write(f->ctx, &run, in(f, "notes.txt")), ORTHANT_ERROR_IO);
    assert_int_equal(orthant_run_check(f->ctx, in(f, "notes.txt/run")), ORTHANT_ERROR_IO);
    assert_int_equal(orthant_run_write(f->ctx, &run, in(f, "notes.txt/run")), ORTHANT_ERROR_IO);
    assert_int_equal(orthant_run_write(f->ctx, &run, ""), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_run_report(f->ctx, f->folder), ORTHANT_ERROR_FORMAT);
    assert_int_equal(orthant_run_report(f->ctx, in(f, "nowhere")), ORTHANT_ERROR_IO);
}

/* A run whose data is gone fails when its checksum is taken: nothing stays, the new parents
 * neither. */
static void test_failing_run_leaves_nothing(void **state)
{
    const fixture *f = *state;
    orthant_run run = whole_run(f);
    run.data_path = "/nowhere/data.mat";
    assert_int_equal(orthant_run_write(f->ctx, &run, in(f, "a/b/run")), ORTHANT_ERROR_IO);
    assert_false(file_exists(in(f, "a")));
    run.data_path = NULL;
    assert_int_equal(orthant_run_write(f->ctx, &run, in(f, "run")), ORTHANT_OK);
    run.data_path = "/nowhere/data.mat";
    assert_int_equal(orthant_run_write(f->ctx, &run, in(f, "run")), ORTHANT_ERROR_IO);
    run_list list;
    assert_int_equal(run_list_read(f->ctx, in(f, "run"), &list), ORTHANT_OK);
    run_list_free(&list);
}

static void test_damaged_history_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "a,b\n1,2\n",
                                        "iteration,seconds,objective\n1,2\n",
                                        "iteration,seconds,objective\n1,2,x\n",
                                        "iteration,seconds,objective\n1,2,1e400\n",
                                        "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q\n"};
    const fixture *f = *state;
    history found;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(in(f, "history.csv"), texts[i]);
        assert_int_equal(history_read(f->ctx, in(f, "history.csv"), &found), ORTHANT_ERROR_FORMAT);
        assert_null(found.values);
    }
    write_text(in(f, "history.csv"), "iteration,seconds,objective\r\n0,0.5,\r\n1,,3");
    assert_int_equal(history_read(f->ctx, in(f, "history.csv"), &found), ORTHANT_OK);
    assert_int_equal(found.rows, 2);
    assert_true(isnan(found.values[2]) && found.values[1] == 0.5 && found.values[5] == 3);
    assert_int_equal(history_column(&found, "objective"), 2);
    assert_int_equal(history_column(&found, "loss"), -1);
    history_free(f->ctx, &found);
}

/* What a stranger may have put into run.json reaches the page escaped, and no file outside is
 * touched. */
static void test_hostile_run_is_escaped(void **state)
{
    const fixture *f = *state;
    assert_int_equal(mkdir(in(f, "run"), 0777), 0);
    write_text(in(f, "keep.npy"), "x");
    write_text(in(f, "run/run.json"), "{\"method\": \"<script>alert(1)</script>\", \"rank\": "
                                      "1e300, \"iterations\": -5, \"command\": \"'\\\"<&>\","
                                      "\"factors\": [\"../keep\", 3, null], \"terms\": [[], 1, "
                                      "{\"name\": 3}], \"notes\": {\"a\": \"<b>\"},"
                                      "\"data\": {\"path\": \"</title><b>\", \"samples\": \"x\", "
                                      "\"picture\": {\"height\": 1e9, \"width\": 2}},"
                                      "\"parameters\": [1, 2], \"scores\": 7}");
    assert_int_equal(orthant_run_report(f->ctx, in(f, "run")), ORTHANT_OK);
    char *page = read_text(in(f, "run/report.html"));
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<b>"));
    assert_non_null(strstr(page, "&lt;script&gt;"));
    free(page);
    const orthant_run run = whole_run(f);
    assert_int_equal(orthant_run_write(f->ctx, &run, in(f, "run")), ORTHANT_OK);
    assert_true(file_exists(in(f, "keep.npy")));
}

/* ---- gnuplot, which is started before there is anything to draw ------------------------------
 */

/* A program `gnuplot` of these lines becomes the only one; NULL: there is none. */
static void replace_gnuplot(const fixture *f, const char *lines)
{
    char program[128], text[256];
    snprintf(program, sizeof program, "%s/gnuplot", f->folder);
    setenv("PATH", f->folder, 1);
    unlink(program);
    if (!lines)
        return;
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", lines);
    write_text(program, text);
    assert_int_equal(chmod(program, 0700), 0);
}

static void no_child_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_any_gnuplot_ends(void **state)
{
    const fixture *f = *state;
    /* None; one that dies at once; one that reads all and draws nothing; one that does not read. */
    static const char *const programs[] = {NULL, "exit 3", "while read -r line; do :; done",
                                           "exit 0"};
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    const orthant_run run = whole_run(f);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        replace_gnuplot(f, programs[i]);
        assert_int_equal(orthant_run_write(f->ctx, &run, in(f, "run")), ORTHANT_OK);
        no_child_is_left();
        char *page = read_text(in(f, "run/report.html"));
        assert_non_null(strstr(page, "gnuplot was not found or failed"));
        assert_true(file_exists(in(f, "run/charts/convergence.gp")));
        assert_false(file_exists(in(f, "run/charts/convergence.svg")));
        assert_false(file_exists(in(f, "run/charts/convergence.svg.part")));
        free(page);
    }
    /* A run that fails does not wait for one that would take a minute. */
    replace_gnuplot(f, "exec /bin/sleep 60");
    orthant_run bad = whole_run(f);
    bad.data_path = "there is no such file";
    const double begun = clock_seconds();
    assert_int_equal(orthant_run_write(f->ctx, &bad, in(f, "bad")), ORTHANT_ERROR_IO);
    assert_true(clock_seconds() - begun < 30);
    no_child_is_left();
    assert_false(file_exists(in(f, "bad")));
    setenv("PATH", path, 1);
    free(path);
}

/* ---- memory that fails ------------------------------------------------------------------------
 */

typedef struct budget {
    int64_t left; /* allocations that succeed */
} budget;

static void *allocate(void *user, size_t size, size_t alignment)
{
    budget *b = user;
    return b->left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static int entries(const char *folder)
{
    DIR *open = opendir(folder);
    int count = 0;
    for (struct dirent *entry; open && (entry = readdir(open));)
        count += *entry->d_name != '.';
    if (open)
        closedir(open);
    return count;
}

/* With the n-th allocation failing, for every n, a run is written whole or not at all, and from
 * then on replaced whole or not at all. */
static void test_failing_memory_leaves_nothing(void **state)
{
    const fixture *f = *state;
    orthant_context *ctx = NULL;
    orthant_matrix *samples = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    bool whole = false;
    budget b = {INT64_MAX};
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    /* Without gnuplot: hundreds of charts take their time. */
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    assert_int_equal(orthant_context_set_allocator(ctx, allocate, release, &b), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create(ctx, 2, 4, (double[]){1, 2, 3, 4, 4, 3, 2, 1}, &samples),
                     ORTHANT_OK);
    orthant_matrix_set_picture(samples, (orthant_picture_shape){2, 2, 1, true});
    assert_int_equal(orthant_model_create(ctx, "nmf", 2, &model), ORTHANT_OK);
    assert_int_equal(orthant_fit(model, samples, &result), ORTHANT_OK);
    const orthant_run run = {
        .size = sizeof run, .samples = samples, .model = model, .result = result};
    const size_t before = orthant_context_memory(ctx);
    for (int64_t n = 0; status == ORTHANT_ERROR_MEMORY; n++) {
        assert_true(n < 10000);
        b.left = n;
        status = orthant_run_write(ctx, &run, in(f, "sub/run"));
        b.left = INT64_MAX;
        assert_int_equal(orthant_context_memory(ctx), before);
        if (status) {
            if (status != ORTHANT_ERROR_MEMORY)
                fail_msg("allocation %d: %s", (int)n, orthant_message(ctx));
            /* Where memory ran out behind it, for the page, the run is there. */
            if (file_exists(in(f, "sub")))
                assert_int_equal(orthant_run_report(ctx, in(f, "sub/run")), ORTHANT_OK);
            whole = whole || file_exists(in(f, "sub"));
            assert_int_equal(file_exists(in(f, "sub")), whole);
            assert_int_equal(entries(in(f, "sub")), whole);
        }
    }
    assert_int_equal(status, ORTHANT_OK);
    assert_true(file_exists(in(f, "sub/run/report.html")));
    setenv("PATH", path, 1);
    free(path);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(samples);
    orthant_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_run_reads_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replacing_a_run_keeps_what_is_not_its_own, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_moving_in_keeps_what_is_not_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refuses_other_folders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failing_run_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_history_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hostile_run_is_escaped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_any_gnuplot_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failing_memory_leaves_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
