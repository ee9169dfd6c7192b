/* Encodings of new samples, against solvers of the test's own: a sample goes to its own minimum,
 * whatever stands beside it. */
#include "expect.h"
#include "problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"

enum { SAMPLES = 150, FEATURES = 37 };

static const double tolerance = 1e-10;

static orthant_matrix *make_basis(const test_problem *p, int64_t rank, bool dependent)
{
    double *values = calloc((size_t)(FEATURES * rank), sizeof *values);
    orthant_matrix *W = NULL;
    assert_non_null(values);
    for (int64_t j = 0; j < FEATURES; j++)
        for (int64_t r = 0; r < rank; r++) {
            const double u = random_uniform(7, RANDOM_TEST, (uint64_t)j, (uint64_t)r);
            values[j * rank + r] = u < 0.4 ? 0 : u * (double)(1 + r % 3);
        }
    /* one column twice, one the sum of two others, one of zeros */
    for (int64_t j = 0; j < FEATURES && dependent; j++) {
        values[j * rank + 1] = 3 * values[j * rank];
        values[j * rank + 4] = values[j * rank + 2] + values[j * rank + 3];
        values[j * rank + 5] = 0;
    }
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, FEATURES, rank, values, &W));
    free(values);
    return W;
}

static orthant_matrix *transform(const test_problem *p, const orthant_matrix *W, const char *loss,
                                 const orthant_matrix *X)
{
    orthant_matrix *S = NULL;
    expect_ok(p->ctx, orthant_transform(p->ctx, W, loss, X, 500, tolerance, &S));
    assert_int_equal(orthant_matrix_rows(S), orthant_matrix_rows(X));
    assert_int_equal(orthant_matrix_columns(S), orthant_matrix_columns(W));
    return S;
}

static bool identical_rows(const orthant_matrix *a, int64_t i, const orthant_matrix *b, int64_t j)
{
    for (int64_t r = 0; r < orthant_matrix_columns(a); r++) {
        const double x = orthant_matrix_get(a, i, r), y = orthant_matrix_get(b, j, r);
        if (memcmp(&x, &y, sizeof x) != 0)
            return false;
    }
    return true;
}

/* Rows of X, chosen, as a matrix of their own. */
static orthant_matrix *take_rows(const test_problem *p, const int64_t *row, int64_t count)
{
    double *values = calloc((size_t)(count * FEATURES), sizeof *values);
    orthant_matrix *X = NULL;
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < FEATURES; j++)
            values[i * FEATURES + j] = orthant_matrix_get(p->X, row[i], j);
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, count, FEATURES, values, &X));
    free(values);
    return X;
}

/* ------------------------------------------------------------------ least squares */

/* Nonnegative least squares by very many passes over the coordinates, on residuals instead of a
 * Gram matrix. */
static void plain_nnls(const orthant_matrix *W, const orthant_matrix *X, int64_t i, double *s)
{
    const int64_t rank = orthant_matrix_columns(W);
    double residual[FEATURES];
    for (int64_t j = 0; j < FEATURES; j++)
        residual[j] = orthant_matrix_get(X, i, j);
    for (int64_t r = 0; r < rank; r++)
        s[r] = 0;
    for (int pass = 0; pass < 20000; pass++) {
        double most = 0;
        for (int64_t r = 0; r < rank; r++) {
            double slope = 0, square = 0;
            for (int64_t j = 0; j < FEATURES; j++) {
                slope += orthant_matrix_get(W, j, r) * residual[j];
                square += pow(orthant_matrix_get(W, j, r), 2);
            }
            const double next = square > 0 ? fmax(0, s[r] + slope / square) : 0, step = next - s[r];
            for (int64_t j = 0; j < FEATURES; j++)
                residual[j] -= step * orthant_matrix_get(W, j, r);
            s[r] = next;
            most = fmax(most, fabs(step));
        }
        if (most < 1e-15)
            return;
    }
}

static double largest_entry(const orthant_matrix *S)
{
    double largest = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(S); i++)
        for (int64_t r = 0; r < orthant_matrix_columns(S); r++)
            largest = fmax(largest, orthant_matrix_get(S, i, r));
    return largest;
}

