/* Fixed parts: with every solver, loss and storage their columns keep their bytes and the objective
 * never rises; with all of them fixed the codes are those of orthant_transform(). */
#include <math.h>
#include <string.h>

#include "fixture.h"

#include "core/random.h"
#include "data/matrix.h"
#include "loss/losses.h"
#include "problem.h"
#include "solver/solvers.h"
#include "term/terms.h"

#define RANK 5
#define ROWS 50
#define COLUMNS 30

/* A third of the entries zero, or none. */
static orthant_matrix *parts_with(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                  int64_t columns, bool zeros)
{
    orthant_matrix *parts = NULL;
    expect_ok(ctx, matrix_new_dense(ctx, precision, rows, columns, &parts));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const double u = random_uniform(9, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
            matrix_set_value(parts, i * parts->stride + j, zeros && u < 0.3 ? 0 : 2 * u);
        }
    return parts;
}

static orthant_matrix *parts_of(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                int64_t columns)
{
    return parts_with(ctx, precision, rows, columns, true);
}

static void check_columns(const orthant_result *result, const orthant_matrix *parts,
                          const char *name)
{
    const orthant_matrix *W = orthant_result_factor(result, "basis");
    for (int64_t i = 0; i < parts->rows; i++)
        for (int64_t j = 0; j < parts->columns; j++) {
            const double is = orthant_matrix_get(W, i, j), was = orthant_matrix_get(parts, i, j);
            if (memcmp(&is, &was, sizeof is))
                fail_msg("%s: entry (%d, %d) was %.17g and is %.17g", name, (int)i, (int)j, was,
                         is);
        }
}

static void check_descent(const orthant_result *result, const char *name, double noise)
{
    const int64_t rows = orthant_result_history_rows(result);
    for (int64_t i = 1; i < rows; i++) {
        const double before = orthant_result_history(result, i - 1, 2),
                     now = orthant_result_history(result, i, 2);
        if (!(now <= before * (1 + noise)))
            fail_msg("%s: iteration %d rose from %.17g to %.17g", name, (int)i, before, now);
    }
    assert_true(orthant_result_history(result, rows - 1, 2) < orthant_result_history(result, 0, 2));
}

/* Columns beside the fixed ones are fitted: they are not what they started from. */
static void check_free(const orthant_result *result, const orthant_result *start, int64_t fixed)
{
    const orthant_matrix *W = orthant_result_factor(result, "basis"),
                         *first = orthant_result_factor(start, "basis");
    for (int64_t j = fixed; j < RANK; j++) {
        double moved = 0;
        for (int64_t i = 0; i < COLUMNS; i++)
            moved += fabs(orthant_matrix_get(W, i, j) - orthant_matrix_get(first, i, j));
        assert_true(moved > 1e-3);
    }
}

typedef struct fixed_case {
    const loss *loss;
    const solver *solver;
    const char *term;
    problem_shape shape;
    int64_t fixed;
} fixed_case;

static void check_case(const fixed_case *c)
{
    char name[96];
    test_problem p;
    problem_make(&p, c->shape);
    if (c->loss->positive)
        problem_fill(&p);
    orthant_matrix *parts =
        parts_with(p.ctx, c->shape.precision, COLUMNS, c->fixed, !c->loss->positive);
    orthant_model *model = problem_model(&p, "nmf", RANK, "0");
    char number[32] = "", text[64];
    if (c->loss->least < c->loss->most)
        snprintf(number, sizeof number, ":%g", c->loss->parameter);
    snprintf(text, sizeof text, "%s%s", c->loss->name, number);
    expect_ok(p.ctx, orthant_model_set(model, "loss", text));
    expect_ok(p.ctx, orthant_model_set(model, "solver", c->solver->name));
    if (c->term)
        expect_ok(p.ctx, orthant_model_add_term(model, c->term, 0.2));
    expect_ok(p.ctx, orthant_model_set_fixed(model, "basis", parts));
    orthant_result *start = problem_fit(&p, model);
    expect_ok(p.ctx, orthant_model_set(model, "iterations", "30"));
    orthant_result *result = problem_fit(&p, model);
    snprintf(name, sizeof name, "%s, %s, %s, %s, %s, %d fixed", c->loss->name, c->solver->name,
             c->term ? c->term : "no term", c->shape.sparse ? "CSR" : "dense",
             c->shape.precision == ORTHANT_DOUBLE ? "double" : "single", (int)c->fixed);
    check_columns(start, parts, name);
    check_columns(result, parts, name);
    check_descent(result, name, c->shape.precision == ORTHANT_DOUBLE ? 1e-9 : 1e-5);
    check_free(result, start, c->fixed);
    orthant_result_free(start);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(parts);
    problem_free(&p);
}

static bool takes(const solver *by, const term_kind *kind)
{
    return !by->majorises || ((!kind->encoding || kind->majorise) &&
                              (!kind->basis || (by->majorises_basis && kind->majorise_basis)));
}

static void check_terms(fixed_case c)
{
    static const int64_t fixed[] = {1, 3, RANK};
    for (int t = -1; t < term_kind_count(); t += SANITIZED ? 3 : 1)
        for (int f = 0; f < 3; f++) {
            c.term = t < 0 ? NULL : term_kind_at(t)->name;
            c.fixed = fixed[f];
            if (t < 0 || takes(c.solver, term_kind_at(t)))
                check_case(&c);
        }
}

