/* Data that lie in a file: the factors have the bits of a fit in memory, and a file that fails
 * while it is read ends the fit with a message. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "data/matrix.h"
#include "method/method.h"
#include "problem.h"

/* The problem's data, written to a file and opened there. */
static orthant_matrix *open_stream(const test_problem *p, const char *name)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *streamed = NULL;
    options.stream = true;
    expect_ok(p->ctx, orthant_matrix_write(p->ctx, p->X, files_path(name)));
    expect_ok(p->ctx, orthant_matrix_read(p->ctx, files_path(name), &options, &streamed, NULL));
    assert_true(orthant_matrix_is_streamed(streamed));
    return streamed;
}

static void expect_same(const test_problem *p, const orthant_model *model,
                        const orthant_matrix *streamed, const char *what)
{
    orthant_result *here = problem_fit(p, model), *there = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        orthant_context_set_threads(p->ctx, threads);
        const orthant_status status = orthant_fit(model, streamed, &there);
        if (status)
            fail_msg("%s with %d threads: %s", what, threads, orthant_message(p->ctx));
        if (!factors_identical(here, there) ||
            orthant_result_objective(here) != orthant_result_objective(there))
            fail_msg("%s with %d threads: other factors from the file than from memory", what,
                     threads);
        orthant_result_free(there);
    }
    orthant_result_free(here);
}

static const orthant_graph *graph_for(const test_problem *p, orthant_model *model,
                                      orthant_graph **graph)
{
    *graph = NULL;
    if (model_uses_graph(model)) {
        *graph = ring_graph(p->ctx, orthant_matrix_rows(p->X), 2);
        expect_ok(p->ctx, orthant_model_set_graph(model, *graph));
    }
    return *graph;
}

static void compare_methods(orthant_precision precision, int64_t samples, int64_t features,
                            bool sparse)
{
    test_problem p;
    orthant_method_info info = {.size = sizeof info};
    problem_make(&p, (problem_shape){.samples = samples,
                                     .features = features,
                                     .precision = precision,
                                     .sparse = sparse,
                                     .seed = (uint64_t)samples});
    orthant_matrix *streamed = open_stream(&p, sparse ? "methods.csr" : "methods.npy");
    int compared = 0;
    for (int i = 0; !orthant_method_info_at(i, &info); i++) {
        if (!info.streams)
            continue;
        orthant_graph *graph = NULL;
        orthant_model *model = problem_model(&p, info.name, 5, "6");
        graph_for(&p, model, &graph);
        expect_same(&p, model, streamed, info.name);
        orthant_model_free(model);
        orthant_graph_free(graph);
        compared++;
    }
    assert_true(compared >= 17);
    orthant_matrix_free(streamed);
    problem_free(&p);
}

static void test_every_method(void **state)
{
    (void)state;
    compare_methods(ORTHANT_SINGLE, 203, 37, false);
    compare_methods(ORTHANT_DOUBLE, 131, 70, false);
    compare_methods(ORTHANT_SINGLE, 203, 300, true);
}

static void test_settings(void **state)
{
    static const char *const settings[][2] = {
        {"solver", "mu"},    {"solver", "hals"},   {"solver", "emu"},   {"init", "nndsvd"},
        {"init", "nndsvda"}, {"init", "nndsvdar"}, {"init", "uniform"}, {"loss", "kl"}};
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){.samples = 421, .features = 66, .precision = ORTHANT_SINGLE});
    orthant_matrix *streamed = open_stream(&p, "settings.npy");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        orthant_model *model = problem_model(&p, "nmf", 6, "5");
        expect_ok(p.ctx, orthant_model_set(model, settings[i][0], settings[i][1]));
        expect_same(&p, model, streamed, settings[i][1]);
        orthant_model_free(model);
    }
    orthant_matrix_free(streamed);
    problem_free(&p);
}

