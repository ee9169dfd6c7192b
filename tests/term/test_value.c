/* The value of every term under every loss: the engine's, from blocks and threads, is the sum over
 * single samples and the whole's part, and what plain loops give. A new term is held by the first
 * at once, and may add a plain loop to `references`. */
#include <math.h>

#include "fixture.h"

#include "term_case.h"

/* So many products that threads share them. */
static const term_shape large[] = {
    {150, 1700, 5, true, 0, ORTHANT_DOUBLE},
    {150, 1700, 7, false, 9, ORTHANT_SINGLE},
};

/* ------------------------------------------------------------------ plain loops */

static double plain_topographic(const term_setting *x)
{
    const orthant_matrix *S = x->encoding, *H = x->pooling;
    const int64_t units = H ? H->rows : S->columns;
    const double epsilon = parameter_number(&x->model->parameters, "epsilon");
    double total = 0;
    for (int64_t i = 0; i < S->rows; i++)
        for (int64_t l = 0; l < units; l++) {
            double pooled = epsilon;
            for (int64_t k = 0; k < S->columns; k++)
                pooled += (H ? term_at(H, l, k) : 1) * term_at(S, i, k) * term_at(S, i, k);
            total += sqrt(pooled);
        }
    return total;
}

static double plain_class(const term_setting *x)
{
    double total = 0;
    for (int64_t i = 0; i < x->encoding->rows; i += 2) /* the others have no label */
        for (int64_t k = 0; k < x->encoding->columns; k++)
            total += k == i / 2 % 4 ? 0 : term_at(x->encoding, i, k);
    return total;
}

static double plain_local(const term_setting *x)
{
    double total = 0;
    for (int64_t i = 0; i < x->encoding->rows; i++)
        for (int64_t k = 0; k < x->encoding->columns; k++)
            for (int64_t j = 0; j < x->basis->rows; j++) {
                const double away = term_at(x->basis, j, k) - term_at(x->p.X, i, j);
                total += term_at(x->encoding, i, k) * away * away;
            }
    return total;
}

static double plain_graph(const term_setting *x)
{
    const orthant_matrix *A = (x->edges ? x->edges : x->near)->adjacency, *S = x->encoding;
    double total = 0;
    for (int64_t i = 0; i < S->rows; i++)
        for (int64_t j = 0; j < i; j++)
            for (int64_t k = 0; k < S->columns; k++) {
                const double away = term_at(S, i, k) - term_at(S, j, k);
                total += term_at(A, i, j) * away * away;
            }
    return total;
}

static double sum_of(const orthant_matrix *a, bool squares)
{
    double total = 0;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = 0; k < a->columns; k++)
            total += squares ? term_at(a, i, k) * term_at(a, i, k) : term_at(a, i, k);
    return total;
}

static double plain_sparsity(const term_setting *x)
{
    return sum_of(x->encoding, false);
}

static double plain_sparsity_basis(const term_setting *x)
{
    return sum_of(x->basis, false);
}

static double plain_ridge(const term_setting *x)
{
    return sum_of(x->encoding, true);
}

static double plain_ridge_basis(const term_setting *x)
{
    return sum_of(x->basis, true);
}

static double steps_of(const orthant_matrix *a)
{
    double total = 0;
    for (int64_t i = 0; i + 1 < a->rows; i++)
        for (int64_t k = 0; k < a->columns; k++) {
            const double step = term_at(a, i + 1, k) - term_at(a, i, k);
            total += step * step;
        }
    return total;
}

static double plain_smooth(const term_setting *x)
{
    return steps_of(x->encoding);
}

static double plain_smooth_basis(const term_setting *x)
{
    return steps_of(x->basis);
}

/* Products of different columns. */
static double products_of(const orthant_matrix *a)
{
    double total = 0;
    for (int64_t k = 0; k < a->columns; k++)
        for (int64_t l = 0; l < a->columns; l++)
            for (int64_t i = 0; i < a->rows && k != l; i++)
                total += term_at(a, i, k) * term_at(a, i, l);
    return total;
}

static double plain_orthogonal(const term_setting *x)
{
    return products_of(x->encoding);
}

static double plain_orthogonal_basis(const term_setting *x)
{
    return products_of(x->basis);
}

/* log det(W'W / delta + I): the logarithms of the pivots of Gauss's elimination. */
static double plain_volume(const term_setting *x)
{
    enum { MOST = 32 };
    const orthant_matrix *W = x->basis;
    const int64_t rank = W->columns;
    const double delta = parameter_number(&x->model->parameters, "delta");
    double M[MOST][MOST] = {{0}}, total = 0;
    assert_true(rank <= MOST);
    for (int64_t a = 0; a < rank; a++) {
        M[a][a] = 1;
        for (int64_t b = 0; b < rank; b++)
            for (int64_t i = 0; i < W->rows; i++)
                M[a][b] += term_at(W, i, a) * term_at(W, i, b) / delta;
    }
    for (int64_t p = 0; p < rank; p++) {
        total += log(M[p][p]);
        for (int64_t a = p + 1; a < rank; a++)
            for (int64_t b = rank - 1; b >= p; b--)
                M[a][b] -= M[a][p] / M[p][p] * M[p][b];
    }
    return total;
}

