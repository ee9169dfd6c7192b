/** @file
 * Matrices: dense (single or double, row-major) or sparse (CSR). Samples are rows. */
#ifndef ORTHANT_MATRIX_H
#define ORTHANT_MATRIX_H

#include "context.h"
#include "labels.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A matrix; opaque. */
typedef struct orthant_matrix orthant_matrix;

/** How to read a file; begin with ORTHANT_READ_DEFAULTS and set what differs. */
typedef struct orthant_read_options {
    size_t size;          /**< sizeof(orthant_read_options) */
    const char *variable; /**< .mat, .npz: which variable; NULL finds it */
    /** "gnd": a variable of the same file, or a column of a table, which then is no feature,
     * whether or not the labels are asked for; a label file's path; NULL finds it; "none". */
    const char *truth;
    bool transpose;   /**< the file holds samples as columns */
    int image_height; /**< a folder of images: size to bring them to; 0: as they are */
    int image_width;  /**< the same across */
    bool color;       /**< a folder of images: keep three channels; else grey */
    /** A .npy file of the context's precision is memory-mapped: pages are read when they are used,
     * and changed pages are copies. The file must stay as it is while the matrix lives: where
     * another program cuts it off, this one ends with SIGBUS. Other files are read. */
    bool map;
    /** The entries stay in the file: what a method needs is read when it is wanted, so that data
     * may be larger than memory. For .npy in C order, dense HDF5 datasets and .csr; for others
     * there is orthant_convert(). The file must stay as it is while the matrix
     * lives; where it does not, the fit fails with ORTHANT_ERROR_IO. See
     * orthant_matrix_is_streamed() for what can be done with such a matrix. */
    bool stream;
    /** Keeps the rows of this process alone (orthant_matrix_share()): of a file that is mapped or
     * streamed the others are never read, of other files they are and are given back. */
    bool share;
    /** A table: the column of the samples' names; a name, or a number from 1. */
    const char *id_column;
    const char *drop; /**< a table: columns that are no features, with commas between them */
    /** CSV: fields that are empty or say so (NA, nan, ...) become NaN, which the parameter
     * `missing` of a model takes; else they are refused. Other files may hold NaN in any case. */
    bool missing;
} orthant_read_options;
/** Initialises options: everything is found in the file or left as it is. */
#define ORTHANT_READ_DEFAULTS                                                                    \
    {                                                                                            \
        sizeof(orthant_read_options), NULL, NULL, false, 0, 0, false, false, false, false, NULL, \
            NULL, false                                                                          \
    }

/** Reads DATA of any known kind: .mat, .npy, .npz, .csv, .tsv, .mtx, .h5 ("file.h5:/path"), .csr,
 * IDX
 * (.gz too), a folder of images (a subfolder per class), in the context's precision. Labels that
 * are not as many as the samples are refused.
 * @param options may be NULL: the defaults.
 * @param truth may be NULL; where no labels are found *truth is NULL and that is no error.
 * @return ORTHANT_ERROR_IO; ORTHANT_ERROR_FORMAT for what stands in the file;
 * ORTHANT_ERROR_ARGUMENT for a variable that is not there; ORTHANT_ERROR_UNSUPPORTED. */
ORTHANT_API orthant_status orthant_matrix_read(orthant_context *context, const char *path,
                                               const orthant_read_options *options,
                                               orthant_matrix **matrix, orthant_labels **truth);

/** Brings what orthant_matrix_read() reads to a file whose rows can be read one by one, in the
 * context's precision: by the ending of `to` .npy, .h5 (the dataset /data) or .csr, Orthant's own
 * container of sparse matrices (docs/formats.md). Within the context's memory limit, without
 * holding it whole: .npy (also in Fortran's order), .npz, CSV, Matrix Market with entries in any
 * order, HDF5, .mat version 7.3, IDX and folders of images, dense or sparse; other files are read
 * whole. Scratch files lie beside `to` and have no names. Written beside its name
 * and renamed. Labels that are found are written beside it: "to.labels.csv". Where none are found
 * and that file is there already, and not beside `from`, it is refused: it would become the truth
 * of other data.
 * @param options may be NULL: the defaults. transpose takes a scratch file of the data's size; map
 * does nothing. */
