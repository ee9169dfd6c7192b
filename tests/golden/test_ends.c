/* Where every solver ends, in double precision: at a stationary point, no higher than the
 * multiplicative rule after 2,000 iterations. The data are positive factors multiplied, with noise:
 * the minimum lies inside the orthant, so that the multiplicative rules come near it too (an entry
 * that should become zero only shrinks under them, and for long counts in the gradient). */
#include "fixture.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "orthant/orthant.h"

/* Where fits end does not depend on the sanitizers, under which they only begin. */
#define MU_ITERATIONS (SANITIZED ? "100" : "2000")
#define ITERATIONS (SANITIZED ? "300" : "6000")
#define STATIONARY 1e-4
#define ROUNDING 1e-12 /* of the objective */

typedef struct planted {
    int64_t samples, features, rank;
    double noise;
    bool csr; /* the same entries, none of them zero, as CSR */
} planted;

static const planted problems[] = {{131, 53, 5, 0.2, false}, {77, 90, 7, 0.3, true}};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* A number in [0, 1), the same everywhere: a linear congruential generator's upper bits. */
static double next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / (double)(UINT64_C(1) << 53);
}

/* count x rank: a base for all, and in row i component i mod rank above it. */
static double *planted_factor(int64_t count, int64_t rank, uint64_t *state)
{
    double *factor = calloc((size_t)(count * rank), sizeof *factor);
    assert_non_null(factor);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < rank; j++)
            factor[i * rank + j] = 0.2 + (i % rank == j ? 0.5 + next(state) : 0);
    return factor;
}

static orthant_matrix *planted_data(orthant_context *ctx, const planted *p)
{
    uint64_t state = 1;
    const int64_t n = p->samples, m = p->features;
    double *S = planted_factor(n, p->rank, &state), *W = planted_factor(m, p->rank, &state),
           *X = calloc((size_t)(n * m), sizeof *X);
    int64_t *start = calloc((size_t)n + 1, sizeof *start),
            *column = calloc((size_t)(n * m), sizeof *column);
    orthant_matrix *matrix = NULL;
    assert_true(X && start && column);
    for (int64_t i = 0; i < n; i++) {
        start[i + 1] = (i + 1) * m;
        for (int64_t f = 0; f < m; f++) {
            double x = 0;
            for (int64_t j = 0; j < p->rank; j++)
                x += S[i * p->rank + j] * W[f * p->rank + j];
            X[i * m + f] = x * (1 + p->noise * (next(&state) - 0.5));
            column[i * m + f] = f;
        }
    }
    expect_ok(ctx, p->csr ? orthant_matrix_create_csr(ctx, n, m, start, column, X, &matrix)
                          : orthant_matrix_create(ctx, n, m, X, &matrix));
    free(S);
    free(W);
    free(X);
    free(start);
    free(column);
    return matrix;
}

static orthant_result *fit_by(orthant_context *ctx, const orthant_matrix *X, int64_t rank,
                              const char *method, const char *solver, const char *iterations)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    expect_ok(ctx, orthant_model_create(ctx, method, rank, &model));
    expect_ok(ctx, orthant_model_set(model, "solver", solver));
    expect_ok(ctx, orthant_model_set(model, "iterations", iterations));
    expect_ok(ctx, orthant_model_set(model, "tolerance", "0"));
    expect_ok(ctx, orthant_fit(model, X, &result));
    orthant_model_free(model);
    return result;
}

static void check_ends(orthant_context *ctx, const char *method, const char *const solvers[3])
{
    for (int i = 0; i < PROBLEMS; i++) {
        const planted *p = &problems[i];
        orthant_matrix *X = planted_data(ctx, p);
        orthant_result *mu = fit_by(ctx, X, p->rank, method, "mu", MU_ITERATIONS);
        const double highest = orthant_result_objective(mu) * (1 + ROUNDING);
        for (int s = 0; s < 3; s++) {
            orthant_result *end = fit_by(ctx, X, p->rank, method, solvers[s], ITERATIONS);
            const double objective = orthant_result_objective(end),
                         gradient = orthant_result_projected_gradient(end);
            if (!(gradient < (SANITIZED ? INFINITY : STATIONARY)) || !(objective <= highest))
                fail_msg("problem %d, %s by %s: projected gradient %g, objective %.17g, mu's %.17g",
                         i, method, solvers[s], gradient, objective, highest);
            orthant_result_free(end);
        }
        orthant_result_free(mu);
        orthant_matrix_free(X);
    }
}

static void test_frobenius(void **state)
{
    check_ends(*state, "nmf", (const char *const[]){"mu", "emu", "hals"});
}

static void test_kl(void **state)
{
    check_ends(*state, "nmf-kl", (const char *const[]){"mu", "emu", "newton"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_frobenius), fixture_test(test_kl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
