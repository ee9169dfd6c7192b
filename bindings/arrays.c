/* Arrays between hosts, which have columns, and the library, which has rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

static int64_t get_index(const void *array, int bits, int64_t i)
{
    return bits == 32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

static void set_index(void *array, int bits, int64_t i, int64_t value)
{
    if (bits == 32)
        ((int32_t *)array)[i] = (int32_t)value;
    else
        ((int64_t *)array)[i] = value;
}

static double get_value(const void *array, orthant_precision precision, int64_t i)
{
    return precision == ORTHANT_SINGLE ? (double)((const float *)array)[i]
                                       : ((const double *)array)[i];
}

static void set_value(void *array, orthant_precision precision, int64_t i, double value)
{
    if (precision == ORTHANT_SINGLE)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static size_t value_size(orthant_precision precision)
{
    return precision == ORTHANT_SINGLE ? sizeof(float) : sizeof(double);
}

/* ---- compressed arrays -------------------------------------------------------------------------
 */

/* Lines are rows of CSR, or columns of compressed columns; an entry has a place in its line. */
typedef struct compressed {
    int64_t lines, places;
    void *start, *index, *values;
    int start_bits, index_bits;
    orthant_precision precision;
} compressed;

static int64_t stored(const compressed *c)
{
    return get_index(c->start, c->start_bits, c->lines);
}

/* Places become lines, in one pass to count them and one to move the entries, whose order within a
 * line rises. `to` has its arrays. */
static void transpose(const compressed *from, const compressed *to)
{
    const int64_t count = stored(from);
    for (int64_t line = 0; line <= to->lines; line++)
        set_index(to->start, to->start_bits, line, 0);
    for (int64_t e = 0; e < count; e++) {
        const int64_t place = get_index(from->index, from->index_bits, e);
        set_index(to->start, to->start_bits, place + 1,
                  get_index(to->start, to->start_bits, place + 1) + 1);
    }
    for (int64_t line = 0; line < to->lines; line++)
        set_index(to->start, to->start_bits, line + 1,
                  get_index(to->start, to->start_bits, line) +
                      get_index(to->start, to->start_bits, line + 1));
    /* Each start moves on to the next line's while its line is filled. */
    for (int64_t line = 0; line < from->lines; line++)
        for (int64_t e = get_index(from->start, from->start_bits, line);
             e < get_index(from->start, from->start_bits, line + 1); e++) {
            const int64_t place = get_index(from->index, from->index_bits, e);
            const int64_t at = get_index(to->start, to->start_bits, place);
            set_index(to->index, to->index_bits, at, line);
            set_value(to->values, to->precision, at, get_value(from->values, from->precision, e));
            set_index(to->start, to->start_bits, place, at + 1);
        }
    for (int64_t line = to->lines; line > 0; line--)
        set_index(to->start, to->start_bits, line, get_index(to->start, to->start_bits, line - 1));
    set_index(to->start, to->start_bits, 0, 0);
}

static bool places_are_right(const binding_array *a)
{
    const int64_t places = a->by_rows ? a->columns : a->rows;
    const int64_t lines = a->by_rows ? a->rows : a->columns;
    int64_t last = 0;
    for (int64_t line = 0; line <= lines; line++) {
        const int64_t start = get_index(a->start, a->index_bits, line);
        if (start < last || (!line && start))
            return false;
        last = start;
    }
    for (int64_t e = 0; e < last; e++) {
        const int64_t place = get_index(a->index, a->index_bits, e);
        if (place < 0 || place >= places)
            return false;
    }
    return true;
}

/* ---- to the library ----------------------------------------------------------------------------
 */

static orthant_status no_memory(binding *b, int64_t rows, int64_t columns)
{
    snprintf(b->refusal, sizeof b->refusal, "no memory for a matrix of %lld x %lld",
             (long long)rows, (long long)columns);
    return ORTHANT_ERROR_MEMORY;
}

static orthant_status wrap_owned(binding *b, const orthant_array *array, void *memory,
                                 orthant_matrix **matrix)
{
    const orthant_status status = orthant_matrix_wrap(b->context, array, free, memory, matrix);
    if (status)
        free(memory);
    return status;
}

