/* Encodings of new samples by what a fit minimised: against plain loops, of which a code is a
 * minimum, and against the encodings of fits that went to their end, over the table of methods. */
#include "expect.h"
#include "problem.h"
#include "round_trip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "data/matrix.h"

enum { SAMPLES = 50, NEW = 6, FEATURES = 17, RANK = 3, NEIGHBOURS = 4 };

typedef struct new_problem {
    orthant_context *ctx;
    orthant_matrix *basis, *training, *encoding, *samples, *mask, *features;
    double W[FEATURES][RANK], S[SAMPLES][RANK], T[SAMPLES][FEATURES], X[NEW][FEATURES],
        mask_of[NEW][FEATURES], weight_of[FEATURES];
} new_problem;

static double uniform(uint64_t stream, int64_t i, int64_t j)
{
    return random_uniform(stream, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

static void fill(orthant_context *ctx, int64_t rows, int64_t columns, double *values,
                 uint64_t stream, orthant_matrix **matrix)
{
    for (int64_t e = 0; e < rows * columns; e++)
        values[e] = 0.05 + pow(uniform(stream, e / columns, e % columns), 2);
    if (matrix)
        expect_ok(ctx, orthant_matrix_create(ctx, rows, columns, values, matrix));
}

static void make(new_problem *p)
{
    expect_ok(NULL, orthant_context_create(&p->ctx));
    orthant_context_set_precision(p->ctx, ORTHANT_DOUBLE);
    fill(p->ctx, FEATURES, RANK, &p->W[0][0], 1, &p->basis);
    fill(p->ctx, SAMPLES, RANK, &p->S[0][0], 2, &p->encoding);
    fill(p->ctx, SAMPLES, FEATURES, &p->T[0][0], 3, &p->training);
    fill(p->ctx, NEW, FEATURES, &p->X[0][0], 4, &p->samples);
    fill(p->ctx, 1, FEATURES, p->weight_of, 6, &p->features);
    for (int64_t i = 0; i < NEW; i++)
        for (int64_t j = 0; j < FEATURES; j++)
            p->mask_of[i][j] = (i + j) % 4 == 0 ? 0 : 0.5 + uniform(5, i, j);
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, NEW, FEATURES, &p->mask_of[0][0], &p->mask));
}

static void free_all(new_problem *p)
{
    orthant_matrix *all[] = {p->basis, p->training, p->encoding, p->samples, p->mask, p->features};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        orthant_matrix_free(all[i]);
    orthant_context_free(p->ctx);
}

/* ------------------------------------------------------------------ plain objectives */

static double plain_loss(const char *name, double mean, double x, double y)
{
    const char *colon = strchr(name, ':');
    const double number = colon ? atof(colon + 1) : 0, r = fabs(x - y);
    if (!strcmp(name, "frobenius") || !strcmp(name, "euclidean-entrywise"))
        return r * r;
    if (!strcmp(name, "kl"))
        return x * log(x / y) - x + y;
    if (!strcmp(name, "is"))
        return x / y - log(x / y) - 1;
    if (!strncmp(name, "beta", 4))
        return (pow(x, number) + (number - 1) * pow(y, number) - number * x * pow(y, number - 1)) /
               (number * (number - 1));
    if (!strncmp(name, "huber", 5))
        return r <= number ? r * r / 2 : number * r - number * number / 2;
    const double e = 1e-6 * mean;
    return r <= e ? r * r / (2 * e) : r - e / 2;
}

/* sum over the nearest training samples of |s - s_j|^2 */
static double plain_graph(const new_problem *p, int i, const double *s)
{
    double distance[SAMPLES], total = 0;
    bool taken[SAMPLES] = {0};
    for (int n = 0; n < SAMPLES; n++) {
        distance[n] = 0;
        for (int j = 0; j < FEATURES; j++)
            distance[n] += pow(p->X[i][j] - p->T[n][j], 2);
    }
    for (int e = 0; e < NEIGHBOURS; e++) {
        int best = -1;
        for (int n = 0; n < SAMPLES; n++)
            if (!taken[n] && (best < 0 || distance[n] < distance[best]))
                best = n;
        taken[best] = true;
        for (int r = 0; r < RANK; r++)
            total += pow(s[r] - p->S[best][r], 2);
    }
    return total;
}

