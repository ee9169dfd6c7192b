/* The file of a checkpoint: what was written comes back; one that is damaged anywhere is refused
 * and the one before it is taken; another fit's is refused with what differs; one that cannot be
 * written does not end the fit. */
#include "fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/checkpoint.h"
#include "files.h"
#include "problem.h"

/* ---- the file ---- */

typedef struct contents {
    float encoding[7][4]; /* three columns and a padding */
    double sums[5];
    int64_t number;
} contents;

static void list(contents *c, checkpoint_parts *parts)
{
    parts->count = 0;
    parts_add_array(parts, "encoding", &(kernels){.size = sizeof(float)},
                    (array){c->encoding, 7, 3, 4});
    parts_add_numbers(parts, "sums", c->sums, 5);
    parts_add_field(parts, "number", &c->number, sizeof c->number);
}

static contents contents_of(int seed)
{
    contents c = {.number = seed};
    for (int i = 0; i < 21; i++)
        c.encoding[i / 3][i % 3] = (float)(i + seed);
    for (int i = 0; i < 5; i++)
        c.sums[i] = i / 3.0 + seed;
    return c;
}

static void write_contents(checkpoint_writer *w, int seed)
{
    contents c = contents_of(seed);
    checkpoint_parts parts;
    list(&c, &parts);
    expect_ok(w->ctx, checkpoint_write(w, "rank=3\n", &parts));
}

/* The seed of what is read; -1 where nothing can be. */
static int64_t read_contents(orthant_context *ctx, const char *path)
{
    contents c = {0};
    checkpoint_parts parts;
    checkpoint_reader r;
    int64_t found = -1;
    if (!checkpoint_open(&r, ctx, path, NULL)) {
        list(&c, &parts);
        expect_ok(ctx, checkpoint_read(&r, &parts));
        assert_string_equal(r.settings, "rank=3\n");
        const contents expected = contents_of((int)c.number);
        assert_memory_equal(&c, &expected, sizeof c);
        found = c.number;
    }
    checkpoint_close(&r);
    return found;
}

static int warnings;

static void count_warning(void *user, orthant_log_level level, const char *message)
{
    (void)user;
    (void)message;
    warnings += level == ORTHANT_LOG_WARNING;
}

static void test_there_and_back(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_path("back.checkpoint");
    checkpoint_writer w;
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, NULL));
    assert_int_equal(read_contents(ctx, path), -1);
    for (int i = 1; i <= 3; i++) {
        write_contents(&w, i);
        expect_ok(ctx, checkpoint_finish(&w, true));
        assert_int_equal(read_contents(ctx, path), i);
    }
    assert_int_equal(read_contents(ctx, files_path("back.checkpoint.previous")), 2);
    /* One that is under way when the fit ends gets its name too. */
    write_contents(&w, 4);
    checkpoint_release(&w);
    assert_int_equal(read_contents(ctx, path), 4);
    /* Another fit's are no "previous" ones of this. */
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, NULL));
    write_contents(&w, 9);
    checkpoint_release(&w);
    assert_int_equal(read_contents(ctx, path), 9);
    assert_int_equal(access(files_path("back.checkpoint.previous"), F_OK), -1);
    expect_ok(ctx, orthant_checkpoint_remove(ctx, path));
    expect_ok(ctx, orthant_checkpoint_remove(ctx, path));
    assert_int_equal(read_contents(ctx, path), -1);
}

/* While `sync_failures` are left the disk does not take what is written; afterwards it says nothing
 * of it, as Linux does. */
static int sync_failures;

int fsync(int descriptor)
{
    if (sync_failures <= 0)
        return fdatasync(descriptor);
    sync_failures--;
    errno = EIO;
    return -1;
}

/* A file takes its name as soon as the disk has it: nobody asks for it, as in an iteration that
 * takes hours. */
static void test_named_by_itself(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_path("itself.checkpoint");
    checkpoint_writer w;
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, NULL));
    for (int i = 1; i <= 2; i++) {
        write_contents(&w, i);
        for (int waited = 0; waited < 6000 && read_contents(ctx, path) != i; waited++)
            usleep(10000);
        assert_int_equal(read_contents(ctx, path), i);
    }
    assert_int_equal(read_contents(ctx, files_path("itself.checkpoint.previous")), 1);
    checkpoint_release(&w);
    assert_int_equal(read_contents(ctx, path), 2);
}

