/* Devices that are not there, fits that a device does not take, and verbs that fail: each is told
 * by its name, and nothing is left behind. The device is the one of plain loops (host_device.c). */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "orthant/orthant.h"
#include "problem.h"

#define KIND "hostdevice"
#define RANK 4

static const problem_shape plain = {
    .samples = 40, .features = 30, .precision = ORTHANT_SINGLE, .seed = 5};

static const char *plugins(void)
{
    static char folder[4096];
    const char *binary = getenv("ORTHANT_BINARY");
    snprintf(folder, sizeof folder, "%s/tests/plugins", binary ? binary : "build");
    return folder;
}

static int reset(void **state)
{
    (void)state;
    setenv("ORTHANT_PLUGINS", plugins(), 1);
    unsetenv("HOSTDEVICE_COUNT");
    unsetenv("HOSTDEVICE_VERSION");
    unsetenv("HOSTDEVICE_FAILS");
    return 0;
}

/* A problem whose context has the device. */
static void open_problem(test_problem *p)
{
    problem_make(p, plain);
    expect_ok(p->ctx, orthant_context_set_device(p->ctx, KIND));
}

/* ------------------------------------------------------------------ plug-ins and devices */

static void test_missing_plugin(void **state)
{
    test_problem p;
    int count = 3;
    (void)state;
    problem_make(&p, plain);
    setenv("ORTHANT_PLUGINS", files_folder(), 1);
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "there is no plug-in 'cuda' for devices",
                   orthant_context_set_device(p.ctx, "cuda"));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "liborthant-cuda.so is looked for",
                   orthant_device_count(p.ctx, "cuda", &count));
    assert_int_equal(count, 0);
    files_write_text("liborthant-text.so", "no shared object");
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "liborthant-text.so: cannot be loaded",
                   orthant_context_set_device(p.ctx, "text"));
    assert_string_equal(orthant_context_device(p.ctx), "cpu");
    problem_free(&p);
}

static void test_other_version(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, plain);
    setenv("HOSTDEVICE_VERSION", "9", 1);
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "was built for another version of the library",
                   orthant_context_set_device(p.ctx, KIND));
    assert_non_null(strstr(orthant_message(p.ctx), "version 9"));
    problem_free(&p);
}

static void test_no_device(void **state)
{
    test_problem p;
    orthant_device_info info = {.size = sizeof info};
    int count = 0;
    (void)state;
    problem_make(&p, plain);
    setenv("HOSTDEVICE_COUNT", "0", 1);
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED,
                   "there is no device 'hostdevice': HOSTDEVICE_COUNT is 0",
                   orthant_context_set_device(p.ctx, KIND));
    unsetenv("HOSTDEVICE_COUNT");
    expect_ok(p.ctx, orthant_device_count(p.ctx, KIND, &count));
    assert_int_equal(count, 2);
    expect_ok(p.ctx, orthant_device_describe(p.ctx, KIND, 1, &info));
    assert_string_equal(info.name, "plain loops 1");
    assert_int_equal(info.memory, 1 << 30);
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "there is no device 'hostdevice:2'",
                   orthant_device_describe(p.ctx, KIND, 2, &info));
    problem_free(&p);
}

static void test_names(void **state)
{
    static const char *const wrong[] = {"",
                                        ":1",
                                        "hostdevice:",
                                        "hostdevice:x",
                                        "../hostdevice",
                                        "a-kind-of-a-name-that-is-much-too-long"};
    test_problem p;
    (void)state;
    problem_make(&p, plain);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "expected cpu, a kind",
                       orthant_context_set_device(p.ctx, wrong[i]));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "there are 2, 'hostdevice:0' to 'hostdevice:1'",
                   orthant_context_set_device(p.ctx, "hostdevice:2"));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "there is no device 'hostdevice:-1'",
                   orthant_context_set_device(p.ctx, "hostdevice:-1"));
    expect_ok(p.ctx, orthant_context_set_device(p.ctx, "hostdevice:1"));
    assert_string_equal(orthant_context_device(p.ctx), "hostdevice:1");
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "no device 'hostdevice:5'",
                   orthant_context_set_device(p.ctx, "hostdevice:5"));
    assert_string_equal(orthant_context_device(p.ctx), "hostdevice:1");
    expect_ok(p.ctx, orthant_context_set_device(p.ctx, "cpu"));
    assert_string_equal(orthant_context_device(p.ctx), "cpu");
    problem_free(&p);
}