ORTHANT_API orthant_status orthant_convert(orthant_context *context, const char *from,
                                           const orthant_read_options *options, const char *to);

/** Writes by the ending: .npy, .csv, .tsv, .h5 ("file.h5:/path"; the path is /data where none is
 * given), .csr, .mtx. Written beside its name and renamed. A sparse matrix goes to .csr or .mtx;
 * other kinds write it dense. */
ORTHANT_API orthant_status orthant_matrix_write(orthant_context *context,
                                                const orthant_matrix *matrix, const char *path);

/** A dense matrix as a copy of `values` (rows x columns, row-major); NULL gives zeros. The
 * precision is the context's. orthant_matrix_wrap() copies nothing. */
ORTHANT_API orthant_status orthant_matrix_create(orthant_context *context, int64_t rows,
                                                 int64_t columns, const double *values,
                                                 orthant_matrix **matrix);
/** A sparse matrix as a copy of CSR arrays, in the context's precision. Columns of a row need not
 * be sorted, duplicates are added up.
 * @param row_start rows + 1 positions, from 0, never falling.
 * @param column the column of each entry, from 0; may be NULL where there are none, as `values`.
 * @return ORTHANT_ERROR_UNSUPPORTED for more than 2^31 - 2 columns. */
ORTHANT_API orthant_status orthant_matrix_create_csr(orthant_context *context, int64_t rows,
                                                     int64_t columns, const int64_t *row_start,
                                                     const int64_t *column, const double *values,
                                                     orthant_matrix **matrix);

/** An array as it lies in memory: dense with strides, or CSR. Clear it, then set `size`; what does
 * not concern the layout stays 0. */
typedef struct orthant_array {
    size_t size;                 /**< sizeof(orthant_array), set by the caller */
    orthant_precision precision; /**< float or double */
    bool sparse;                 /**< CSR; otherwise dense */
    int64_t rows;                /**< samples */
    int64_t columns;             /**< features */
    const void *values;          /**< dense: entry (0, 0); CSR: the stored entries, row by row */
    int64_t row_stride;    /**< dense: elements (not bytes) from a row to the next; any, also < 0 */
    int64_t column_stride; /**< dense: elements from a column to the next; any, also < 0 */
    int64_t stored;        /**< CSR: entries that `values` and `column` have */
    const void *row_start; /**< CSR: rows + 1 positions in `values`, from 0, never falling */
    const void *column;    /**< CSR: the column of each stored entry, from 0 */
    int32_t row_start_bits; /**< 32 or 64: row_start is int32_t or int64_t */
    int32_t column_bits;    /**< 32 or 64: column is int32_t or int64_t */
} orthant_array;

/** Tells the owner of wrapped arrays that they are no longer used. */
typedef void (*orthant_array_release_function)(void *user);