/* What did not come to the disk does not take the place of what is there. */
static void test_disk_error(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_path("disk.checkpoint");
    checkpoint_writer w;
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, NULL));
    write_contents(&w, 1);
    expect_ok(ctx, checkpoint_finish(&w, true));
    sync_failures = 1;
    write_contents(&w, 2);
    expect_failure(ctx, ORTHANT_ERROR_IO, "disk.checkpoint: cannot be written",
                   checkpoint_finish(&w, true));
    assert_int_equal(sync_failures, 0);
    assert_int_equal(read_contents(ctx, path), 1);
    write_contents(&w, 3);
    checkpoint_release(&w);
    assert_int_equal(read_contents(ctx, path), 3);
    assert_int_equal(read_contents(ctx, files_path("disk.checkpoint.previous")), 1);
}

/* The only whole file stays until there is another. */
static void test_goes_on_from_previous(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_path("on.checkpoint");
    char previous[512];
    checkpoint_writer w;
    snprintf(previous, sizeof previous, "%s.previous", path);
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, NULL));
    write_contents(&w, 1);
    write_contents(&w, 2);
    checkpoint_release(&w);
    files_write_text("on.checkpoint", "damaged");
    assert_int_equal(read_contents(ctx, path), 1);
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, previous));
    write_contents(&w, 3);
    expect_ok(ctx, checkpoint_finish(&w, true));
    assert_int_equal(read_contents(ctx, path), 3);
    assert_int_equal(read_contents(ctx, previous), 1);
    write_contents(&w, 4);
    checkpoint_release(&w);
    assert_int_equal(read_contents(ctx, path), 4);
    assert_int_equal(read_contents(ctx, previous), 3);
}

/* Each byte of it flipped, and each length that is shorter. */
static void test_damage(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_path("damaged");
    char other[512];
    size_t size;
    checkpoint_writer w;
    snprintf(other, sizeof other, "%s.previous", path);
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, NULL));
    write_contents(&w, 1);
    write_contents(&w, 2);
    checkpoint_release(&w);
    unsigned char *bytes = files_read(path, &size), *previous = files_read(other, &size);
    orthant_context_set_log(ctx, count_warning, NULL);
    for (size_t i = 0; i < 2 * size; i++) {
        const size_t at = i / 2;
        warnings = 0;
        if (i % 2)
            bytes[at] ^= 0x10;
        files_write("damaged", bytes, i % 2 ? size : at);
        const int64_t found = read_contents(ctx, path);
        /* Bytes between the parts are nobody's: nothing is lost with them. */
        if (found != 1 && !(found == 2 && i % 2 && bytes[at] == 0x10))
            fail_msg("damaged at byte %zu: found %d", at, (int)found);
        assert_int_equal(warnings, found == 1);
        if (i % 2)
            bytes[at] ^= 0x10;
    }
    previous[size / 2] ^= 0x10;
    files_write("damaged.previous", previous, size);
    bytes[0] ^= 0x10;
    files_write("damaged", bytes, size);
    checkpoint_reader r;
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "nor is the one before it",
                   checkpoint_open(&r, ctx, path, NULL));
    checkpoint_close(&r);
    free(bytes);
    free(previous);
}

static void test_other_arrays(void **state)
{
    orthant_context *ctx = *state;
    const char *path = files_path("other");
    contents c = contents_of(1);
    checkpoint_parts parts;
    checkpoint_writer w;
    checkpoint_reader r;
    expect_ok(ctx, checkpoint_begin(&w, ctx, path, NULL, NULL));
    write_contents(&w, 1);
    checkpoint_release(&w);
    expect_ok(ctx, checkpoint_open(&r, ctx, path, NULL));
    assert_int_equal(checkpoint_rows(&r, "encoding"), 7);
    assert_int_equal(checkpoint_rows(&r, "basis"), -1);
    list(&c, &parts);
    parts.part[1].bytes -= sizeof(double);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "other arrays", checkpoint_read(&r, &parts));
    checkpoint_close(&r);
}

/* ---- fits ---- */

static bool stop_at_once(void *user, const orthant_result *result)
{
    (void)user;
    (void)result;
    return false;
}

/* A checkpoint after one iteration of nmf with rank 4. */
static void leave_checkpoint(const test_problem *p, const char *path)
{
    orthant_model *model = problem_model(p, "nmf", 4, "5");
    expect_ok(p->ctx, orthant_model_set_checkpoint(model, path, 300));
    expect_ok(p->ctx, orthant_model_set_iteration(model, stop_at_once, NULL));
    orthant_result_free(problem_fit(p, model));
    orthant_model_free(model);
}

