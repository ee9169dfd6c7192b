/* Fits away from the defaults with allocations made to fail one at a time: solvers, starts, losses,
 * terms, sparse data, double precision, read-outs, encodings of new samples and plans. Always an
 * error that speaks of memory, and nothing leaks. */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "orthant/orthant.h"

#define SAMPLES 40
#define FEATURES 12
#define MOST_TRIED 60 /* failures of a case; more allocations are sampled */

typedef struct fit_case {
    const char *method;
    const char *parameter[4][2];
    const char *term, *read_out;
    bool sparse, is_double, transforms;
    bool explains; /* and fits nothing */
} fit_case;

static const fit_case cases[] = {
    {.method = "nmf", .parameter = {{"solver", "mu"}, {"init", "nndsvd"}}},
    {.method = "nmf", .parameter = {{"solver", "emu"}, {"init", "kmeans"}}},
    {.method = "nmf", .parameter = {{"solver", "hals"}, {"init", "nndsvdar"}}, .transforms = true},
    {.method = "nmf", .parameter = {{"normalise", "basis"}}, .is_double = true},
    {.method = "nmf", .sparse = true, .read_out = "argmax"},
    {.method = "nmf", .term = "sparsity", .sparse = true},
    {.method = "nmf", .term = "topographic", .parameter = {{"solver", "emu"}}, .transforms = true},
    {.method = "nmf", .term = "local"},
    {.method = "nmf", .term = "smooth"},
    {.method = "nmf", .term = "smooth-basis", .sparse = true},
    {.method = "nmf", .term = "volume", .parameter = {{"solver", "hals"}}},
    {.method = "nmf", .term = "graph", .parameter = {{"solver", "hals"}}},
    {.method = "nmf-kl", .parameter = {{"solver", "newton"}}, .transforms = true},
    {.method = "nmf-kl", .parameter = {{"solver", "newton"}}, .sparse = true},
    {.method = "nmf-kl",
     .parameter = {{"solver", "mu"}},
     .term = "graph",
     .is_double = true,
     .transforms = true},
    {.method = "nmf-kl", .parameter = {{"solver", "emu"}}, .term = "class"},
    {.method = "gnmf",
     .parameter = {{"weights", "heat"}, {"neighbours", "3"}},
     .sparse = true,
     .transforms = true},
    {.method = "sgnmf", .parameter = {{"weights", "cosine"}}},
    {.method = "cnmf", .sparse = true},
    {.method = "ssnmf", .transforms = true},
    {.method = "anp", .is_double = true, .transforms = true},
    {.method = "convex-nmf"},
    {.method = "rmnd", .read_out = "best-of"},
    {.method = "rmnd", .parameter = {{"similarity", "knn:5"}, {"search", "approximate"}}},
    {.method = "spectral", .parameter = {{"similarity", "knn:5"}}, .sparse = true},
    {.method = "nsdr", .parameter = {{"split", "factors"}, {"similarity", "knn:5"}}},
    {.method = "nsdr", .parameter = {{"split", "entries"}}, .sparse = true},
    {.method = "kmeans", .sparse = true},
    {.method = "pca", .sparse = true},
    {.method = "nmf-kl", .parameter = {{"solver", "newton"}}, .sparse = true, .explains = true},
    {.method = "nlcf-g", .explains = true},
    {.method = "sgnmf", .parameter = {{"weights", "cosine"}}, .explains = true},
    {.method = "cnmf", .sparse = true, .explains = true},
    {.method = "ssnmf", .explains = true},
    {.method = "nnsc", .explains = true},
    {.method = "nmf-sc", .explains = true},
};

typedef struct counting {
    int64_t count, fail_at; /* the fail_at-th allocation fails; 0: none */
} counting;