/* ------------------------------------------------------------------ what it does not take */

/* Every row of the table: it runs there, or says who refuses it. */
static void test_methods(void **state)
{
    test_problem p;
    orthant_method_info info = {.size = sizeof info};
    int ran = 0, refused = 0;
    (void)state;
    open_problem(&p);
    for (int i = 0; !orthant_method_info_at(i, &info); i++) {
        orthant_result *result = NULL;
        orthant_model *model = problem_model(&p, info.name, RANK, "3");
        char words[80];
        snprintf(words, sizeof words, "method '%s' does not run on the device 'hostdevice:0'",
                 info.name);
        const orthant_status status = orthant_fit(model, p.X, &result);
        if (!info.on_device) {
            expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, words, status);
            refused++;
        } else {
            expect_ok(p.ctx, status);
            assert_string_equal(orthant_result_device(result), "hostdevice:0");
            ran++;
        }
        orthant_result_free(result);
        orthant_model_free(model);
    }
    assert_true(ran >= 10 && refused >= 10);
    problem_free(&p);
}

static void expect_refused(const test_problem *p, const orthant_matrix *X, const char *parameter,
                           const char *value, const char *words)
{
    orthant_result *result = NULL;
    orthant_plan_info plan = {.size = sizeof plan};
    orthant_model *model =
        problem_model(p, value && !strcmp(value, "newton") ? "nmf-kl" : "nmf", RANK, "3");
    if (parameter)
        expect_ok(p->ctx, orthant_model_set(model, parameter, value));
    expect_failure(p->ctx, ORTHANT_ERROR_UNSUPPORTED, words, orthant_fit(model, X, &result));
    expect_failure(p->ctx, ORTHANT_ERROR_UNSUPPORTED, words, orthant_explain(model, X, &plan));
    assert_null(result);
    orthant_model_free(model);
}

static void test_settings_and_data(void **state)
{
    test_problem p;
    orthant_matrix *streamed = NULL;
    const orthant_read_options options = {.size = sizeof options, .truth = "none", .stream = true};
    (void)state;
    open_problem(&p);
    expect_refused(&p, p.X, "solver", "newton",
                   "the device 'hostdevice:0' does not know the solver");
    orthant_result *result = NULL;
    orthant_model *model = problem_model(&p, "nmf", RANK, "3");
    expect_ok(p.ctx, orthant_model_set(model, "solver", "hals"));
    expect_ok(p.ctx, orthant_model_add_term(model, "ridge", 1));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED,
                   "does not know the term 'ridge' with the solver 'hals'",
                   orthant_fit(model, p.X, &result));
    orthant_model_free(model);
    expect_refused(&p, p.X, "normalise", "basis",
                   "normalise=basis does not run on the device 'hostdevice:0'");
    const char *path = files_path("X.npy");
    expect_ok(p.ctx, orthant_matrix_write(p.ctx, p.X, path));
    expect_ok(p.ctx, orthant_matrix_read(p.ctx, path, &options, &streamed, NULL));
    expect_refused(&p, streamed, NULL, NULL,
                   "the device 'hostdevice:0' cannot stream the data from their file");
    orthant_matrix_free(streamed);
    expect_ok(p.ctx, orthant_matrix_set_part(p.X, 0, 80));
    expect_refused(&p, p.X, NULL, NULL,
                   "samples that processes share are not fitted on the device 'hostdevice:0'");
    problem_free(&p);
}