/* Samples that are all the same are fitted exactly: values cancel, and are summed over X again. */
static void test_exact_values(void **state)
{
    static const char *const settings[][2] = {
        {"nmf", ""}, {"nmf", "local"}, {"cf", ""}, {"onmf", ""}};
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){.samples = 150, .features = 40, .precision = ORTHANT_SINGLE});
    for (int64_t i = 0; i < 150 * 40; i++)
        matrix_set_value(p.X, i, 1 + (double)(i % 40));
    orthant_matrix *streamed = open_stream(&p, "same.npy");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        orthant_model *model = problem_model(&p, settings[i][0], 2, "60");
        if (*settings[i][1])
            expect_ok(p.ctx, orthant_model_add_term(model, settings[i][1], 1));
        expect_same(&p, model, streamed, settings[i][1]);
        orthant_model_free(model);
    }
    orthant_matrix_free(streamed);
    problem_free(&p);
}

/* Two chunks of many strips, the last of each shorter. */
static void test_many_strips(void **state)
{
    static const char *const methods[] = {"nmf", "nmf-kl"};
    test_problem p;
    (void)state;
    problem_make(&p,
                 (problem_shape){.samples = 35001, .features = 257, .precision = ORTHANT_SINGLE});
    orthant_matrix *streamed = open_stream(&p, "strips.npy");
    for (int i = 0; i < 2; i++) {
        orthant_model *model = problem_model(&p, methods[i], 9, "2");
        expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
        expect_same(&p, model, streamed, methods[i]);
        orthant_model_free(model);
    }
    orthant_matrix_free(streamed);
    problem_free(&p);
}

/* Strips of CSR data that several tasks fill, with panels of features that begin elsewhere in each
 * sample. */
static void test_sparse_strips(void **state)
{
    static const char *const methods[] = {"nmf", "nmf-kl", "onmf"};
    test_problem p;
    (void)state;
    problem_make(
        &p, (problem_shape){
                .samples = 20001, .features = 150, .precision = ORTHANT_SINGLE, .sparse = true});
    assert_true(matrix_stored(p.X) > 32 * p.X->rows); /* at least four panels */
    assert_true(matrix_bytes(p.X) > 4 << 20);         /* at least two strips */
    orthant_matrix *streamed = open_stream(&p, "strips.csr");
    for (int i = 0; i < 3; i++) {
        orthant_model *model = problem_model(&p, methods[i], 9, "3");
        if (i < 2)
            expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
        expect_same(&p, model, streamed, methods[i]);
        orthant_model_free(model);
    }
    orthant_matrix_free(streamed);
    problem_free(&p);
}

/* Strips, and what little is kept beside them, in the place of X. */
static void test_memory(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    (void)state;
    problem_make(&p,
                 (problem_shape){.samples = 35001, .features = 257, .precision = ORTHANT_SINGLE});
    orthant_matrix *streamed = open_stream(&p, "memory.npy");
    const size_t bytes = (size_t)matrix_bytes(p.X);
    orthant_matrix_free(p.X);
    p.X = NULL;
    orthant_model *model = problem_model(&p, "nmf", 9, "2");
    expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
    orthant_context_set_memory_limit(p.ctx, orthant_context_memory(p.ctx) + bytes / 3);
    expect_ok(p.ctx, orthant_fit(model, streamed, &result));
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(streamed);
    problem_free(&p);
}

static bool cut_off(void *user, const orthant_result *result)
{
    (void)result;
    assert_int_equal(truncate(user, 5000), 0);
    return true;
}

static bool write_to(void *user, const orthant_result *result)
{
    (void)result;
    FILE *file = fopen(user, "r+b");
    assert_non_null(file);
    fseek(file, 400, SEEK_SET);
    fputc(0, file);
    fclose(file);
    return true;
}

static bool remove_file(void *user, const orthant_result *result)
{
    (void)result;
    unlink(user);
    return true;
}