static void *allocate(void *user, size_t size, size_t alignment)
{
    counting *c = user;
    return ++c->count == c->fail_at ? NULL : aligned_alloc(alignment, size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static orthant_status make_samples(orthant_context *ctx, bool sparse, orthant_matrix **X)
{
    static double values[SAMPLES * FEATURES];
    static int64_t start[SAMPLES + 1], column[SAMPLES * FEATURES];
    for (int64_t e = 0; e < SAMPLES * FEATURES; e++) {
        values[e] = 0.1 + random_uniform(3, RANDOM_TEST, (uint64_t)e, 0);
        column[e] = e % FEATURES;
    }
    for (int64_t i = 0; i <= SAMPLES; i++)
        start[i] = FEATURES * i;
    return sparse ? orthant_matrix_create_csr(ctx, SAMPLES, FEATURES, start, column, values, X)
                  : orthant_matrix_create(ctx, SAMPLES, FEATURES, values, X);
}

static orthant_status make_model(orthant_context *ctx, const fit_case *c,
                                 const orthant_labels *known, orthant_model **model)
{
    orthant_status status = orthant_model_create(ctx, c->method, 4, model);
    if (!status)
        status = orthant_model_set(*model, "iterations", "3");
    if (!status && c->term)
        status = orthant_model_add_term(*model, c->term, 0.1);
    for (int i = 0; !status && i < 4 && c->parameter[i][0]; i++)
        status = orthant_model_set(*model, c->parameter[i][0], c->parameter[i][1]);
    return status ? status : orthant_model_set_labels(*model, known);
}

/* Everything is made in a context of its own, which holds nothing in the end. */
static orthant_status whole_fit(const fit_case *c, counting *allocations)
{
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL, *encoding = NULL;
    orthant_labels *known = NULL, *found = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    int64_t label[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        label[i] = i % 5 - 1;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    expect_ok(ctx, orthant_context_set_threads(ctx, 1));
    expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, allocations));
    orthant_context_set_precision(ctx, c->is_double ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
    orthant_status status = make_samples(ctx, c->sparse, &X);
    if (!status)
        status = orthant_labels_create(ctx, SAMPLES, label, &known);
    if (!status)
        status = make_model(ctx, c, known, &model);
    if (!status && c->explains)
        status = orthant_explain(model, X, &(orthant_plan_info){.size = sizeof(orthant_plan_info)});
    if (!status && !c->explains)
        status = orthant_fit(model, X, &result);
    if (result)
        status = orthant_result_labels(result, c->read_out, 4, 2, 1, &found);
    if (!status && c->transforms)
        status =
            orthant_transform(ctx, orthant_result_factor(result, "basis"),
                              strcmp(c->method, "nmf-kl") ? "frobenius" : "kl", X, 5, 0, &encoding);
    if (!status && c->transforms) {
        orthant_matrix_free(encoding);
        encoding = NULL;
        for (int i = 0; !status && i < orthant_model_term_count(model); i++)
            status = orthant_model_add_term(model, orthant_model_term(model, i),
                                            orthant_result_term_weight(result, i));
    }
    if (!status && c->transforms) {
        orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
        options.encoding = orthant_result_factor(result, "encoding");
        options.training = X;
        status = orthant_model_transform(model, orthant_result_factor(result, "basis"), X, &options,
                                         &encoding);
    }
    if (status && allocations->fail_at)
        expect_failure(ctx, ORTHANT_ERROR_MEMORY, "out of memory", status);
    else
        expect_ok(ctx, status);
    assert_true(!status || !encoding);
    orthant_matrix_free(encoding);
    orthant_labels_free(found);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_labels_free(known);
    orthant_matrix_free(X);
    assert_int_equal(orthant_context_memory(ctx), 0);
    orthant_context_free(ctx);
    return status;
}

static void test_case(void **state)
{
    const fit_case *c = *state;
    counting all = {0};
    assert_int_equal(whole_fit(c, &all), ORTHANT_OK);
    const int64_t tried = all.count < MOST_TRIED ? all.count : MOST_TRIED;
    assert_true(tried > 10);
    for (int64_t i = 1; i <= tried; i++) {
        counting failing = {.fail_at = i * all.count / tried};
        assert_int_equal(whole_fit(c, &failing), ORTHANT_ERROR_MEMORY);
    }
}

int main(void)
{
    enum { COUNT = sizeof cases / sizeof *cases };
    static char name[COUNT][64];
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(name[i], sizeof name[i], "%zu: %s", i, cases[i].method);
        tests[i] = (struct CMUnitTest){
            .name = name[i], .test_func = test_case, .initial_state = (void *)(uintptr_t)&cases[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