/* Fits end there with the encodings of the last iteration; minimal ones are refused. */
static void test_final_encodings(void **state)
{
    static const char *const methods[] = {"nmf", "nmf-kl", "cnmf", "cnmf-kl"};
    test_problem p;
    orthant_plan_info plan = {.size = sizeof plan};
    (void)state;
    open_problem(&p);
    for (int i = 0; i < 4; i++) {
        const char *words = "final_encodings=minimal does not run on the device 'hostdevice:0'";
        orthant_model *model = problem_model(&p, methods[i], RANK, "30");
        orthant_result *counted = problem_fit(&p, model), *ended = NULL;
        expect_ok(p.ctx, orthant_model_set(model, "tolerance", "1e-12"));
        ended = problem_fit(&p, model);
        assert_false(orthant_result_minimal_encodings(ended));
        assert_true(factors_identical(counted, ended));
        orthant_result_free(counted);
        orthant_result_free(ended);
        expect_ok(p.ctx, orthant_model_set(model, "final_encodings", "minimal"));
        expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, words, orthant_fit(model, p.X, &ended));
        expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, words, orthant_explain(model, p.X, &plan));
        orthant_model_free(model);
    }
    problem_free(&p);
}

/* The plan says where; the device's own memory is no part of it. */
static void test_plan(void **state)
{
    test_problem p;
    orthant_plan_info here = {.size = sizeof here}, there = here;
    (void)state;
    problem_make(&p, plain);
    orthant_model *model = problem_model(&p, "nmf", RANK, "3");
    expect_ok(p.ctx, orthant_model_set(model, "solver", "emu"));
    expect_ok(p.ctx, orthant_explain(model, p.X, &here));
    expect_ok(p.ctx, orthant_context_set_device(p.ctx, KIND));
    expect_ok(p.ctx, orthant_explain(model, p.X, &there));
    assert_string_equal(here.device, "cpu");
    assert_string_equal(there.device, "hostdevice:0");
    assert_int_equal(there.memory.scratch, 0);
    assert_int_equal(there.memory.safeguard, 0);
    assert_true(there.memory.total < here.memory.total);
    orthant_model_free(model);
    problem_free(&p);
}

/* ------------------------------------------------------------------ X on the device already */

static double objective_of(const test_problem *p, const orthant_model *model)
{
    orthant_result *result = problem_fit(p, model);
    const double found = orthant_result_objective(result);
    orthant_result_free(result);
    return found;
}

/* What lies there is read there, by rows of another stride; the memory of this device is the
 * host's. */
static void test_device_copy(void **state)
{
    enum { ROWS = 40, COLUMNS = 30, STRIDE = 37 };
    static float copy[ROWS * STRIDE];
    test_problem p;
    (void)state;
    open_problem(&p);
    orthant_model *model = problem_model(&p, "nmf", RANK, "6");
    expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            copy[i * STRIDE + j] = (float)orthant_matrix_get(p.X, i, j);
    const double without = objective_of(&p, model);
    expect_ok(p.ctx, orthant_matrix_set_device_copy(p.X, "hostdevice:0", copy, STRIDE));
    assert_true(objective_of(&p, model) == without);
    copy[0] += 1;
    assert_true(objective_of(&p, model) != without);
    expect_ok(p.ctx, orthant_matrix_set_device_copy(p.X, "hostdevice:1", copy, STRIDE));
    assert_true(objective_of(&p, model) == without); /* it lies on another one */
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "rows of 30 columns are not 29 elements apart",
                   orthant_matrix_set_device_copy(p.X, "hostdevice:0", copy, 29));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "expected a kind and a number, as in cuda:0",
                   orthant_matrix_set_device_copy(p.X, "hostdevice", copy, STRIDE));
    expect_ok(p.ctx, orthant_matrix_set_device_copy(p.X, "hostdevice:0", NULL, 0));
    assert_true(objective_of(&p, model) == without);
    orthant_model_free(model);
    problem_free(&p);
}

/* ------------------------------------------------------------------ verbs that fail */

static const struct {
    const char *verb; /* and which call of it */
    const char *solver;
    orthant_status status;
    double sparsity; /* the term's weight, under which extrapolated steps rise; 0: none */
} failures[] = {
    {"open:1", "mu", ORTHANT_ERROR_UNSUPPORTED, 0},
    {"put:1", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"put:2", "hals", ORTHANT_ERROR_NUMERIC, 0},
    {"start:1", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"basis:1", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"basis:9", "hals", ORTHANT_ERROR_NUMERIC, 0},
    {"basis_changed:4", "emu", ORTHANT_ERROR_NUMERIC, 0},
    {"encoding:1", "hals", ORTHANT_ERROR_NUMERIC, 0},
    {"encoding:30", "emu", ORTHANT_ERROR_NUMERIC, 0},
    {"measure:1", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"measure:8", "emu", ORTHANT_ERROR_NUMERIC, 0},
    {"measure:8", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"keep:3", "emu", ORTHANT_ERROR_NUMERIC, 0},
    {"restore:1", "emu", ORTHANT_ERROR_NUMERIC, 20},
    {"start:2", "emu", ORTHANT_ERROR_NUMERIC, 20},
    {"run:3", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"run:7", "hals", ORTHANT_ERROR_NUMERIC, 0}, /* of the first ones, which no clock decides */
    {"get:1", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"get:2", "mu", ORTHANT_ERROR_NUMERIC, 0},
    {"projected_gradient:1", "mu", ORTHANT_ERROR_NUMERIC, 0}};

