/* One reader per kind of file; orthant_matrix_read looks at the name and the first bytes and calls
 * the right one. Each fills `found` in the context's precision, samples as rows as the file has
 * them (the dispatcher transposes), and `truth` where the file itself holds labels.
 *
 * options is never NULL. options->truth is NULL (labels are looked for), "none", or a name: where
 * the file has no such variable, *truth stays NULL and the dispatcher takes the name for a label
 * file. For "file.h5:/path" the reader gets "file.h5" with options->variable = "/path". */
#ifndef DATA_READ_H
#define DATA_READ_H

#include <stdio.h>

#include "data/kind.h"
#include "data/matrix.h"
#include "orthant/labels.h"

typedef orthant_status (*data_reader)(orthant_context *ctx, const char *path,
                                      const orthant_read_options *options, orthant_matrix **found,
                                      orthant_labels **truth);

orthant_status read_mat(orthant_context *, const char *, const orthant_read_options *,
                        orthant_matrix **, orthant_labels **);
orthant_status read_npy(orthant_context *, const char *, const orthant_read_options *,
                        orthant_matrix **, orthant_labels **);
orthant_status read_npz(orthant_context *, const char *, const orthant_read_options *,
                        orthant_matrix **, orthant_labels **);
orthant_status read_csv(orthant_context *, const char *, const orthant_read_options *,
                        orthant_matrix **, orthant_labels **);
orthant_status read_mtx(orthant_context *, const char *, const orthant_read_options *,
                        orthant_matrix **, orthant_labels **);
orthant_status read_hdf5(orthant_context *, const char *, const orthant_read_options *,
                         orthant_matrix **, orthant_labels **);
orthant_status read_idx(orthant_context *, const char *, const orthant_read_options *,
                        orthant_matrix **, orthant_labels **);
orthant_status read_csr(orthant_context *, const char *, const orthant_read_options *,
                        orthant_matrix **, orthant_labels **);
orthant_status read_images(orthant_context *, const char *, const orthant_read_options *,
                           orthant_matrix **, orthant_labels **);

/* Labels that the file itself does not hold: those that `wanted` names, or those that lie with the
 * data. Leaves *truth alone where it is set. */
orthant_status read_find_truth(orthant_context *ctx, const char *path, file_kind kind,
                               const char *wanted, orthant_labels **truth);

/* Refuses what orthant_matrix_write would refuse for its name alone: to be asked before long work.
 */
orthant_status write_check_name(orthant_context *ctx, const char *path);
/* `path` of write_hdf5 may be "file.h5:/path". */
orthant_status write_npy(orthant_context *ctx, const orthant_matrix *matrix, const char *path);
/* Entries of that precision on this machine: "<f4". */
const char *npy_type(orthant_precision precision);
/* The start of a .npy file; columns = -1 for a 1-D array. `type` as NumPy names it: "<f8". */
void write_npy_header(FILE *file, const char *type, int64_t rows, int64_t columns);
orthant_status write_csr(orthant_context *ctx, const orthant_matrix *matrix, const char *path);
orthant_status write_csv(orthant_context *ctx, const orthant_matrix *matrix, const char *path);
orthant_status write_hdf5(orthant_context *ctx, const orthant_matrix *matrix, const char *path);
orthant_status write_mtx(orthant_context *ctx, const orthant_matrix *matrix, const char *path);

/* For a program that closes what it opens: a damaged file leaves HDF5 things that it cannot close
 * at exit, and it would complain of that on standard error. To be called before any other use. */
void hdf5_no_exit_handler(void);

#endif
