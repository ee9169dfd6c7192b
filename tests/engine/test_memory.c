/* What a fit takes at its peak, on data from 64 MB on, where it counts: less than a fifth above the
 * data and the factors, with the sums that are kept and the scratch of every thread. */
#include "fixture.h"

#include <stdint.h>
#include <stdlib.h>

#include "orthant/orthant.h"
#include "problem.h"

#define MOST_ABOVE 0.2
#define RANK 32
#define THREADS 16
#define NEIGHBOURS 5

typedef struct data_shape {
    int64_t samples, features;
    int64_t stored; /* entries of a sample that CSR holds; 0: dense */
} data_shape;

/* 64 MB each in single precision. */
static const data_shape tall = {16000, 1000, 0}, wide = {1000, 16000, 0},
                        text = {20000, 20000, 400}, faces = {4000, 4000, 0};

typedef struct checked_method {
    const char *name, *solver; /* NULL: the method's own */
} checked_method;

static const checked_method methods[] = {
    {"nmf", "mu"},        {"nmf", "emu"}, {"nmf", "hals"},  {"nmf-kl", "mu"},   {"nmf-kl", "emu"},
    {"nmf-kl", "newton"}, {"tnmf", NULL}, {"cdnmf", NULL},  {"cdnmf-kl", NULL}, {"nlcf", NULL},
    {"nlcf-g", NULL},     {"gnmf", "mu"}, {"gnmf", "hals"}, {"sgnmf", NULL},    {"cnmf", NULL},
    {"cnmf-kl", NULL},    {"nnsc", NULL}, {"anp", NULL},    {"nmf-sc", NULL},   {"cf", NULL},
    {"convex-nmf", NULL}, {"onmf", NULL}, {"pnmf", NULL},   {"grpnmf", NULL},   {"ssnmf", NULL},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* Of each way that codes are found in the last step of a fit. */
static const checked_method ends[] = {{"nmf", "mu"},  {"nmf-kl", "mu"},  {"tnmf", NULL},
                                      {"cnmf", NULL}, {"cnmf-kl", NULL}, {"ssnmf", NULL}};
enum { ENDS = sizeof ends / sizeof *ends };

/* A number below `limit`, of a linear congruential generator's upper bits. */
static int64_t next(uint64_t *state, int64_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((*state >> 33) % (uint64_t)limit);
}

static orthant_matrix *make_dense(orthant_context *ctx, const data_shape *shape)
{
    const int64_t count = shape->samples * shape->features;
    double *values = malloc((size_t)count * sizeof *values);
    uint64_t state = 1;
    orthant_matrix *X = NULL;
    assert_non_null(values);
    for (int64_t e = 0; e < count; e++)
        values[e] = 1e-3 * (double)next(&state, 1000);
    expect_ok(ctx, orthant_matrix_create(ctx, shape->samples, shape->features, values, &X));
    free(values);
    return X;
}

/* In each sample the stored entries are spread evenly, from a random first one on. */
static orthant_matrix *make_sparse(orthant_context *ctx, const data_shape *shape)
{
    const int64_t count = shape->samples * shape->stored, apart = shape->features / shape->stored;
    double *values = malloc((size_t)count * sizeof *values);
    int64_t *start = malloc((size_t)(shape->samples + 1) * sizeof *start),
            *column = malloc((size_t)count * sizeof *column);
    uint64_t state = 1;
    orthant_matrix *X = NULL;
    assert_true(values && start && column);
    for (int64_t i = 0; i < shape->samples; i++) {
        const int64_t first = next(&state, apart);
        for (int64_t s = 0; s < shape->stored; s++) {
            column[i * shape->stored + s] = first + s * apart;
            values[i * shape->stored + s] = 1e-3 * (double)(1 + next(&state, 1000));
        }
    }
    for (int64_t i = 0; i <= shape->samples; i++)
        start[i] = i * shape->stored;
    expect_ok(ctx, orthant_matrix_create_csr(ctx, shape->samples, shape->features, start, column,
                                             values, &X));
    free(values);
    free(start);
    free(column);
    return X;
}

static orthant_labels *make_labels(orthant_context *ctx, int64_t n)
{
    int64_t *values = malloc((size_t)n * sizeof *values);
    orthant_labels *labels = NULL;
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++)
        values[i] = i % 10 ? -1 : i / 10 % RANK;
    expect_ok(ctx, orthant_labels_create(ctx, n, values, &labels));
    free(values);
    return labels;
}

typedef struct inputs {
    orthant_context *ctx;
    const data_shape *shape;
    orthant_matrix *X;
    orthant_graph *graph; /* NULL: the fit finds the neighbours */
    orthant_labels *labels;
} inputs;

/* With a tolerance the fit ends with the codes of its samples. */
static orthant_model *make_model(const inputs *in, const checked_method *method,
                                 const char *tolerance)
{
    orthant_model *model = NULL;
    expect_ok(in->ctx, orthant_model_create(in->ctx, method->name, RANK, &model));
    expect_ok(in->ctx, orthant_model_set(model, "iterations", "1"));
    expect_ok(in->ctx, orthant_model_set(model, "tolerance", tolerance));
    if (method->solver)
        expect_ok(in->ctx, orthant_model_set(model, "solver", method->solver));
    if (in->graph)
        expect_ok(in->ctx, orthant_model_set_graph(model, in->graph));
    expect_ok(in->ctx, orthant_model_set_labels(model, in->labels));
    return model;
}