static void refuse(const test_problem *p, const char *path, orthant_model *model,
                   const orthant_matrix *X, const char *words)
{
    orthant_result *result = NULL;
    expect_ok(p->ctx, orthant_model_set_resume(model, path));
    expect_failure(p->ctx, ORTHANT_ERROR_ARGUMENT, words, orthant_fit(model, X, &result));
    assert_null(result);
    orthant_model_free(model);
}

static void test_other_fits(void **state)
{
    const char *path = files_path("fits.checkpoint");
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){31, 17, ORTHANT_SINGLE, false, 3, 0.7});
    leave_checkpoint(&p, path);
    refuse(&p, path, problem_model(&p, "nmf", 5, "5"), p.X, "rank was 4, is 5");
    refuse(&p, path, problem_model(&p, "nmf-kl", 4, "5"), p.X, "method was nmf, is nmf-kl");
    orthant_model *model = problem_model(&p, "nmf", 4, "5");
    expect_ok(p.ctx, orthant_model_set(model, "seed", "7"));
    refuse(&p, path, model, p.X, "seed was ");
    model = problem_model(&p, "nmf", 4, "5");
    expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
    refuse(&p, path, model, p.X, "solver was auto, is mu. Only iterations, tolerance and");
    model = problem_model(&p, "nmf", 4, "5");
    expect_ok(p.ctx, orthant_model_add_term(model, "sparsity", 0.5));
    refuse(&p, path, model, p.X, "terms was , is sparsity; sparsity_weight was not set, is 0.5");
    model = problem_model(&p, "nmf", 4, "5");
    expect_ok(p.ctx, orthant_model_set_labels(model, NULL));
    refuse(&p, path, model, p.X, "is not set");
    /* One entry of X. */
    problem_scale(&p, 1.0000002);
    refuse(&p, path, problem_model(&p, "nmf", 4, "5"), p.X,
           "data was 31 x 17 single dense, checksum");
    problem_free(&p);
}

static void test_no_file(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    (void)state;
    problem_make(&p, (problem_shape){31, 17, ORTHANT_SINGLE, false, 3, 0.7});
    orthant_model *model = problem_model(&p, "nmf", 4, "5");
    expect_ok(p.ctx, orthant_model_set_resume(model, files_path("none.checkpoint")));
    expect_failure(p.ctx, ORTHANT_ERROR_IO, "none.checkpoint", orthant_fit(model, p.X, &result));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "must not be negative",
                   orthant_model_set_checkpoint(model, "x", -1));
    orthant_model_free(model);
    problem_free(&p);
}

/* Files may not be larger than some bytes: no checkpoint fits, every iteration tries, and the user
 * is told once. */
static void test_cannot_be_written(void **state)
{
    const struct rlimit few = {1000, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    test_problem p;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    problem_make(&p, (problem_shape){31, 17, ORTHANT_SINGLE, false, 3, 0.7});
    orthant_context_set_log(p.ctx, count_warning, NULL);
    orthant_model *model = problem_model(&p, "nmf", 4, "9");
    orthant_result *expected = problem_fit(&p, model);
    const int before = files_count(files_folder());
    expect_ok(p.ctx, orthant_model_set_checkpoint(model, files_path("unwritten.checkpoint"), 0));
    warnings = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    orthant_result *result = problem_fit(&p, model);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_int_equal(warnings, 1);
    assert_int_equal(orthant_result_iterations(result), 9);
    assert_true(factors_identical(expected, result));
    assert_int_equal(files_count(files_folder()), before);
    orthant_result_free(expected);
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

/* A fit that fails says what is left of it. */
static void test_failure_names_checkpoint(void **state)
{
    const char *path = files_path("failed.checkpoint");
    test_problem p;
    orthant_result *result = NULL;
    (void)state;
    problem_make(&p, (problem_shape){31, 17, ORTHANT_SINGLE, false, 3, 0.7});
    leave_checkpoint(&p, path);
    size_t size;
    unsigned char *bytes = files_read(path, &size);
    orthant_model *model = problem_model(&p, "nmf", 4, "0");
    expect_ok(p.ctx, orthant_model_set_resume(model, path));
    expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 300));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "holds iteration 1",
                   orthant_fit(model, p.X, &result));
    size_t again;
    unsigned char *after = files_read(path, &again);
    assert_int_equal(size, again);
    assert_memory_equal(bytes, after, size);
    free(bytes);
    free(after);
    orthant_model_free(model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_there_and_back),        fixture_test(test_damage),
        fixture_test(test_named_by_itself),       fixture_test(test_disk_error),
        fixture_test(test_goes_on_from_previous), fixture_test(test_other_arrays),
        cmocka_unit_test(test_other_fits),        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_cannot_be_written), cmocka_unit_test(test_failure_names_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