static void test_every_solver(void **state)
{
    (void)state;
    for (int l = 0; l < loss_count(); l++)
        for (int v = 0; v < solver_count(); v++)
            for (int kind = 0; kind < 4; kind++) {
                const loss *with = loss_at(l);
                const solver *by = solver_at(v);
                if ((kind & 1 && with->positive) || (by->accepts && !by->accepts(with)))
                    continue;
                check_terms((fixed_case){.loss = with,
                                         .solver = by,
                                         .shape = {ROWS, COLUMNS,
                                                   kind & 2 ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                                   kind & 1, 6, 0.5}});
            }
}

/* Blocks of features beyond the first, and the same bits by several threads. */
static void test_threads(void **state)
{
    (void)state;
    for (int v = 0; v < solver_count(); v++) {
        orthant_result *results[2];
        test_problem p;
        problem_make(&p, (problem_shape){300, 700, ORTHANT_SINGLE, false, 6, 0.5});
        orthant_matrix *parts = parts_of(p.ctx, ORTHANT_DOUBLE, 700, 2);
        for (int r = 0; r < 2; r++) {
            orthant_model *model = problem_model(&p, "nmf", 7, "6");
            expect_ok(p.ctx, orthant_context_set_threads(p.ctx, r ? 3 : 1));
            expect_ok(p.ctx, orthant_model_set(model, "solver", solver_at(v)->name));
            if (solver_at(v)->accepts && !solver_at(v)->accepts(&loss_frobenius))
                expect_ok(p.ctx, orthant_model_set(model, "loss", "kl"));
            expect_ok(p.ctx, orthant_model_set_fixed(model, "basis", parts));
            results[r] = problem_fit(&p, model);
            orthant_model_free(model);
        }
        assert_true(factors_identical(results[0], results[1]));
        orthant_result_free(results[0]);
        orthant_result_free(results[1]);
        orthant_matrix_free(parts);
        problem_free(&p);
    }
}

/* All parts fixed: what is left is to find the codes. */
static void test_all_fixed(void **state)
{
    (void)state;
    for (int kl = 0; kl < 2; kl++) {
        test_problem p;
        orthant_matrix *codes = NULL;
        problem_make(&p, (problem_shape){ROWS, COLUMNS, ORTHANT_DOUBLE, false, 6, 0.5});
        orthant_matrix *parts = parts_of(p.ctx, ORTHANT_DOUBLE, COLUMNS, RANK);
        orthant_model *model = problem_model(&p, kl ? "nmf-kl" : "nmf", RANK, "2000");
        expect_ok(p.ctx, orthant_model_set(model, "solver", kl ? "newton" : "hals"));
        expect_ok(p.ctx, orthant_model_set_fixed(model, "basis", parts));
        orthant_result *result = problem_fit(&p, model);
        expect_ok(p.ctx, orthant_transform(p.ctx, parts, kl ? "kl" : "frobenius", p.X, 5000, 1e-12,
                                           &codes));
        const double away = factor_difference(orthant_result_factor(result, "encoding"), codes);
        if (!(away <= 1e-3))
            fail_msg("%s: codes are %g from those of transform", kl ? "kl" : "frobenius", away);
        /* and nothing is left to gain, which the fixed columns have no part in */
        assert_true(orthant_result_projected_gradient(result) < 1e-3);
        orthant_matrix_free(codes);
        orthant_result_free(result);
        orthant_model_free(model);
        orthant_matrix_free(parts);
        problem_free(&p);
    }
}

static void refuse(const test_problem *p, orthant_model *model, const orthant_matrix *parts,
                   const char *words)
{
    orthant_result *result = NULL;
    expect_ok(p->ctx, orthant_model_set_fixed(model, "basis", parts));
    expect_failure(p->ctx, ORTHANT_ERROR_ARGUMENT, words, orthant_fit(model, p->X, &result));
    assert_null(result);
}

static void test_refusals(void **state)
{
    static const char *const others[] = {"nnsc", "nmf-sc", "cnmf", "ssnmf", "pnmf", "kmeans", "cf"};
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){ROWS, COLUMNS, ORTHANT_SINGLE, false, 6, 0.5});
    orthant_matrix *parts = parts_of(p.ctx, ORTHANT_SINGLE, COLUMNS, 2),
                   *many = parts_of(p.ctx, ORTHANT_SINGLE, COLUMNS, RANK + 1),
                   *few = parts_of(p.ctx, ORTHANT_SINGLE, COLUMNS - 1, 2);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        orthant_model *model = problem_model(&p, others[i], 4, "2");
        expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, others[i],
                       orthant_model_set_fixed(model, "basis", parts));
        orthant_model_free(model);
    }
    orthant_model *model = problem_model(&p, "nmf", RANK, "2");
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "the factor 'encoding' cannot be held fixed",
                   orthant_model_set_fixed(model, "encoding", parts));
    refuse(&p, model, many, "the fixed parts are 30 x 6; expected 30 x at most 5");
    refuse(&p, model, few, "the fixed parts are 29 x 2; expected 30 x at most 5");
    expect_ok(p.ctx, orthant_model_set(model, "normalise", "basis"));
    expect_ok(p.ctx, orthant_model_set(model, "solver", "mu"));
    refuse(&p, model, parts, "fixed parts cannot be had with normalise=basis");
    expect_ok(p.ctx, orthant_model_set(model, "normalise", "none"));
    matrix_set_value(parts, 3, -1);
    refuse(&p, model, parts, "entry (2, 2) is -1");
    orthant_model_free(model);
    orthant_matrix_free(parts);
    orthant_matrix_free(many);
    orthant_matrix_free(few);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_solver),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_all_fixed),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
