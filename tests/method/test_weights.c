/* Masks, missing entries and weights of samples and features: the updates of plain loops, an
 * objective that never rises, entries that are not known without a part, and refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#include "core/random.h"
#include "problem.h"

enum { N = 23, M = 71, K = 3, STEPS = 12 };

typedef struct plain {
    double X[N][M], C[N][M], W[M][K], S[N][K];
} plain;

static double draw(uint64_t seed, int64_t i, int64_t j)
{
    return random_uniform(seed, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

static double fitted(const plain *p, int i, int j)
{
    double y = 0;
    for (int k = 0; k < K; k++)
        y += p->S[i][k] * p->W[j][k];
    return y;
}

/* Weights of a tenth of the entries are 0. */
static void make_plain(plain *p)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            p->X[i][j] = 0.05 + draw(1, i, j);
            p->C[i][j] = draw(2, i, j) < 0.1 ? 0 : 0.2 + draw(3, i, j);
        }
    for (int k = 0; k < K; k++) {
        for (int j = 0; j < M; j++)
            p->W[j][k] = 0.1 + draw(4, j, k);
        for (int i = 0; i < N; i++)
            p->S[i][k] = 0.1 + draw(5, i, k);
    }
}

/* One factor's rule from the other as it is. */
static void update(plain *p, bool kl, bool basis)
{
    static plain before;
    before = *p;
    for (int r = 0; r < (basis ? M : N); r++)
        for (int k = 0; k < K; k++) {
            double above = 0, below = 0;
            for (int o = 0; o < (basis ? N : M); o++) {
                const int i = basis ? o : r, j = basis ? r : o;
                const double y = fitted(&before, i, j), c = p->C[i][j],
                             other = basis ? before.S[i][k] : before.W[j][k];
                above += c * (kl ? p->X[i][j] / y : p->X[i][j]) * other;
                below += c * (kl ? 1 : y) * other;
            }
            *(basis ? &p->W[r][k] : &p->S[r][k]) *= above / below;
        }
}

static orthant_matrix *matrix_of(orthant_context *ctx, int64_t rows, int64_t columns,
                                 const double *values)
{
    orthant_matrix *made = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, rows, columns, values, &made));
    return made;
}

static orthant_matrix *sparse_of(orthant_context *ctx, double values[N][M])
{
    static int64_t start[N + 1], column[N * M];
    static double stored[N * M];
    orthant_matrix *made = NULL;
    int64_t count = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++)
            if (values[i][j] != 0) {
                column[count] = j;
                stored[count++] = values[i][j];
            }
        start[i + 1] = count;
    }
    expect_ok(ctx, orthant_matrix_create_csr(ctx, N, M, start, column, stored, &made));
    return made;
}

typedef struct given {
    orthant_matrix *X, *mask, *samples, *features;
    const char *missing;
} given;

/* Of the known entries, by their weights. */
static void check_error(const plain *p, const orthant_result *result)
{
    double left = 0, whole = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            const double y = fitted(p, i, j);
            left += p->C[i][j] > 0 ? p->C[i][j] * pow(p->X[i][j] - y, 2) : 0;
            whole += p->C[i][j] > 0 ? p->C[i][j] * pow(p->X[i][j], 2) : 0;
        }
    assert_true(fabs(orthant_result_relative_error(result) - sqrt(left / whole)) <= 1e-8);
    assert_true(orthant_result_missing(result) >= 0);
}

