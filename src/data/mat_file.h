/* A MATLAB file that is open: its variables, and their values as matrices. */
#ifndef DATA_MAT_FILE_H
#define DATA_MAT_FILE_H

#include <matio.h>

#include "data/hdf5_errors.h"
#include "data/matrix.h"

typedef struct mat_variable {
    char *name;
    int dimensions;
    int64_t rows, columns; /* the first two dimensions */
    enum matio_classes class;
    bool complex;
} mat_variable;

typedef struct mat_file {
    orthant_context *ctx;
    const char *path;
    int64_t bytes;
    mat_t *mat;
    hdf5_quiet quiet;
    mat_variable *variables;
    int count;
} mat_file;

/* Checks the file and lists its variables. To be closed also where it failed. */
orthant_status mat_file_open(orthant_context *ctx, const char *path, mat_file *file);
void mat_file_close(mat_file *file);

const mat_variable *mat_file_find(const mat_file *file, const char *name); /* or NULL */
/* "'X' (400 x 1024) and 'y' (400 x 1)". */
void mat_file_describe(const mat_file *file, char *text, size_t size);

/* Real numbers in two dimensions, dense or sparse. */
bool mat_is_matrix(const mat_variable *variable);
/* One row or one column, dense. */
bool mat_is_vector(const mat_variable *variable);
int64_t mat_entries(const mat_variable *variable);
/* "double", "cell", "complex", ... */
const char *mat_class_name(const mat_variable *variable);

/* The values of a matrix (mat_is_matrix) that is not empty. */
orthant_status mat_file_read(const mat_file *file, const mat_variable *variable,
                             orthant_precision precision, orthant_matrix **found);
/* The same of an array inside a cell array or a structure that Mat_VarReadInfo told about; it is
 * refused where it is no dense matrix with entries. */
orthant_status mat_file_read_part(const mat_file *file, matvar_t *part, const char *name,
                                  orthant_matrix **found);

#endif
