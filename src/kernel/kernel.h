/* The operations on arrays that everything rests on, and the only code that knows the CPU.
 *
 * There is one table of operations (`ops`) per precision and instruction set, all compiled from
 * kernels.inc; kernel_table() picks one at run time. Every operation is serial: the caller cuts the
 * work into tasks (core/parallel.h). What a task computes depends on its own bounds alone.
 *
 * Factors (n x k, m x k) have rows of `stride` elements, a padded k: operations work on whole
 * padded rows, whose tails are zero and stay so. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <string.h>

#include "core/context.h"

/* A view of a dense array: rows of `stride` elements, of which `columns` count. */
typedef struct array {
    void *data;
    int64_t rows, columns, stride;
} array;

/* A view of a CSR matrix. Without values all stored entries are 1: sparse_product and edge_energy
 * take that. */
typedef struct csr {
    const int64_t *row_start;
    const int32_t *column;
    const void *values;
    int64_t rows, columns;
} csr;

/* Columns [first, end) of a CSR matrix, and of each row how many entries lie before the first and
 * before the end; NULL: they are searched for. */
typedef struct csr_range {
    int64_t first, end;
    const uint16_t *before, *before_end;
} csr_range;

/* Entries that a tile at a time is taken of: a dense array, or CSR data from a row and a column on.
 */
typedef struct entry_data {
    array dense; /* no data: CSR */
    csr stored;
    int64_t first_row, first_column;
    /* Weights c of the entries, by which p, q and the value are multiplied. What is NULL or false
     * has no part in them. */
    const struct entry_data *mask; /* from the same row and column on */
    const uint8_t *known; /* c = 1 where the bit is set, in place of a mask: from the same row and
                             column on, the first column the lowest bit of a byte */
    int64_t known_stride; /* bytes from one row to the next: whole words behind the last column */
    const double *row_weights, *column_weights; /* the same */
    bool missing_zeros;                         /* c = 0 for what CSR data do not store */
} entry_data;

/* What an entrywise loss makes of a tile of entries x and what fits them, y: p(x, y) in the place
 * of y, q(x, y) in `q` unless that has no data; and the loss itself, summed over the tile, with
 * weights c unless that has no data. The parameter is the loss's own. Rows of y, q and c have room
 * for KERNEL_FEATURES entries. In the precision of the table that it is given to. */
typedef struct entry_rule {
    void (*weights)(double parameter, array x, array y, array q);
    double (*value)(double parameter, array x, array y, array c);
    double parameter;
    const struct entry_weights *of_entries; /* data/strip.h; NULL: 1 */
    bool squares; /* p = x, q = y, value (x - y)^2 / 2: kernels may have a quicker way to it */
} entry_rule;

/* What a row of a projective model H H'X becomes: H .* ((X N + w A H) ./ (X D + H C + w E H))^e.
 * Rows of the factor are one vector of 16 bytes; N and D are m x k, C is k x k. */
typedef struct projective {
    array numerator, denominator, form; /* N, D, C */
    array neighbours;                   /* A H of the rows at hand; no data: no graph */
    const double *degree;               /* E of the rows at hand */
    double weight, exponent;
} projective;

