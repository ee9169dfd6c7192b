/* From random starts the multiplicative methods stay near chance on pictures; all methods here
 * start from the least-squares weights on the representative features. */
#include "vision/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "orthant/fit.h"
#include "vision/als.h"
#include "vision/seeds.h"

#define LEAST_START 1e-4 /* multiplicative updates never leave zero */
#define ALS_ITERATIONS 100
#define ALS_RIDGE 0.1

static const char *const methods[] = {"grpnmf", "grpnmf+", "fseg",      "kmeans",
                                      "nmf",    "onmf",    "convex-nmf"};
enum { METHODS = sizeof methods / sizeof methods[0] };

bool parts_method_known(const char *method)
{
    for (int i = 0; i < METHODS; i++)
        if (strcmp(method, methods[i]) == 0)
            return true;
    return false;
}

static float *row_of(const orthant_matrix *m, int64_t row)
{
    return (float *)m->values + row * m->stride;
}

/* The centres as histograms, C U': parts x features, row-major (memory_free). */
static orthant_status lift_centres(orthant_context *ctx, const parts_request *r,
                                   const double *centres, double **basis)
{
    const int64_t m = r->histograms->columns;
    *basis = memory_new(ctx, r->parts * m, sizeof **basis, "histograms of the seeds");
    if (!*basis)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t k = 0; k < r->parts; k++)
        for (int64_t d = 0; d < r->dimensions; d++)
            for (int64_t f = 0; f < m; f++)
                (*basis)[k * m + f] +=
                    centres[k * r->dimensions + d] * r->space->vectors[d * m + f];
    return ORTHANT_OK;
}

/* The nearest centre has the largest 2 z'c - |c|^2. */
static orthant_status find_by_distance(orthant_context *ctx, const parts_request *r,
                                       const double *centres, parts_outcome *out)
{
    const orthant_status status =
        matrix_new_factor(ctx, ORTHANT_SINGLE, out->projected->rows, r->parts, &out->shares);
    for (int64_t i = 0; !status && i < out->projected->rows; i++)
        for (int64_t k = 0; k < r->parts; k++) {
            const double *c = centres + k * r->dimensions;
            double score = 0.0;
            for (int64_t d = 0; d < r->dimensions; d++)
                score += c[d] * (2.0 * (double)row_of(out->projected, i)[d] - c[d]);
            row_of(out->shares, i)[k] = (float)score;
        }
    return status;
}

/* fseg is no method of the library's table, so its parameters are read here. */
static orthant_status read_ridges(orthant_context *ctx, const parts_request *r, als_ridges *ridges)
{
    static const char encoding[] = "encoding_ridge=", basis[] = "basis_ridge=";
    *ridges = (als_ridges){ALS_RIDGE, ALS_RIDGE};
    for (int i = 0; i < r->parameter_count; i++) {
        const char *pair = r->parameters[i];
        const bool of_basis = !strncmp(pair, basis, sizeof basis - 1);
        double *ridge = of_basis ? &ridges->basis : &ridges->encoding;
        if (!of_basis && strncmp(pair, encoding, sizeof encoding - 1) != 0)
            return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                        "parameter '%s': fseg has encoding_ridge and basis_ridge", pair);
        if (!text_to_double(strchr(pair, '=') + 1, ridge) || !(*ridge > 0.0))
            return fail(ctx, ORTHANT_ERROR_ARGUMENT, "parameter '%s': expected a number above 0",
                        pair);
    }
    return ORTHANT_OK;
}

static orthant_status find_by_als(orthant_context *ctx, const parts_request *r,
                                  const double *centres, parts_outcome *out)
{
    als_outcome found = {0};
    double *basis = NULL;
    als_ridges ridges;
    orthant_status status = read_ridges(ctx, r, &ridges);
    if (!status)
        status = lift_centres(ctx, r, centres, &basis);
    if (!status)
        status = als_run(ctx, r->histograms, r->parts, basis,
                         r->iterations ? r->iterations : ALS_ITERATIONS, ridges, &found);
    out->shares = found.weights;
    out->iterations = found.iterations;
    out->objective = found.objective;
    memory_free(ctx, basis);
    return status;
}

/* Sums of a factor's columns: the scale that belongs to the other factor's. */
static void column_sums(const orthant_matrix *factor, double *sums)
{
    memset(sums, 0, (size_t)factor->columns * sizeof *sums);
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t k = 0; k < factor->columns; k++)
            sums[k] += (double)row_of(factor, i)[k];
}

/* The encoding's columns times what a unit of them stands for: parts of different sizes are then
 * compared by the pixels that they explain. */
static orthant_status take_shares(orthant_context *ctx, const orthant_result *result,
                                  orthant_matrix **shares)
{
    const orthant_matrix *encoding = orthant_result_factor(result, "encoding");
    const orthant_matrix *other = orthant_result_factor(result, "basis");
    double *scale = memory_new(ctx, encoding->columns, sizeof *scale, "scales of parts");
    if (!scale)
        return ORTHANT_ERROR_MEMORY;
    other = other ? other : orthant_result_factor(result, "weights");
    column_sums(other ? other : encoding, scale);
    const orthant_status status =
        matrix_new_factor(ctx, ORTHANT_SINGLE, encoding->rows, encoding->columns, shares);
    for (int64_t i = 0; !status && i < encoding->rows; i++)
        for (int64_t k = 0; k < encoding->columns; k++)
            row_of(*shares, i)[k] = (float)((double)row_of(encoding, i)[k] * scale[k]);
    memory_free(ctx, scale);
    return status;
}