/* Every other entry of it with the other sign. */
static void change_signs(orthant_matrix *a)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->sparse ? a->row_start[i] : i * a->stride;
             e < (a->sparse ? a->row_start[i + 1] : i * a->stride + a->columns); e += 2)
            matrix_set_value(a, e, -matrix_value(a, e));
}

/* In single precision the code is that of double, rounded once; data and parts of mixed signs too.
 */
static void test_least_squares(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        const bool single = c % 2, sparse = c / 2 % 2, mixed = c / 4;
        test_problem p;
        problem_make(&p, (problem_shape){.samples = SAMPLES,
                                         .features = FEATURES,
                                         .precision = single ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                         .sparse = sparse,
                                         .seed = 3});
        orthant_matrix *W = make_basis(&p, 9, false);
        if (mixed) {
            change_signs(W);
            change_signs(p.X);
        }
        orthant_matrix *S = transform(&p, W, "frobenius", p.X);
        const double largest = largest_entry(S), bound = single ? FLT_EPSILON : 1e-8;
        int64_t zeros = 0;
        for (int64_t i = 0; i < SAMPLES; i++) {
            double s[9];
            plain_nnls(W, p.X, i, s);
            for (int64_t r = 0; r < 9; r++) {
                zeros += orthant_matrix_get(S, i, r) <= 0;
                if (!(fabs(orthant_matrix_get(S, i, r) - s[r]) <= bound * largest))
                    fail_msg("case %d, sample %d, part %d: %.9g, expected %.9g", c, (int)i, (int)r,
                             orthant_matrix_get(S, i, r), s[r]);
            }
        }
        assert_true(zeros > SAMPLES && zeros < 8 * SAMPLES); /* the bound is met, and left */
        orthant_matrix_free(S);
        orthant_matrix_free(W);
        problem_free(&p);
    }
}

/* ------------------------------------------------------------------ stationarity */

/* The largest projected gradient of sample i, as orthant_transform() measures it. */
static double sample_violation(const orthant_matrix *W, bool kl, const orthant_matrix *X, int64_t i,
                               const orthant_matrix *S)
{
    const int64_t rank = orthant_matrix_columns(W);
    double fitted[FEATURES] = {0}, most = 0, scale = 0;
    for (int64_t j = 0; j < FEATURES; j++)
        for (int64_t r = 0; r < rank; r++)
            fitted[j] += orthant_matrix_get(S, i, r) * orthant_matrix_get(W, j, r);
    for (int64_t r = 0; r < rank; r++) {
        double slope = 0, cross = 0, sum = 0, square = 0;
        for (int64_t j = 0; j < FEATURES; j++) {
            const double w = orthant_matrix_get(W, j, r), x = orthant_matrix_get(X, i, j);
            sum += w;
            square += w * w;
            cross += w * x;
            slope += !kl ? w * (fitted[j] - x) : w > 0 && x > 0 ? w * (1 - x / fitted[j]) : w;
        }
        const double length = kl ? sum : sqrt(square);
        if (!(length > 0)) {
            assert_true(orthant_matrix_get(S, i, r) <= 0); /* a dead part has no share */
            continue;
        }
        scale = fmax(scale, kl ? 1 : cross / length);
        most = fmax(most, orthant_matrix_get(S, i, r) > 0 ? fabs(slope / length) : -slope / length);
    }
    return scale > 0 ? most / scale : most;
}

/* Both losses, parts that depend on each other, more parts than features. A sample of zeros has a
 * code of zeros: under kl every part's slope is its sum there. */
