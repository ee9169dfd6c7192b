#include "values.h"

#include <math.h>
#include <string.h>

/* ---- in ---------------------------------------------------------------------------------------
 */

binding_array array_of(const mxArray *value, const char *what)
{
    if (mxIsComplex(value) || !(mxIsDouble(value) || mxIsSingle(value)))
        stop_with("argument", "%s: found %s%s, expected a real matrix, single or double", what,
                  mxIsComplex(value) ? "complex " : "", mxGetClassName(value));
    if (mxGetNumberOfDimensions(value) != 2)
        stop_with("argument", "%s: found an array of %d dimensions, expected a matrix", what,
                  (int)mxGetNumberOfDimensions(value));
    binding_array array = {.precision = mxIsSingle(value) ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                           .rows = (int64_t)mxGetM(value),
                           .columns = (int64_t)mxGetN(value),
                           .values = mxGetData(value),
                           .sparse = mxIsSparse(value)};
    if (array.sparse) {
        array.start = mxGetJc(value);
        array.index = mxGetIr(value);
        array.index_bits = 8 * (int)sizeof(mwIndex);
    }
    return array;
}

const char *text_of(const mxArray *value, const char *what)
{
    if (!mxIsChar(value) || mxGetM(value) > 1)
        stop_with("argument", "%s: found %s, expected a text", what, mxGetClassName(value));
    return mxArrayToString(value);
}

static bool is_number(const mxArray *value)
{
    return (mxIsNumeric(value) || mxIsLogical(value)) && mxGetNumberOfElements(value) == 1 &&
           !mxIsComplex(value);
}

double number_of(const mxArray *value, const char *what)
{
    if (!is_number(value))
        stop_with("argument", "%s: found %s of %d x %d, expected a number", what,
                  mxGetClassName(value), (int)mxGetM(value), (int)mxGetN(value));
    return mxGetScalar(value);
}

binding_value value_of(const mxArray *value, const char *what)
{
    if (mxIsChar(value))
        return (binding_value){.kind = BINDING_TEXT, .text = text_of(value, what)};
    /* A matrix of 1 x 1 is taken as a number: no option has both. */
    if (is_number(value))
        return (binding_value){.kind = BINDING_NUMBER, .number = mxGetScalar(value)};
    return (binding_value){.kind = BINDING_ARRAY, .array = array_of(value, what)};
}

/* ---- out --------------------------------------------------------------------------------------
 */

static mxArray *array_value(const orthant_array *view)
{
    const mwSize rows = (mwSize)view->rows, columns = (mwSize)view->columns;
    mxArray *value;
    if (view->sparse) {
        value = mxCreateSparse(rows, columns, (mwSize)(view->stored ? view->stored : 1), mxREAL);
        binding_copy_columns(view, 8 * (int)sizeof(mwIndex), mxGetJc(value), mxGetIr(value),
                             mxGetPr(value));
        return value;
    }
    value = mxCreateNumericMatrix(
        rows, columns, view->precision == ORTHANT_SINGLE ? mxSINGLE_CLASS : mxDOUBLE_CLASS, mxREAL);
    binding_copy_dense(view, view->precision, mxGetData(value));
    return value;
}

mxArray *matrix_value(const orthant_matrix *matrix)
{
    orthant_array view = {.size = sizeof view};
    if (!matrix)
        return mxCreateDoubleMatrix(0, 0, mxREAL);
    if (orthant_matrix_view(matrix, &view))
        stop_with("memory", "a matrix cannot be looked at");
    return array_value(&view);
}

mxArray *graph_value(const orthant_graph *graph)
{
    orthant_array view = {.size = sizeof view};
    if (orthant_graph_view(graph, &view))
        stop_with("memory", "a graph cannot be looked at");
    return array_value(&view);
}

mxArray *labels_value(const orthant_labels *labels, double first)
{
    const int64_t count = orthant_labels_count(labels);
    const int64_t *from = orthant_labels_values(labels);
    mxArray *value = mxCreateDoubleMatrix((mwSize)count, 1, mxREAL);
    for (int64_t i = 0; i < count; i++)
        mxGetPr(value)[i] = from[i] == -1 ? (double)NAN : (double)from[i] + first;
    return value;
}

mxArray *new_struct(void)
{
    return mxCreateStructMatrix(1, 1, 0, NULL);
}

void set_field(mxArray *record, const char *name, mxArray *value)
{
    const int field = mxAddField(record, name);
    mxSetFieldByNumber(record, 0, field, value);
}

void set_text(mxArray *record, const char *name, const char *text)
{
    set_field(record, name, mxCreateString(text ? text : ""));
}

void set_number(mxArray *record, const char *name, double number)
{
    set_field(record, name, mxCreateDoubleScalar(number));
}
