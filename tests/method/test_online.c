/* Fits by batches of samples: the rule of plain loops, the same bits on any number of threads and
 * from a file, checkpoints, data that come in pieces, and refusals. That the iterates are
 * scikit-learn's is in tests/python/test_online.py. */
#include <math.h>
#include <stdlib.h>

#include "fixture.h"

#include "problem.h"

enum { N = 83, M = 37, K = 3, BATCH = 20 };

typedef struct plain {
    double X[N][M], W[M][K], S[N][K], above[M][K], below[M][K];
} plain;

static double fitted(const plain *p, int i, int j)
{
    double y = 0;
    for (int k = 0; k < K; k++)
        y += p->S[i][k] * p->W[j][k];
    return y;
}

static void plain_codes(plain *p, bool kl, int first, int end)
{
    static plain before;
    before = *p;
    for (int i = first; i < end; i++)
        for (int k = 0; k < K; k++) {
            double above = 0, below = 0;
            for (int j = 0; j < M; j++) {
                const double y = fitted(&before, i, j);
                above += (kl ? p->X[i][j] / y : p->X[i][j]) * p->W[j][k];
                below += (kl ? 1 : y) * p->W[j][k];
            }
            p->S[i][k] *= above / below;
        }
}

static void plain_basis(plain *p, bool kl, int first, int end, double keeps)
{
    static plain before;
    before = *p;
    for (int j = 0; j < M; j++)
        for (int k = 0; k < K; k++) {
            double above = 0, below = 0;
            for (int i = first; i < end; i++) {
                const double y = fitted(&before, i, j);
                above += (kl ? p->X[i][j] / y : p->X[i][j]) * p->S[i][k];
                below += (kl ? 1 : y) * p->S[i][k];
            }
            p->above[j][k] = keeps * p->above[j][k] + before.W[j][k] * above;
            p->below[j][k] = keeps * p->below[j][k] + below;
            p->W[j][k] = p->above[j][k] / p->below[j][k];
        }
}

static void start_plain(plain *p, const test_problem *from)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            p->X[i][j] = orthant_matrix_get(from->X, i, j);
    for (int k = 0; k < K; k++) {
        for (int j = 0; j < M; j++) {
            p->W[j][k] = p->above[j][k] = 0.2 + (j * 7 + k * 3) % 11 / 11.0;
            p->below[j][k] = 1;
        }
        for (int i = 0; i < N; i++)
            p->S[i][k] = 0.2 + (i * 5 + k * 2) % 13 / 13.0;
    }
}

static orthant_matrix *matrix_of(orthant_context *ctx, int64_t rows, int64_t columns,
                                 const double *values)
{
    orthant_matrix *made = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, rows, columns, values, &made));
    return made;
}

static void expect_factor(const orthant_result *result, const char *name, const double *expected,
                          int64_t rows)
{
    for (int64_t e = 0; e < rows * K; e++) {
        const double found = orthant_matrix_get(orthant_result_factor(result, name), e / K, e % K);
        if (!(fabs(found - expected[e]) <= 1e-11 * (1 + fabs(expected[e]))))
            fail_msg("%s, entry %d: %.15g, by plain loops %.15g", name, (int)e, found, expected[e]);
    }
}