static void test_every_sample_is_stationary(void **state)
{
    static const struct {
        int64_t rank;
        bool dependent;
    } cases[] = {{9, false},
                 {9, true},
                 {1, false},
                 {FEATURES + 8, false},
                 {FEATURES + 8, true},
                 /* Whole vectors: nothing of the scratch is left over. */
                 {32, false}};
    (void)state;
    for (size_t c = 0; c < 4 * sizeof cases / sizeof *cases; c++) {
        const bool kl = c % 2, sparse = c / 2 % 2;
        test_problem p;
        problem_make(&p, (problem_shape){.samples = SAMPLES,
                                         .features = FEATURES,
                                         .precision = ORTHANT_DOUBLE,
                                         .sparse = sparse,
                                         .seed = 5});
        orthant_matrix *W = make_basis(&p, cases[c / 4].rank, cases[c / 4].dependent),
                       *S = transform(&p, W, kl ? "kl" : "frobenius", p.X);
        for (int64_t i = 0; i < SAMPLES; i++) {
            const double violation = sample_violation(W, kl, p.X, i, S);
            if (i != SAMPLES / 3 && !(violation <= 2 * tolerance))
                fail_msg("case %d, sample %d: projected gradient %g", (int)c, (int)i, violation);
        }
        for (int64_t r = 0; r < cases[c / 4].rank; r++)
            assert_true(orthant_matrix_get(S, SAMPLES / 3, r) == 0);
        orthant_matrix_free(S);
        orthant_matrix_free(W);
        problem_free(&p);
    }
}

/* Where some features are in no part, kl leaves them out; units change the codes alone. */
static void test_units_and_features_without_a_part(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p,
                 (problem_shape){
                     .samples = 40, .features = FEATURES, .precision = ORTHANT_DOUBLE, .seed = 11});
    double values[FEATURES * 6], large[FEATURES * 6];
    for (int e = 0; e < FEATURES * 6; e++) {
        const double u = random_uniform(9, RANDOM_TEST, (uint64_t)e, 0);
        values[e] = e / 6 % 5 == 0 || u < 0.3 ? 0 : u;
        large[e] = values[e] * (e % 2 ? 1e60 : 1e-60);
    }
    orthant_matrix *W = NULL, *V = NULL;
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, FEATURES, 6, values, &W));
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, FEATURES, 6, large, &V));
    for (int l = 0; l < 2; l++) {
        orthant_matrix *S = transform(&p, W, l ? "kl" : "frobenius", p.X),
                       *T = transform(&p, V, l ? "kl" : "frobenius", p.X);
        for (int64_t i = 0; i < 40; i++)
            for (int64_t r = 0; r < 6; r++) {
                const double one = orthant_matrix_get(S, i, r),
                             other = orthant_matrix_get(T, i, r) * (r % 2 ? 1e60 : 1e-60);
                assert_true(fabs(one - other) <= 1e-7 * largest_entry(S));
            }
        orthant_matrix_free(S);
        orthant_matrix_free(T);
    }
    orthant_matrix_free(W);
    orthant_matrix_free(V);
    problem_free(&p);
}

/* ------------------------------------------------------------------ batches */

/* A sample by itself, among a few, at another place, and on another number of threads: the same
 * bits. */
static void test_batches_and_threads(void **state)
{
    static const int64_t some[] = {149, 3, 3, 77, 0, 50, 31, 32, 33, 100};
    (void)state;
    for (int c = 0; c < 8; c++) {
        const char *loss = c % 2 ? "kl" : "frobenius";
        test_problem p;
        problem_make(&p, (problem_shape){.samples = SAMPLES,
                                         .features = FEATURES,
                                         .precision = c / 2 % 2 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                         .seed = 13});
        orthant_matrix *W = make_basis(&p, c / 4 ? 40 : 7, false);
        orthant_context_set_threads(p.ctx, 1);
        orthant_matrix *all = transform(&p, W, loss, p.X), *rows = take_rows(&p, some, 10),
                       *few = transform(&p, W, loss, rows);
        for (int64_t i = 0; i < 10; i++) {
            orthant_matrix *row = take_rows(&p, some + i, 1), *alone = transform(&p, W, loss, row);
            assert_true(identical_rows(all, some[i], alone, 0));
            assert_true(identical_rows(all, some[i], few, i));
            orthant_matrix_free(row);
            orthant_matrix_free(alone);
        }
        for (int threads = 2; threads <= 3; threads++) {
            orthant_context_set_threads(p.ctx, threads);
            orthant_matrix *again = transform(&p, W, loss, p.X);
            for (int64_t i = 0; i < SAMPLES; i++)
                assert_true(identical_rows(all, i, again, i));
            orthant_matrix_free(again);
        }
        orthant_matrix_free(all);
        orthant_matrix_free(rows);
        orthant_matrix_free(few);
        orthant_matrix_free(W);
        problem_free(&p);
    }
}

