/* Times each shape, solver and method, beside the limits of limits.c. */
#include "bench/bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sized.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "data/matrix.h"
#include "orthant/orthant.h"

/* ---- the shapes ---- */

typedef enum shape_kind { PICTURES, TEXT, REGIONS, SIMILARITY } shape_kind;

typedef struct shape {
    const char *name;
    shape_kind kind;
    bench_size size;
    int64_t quick_samples; /* 0: the shape is left out of the quick run */
    int64_t rank;
    const char *methods;         /* "nmf,nmf-kl" */
    int iterations;              /* of a round */
    const char *file, *variable; /* in the folder of the research sets; NULL: no such set */
    bool transpose;
} shape;

static const shape shapes[] = {
    {"faces",
     PICTURES,
     {400, 1024, 0, 80},
     400,
     40,
     "nmf,nmf-kl",
     100,
     "ORL/ORL_32x32.mat",
     NULL,
     false},
    {"digits",
     PICTURES,
     {70000, 784, 0, 100},
     2000,
     10,
     "nmf,nmf-kl",
     5,
     "MNIST/t10k-images-idx3-ubyte.gz",
     NULL,
     false},
    {"digits",
     PICTURES,
     {70000, 784, 0, 100},
     2000,
     50,
     "nmf",
     5,
     "MNIST/t10k-images-idx3-ubyte.gz",
     NULL,
     false},
    {"text",
     TEXT,
     {8293, 18933, 389455, 60},
     8293,
     30,
     "nmf,nmf-kl",
     20,
     "Reuters21578/Reuters21578.mat",
     NULL,
     false},
    {"graph", REGIONS, {14459, 3, 0, 2}, 14459, 2, "grpnmf", 40, NULL, NULL, false},
    {"similarity",
     SIMILARITY,
     {1440, 1024, 0, 20},
     1440,
     20,
     "snmf,wnmf,rmnd",
     30,
     "COIL20/COIL20_32x32.mat",
     NULL,
     false},
    {"similarity",
     SIMILARITY,
     {9298, 256, 0, 10},
     0,
     10,
     "snmf,wnmf,rmnd",
     5,
     "USPS/usps_9298.mat",
     "Xt",
     true},
};

#define GRAPH_WEIGHT 500
#define QUALITY 100
#define QUICK_QUALITY 10
#define QUICK_ITERATIONS 3

/* What the BLAS would have to do in an update. */
static bench_products products_of(const char *method)
{
    if (!strcmp(method, "snmf"))
        return (bench_products){1, 0, 1, 1}; /* K A; A G; A'A */
    if (!strcmp(method, "wnmf"))
        return (bench_products){1, 0, 2, 2}; /* K A; K A S, A S G S; A'A, A'K A */
    if (!strcmp(method, "rmnd"))
        /* K A, K E; E and M two each, the gradient three; two trials of each of four steps */
        return (bench_products){2, 0, 16, 29};
    return (bench_products){1, 1, 0, 0};
}

/* Floating-point operations of an iteration's products with X: two for each entry and part, and
 * for the divergence a third time, to form the quotient. */
static double flops_of(const char *method, double entries, double rank)
{
    const double products = !strcmp(method, "nmf-kl")                            ? 3
                            : !strcmp(method, "snmf") || !strcmp(method, "wnmf") ? 1
                                                                                 : 2;
    return 2 * products * entries * rank;
}

/* ---- one shape ---- */

typedef struct bench {
    orthant_context *ctx;
    const orthant_bench_options *options;
    const shape *shape;
    int rounds;
    orthant_matrix *X;
    orthant_graph *graph;
    orthant_bench_row row;
    orthant_bench_function listener;
    void *user;
} bench;

/* The research set where it is there. */
static orthant_status read_set(bench *b, bool *found)
{
    orthant_read_options options = {
        .size = sizeof options, .variable = b->shape->variable, .transpose = b->shape->transpose};
    orthant_status status = ORTHANT_OK;
    *found = false;
    if (!b->options->data || !b->shape->file)
        return ORTHANT_OK;
    const int64_t bytes = (int64_t)(strlen(b->options->data) + strlen(b->shape->file)) + 2;
    char *path = memory_new(b->ctx, bytes, 1, "a file's name");
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    snprintf(path, (size_t)bytes, "%s/%s", b->options->data, b->shape->file);
    *found = file_exists(path);
    if (*found)
        status = orthant_matrix_read(b->ctx, path, &options, &b->X, NULL);
    if (!status && *found)
        status = orthant_matrix_scale(b->X, ORTHANT_SCALE_MAX);
    memory_free(b->ctx, path);
    return status;
}