/* What happens to the file after the first iteration, and what the fit says. */
static void meddle(const char *method, orthant_iteration_function iteration, const char *words)
{
    test_problem p;
    orthant_result *result = NULL;
    problem_make(&p, (problem_shape){.samples = 301, .features = 50, .precision = ORTHANT_SINGLE});
    orthant_matrix *streamed = open_stream(&p, "meddled.npy");
    orthant_model *model = problem_model(&p, method, 5, "10");
    orthant_model_set_iteration(model, iteration, (void *)(uintptr_t)files_path("meddled.npy"));
    if (words) {
        expect_failure(p.ctx, ORTHANT_ERROR_IO, words, orthant_fit(model, streamed, &result));
        assert_null(result);
        /* It does not begin again with what is left. */
        expect_failure(p.ctx, ORTHANT_ERROR_IO, words, orthant_fit(model, streamed, &result));
    } else {
        expect_ok(p.ctx, orthant_fit(model, streamed, &result));
        orthant_result_free(result);
    }
    orthant_model_free(model);
    orthant_matrix_free(streamed);
    problem_free(&p);
}

static void test_files_that_change(void **state)
{
    static const char *const methods[] = {"nmf", "nmf-kl", "cnmf", "cf", "pnmf"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        meddle(methods[i], cut_off, "meddled.npy: ends at byte 5000, but had 60328 bytes");
        meddle(methods[i], write_to, "meddled.npy: was written to while it was read");
        meddle(methods[i], remove_file, NULL);
    }
}

static void test_refusals(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    orthant_graph *graph = NULL;
    orthant_labels *labels = NULL;
    orthant_array view = {.size = sizeof view};
    (void)state;
    problem_make(&p, (problem_shape){.samples = 100, .features = 50, .precision = ORTHANT_SINGLE});
    orthant_matrix *streamed = open_stream(&p, "refused.npy");
    static const char *const methods[] = {"kmeans", "pca", "snmf", "gnmf"};
    for (int i = 0; i < 4; i++) {
        orthant_model *model = problem_model(&p, methods[i], 5, "10");
        expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "needs all entries in memory, 0.0 MB",
                       orthant_fit(model, streamed, &result));
        orthant_model_free(model);
    }
    orthant_model *model = problem_model(&p, "nmf-kl", 5, "10");
    expect_ok(p.ctx, orthant_model_set(model, "solver", "newton"));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "solver 'newton' cannot stream",
                   orthant_fit(model, streamed, &result));
    expect_ok(p.ctx, orthant_model_set(model, "solver", "auto"));
    expect_ok(p.ctx, orthant_model_set(model, "init", "kmeans"));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "k-means cannot stream",
                   orthant_fit(model, streamed, &result));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "refused.npy",
                   orthant_model_set_start(model, "basis", streamed));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "refused.npy",
                   orthant_graph_neighbours(p.ctx, streamed, 5, ORTHANT_EDGE_BINARY, 0, &graph));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "refused.npy",
                   orthant_labels_argmax(p.ctx, streamed, &labels));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "refused.npy",
                   orthant_matrix_view(streamed, &view));
    expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "refused.npy",
                   orthant_matrix_write(p.ctx, streamed, files_path("again.npy")));
    orthant_model_free(model);
    orthant_matrix_free(streamed);
    problem_free(&p);
}