static void test_sparse_as_dense(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        test_problem p[2];
        orthant_matrix *W[2], *S[2];
        for (int sparse = 0; sparse < 2; sparse++) {
            problem_make(&p[sparse],
                         (problem_shape){.samples = SAMPLES,
                                         .features = FEATURES,
                                         .precision = c / 2 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                         .sparse = sparse,
                                         .density = 0.2,
                                         .seed = 17});
            W[sparse] = make_basis(&p[sparse], 9, false);
            S[sparse] = transform(&p[sparse], W[sparse], c % 2 ? "kl" : "frobenius", p[sparse].X);
        }
        assert_true(factor_difference(S[0], S[1]) <= (c / 2 ? FLT_EPSILON : 1e-8));
        for (int sparse = 0; sparse < 2; sparse++) {
            orthant_matrix_free(W[sparse]);
            orthant_matrix_free(S[sparse]);
            problem_free(&p[sparse]);
        }
    }
}

/* ------------------------------------------------------------------ progress, refusals */

typedef struct watch {
    int64_t told, total, stop_at;
    bool fell, other_phase;
} watch;

static bool watch_transform(void *user, const orthant_progress *progress)
{
    watch *w = user;
    w->fell |= progress->done <= w->told;
    w->told = progress->done;
    w->total = progress->total;
    w->other_phase |= strcmp(progress->phase, "transform") != 0;
    return progress->done < w->stop_at;
}

/* More than a strip, after which it is told. */
static void test_progress_counts_samples_and_can_stop(void **state)
{
    const int64_t samples = (2 << 20) / (FEATURES * (int64_t)sizeof(float)) + 1000;
    test_problem p;
    watch w = {.stop_at = INT64_MAX};
    orthant_matrix *S = NULL;
    (void)state;
    problem_make(&p, (problem_shape){.samples = samples, .features = FEATURES, .seed = 19});
    orthant_context_set_threads(p.ctx, 1);
    orthant_matrix *W = make_basis(&p, 5, false);
    orthant_context_set_progress(p.ctx, watch_transform, &w);
    expect_ok(p.ctx, orthant_transform(p.ctx, W, "kl", p.X, 500, tolerance, &S));
    assert_int_equal(w.told, samples);
    assert_int_equal(w.total, samples);
    assert_false(w.fell || w.other_phase);
    orthant_matrix_free(S);
    w = (watch){.stop_at = 1};
    expect_failure(p.ctx, ORTHANT_STOPPED, "stopped",
                   orthant_transform(p.ctx, W, "kl", p.X, 500, tolerance, &S));
    assert_true(w.told < samples);
    assert_null(S);
    orthant_context_set_progress(p.ctx, NULL, NULL);
    orthant_matrix_free(W);
    problem_free(&p);
}

/* One value, of one sample under one part. */
static orthant_status one_by_one(const test_problem *p, double basis, double sample,
                                 orthant_matrix **encoding)
{
    orthant_matrix *W = NULL, *X = NULL;
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, 1, 1, &basis, &W));
    expect_ok(p->ctx, orthant_matrix_create(p->ctx, 1, 1, &sample, &X));
    const orthant_status status = orthant_transform(p->ctx, W, "frobenius", X, 9, 0, encoding);
    orthant_matrix_free(W);
    orthant_matrix_free(X);
    return status;
}

