/* MATLAB's files by matio: versions 4, 5 and 7.3. mat_check has looked at the sizes in the first
 * two before matio allocates for them. */
#include "data/mat_file.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/confine.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/element.h"
#include "data/hdf5_filters.h"
#include "data/mat_check.h"

#define MOST_VARIABLES 100000
/* A dense matrix comes in blocks of columns, so that matio's copy stays small beside ours; a
 * compressed variable is inflated from its start for each block, hence not in too many. */
#define LEAST_BLOCK_BYTES (INT64_C(4) << 20)
#define MOST_BLOCKS 8
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- what there is -------------------------------------------------------------------- */

static bool is_number_class(enum matio_classes class)
{
    return class >= MAT_C_DOUBLE && class <= MAT_C_UINT64;
}

const char *mat_class_name(const mat_variable *v)
{
    static const char *const names[] = {
        "unknown", "cell",  "struct", "object", "text",   "sparse", "double", "single",   "int8",
        "uint8",   "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "opaque"};
    if (v->complex)
        return "complex";
    return v->class < (enum matio_classes)COUNT(names) ? names[v->class] : "unknown";
}

bool mat_is_matrix(const mat_variable *v)
{
    return v->dimensions == 2 && !v->complex &&
           (is_number_class(v->class) || v->class == MAT_C_SPARSE);
}

bool mat_is_vector(const mat_variable *v)
{
    return mat_is_matrix(v) && v->class != MAT_C_SPARSE && (v->rows == 1 || v->columns == 1);
}

int64_t mat_entries(const mat_variable *v)
{
    int64_t count;
    return size_multiply(v->rows, v->columns, &count) ? count : INT64_MAX;
}

const mat_variable *mat_file_find(const mat_file *file, const char *name)
{
    for (int i = 0; i < file->count; i++)
        if (strcmp(file->variables[i].name, name) == 0)
            return &file->variables[i];
    return NULL;
}

void mat_file_describe(const mat_file *file, char *text, size_t size)
{
    const int most = 12;
    const int shown = file->count < most ? file->count : most;
    text[0] = '\0';
    if (file->count == 0)
        text_append(text, size, "no variables");
    for (int i = 0; i < shown; i++) {
        const mat_variable *v = &file->variables[i];
        const bool last = i == file->count - 1;
        text_append(text, size, "%s'%.40s' (", i == 0 ? "" : last ? " and " : ", ", v->name);
        if (v->dimensions > 2)
            text_append(text, size, "%" PRId64 " x %" PRId64 " x ...)", v->rows, v->columns);
        else if (mat_is_matrix(v))
            text_append(text, size, "%" PRId64 " x %" PRId64 "%s)", v->rows, v->columns,
                        v->class == MAT_C_SPARSE ? ", sparse" : "");
        else
            text_append(text, size, "%s)", mat_class_name(v));
    }
    if (file->count > shown)
        text_append(text, size, " and %d more", file->count - shown);
}

mat_variable mat_describe(const matvar_t *info)
{
    const size_t rows = info->dims[0], columns = info->rank > 1 ? info->dims[1] : 1;
    return (mat_variable){.dimensions = info->rank > 1 ? info->rank : 2,
                          .rows = rows <= INT_MAX ? (int64_t)rows : INT64_MAX,
                          .columns = columns <= INT_MAX ? (int64_t)columns : INT64_MAX,
                          .class = info->class_type,
                          .complex = info->isComplex != 0};
}

orthant_status mat_add_variable(mat_file *file, const char *name, const mat_variable *about)
{
    if (file->count >= MOST_VARIABLES)
        return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: more than %d variables", file->path,
                    MOST_VARIABLES);
    if ((file->count & (file->count - 1)) == 0) {
        mat_variable *more = memory_resize(file->ctx, file->variables, 2 * file->count + 1,
                                           sizeof *more, "the variables of a file");
        if (!more)
            return ORTHANT_ERROR_MEMORY;
        file->variables = more;
    }
    mat_variable *v = &file->variables[file->count];
    *v = *about;
    v->name = memory_text(file->ctx, name);
    if (!v->name)
        return ORTHANT_ERROR_MEMORY;
    file->count++;
    return ORTHANT_OK;
}

