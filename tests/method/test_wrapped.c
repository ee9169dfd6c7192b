/* Fits of borrowed arrays: the factors of every method have the bits that a matrix of the library's
 * own gives, in the array's precision, from memory that cannot be written to or read past its end.
 */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "data/matrix.h"
#include "guarded.h"
#include "problem.h"

#define SAMPLES 61
#define FEATURES 37
#define TAIL 5 /* entries between two rows, which no method would take */

static orthant_precision other(orthant_precision precision)
{
    return precision == ORTHANT_DOUBLE ? ORTHANT_SINGLE : ORTHANT_DOUBLE;
}

/* The rows of a dense matrix, TAIL apart, without a tail after the last. */
static guarded apart(const orthant_matrix *X)
{
    const size_t size = precision_size(X->precision);
    const int64_t stride = X->columns + TAIL, count = (X->rows - 1) * stride + X->columns;
    char *values = calloc((size_t)count, size);
    for (int64_t e = 0; e < count; e++)
        if (X->precision == ORTHANT_DOUBLE)
            ((double *)(void *)values)[e] = e % 2 ? NAN : -1e9;
        else
            ((float *)(void *)values)[e] = e % 2 ? NAN : -1e9f;
    for (int64_t i = 0; i < X->rows; i++)
        memcpy(values + (size_t)(i * stride) * size,
               (char *)X->values + (size_t)(i * X->stride) * size, (size_t)X->columns * size);
    const guarded memory = guarded_copy(values, (size_t)count * size);
    free(values);
    return memory;
}

typedef struct setting {
    const char *method, *parameter, *value;
} setting;

/* Fits `given` in a context of the other precision and compares with the problem's own fit. */
static void same_as_own(const test_problem *p, const setting *chosen, const orthant_array *given)
{
    const char *method = chosen->method;
    orthant_matrix *X = NULL;
    orthant_model *model = problem_model(p, method, 4, "15");
    if (chosen->parameter)
        expect_ok(p->ctx, orthant_model_set(model, chosen->parameter, chosen->value));
    orthant_result *own = problem_fit(p, model), *result = NULL;
    const orthant_precision precision = orthant_context_precision(p->ctx);
    if (!given->sparse && given->row_stride == 1) /* whatever its size */
        expect_ok(p->ctx, matrix_of_columns(p->ctx, given, &X));
    else
        expect_ok(p->ctx, orthant_matrix_wrap(p->ctx, given, NULL, NULL, &X));
    assert_true(orthant_matrix_is_borrowed(X));
    orthant_context_set_precision(p->ctx, other(precision));
    expect_ok(p->ctx, orthant_fit(model, X, &result));
    orthant_context_set_precision(p->ctx, precision);
    if (!factors_identical(own, result))
        fail_msg("%s: the factors of the borrowed array differ", method);
    assert_int_equal(
        orthant_matrix_precision(orthant_result_factor(result, orthant_result_factor_name(own, 0))),
        given->precision);
    orthant_result_free(own);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X);
}

static void fit_dense(const setting *chosen, orthant_precision precision)
{
    test_problem p;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, precision, false, 3, 0.7});
    guarded memory = apart(p.X);
    const orthant_array given = {.size = sizeof given,
                                 .precision = precision,
                                 .rows = SAMPLES,
                                 .columns = FEATURES,
                                 .values = memory.data,
                                 .row_stride = FEATURES + TAIL,
                                 .column_stride = 1};
    same_as_own(&p, chosen, &given);
    guarded_free(&memory);
    problem_free(&p);
}

/* The entries column by column, TAIL apart. */
static void fit_by_columns(const setting *chosen, orthant_precision precision)
{
    test_problem p;
    orthant_matrix *transposed = NULL;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, precision, false, 3, 0.7});
    expect_ok(p.ctx, matrix_transpose(p.ctx, p.X, &transposed));
    guarded memory = apart(transposed);
    const orthant_array given = {.size = sizeof given,
                                 .precision = precision,
                                 .rows = SAMPLES,
                                 .columns = FEATURES,
                                 .values = memory.data,
                                 .row_stride = 1,
                                 .column_stride = SAMPLES + TAIL};
    same_as_own(&p, chosen, &given);
    guarded_free(&memory);
    orthant_matrix_free(transposed);
    problem_free(&p);
}

static void fit_csr(const setting *chosen, orthant_precision precision)
{
    test_problem p;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, precision, true, 5, 0.4});
    const int64_t stored = p.X->row_start[SAMPLES];
    guarded values = guarded_copy(p.X->values, (size_t)stored * precision_size(precision)),
            columns = guarded_copy(p.X->column, (size_t)stored * sizeof *p.X->column),
            starts = guarded_copy(p.X->row_start, (SAMPLES + 1) * sizeof *p.X->row_start);
    const orthant_array given = {.size = sizeof given,
                                 .precision = precision,
                                 .sparse = true,
                                 .rows = SAMPLES,
                                 .columns = FEATURES,
                                 .values = values.data,
                                 .stored = stored,
                                 .row_start = starts.data,
                                 .column = columns.data,
                                 .row_start_bits = 64,
                                 .column_bits = 32};
    same_as_own(&p, chosen, &given);
    guarded_free(&values);
    guarded_free(&columns);
    guarded_free(&starts);
    problem_free(&p);
}

static void fit_all_ways(const setting *chosen)
{
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        fit_dense(chosen, (orthant_precision)precision);
        fit_by_columns(chosen, (orthant_precision)precision);
        fit_csr(chosen, (orthant_precision)precision);
    }
}