/* Losses by the names that scikit-learn has for them. */
static void test_other_names(void **state)
{
    static const char *const names[][2] = {{"kullback-leibler", "kl"}, {"itakura-saito", "is"}};
    test_problem p;
    orthant_matrix *W = NULL, *X = NULL;
    (void)state;
    problem_make(&p, (problem_shape){.samples = 9, .features = FEATURES, .seed = 22});
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, 2, 1, (double[]){1, 2}, &W));
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, 2, 2, (double[]){3, 1, 2, 7}, &X));
    for (int i = 0; i < 2; i++) {
        orthant_matrix *S = NULL, *same = NULL;
        expect_ok(p.ctx, orthant_transform(p.ctx, W, names[i][0], X, 500, 1e-10, &S));
        expect_ok(p.ctx, orthant_transform(p.ctx, W, names[i][1], X, 500, 1e-10, &same));
        for (int j = 0; j < 2; j++)
            assert_true(orthant_matrix_get(S, j, 0) == orthant_matrix_get(same, j, 0));
        orthant_matrix_free(S);
        orthant_matrix_free(same);
    }
    orthant_matrix_free(W);
    orthant_matrix_free(X);
    problem_free(&p);
}

static void test_refusals(void **state)
{
    test_problem p;
    orthant_matrix *S = NULL, *narrow = NULL, *signs = NULL;
    (void)state;
    problem_make(&p, (problem_shape){.samples = 9, .features = FEATURES, .seed = 21});
    orthant_matrix *W = make_basis(&p, 5, false);
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, 1, 2, (double[]){1, 1}, &narrow));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "37 features, the samples have 2",
                   orthant_transform(p.ctx, W, "kl", narrow, 9, 0, &S));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "no loss 'huber': expected one of frobenius|kl",
                   orthant_transform(p.ctx, W, "huber", p.X, 9, 0, &S));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "the basis is for 9",
                   orthant_transform(p.ctx, p.X, "kl", p.X, 9, 0, &S));
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, 2, 1, (double[]){1, -1}, &signs));
    expect_failure(p.ctx, ORTHANT_ERROR_DATA, "the basis: entry (2, 1) is -1",
                   orthant_transform(p.ctx, signs, "kl", narrow, 9, 0, &S));
    expect_failure(p.ctx, ORTHANT_ERROR_NUMERIC, "too large", one_by_one(&p, 1e-30, 1e30, &S));
    assert_null(S);
    expect_ok(p.ctx, one_by_one(&p, 1e-10, 1e20, &S));
    assert_true(fabs(orthant_matrix_get(S, 0, 0) - 1e30) <= 1e23);
    orthant_matrix_free(S);
    orthant_matrix_free(signs);
    orthant_matrix_free(narrow);
    orthant_matrix_free(W);
    problem_free(&p);
}

typedef struct budget {
    int64_t left; /* allocations until one fails */
} budget;

static void *allocate(void *user, size_t size, size_t alignment)
{
    budget *b = user;
    return b->left-- == 0 ? NULL : aligned_alloc(alignment, size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Whichever allocation fails: the status says so, nothing is left behind. */
static void test_no_memory(void **state)
{
    (void)state;
    for (int l = 0; l < 2; l++) {
        const char *loss = l ? "kl" : "frobenius";
        orthant_status status = ORTHANT_ERROR_MEMORY;
        int64_t n = 0;
        for (; status == ORTHANT_ERROR_MEMORY && n < 100; n++) {
            budget b = {-1};
            orthant_context *ctx = NULL;
            orthant_matrix *W = NULL, *X = NULL, *S = NULL;
            assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
            expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &b));
            orthant_context_set_threads(ctx, 2);
            expect_ok(ctx, orthant_matrix_create(ctx, 3, 2, (double[]){1, 0, 2, 1, 1, 5}, &W));
            expect_ok(ctx, orthant_matrix_create(ctx, 2, 3, (double[]){1, 0, 2, 1, 1, 5}, &X));
            b.left = n;
            status = orthant_transform(ctx, W, loss, X, 9, 0, &S);
            b.left = -1;
            if (status) {
                assert_null(S);
                assert_non_null(strstr(orthant_message(ctx), "memory"));
            }
            orthant_matrix_free(S);
            orthant_matrix_free(X);
            orthant_matrix_free(W);
            assert_int_equal(orthant_context_memory(ctx), 0);
            orthant_context_free(ctx);
        }
        assert_int_equal(status, ORTHANT_OK);
        assert_true(n > 10);
    }
}