/* matio keeps its messages to itself as long as nobody called Mat_LogInit; we do not. */
orthant_status mat_list(mat_file *file)
{
    orthant_context *ctx = file->ctx;
    orthant_status status = ORTHANT_OK;
    int64_t found = 0;
    hdf5_quiet_begin(&file->quiet);
    file->mat = Mat_Open(file->path, MAT_ACC_RDONLY);
    if (!file->mat)
        return fail(ctx, ORTHANT_ERROR_FORMAT, "%s: %s", file->path,
                    file->is_hdf5
                        ? "a MATLAB 7.3 file that cannot be read: it is cut short or damaged"
                        : "not a MATLAB file (version 4, 5 or 7.3)");
    if (file->is_hdf5) {
        hdf5_register_filters();
        file->hdf5 = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    if (file->reader && !confine_files())
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: the process that reads it cannot be confined", file->path);
    matvar_t *info;
    while (status == ORTHANT_OK && (info = Mat_VarReadNextInfo(file->mat))) {
        /* Of a sparse matrix, version 4 tells the shape behind the last entry. */
        if (info->class_type == MAT_C_SPARSE && Mat_GetVersion(file->mat) == MAT_FT_MAT4)
            Mat_VarReadDataAll(file->mat, info);
        mat_find_class(file, info);
        /* MATLAB writes no arrays of one dimension, h5py does: a column. */
        if (info->name && info->dims && info->rank >= (file->is_hdf5 ? 1 : 2) && info->name[0]) {
            const mat_variable about = mat_describe(info);
            status = mat_add_variable(file, info->name, &about);
        }
        found++;
        Mat_VarFree(info);
    }
    /* matio does not say why it stopped. */
    if (status == ORTHANT_OK && found < file->expected)
        status = fail(ctx, ORTHANT_ERROR_IO,
                      "%s: cannot be read to its end: %" PRId64 " of %" PRId64 " variables came",
                      file->path, found, file->expected);
    return status;
}

orthant_status mat_file_open(orthant_context *ctx, const char *path, mat_file *file)
{
    *file = (mat_file){.ctx = ctx, .path = path, .hdf5 = H5I_INVALID_HID};
    orthant_status status = mat_check(ctx, path, &file->is_hdf5, &file->expected);
    if (status == ORTHANT_OK)
        status = file_size(ctx, path, &file->bytes);
    if (status != ORTHANT_OK)
        return status;
    return ctx->confined ? mat_child_list(file) : mat_list(file);
}

void mat_file_close(mat_file *file)
{
    for (int i = 0; i < file->count; i++)
        memory_free(file->ctx, file->variables[i].name);
    memory_free(file->ctx, file->variables);
    memory_free(file->ctx, file->parts);
    child_close(file->reader);
    Mat_VarFree(file->info);
    if (file->hdf5 >= 0)
        H5Fclose(file->hdf5);
    if (file->mat)
        Mat_Close(file->mat);
    hdf5_quiet_end(&file->quiet);
}

/* ---- values --------------------------------------------------------------------------- */

/* A size of 0 where it is no number. */
static element element_of(enum matio_types type)
{
    const bool big = host_is_big();
    switch (type) {
    case MAT_T_INT8: return (element){'i', 1, big};
    case MAT_T_UINT8: return (element){'u', 1, big};
    case MAT_T_INT16: return (element){'i', 2, big};
    case MAT_T_UINT16: return (element){'u', 2, big};
    case MAT_T_INT32: return (element){'i', 4, big};
    case MAT_T_UINT32: return (element){'u', 4, big};
    case MAT_T_INT64: return (element){'i', 8, big};
    case MAT_T_UINT64: return (element){'u', 8, big};
    case MAT_T_SINGLE: return (element){'f', 4, big};
    case MAT_T_DOUBLE: return (element){'f', 8, big};
    default: return (element){0};
    }
}

/* matio hands dense values over in the type of their class, whatever the file stores. */
static enum matio_types class_type(enum matio_classes class)
{
    static const enum matio_types types[] = {MAT_T_DOUBLE, MAT_T_SINGLE, MAT_T_INT8,  MAT_T_UINT8,
                                             MAT_T_INT16,  MAT_T_UINT16, MAT_T_INT32, MAT_T_UINT32,
                                             MAT_T_INT64,  MAT_T_UINT64};
    return types[class - MAT_C_DOUBLE];
}

orthant_status mat_fail_values(const mat_file *file, const mat_variable *v)
{
    return fail(file->ctx, ORTHANT_ERROR_FORMAT,
                "%s: the values of '%s' cannot be read: the file is damaged", file->path, v->name);
}

int64_t mat_entry_bytes(const mat_variable *v)
{
    return element_of(class_type(v->class)).size;
}

int64_t mat_columns_together(const mat_variable *v)
{
    const int64_t least = LEAST_BLOCK_BYTES / mat_entry_bytes(v) / v->rows + 1;
    const int64_t part = (v->columns + MOST_BLOCKS - 1) / MOST_BLOCKS;
    const int64_t together = least > part ? least : part;
    return together < v->columns ? together : v->columns;
}

matvar_t *mat_info(mat_file *file, mat_source from)
{
    if (from.part >= 0)
        return file->parts[from.part].held;
    if (file->selected != from.variable + 1) {
        Mat_VarFree(file->info);
        file->info = Mat_VarReadInfo(file->mat, file->variables[from.variable].name);
        file->selected = from.variable + 1;
        if (file->info)
            mat_find_class(file, file->info);
    }
    return file->info;
}

orthant_status mat_read_columns(mat_file *file, mat_source from, int64_t first, int64_t count,
                                void *values)
{
    const mat_variable *v = from.about;
    int start[2] = {0, (int)first}, stride[2] = {1, 1}, edge[2] = {(int)v->rows, (int)count};
    matvar_t *info = mat_info(file, from);
    if (info && Mat_VarReadData(file->mat, info, values, start, stride, edge) == 0)
        return ORTHANT_OK;
    const orthant_status status = from.part < 0 ? mat_check_filters(file, v->name) : ORTHANT_OK;
    return status == ORTHANT_OK ? mat_fail_values(file, v) : status;
}

/* From a child process fewer at once: it reads the next ones while these are put in place. */
static orthant_status read_dense(mat_file *file, mat_source from, orthant_precision precision,
                                 orthant_matrix **found)
{
    orthant_context *ctx = file->ctx;
    const mat_variable *v = from.about;
    const int64_t size = mat_entry_bytes(v);
    if (!hdf5_can_hold(file->bytes, mat_entries(v), size))
        return fail(ctx, ORTHANT_ERROR_FORMAT,
                    "%s: '%s' says it is %" PRId64 " x %" PRId64 ", more than a file of %" PRId64
                    " bytes can hold",
                    file->path, v->name, v->rows, v->columns, file->bytes);
    int64_t block = mat_columns_together(v);
    if (file->reader && block > LEAST_BLOCK_BYTES / size / v->rows + 1)
        block = LEAST_BLOCK_BYTES / size / v->rows + 1;
    void *values = memory_new(ctx, block * v->rows, (size_t)size, "a block of a variable");
    orthant_status status = values ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (status == ORTHANT_OK)
        status = matrix_new_dense(ctx, precision, v->rows, v->columns, found);
    if (status == ORTHANT_OK)
        (*found)->lossless = element_is_lossless(element_of(class_type(v->class)), precision);
    if (status == ORTHANT_OK && file->reader)
        status = mat_child_ask_columns(file, from);
    for (int64_t first = 0; status == ORTHANT_OK && first < v->columns; first += block) {
        const int64_t count = first + block < v->columns ? block : v->columns - first;
        status = file->reader ? child_take(file->reader, values, count * v->rows * size)
                              : mat_read_columns(file, from, first, count, values);
        if (status == ORTHANT_OK)
            element_place_columns(element_of(class_type(v->class)), values, first, count, *found);
    }
    if (status == ORTHANT_OK && file->reader)
        status = child_end(file->reader);
    memory_free(ctx, values);
    return status;
}

orthant_status mat_check_sparse(const mat_file *file, const mat_variable *v,
                                const mat_sparse_t *sparse, enum matio_types type)
{
    if (element_of(type).size == 0 || !sparse->jc || (int64_t)sparse->njc < v->columns + 1 ||
        sparse->jc[0] != 0)
        return mat_fail_values(file, v);
    for (int64_t j = 0; j < v->columns; j++)
        if (sparse->jc[j + 1] < sparse->jc[j])
            return mat_fail_values(file, v);
    const int64_t stored = (int64_t)sparse->jc[v->columns];
    if (stored > (int64_t)sparse->nir || stored > (int64_t)sparse->ndata ||
        (stored > 0 && (!sparse->ir || !sparse->data)))
        return mat_fail_values(file, v);
    for (int64_t p = 0; p < stored; p++)
        if ((int64_t)sparse->ir[p] >= v->rows)
            return mat_fail_values(file, v);
    return ORTHANT_OK;
}

/* Columns in order give each row its entries in order: a counting sort of CSC into CSR. */
static orthant_status place_sparse(const mat_file *file, const mat_variable *v,
                                   const mat_sparse_t *sparse, enum matio_types type,
                                   orthant_matrix *matrix)
{
    int64_t *start = matrix->row_start;
    const element entry = element_of(type);
    const unsigned char *values = sparse->data;
    const int64_t stored = (int64_t)sparse->jc[v->columns];
    int64_t *next = memory_new(file->ctx, v->rows, sizeof *next, "the rows of a sparse variable");
    orthant_status status = next ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!next)
        return status;
    for (int64_t p = 0; p < stored; p++)
        start[sparse->ir[p] + 1]++;
    for (int64_t i = 0; i < v->rows; i++) {
        start[i + 1] += start[i];
        next[i] = start[i];
    }
    for (int64_t j = 0; j < v->columns && status == ORTHANT_OK; j++)
        for (int64_t p = (int64_t)sparse->jc[j]; p < (int64_t)sparse->jc[j + 1]; p++) {
            const int64_t row = (int64_t)sparse->ir[p], place = next[row]++;
            if (place > start[row] && matrix->column[place - 1] == (int32_t)j) {
                status = fail(file->ctx, ORTHANT_ERROR_FORMAT,
                              "%s: '%s' holds entry (%" PRId64 ", %" PRId64 ") twice", file->path,
                              v->name, row + 1, j + 1);
                break;
            }
            matrix->column[place] = (int32_t)j;
            matrix_set_value(matrix, place, element_value(entry, values + p * entry.size));
        }
    memory_free(file->ctx, next);
    return status;
}