/* The trace of the inverse, by Gauss-Jordan steps in place: the matrix is positive definite. */
static double plain_a_optimal(const term_setting *x)
{
    enum { MOST = 32 };
    const orthant_matrix *S = x->encoding;
    const int64_t rank = S->columns;
    double M[MOST][MOST] = {{0}}, total = 0;
    assert_true(rank <= MOST);
    for (int64_t a = 0; a < rank; a++) {
        M[a][a] = parameter_number(&x->model->parameters, "gamma");
        for (int64_t b = 0; b < rank; b++)
            for (int64_t i = 0; i < S->rows; i++)
                M[a][b] += term_at(S, i, a) * term_at(S, i, b);
    }
    for (int64_t p = 0; p < rank; p++) {
        const double pivot = 1 / M[p][p];
        M[p][p] = 1;
        for (int64_t b = 0; b < rank; b++)
            M[p][b] *= pivot;
        for (int64_t a = 0; a < rank; a++) {
            const double factor = M[a][p];
            if (a == p)
                continue;
            M[a][p] = 0;
            for (int64_t b = 0; b < rank; b++)
                M[a][b] -= factor * M[p][b];
        }
    }
    for (int64_t a = 0; a < rank; a++)
        total += M[a][a];
    return total;
}

static const struct {
    const char *name;
    double (*value)(const term_setting *x);
} references[] = {
    {"topographic", plain_topographic},
    {"class", plain_class},
    {"local", plain_local},
    {"graph", plain_graph},
    {"sparsity", plain_sparsity},
    {"a-optimal", plain_a_optimal},
    {"sparsity-basis", plain_sparsity_basis},
    {"ridge", plain_ridge},
    {"ridge-basis", plain_ridge_basis},
    {"smooth", plain_smooth},
    {"smooth-basis", plain_smooth_basis},
    {"orthogonal", plain_orthogonal},
    {"orthogonal-basis", plain_orthogonal_basis},
    {"volume", plain_volume},
};

/* ------------------------------------------------------------------ the value */

/* Each sample in a block of its own. */
static double value_by_rows(const term_setting *x)
{
    const term_kind *kind = x->t.kind;
    double total = kind->whole_value ? kind->whole_value(&x->t, &x->s) : 0;
    for (int64_t i = 0; i < x->encoding->rows && kind->rows_value; i++)
        total += kind->rows_value(&x->t, &x->s, (block){i, 1, 0});
    return TERM_WEIGHT * total;
}

static void check_plain(const term_case *c, term_setting *x, double found)
{
    const double tolerance = c->shape.precision == ORTHANT_DOUBLE ? 1e-10 : 1e-4,
                 rows = value_by_rows(x);
    if (!(found > 0 && isfinite(found)))
        fail_case(c, "a value of %g", found);
    if (!(fabs(found - rows) <= tolerance * found))
        fail_case(c, "%.17g by blocks, %.17g by rows", found, rows);
    for (int i = 0; i < COUNT(references); i++) {
        if (strcmp(references[i].name, c->kind->name))
            continue;
        const double plain = TERM_WEIGHT * references[i].value(x);
        if (!(fabs(found - plain) <= tolerance * plain))
            fail_case(c, "a value of %.17g, by plain loops %.17g", found, plain);
    }
    if (c->kind->exact_value) {
        const double exact = TERM_WEIGHT * c->kind->exact_value(&x->t, &x->s, NAN);
        if (!(fabs(found - exact) <= tolerance * exact))
            fail_case(c, "a value of %.17g, %.17g in double", found, exact);
    }
}

static double value_by_one(const term_case *c)
{
    term_setting x;
    term_prepare(&x, c, 1);
    const double found = term_value_now(&x);
    check_plain(c, &x, found);
    term_clear(&x);
    return found;
}

static void check_value(const term_case *c)
{
    (void)value_by_one(c);
}

static void test_value(void **state)
{
    (void)state;
    term_each_case(term_shapes, TERM_SHAPES, check_value);
}

static void check_threads(const term_case *c)
{
    term_setting x;
    const double alone = value_by_one(c);
    term_prepare(&x, c, 3);
    assert_int_equal(x.s.plan.strips.threads, 3);
    const double shared = term_value_now(&x);
    term_clear(&x);
    if (memcmp(&alone, &shared, sizeof alone))
        fail_case(c, "%.17g by one thread, %.17g by three", alone, shared);
}

static void test_threads(void **state)
{
    (void)state;
    term_each_case(large, COUNT(large), check_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