/** A matrix of the caller's own arrays, in their precision, whatever the context's.
 *
 * The arrays are borrowed where the library works on such a layout: dense with contiguous rows
 * (column_stride 1, row_stride >= columns), CSR with sorted columns without duplicates. Of CSR,
 * 64-bit columns and 32-bit row starts are converted, the other arrays borrowed. Dense arrays with
 * contiguous columns (row_stride 1, column_stride >= rows) of 64 MB and more are borrowed too: each
 * pass transposes them, a strip at a time (O(n m)), and what needs all entries, such as a search
 * for neighbours or a method that does not stream (orthant_method_info.streams), makes one copy.
 * Smaller ones and other dense layouts (every second column, rows in reverse, entries that are not
 * aligned) are copied once, row by row in the same precision; so are CSR arrays with unsorted
 * columns or duplicates, which are sorted and added up. The log says so, and
 * orthant_matrix_is_borrowed() tells.
 *
 * Borrowed arrays must stay as they are while the matrix lives. The library only reads them: they
 * may lie in read-only memory, and orthant_matrix_scale() makes a copy first.
 *
 * Where the call succeeds, `release` (which may be NULL) is called once with `user` when the arrays
 * are no longer used: before this returns where all were copied, otherwise by the
 * orthant_matrix_free() of this matrix, in its thread. Where the call fails, it is not called.
 *
 * In a context with a group (group.h) an array may have no rows: a process may have no samples.
 *
 * ORTHANT_ERROR_ARGUMENT for a shape, strides, row starts or columns that cannot be; entries are
 * not looked at, so what a method cannot take (negative, NaN) is refused by the fit. Dense: O(1)
 * without a copy. CSR: one pass over row starts and columns. */
ORTHANT_API orthant_status orthant_matrix_wrap(orthant_context *context, const orthant_array *array,
                                               orthant_array_release_function release, void *user,
                                               orthant_matrix **matrix);
/** Whether the entries lie in a file (orthant_read_options.stream). Such a matrix can be scaled,
 * fitted by the methods that stream (orthant_method_info.streams), transformed and asked for its
 * shape, nonzeros and single entries, each of which reads a row. All else refuses it with the bytes
 * that it would take in memory. */
ORTHANT_API bool orthant_matrix_is_streamed(const orthant_matrix *matrix);
/** Whether the entries are those of the caller's array: wrapped, and not copied. */
ORTHANT_API bool orthant_matrix_is_borrowed(const orthant_matrix *matrix);
/** Where the entries of any matrix lie, for reading. Set view->size before; it is filled with the
 * rest, and size becomes what was filled. Dense: row_stride may be larger than columns, and
 * column_stride is 1. CSR: 64-bit row starts, 32-bit columns, sorted, without duplicates. The
 * pointers are good until the matrix is freed or scaled. O(1). */
ORTHANT_API orthant_status orthant_matrix_view(const orthant_matrix *matrix, orthant_array *view);

/** Frees a matrix, and tells the owner of wrapped arrays. */
ORTHANT_API void orthant_matrix_free(orthant_matrix *matrix);

/** Rows: samples. */
ORTHANT_API int64_t orthant_matrix_rows(const orthant_matrix *matrix);
/** Columns: features, or the columns of a factor. */
ORTHANT_API int64_t orthant_matrix_columns(const orthant_matrix *matrix);
/** Whether it is CSR. */
ORTHANT_API bool orthant_matrix_is_sparse(const orthant_matrix *matrix);
/** Entries that are not zero, counted in one read of the matrix; of a sparse one those stored. */
ORTHANT_API int64_t orthant_matrix_nonzeros(const orthant_matrix *matrix);
/** Whether its numbers are float or double. */
ORTHANT_API orthant_precision orthant_matrix_precision(const orthant_matrix *matrix);
/** One entry, from 0; 0 outside. Of a sparse matrix O(log) of the row's entries. For all of them
 * see orthant_matrix_view(). */
ORTHANT_API double orthant_matrix_get(const orthant_matrix *matrix, int64_t row, int64_t column);
/** Copies rows x columns doubles, row-major, into `values`, zeros of a sparse matrix too. */
ORTHANT_API void orthant_matrix_copy_values(const orthant_matrix *matrix, double *values);

/** The name of a feature, by its column from 0: from the header of a table, or set; NULL where it
 * has none. The matrix's memory. */
ORTHANT_API const char *orthant_matrix_feature_name(const orthant_matrix *matrix, int64_t column);
/** The name of a sample, by its row from 0: of a table's column of names, or a picture's file. */
ORTHANT_API const char *orthant_matrix_sample_name(const orthant_matrix *matrix, int64_t row);
/** Sets the names of the features, one for each column, which are copied; NULL: none. */
ORTHANT_API orthant_status orthant_matrix_set_feature_names(orthant_matrix *matrix,
                                                            const char *const *names);