orthant_status mat_read_sparse(mat_file *file, mat_source from, mat_sparse_t *sparse,
                               enum matio_types *type)
{
    matvar_t *info = mat_info(file, from);
    if (!info || Mat_VarReadDataAll(file->mat, info) != 0 || !info->data)
        return mat_fail_values(file, from.about);
    memcpy(sparse, info->data, sizeof *sparse);
    *type = info->data_type;
    return mat_check_sparse(file, from.about, sparse, *type);
}

static orthant_status read_sparse(mat_file *file, mat_source from, orthant_precision precision,
                                  orthant_matrix **found)
{
    const mat_variable *v = from.about;
    mat_sparse_t sparse = {0};
    enum matio_types type = MAT_T_UNKNOWN;
    /* Rows and columns cost memory even where they are empty. */
    const int64_t most = (INT64_C(1) << 24) + file->bytes;
    if (v->rows > most || v->columns > most)
        return fail(file->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: '%s' says it is %" PRId64 " x %" PRId64
                    ", nearly all of it empty, in a file of %" PRId64 " bytes",
                    file->path, v->name, v->rows, v->columns, file->bytes);
    orthant_status status = file->reader ? mat_child_read_sparse(file, from, &sparse, &type)
                                         : mat_read_sparse(file, from, &sparse, &type);
    if (status == ORTHANT_OK)
        status = matrix_new_sparse(file->ctx, precision, v->rows, v->columns,
                                   (int64_t)sparse.jc[v->columns], found);
    if (status == ORTHANT_OK)
        status = place_sparse(file, v, &sparse, type, *found);
    if (file->reader) {
        memory_free(file->ctx, sparse.jc);
        memory_free(file->ctx, sparse.ir);
        memory_free(file->ctx, sparse.data);
    }
    return status;
}

