/** @file
 * Files of data: of what kind they are, what a matrix holds, and where results may be written. */
#ifndef ORTHANT_DATA_H
#define ORTHANT_DATA_H

#include "context.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of a file or folder, by its first bytes and, where these do not tell, by its name.
 * @param kind "mat", "npy", "npz", "csv" (also tab-separated and plain text), "mtx", "hdf5", "idx",
 * "folder", or "unknown"; never to be freed. NULL on failure.
 * @return ORTHANT_ERROR_IO where there is no such file; ORTHANT_ERROR_FORMAT where it is empty. */
ORTHANT_API orthant_status orthant_file_kind(orthant_context *context, const char *path,
                                             const char **kind);

/** Which columns of a table in text hold words, as orthant_read_options.drop takes them, with
 * commas between them: by name, or by number from 1 where no name tells (without a header, and of
 * names that are empty, hold a comma or stand twice). The first 1,000 rows tell.
 * @param columns NULL where there are none, where no other is left, or the file is no such table;
 * freed by orthant_text_free().
 * @return as orthant_file_kind() and orthant_matrix_read(). */
ORTHANT_API orthant_status orthant_table_text_columns(orthant_context *context, const char *path,
                                                      char **columns);

/** What a matrix holds. Further fields will be added at the end. */
typedef struct orthant_matrix_info {
    size_t size;                   /**< set it to sizeof(orthant_matrix_info) before the call */
    bool sparse;                   /**< CSR */
    int64_t rows;                  /**< samples */
    int64_t columns;               /**< features */
    int64_t nonzeros;              /**< of a sparse one: stored entries */
    double density;                /**< nonzeros / (rows * columns); 0 of an empty matrix */
    double minimum;                /**< over all entries, zeros that are not stored too */
    double maximum;                /**< the same */
    orthant_picture_shape picture; /**< where rows are pictures; else all 0 */
    int64_t missing;               /**< entries that are NaN; not among nonzeros and the range */
} orthant_matrix_info;

/** Fills `info`, in one read of the matrix on one thread. An empty matrix has minimum +infinity and
 * maximum -infinity.
 * @return ORTHANT_ERROR_ARGUMENT where an argument is NULL or info->size is not that of a struct.
 */
ORTHANT_API orthant_status orthant_matrix_describe(const orthant_matrix *matrix,
                                                   orthant_matrix_info *info);

/** To be asked before long work: refuses a name that orthant_matrix_write would refuse for its
 * ending, and removes what writers of this file that were killed left beside it. */
ORTHANT_API orthant_status orthant_matrix_write_check(orthant_context *context, const char *path);

/** Writes labels into the file beside the matrix at `path` where orthant_matrix_read finds them:
 * words.npy has words.labels.csv. Classes are written by their names where they have some. */
ORTHANT_API orthant_status orthant_labels_write_beside(orthant_context *context,
                                                       const orthant_labels *labels,
                                                       const char *path);

/** Writes the names of the samples beside the matrix at `path`, a name per line, where
 * orthant_matrix_read finds them: photos.npy has photos.samples.txt. Of features of pictures a
 * sheet of the pictures goes beside them, photos.samples.png, which a run shows.
 * @return ORTHANT_ERROR_ARGUMENT where the samples have no names. */
ORTHANT_API orthant_status orthant_samples_write_beside(orthant_context *context,
                                                        const orthant_matrix *matrix,
                                                        const char *path);

#ifdef __cplusplus
}
#endif
#endif