static size_t factor_bytes(const orthant_result *result, const char *name)
{
    const orthant_matrix *factor = orthant_result_factor(result, name);
    return (size_t)(orthant_matrix_rows(factor) * orthant_matrix_columns(factor)) * sizeof(float);
}

static void check_peak(const inputs *in, const checked_method *method, const char *tolerance)
{
    orthant_result *result = NULL;
    const size_t data = orthant_context_memory(in->ctx);
    orthant_context_reset_peak_memory(in->ctx);
    orthant_model *model = make_model(in, method, tolerance);
    expect_ok(in->ctx, orthant_fit(model, in->X, &result));
    const size_t peak = orthant_context_peak_memory(in->ctx);
    size_t factors = 0;
    for (int i = 0; i < orthant_result_factor_count(result); i++)
        factors += factor_bytes(result, orthant_result_factor_name(result, i));
    const double above = (double)peak / (double)(data + factors) - 1;
    if (!(above < MOST_ABOVE))
        fail_msg("%s %s on %d samples of %d features takes %.1f %% above data and factors",
                 method->name, method->solver ? method->solver : "", (int)in->shape->samples,
                 (int)in->shape->features, 100 * above);
    orthant_result_free(result);
    orthant_model_free(model);
}

static void make_inputs(inputs *in, orthant_context *ctx, const data_shape *shape)
{
    *in = (inputs){.ctx = ctx, .shape = shape};
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    expect_ok(ctx, orthant_context_set_threads(ctx, THREADS));
    in->X = shape->stored ? make_sparse(ctx, shape) : make_dense(ctx, shape);
    in->labels = make_labels(ctx, shape->samples);
}

static void free_inputs(inputs *in)
{
    orthant_matrix_free(in->X);
    orthant_graph_free(in->graph);
    orthant_labels_free(in->labels);
}

static void check_methods(orthant_context *ctx, const data_shape *shape)
{
    inputs in;
    make_inputs(&in, ctx, shape);
    in.graph = ring_graph(ctx, shape->samples, NEIGHBOURS);
    for (int i = 0; i < METHODS; i += SANITIZED ? 4 : 1)
        check_peak(&in, &methods[i], "0");
    free_inputs(&in);
}

static void check_ends(orthant_context *ctx, const data_shape *shape)
{
    inputs in;
    if (SANITIZED)
        skip();
    make_inputs(&in, ctx, shape);
    for (int i = 0; i < ENDS; i++)
        check_peak(&in, &ends[i], "1e-6");
    free_inputs(&in);
}

static void test_tall(void **state)
{
    check_methods(*state, &tall);
}

/* What is counted does not depend on the sanitizers, under which large data take long. */
static void test_wide(void **state)
{
    if (SANITIZED)
        skip();
    check_methods(*state, &wide);
}

static void test_sparse(void **state)
{
    if (SANITIZED)
        skip();
    check_methods(*state, &text);
}

static void test_ends_of_tall(void **state)
{
    check_ends(*state, &tall);
}

static void test_ends_of_wide(void **state)
{
    check_ends(*state, &wide);
}

static void test_ends_of_text(void **state)
{
    check_ends(*state, &text);
}

/* With the graph that the fit builds, and the search for neighbours. */
static void test_search(void **state)
{
    static const checked_method gnmf = {"gnmf", NULL};
    inputs in;
    if (SANITIZED)
        skip();
    make_inputs(&in, *state, &faces);
    check_peak(&in, &gnmf, "0");
    free_inputs(&in);
}

/* What threads share by taking less scratch each: more than one and sixteen of them make of data
 * of this size have the same bits. */
static void check_bits(orthant_context *ctx, const data_shape *shape)
{
    static const checked_method newton = {"nmf-kl", "newton"};
    inputs in;
    orthant_result *result[2] = {NULL, NULL};
    if (SANITIZED)
        skip();
    make_inputs(&in, ctx, shape);
    for (int i = 0; i < 2; i++) {
        expect_ok(ctx, orthant_context_set_threads(ctx, i ? THREADS : 1));
        orthant_model *model = make_model(&in, &newton, "0");
        expect_ok(ctx, orthant_fit(model, in.X, &result[i]));
        orthant_model_free(model);
    }
    assert_true(factors_identical(result[0], result[1]));
    for (int i = 0; i < 2; i++)
        orthant_result_free(result[i]);
    free_inputs(&in);
}

static void test_bits_of_tall(void **state)
{
    check_bits(*state, &tall);
}

static void test_bits_of_text(void **state)
{
    check_bits(*state, &text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_tall),         fixture_test(test_wide),
        fixture_test(test_sparse),       fixture_test(test_ends_of_tall),
        fixture_test(test_ends_of_wide), fixture_test(test_ends_of_text),
        fixture_test(test_search),       fixture_test(test_bits_of_tall),
        fixture_test(test_bits_of_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