static void check_plain(bool kl)
{
    static plain p;
    test_problem from;
    orthant_result *result = NULL;
    problem_make(&from, (problem_shape){N, M, ORTHANT_DOUBLE, false, 3, 0});
    problem_fill(&from);
    start_plain(&p, &from);
    orthant_model *model = problem_model(&from, kl ? "nmf-kl" : "nmf", K, "4");
    orthant_matrix *W = matrix_of(from.ctx, M, K, &p.W[0][0]),
                   *S = matrix_of(from.ctx, N, K, &p.S[0][0]);
    expect_ok(from.ctx, orthant_model_set(model, "batch", "20"));
    expect_ok(from.ctx, orthant_model_set(model, "forget", "0.5"));
    expect_ok(from.ctx, orthant_model_set_start(model, "basis", W));
    expect_ok(from.ctx, orthant_model_set_start(model, "encoding", S));
    expect_ok(from.ctx, orthant_fit(model, from.X, &result));
    for (int pass = 0; pass < 4; pass++)
        for (int first = 0; first < N; first += BATCH) {
            const int end = first + BATCH < N ? first + BATCH : N;
            plain_codes(&p, kl, first, end);
            plain_basis(&p, kl, first, end, pow(0.5, (double)BATCH / N));
        }
    expect_factor(result, "basis", &p.W[0][0], M);
    expect_factor(result, "encoding", &p.S[0][0], N);
    assert_int_equal(orthant_result_iterations(result), 4);
    orthant_result_free(result);
    orthant_matrix_free(W);
    orthant_matrix_free(S);
    orthant_model_free(model);
    problem_free(&from);
}

static void test_plain_updates(void **state)
{
    (void)state;
    check_plain(false);
    check_plain(true);
}

/* ------------------------------------------------------------------ the same bits */

static orthant_model *model_by_batches(const test_problem *p, const char *loss, const char *order)
{
    orthant_model *model = problem_model(p, "nmf", 5, "6");
    expect_ok(p->ctx, orthant_model_set(model, "loss", loss));
    expect_ok(p->ctx, orthant_model_set(model, "batch", "150"));
    expect_ok(p->ctx, orthant_model_set(model, "batch_order", order));
    return model;
}

static void check_bits(orthant_precision precision, bool sparse, const char *loss,
                       const char *order, const char *fresh)
{
    test_problem p;
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *streamed = NULL;
    problem_make(&p, (problem_shape){700, 90, precision, sparse, 5, 0});
    const char *path = files_path(sparse ? "online.csr" : "online.npy");
    options.stream = true;
    expect_ok(p.ctx, orthant_matrix_write(p.ctx, p.X, path));
    expect_ok(p.ctx, orthant_matrix_read(p.ctx, path, &options, &streamed, NULL));
    orthant_model *model = model_by_batches(&p, loss, order);
    expect_ok(p.ctx, orthant_model_set(model, "fresh", fresh));
    orthant_context_set_threads(p.ctx, 1);
    orthant_result *first = problem_fit(&p, model);
    for (int threads = 1; threads <= 3; threads++) {
        const orthant_matrix *from[] = {p.X, streamed};
        orthant_context_set_threads(p.ctx, threads);
        for (int i = 0; i < 2; i++) {
            orthant_result *again = NULL;
            expect_ok(p.ctx, orthant_fit(model, from[i], &again));
            if (!factors_identical(first, again) ||
                orthant_result_objective(first) != orthant_result_objective(again) ||
                orthant_result_relative_error(first) != orthant_result_relative_error(again))
                fail_msg("%s, %d threads, %s: other bits", loss, threads,
                         i ? "from a file" : "in memory");
            orthant_result_free(again);
        }
    }
    orthant_result_free(first);
    orthant_model_free(model);
    orthant_matrix_free(streamed);
    problem_free(&p);
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        check_bits(ORTHANT_SINGLE, sparse, "frobenius", "given", "0");
        check_bits(ORTHANT_SINGLE, sparse, "kl", "random", "0");
        check_bits(ORTHANT_DOUBLE, sparse, "beta:0.5", "random", "4");
    }
}

/* A batch of all samples that forgets everything is the multiplicative rule, with the encodings
 * first: after them the basis. */
static void test_one_batch_of_all(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){60, 25, ORTHANT_DOUBLE, false, 9, 0});
    orthant_model *model = problem_model(&p, "nmf", 4, "30");
    expect_ok(p.ctx, orthant_model_set(model, "batch", "60"));
    expect_ok(p.ctx, orthant_model_set(model, "forget", "0"));
    orthant_result *result = problem_fit(&p, model);
    for (int64_t i = 1; i < orthant_result_history_rows(result); i++)
        assert_true(orthant_result_history(result, i, 2) <=
                    orthant_result_history(result, i - 1, 2) * (1 + 1e-12));
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