static orthant_status make_data(bench *b)
{
    bench_size size = b->shape->size;
    if (b->options->quick)
        size.samples = b->shape->quick_samples;
    switch (b->shape->kind) {
    case PICTURES: return bench_pictures(b->ctx, size, &b->X);
    case TEXT: return bench_text(b->ctx, size, &b->X);
    case REGIONS: return bench_regions(b->ctx, size, &b->X, &b->graph);
    case SIMILARITY: return bench_points(b->ctx, size, &b->X);
    }
    return ORTHANT_OK;
}

static orthant_status open_shape(bench *b)
{
    bool found;
    orthant_status status = read_set(b, &found);
    if (!status && !found)
        status = make_data(b);
    if (!status && b->shape->kind == SIMILARITY) {
        orthant_matrix *points = b->X;
        b->X = NULL;
        status = orthant_similarity_gaussian(b->ctx, points, 0, 1, &b->X);
        orthant_matrix_free(points);
    }
    if (status)
        return status;
    b->row = (orthant_bench_row){.size = sizeof(orthant_bench_row),
                                 .shape = b->shape->name,
                                 .generated = !found,
                                 .samples = b->X->rows,
                                 .features = b->X->columns,
                                 .stored = b->X->sparse ? b->X->row_start[b->X->rows]
                                                        : b->X->rows * b->X->columns,
                                 .rank = b->shape->rank,
                                 .blas_ms = NAN};
    return bench_read(b->ctx, b->X, b->shape->rank, 2 * b->rounds, &b->row.read_ms);
}

static void close_shape(bench *b)
{
    orthant_graph_free(b->graph);
    orthant_matrix_free(b->X);
    b->graph = NULL;
    b->X = NULL;
}

/* ---- one method ---- */

static orthant_status set_whole(orthant_model *model, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return orthant_model_set(model, name, text);
}

static orthant_status fit(const bench *b, int64_t iterations, orthant_result **result)
{
    orthant_model *model = NULL;
    *result = NULL;
    orthant_status status = orthant_model_create(b->ctx, b->row.method, b->shape->rank, &model);
    if (!status)
        status = set_whole(model, "iterations", iterations);
    if (!status)
        status = orthant_model_set(model, "tolerance", "0");
    if (!status && *b->row.solver)
        status = orthant_model_set(model, "solver", b->row.solver);
    if (!status && b->graph)
        status = orthant_model_set_graph(model, b->graph);
    if (!status && b->graph)
        status = set_whole(model, "graph_weight", GRAPH_WEIGHT);
    if (!status && b->shape->kind == SIMILARITY)
        status = orthant_model_set_similarity(model, b->X);
    if (!status)
        status = orthant_fit(model, b->X, result);
    orthant_model_free(model);
    if (!status && orthant_result_stopped(*result)) {
        orthant_result_free(*result);
        *result = NULL;
        status = fail(b->ctx, ORTHANT_STOPPED, "stopped");
    }
    return status;
}

/* Milliseconds per iteration, the best of some rounds. */
static orthant_status time_iteration(const bench *b, double *ms)
{
    const int iterations = b->options->quick ? QUICK_ITERATIONS : b->shape->iterations;
    orthant_status status = ORTHANT_OK;
    *ms = INFINITY;
    for (int round = 0; round < b->rounds && !status; round++) {
        orthant_result *result = NULL;
        status = fit(b, iterations, &result);
        if (!status && orthant_result_iterations(result) > 0)
            *ms = fmin(*ms, 1e3 * orthant_result_seconds(result) /
                                (double)orthant_result_iterations(result));
        orthant_result_free(result);
    }
    return status;
}

static orthant_status time_alone(bench *b, double *ms)
{
    const int threads = b->ctx->threads;
    orthant_status status = orthant_context_set_threads(b->ctx, 1);
    if (!status)
        status = time_iteration(b, ms);
    const orthant_status restored = orthant_context_set_threads(b->ctx, threads);
    return status ? status : restored;
}

/* When the history first comes down to the objective; NaN where it does not. */
static double seconds_to(const orthant_result *result, double objective)
{
    for (int64_t i = 0; i < orthant_result_history_rows(result); i++)
        if (orthant_result_history(result, i, 2) <= objective)
            return orthant_result_history(result, i, 1);
    return NAN;
}