typedef struct kernels {
    const char *name; /* "avx512", ... */
    size_t size;      /* of an element */

    /* Products. B and C are padded arrays of one stride (a multiple of 16 bytes, see
     * matrix_padded); without `add` C is a whole array, whose padding is set to zeros. A is any
     * dense array. */
    void (*product)(array c, array a, array b, bool add);            /* C (+)= A B */
    void (*product_transposed)(array c, array a, array b, bool add); /* C (+)= A' B */
    /* C (+)= A B, quicker where B's last columns leave a vector half empty: pack() copies those
     * columns, transposed, into `packed` of packed_bytes() bytes (0: nothing to gain), as a GEMM
     * packs an operand. */
    int64_t narrow; /* factors of at most so many columns are packed whole */
    int64_t (*packed_bytes)(int64_t rows, int64_t columns);
    void (*pack)(void *packed, array b);
    void (*product_packed)(array c, array a, array b, const void *packed, bool add);
    /* Rows first_row, first_row + 1, ... of A, as many as C has. B may have longer rows than C,
     * such as those of some of its columns. */
    void (*sparse_product)(array c, csr a, int64_t first_row, array b, bool add);
    /* C += A' B over as many rows of A from first_row on as B has, for a range of A's columns,
     * which are C's rows. The range's first row is A's first_row. */
    void (*sparse_product_transposed)(array c, csr a, int64_t first_row, array b, csr_range range);

    /* y = A x in double, whatever A's precision. The sparse one takes `rows` rows from first_row.
     */
    void (*vector_product)(array a, const double *x, double *y);
    void (*sparse_vector_product)(csr a, int64_t first_row, int64_t rows, const double *x,
                                  double *y);

    /* Entrywise losses, with P = p(X, S W') and Q = q(X, S W') formed a tile at a time
     * (entry_rule). `scratch` has kernel_scratch() bytes. No data in Q: it is not asked for.
     * Without a rule P is the quotient X ./ (S W') of the Kullback-Leibler divergence, whose value
     * is the sum of x log(x / y), 0 log 0 = 0; of a dense X, and of a sparse one by functions of
     * its own. The transposed ones add the value of what they went through to *value, unless that
     * is NULL. `packed`: of W, or NULL. */
    void (*entry_product)(array c, array q, const entry_data *x, array s, array w,
                          const void *packed, const entry_rule *rule,
                          void *scratch); /* C = P W, Q W */
    void (*entry_product_transposed)(array c, array q, const entry_data *x, array s, array w,
                                     const entry_rule *rule, void *scratch,
                                     double *value); /* C += P' S, Q' S */
    double (*entry_value)(const entry_data *x, array s, array w, const entry_rule *rule,
                          void *scratch);
    /* Rules. Of beta divergences, beta the parameter: p = x y^(b - 2), q = y^(b - 1), value
     * (x^b + (b - 1) y^b - b x y^(b - 1)) / (b (b - 1)) and its limits for b = 0 and 1. With a
     * weight that follows the residual r = x - y, p = w x and q = w y: of Huber's loss, whose
     * parameter is the bound d, w = min(1, d / |r|) and the value r^2 / 2, from d on d |r| - d^2 /
     * 2; of absolute differences w = 1 / max(|r|, d), and the same value by d. */
    void (*beta_weights)(double beta, array x, array y, array q);
    double (*beta_value)(double beta, array x, array y, array c);
    void (*huber_weights)(double bound, array x, array y, array q);
    double (*huber_value)(double bound, array x, array y, array c);
    void (*absolute_weights)(double bound, array x, array y, array q);
    double (*absolute_value)(double bound, array x, array y, array c);
    void (*sparse_ratio_product)(array c, csr x, int64_t first_row, array s, array w);
    void (*sparse_ratio_product_transposed)(array c, csr x, int64_t first_row, array s, array w,
                                            csr_range range, double *divergence);
    double (*sparse_divergence)(csr x, int64_t first_row, array s, array w);

    /* Sums of squares of X - S W'; the sparse one sums (x - y)^2 - y^2 over the stored entries of
     * s.rows rows. */
    double (*residual)(array x, array s, array w, void *scratch);
    double (*sparse_residual)(csr x, int64_t first_row, array s, array w);

    /* Element by element, over whole padded rows. */
    void (*update)(array to, array from, array numerator, array denominator,
                   double exponent); /* from .* (num ./ den)^exponent */
    void (*update_damped)(array to, array from, array numerator, array denominator,
                          double share); /* from .* (1 - share + share (num ./ den)) */
    /* Passes of coordinate descent on rows S >= 0 for s G s' + sum u s^2 - 2 n s', until the
     * squared change of a pass is at most `enough` times that of the first; no data in U: zeros.
     * `scratch` has kernel_descent_scratch() bytes. */
    void (*descend)(array s, array n, array u, array g, int64_t passes, double enough,
                    void *scratch);
    void (*transpose)(array to, array from); /* to = from', of any two arrays */
    /* Rows of B, the first `count` or the listed ones, as columns of an array with rows of `stride`
     * elements, at least KERNEL_WHOLE(count). B's columns are a multiple of 16 bytes. */
    void (*transpose_listed)(void *to, int64_t stride, array b, const int32_t *listed,
                             int64_t count);
    /* x <- (A + ridge diag(A))^-1 x for a symmetric, positive semidefinite A, a padded array whose
     * lower triangle counts and in whose place its Cholesky factor is left. X has a.stride
     * elements, and `scratch` twice as many. */
    void (*cholesky_solve)(array a, double ridge, void *x, void *scratch);
    /* One Newton step for each coordinate of a row s >= 0, one after the other, none of which
     * raises sum_j (a_j - x_j log a_j) + sum_r (u_r s_r^2 / 2 - n_r s_r). Here a = `fitted` is s
     * times the `transposed` rows of the other factor, and is updated with s; `sums` are the column
     * sums of that factor. A fitted value below `least` counts as `least`. X, `fitted` and
     * `transposed` have KERNEL_WHOLE(count) columns, X with zeros after the last entry. N and U:
     * of the row, or NULL for zeros. `more`: other coordinates follow, and `fitted` is brought up
     * to the last one. */
    void (*newton)(array row, const void *x, void *fitted, const void *transposed, int64_t stride,
                   int64_t count, double least, const double *sums, const void *n, const void *u,
                   bool more);
    /* The same for `lanes` rows at once, which are transposed, as N and U are: the first entries of
     * all rows, then the second ones, ..., `count` of each, with zeros after the last of a row. */
    int64_t lanes;
    void (*newton_short)(array rows, const void *x, void *fitted, const void *transposed,
                         int64_t stride, int64_t count, double least, const double *sums,
                         const void *n, const void *u, bool more);
    /* What both begin with: `fitted` = s times the `transposed` rows, for a row by itself or for
     * `lanes` rows, transposed; `add`: to what other coordinates gave it. */
    void (*fit_listed)(void *fitted, array rows, bool alone, const void *transposed, int64_t stride,
                       int64_t vectors, bool add);
    /* The same for at most `lanes` rows of dense data, which are transposed, as N and U are. X has
     * a row for each, which meets all rows of the other factor, with zeros up to KERNEL_WHOLE().
     * `fitted`, of the same shape, and KERNEL_MASKS() numbers for each row are scratch. */
    void (*newton_whole)(array rows, array x, array fitted, const void *transposed, int64_t stride,
                         double least, const double *sums, const void *n, const void *u,
                         uint64_t *some);
    void (*copy)(array to, array from);
    void (*copy_columns)(array to, array from);      /* to.columns of each row, of any two arrays */
    void (*add)(array to, double scale, array from); /* to += scale from */
    void (*add_constant)(array to, double value);    /* to += value */
    void (*add_rows)(array to, double scale, const double *rows); /* to(i, :) += scale rows[i] */
    void (*add_columns)(array to, double scale,
                        const double *columns); /* to(:, j) += scale columns[j] */
    void (*add_scaled_rows)(array to, double scale, const double *rows,
                            array from); /* += scale rows[i] from(i, :) */
    void (*add_scaled_columns)(array to, double scale, const double *columns,
                               array from); /* += scale columns[j] from(:, j) */
    void (*add_product)(array to, double scale, array a, array b); /* to += scale a .* b */
    /* to(i, j) += scale where block[i] >= 0 and column j is not one of the `width` columns of that
     * block. */
    void (*add_outside)(array to, double scale, const int64_t *block, int64_t width);
    void (*square)(array to, array from);
    void (*inverse_root)(array to, double epsilon); /* to = 1 / sqrt(epsilon + to), the tails too */
    void (*scale_columns)(array to, const double *columns); /* to(:, j) *= columns[j] */
    void (*scale_rows)(array to, const double *rows);       /* to(i, :) *= rows[i] */
    void (*positive_part)(array to);                        /* to = max(to, 0) */
    void (*mirror)(array to); /* to(i, j) = to(j, i) below the diagonal of a square array */

    /* Entries packed row by row in doubles; array_columns(ops, a, j, 1) is a column. */
    void (*get_values)(array from, double *values);
    void (*set_values)(array to, const double *values);

    /* Tiles of K = A A'. C = A B', with `scratch` for KERNEL_FEATURES rows of c.stride; C = rows
     * first_row on of A times rows other_row on, with a.columns zeros in `scratch`. */
    void (*row_products)(array c, array a, array b, void *scratch);
    void (*sparse_row_products)(array c, csr a, int64_t first_row, int64_t other_row,
                                void *scratch);
    void (*split)(array plus, array minus, array a); /* a = plus - minus, both >= 0 */

    /* from .* (Q + sqrt(Q^2 + 4 P R)) ./ (2 P), P and R >= 0 */
    void (*update_signed)(array to, array from, array p, array q, array r);
    /* Rows first_row on of C = A S; returns what edge_energy gives for them. */
    double (*neighbour_sums)(array c, csr graph, int64_t first_row, array s);
    /* New rows of a projective model, and sums (m + k rows) += X'to over to'to. */
    void (*projective_update)(array to, array from, array x, const projective *p, array sums);

    /* Sums, in double. */
    double (*dot)(array a, array b);
    double (*sum)(array a);
    double (*sum_outside)(array a, const int64_t *block,
                          int64_t width);         /* of the entries that add_outside reaches */
    double (*sum_roots)(array a, double epsilon); /* sum of sqrt(epsilon + a), tails left out */
    /* Of the gradient D - N at S >= 0, where it points to S >= 0. */
    double (*projected_square)(array s, array n, array d);
    void (*row_sums)(array a, double *sums);
    void (*column_sums)(array a, double *sums);    /* added to sums[columns] */
    void (*column_squares)(array a, double *sums); /* added to sums[columns] */
    /* Half the sum over the rows' edges of a_ij |s_i - s_j|^2: over all rows the graph term's
     * value, each edge once. */
    double (*edge_energy)(csr graph, int64_t first_row, int64_t rows, array s);

    /* |x_i - c|^2 of every row and of each of `count` centres (count x x.columns), in double: rows
     * x count. */
    void (*row_distances)(array x, const double *centres, int64_t count, double *distances);
    /* |x - y|^2 of two rows, summed in their own precision. */
    double (*row_distance)(array x, array y);
    /* The same of x and the rows with these numbers, and their products with x: for many rows of
     * few features. */
    void (*listed_distances)(array x, array rows, const int32_t *numbers, int64_t count, float *to);
    void (*listed_dots)(array x, array rows, const int32_t *numbers, int64_t count, float *to);
    /* The same in double, in an order of its own: the same bits with all instruction sets. May stop
     * early with some value above `limit`. */
    double (*plain_distance)(array x, array y, double limit);
    /* plain_distance() of y, of at most KERNEL_FEATURES features, to points, which are columns: all
     * are read and written to KERNEL_WHOLE(columns). */
    void (*plain_distances)(array points, const void *y, double *distances);
    /* Asks for rows that are read soon. */
    void (*fetch)(array rows);
    /* Lists those of `count` squared distances, own + squares - 2 dots, that are at most `limit`
     * or at most their entry of `limits`: their numbers, in order, and the distances. Returns how
     * many. The rows of `dots` follow each other. All inputs may be read to a whole number of
     * vectors, and one entry more than is found may be written. */
    int64_t (*list_near)(array dots, int64_t count, double own, const void *squares, double limit,
                         const void *limits, int32_t *numbers, float *distances);
    /* The squared distances of x to the rows with these numbers; `width` is at most 2^14. */
    void (*byte_distances)(const int8_t *x, const int8_t *rows, int64_t width,
                           const int32_t *numbers, int64_t count, int32_t *squares);
    /* Of offset - 2 dots, row by row: the least, and the second least. `offset` covers the rows'
     * padding, with infinities. */
    void (*two_least)(array dots, const double *offset, double *least, double *second);

    /* Rows of few features in groups of KERNEL_GROUP, feature by feature; the last group is filled
     * up with zeros. The operations below take `rows` of them, from the beginning of a group. */
    void (*group)(void *grouped, array x);
    /* The sum over the rows of the lesser of least[i] and |x_i - c|^2, in double, for each of
     * `count` centres (count x features). `least` covers the whole last group, with zeros. */
    void (*grouped_tries)(const void *grouped, int64_t rows, int64_t features,
                          const double *centres, int64_t count, const double *least, double *sums);
    /* The same for one centre, whose distances replace larger ones in `least`. */
    double (*grouped_approach)(const void *grouped, int64_t rows, int64_t features,
                               const double *centre, double *least);
    /* Label: the c with the largest bias[c] + <x_i, s_c>. S is features x centres, its stride a
     * multiple of 4; the bias covers the padding, with -inf. Returns how many rows are listed as
     * doubtful: those whose largest is not more than `margin` above the next. */
    int64_t (*grouped_nearest)(const void *grouped, int64_t rows, array s, const void *bias,
                               double margin, int64_t *label, int32_t *doubtful);
} kernels;