/* ------------------------------------------------------------------ methods */

/* The samples of a fit, under its basis, get codes that fit no worse than its own. */
static void test_codes_of_a_fit(void **state)
{
    static const char *const methods[] = {"nmf",   "nmf-kl", "gnmf",    "tnmf", "nnsc",
                                          "cdnmf", "cnmf",   "cnmf-kl", "nlcf", "anp"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const bool kl = strstr(methods[i], "-kl") != NULL;
        test_problem p;
        problem_make(
            &p, (problem_shape){
                    .samples = 57, .features = FEATURES, .precision = ORTHANT_DOUBLE, .seed = 23});
        orthant_model *model = problem_model(&p, methods[i], 4, "60");
        orthant_result *result = problem_fit(&p, model);
        const orthant_matrix *W = orthant_result_factor(result, "basis");
        if (!W)
            fail_msg("%s has no basis", methods[i]);
        orthant_matrix *S = transform(&p, W, kl ? "kl" : "frobenius", p.X);
        double loss = 0;
        for (int64_t n = 0; n < 57; n++)
            for (int64_t j = 0; j < FEATURES; j++) {
                const double x = orthant_matrix_get(p.X, n, j);
                double y = 0;
                for (int64_t r = 0; r < 4; r++)
                    y += orthant_matrix_get(S, n, r) * orthant_matrix_get(W, j, r);
                loss += kl ? (x > 0 ? x * log(x / y) : 0) - x + y : (x - y) * (x - y);
            }
        const double fitted = problem_loss(&p, result, kl);
        if (!(loss <= fitted * (1 + 1e-9)))
            fail_msg("%s: loss %.9g of the codes, %.9g of the fit", methods[i], loss, fitted);
        orthant_matrix_free(S);
        orthant_result_free(result);
        orthant_model_free(model);
        problem_free(&p);
    }
}

/* Losses without a solver by coordinates: squares entry by entry end where frobenius does, others
 * lower than where they start, and a sample's code is its own. */
static void test_entrywise_losses(void **state)
{
    static const char *const losses[] = {"is", "beta:0.5", "beta:1.3", "huber:0.3"};
    test_problem p;
    (void)state;
    problem_make(
        &p, (problem_shape){
                .samples = SAMPLES, .features = FEATURES, .precision = ORTHANT_DOUBLE, .seed = 3});
    problem_fill(&p);
    orthant_matrix *W = make_basis(&p, 3, false), *least = transform(&p, W, "frobenius", p.X),
                   *found = NULL, *one = NULL;
    expect_ok(p.ctx, orthant_transform(p.ctx, W, "euclidean-entrywise", p.X, 500, 0, &found));
    assert_true(factor_difference(found, least) < 1e-9);
    orthant_matrix_free(found);
    for (int l = 0; l < 4; l++) {
        double first[FEATURES];
        for (int64_t j = 0; j < FEATURES; j++)
            first[j] = orthant_matrix_get(p.X, 0, j);
        orthant_matrix *alone = NULL;
        expect_ok(p.ctx, orthant_matrix_create(p.ctx, 1, FEATURES, first, &alone));
        expect_ok(p.ctx, orthant_transform(p.ctx, W, losses[l], p.X, 200, 0, &found));
        expect_ok(p.ctx, orthant_transform(p.ctx, W, losses[l], alone, 200, 0, &one));
        for (int64_t r = 0; r < 3; r++)
            assert_true(fabs(orthant_matrix_get(one, 0, r) - orthant_matrix_get(found, 0, r)) <=
                        1e-12 * largest_entry(one));
        orthant_matrix_free(alone);
        orthant_matrix_free(found);
        orthant_matrix_free(one);
    }
    orthant_matrix_free(W);
    orthant_matrix_free(least);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_entrywise_losses),
        cmocka_unit_test(test_every_sample_is_stationary),
        cmocka_unit_test(test_units_and_features_without_a_part),
        cmocka_unit_test(test_batches_and_threads),
        cmocka_unit_test(test_sparse_as_dense),
        cmocka_unit_test(test_progress_counts_samples_and_can_stop),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_codes_of_a_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