/* tr((B + s s' + gamma I)^-1), by Gauss and Jordan */
static double plain_optimality(const new_problem *p, const double *s)
{
    double a[RANK][2 * RANK] = {{0}}, total = 0;
    for (int r = 0; r < RANK; r++)
        for (int q = 0; q < RANK; q++) {
            for (int n = 0; n < SAMPLES; n++)
                a[r][q] += p->S[n][r] * p->S[n][q];
            a[r][q] += s[r] * s[q] + (r == q ? 0.01 : 0);
            a[r][RANK + q] = r == q;
        }
    for (int r = 0; r < RANK; r++) {
        const double pivot = a[r][r];
        for (int c = 0; c < 2 * RANK; c++)
            a[r][c] /= pivot;
        for (int q = 0; q < RANK; q++) {
            const double factor = a[q][r];
            for (int c = 0; c < 2 * RANK && q != r; c++)
                a[q][c] -= factor * a[r][c];
        }
    }
    for (int r = 0; r < RANK; r++)
        total += a[r][RANK + r];
    return total;
}

static double plain_term(const new_problem *p, const char *name, int i, const double *s)
{
    double sum = 0, squares = 0, near = 0;
    for (int r = 0; r < RANK; r++) {
        double distance = 0;
        for (int j = 0; j < FEATURES; j++)
            distance += pow(p->W[j][r] - p->X[i][j], 2);
        sum += s[r];
        squares += s[r] * s[r];
        near += s[r] * distance;
    }
    if (!strcmp(name, "ridge"))
        return squares;
    if (!strcmp(name, "sparsity"))
        return sum;
    if (!strcmp(name, "orthogonal"))
        return sum * sum - squares;
    if (!strcmp(name, "topographic")) /* one unit for each part, each of which has all */
        return RANK * sqrt(1e-6 + squares);
    if (!strcmp(name, "local"))
        return near;
    if (!strcmp(name, "graph"))
        return plain_graph(p, i, s);
    if (!strcmp(name, "a-optimal"))
        return plain_optimality(p, s);
    return 0; /* class, smooth: not of one sample */
}

typedef struct asked {
    const char *loss, *term;
    double weight;
    bool masked;
} asked;

static double plain(const new_problem *p, const asked *a, int i, const double *s)
{
    double total = *a->term ? a->weight * plain_term(p, a->term, i, s) : 0, mean = 0, count = 0;
    for (int j = 0; j < FEATURES; j++)
        if (!a->masked || p->mask_of[i][j] > 0) {
            mean += p->X[i][j];
            count++;
        }
    for (int j = 0; j < FEATURES; j++) {
        double y = 0;
        for (int r = 0; r < RANK; r++)
            y += p->W[j][r] * s[r];
        total += (a->masked ? p->mask_of[i][j] * p->weight_of[j] : 1) *
                 plain_loss(a->loss, mean / count, p->X[i][j], y);
    }
    return total;
}

/* No step of a thousandth, along an axis or elsewhere, is lower. */
static void expect_minimum(const new_problem *p, const asked *a, int i, const double *s)
{
    const double here = plain(p, a, i, s);
    for (int step = 0; step < 200; step++) {
        double moved[RANK];
        for (int r = 0; r < RANK; r++) {
            const double way = step < 2 * RANK ? (step / 2 == r ? (step % 2 ? 1 : -1) : 0)
                                               : 2 * uniform(9, step, r) - 1;
            moved[r] = fmax(s[r] + 1e-3 * way, 0);
        }
        const double there = plain(p, a, i, moved);
        if (!(there >= here - 1e-10 * fabs(here)))
            fail_msg("%s, %s%s: sample %d has %.12g, and nearby there is %.12g", a->loss, a->term,
                     a->masked ? ", masked" : "", i, here, there);
    }
}

