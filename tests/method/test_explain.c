/* What orthant_explain tells, beside what the fit then takes by the context's own accounting. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "orthant/orthant.h"

#define RANK 12
#define THREADS 3
#define NEIGHBOURS 3

typedef struct data_shape {
    int64_t samples, features;
    int64_t apart; /* of CSR data: every so many features one entry is stored; 0: dense */
} data_shape;

/* The last one has more than one chunk. */
static const data_shape dense = {1200, 700, 0}, sparse = {4000, 3000, 40}, tall = {33000, 200, 0};

typedef struct explained_case {
    const char *method, *solver; /* NULL: the method's own */
    int passes;
    double operations; /* of products with X, for each stored entry and column */
} explained_case;

static const explained_case cases[] = {
    {"nmf", "mu", 1, 4},     {"nmf", "emu", 1, 4},    {"nmf", "hals", 1, 4},
    {"nmf-kl", "mu", 1, 8},  {"nmf-kl", "emu", 1, 8}, {"nmf-kl", "newton", 2, 18},
    {"tnmf", NULL, 1, 4},    {"cdnmf", NULL, 1, 4},   {"cdnmf-kl", NULL, 1, 8},
    {"nlcf", NULL, 1, 4},    {"nlcf-g", NULL, 1, 4},  {"gnmf", "mu", 1, 4},
    {"gnmf", "hals", 1, 4},  {"sgnmf", NULL, 1, 4},   {"cnmf", NULL, 1, 4},
    {"cnmf-kl", NULL, 1, 8}, {"nnsc", NULL, 1, 4},    {"anp", NULL, 1, 4},
    {"nmf-sc", NULL, 2, 4},  {"ssnmf", NULL, 1, 4},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct inputs {
    orthant_context *ctx;
    const data_shape *shape;
    orthant_matrix *X;
    orthant_graph *graph;
    orthant_labels *labels;
} inputs;

/* Entries that are neither zero nor all the same, in every `apart`-th column. */
static orthant_matrix *make_matrix(orthant_context *ctx, const data_shape *shape)
{
    const int64_t apart = shape->apart ? shape->apart : 1, each = shape->features / apart,
                  count = shape->samples * each;
    double *values = malloc((size_t)count * sizeof *values);
    int64_t *start = malloc((size_t)(shape->samples + 1) * sizeof *start),
            *column = malloc((size_t)count * sizeof *column);
    orthant_matrix *X = NULL;
    assert_true(values && start && column);
    for (int64_t e = 0; e < count; e++) {
        values[e] = 1 + (double)(e * 7919 % 1013) / 100;
        column[e] = e % each * apart + (shape->apart ? e / each % apart : 0);
    }
    for (int64_t i = 0; i <= shape->samples; i++)
        start[i] = i * each;
    if (shape->apart)
        expect_ok(ctx, orthant_matrix_create_csr(ctx, shape->samples, shape->features, start,
                                                 column, values, &X));
    else
        expect_ok(ctx, orthant_matrix_create(ctx, shape->samples, shape->features, values, &X));
    free(values);
    free(start);
    free(column);
    return X;
}

static void make_inputs(inputs *in, orthant_context *ctx, const data_shape *shape)
{
    int64_t *known = malloc((size_t)shape->samples * sizeof *known);
    assert_non_null(known);
    for (int64_t i = 0; i < shape->samples; i++)
        known[i] = i % 5 ? -1 : i / 5 % RANK;
    *in = (inputs){.ctx = ctx, .shape = shape};
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    expect_ok(ctx, orthant_context_set_threads(ctx, THREADS));
    in->X = make_matrix(ctx, shape);
    in->graph = ring_graph(ctx, shape->samples, NEIGHBOURS);
    expect_ok(ctx, orthant_labels_create(ctx, shape->samples, known, &in->labels));
    free(known);
}

static void free_inputs(inputs *in)
{
    orthant_matrix_free(in->X);
    orthant_graph_free(in->graph);
    orthant_labels_free(in->labels);
}

static orthant_model *make_model(const inputs *in, const char *method, const char *solver)
{
    orthant_model *model = NULL;
    expect_ok(in->ctx, orthant_model_create(in->ctx, method, RANK, &model));
    expect_ok(in->ctx, orthant_model_set(model, "iterations", "2"));
    expect_ok(in->ctx, orthant_model_set(model, "tolerance", "0"));
    if (solver)
        expect_ok(in->ctx, orthant_model_set(model, "solver", solver));
    expect_ok(in->ctx, orthant_model_set_graph(model, in->graph));
    expect_ok(in->ctx, orthant_model_set_labels(model, in->labels));
    return model;
}

static orthant_plan_info explain(const inputs *in, const orthant_model *model)
{
    orthant_plan_info info = {.size = sizeof info};
    const size_t before = orthant_context_memory(in->ctx);
    expect_ok(in->ctx, orthant_explain(model, in->X, &info));
    assert_int_equal(orthant_context_memory(in->ctx), before);
    return info;
}

static int64_t stored_of(const data_shape *shape)
{
    return shape->samples * shape->features / (shape->apart ? shape->apart : 1);
}

/* What the fit took above X and factors. */
static double taken(const inputs *in, const orthant_model *model, int64_t factors)
{
    orthant_result *result = NULL;
    const size_t before = orthant_context_memory(in->ctx);
    orthant_context_reset_peak_memory(in->ctx);
    expect_ok(in->ctx, orthant_fit(model, in->X, &result));
    orthant_result_free(result);
    return (double)(orthant_context_peak_memory(in->ctx) - before) - (double)factors;
}

/* The history has 128 rows at first, the result is a block of its own, and blocks of memory have
 * heads of 64 bytes. */
#define NOT_TOLD (9 << 10)

static void check_memory(const inputs *in, const explained_case *c)
{
    orthant_model *model = make_model(in, c->method, c->solver);
    const orthant_plan_info info = explain(in, model);
    const double told = (double)info.memory.total, peak = taken(in, model, info.memory.factors);
    if (peak > told + NOT_TOLD || peak < 0.97 * told)
        fail_msg("%s %s, %d samples: %.0f bytes told, %.0f taken", c->method,
                 c->solver ? c->solver : "", (int)in->shape->samples, told, peak);
    orthant_model_free(model);
}

static void check_shape(orthant_context *ctx, const data_shape *shape, int step)
{
    inputs in;
    make_inputs(&in, ctx, shape);
    for (int i = 0; i < CASES; i += step)
        check_memory(&in, &cases[i]);
    free_inputs(&in);
}

static void test_memory_dense(void **state)
{
    check_shape(*state, &dense, 1);
}

static void test_memory_sparse(void **state)
{
    check_shape(*state, &sparse, 1);
}

static void test_memory_of_chunks(void **state)
{
    check_shape(*state, &tall, 6);
}

static void test_work(void **state)
{
    static const data_shape *const shapes[] = {&dense, &sparse};
    for (int s = 0; s < 2; s++) {
        inputs in;
        make_inputs(&in, *state, shapes[s]);
        for (int i = 0; i < CASES; i++) {
            orthant_model *model = make_model(&in, cases[i].method, cases[i].solver);
            const orthant_plan_info info = explain(&in, model);
            const int64_t stored = stored_of(shapes[s]);
            const double most = cases[i].operations * (double)stored * RANK;
            assert_int_equal(info.iteration.passes, cases[i].passes);
            assert_int_equal(info.problem.stored, stored);
            assert_true(fabs(info.iteration.data_operations - most) < 1);
            assert_int_equal(info.iteration.data_bytes, info.iteration.passes * info.memory.data);
            orthant_model_free(model);
        }
        free_inputs(&in);
    }
}

static void test_strips(void **state)
{
    inputs in;
    make_inputs(&in, *state, &tall);
    orthant_model *model = make_model(&in, "nmf", NULL);
    const orthant_plan_info info = explain(&in, model);
    const orthant_plan_strips *s = &info.strips;
    assert_string_equal(info.problem.solver, "hals"); /* what auto stands for */
    assert_int_equal(s->chunks, 8);
    assert_true((s->chunks - 1) * s->chunk_samples < tall.samples);
    assert_true(s->chunks * s->chunk_samples >= tall.samples);
    assert_true(s->strips >= s->chunks && s->strip_samples <= s->chunk_samples);
    assert_true(s->block_samples <= s->strip_samples && s->block_features <= tall.features);
    assert_in_range(s->threads, 1, THREADS);
    assert_true(info.memory.accumulators >= info.memory.sums);
    orthant_model_free(model);
    free_inputs(&in);
}

/* Without a graph none is searched for; what it would take is an upper bound. */
static void test_graph_not_built(void **state)
{
    inputs in;
    make_inputs(&in, *state, &dense);
    orthant_model *model = NULL;
    expect_ok(in.ctx, orthant_model_create(in.ctx, "gnmf", RANK, &model));
    expect_ok(in.ctx, orthant_model_set(model, "iterations", "2"));
    orthant_plan_info info = explain(&in, model);
    orthant_result *result = NULL;
    const size_t before = orthant_context_memory(in.ctx);
    assert_int_equal(info.memory.graph, dense.samples * 2 * 5 * 4);
    expect_ok(in.ctx, orthant_fit(model, in.X, &result));
    assert_true(orthant_context_memory(in.ctx) - before <
                (size_t)(info.memory.factors + info.memory.total));
    orthant_result_free(result);
    expect_ok(in.ctx, orthant_model_set(model, "weights", "heat"));
    info = explain(&in, model);
    assert_int_equal(info.memory.graph, dense.samples * (2 * 5 * 8 + 8));
    expect_ok(in.ctx, orthant_model_set_graph(model, in.graph));
    info = explain(&in, model);
    assert_int_equal(info.memory.graph, 0);
    orthant_model_free(model);
    free_inputs(&in);
}

/* Refused as the fit refuses it. */
static void expect_same_refusal(const inputs *in, const orthant_model *model)
{
    char words[512];
    orthant_result *result = NULL;
    orthant_plan_info info = {.size = sizeof info};
    const orthant_status status = orthant_fit(model, in->X, &result);
    assert_int_not_equal(status, ORTHANT_OK);
    strncpy(words, orthant_message(in->ctx), sizeof words - 1);
    words[sizeof words - 1] = '\0';
    expect_failure(in->ctx, status, words, orthant_explain(model, in->X, &info));
}

static void test_refusals(void **state)
{
    static const struct {
        const char *method, *name, *value;
    } wrong[] = {{"nmf", "solver", "newton"}, {"nmf-kl", "solver", "hals"},
                 {"nnsc", "solver", "hals"},  {"gnmf", "neighbours", "5000"},
                 {"cdnmf", "seed", "1"}, /* without labels */
                 {"cnmf", "seed", "1"}};
    inputs in;
    make_inputs(&in, *state, &dense);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        orthant_model *model = NULL;
        expect_ok(in.ctx, orthant_model_create(in.ctx, wrong[i].method, RANK, &model));
        expect_ok(in.ctx, orthant_model_set(model, wrong[i].name, wrong[i].value));
        expect_same_refusal(&in, model);
        orthant_model_free(model);
    }
    free_inputs(&in);
}

