/* The operations that everything rests on, and the only code that knows the hardware. A term or a model reaches arrays through these alone, so a
 * device that implements them runs every term and model.
 *
 * One table a precision and an instruction set, all compiled from kernels.inc; kernel_table() picks at run time. Every operation is serial: the
 * caller cuts the work into tasks (core/parallel.h). What a task computes depends on its own bounds alone.
 *
 * Factors (n x k, m x k) have rows of `stride` elements, a padded k: operations work on whole padded rows, whose tails are zero and stay so. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "core/context.h"

/* A view of a dense array: rows of `stride` elements, of which `columns` count. */
typedef struct array {
    void *data;
    int64_t rows, columns, stride;
} array;

/* A view of a CSR matrix. */
typedef struct csr {
    const int64_t *row_start;
    const int32_t *column;
    const void *values;
    int64_t rows, columns;
} csr;

/* Exponents that an update may take: its ratio to the power 1, 1/2, 1/4, ... */
typedef struct kernels {
    const char *name; /* "avx512", ... */
    size_t size;      /* of an element */

    /* products; `c` has a padded stride, and so has `b` */
    void (*product)(array c, array a, array b, bool add);              /* C (+)= A B */
    void (*product_transposed)(array c, array a, array b, bool add);   /* C (+)= A' B, A and B with the same rows */
    void (*sparse_product)(array c, csr a, int64_t first_row, array b, bool add); /* rows first_row.. of A, as many as C has */
    /* C += A' B over rows first_row .. first_row + b.rows of A, for columns of A in [first_column, end_column) only; C has all columns of A as rows */
    void (*sparse_product_transposed)(array c, csr a, int64_t first_row, array b, int64_t first_column, int64_t end_column);

    /* Kullback-Leibler: R = X ./ (S W'), never formed as a whole. `scratch` has kernels_scratch() bytes. */
    void (*ratio_product)(array c, array x, array s, array w, void *scratch);                 /* C = R W */
    /* C (+)= R' S for the features of the view x, w, c; returns sum x log(y) over the view */
    double (*ratio_product_transposed)(array c, array x, array s, array w, bool add, void *scratch);
    void (*sparse_ratio_product)(array c, csr x, int64_t first_row, array s, array w);
    double (*sparse_ratio_product_transposed)(array c, csr x, int64_t first_row, array s, array w, int64_t first_column, int64_t end_column);
    double (*entropy)(array x);              /* sum x log x, 0 log 0 = 0 */

    /* sums of squares of X - S W', formed a piece at a time */
    double (*residual)(array x, array s, array w, void *scratch);
    double (*sparse_residual)(csr x, int64_t first_row, array s, array w); /* sum over stored entries of (x - y)^2 - y^2 */

    /* element by element, over whole padded rows */
    void (*update)(array to, array from, array numerator, array denominator, double exponent); /* to = from .* (num ./ den)^exponent */
    void (*copy)(array to, array from);
    void (*add)(array to, double scale, array from);                    /* to += scale from */
    void (*add_constant)(array to, double value);                       /* to += value */
    void (*add_rows)(array to, double scale, const double *rows);       /* to(i, :) += scale rows[i] */
    void (*add_columns)(array to, double scale, const double *columns); /* to(:, j) += scale columns[j], j < columns */
    void (*add_scaled_rows)(array to, double scale, const double *rows, array from);       /* to(i, :) += scale rows[i] from(i, :) */
    void (*add_scaled_columns)(array to, double scale, const double *columns, array from); /* to(:, j) += scale columns[j] from(:, j) */
    void (*add_product)(array to, double scale, array a, array b);      /* to += scale a .* b */
    void (*add_outside)(array to, double scale, const int64_t *block, int64_t width); /* to(i, j) += scale where block[i] >= 0 and j is not in its columns */
    void (*square)(array to, array from);
    void (*inverse_root)(array to, double epsilon);                     /* to = 1 / sqrt(epsilon + to) */
    void (*scale_columns)(array to, const double *columns);             /* to(:, j) *= columns[j] */
    void (*positive_part)(array to);                                    /* to = max(to, 0) */

    /* sums, in double */
    double (*dot)(array a, array b);
    double (*sum)(array a);
    double (*sum_outside)(array a, const int64_t *block, int64_t width); /* of the entries that add_outside reaches */
    double (*sum_roots)(array a, double epsilon);                       /* sum of sqrt(epsilon + a) over the columns that count */
    void (*row_sums)(array a, double *sums);
    void (*column_sums)(array a, double *sums);                         /* added to sums[columns] */
    void (*column_squares)(array a, double *sums);                      /* added to sums[columns] */
    double (*edge_energy)(csr graph, int64_t first_row, int64_t rows, array s); /* half the sum over the rows' edges of a_ij |s_i - s_j|^2 */
} kernels;

const kernels *kernel_table(orthant_precision precision);
/* Bytes that the ratio and residual operations want for blocks of at most `rows` rows and factors of stride `stride`. */
size_t kernel_scratch(orthant_precision precision, int64_t rows, int64_t stride);

static inline array array_rows(const kernels *k, array a, int64_t first, int64_t count)
{
    return (array){(char *)a.data + (size_t)(first * a.stride) * k->size, count, a.columns, a.stride};
}

static inline array array_columns(const kernels *k, array a, int64_t first, int64_t count)
{
    return (array){(char *)a.data + (size_t)first * k->size, a.rows, count, a.stride};
}

struct orthant_matrix;
array matrix_array(const struct orthant_matrix *matrix); /* of a dense matrix */
csr matrix_csr(const struct orthant_matrix *matrix);     /* of a sparse one */

#endif