static void test_failing_verbs(void **state)
{
    test_problem p;
    (void)state;
    open_problem(&p);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        orthant_result *result = NULL;
        char words[80];
        orthant_model *model = problem_model(&p, "nmf", RANK, "120");
        expect_ok(p.ctx, orthant_model_set(model, "solver", failures[i].solver));
        if (failures[i].sparsity > 0)
            expect_ok(p.ctx, orthant_model_add_term(model, "sparsity", failures[i].sparsity));
        snprintf(words, sizeof words, "%.*s was told to fail", (int)strcspn(failures[i].verb, ":"),
                 failures[i].verb);
        setenv("HOSTDEVICE_FAILS", failures[i].verb, 1);
        expect_failure(p.ctx, failures[i].status, words, orthant_fit(model, p.X, &result));
        assert_non_null(strstr(orthant_message(p.ctx), "the device 'hostdevice:0'"));
        assert_null(result);
        unsetenv("HOSTDEVICE_FAILS");
        expect_ok(p.ctx, orthant_fit(model, p.X, &result)); /* the next one has a new state */
        orthant_result_free(result);
        orthant_model_free(model);
    }
    problem_free(&p);
}

/* What could not be fetched is not written: the checkpoint is that of an iteration before. */
static void test_failing_checkpoint(void **state)
{
    test_problem p;
    orthant_result *result = NULL, *whole = NULL;
    const char *path = files_path("failing.checkpoint");
    (void)state;
    open_problem(&p);
    orthant_model *model = problem_model(&p, "nmf", RANK, "12");
    expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
    expect_ok(p.ctx, orthant_fit(model, p.X, &whole));
    expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 0));
    /* four arrays in each checkpoint: the second of the sixth */
    setenv("HOSTDEVICE_FAILS", "get:22", 1);
    expect_failure(p.ctx, ORTHANT_ERROR_NUMERIC, "get was told to fail",
                   orthant_fit(model, p.X, &result));
    unsetenv("HOSTDEVICE_FAILS");
    assert_int_equal(access(path, F_OK), 0);
    expect_ok(p.ctx, orthant_model_set_resume(model, path));
    expect_ok(p.ctx, orthant_fit(model, p.X, &result));
    assert_true(factors_identical(whole, result));
    orthant_result_free(result);
    orthant_result_free(whole);
    orthant_model_free(model);
    problem_free(&p);
}

/* The bits that a checkpoint promises are those of where it was written. */
static void test_checkpoint_of_another(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    const char *path = files_path("other.checkpoint");
    (void)state;
    problem_make(&p, plain);
    orthant_model *model = problem_model(&p, "nmf", RANK, "12");
    expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 0));
    expect_ok(p.ctx, orthant_fit(model, p.X, &result));
    orthant_result_free(result);
    expect_ok(p.ctx, orthant_model_set_resume(model, path));
    expect_ok(p.ctx, orthant_context_set_device(p.ctx, KIND));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "device was not set, is hostdevice",
                   orthant_fit(model, p.X, &result));
    orthant_model_free(model);
    problem_free(&p);
}

#define test_of(function) cmocka_unit_test_setup_teardown(function, reset, reset)

/* ------------------------------------------------------------------ projective methods */

static void expect_refused_by_device(const test_problem *p, const orthant_model *model,
                                     const orthant_matrix *X, const char *words)
{
    orthant_result *result = NULL;
    expect_failure(p->ctx, ORTHANT_ERROR_UNSUPPORTED, words, orthant_fit(model, X, &result));
    assert_non_null(strstr(orthant_message(p->ctx), "such a fit runs on the CPU"));
    assert_null(result);
}

