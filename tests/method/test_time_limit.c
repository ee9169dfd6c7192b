/* A time limit counts all that is done before the loop, and what it leaves is the loop's. */
#include "fixture.h"

#include "core/random.h"
#include "data/matrix.h"
#include "orthant/orthant.h"

#define SAMPLES 300
#define FEATURES 20

static orthant_matrix *samples_of(orthant_context *ctx, int64_t count, int64_t features)
{
    orthant_matrix *samples = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, count, features, NULL, &samples));
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < features; j++)
            matrix_set_value(samples, i * samples->stride + j,
                             random_uniform(5, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
    return samples;
}

static orthant_matrix *make_samples(orthant_context *ctx)
{
    return samples_of(ctx, SAMPLES, FEATURES);
}

/* Enough features for Lanczos's method. */
static orthant_matrix *wide_samples(orthant_context *ctx)
{
    return samples_of(ctx, 600, 280);
}

static bool count_told(void *user, const orthant_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return true;
}

static orthant_status fit(orthant_context *ctx, const orthant_matrix *samples, const char *method,
                          const char *search, const char *limit, orthant_result **result)
{
    orthant_model *model = NULL;
    *result = NULL;
    expect_ok(ctx, orthant_model_create(ctx, method, 3, &model));
    if (search)
        expect_ok(ctx, orthant_model_set(model, "search", search));
    expect_ok(ctx, orthant_model_set(model, "time_limit", limit));
    expect_ok(ctx, orthant_model_set(model, "tolerance", "0"));
    expect_ok(ctx, orthant_model_set(model, "iterations", "100000000"));
    const orthant_status status = orthant_fit(model, samples, result);
    orthant_model_free(model);
    return status;
}

static void test_search_is_counted(void **state)
{
    static const char *const methods[] = {"gnmf", "grpnmf", "nsdr"};
    static const char *const searches[] = {"auto", "exact", "approximate"};
    orthant_matrix *samples = make_samples(*state);
    for (int m = 0; m < 3; m++)
        for (int s = 0; s < 3; s++) {
            orthant_result *result = NULL;
            expect_failure(*state, ORTHANT_STOPPED, "time limit of 1e-09 s passed while looking",
                           fit(*state, samples, methods[m], searches[s], "1e-9", &result));
            assert_null(result);
        }
    orthant_matrix_free(samples);
}

/* Without a graph to build, or with time for it, the loop ends with a result. */
static void test_loop_ends(void **state)
{
    static const char *const limits[] = {"1e-9", "0.2"};
    orthant_matrix *samples = make_samples(*state);
    for (int graph = 0; graph < 2; graph++) {
        orthant_result *result = NULL;
        expect_ok(*state,
                  fit(*state, samples, graph ? "gnmf" : "nmf", NULL, limits[graph], &result));
        assert_false(orthant_result_converged(result));
        assert_true(orthant_result_iterations(result) > 0);
        orthant_result_free(result);
    }
    orthant_matrix_free(samples);
}

typedef struct stage_case {
    const char *method, *parameter[1][2], *message;
} stage_case;

static const stage_case stages[] = {
    {"snmf", {{"similarity", "gaussian"}}, "1e-09 s passed during the stage 'similarity'"},
    {"wnmf", {{"similarity", "knn:5"}}, "1e-09 s passed while looking for neighbours"},
    {"cf", {{"similarity", "gaussian"}}, "1e-09 s passed during the stage 'similarity'"},
    {"nmf", {{"init", "nndsvd"}}, "1e-09 s passed: stopped during the stage 'eigenvectors'"},
    {"nmf", {{"init", "kmeans"}}, "1e-09 s passed: stopped during the k-means start"},
    {"pca", {{NULL, NULL}}, "1e-09 s passed: stopped during the stage 'eigenvectors'"},
    {"rica", {{NULL, NULL}}, "1e-09 s passed: stopped during the stage 'eigenvectors'"},
};

/* Every stage before the loop is ended, and says so; the user's own callback is told as before, and
 * stays the context's. */
static void test_stages_are_counted(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *samples = wide_samples(ctx);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        int told = 0;
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        orthant_context_set_progress(ctx, count_told, &told);
        expect_ok(ctx, orthant_model_create(ctx, stages[i].method, 3, &model));
        if (stages[i].parameter[0][0])
            expect_ok(ctx, orthant_model_set(model, stages[i].parameter[0][0],
                                             stages[i].parameter[0][1]));
        expect_ok(ctx, orthant_model_set(model, "time_limit", "1e-9"));
        expect_failure(ctx, ORTHANT_STOPPED, stages[i].message,
                       orthant_fit(model, samples, &result));
        assert_null(result);
        assert_true(ctx->progress == count_told && ctx->progress_user == &told);
        assert_int_equal(told, 0);
        expect_ok(ctx, orthant_model_set(model, "time_limit", "1000"));
        expect_ok(ctx, orthant_model_set(model, "iterations", "2"));
        expect_ok(ctx, orthant_fit(model, samples, &result));
        assert_true(told > 0);
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_context_set_progress(ctx, NULL, NULL);
    }
    orthant_matrix_free(samples);
}