static void test_no_plan(void **state)
{
    static const char *const none[] = {"kmeans", "pca", "snmf", "spectral", "cf", "rica"};
    inputs in;
    make_inputs(&in, *state, &dense);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        orthant_model *model = NULL;
        orthant_plan_info info = {.size = sizeof info};
        expect_ok(in.ctx, orthant_model_create(in.ctx, none[i], RANK, &model));
        expect_failure(in.ctx, ORTHANT_ERROR_ARGUMENT, none[i],
                       orthant_explain(model, in.X, &info));
        assert_non_null(strstr(orthant_message(in.ctx), "Methods that have one: nmf, nmf-kl"));
        orthant_model_free(model);
    }
    free_inputs(&in);
}

static void test_size(void **state)
{
    inputs in;
    make_inputs(&in, *state, &dense);
    orthant_model *model = make_model(&in, "nmf", NULL);
    orthant_plan_info info = {0};
    expect_failure(in.ctx, ORTHANT_ERROR_ARGUMENT, "size is 0",
                   orthant_explain(model, in.X, &info));
    /* of a program that knows more than this library */
    struct {
        orthant_plan_info info;
        int64_t later;
    } larger = {.info = {.size = sizeof larger}, .later = 7};
    expect_ok(in.ctx, orthant_explain(model, in.X, &larger.info));
    assert_int_equal(larger.info.problem.rank, orthant_model_rank(model));
    assert_int_equal(larger.later, 7);
    orthant_model_free(model);
    free_inputs(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_memory_dense),
                                       fixture_test(test_memory_sparse),
                                       fixture_test(test_memory_of_chunks),
                                       fixture_test(test_work),
                                       fixture_test(test_strips),
                                       fixture_test(test_graph_not_built),
                                       fixture_test(test_refusals),
                                       fixture_test(test_no_plan),
                                       fixture_test(test_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