static bool stop_at_three(void *user, const orthant_result *result)
{
    (void)user;
    return orthant_result_iterations(result) < 3;
}

static void test_goes_on_from_a_checkpoint(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){700, 90, ORTHANT_SINGLE, false, 5, 0});
    orthant_model *model = model_by_batches(&p, "kl", "random");
    orthant_result *whole = problem_fit(&p, model), *stopped = NULL, *resumed = NULL;
    const char *path = files_path("online.checkpoint");
    expect_ok(p.ctx, orthant_model_set_checkpoint(model, path, 1000));
    expect_ok(p.ctx, orthant_model_set_iteration(model, stop_at_three, NULL));
    expect_ok(p.ctx, orthant_fit(model, p.X, &stopped));
    assert_int_equal(orthant_result_iterations(stopped), 3);
    expect_ok(p.ctx, orthant_model_set_iteration(model, NULL, NULL));
    expect_ok(p.ctx, orthant_model_set_resume(model, path));
    expect_ok(p.ctx, orthant_fit(model, p.X, &resumed));
    assert_true(factors_identical(whole, resumed));
    assert_true(orthant_result_objective(whole) == orthant_result_objective(resumed));
    orthant_result_free(whole);
    orthant_result_free(stopped);
    orthant_result_free(resumed);
    orthant_model_free(model);
    problem_free(&p);
}

/* ------------------------------------------------------------------ pieces */

static orthant_matrix *rows_of(const test_problem *p, int64_t first, int64_t rows)
{
    static double values[N * M];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < M; j++)
            values[i * M + j] = orthant_matrix_get(p->X, first + i, j);
    return matrix_of(p->ctx, rows, M, values);
}

static void test_pieces(void **state)
{
    static plain p;
    test_problem from;
    char value[64];
    (void)state;
    problem_make(&from, (problem_shape){N, M, ORTHANT_DOUBLE, false, 4, 0});
    problem_fill(&from);
    start_plain(&p, &from);
    orthant_model *model = problem_model(&from, "nmf", K, "7");
    orthant_matrix *W = matrix_of(from.ctx, M, K, &p.W[0][0]);
    expect_ok(from.ctx, orthant_model_set_labels(model, NULL)); /* those of all samples */
    expect_ok(from.ctx, orthant_model_set(model, "fresh", "5"));
    expect_ok(from.ctx, orthant_model_set(model, "batch", "9"));
    expect_ok(from.ctx, orthant_model_set_start(model, "basis", W));
    orthant_result *before = NULL, *result = NULL;
    for (int first = 0; first < N; first += BATCH) {
        const int end = first + BATCH < N ? first + BATCH : N;
        double sum = 0;
        orthant_matrix *piece = rows_of(&from, first, end - first);
        expect_ok(from.ctx, orthant_partial_fit(model, piece, before, &result));
        orthant_result_free(before);
        before = result;
        for (int e = 0; e < (end - first) * M; e++)
            sum += p.X[first + e / M][e % M];
        for (int i = first; i < end; i++)
            for (int k = 0; k < K; k++)
                p.S[i][k] = sqrt(sum / ((end - first) * M) / K);
        for (int update = 0; update < 5; update++)
            plain_codes(&p, false, first, end);
        plain_basis(&p, false, first, end, 0.7);
        expect_factor(result, "basis", &p.W[0][0], M);
        expect_factor(result, "encoding", &p.S[first][0], end - first);
        expect_factor(result, "numerators", &p.above[0][0], M);
        expect_factor(result, "denominators", &p.below[0][0], M);
        orthant_matrix_free(piece);
    }
    expect_ok(from.ctx, orthant_model_get(model, "partial", value, sizeof value));
    assert_string_equal(value, "no");
    expect_ok(from.ctx, orthant_model_get(model, "batch", value, sizeof value));
    assert_string_equal(value, "9");
    orthant_result_free(before);
    orthant_matrix_free(W);
    orthant_model_free(model);
    problem_free(&from);
}

/* ------------------------------------------------------------------ without memory */