/* K = X X' is stored where features are more than samples and signs are mixed. */
static void test_products_are_counted(void **state)
{
    orthant_matrix *samples = samples_of(*state, 100, 120);
    orthant_result *result = NULL;
    matrix_set_value(samples, 7, -1);
    expect_failure(*state, ORTHANT_STOPPED,
                   "1e-09 s passed: stopped during the stage 'products of samples'",
                   fit(*state, samples, "cf", NULL, "1e-9", &result));
    assert_null(result);
    orthant_matrix_free(samples);
}

/* Stages that come after another: each is reached with the limit passed on the way. */
static bool wait_in(void *user, const orthant_progress *progress)
{
    const char *phase = user;
    if (!strcmp(progress->phase, phase)) {
        const double begin = clock_seconds();
        while (clock_seconds() - begin < 1.55)
            ;
    }
    return true;
}

static void test_later_stages(void **state)
{
    static const struct {
        const char *method, *wait, *message;
        int64_t samples; /* few: eigenvectors by LAPACK, in no time */
    } cases[] = {
        {"rmnd", "snmf start", "1.5 s passed during the stage 'snmf start'", 100},
        {"spectral", "eigenvectors", "1.5 s passed: stopped while eigenvectors", 300},
        {"nsdr", "linear fit", "1.5 s passed during the stage 'linear fit'", 100},
        {"nsdr", "eigenvectors", "1.5 s passed: stopped while eigenvectors", 300},
        {"nsdr", "k-means", "1.5 s passed: stopped during the k-means start", 100},
    };
    orthant_context *ctx = *state;
    orthant_context_set_threads(ctx, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orthant_matrix *samples = samples_of(ctx, cases[i].samples, FEATURES);
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        orthant_context_set_progress(ctx, wait_in, (void *)cases[i].wait);
        expect_ok(ctx, orthant_model_create(ctx, cases[i].method, 3, &model));
        expect_ok(ctx, orthant_model_set(model, "time_limit", "1.5"));
        expect_failure(ctx, ORTHANT_STOPPED, cases[i].message,
                       orthant_fit(model, samples, &result));
        assert_null(result);
        orthant_model_free(model);
        orthant_matrix_free(samples);
    }
    orthant_context_set_progress(ctx, NULL, NULL);
}

/* However early it is stopped: while its first centres are chosen. */
static void test_kmeans_ends(void **state)
{
    orthant_matrix *samples = make_samples(*state);
    orthant_result *result = NULL;
    expect_ok(*state, fit(*state, samples, "kmeans", NULL, "1e-9", &result));
    assert_false(orthant_result_converged(result));
    assert_int_equal(orthant_result_iterations(result), 0);
    assert_non_null(orthant_result_factor(result, "encoding"));
    orthant_result_free(result);
    orthant_matrix_free(samples);
}

static void test_unknown_search(void **state)
{
    orthant_model *model = NULL;
    orthant_graph *graph = NULL;
    orthant_search kind;
    orthant_graph_options options = ORTHANT_GRAPH_DEFAULTS;
    orthant_matrix *samples = make_samples(*state);
    expect_ok(*state, orthant_model_create(*state, "gnmf", 3, &model));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "search",
                   orthant_model_set(model, "search", "nearly"));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "no search 'nearly'",
                   orthant_search_parse(*state, "nearly", &kind));
    options.search = (orthant_search)7;
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "search 7",
                   orthant_graph_build(*state, samples, &options, &graph));
    options.search = ORTHANT_SEARCH_APPROXIMATE;
    options.time_limit_s = -1;
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "time limit -1",
                   orthant_graph_build(*state, samples, &options, &graph));
    options.time_limit_s = 0;
    expect_ok(*state, orthant_graph_build(*state, samples, &options, &graph));
    assert_true(orthant_graph_edges(graph) >= SAMPLES * 5 / 2);
    orthant_graph_free(graph);
    orthant_model_free(model);
    orthant_matrix_free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_search_is_counted),
        fixture_test(test_stages_are_counted),
        fixture_test(test_products_are_counted),
        fixture_test(test_later_stages),
        fixture_test(test_loop_ends),
        fixture_test(test_kmeans_ends),
        fixture_test(test_unknown_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