/* The first solver of a method sets what the others have to reach, from the same start. */
static orthant_status time_quality(bench *b, bool first)
{
    orthant_result *result = NULL;
    orthant_status status = ORTHANT_OK;
    const bool is_short = b->row.ms * (double)b->row.quality_iterations < 2000;
    const int rounds = is_short && !b->options->quick ? b->rounds : 1;
    double best = INFINITY;
    for (int round = 0; round < rounds && !status; round++) {
        status = fit(b, b->row.quality_iterations, &result);
        if (!status && first)
            b->row.quality = orthant_result_objective(result);
        if (!status)
            best = fmin(best, seconds_to(result, b->row.quality));
        orthant_result_free(result);
    }
    b->row.quality_s = isinf(best) ? (double)NAN : best;
    return status;
}

static orthant_status measure_solver(bench *b, bool first)
{
    orthant_status status = time_iteration(b, &b->row.ms);
    b->row.alone_ms = b->row.ms;
    if (!status && parallel_threads(b->ctx) > 1)
        status = time_alone(b, &b->row.alone_ms);
    if (!status)
        status = time_quality(b, first);
    if (!status)
        b->listener(b->user, &b->row);
    return status;
}

static orthant_status time_products(bench *b)
{
    if (b->graph)
        return bench_plain_graph(b->ctx, b->X, b->graph, b->shape->rank, GRAPH_WEIGHT,
                                 4 * b->rounds, &b->row.blas_ms);
    if (b->X->sparse)
        return ORTHANT_OK;
    return bench_blas(b->ctx, b->X, b->shape->rank, products_of(b->row.method), b->rounds,
                      &b->row.blas_ms);
}

/* The solvers of a method: "mu|hals"; "" where it has no choice. */
static const char *solver_choices(const char *method)
{
    orthant_parameter_info info = {.size = sizeof info};
    for (int i = 0; !orthant_method_parameter(method, i, &info); i++)
        if (!strcmp(info.name, "solver") && info.choices)
            return info.choices;
    return "";
}

/* Takes the next word off a list; false where there is none left. */
static bool next_word(const char **list, char separator, char *word, size_t size)
{
    if (!*list)
        return false;
    const char *end = strchr(*list, separator);
    const int length = end ? (int)(end - *list) : (int)strlen(*list);
    snprintf(word, size, "%.*s", length, *list);
    *list = end ? end + 1 : NULL;
    return true;
}

static orthant_status measure_method(bench *b, const char *method)
{
    const char *solvers = solver_choices(method);
    char solver[32];
    bool first = true;
    b->row.method = method;
    b->row.flops = flops_of(method, (double)b->row.stored, (double)b->row.rank);
    b->row.quality_iterations = b->options->quick ? QUICK_QUALITY : QUALITY;
    orthant_status status = time_products(b);
    while (!status && next_word(&solvers, '|', solver, sizeof solver)) {
        if (!strcmp(solver, "auto")) /* one of the others */
            continue;
        b->row.solver = solver;
        status = measure_solver(b, first);
        /* Not every loss has every solver. */
        if (!first && (status == ORTHANT_ERROR_ARGUMENT || status == ORTHANT_ERROR_UNSUPPORTED))
            status = ORTHANT_OK;
        first = false;
    }
    return status;
}

orthant_status orthant_bench_run(orthant_context *ctx, const orthant_bench_options *options,
                                 orthant_bench_function listener, void *user)
{
    orthant_bench_options own;
    const orthant_status refused = entry_check(ctx, listener != NULL, __func__);
    if (refused)
        return refused;
    orthant_status status = sized_take(ctx, "orthant_bench_run", options, &own, sizeof own);
    if (!status && own.data && !file_is_folder(own.data))
        status = fail(ctx, ORTHANT_ERROR_IO, "%s: there is no such folder", own.data);
    bench b = {.ctx = ctx,
               .options = &own,
               .rounds = own.quick ? 2 : 5,
               .listener = listener,
               .user = user};
    const orthant_precision precision = orthant_context_precision(ctx);
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !status; i++) {
        char method[32];
        const char *methods = shapes[i].methods;
        b.shape = &shapes[i];
        if (own.quick && !b.shape->quick_samples)
            continue;
        status = open_shape(&b);
        while (!status && next_word(&methods, ',', method, sizeof method))
            status = measure_method(&b, method);
        close_shape(&b);
    }
    orthant_context_set_precision(ctx, precision);
    return status;
}