/* Under a penalty on parts beside each other no part alone does better. */
static void expect_best_part(const new_problem *p, const asked *a, int i, const double *s)
{
    const bool squares = !strcmp(a->loss, "frobenius");
    const double here = plain(p, a, i, s);
    for (int r = 0; r < RANK; r++) {
        double given = 0, fitted = 0, one[RANK] = {0};
        for (int j = 0; j < FEATURES; j++) {
            const double c = a->masked ? p->mask_of[i][j] * p->weight_of[j] : 1;
            given += c * p->X[i][j] * (squares ? p->W[j][r] : 1);
            fitted += c * p->W[j][r] * (squares ? p->W[j][r] : 1);
        }
        one[r] = given / fitted;
        const double there = plain(p, a, i, one);
        if (!(there >= here - 1e-10 * fabs(here)))
            fail_msg("%s%s: sample %d has %.12g, and with part %d alone %.12g", a->loss,
                     a->masked ? ", masked" : "", i, here, r, there);
    }
}

static void check_case(const new_problem *p, const asked *a)
{
    orthant_model *model = NULL;
    orthant_matrix *codes = NULL;
    orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
    expect_ok(p->ctx, orthant_model_create(p->ctx, "nmf", RANK, &model));
    expect_ok(p->ctx, orthant_model_set(model, "loss", a->loss));
    if (*a->term)
        expect_ok(p->ctx, orthant_model_add_term(model, a->term, a->weight));
    if (!strcmp(a->term, "graph"))
        expect_ok(p->ctx, orthant_model_set(model, "neighbours", "4"));
    options.encoding = p->encoding;
    options.training = p->training;
    options.mask = a->masked ? p->mask : NULL;
    options.feature_weights = a->masked ? p->features : NULL;
    expect_ok(p->ctx, orthant_model_transform(model, p->basis, p->samples, &options, &codes));
    for (int i = 0; i < NEW; i++) {
        double s[RANK];
        for (int r = 0; r < RANK; r++) {
            s[r] = orthant_matrix_get(codes, i, r);
            assert_true(s[r] >= 0);
        }
        expect_minimum(p, a, i, s);
        if (!strcmp(a->term, "orthogonal") &&
            (!strcmp(a->loss, "frobenius") || !strcmp(a->loss, "kl")))
            expect_best_part(p, a, i, s);
    }
    orthant_matrix_free(codes);
    orthant_model_free(model);
}

static void test_minimum(void **state)
{
    static const char *const losses[] = {
        "frobenius", "kl",       "is",        "beta:-0.5", "beta:0.5",
        "beta:1.5",  "beta:2.5", "huber:0.1", "l1",        "euclidean-entrywise"};
    static const struct {
        const char *name;
        double weight;
    } terms[] = {{"", 0},           {"ridge", 2},         {"sparsity", 0.7}, {"orthogonal", 0.2},
                 {"orthogonal", 5}, {"topographic", 0.5}, {"local", 0.1},    {"a-optimal", 20},
                 {"graph", 0.3},    {"smooth", 3}};
    new_problem p = {0};
    (void)state;
    make(&p);
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++)
        for (size_t t = 0; t < sizeof terms / sizeof *terms; t++)
            for (int masked = 0; masked < 2; masked++)
                check_case(&p, &(asked){losses[l], terms[t].name, terms[t].weight, masked});
    free_all(&p);
}

/* ------------------------------------------------------------------ fits */

static void test_round_trip(void **state)
{
    int64_t known[60];
    orthant_context *ctx = NULL;
    orthant_labels *labels = NULL;
    int fitted = 0;
    (void)state;
    expect_ok(NULL, orthant_context_create(&ctx));
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    orthant_matrix *X = planted_samples(ctx, 60, 25);
    for (int i = 0; i < 60; i++)
        known[i] = i % 3 ? -1 : i / 3 % 4;
    expect_ok(ctx, orthant_labels_create(ctx, 60, known, &labels));
    for (int row = 0; row < orthant_method_count(); row++) {
        orthant_method_info info = {.size = sizeof info};
        expect_ok(ctx, orthant_method_info_at(row, &info));
        const bool graph = strstr(info.terms, "graph") != NULL, class = strstr(info.terms, "class");
        if (strcmp(info.family, "factor") != 0)
            continue;
        orthant_model *model = NULL;
        orthant_result *result = NULL;
        orthant_matrix *codes = NULL;
        orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
        expect_ok(ctx, orthant_model_create(ctx, info.name, 4, &model));
        expect_ok(ctx, orthant_model_set(model, "iterations", graph ? "200" : "40000"));
        expect_ok(ctx, orthant_model_set(model, "tolerance", "0"));
        expect_ok(ctx, orthant_model_set_labels(model, labels));
        expect_ok(ctx, orthant_fit(model, X, &result));
        for (int t = 0; t < orthant_model_term_count(model); t++)
            expect_ok(ctx, orthant_model_add_term(model, orthant_model_term(model, t),
                                                  orthant_result_term_weight(result, t)));
        const orthant_matrix *encoding = orthant_result_factor(result, "encoding");
        options.encoding = encoding;
        options.training = X;
        expect_ok(ctx, orthant_model_transform(model, orthant_result_factor(result, "basis"), X,
                                               &options, &codes));
        const double away = round_trip_error(codes, encoding, class ? labels : NULL);
        if (!graph && !(away <= 1e-3))
            fail_msg("%s: codes of the fit's samples are %g from its encodings", info.name, away);
        fitted += !graph;
        orthant_matrix_free(codes);
        orthant_result_free(result);
        orthant_model_free(model);
    }
    assert_true(fitted >= 8);
    orthant_labels_free(labels);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
}

