/* Panels of features against the whole transpose, for panels of any size and any number of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/matrix.h"
#include "solver/feature_panels.h"

#include <cmocka.h>

#include "problem.h"

enum { STRIDE = 16, BLOCK = 16 };

/* The entries of a feature, and that those with many samples come first. */
static void check_panel(const feature_panels *p, sparse_rows rows, int64_t index,
                        const orthant_matrix *features)
{
    const int64_t size = (int64_t)precision_size(features->precision);
    assert_int_equal(rows.first, p->first[index]);
    for (int64_t f = p->first[index]; f < p->first[index + 1]; f++) {
        const int64_t first = features->row_start[f], count = features->row_start[f + 1] - first,
                      at = rows.start[f - rows.first];
        assert_int_equal(sparse_rows_entries(&rows, f), count);
        if (count == 0)
            continue;
        assert_memory_equal(rows.column + at, features->column + first,
                            (size_t)count * sizeof *rows.column);
        assert_memory_equal(rows.values + at * size, (const char *)features->values + first * size,
                            (size_t)(count * size));
    }
    for (int64_t f = p->first[index] + 1; f < p->first[index + 1]; f++)
        assert_true(sparse_rows_entries(&rows, p->order[f]) <=
                    sparse_rows_entries(&rows, p->order[f - 1]));
}

static void check_panels(test_problem *x, int threads, int64_t bytes)
{
    strips s;
    feature_panels p;
    orthant_matrix *features = NULL;
    assert_int_equal(orthant_context_set_threads(x->ctx, threads), ORTHANT_OK);
    assert_int_equal(strips_setup(&s, x->ctx, x->X, STRIDE, BLOCK), ORTHANT_OK);
    s.threads = threads;
    assert_int_equal(matrix_transpose(x->ctx, x->X, &features), ORTHANT_OK);
    assert_int_equal(feature_panels_setup(&p, &s, x->X, bytes), ORTHANT_OK);
    assert_int_equal(p.first[p.count], x->X->columns);
    if (bytes >= matrix_bytes(x->X))
        assert_int_equal(p.count, 1);
    else
        assert_true(p.count > 1);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < p.count; i++)
            check_panel(&p, feature_panels_at(&p, &s, i), i, features);
    feature_panels_free(x->ctx, &p);
    orthant_matrix_free(features);
    strips_release(&s);
}

static void test_panels(void **state)
{
    static const int threads[] = {1, 2, 3, 16};
    static const int64_t bytes[] = {1, 300, 5000, INT64_MAX};
    (void)state;
    for (int d = 0; d < 2; d++)
        for (int64_t samples = 3; samples < 200; samples += 98) {
            test_problem x;
            problem_make(&x, (problem_shape){samples, 300, d ? ORTHANT_DOUBLE : ORTHANT_SINGLE,
                                             true, (uint64_t)samples, 0.1});
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
                for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
                    if (bytes[b] < matrix_bytes(x.X) / 2 || bytes[b] == INT64_MAX)
                        check_panels(&x, threads[t], bytes[b]);
            problem_free(&x);
        }
}

/* Without an entry there is nothing to list. */
static void test_empty(void **state)
{
    static const int64_t start[] = {0, 0, 0, 0};
    int64_t column = 0;
    double value = 0;
    test_problem x = {0};
    (void)state;
    assert_int_equal(orthant_context_create(&x.ctx), ORTHANT_OK);
    assert_int_equal(orthant_matrix_create_csr(x.ctx, 3, 5, start, &column, &value, &x.X),
                     ORTHANT_OK);
    check_panels(&x, 2, INT64_MAX);
    orthant_matrix_free(x.X);
    orthant_context_free(x.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_panels), cmocka_unit_test(test_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
