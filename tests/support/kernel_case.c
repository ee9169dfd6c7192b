/* Arrays by their entries, and each test with each table. */
#include "kernel_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "data/matrix.h"

#include <cmocka.h>

#define MOST_TABLES 6
#define MOST_TESTS 32

static uint64_t draws;

double draw(void)
{
    return random_uniform(7, RANDOM_TEST, draws++, 0);
}

array make(const table *t, int64_t rows, int64_t columns, int64_t stride, double shift)
{
    array a = {NULL, rows, columns, stride ? stride : matrix_padded(t->precision, columns)};
    const size_t bytes = (size_t)(rows * a.stride) * t->ops->size;
    a.data = aligned_alloc(64, (bytes + 127) / 64 * 64);
    memset(a.data, 0, (bytes + 127) / 64 * 64);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            set(t, a, i, j, draw() + shift);
    return a;
}

void near(const table *t, double found, double expected, double scale)
{
    const double tolerance = t->precision == ORTHANT_SINGLE ? 2e-5 : 2e-13;
    if (!(fabs(found - expected) <= tolerance * (fabs(scale) + fabs(expected))))
        fail_msg("%s %s: found %.17g, expected %.17g", t->ops->name,
                 t->precision ? "double" : "single", found, expected);
}

void tails_are_zero(const table *t, array a)
{
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t j = a.columns; j < a.stride; j++)
            assert_true(get(t, a, i, j) == 0);
}

sparse_case make_sparse(const table *t, int64_t rows, int64_t columns)
{
    sparse_case s = {0};
    int64_t *start = calloc((size_t)rows + 1, sizeof *start),
            *column = calloc((size_t)(rows * columns), sizeof *column);
    double *stored = calloc((size_t)(rows * columns), sizeof *stored);
    s.dense = make(t, rows, columns, columns, 0);
    for (int64_t i = 0; i < rows; i++) {
        start[i + 1] = start[i];
        for (int64_t j = 0; j < columns; j++) {
            set(t, s.dense, i, j, draw() < 0.2 ? draw() : 0);
            if (get(t, s.dense, i, j) != 0) {
                column[start[i + 1]] = j;
                stored[start[i + 1]++] = get(t, s.dense, i, j);
            }
        }
    }
    assert_int_equal(orthant_context_create(&s.ctx), ORTHANT_OK);
    orthant_context_set_precision(s.ctx, t->precision);
    assert_int_equal(
        orthant_matrix_create_csr(s.ctx, rows, columns, start, column, stored, &s.matrix),
        ORTHANT_OK);
    s.view = matrix_csr(s.matrix);
    free(start);
    free(column);
    free(stored);
    return s;
}

void free_sparse(sparse_case *s)
{
    orthant_matrix_free(s->matrix);
    orthant_context_free(s->ctx);
    free(s->dense.data);
}

int run_kernel_tests(const char *group, const kernel_test *functions, int count)
{
    static table tables[MOST_TABLES];
    static struct CMUnitTest tests[MOST_TABLES * MOST_TESTS];
    static char names[MOST_TABLES * MOST_TESTS][64];
    int table_count = 0, made = 0;
    if (count > MOST_TESTS)
        return 1;
    tables[table_count++] = (table){&baseline_single_table, ORTHANT_SINGLE};
    tables[table_count++] = (table){&baseline_double_table, ORTHANT_DOUBLE};
#ifdef ORTHANT_HAVE_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        tables[table_count++] = (table){&avx2_single_table, ORTHANT_SINGLE};
        tables[table_count++] = (table){&avx2_double_table, ORTHANT_DOUBLE};
    }
    if (!strcmp(kernel_table(ORTHANT_SINGLE)->name, "avx512")) {
        tables[table_count++] = (table){&avx512_single_table, ORTHANT_SINGLE};
        tables[table_count++] = (table){&avx512_double_table, ORTHANT_DOUBLE};
    }
#endif
    for (int t = 0; t < table_count; t++)
        for (int f = 0; f < count; f++, made++) {
            snprintf(names[made], sizeof names[made], "%s %s %s", tables[t].ops->name,
                     tables[t].precision == ORTHANT_SINGLE ? "single" : "double",
                     functions[f].name);
            tests[made] =
                (struct CMUnitTest){names[made], functions[f].function, NULL, NULL, &tables[t]};
        }
    return _cmocka_run_group_tests(group, tests, (size_t)made, NULL, NULL);
}