/* As many parts as features that are known, of which some depend on each other: the minimum is
 * found all the same, from any basis, and nothing nearby is lower. */
static void test_singular(void **state)
{
    enum { MANY = 14 };
    new_problem p = {0};
    orthant_matrix *basis = NULL, *codes = NULL;
    orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
    double W[FEATURES][MANY];
    static const char *const losses[] = {"frobenius", "kl", "beta:1.5", "huber:0.1"};
    (void)state;
    make(&p);
    for (int j = 0; j < FEATURES; j++)
        for (int r = 0; r < MANY; r++)
            W[j][r] =
                r < 6 ? 0.05 + uniform(21, j, r) : W[j][r - 6] + (r < 12 ? 0.5 * W[j][r % 5] : 0);
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, FEATURES, MANY, &W[0][0], &basis));
    options.mask = p.mask;
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
        orthant_model *model = NULL;
        expect_ok(p.ctx, orthant_model_create(p.ctx, "nmf", MANY, &model));
        expect_ok(p.ctx, orthant_model_set(model, "loss", losses[l]));
        expect_ok(p.ctx, orthant_model_transform(model, basis, p.samples, &options, &codes));
        for (int i = 0; i < NEW; i++)
            for (int step = -1; step < 200; step++) {
                static double here;
                double total = 0;
                for (int j = 0; j < FEATURES; j++) {
                    double y = 0;
                    for (int r = 0; r < MANY; r++) {
                        const double way = step < 0          ? 0
                                           : step < 2 * MANY ? (step / 2 == r) * (step % 2 ? 1 : -1)
                                                             : 2 * uniform(9, step, r) - 1;
                        y += W[j][r] * fmax(orthant_matrix_get(codes, i, r) + 1e-3 * way, 0);
                    }
                    total += p.mask_of[i][j] * plain_loss(losses[l], 1, p.X[i][j], y);
                }
                here = step < 0 ? total : here;
                if (!(total >= here - 1e-9 * fabs(here)))
                    fail_msg("%s: sample %d has %.12g, and nearby there is %.12g", losses[l], i,
                             here, total);
            }
        orthant_matrix_free(codes);
        orthant_model_free(model);
    }
    orthant_matrix_free(basis);
    free_all(&p);
}

/* ------------------------------------------------------------------ what is refused, what is not
 */

static void expect_refused(const new_problem *p, const orthant_model *model,
                           const orthant_matrix *basis, const orthant_matrix *samples,
                           const orthant_transform_options *options, const char *message)
{
    orthant_matrix *codes = NULL;
    assert_int_not_equal(orthant_model_transform(model, basis, samples, options, &codes),
                         ORTHANT_OK);
    assert_null(codes);
    if (!strstr(orthant_message(p->ctx), message))
        fail_msg("expected '%s' in '%s'", message, orthant_message(p->ctx));
}

static orthant_model *model_of(const new_problem *p, const char *method, int64_t rank)
{
    orthant_model *model = NULL;
    expect_ok(p->ctx, orthant_model_create(p->ctx, method, rank, &model));
    return model;
}