/** The grid of the pixels where samples are pictures. All 0 where it is not known. A struct that
 * will not grow. */
typedef struct orthant_picture_shape {
    int height;        /**< rows of pixels */
    int width;         /**< pixels of a row */
    int channels;      /**< 3: red, green and blue */
    bool column_major; /**< a sample lists its pixels column by column (MATLAB's order) */
} orthant_picture_shape;
/** What the file told of the pictures' shape. */
ORTHANT_API orthant_picture_shape orthant_matrix_picture(const orthant_matrix *matrix);
/** Sets the shape of pictures, for drawings of them. */
ORTHANT_API void orthant_matrix_set_picture(orthant_matrix *matrix, orthant_picture_shape shape);

/** Ways to scale data before a fit. */
typedef enum orthant_scaling {
    ORTHANT_SCALE_NONE = 0, /**< as they are */
    ORTHANT_SCALE_UNIT,     /**< each sample to unit length; a zero sample stays zero */
    ORTHANT_SCALE_MAX,      /**< everything divided by the largest modulus */
    ORTHANT_SCALE_TFIDF     /**< counts times log(n / documents with the word), then unit length */
} orthant_scaling;
/** The scaling of a name: "none", "unit", "max", "tfidf". */
ORTHANT_API orthant_status orthant_scaling_parse(orthant_context *context, const char *name,
                                                 orthant_scaling *scaling);
/** Scales a matrix in place, in two reads of it; one whose entries are borrowed gets a copy of its
 * own first.
 * @return ORTHANT_ERROR_DATA where tfidf finds a negative entry. */
ORTHANT_API orthant_status orthant_matrix_scale(orthant_matrix *matrix, orthant_scaling scaling);
/** What a scaling takes from the data as a whole, so that other data can be scaled the same way:
 * max: the largest modulus, 1 x 1; tfidf: log(n / documents with the word), 1 x columns; NULL for
 * the others, which look at each sample alone. In double precision. */
ORTHANT_API orthant_status orthant_matrix_scale_statistics(const orthant_matrix *matrix,
                                                           orthant_scaling scaling,
                                                           orthant_matrix **statistics);
/** Scales in place, by the statistics of these or other data; orthant_matrix_scale() is the two in
 * turn.
 * @param statistics NULL for scalings that have none. */
ORTHANT_API orthant_status orthant_matrix_scale_by(orthant_matrix *matrix, orthant_scaling scaling,
                                                   const orthant_matrix *statistics);
/** Scales in place by the entries that are known: those that `mask` has a weight above 0 for. The
 * others are divided by the same numbers and have no part in them, and neither has NaN, with a mask
 * or without. O(n m), with a sparse mask times the logarithm of a row's entries.
 * @param mask of the matrix's shape, dense or sparse; read during the call alone. NULL: all
 * entries.
 * @param statistics of other data to scale by; NULL: those of these.
 * @param taken what the scaling took from these data, to be freed by the caller, or NULL where it
 * took none (orthant_matrix_scale_statistics()); may be NULL.
 * @return ORTHANT_ERROR_ARGUMENT for a mask of another shape or of zeros alone, and for tfidf with
 * a mask: how many samples have a word is not known then. ORTHANT_ERROR_DATA for negative weights
 * and NaN in the mask, ORTHANT_ERROR_UNSUPPORTED for a mask of data that stay in their file. */
ORTHANT_API orthant_status orthant_matrix_scale_masked(orthant_matrix *matrix,
                                                       orthant_scaling scaling,
                                                       const orthant_matrix *mask,
                                                       const orthant_matrix *statistics,
                                                       orthant_matrix **taken);

#ifdef __cplusplus
}
#endif
#endif
