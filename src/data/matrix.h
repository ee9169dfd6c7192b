/* Inside of a matrix. Dense: rows of `stride` elements, each row contiguous; the tail of a padded
 * row is zero, but of a borrowed matrix it may be anything, or lie outside of the array. Sparse:
 * CSR with sorted columns, no duplicates. */
#ifndef DATA_MATRIX_H
#define DATA_MATRIX_H

#include "core/context.h"
#include "data/names.h"
#include "kernel/kernel.h"
#include "orthant/matrix.h"

/* What is asked of the data in every run, found in one pass. */
typedef struct matrix_summary {
    bool known; /* of the entries as they are: whoever changes them clears it */
    bool finite, nonnegative;
    int64_t nonzeros;
    double sum, squares, largest; /* as matrix_sum and the others give them */
    uint64_t checksum;
} matrix_summary;

struct orthant_matrix {
    orthant_context *ctx;
    orthant_precision precision;
    bool sparse;
    int64_t rows, columns;
    int64_t stride; /* dense: elements from a row to the next, >= columns */
    void
        *values; /* dense: rows x stride; sparse: row_start[rows] stored entries; float or double */
    int64_t *row_start; /* sparse: rows + 1 */
    int32_t
        *column; /* sparse; a sparse matrix has fewer than 2^31 columns, checked where it is made */
    /* Rows [first, first + rows) of a matrix with `total` rows, which a group of processes shares;
     * total 0: it is no part. */
    struct {
        int64_t first, total;
    } part;
    /* Of a matrix that was taken from another: its rows there, for messages, and of a similarity
     * its columns too. Borrowed; NULL: they are its own. */
    const int64_t *origin;
    /* The same entries in the memory of a device, which is the caller's; values NULL: none. */
    struct {
        const void *values;
        int64_t stride;
        char device[40]; /* "cuda:0" */
    } device_copy;
    orthant_picture_shape picture;
    bool lossless; /* read from numbers that the precision holds: nothing was rounded away */
    /* Arrays of the caller's, which are never written to, nor freed. */
    bool borrowed_values, borrowed_row_start, borrowed_column;
    bool origin_of_columns;
    /* Where they are known; of a part of the samples too, all samples'. */
    name_list feature_names, sample_names;
    name_list picture_files; /* of the pictures that these are features of */
    char *sheet;             /* the file of small pictures of the samples (beside.h); or NULL */
    char *name;              /* the file it was read from, for messages; or NULL */
    void *mapping; /* the file that `values` lie in, to be unmapped in their place; or NULL */
    int64_t mapped_bytes;
    /* The entries lie in this file, which is closed with the matrix: there are no values, and of a
     * sparse one neither rows nor columns. NULL: they are here. Of an array by columns (columns.c)
     * there are values too from when something needed all of them. */
    struct row_file *file;
    matrix_summary summary;
    char checksum[17]; /* XXH64 of the mapped file, taken with the summary; or "" */
    orthant_array_release_function release; /* tells the owner of borrowed arrays; or NULL */
    void *release_user;
};

/* What entries have to be read from; NULL where they are here. */
static inline struct row_file *matrix_file(const orthant_matrix *matrix)
{
    return matrix->values ? NULL : matrix->file;
}

static inline size_t precision_size(orthant_precision precision)
{
    return precision == ORTHANT_DOUBLE ? sizeof(double) : sizeof(float);
}

/* The handle alone; the entries are its caller's to make. */
orthant_matrix *matrix_new_handle(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                  int64_t columns);
/* Zeros; sizes checked; the precision is given. */
orthant_status matrix_new_dense(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                int64_t columns, orthant_matrix **matrix);
/* The same with rows padded for SIMD, as factors are: see matrix_padded. */
orthant_status matrix_new_factor(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                 int64_t columns, orthant_matrix **matrix);
/* Of entries that lie `offset` bytes into a mapped file, which is unmapped with the matrix. */
orthant_status matrix_of_mapping(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                 int64_t columns, void *mapping, int64_t bytes, int64_t offset,
                                 orthant_matrix **matrix);
/* A matrix whose entries stay in the file. */
orthant_status matrix_open(orthant_context *ctx, const char *path,
                           const orthant_read_options *options, orthant_matrix **matrix);
/* A matrix on the caller's array whose columns are contiguous; it stays where it is, and rows are
 * made of it when they are wanted. */
orthant_status matrix_of_columns(orthant_context *ctx, const orthant_array *array,
                                 orthant_matrix **matrix);
/* The array of such a matrix. False where it is none. */
bool matrix_columns(const orthant_matrix *matrix, orthant_array *array);
/* Brings its entries into memory, row by row, for `who`; the array stays known. */
orthant_status matrix_copy_columns(const orthant_matrix *matrix, const char *who);
/* Some rows of a matrix that lies in a file, brought into memory. */
orthant_status matrix_read_rows(const orthant_matrix *matrix, const int64_t *row, int64_t count,
                                orthant_matrix **rows);
/* Refuses a matrix whose entries lie in a file, for `who` needs all of them; those of an array by
 * columns are copied. NULL is let through. */