static void test_refused(void **state)
{
    new_problem p = {0};
    orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
    (void)state;
    make(&p);
    orthant_model *graph = model_of(&p, "gnmf", RANK), *plain_model = model_of(&p, "nmf", RANK),
                  *spectral = model_of(&p, "spectral", RANK), *larger = model_of(&p, "nmf", 5);
    expect_refused(&p, spectral, p.basis, p.samples, NULL, "no loss");
    expect_refused(&p, larger, p.basis, p.samples, NULL, "3 parts, the model 5");
    expect_refused(&p, plain_model, p.encoding, p.samples, NULL, "features");
    expect_refused(&p, graph, p.basis, p.samples, NULL, "= 'auto'");
    expect_ok(p.ctx, orthant_model_set(graph, "graph_weight", "1"));
    expect_refused(&p, graph, p.basis, p.samples, NULL, "encodings of the fit");
    options.encoding = p.encoding;
    expect_refused(&p, graph, p.basis, p.samples, &options, "nearest samples of the fit");
    options.training = p.samples;
    expect_refused(&p, graph, p.basis, p.samples, &options, "samples of the fit are 6 x 17");
    options.training = p.training;
    options.encoding = p.training;
    expect_refused(&p, graph, p.basis, p.samples, &options, "expected 3 columns");
    options.encoding = p.encoding;
    options.mask = p.training;
    expect_refused(&p, plain_model, p.basis, p.samples, &options, "the mask is 50 x 17");
    options.mask = NULL;
    options.iterations = 0;
    expect_refused(&p, plain_model, p.basis, p.samples, &options, "iterations");
    options.iterations = 10;
    options.tolerance = (double)NAN;
    expect_refused(&p, plain_model, p.basis, p.samples, &options, "tolerance");
    p.X[2][3] = (double)NAN;
    orthant_matrix *holes = NULL;
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, NEW, FEATURES, &p.X[0][0], &holes));
    expect_refused(&p, plain_model, p.basis, holes, NULL, "(3, 4)");
    orthant_model *all[] = {graph, plain_model, spectral, larger};
    for (size_t i = 0; i < 4; i++)
        orthant_model_free(all[i]);
    orthant_matrix_free(holes);
    free_all(&p);
}

/* An entry that is missing has no part, whichever way that is said; a sample has its code alone. */
static void test_missing(void **state)
{
    new_problem p = {0};
    orthant_matrix *holes = NULL, *one = NULL, *by_mask = NULL, *by_nan = NULL, *alone = NULL;
    orthant_transform_options options = ORTHANT_TRANSFORM_DEFAULTS;
    (void)state;
    make(&p);
    for (int i = 0; i < NEW; i++)
        for (int j = 0; j < FEATURES; j++)
            p.mask_of[i][j] = (i + j) % 4 != 0;
    orthant_matrix_free(p.mask);
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, NEW, FEATURES, &p.mask_of[0][0], &p.mask));
    orthant_model *model = model_of(&p, "nmf-kl", RANK);
    options.mask = p.mask;
    expect_ok(p.ctx, orthant_model_transform(model, p.basis, p.samples, &options, &by_mask));
    for (int i = 0; i < NEW; i++)
        for (int j = 0; j < FEATURES; j++)
            if ((i + j) % 4 == 0)
                p.X[i][j] = (double)NAN;
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, NEW, FEATURES, &p.X[0][0], &holes));
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, 1, FEATURES, p.X[4], &one));
    expect_ok(p.ctx, orthant_model_set(model, "missing", "nan"));
    expect_ok(p.ctx, orthant_model_transform(model, p.basis, holes, NULL, &by_nan));
    expect_ok(p.ctx, orthant_model_transform(model, p.basis, one, NULL, &alone));
    for (int i = 0; i < NEW; i++)
        for (int r = 0; r < RANK; r++)
            if (!(orthant_matrix_get(by_mask, i, r) == orthant_matrix_get(by_nan, i, r)))
                fail_msg("sample %d: %.17g by a mask, %.17g by NaN", i,
                         orthant_matrix_get(by_mask, i, r), orthant_matrix_get(by_nan, i, r));
    for (int r = 0; r < RANK; r++)
        assert_true(orthant_matrix_get(alone, 0, r) == orthant_matrix_get(by_nan, 4, r));
    orthant_matrix *all[] = {holes, one, by_mask, by_nan, alone};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        orthant_matrix_free(all[i]);
    orthant_model_free(model);
    free_all(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimum),  cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_singular), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
