/* Tests of kernels: every table of this machine, arrays of either precision by their entries. */
#ifndef SUPPORT_KERNEL_CASE_H
#define SUPPORT_KERNEL_CASE_H

#include "kernel/instances.h"
#include "orthant/matrix.h"

typedef struct table {
    const kernels *ops;
    orthant_precision precision;
} table;

double draw(void); /* uniform on (0, 1) */

/* Here, because the plain loops of the tests do little else. */
static inline double get(const table *t, array a, int64_t i, int64_t j)
{
    const int64_t at = i * a.stride + j;
    return t->precision == ORTHANT_SINGLE ? (double)((float *)a.data)[at] : ((double *)a.data)[at];
}

static inline void set(const table *t, array a, int64_t i, int64_t j, double value)
{
    const int64_t at = i * a.stride + j;
    if (t->precision == ORTHANT_SINGLE)
        ((float *)a.data)[at] = (float)value;
    else
        ((double *)a.data)[at] = value;
}

/* Entries uniform on (shift, 1 + shift); `stride` 0 stands for a padded row. Free its data. */
array make(const table *t, int64_t rows, int64_t columns, int64_t stride, double shift);
/* Fails the test where they differ by more than rounding at that scale. */
void near(const table *t, double found, double expected, double scale);
void tails_are_zero(const table *t, array a);

/* A sparse matrix beside the same in dense form. */
typedef struct sparse_case {
    orthant_context *ctx;
    orthant_matrix *matrix;
    array dense;
    csr view;
} sparse_case;

sparse_case make_sparse(const table *t, int64_t rows, int64_t columns);
void free_sparse(sparse_case *s);

typedef struct kernel_test {
    const char *name;
    void (*function)(void **state); /* *state: the table */
} kernel_test;

/* Runs each test with each table: the exit status. */
int run_kernel_tests(const char *group, const kernel_test *tests, int count);

#endif