orthant_status matrix_check_here(const orthant_matrix *matrix, const char *who);
/* Rows of a matrix in memory, by one thread, as orthant_matrix_scale_by() does all. */
void scale_rows(orthant_matrix *rows, orthant_scaling scaling, const orthant_matrix *statistics);
/* Refuses less than one row and one column. */
orthant_status matrix_check_shape(orthant_context *ctx, int64_t rows, int64_t columns);
/* Refuses more columns than fit, and a number of rows or entries that cannot be. */
orthant_status matrix_check_sparse(orthant_context *ctx, int64_t rows, int64_t columns,
                                   int64_t stored);
/* Room for `stored` entries; row_start, column and values are the caller's to fill, in order. */
orthant_status matrix_new_sparse(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                 int64_t columns, int64_t stored, orthant_matrix **matrix);
/* From unordered triplets (int64 rows and columns): sorted, duplicates added up. */
orthant_status matrix_from_triplets(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                    int64_t columns, int64_t count, const int64_t *row,
                                    const int64_t *column, const double *value,
                                    orthant_matrix **matrix);
/* Whether each row's columns rise. */
bool matrix_rows_ordered(const orthant_matrix *matrix);
/* Gives a matrix whose entries are borrowed a copy of its own, which can be written to. */
orthant_status matrix_own_values(orthant_matrix *matrix);
/* Sorts the rows of a sparse matrix that is filled but for their order, and adds duplicates up. */
orthant_status matrix_order_rows(orthant_matrix *matrix);
/* False where a file of `stored` entries cannot mean so many rows: a header that lies would take
 * memory for each. */
bool sparse_rows_plausible(int64_t rows, int64_t stored);
/* A copy in another precision, dense stays dense. */
orthant_status matrix_copy(orthant_context *ctx, const orthant_matrix *source,
                           orthant_precision precision, orthant_matrix **copy);
orthant_status matrix_transpose(orthant_context *ctx, const orthant_matrix *source,
                                orthant_matrix **transposed);

/* Rows of the whole that it is a part of. */
static inline int64_t matrix_total(const orthant_matrix *matrix)
{
    return matrix->part.total ? matrix->part.total : matrix->rows;
}

/* Entries of a dense matrix, or those that a sparse one stores. */
int64_t matrix_stored(const orthant_matrix *matrix);
/* What its entries take, of a sparse one with their columns and the rows' starts; those that lie in
 * a file would take it. */
int64_t matrix_bytes(const orthant_matrix *matrix);

/* Elements of a padded row: 16 or 32 bytes for the narrowest factors, otherwise a multiple of 64
 * bytes. */
int64_t matrix_padded(orthant_precision precision, int64_t columns);

/* Entries of a dense matrix or stored entries of a sparse one, by position in `values`. */
static inline double matrix_value(const orthant_matrix *matrix, int64_t position)
{
    return matrix->precision == ORTHANT_DOUBLE ? ((const double *)matrix->values)[position]
                                               : (double)((const float *)matrix->values)[position];
}

static inline void matrix_set_value(orthant_matrix *matrix, int64_t position, double value)
{
    if (matrix->precision == ORTHANT_DOUBLE)
        ((double *)matrix->values)[position] = value;
    else
        ((float *)matrix->values)[position] = (float)value;
}
/* The row's entries, zeros too, into values[columns]. */
void matrix_copy_row(const orthant_matrix *matrix, int64_t row, double *values);

/* Refuses entries that are not finite, and where `nonnegative` also negative ones, with the
 * position (rows and columns counted from 1). `name` is the data's name in the message, `method`
 * who asks. */
orthant_status matrix_check(const orthant_matrix *matrix, bool nonnegative, const char *name,
                            const char *method);
/* Refuses a mask of another shape, with entries that are no weights, or without one above 0. */
orthant_status matrix_check_mask(const orthant_matrix *matrix, const orthant_matrix *mask);

/* Of all entries as they are stored, to tell matrices apart: the sum of those of its rows. One pass
 * in the context's threads where it is not known. */
uint64_t matrix_checksum(orthant_context *ctx, const orthant_matrix *matrix);
/* Of a sparse row its columns count, and its entries unless they are all 1. */
uint64_t matrix_row_checksum(const orthant_matrix *matrix, int64_t row);
/* Fills the summary, in threads, and the checksum of a mapped file. */
orthant_status matrix_summarise(orthant_matrix *matrix);

/* From the summary where it is known. */
double matrix_sum(const orthant_matrix *matrix);
double matrix_squares(const orthant_matrix *matrix); /* sum of squares */
double matrix_largest(const orthant_matrix *matrix); /* largest modulus */
/* What the context's device is given of it (core/device_search.h); false: it is not dense rows in
 * memory. */
struct device_points;
bool matrix_device_points(const orthant_matrix *matrix, struct device_points *to);
double matrix_row_largest(const orthant_matrix *matrix, int64_t row);
double matrix_row_sum(const orthant_matrix *matrix, int64_t row);
double matrix_row_square(const orthant_matrix *matrix, int64_t row); /* |x_i|^2 */
/* |x_i|^2 of each row into squares[rows]. */
void matrix_row_squares(const orthant_matrix *matrix, double *squares);

/* What a summary is made of, for one row. */
typedef struct row_facts {
    bool finite, nonnegative;
    int64_t nonzeros;
    double sum, squares, largest;
    uint64_t checksum;
} row_facts;
row_facts matrix_row_facts(const orthant_matrix *matrix, int64_t row);

/* As the kernels take it. */
array matrix_array(const orthant_matrix *matrix); /* of a dense matrix */
csr matrix_csr(const orthant_matrix *matrix);     /* of a sparse one */

#endif
