/* Coordinate descent goes on beyond its minimiser as far as the objective allows: the step's length
 * against a bisection on the objective itself, by plain loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "engine/sweep.h"
#include "loss/losses.h"
#include "solver/solvers.h"
#include "term/terms.h"

#include <cmocka.h>

#include "problem.h"

enum { ROWS = 1, RANK = 5 };
#define SHARE 0.7 /* of the way back up, where the data are text or the model has terms */

typedef struct setting {
    test_problem p;
    orthant_matrix *basis, *encoding, *rows, *minimiser, *numerator, *curvature, *gram;
    term t;
    problem asked;
    sweep s;
} setting;

static void fill(orthant_matrix *matrix, uint64_t seed, double least, double scale)
{
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t j = 0; j < matrix->columns; j++)
            matrix_set_value(
                matrix, i * matrix->stride + j,
                least + scale * random_uniform(seed, RANDOM_TEST, (uint64_t)i, (uint64_t)j));
}

/* Rows to bring down, numerators that leave some of them at zero, and the Gram matrix of a factor
 * whose columns are nearly alike, so that passes end before the minimum. */
static void prepare(setting *x, uint64_t seed)
{
    memset(x, 0, sizeof *x);
    problem_make(&x->p, (problem_shape){ROWS, 12, ORTHANT_DOUBLE, false, 3, 0.6});
    orthant_matrix **made[] = {&x->basis,     &x->encoding,  &x->rows, &x->minimiser,
                               &x->numerator, &x->curvature, &x->gram};
    for (int i = 0; i < 7; i++)
        assert_int_equal(matrix_new_factor(x->p.ctx, ORTHANT_DOUBLE,
                                           i == 0   ? 12
                                           : i == 6 ? RANK
                                                    : ROWS,
                                           RANK, made[i]),
                         ORTHANT_OK);
    fill(x->basis, seed, 1, 0.3);
    fill(x->rows, seed + 100, 0, 2);
    fill(x->numerator, seed + 200, 20, 30);
    fill(x->curvature, seed + 300, 0, 0.5);
    /* a term, so that there is a curvature */
    x->t = (term){.kind = &term_sparsity, .ctx = x->p.ctx, .weight = 1, .gain = 1};
    x->asked = (problem){.ctx = x->p.ctx,
                         .samples = x->p.X,
                         .rank = RANK,
                         .loss = &loss_frobenius,
                         .solver = &solver_hals,
                         .terms = &x->t,
                         .term_count = 1};
    assert_int_equal(sweep_setup(&x->s, &x->asked, x->basis, x->encoding), ORTHANT_OK);
    x->s.ops->product_transposed(matrix_array(x->gram), matrix_array(x->basis),
                                 matrix_array(x->basis), false);
    x->s.ops->copy(matrix_array(x->minimiser), matrix_array(x->rows));
}

static void clear(setting *x)
{
    orthant_matrix *made[] = {x->basis,     x->encoding,  x->rows, x->minimiser,
                              x->numerator, x->curvature, x->gram};
    sweep_release(&x->s);
    for (int i = 0; i < 7; i++)
        orthant_matrix_free(made[i]);
    problem_free(&x->p);
}

static double at(const orthant_matrix *matrix, int64_t i, int64_t j)
{
    return matrix_value(matrix, i * matrix->stride + j);
}

/* sum over the rows of a G a' + u a^2 - 2 n a, for a = minimiser + t way. */
static double objective(const setting *x, const double *way, double t)
{
    double total = 0;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < RANK; j++) {
            const double a = at(x->minimiser, i, j) + t * way[i * RANK + j];
            total += at(x->curvature, i, j) * a * a - 2 * at(x->numerator, i, j) * a;
            for (int64_t l = 0; l < RANK; l++)
                total += a * at(x->gram, j, l) * (at(x->minimiser, i, l) + t * way[i * RANK + l]);
        }
    return total;
}

/* The largest t up to 1 at which the objective is not above `most`. */
static double largest_step(const setting *x, const double *way, double most)
{
    double least = 0, beyond = 1;
    if (objective(x, way, 1) <= most)
        return 1;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (least + beyond);
        if (objective(x, way, middle) <= most)
            least = middle;
        else
            beyond = middle;
    }
    return least;
}

static void test_step_beyond_the_minimiser(void **state)
{
    int between = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        setting x;
        double way[ROWS * RANK], back[ROWS * RANK];
        prepare(&x, seed);
        x.s.ops->descend(matrix_array(x.minimiser), matrix_array(x.numerator),
                         matrix_array(x.curvature), matrix_array(x.gram), 8, 1e-2,
                         sweep_kernel_scratch(&x.s, 0));
        for (int64_t e = 0; e < ROWS * RANK; e++) {
            const double end = at(x.minimiser, e / RANK, e % RANK),
                         start = at(x.rows, e / RANK, e % RANK);
            way[e] = fmax(2 * end - start, 0) - end;
            back[e] = start - end;
        }
        const double t = largest_step(&x, way, objective(&x, back, 1));
        between += t > 0.05 && t < 0.95;
        solver_hals.rows(&x.s, &(sweep_step){&solver_hals, 5, 1, 0},
                         &(row_update){.b = {0, ROWS, 0},
                                       .from = matrix_array(x.rows),
                                       .to = matrix_array(x.rows),
                                       .numerator = matrix_array(x.numerator),
                                       .denominator = matrix_array(x.curvature),
                                       .gram = matrix_array(x.gram)});
        for (int64_t e = 0; e < ROWS * RANK; e++) {
            const double expected = at(x.minimiser, e / RANK, e % RANK) + SHARE * t * way[e],
                         found = at(x.rows, e / RANK, e % RANK);
            if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
                fail_msg("seed %d, entry %d: %g, expected %g (t = %g)", (int)seed, (int)e, found,
                         expected, t);
        }
        clear(&x);
    }
    assert_true(between >= 5); /* the root was asked for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_step_beyond_the_minimiser)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