static void check_fit(orthant_context *ctx, const plain *from, given g, bool kl, const char *what)
{
    static plain p;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    p = *from;
    orthant_matrix *W = matrix_of(ctx, M, K, &p.W[0][0]), *S = matrix_of(ctx, N, K, &p.S[0][0]);
    expect_ok(ctx, orthant_model_create(ctx, kl ? "nmf-kl" : "nmf", K, &model));
    expect_ok(ctx, orthant_model_set(model, "iterations", "12"));
    expect_ok(ctx, orthant_model_set(model, "tolerance", "0"));
    expect_ok(ctx, orthant_model_set(model, "missing", g.missing));
    expect_ok(ctx, orthant_model_set_start(model, "basis", W));
    expect_ok(ctx, orthant_model_set_start(model, "encoding", S));
    expect_ok(ctx, orthant_model_set_mask(model, g.mask));
    expect_ok(ctx, orthant_model_set_sample_weights(model, g.samples));
    expect_ok(ctx, orthant_model_set_feature_weights(model, g.features));
    expect_ok(ctx, orthant_fit(model, g.X, &result));
    for (int step = 0; step < STEPS; step++) {
        update(&p, kl, true);
        update(&p, kl, false);
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < K; k++) {
            const double found =
                orthant_matrix_get(orthant_result_factor(result, "encoding"), i, k);
            if (!(fabs(found - p.S[i][k]) <= 1e-11))
                fail_msg("%s, %s (%d, %d): %.15g, by plain loops %.15g", what, kl ? "kl" : "nmf", i,
                         k, found, p.S[i][k]);
        }
    check_error(&p, result);
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
        assert_true(orthant_result_history(result, i, 2) <=
                    orthant_result_history(result, i - 1, 2) * (1 + 1e-12));
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(W);
    orthant_matrix_free(S);
}

static void clear(given g)
{
    orthant_matrix *all[] = {g.X, g.mask, g.samples, g.features};
    for (int i = 0; i < 4; i++)
        orthant_matrix_free(all[i]);
}

static void test_plain_updates(void **state)
{
    static plain p, changed;
    orthant_context *ctx = NULL;
    (void)state;
    expect_ok(NULL, orthant_context_create(&ctx));
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    make_plain(&p);
    for (int kl = 0; kl < 2; kl++)
        for (int sparse = 0; sparse < 4; sparse++) {
            const given g = {
                .X = sparse & 1 ? sparse_of(ctx, p.X) : matrix_of(ctx, N, M, &p.X[0][0]),
                .mask = sparse & 2 ? sparse_of(ctx, p.C) : matrix_of(ctx, N, M, &p.C[0][0]),
                .missing = "none"};
            check_fit(ctx, &p, g, kl, "mask");
            clear(g);
        }
    for (int kl = 0; kl < 2; kl++)
        for (int sparse = 0; sparse < 4; sparse++) {
            static plain ones;
            ones = p;
            for (int e = 0; e < N * M; e++)
                ones.C[e / M][e % M] = p.C[e / M][e % M] > 0;
            const given g = {
                .X = sparse & 1 ? sparse_of(ctx, p.X) : matrix_of(ctx, N, M, &p.X[0][0]),
                .mask = sparse & 2 ? sparse_of(ctx, ones.C) : matrix_of(ctx, N, M, &ones.C[0][0]),
                .missing = "none"};
            check_fit(ctx, &ones, g, kl, "mask of zeros and ones");
            clear(g);
        }
    for (int kl = 0; kl < 2; kl++) {
        given g = {.missing = "nan"};
        changed = p;
        for (int e = 0; e < N * M; e++) {
            changed.C[e / M][e % M] = p.C[e / M][e % M] > 0;
            if (p.C[e / M][e % M] <= 0)
                changed.X[e / M][e % M] = NAN;
        }
        g.X = matrix_of(ctx, N, M, &changed.X[0][0]);
        for (int e = 0; e < N * M; e++)
            changed.X[e / M][e % M] = changed.C[e / M][e % M] > 0 ? p.X[e / M][e % M] : 0;
        check_fit(ctx, &changed, g, kl, "nan");
        clear(g);
        g = (given){.X = sparse_of(ctx, changed.X), .missing = "zeros"};
        check_fit(ctx, &changed, g, kl, "zeros");
        clear(g);
        double rows[N], columns[M];
        for (int i = 0; i < N; i++)
            rows[i] = draw(7, i, 0);
        for (int j = 0; j < M; j++)
            columns[j] = draw(8, j, 0);
        for (int e = 0; e < N * M; e++)
            changed.C[e / M][e % M] = p.C[e / M][e % M] * rows[e / M] * columns[e % M];
        g = (given){.X = matrix_of(ctx, N, M, &p.X[0][0]),
                    .mask = matrix_of(ctx, N, M, &p.C[0][0]),
                    .samples = matrix_of(ctx, N, 1, rows),
                    .features = matrix_of(ctx, 1, M, columns),
                    .missing = "none"};
        memcpy(changed.X, p.X, sizeof p.X);
        check_fit(ctx, &changed, g, kl, "weights");
        clear(g);
    }
    orthant_context_free(ctx);
}

/* ------------------------------------------------------------------ zeros and ones */

