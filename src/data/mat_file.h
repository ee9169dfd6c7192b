/* A MATLAB file that is open: its variables, and their values as matrices. In a confined context a
 * child process has it open (core/child.h), and this one never calls matio. */
#ifndef DATA_MAT_FILE_H
#define DATA_MAT_FILE_H

#include <matio.h>

#include "core/child.h"
#include "data/hdf5_errors.h"
#include "data/matrix.h"

typedef struct mat_variable {
    char *name;
    int dimensions;
    int64_t rows, columns; /* the first two dimensions */
    enum matio_classes class;
    bool complex;
} mat_variable;

/* An array inside a cell array or a structure. */
typedef struct mat_part {
    char name[64];      /* "groundTruth{1}(1).Segmentation" */
    bool empty;         /* nothing is there */
    mat_variable about; /* its name is `name` */
    matvar_t *held;     /* where this process has the file open */
} mat_part;

typedef struct mat_file {
    orthant_context *ctx;
    const char *path;
    int64_t bytes;
    bool is_hdf5;     /* version 7.3 */
    int64_t expected; /* variables that mat_check counted, in versions 4 and 5 */
    child *reader;    /* NULL: this process has it open */
    mat_t *mat;
    hid_t hdf5; /* version 7.3: the file once more, for what matio does not tell */
    hdf5_quiet quiet;
    mat_variable *variables;
    int count;
    matvar_t *info; /* of the variable `selected`, counted from 1; 0 for none */
    int selected;
    mat_part *parts; /* of the variable that mat_file_list_parts was asked for */
    int part_count, of_variable;
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
orthant_status mat_file_read(mat_file *file, const mat_variable *variable,
                             orthant_precision precision, orthant_matrix **found);

/* Lists in file->parts the arrays inside a cell array (and inside its structures, or those of a
 * structure array, under the name `Segmentation`); the variable itself where it is neither. */
orthant_status mat_file_list_parts(mat_file *file, const mat_variable *variable);
/* The values of a part in double precision; refused where it is no dense matrix with entries. */
orthant_status mat_file_read_part(mat_file *file, int part, orthant_matrix **found);

/* ---- between its files ---------------------------------------------------------------------- */

/* Where values come from: a variable by its place in the list, and one of its parts, -1 for none.
 */
typedef struct mat_source {
    int variable, part;
    const mat_variable *about;
} mat_source;

orthant_status mat_fail_values(const mat_file *file, const mat_variable *variable);
/* Opens it in this process and lists the variables. */
orthant_status mat_list(mat_file *file);
orthant_status mat_list_parts(mat_file *file, int variable);
orthant_status mat_add_variable(mat_file *file, const char *name, const mat_variable *about);
orthant_status mat_add_part(mat_file *file, const char *name, const mat_part *about);
mat_variable mat_describe(const matvar_t *info);
/* Version 7.3: the class of a variable for which matio found none, by the type of its entries. */
void mat_find_class(const mat_file *file, matvar_t *info);
/* Version 7.3: refuses a variable that HDF5 cannot unpack here. */
orthant_status mat_check_filters(const mat_file *file, const char *name);
/* What matio tells of a variable; NULL where it cannot be read. */
matvar_t *mat_info(mat_file *file, mat_source from);
/* Bytes of an entry of a dense array. */
int64_t mat_entry_bytes(const mat_variable *variable);
/* Columns of a dense variable that are read together. */
int64_t mat_columns_together(const mat_variable *variable);
/* Columns `first` and on of a dense variable, column by column, into `values`. */
orthant_status mat_read_columns(mat_file *file, mat_source from, int64_t first, int64_t count,
                                void *values);
/* The entries of a sparse variable in matio's memory, and their type; checked. */
orthant_status mat_read_sparse(mat_file *file, mat_source from, mat_sparse_t *sparse,
                               enum matio_types *type);
/* Refuses what is not the CSC form of such a matrix. */
orthant_status mat_check_sparse(const mat_file *file, const mat_variable *v,
                                const mat_sparse_t *sparse, enum matio_types type);

/* The same through a child process. */
orthant_status mat_child_list(mat_file *file);
orthant_status mat_child_list_parts(mat_file *file, int variable);
/* Asks for all columns: child_take them in order, then child_end. */
orthant_status mat_child_ask_columns(mat_file *file, mat_source from);
/* Its three arrays are the caller's, by memory_free, also where it failed. */
orthant_status mat_child_read_sparse(mat_file *file, mat_source from, mat_sparse_t *sparse,
                                     enum matio_types *type);

#endif