/* Rows that the operations above take at a time, and features of a tile: tasks cut along these are
 * the cheapest. */
#define KERNEL_ROWS 64
#define KERNEL_FEATURES 64
/* A group of rows of few features: two of the largest vectors. */
#define KERNEL_GROUP 32
/* Rows of a tile of quotients: sixes and eights, as the products take them. */
#define KERNEL_RATIO_ROWS 48
#define KERNEL_MOST_LANES 16 /* numbers of a vector */
/* A length in whole vectors of any width. */
#define KERNEL_WHOLE(length) (((length) + 15) / 16 * 16)
/* 64 vectors of at least two entries each have a mask of bits. */
#define KERNEL_MASKS(length) (((length) + 127) / 128)

const kernels *kernel_table(orthant_precision precision);
/* Bytes of the second- or third-level cache, at most `most`: a virtual machine is told of its
 * host's. */
int64_t kernel_cache(int level, int64_t most);
/* Bytes that the ratio and residual operations want for factors of that stride. */
int64_t kernel_scratch(orthant_precision precision, int64_t stride);
/* The part of the first-level cache that the rows of descend() may take. */
#define KERNEL_DESCENT_BYTES (24 << 10)
/* Bytes that descend() wants. */
int64_t kernel_descent_scratch(int64_t rank);

static inline array array_rows(const kernels *ops, array a, int64_t first, int64_t count)
{
    return (array){(char *)a.data + (size_t)(first * a.stride) * ops->size, count, a.columns,
                   a.stride};
}

static inline array array_columns(const kernels *ops, array a, int64_t first, int64_t count)
{
    return (array){(char *)a.data + (size_t)first * ops->size, a.rows, count, a.stride};
}

/* Zeros, the tails of padded rows too. */
static inline void array_clear(const kernels *ops, array a)
{
    memset(a.data, 0, (size_t)(a.rows * a.stride) * ops->size);
}

#endif