/* What is told of the entries is what is told in memory. */
static void test_checks(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    (void)state;
    problem_make(&p, (problem_shape){.samples = 9000, .features = 11, .precision = ORTHANT_DOUBLE});
    orthant_matrix *streamed = open_stream(&p, "good.npy");
    assert_true(matrix_sum(streamed) == matrix_sum(p.X));
    assert_true(matrix_squares(streamed) == matrix_squares(p.X));
    assert_true(matrix_largest(streamed) == matrix_largest(p.X));
    assert_int_equal(orthant_matrix_nonzeros(streamed), orthant_matrix_nonzeros(p.X));
    assert_true(orthant_matrix_get(streamed, 8123, 7) == orthant_matrix_get(p.X, 8123, 7));
    orthant_matrix_info here = {.size = sizeof here}, there = {.size = sizeof there};
    expect_ok(p.ctx, orthant_matrix_describe(p.X, &here));
    expect_ok(p.ctx, orthant_matrix_describe(streamed, &there));
    assert_true(here.minimum == there.minimum && here.maximum == there.maximum);
    orthant_matrix_free(streamed);
    matrix_set_value(p.X, 8000 * 11 + 3, -2);
    streamed = open_stream(&p, "bad.npy");
    orthant_model *model = problem_model(&p, "nmf", 3, "2");
    expect_failure(p.ctx, ORTHANT_ERROR_DATA,
                   "bad.npy: entry (8001, 4) is -2; 'nmf' needs nonnegative data",
                   orthant_fit(model, streamed, &result));
    orthant_matrix_free(streamed);
    matrix_set_value(p.X, 8500 * 11 + 4, (double)NAN);
    streamed = open_stream(&p, "bad.npy");
    expect_failure(p.ctx, ORTHANT_ERROR_DATA, "entry (8501, 5) is nan; 'any' needs finite data",
                   matrix_check(streamed, false, "bad.npy", "any"));
    orthant_model_free(model);
    orthant_matrix_free(streamed);
    problem_free(&p);
}

static void test_scaled(void **state)
{
    static const orthant_scaling scalings[] = {ORTHANT_SCALE_UNIT, ORTHANT_SCALE_MAX,
                                               ORTHANT_SCALE_TFIDF};
    (void)state;
    for (int i = 0; i < 3; i++) {
        test_problem p;
        problem_make(&p,
                     (problem_shape){.samples = 350, .features = 41, .precision = ORTHANT_SINGLE});
        orthant_matrix *streamed = open_stream(&p, "scaled.npy");
        expect_ok(p.ctx, orthant_matrix_scale(p.X, scalings[i]));
        expect_ok(p.ctx, orthant_matrix_scale(streamed, scalings[i]));
        assert_true(orthant_matrix_get(streamed, 30, 7) == orthant_matrix_get(p.X, 30, 7));
        assert_true(matrix_sum(streamed) == matrix_sum(p.X));
        orthant_model *model = problem_model(&p, "nmf", 4, "5");
        expect_same(&p, model, streamed, "scaled");
        expect_failure(p.ctx, ORTHANT_ERROR_UNSUPPORTED, "these are already",
                       orthant_matrix_scale(streamed, ORTHANT_SCALE_UNIT));
        orthant_model_free(model);
        orthant_matrix_free(streamed);
        problem_free(&p);
    }
}

static void test_transform(void **state)
{
    static const char *const losses[] = {"frobenius", "kl"};
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){.samples = 333, .features = 41, .precision = ORTHANT_SINGLE});
    orthant_matrix *streamed = open_stream(&p, "transformed.npy"), *here = NULL, *there = NULL;
    orthant_model *model = problem_model(&p, "nmf", 4, "5");
    orthant_result *result = problem_fit(&p, model);
    const orthant_matrix *basis = orthant_result_factor(result, "basis");
    for (int i = 0; i < 2; i++) {
        expect_ok(p.ctx, orthant_transform(p.ctx, basis, losses[i], p.X, 50, 1e-6, &here));
        expect_ok(p.ctx, orthant_transform(p.ctx, basis, losses[i], streamed, 50, 1e-6, &there));
        assert_memory_equal(here->values, there->values, (size_t)matrix_bytes(here));
        orthant_matrix_free(here);
        orthant_matrix_free(there);
    }
    assert_int_equal(truncate(files_path("transformed.npy"), 4000), 0);
    expect_failure(p.ctx, ORTHANT_ERROR_IO, "transformed.npy: ends at byte 4000",
                   orthant_transform(p.ctx, basis, losses[0], streamed, 50, 1e-6, &there));
    assert_null(there);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(streamed);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_exact_values),
        cmocka_unit_test(test_many_strips),
        cmocka_unit_test(test_sparse_strips),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_files_that_change),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