static void test_projective(void **state)
{
    static const double mixed[] = {1, 2, -1, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1};
    test_problem p, sparse;
    orthant_matrix *X = NULL, *K = NULL;
    orthant_result *result = NULL;
    (void)state;
    open_problem(&p);
    orthant_model *model = problem_model(&p, "grpnmf", 2, "5");
    expect_ok(p.ctx, orthant_model_set(model, "neighbours", "2"));
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, 5, 4, mixed, &X));
    expect_refused_by_device(&p, model, X, "takes nonnegative data only");
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, 4, 4, mixed, &K));
    expect_ok(p.ctx, orthant_model_set_similarity(model, K));
    expect_refused_by_device(&p, model, p.X, "takes no similarity");
    expect_ok(p.ctx, orthant_model_set_similarity(model, NULL));
    problem_make(&sparse, (problem_shape){40, 30, ORTHANT_SINGLE, true, 5, 0});
    expect_refused_by_device(&p, model, sparse.X, "takes dense data only");
    problem_free(&sparse);

    setenv("HOSTDEVICE_FAILS", "open", 1);
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "cannot begin the fit: open was told to fail",
                   orthant_fit(model, p.X, &result));
    setenv("HOSTDEVICE_FAILS", "step", 1);
    expect_failure(p.ctx, ORTHANT_ERROR_NUMERIC, "the device 'hostdevice:0' failed: step was told",
                   orthant_fit(model, p.X, &result));
    assert_null(result);
    unsetenv("HOSTDEVICE_FAILS");
    expect_ok(p.ctx, orthant_fit(model, p.X, &result));
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X);
    orthant_matrix_free(K);
    problem_free(&p);
}

/* ------------------------------------------------------------------ products with K */

static void test_kernels(void **state)
{
    static const char *const methods[] = {"cf", "convex-nmf", "snmf", "wnmf", "rmnd"};
    static const double mixed[] = {1, -2, 3, 4, 5, -6, 7, 8};
    static const int64_t start[] = {0, 2, 4, 6, 8}, column[] = {0, 1, 0, 2, 1, 2, 0, 1};
    test_problem p;
    orthant_matrix *X = NULL;
    orthant_result *result = NULL;
    (void)state;
    open_problem(&p);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        orthant_model *model = problem_model(&p, methods[i], 2, "5");
        setenv("HOSTDEVICE_FAILS", "kernel", 1);
        expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED,
                       "cannot begin the fit: kernel was told to fail",
                       orthant_fit(model, p.X, &result));
        setenv("HOSTDEVICE_FAILS", "multiply", 1);
        expect_failure(p.ctx, ORTHANT_ERROR_NUMERIC,
                       "the device 'hostdevice:0' failed: multiply was told",
                       orthant_fit(model, p.X, &result));
        setenv("HOSTDEVICE_FAILS", "gram", 1);
        expect_failure(p.ctx, ORTHANT_ERROR_NUMERIC,
                       "the device 'hostdevice:0' failed: gram was told",
                       orthant_fit(model, p.X, &result));
        assert_null(result);
        unsetenv("HOSTDEVICE_FAILS");
        expect_ok(p.ctx, orthant_fit(model, p.X, &result));
        orthant_result_free(result);
        orthant_model_free(model);
    }
    orthant_model *model = problem_model(&p, "cf", 2, "5");
    expect_ok(p.ctx, orthant_matrix_create_csr(p.ctx, 4, 3, start, column, mixed, &X));
    expect_refused_by_device(&p, model, X, "takes no CSR data of mixed signs");
    orthant_matrix_free(X);
    orthant_model_free(model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {test_of(test_missing_plugin),
                                       test_of(test_other_version),
                                       test_of(test_no_device),
                                       test_of(test_names),
                                       test_of(test_methods),
                                       test_of(test_settings_and_data),
                                       test_of(test_final_encodings),
                                       test_of(test_plan),
                                       test_of(test_device_copy),
                                       test_of(test_failing_verbs),
                                       test_of(test_failing_checkpoint),
                                       test_of(test_checkpoint_of_another),
                                       test_of(test_projective),
                                       test_of(test_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