static long left; /* allocations until one fails */

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* A fit by batches, two pieces and a fit under a mask, until something fails. */
static orthant_status do_all(orthant_context *ctx, bool streamed)
{
    static double values[40 * 6], ones[40 * 6];
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    orthant_matrix *X = NULL, *mask = NULL;
    orthant_model *model = NULL, *masked = NULL;
    orthant_result *result[4] = {NULL};
    options.stream = true;
    for (int e = 0; e < 40 * 6; e++) {
        values[e] = 0.1 + e * 7 % 11;
        ones[e] = e % 5 > 0;
    }
    orthant_status status =
        streamed ? orthant_matrix_read(ctx, files_path("without.npy"), &options, &X, NULL)
                 : orthant_matrix_create(ctx, 40, 6, values, &X);
    if (!status && !(status = orthant_model_create(ctx, "nmf", 3, &model)) &&
        !(status = orthant_model_set(model, "batch", "15")) &&
        !(status = orthant_model_set(model, "iterations", "2")))
        status = orthant_fit(model, X, &result[0]);
    if (!status)
        status = orthant_partial_fit(model, X, NULL, &result[1]);
    if (!status)
        status = orthant_partial_fit(model, X, result[1], &result[2]);
    if (!status && !(status = orthant_matrix_create(ctx, 40, 6, ones, &mask)) &&
        !(status = orthant_model_create(ctx, "nmf", 3, &masked)) &&
        !(status = orthant_model_set(masked, "solver", "mu")) &&
        !(status = orthant_model_set(masked, "iterations", "2")) &&
        !(status = orthant_model_set_mask(masked, mask)))
        status = orthant_fit(masked, X, &result[3]);
    for (int i = 0; i < 4; i++)
        orthant_result_free(result[i]);
    orthant_model_free(model);
    orthant_model_free(masked);
    orthant_matrix_free(X);
    orthant_matrix_free(mask);
    return status;
}

static void fail_each(bool streamed)
{
    long failures = 0;
    for (;; failures++) {
        orthant_context *ctx = NULL;
        expect_ok(NULL, orthant_context_create(&ctx));
        expect_ok(ctx, orthant_context_set_threads(ctx, 2));
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, NULL));
        left = failures;
        const orthant_status status = do_all(ctx, streamed);
        assert_int_equal(orthant_context_memory(ctx), 0);
        if (status)
            assert_int_equal(status, ORTHANT_ERROR_MEMORY);
        orthant_context_free(ctx);
        if (!status)
            break;
    }
    assert_true(failures > 60);
}

static void test_without_memory(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){40, 6, ORTHANT_DOUBLE, false, 5, 0});
    expect_ok(p.ctx, orthant_matrix_write(p.ctx, p.X, files_path("without.npy")));
    problem_free(&p);
    fail_each(false);
    fail_each(true);
}

static void test_refusals(void **state)
{
    test_problem p;
    orthant_result *result = NULL, *whole = NULL;
    (void)state;
    problem_make(&p, (problem_shape){40, 20, ORTHANT_DOUBLE, false, 6, 0});
    orthant_model *model = problem_model(&p, "nmf", 3, "2"),
                  *other = problem_model(&p, "gnmf", 3, "2");
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "does not learn from data in pieces",
                   orthant_partial_fit(other, p.X, NULL, &result));
    expect_ok(p.ctx, orthant_fit(model, p.X, &whole));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "no fit of a piece",
                   orthant_partial_fit(model, p.X, whole, &result));
    expect_ok(p.ctx, orthant_model_add_term(model, "sparsity", 0.1));
    expect_ok(p.ctx, orthant_model_set(model, "batch", "10"));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT,
                   "a fit by batches takes no terms; leave batch out",
                   orthant_fit(model, p.X, &result));
    assert_null(result);
    orthant_result_free(whole);
    orthant_model_free(model);
    orthant_model_free(other);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_updates),    cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_one_batch_of_all), cmocka_unit_test(test_goes_on_from_a_checkpoint),
        cmocka_unit_test(test_pieces),           cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
