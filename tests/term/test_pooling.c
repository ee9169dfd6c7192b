/* Which encodings are pooled: grids of any shape by plain loops on a torus. */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

#include "method/fit.h"
#include "term/pooling.h"

/* Steps from a to b on a ring. */
static int64_t steps(int64_t a, int64_t b, int64_t length)
{
    int64_t least = length;
    for (int64_t turn = -length; turn <= length; turn += length)
        least = llabs(a - b + turn) < least ? llabs(a - b + turn) : least;
    return least;
}

static void check_grid(orthant_context *ctx, const char *pooling, int64_t rank, int64_t radius,
                       int64_t rows, int64_t columns)
{
    orthant_model *model = NULL;
    orthant_matrix *X = NULL, *H = NULL, *transposed = NULL;
    const double one[] = {1};
    char text[24];
    snprintf(text, sizeof text, "%d", (int)radius);
    expect_ok(ctx, orthant_matrix_create(ctx, 1, 1, one, &X));
    expect_ok(ctx, orthant_model_create(ctx, "tnmf", rank, &model));
    expect_ok(ctx, orthant_model_set(model, "pooling", pooling));
    expect_ok(ctx, orthant_model_set(model, "pooling_radius", text));
    const fit f = {.ctx = ctx, .model = model, .samples = X};
    const problem asked = fit_problem(&f);
    expect_ok(ctx, pooling_make(&asked, &H, &transposed));
    for (int64_t l = 0; l < rank; l++)
        for (int64_t k = 0; k < rank; k++) {
            const bool near = steps(l / columns, k / columns, rows) <= radius &&
                              steps(l % columns, k % columns, columns) <= radius;
            if (orthant_matrix_get(H, l, k) != (near ? 1 : 0) ||
                orthant_matrix_get(transposed, k, l) != (near ? 1 : 0))
                fail_msg("%s, rank %d, radius %d: units %d and %d", pooling, (int)rank, (int)radius,
                         (int)l, (int)k);
        }
    orthant_matrix_free(H);
    orthant_matrix_free(transposed);
    orthant_model_free(model);
    orthant_matrix_free(X);
}

/* `grid` takes the squarest shape; a last row may be short. */
static void test_grids(void **state)
{
    static const struct {
        const char *pooling;
        int64_t rank, rows, columns;
    } grids[] = {{"grid", 1, 1, 1},     {"grid", 5, 2, 3},     {"grid", 7, 3, 3},
                 {"grid", 12, 3, 4},    {"grid", 16, 4, 4},    {"grid", 30, 5, 6},
                 {"grid:2x4", 7, 2, 4}, {"grid:4x2", 7, 4, 2}, {"grid:5x7", 35, 5, 7},
                 {"grid:1x9", 9, 1, 9}, {"grid:9x1", 9, 9, 1}, {"grid:3x5", 11, 3, 5}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (int64_t radius = 0; radius <= 3; radius++)
            check_grid(*state, grids[i].pooling, grids[i].rank, radius, grids[i].rows,
                       grids[i].columns);
}

static void test_refused_grids(void **state)
{
    static const struct {
        const char *pooling, *words;
    } grids[] = {{"grid:2x2", "a grid of 2 x 2 does not hold rank 7"},
                 {"grid:4x3", "a grid of 4 x 3 does not hold rank 7"}, /* a row would be empty */
                 {"grid:0x7", "expected all, grid, or grid:ROWSxCOLUMNS"},
                 {"grid:1x8", "expected all, grid, or grid:ROWSxCOLUMNS"},
                 {"grid:2x4x", "expected all, grid, or grid:ROWSxCOLUMNS"},
                 {"torus", "expected all, grid, or grid:ROWSxCOLUMNS"}};
    orthant_matrix *X = NULL;
    const double one[] = {1};
    expect_ok(*state, orthant_matrix_create(*state, 1, 1, one, &X));
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        orthant_model *model = NULL;
        orthant_matrix *H = NULL, *transposed = NULL;
        expect_ok(*state, orthant_model_create(*state, "tnmf", 7, &model));
        expect_ok(*state, orthant_model_set(model, "pooling", grids[i].pooling));
        const fit f = {.ctx = *state, .model = model, .samples = X};
        const problem asked = fit_problem(&f);
        expect_failure(*state, ORTHANT_ERROR_ARGUMENT, grids[i].words,
                       pooling_make(&asked, &H, &transposed));
        assert_null(H);
        assert_null(transposed);
        orthant_model_free(model);
    }
    orthant_matrix_free(X);
}

/* A pooling matrix goes to a method that pools; taking one away is never refused. */
static void test_a_given_matrix_needs_a_term_that_pools(void **state)
{
    orthant_model *plain = NULL, *pooled = NULL;
    orthant_matrix *H = NULL;
    const double ones[] = {1, 1, 1, 1};
    expect_ok(*state, orthant_matrix_create(*state, 2, 2, ones, &H));
    expect_ok(*state, orthant_model_create(*state, "nmf", 2, &plain));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT,
                   "method 'nmf' does not pool: add the term 'topographic'",
                   orthant_model_set_pooling(plain, H));
    expect_ok(*state, orthant_model_set_pooling(plain, NULL));
    expect_ok(*state, orthant_model_add_term(plain, "topographic", 1));
    expect_ok(*state, orthant_model_set_pooling(plain, H));
    expect_ok(*state, orthant_model_create(*state, "tnmf", 2, &pooled));
    expect_ok(*state, orthant_model_set_pooling(pooled, H));
    orthant_model_free(plain);
    orthant_model_free(pooled);
    orthant_matrix_free(H);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_grids), fixture_test(test_refused_grids),
                                       fixture_test(test_a_given_matrix_needs_a_term_that_pools)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
