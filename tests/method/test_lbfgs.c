/* L-BFGS on functions whose minima are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "method/lbfgs.h"

#include "fixture.h"

/* Rosenbrock's valley in any even number of variables; its minimum is 0 at (1, ..., 1). */
static double valley(void *user, const double *x, double *gradient)
{
    const int64_t size = *(const int64_t *)user;
    double value = 0;
    for (int64_t i = 0; i < size; i += 2) {
        const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        value += a * a + 100 * b * b;
        gradient[i] = -2 * a - 400 * x[i] * b;
        gradient[i + 1] = 200 * b;
    }
    return value;
}

static void test_valley(void **state)
{
    for (int64_t size = 2; size <= 200; size *= 10) {
        lbfgs l;
        expect_ok(*state, lbfgs_setup(&l, *state, size, valley, &size));
        for (int64_t i = 0; i < size; i++)
            l.x[i] = i % 2 ? 1 : -1.2;
        lbfgs_begin(&l);
        int steps = 0;
        while (!l.stuck && l.value > 1e-20 && steps < 200) {
            const double before = l.value;
            lbfgs_step(&l);
            steps++;
            assert_true(l.value <= before);
        }
        for (int64_t i = 0; i < size; i++)
            assert_true(fabs(l.x[i] - 1) <= 1e-8);
        assert_true(steps < 100 && l.evaluations < 150);
        lbfgs_release(&l);
    }
}

/* Axes whose curvatures differ a thousand times. */
static double bowl(void *user, const double *x, double *gradient)
{
    double value = 0;
    (void)user;
    for (int i = 0; i < 13; i++) {
        const double curvature = pow(10, i / 4.0);
        value += 0.5 * curvature * (x[i] - i) * (x[i] - i);
        gradient[i] = curvature * (x[i] - i);
    }
    return value;
}

static void test_bowl_ends_stuck_at_its_bottom(void **state)
{
    lbfgs l;
    expect_ok(*state, lbfgs_setup(&l, *state, 13, bowl, NULL));
    lbfgs_begin(&l);
    for (int i = 0; i < 300 && !l.stuck; i++)
        lbfgs_step(&l);
    assert_true(l.stuck && l.value <= 1e-18);
    for (int i = 0; i < 13; i++)
        assert_true(fabs(l.x[i] - i) <= 1e-7);
    const int64_t evaluations = l.evaluations;
    lbfgs_step(&l); /* nothing any more */
    assert_true(l.evaluations == evaluations);
    lbfgs_release(&l);
}

/* -H gradient with the inverse Hessian H as BFGS builds it from the kept steps, oldest first:
 * H <- (I - s y' / s'y) H (I - y s' / s'y) + s s' / s'y. */
#define VARIABLES 13
static void expected_direction(const lbfgs *l, double *direction)
{
    static double H[VARIABLES][VARIABLES], left[VARIABLES][VARIABLES];
    const int last = (l->next - 1 + LBFGS_MEMORY) % LBFGS_MEMORY;
    double squares = 0;
    for (int i = 0; i < VARIABLES; i++)
        squares += l->changes[last][i] * l->changes[last][i];
    for (int i = 0; i < VARIABLES; i++)
        for (int j = 0; j < VARIABLES; j++)
            H[i][j] = i == j ? l->curvature[last] / squares : 0;
    for (int back = l->kept; back >= 1; back--) {
        const int at = (l->next - back + LBFGS_MEMORY) % LBFGS_MEMORY;
        const double *s = l->steps[at], *y = l->changes[at], rho = 1 / l->curvature[at];
        for (int i = 0; i < VARIABLES; i++)
            for (int j = 0; j < VARIABLES; j++) {
                left[i][j] = H[i][j];
                for (int q = 0; q < VARIABLES; q++)
                    left[i][j] -= rho * s[i] * y[q] * H[q][j];
            }
        for (int i = 0; i < VARIABLES; i++)
            for (int j = 0; j < VARIABLES; j++) {
                H[i][j] = left[i][j] + rho * s[i] * s[j];
                for (int q = 0; q < VARIABLES; q++)
                    H[i][j] -= rho * left[i][q] * y[q] * s[j];
            }
    }
    for (int i = 0; i < VARIABLES; i++) {
        direction[i] = 0;
        for (int j = 0; j < VARIABLES; j++)
            direction[i] -= H[i][j] * l->gradient[j];
    }
}

/* Every direction of the first steps, while steps are gathered and after the oldest are dropped. */
static void test_directions(void **state)
{
    lbfgs l;
    int compared = 0;
    expect_ok(*state, lbfgs_setup(&l, *state, VARIABLES, bowl, NULL));
    lbfgs_begin(&l);
    for (int step = 0; step < 16; step++) {
        double expected[VARIABLES], length = 0;
        const bool known = l.kept > 0;
        if (known)
            expected_direction(&l, expected);
        lbfgs_step(&l);
        for (int i = 0; i < VARIABLES && known; i++)
            length = fmax(length, fabs(expected[i]));
        for (int i = 0; i < VARIABLES && known; i++)
            assert_true(fabs(l.direction[i] - expected[i]) <= 1e-6 * length);
        compared += known;
    }
    assert_true(compared >= LBFGS_MEMORY + 3);
    lbfgs_release(&l);
}

/* A function that is infinite outside (-1, 1), and one that falls for ever. */
static double wall(void *user, const double *x, double *gradient)
{
    (void)user;
    *gradient = 1 / (1 - *x) - 1 / (1 + *x) + 3;
    return fabs(*x) < 1 ? 3 * *x - log(1 - *x * *x) : INFINITY;
}

static double slope(void *user, const double *x, double *gradient)
{
    (void)user;
    *gradient = -1;
    return -*x;
}

static void test_walls_and_slopes(void **state)
{
    lbfgs l;
    expect_ok(*state, lbfgs_setup(&l, *state, 1, slope, NULL));
    lbfgs_begin(&l);
    for (int i = 0; i < 5; i++) {
        const double before = l.value;
        lbfgs_step(&l);
        assert_true(isfinite(l.value) && l.value < before);
    }
    lbfgs_release(&l);
    expect_ok(*state, lbfgs_setup(&l, *state, 1, wall, NULL));
    lbfgs_begin(&l);
    for (int i = 0; i < 30; i++)
        lbfgs_step(&l);
    assert_true(isfinite(l.value) && l.value < 0 && fabs(l.x[0]) < 1);
    lbfgs_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_valley),
        fixture_test(test_bowl_ends_stuck_at_its_bottom),
        fixture_test(test_directions),
        fixture_test(test_walls_and_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