enum { ROWS = 300, COLUMNS = 150 };

typedef struct known_case {
    orthant_context *ctx;
    orthant_matrix *X, *mask, *weights, *missing, *filled;
} known_case;

/* Entries that do not count have values in X, NaN in `missing` and 0 in `filled`; `weights` is the
 * mask once more, stored as numbers, which takes the kernels' way for any weights. */
static void make_known(known_case *c, orthant_precision precision)
{
    static double x[ROWS * COLUMNS], ones[ROWS * COLUMNS], holes[ROWS * COLUMNS],
        zeros[ROWS * COLUMNS], stored[ROWS * COLUMNS];
    static int64_t start[ROWS + 1], column[ROWS * COLUMNS];
    int64_t count = 0;
    expect_ok(NULL, orthant_context_create(&c->ctx));
    orthant_context_set_precision(c->ctx, precision);
    for (int e = 0; e < ROWS * COLUMNS; e++) {
        x[e] = 0.05 + draw(11, e / COLUMNS, e % COLUMNS);
        ones[e] = draw(12, e / COLUMNS, e % COLUMNS) >= 0.1;
        holes[e] = ones[e] > 0 ? x[e] : NAN;
        zeros[e] = ones[e] > 0 ? x[e] : 0;
        if (ones[e] > 0) {
            stored[count] = 1;
            column[count++] = e % COLUMNS;
        }
        start[e / COLUMNS + 1] = count;
    }
    c->X = matrix_of(c->ctx, ROWS, COLUMNS, x);
    c->mask = matrix_of(c->ctx, ROWS, COLUMNS, ones);
    c->missing = matrix_of(c->ctx, ROWS, COLUMNS, holes);
    c->filled = matrix_of(c->ctx, ROWS, COLUMNS, zeros);
    expect_ok(c->ctx,
              orthant_matrix_create_csr(c->ctx, ROWS, COLUMNS, start, column, stored, &c->weights));
}

static orthant_result *fit_known(const known_case *c, const char *loss, int64_t rank,
                                 const orthant_matrix *X, const orthant_matrix *mask, int threads)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_context_set_threads(c->ctx, threads);
    expect_ok(c->ctx, orthant_model_create(c->ctx, "nmf", rank, &model));
    expect_ok(c->ctx, orthant_model_set(model, "loss", loss));
    expect_ok(c->ctx, orthant_model_set(model, "solver", "mu"));
    expect_ok(c->ctx, orthant_model_set(model, "iterations", "5"));
    expect_ok(c->ctx, orthant_model_set(model, "tolerance", "0"));
    expect_ok(c->ctx, orthant_model_set(model, "missing", mask ? "none" : "nan"));
    expect_ok(c->ctx, orthant_model_set_mask(model, mask));
    expect_ok(c->ctx, orthant_fit(model, X, &result));
    orthant_model_free(model);
    return result;
}

static void expect_near(const orthant_result *a, const orthant_result *b, double tolerance)
{
    static const char *const names[] = {"basis", "encoding"};
    for (int f = 0; f < 2; f++) {
        const double apart = factor_difference(orthant_result_factor(a, names[f]),
                                               orthant_result_factor(b, names[f]));
        if (!(apart <= tolerance))
            fail_msg("%s: %g apart", names[f], apart);
    }
    assert_true(fabs(orthant_result_objective(a) - orthant_result_objective(b)) <=
                tolerance * orthant_result_objective(b));
}

/* A mask of zeros and ones is kept as bits: what it makes is what the numbers make, for ranks on
 * both sides of where kernels change their way, and the same to the bit on any number of threads
 * and from a file. */