static void test_every_method(void **state)
{
    orthant_method_info info = {.size = sizeof info};
    (void)state;
    for (int i = 0; !orthant_method_info_at(i, &info); i++)
        fit_all_ways(&(setting){info.name, NULL, NULL});
}

static void test_solvers_and_starts(void **state)
{
    static const setting settings[] = {{"nmf", "solver", "mu"},      {"nmf", "solver", "emu"},
                                       {"nmf-kl", "solver", "mu"},   {"nmf", "init", "nndsvd"},
                                       {"nmf", "init", "kmeans"},    {"gnmf", "weights", "heat"},
                                       {"gnmf", "weights", "cosine"}};
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        fit_all_ways(&settings[i]);
}

/* Neighbours, k-means and codes of new samples read the samples by other ways than fits. */
static void test_beside_the_fit(void **state)
{
    (void)state;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        test_problem p;
        problem_make(&p, (problem_shape){900, FEATURES, (orthant_precision)precision, false, 9, 1});
        guarded memory = apart(p.X);
        orthant_array given = {.size = sizeof given,
                               .precision = (orthant_precision)precision,
                               .rows = 900,
                               .columns = FEATURES,
                               .values = memory.data,
                               .row_stride = FEATURES + TAIL,
                               .column_stride = 1},
                      one = {.size = sizeof one}, two = {.size = sizeof two};
        orthant_matrix *X = NULL, *basis = NULL, *codes[2] = {NULL};
        orthant_graph *graph[2] = {NULL};
        orthant_labels *labels[2] = {NULL};
        expect_ok(p.ctx, orthant_matrix_wrap(p.ctx, &given, NULL, NULL, &X));
        orthant_context_set_precision(p.ctx, other((orthant_precision)precision));
        given.rows = FEATURES;
        given.columns = 4;
        expect_ok(p.ctx, orthant_matrix_wrap(p.ctx, &given, NULL, NULL, &basis));
        for (int i = 0; i < 2; i++) {
            const orthant_matrix *samples = i ? X : p.X;
            expect_ok(p.ctx,
                      orthant_graph_neighbours(p.ctx, samples, 4, ORTHANT_EDGE_HEAT, 0, &graph[i]));
            expect_ok(p.ctx, orthant_labels_kmeans(p.ctx, samples, 6, 2, 1, &labels[i], NULL));
            expect_ok(p.ctx,
                      orthant_transform(p.ctx, basis, "frobenius", samples, 50, 1e-8, &codes[i]));
        }
        expect_ok(p.ctx, orthant_graph_view(graph[0], &one));
        expect_ok(p.ctx, orthant_graph_view(graph[1], &two));
        assert_int_equal(one.precision, precision);
        assert_int_equal(one.stored, two.stored);
        assert_memory_equal(one.column, two.column, (size_t)one.stored * sizeof(int32_t));
        assert_memory_equal(one.values, two.values,
                            (size_t)one.stored * precision_size(one.precision));
        assert_memory_equal(orthant_labels_values(labels[0]), orthant_labels_values(labels[1]),
                            900 * sizeof(int64_t));
        assert_true(factor_difference(codes[0], codes[1]) == 0);
        for (int i = 0; i < 2; i++) {
            orthant_graph_free(graph[i]);
            orthant_labels_free(labels[i]);
            orthant_matrix_free(codes[i]);
        }
        orthant_matrix_free(basis);
        orthant_matrix_free(X);
        guarded_free(&memory);
        problem_free(&p);
    }
}

/* What a fit reads beside the data may have the other precision. */
static void test_inputs_of_the_other_precision(void **state)
{
    (void)state;
    for (int precision = ORTHANT_SINGLE; precision <= ORTHANT_DOUBLE; precision++) {
        test_problem p;
        orthant_graph *same = NULL, *different = NULL;
        orthant_matrix *copy = NULL, *K = NULL, *K_copy = NULL;
        problem_make(
            &p, (problem_shape){SAMPLES, FEATURES, (orthant_precision)precision, false, 7, 0.7});
        expect_ok(p.ctx, orthant_graph_neighbours(p.ctx, p.X, 3, ORTHANT_EDGE_BINARY, 0, &same));
        expect_ok(p.ctx, matrix_copy(p.ctx, p.X, other((orthant_precision)precision), &copy));
        expect_ok(p.ctx,
                  orthant_graph_neighbours(p.ctx, copy, 3, ORTHANT_EDGE_BINARY, 0, &different));
        orthant_model *model = problem_model(&p, "gnmf", 4, "15");
        expect_ok(p.ctx, orthant_model_set_graph(model, same));
        orthant_result *one = problem_fit(&p, model);
        expect_ok(p.ctx, orthant_model_set_graph(model, different));
        orthant_result *two = problem_fit(&p, model);
        assert_true(factors_identical(one, two));
        orthant_result_free(two);
        orthant_model_free(model);

        expect_ok(p.ctx, orthant_similarity_gaussian(p.ctx, p.X, 0, 1, &K));
        expect_ok(p.ctx, matrix_copy(p.ctx, K, other((orthant_precision)precision), &K_copy));
        model = problem_model(&p, "snmf", 4, "15");
        expect_ok(p.ctx, orthant_model_set_similarity(model, K_copy));
        two = problem_fit(&p, model);
        assert_int_equal(orthant_matrix_precision(orthant_result_factor(two, "encoding")),
                         precision);
        orthant_result_free(one);
        orthant_result_free(two);
        orthant_model_free(model);
        orthant_graph_free(same);
        orthant_graph_free(different);
        orthant_matrix_free(copy);
        orthant_matrix_free(K);
        orthant_matrix_free(K_copy);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_solvers_and_starts),
        cmocka_unit_test(test_beside_the_fit),
        cmocka_unit_test(test_inputs_of_the_other_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