/* Entries that have to be in another precision, row by row. */
static orthant_status take_converted(binding *b, const orthant_array *array,
                                     orthant_precision precision, orthant_matrix **matrix)
{
    const size_t count = (size_t)array->rows * (size_t)array->columns;
    void *values = malloc(count * value_size(precision) + 1);
    if (!values)
        return no_memory(b, array->rows, array->columns);
    for (int64_t i = 0; i < array->rows; i++)
        for (int64_t j = 0; j < array->columns; j++)
            set_value(values, precision, i * array->columns + j,
                      get_value(array->values, array->precision,
                                i * array->row_stride + j * array->column_stride));
    orthant_array converted = *array;
    converted.precision = precision;
    converted.values = values;
    converted.row_stride = array->columns;
    converted.column_stride = 1;
    return wrap_owned(b, &converted, values, matrix);
}

static orthant_status take_dense(binding *b, const binding_array *a, bool transposed,
                                 orthant_precision precision, orthant_matrix **matrix)
{
    const orthant_array array = {.size = sizeof array,
                                 .precision = a->precision,
                                 .rows = transposed ? a->columns : a->rows,
                                 .columns = transposed ? a->rows : a->columns,
                                 .values = a->values,
                                 .row_stride = transposed ? a->rows : 1,
                                 .column_stride = transposed ? 1 : a->rows};
    if (precision != a->precision)
        return take_converted(b, &array, precision, matrix);
    return orthant_matrix_wrap(b->context, &array, NULL, NULL, matrix);
}

/* Its lines are the rows that are wanted: at most the values have to be converted. */
static orthant_status take_lines(binding *b, const binding_array *a, int64_t rows, int64_t columns,
                                 orthant_precision precision, orthant_matrix **matrix)
{
    orthant_array array = {.size = sizeof array,
                           .precision = precision,
                           .sparse = true,
                           .rows = rows,
                           .columns = columns,
                           .values = a->values,
                           .stored = get_index(a->start, a->index_bits, rows),
                           .row_start = a->start,
                           .column = a->index,
                           .row_start_bits = a->index_bits,
                           .column_bits = a->index_bits};
    if (precision == a->precision)
        return orthant_matrix_wrap(b->context, &array, NULL, NULL, matrix);
    void *values = malloc((size_t)array.stored * value_size(precision) + 1);
    if (!values)
        return no_memory(b, rows, columns);
    for (int64_t e = 0; e < array.stored; e++)
        set_value(values, precision, e, get_value(a->values, a->precision, e));
    array.values = values;
    return wrap_owned(b, &array, values, matrix);
}

/* One block of memory for the rows that columns become: values, starts, columns. */
static orthant_status take_columns(binding *b, const compressed *from, orthant_precision precision,
                                   orthant_matrix **matrix)
{
    const size_t count = (size_t)stored(from);
    const size_t starts = ((size_t)from->places + 1) * sizeof(int64_t);
    const size_t values = (count * value_size(precision) + 7) / 8 * 8;
    char *memory = malloc(starts + values + count * sizeof(int32_t));
    if (!memory)
        return no_memory(b, from->places, from->lines);
    const compressed to = {from->places,    from->lines, memory, memory + starts + values,
                           memory + starts, 64,          32,     precision};
    transpose(from, &to);
    const orthant_array array = {.size = sizeof array,
                                 .precision = precision,
                                 .sparse = true,
                                 .rows = to.lines,
                                 .columns = to.places,
                                 .values = to.values,
                                 .stored = (int64_t)count,
                                 .row_start = to.start,
                                 .column = to.index,
                                 .row_start_bits = 64,
                                 .column_bits = 32};
    return wrap_owned(b, &array, memory, matrix);
}