/* Where a method starts; what it has not is left out. */
typedef struct starts {
    orthant_matrix *encoding, *basis, *weights;
} starts;

static void raise_to(orthant_matrix *m, double least)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t k = 0; k < m->columns; k++)
            if (!(row_of(m, i)[k] > (float)least))
                row_of(m, i)[k] = (float)least;
}

static orthant_status make_starts(orthant_context *ctx, const parts_request *r,
                                  const double *centres, const parts_outcome *out, starts *s)
{
    const int64_t m = r->histograms->columns;
    double *basis = NULL;
    orthant_status status = seeds_weights(ctx, out->projected, centres, r->parts, &s->encoding);
    if (status || (status = lift_centres(ctx, r, centres, &basis)))
        goto done;
    raise_to(s->encoding, LEAST_START);
    if ((status = matrix_new_factor(ctx, ORTHANT_SINGLE, m, r->parts, &s->basis)))
        goto done;
    for (int64_t k = 0; k < r->parts; k++)
        for (int64_t f = 0; f < m; f++)
            row_of(s->basis, f)[k] = (float)basis[k * m + f];
    raise_to(s->basis, LEAST_START);
    /* Concepts are means of the nodes where their part is. */
    if ((status = matrix_copy(ctx, s->encoding, ORTHANT_SINGLE, &s->weights)))
        goto done;
    for (int64_t k = 0; k < r->parts; k++) {
        double sum = 0.0;
        for (int64_t i = 0; i < s->weights->rows; i++)
            sum += (double)row_of(s->weights, i)[k];
        for (int64_t i = 0; i < s->weights->rows; i++)
            row_of(s->weights, i)[k] = (float)((double)row_of(s->weights, i)[k] / sum);
    }
done:
    memory_free(ctx, basis);
    return status;
}

static void free_starts(starts *s)
{
    orthant_matrix_free(s->encoding);
    orthant_matrix_free(s->basis);
    orthant_matrix_free(s->weights);
}

static orthant_status prepare_model(orthant_context *ctx, const parts_request *r, const starts *s,
                                    orthant_model **model)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    orthant_status status = orthant_model_create(ctx, r->method, r->parts, model);
    if (status || (status = orthant_model_set(*model, "seed", seed)) ||
        (status = orthant_model_set_start(*model, "encoding", s->encoding)))
        return status;
    if (strncmp(r->method, "grpnmf", 6) == 0) {
        /* No graph: the windows overlap, so near nodes are alike as it is. */
        status = orthant_model_set(*model, "graph_weight", "0");
        if (!status && !r->method[6])
            status = orthant_model_set(*model, "exponent", "1");
    } else if (strcmp(r->method, "convex-nmf") == 0) {
        status = orthant_model_set_start(*model, "weights", s->weights);
    } else {
        status = orthant_model_set_start(*model, "basis", s->basis);
    }
    return status ? status : segment_set_parameters(ctx, r->parameters, r->parameter_count, *model);
}

typedef struct stopping {
    orthant_context *ctx;
    const parts_request *request;
} stopping;

static orthant_status show_shares(void *user, const orthant_result *result, int64_t iteration)
{
    const stopping *s = user;
    orthant_matrix *shares = NULL;
    orthant_status status = take_shares(s->ctx, result, &shares);
    if (!status)
        status = s->request->keep(s->request->user, shares, iteration);
    orthant_matrix_free(shares);
    return status;
}

static orthant_status find_by_model(orthant_context *ctx, const parts_request *r,
                                    const double *centres, parts_outcome *out)
{
    starts s = {0};
    stopping at = {ctx, r};
    stops_end end;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_status status = make_starts(ctx, r, centres, out, &s);
    if (status || (status = prepare_model(ctx, r, &s, &model)) ||
        (status = stops_fit(model, r->histograms, r->stops, show_shares, &at, &result, &end)))
        goto done;
    out->iterations = end.iterations;
    out->interrupted = end.interrupted;
    out->objective = orthant_result_objective(result);
    status = take_shares(ctx, result, &out->shares);
done:
    orthant_result_free(result);
    orthant_model_free(model);
    free_starts(&s);
    return status;
}

orthant_status parts_find(orthant_context *ctx, const parts_request *request, parts_outcome *out)
{
    double *centres = NULL;
    *out = (parts_outcome){0};
    orthant_status status =
        subspace_project(request->space, request->histograms, request->dimensions, &out->projected);
    if (status || (status = seeds_centres(ctx, request->nodes, out->projected, request->reach,
                                          request->parts, &centres)))
        goto done;
    if (strcmp(request->method, "kmeans") == 0)
        status = find_by_distance(ctx, request, centres, out);
    else if (strcmp(request->method, "fseg") == 0)
        status = find_by_als(ctx, request, centres, out);
    else
        status = find_by_model(ctx, request, centres, out);
done:
    memory_free(ctx, centres);
    if (status)
        parts_free(out);
    return status;
}

void parts_free(parts_outcome *out)
{
    orthant_matrix_free(out->projected);
    orthant_matrix_free(out->shares);
    *out = (parts_outcome){0};
}