static void check_known(orthant_precision precision, const char *loss, int64_t rank)
{
    known_case c;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *streamed = NULL;
    make_known(&c, precision);
    options.stream = true;
    expect_ok(c.ctx, orthant_matrix_write(c.ctx, c.X, files_path("known.npy")));
    expect_ok(c.ctx,
              orthant_matrix_read(c.ctx, files_path("known.npy"), &options, &streamed, NULL));
    orthant_result *numbers = fit_known(&c, loss, rank, c.X, c.weights, 2),
                   *bits = fit_known(&c, loss, rank, c.X, c.mask, 1);
    expect_near(bits, numbers, precision == ORTHANT_DOUBLE ? 1e-11 : 2e-5);
    for (int threads = 1; threads <= 3; threads++) {
        orthant_result *others[] = {fit_known(&c, loss, rank, c.X, c.mask, threads),
                                    fit_known(&c, loss, rank, streamed, c.mask, threads)};
        for (int i = 0; i < 2; i++) {
            assert_true(factors_identical(bits, others[i]));
            assert_true(orthant_result_objective(bits) == orthant_result_objective(others[i]));
            orthant_result_free(others[i]);
        }
    }
    orthant_result *missing = fit_known(&c, loss, rank, c.missing, NULL, 2),
                   *filled = fit_known(&c, loss, rank, c.filled, c.mask, 3);
    assert_true(factors_identical(missing, filled));
    orthant_result_free(missing);
    orthant_result_free(filled);
    orthant_result_free(numbers);
    orthant_result_free(bits);
    orthant_matrix_free(streamed);
    orthant_matrix_free(c.X);
    orthant_matrix_free(c.mask);
    orthant_matrix_free(c.missing);
    orthant_matrix_free(c.filled);
    orthant_matrix_free(c.weights);
    orthant_context_free(c.ctx);
}

static void test_known_entries(void **state)
{
    static const int64_t ranks[] = {1, 3, 4, 6, 7, 10, 12, 13, 20};
    (void)state;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (int single = 0; single < 2; single++)
            check_known(single ? ORTHANT_SINGLE : ORTHANT_DOUBLE, "frobenius", ranks[i]);
    check_known(ORTHANT_SINGLE, "kl", 10);
    check_known(ORTHANT_DOUBLE, "huber:0.1", 5);
}

/* ------------------------------------------------------------------ refusals */

static void refused(const char *method, const char *parameter, const char *value, int64_t rows,
                    const char *words)
{
    test_problem p;
    orthant_result *result = NULL;
    problem_make(&p, (problem_shape){20, 10, ORTHANT_DOUBLE, false, 5, 0});
    double ones[400];
    for (int i = 0; i < 400; i++)
        ones[i] = 1;
    orthant_model *model = problem_model(&p, method, 2, "2");
    orthant_matrix *mask = matrix_of(p.ctx, rows, 10, ones);
    expect_ok(p.ctx, orthant_model_set_mask(model, mask));
    if (parameter)
        expect_ok(p.ctx, orthant_model_set(model, parameter, value));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, words, orthant_fit(model, p.X, &result));
    assert_null(result);
    orthant_model_free(model);
    orthant_matrix_free(mask);
    problem_free(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("nmf", "solver", "hals", 20, "solver 'hals' takes no mask and no weights");
    refused("nmf-kl", "solver", "newton", 20, "solver 'newton' takes no mask and no weights");
    refused("nmf", NULL, NULL, 19, "the mask is 19 x 10, the data are 20 x 10");
    refused("nmf", "missing", "zeros", 20, "is for sparse data");
    refused("pca", NULL, NULL, 20, "method 'pca' takes no mask");
    refused("nnsc", NULL, NULL, 20, "method 'nnsc' takes no mask");
}

/* Weights that are all zero: nothing would count. */
static void test_nothing_counts(void **state)
{
    static const double zeros[60 * 20];
    static const struct {
        orthant_status (*set)(orthant_model *model, const orthant_matrix *weights);
        int64_t rows, columns;
        const char *words;
    } cases[] = {
        {orthant_model_set_mask, 60, 20, "the mask is 0 everywhere"},
        {orthant_model_set_sample_weights, 60, 1, "the weights of all samples are 0"},
        {orthant_model_set_feature_weights, 1, 20, "the weights of all features are 0"},
    };
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){60, 20, ORTHANT_DOUBLE, false, 3, 0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orthant_matrix *weights;
        orthant_result *result = NULL;
        orthant_model *model = problem_model(&p, "nmf", 3, "5");
        expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
        expect_ok(p.ctx,
                  orthant_matrix_create(p.ctx, cases[i].rows, cases[i].columns, zeros, &weights));
        expect_ok(p.ctx, cases[i].set(model, weights));
        expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, cases[i].words,
                       orthant_fit(model, p.X, &result));
        assert_null(result);
        orthant_model_free(model);
        orthant_matrix_free(weights);
    }
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_updates),
        cmocka_unit_test(test_known_entries),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nothing_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