static orthant_status take_sparse(binding *b, const binding_array *a, bool transposed,
                                  orthant_precision precision, orthant_matrix **matrix)
{
    const int64_t rows = transposed ? a->columns : a->rows;
    const int64_t columns = transposed ? a->rows : a->columns;
    if (!places_are_right(a) || columns > INT32_MAX) {
        snprintf(b->refusal, sizeof b->refusal,
                 "a sparse matrix of %lld x %lld whose indices cannot be", (long long)a->rows,
                 (long long)a->columns);
        return ORTHANT_ERROR_ARGUMENT;
    }
    if (a->by_rows != transposed)
        return take_lines(b, a, rows, columns, precision, matrix);
    const compressed from = {columns,
                             rows,
                             (void *)(uintptr_t)a->start,
                             (void *)(uintptr_t)a->index,
                             (void *)(uintptr_t)a->values,
                             a->index_bits,
                             a->index_bits,
                             a->precision};
    return take_columns(b, &from, precision, matrix);
}

orthant_status binding_take(binding *b, const binding_array *array, bool transposed,
                            orthant_matrix **matrix)
{
    const orthant_precision precision = b->convert ? b->precision : array->precision;
    return (array->sparse ? take_sparse : take_dense)(b, array, transposed, precision, matrix);
}

orthant_array binding_symmetric(const binding_array *a)
{
    orthant_array array = {.size = sizeof array,
                           .precision = a->precision,
                           .sparse = a->sparse,
                           .rows = a->rows,
                           .columns = a->columns,
                           .values = a->values,
                           .row_stride = a->rows,
                           .column_stride = 1};
    if (a->sparse) {
        array.row_stride = array.column_stride = 0;
        array.stored = get_index(a->start, a->index_bits, a->by_rows ? a->rows : a->columns);
        array.row_start = a->start;
        array.column = a->index;
        array.row_start_bits = array.column_bits = a->index_bits;
    }
    return array;
}

orthant_status binding_take_labels(binding *b, const binding_array *a, const char *what,
                                   orthant_labels **labels)
{
    const int64_t count = a->rows * a->columns;
    if (a->sparse || (a->rows != 1 && a->columns != 1 && count)) {
        snprintf(b->refusal, sizeof b->refusal,
                 "%s: expected a vector with a number for each sample, found a%s matrix of "
                 "%lld x %lld",
                 what, a->sparse ? " sparse" : "", (long long)a->rows, (long long)a->columns);
        return ORTHANT_ERROR_ARGUMENT;
    }
    int64_t *values = malloc((size_t)count * sizeof *values + 1);
    if (!values)
        return no_memory(b, count, 1);
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < count && !status; i++) {
        const double value = get_value(a->values, a->precision, i);
        values[i] = isnan(value) ? -1 : fabs(value) < 9e15 ? (int64_t)value : 0;
        if (!isnan(value) && (double)values[i] != value) {
            snprintf(b->refusal, sizeof b->refusal,
                     "%s: entry %lld is %g; expected a whole number, or NaN where it is not known",
                     what, (long long)i + 1, value);
            status = ORTHANT_ERROR_ARGUMENT;
        }
    }
    if (!status)
        status = orthant_labels_create(b->context, count, values, labels);
    free(values);
    return status;
}

int64_t binding_classes(const orthant_labels *labels)
{
    const int64_t count = orthant_labels_count(labels), *values = orthant_labels_values(labels);
    int64_t largest = -1;
    for (int64_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest + 1;
}

/* ---- to the host -------------------------------------------------------------------------------
 */

void binding_copy_dense(const orthant_array *view, orthant_precision precision, void *values)
{
    for (int64_t i = 0; i < view->rows; i++)
        for (int64_t j = 0; j < view->columns; j++)
            set_value(values, precision, i + j * view->rows,
                      get_value(view->values, view->precision,
                                i * view->row_stride + j * view->column_stride));
}

void binding_copy_columns(const orthant_array *view, int index_bits, void *start, void *index,
                          double *values)
{
    const compressed from = {view->rows,
                             view->columns,
                             (void *)(uintptr_t)view->row_start,
                             (void *)(uintptr_t)view->column,
                             (void *)(uintptr_t)view->values,
                             view->row_start_bits,
                             view->column_bits,
                             view->precision};
    const compressed to = {view->columns, view->rows, start,      index,
                           values,        index_bits, index_bits, ORTHANT_DOUBLE};
    transpose(&from, &to);
}