static orthant_status read_source(mat_file *file, mat_source from, orthant_precision precision,
                                  orthant_matrix **found)
{
    *found = NULL;
    const orthant_status status = from.about->class == MAT_C_SPARSE
                                      ? read_sparse(file, from, precision, found)
                                      : read_dense(file, from, precision, found);
    if (status != ORTHANT_OK) {
        orthant_matrix_free(*found);
        *found = NULL;
    }
    return status;
}

orthant_status mat_file_read(mat_file *file, const mat_variable *v, orthant_precision precision,
                             orthant_matrix **found)
{
    const mat_source from = {(int)(v - file->variables), -1, v};
    return read_source(file, from, precision, found);
}

orthant_status mat_file_read_part(mat_file *file, int part, orthant_matrix **found)
{
    mat_part *p = &file->parts[part];
    mat_variable *v = &p->about;
    *found = NULL;
    v->name = p->name;
    if (p->empty)
        return fail(file->ctx, ORTHANT_ERROR_DATA, "%s: '%s' is empty, expected a matrix",
                    file->path, p->name);
    if (!mat_is_matrix(v) || v->class == MAT_C_SPARSE || v->rows < 1 || v->columns < 1 ||
        v->rows > INT_MAX || v->columns > INT_MAX)
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' is of class %s, expected a matrix of real numbers", file->path,
                    p->name, mat_class_name(v));
    const mat_source from = {file->of_variable, part, v};
    return read_source(file, from, ORTHANT_DOUBLE, found);
}
