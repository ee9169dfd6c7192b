#include "values.h"

#include <limits.h>
#include <string.h>

/* ---- in ---------------------------------------------------------------------------------------
 */

static binding_array sparse_of(SEXP value)
{
    const bool by_rows = Rf_inherits(value, "dgRMatrix");
    const int *dim = INTEGER(R_do_slot(value, Rf_install("Dim")));
    return (binding_array){.precision = ORTHANT_DOUBLE,
                           .rows = dim[0],
                           .columns = dim[1],
                           .values = REAL(R_do_slot(value, Rf_install("x"))),
                           .sparse = true,
                           .by_rows = by_rows,
                           .start = INTEGER(R_do_slot(value, Rf_install("p"))),
                           .index = INTEGER(R_do_slot(value, Rf_install(by_rows ? "j" : "i"))),
                           .index_bits = 32};
}

binding_array array_of(SEXP value, const char *what)
{
    if (Rf_inherits(value, "dgCMatrix") || Rf_inherits(value, "dgRMatrix"))
        return sparse_of(value);
    if (TYPEOF(value) != REALSXP)
        Rf_errorcall(R_NilValue, "%s: found %s, expected a matrix of numbers", what,
                     Rf_type2char((SEXPTYPE)TYPEOF(value)));
    const SEXP dim = Rf_getAttrib(value, R_DimSymbol);
    const bool matrix = TYPEOF(dim) == INTSXP && XLENGTH(dim) == 2;
    return (binding_array){.precision = ORTHANT_DOUBLE,
                           .rows = matrix ? INTEGER(dim)[0] : (int64_t)XLENGTH(value),
                           .columns = matrix ? INTEGER(dim)[1] : 1,
                           .values = REAL(value)};
}

const char *text_of(SEXP value, const char *what)
{
    if (TYPEOF(value) != STRSXP || XLENGTH(value) != 1 || STRING_ELT(value, 0) == NA_STRING)
        Rf_errorcall(R_NilValue, "%s: expected one text", what);
    return Rf_translateCharUTF8(STRING_ELT(value, 0));
}

static bool is_number(SEXP value)
{
    return (TYPEOF(value) == REALSXP || TYPEOF(value) == INTSXP || TYPEOF(value) == LGLSXP) &&
           XLENGTH(value) == 1 && Rf_getAttrib(value, R_DimSymbol) == R_NilValue;
}

double number_of(SEXP value, const char *what)
{
    if (!is_number(value))
        Rf_errorcall(R_NilValue, "%s: expected one number", what);
    return Rf_asReal(value);
}

binding_value value_of(SEXP value, const char *what)
{
    if (TYPEOF(value) == STRSXP)
        return (binding_value){.kind = BINDING_TEXT, .text = text_of(value, what)};
    if (is_number(value))
        return (binding_value){.kind = BINDING_NUMBER, .number = Rf_asReal(value)};
    return (binding_value){.kind = BINDING_ARRAY, .array = array_of(value, what)};
}

SEXP element(SEXP record, const char *name)
{
    const SEXP names = Rf_getAttrib(record, R_NamesSymbol);
    for (R_xlen_t i = 0; i < XLENGTH(record); i++)
        if (!strcmp(CHAR(STRING_ELT(names, i)), name))
            return VECTOR_ELT(record, i);
    return R_NilValue;
}

/* ---- out --------------------------------------------------------------------------------------
 */

list list_begin(int size)
{
    list l = {.count = 0};
    l.values = PROTECT(Rf_allocVector(VECSXP, size));
    l.names = PROTECT(Rf_allocVector(STRSXP, size));
    return l;
}

void list_add(list *l, const char *name, SEXP value)
{
    SET_VECTOR_ELT(l->values, l->count, value);
    SET_STRING_ELT(l->names, l->count++, Rf_mkCharCE(name, CE_UTF8));
}

SEXP list_end(const list *l)
{
    Rf_setAttrib(l->values, R_NamesSymbol, l->names);
    UNPROTECT(2);
    return l->values;
}

static SEXP sparse_value(const orthant_array *view)
{
    if (view->rows >= INT_MAX || view->columns >= INT_MAX || view->stored >= INT_MAX)
        Rf_errorcall(R_NilValue,
                     "a sparse matrix of %lld x %lld with %lld entries is too large for R",
                     (long long)view->rows, (long long)view->columns, (long long)view->stored);
    list l = list_begin(4);
    list_add(&l, "i", Rf_allocVector(INTSXP, (R_xlen_t)view->stored));
    list_add(&l, "p", Rf_allocVector(INTSXP, (R_xlen_t)view->columns + 1));
    list_add(&l, "x", Rf_allocVector(REALSXP, (R_xlen_t)view->stored));
    list_add(&l, "Dim", Rf_allocVector(INTSXP, 2));
    binding_copy_columns(view, 32, INTEGER(VECTOR_ELT(l.values, 1)),
                         INTEGER(VECTOR_ELT(l.values, 0)), REAL(VECTOR_ELT(l.values, 2)));
    INTEGER(VECTOR_ELT(l.values, 3))[0] = (int)view->rows;
    INTEGER(VECTOR_ELT(l.values, 3))[1] = (int)view->columns;
    return list_end(&l);
}

static SEXP array_value(const orthant_array *view)
{
    if (view->sparse)
        return sparse_value(view);
    if (view->rows >= INT_MAX || view->columns >= INT_MAX)
        Rf_errorcall(R_NilValue, "a matrix of %lld x %lld is too large for R",
                     (long long)view->rows, (long long)view->columns);
    SEXP value = PROTECT(Rf_allocMatrix(REALSXP, (int)view->rows, (int)view->columns));
    binding_copy_dense(view, ORTHANT_DOUBLE, REAL(value));
    UNPROTECT(1);
    return value;
}

SEXP matrix_value(const orthant_matrix *matrix)
{
    orthant_array view = {.size = sizeof view};
    if (!matrix)
        return R_NilValue;
    if (orthant_matrix_view(matrix, &view))
        Rf_errorcall(R_NilValue, "a matrix cannot be looked at");
    return array_value(&view);
}

SEXP graph_value(const orthant_graph *graph)
{
    orthant_array view = {.size = sizeof view};
    if (orthant_graph_view(graph, &view))
        Rf_errorcall(R_NilValue, "a graph cannot be looked at");
    return array_value(&view);
}

SEXP labels_value(const orthant_labels *labels, int first)
{
    if (!labels)
        return R_NilValue;
    const int64_t count = orthant_labels_count(labels);
    const int64_t *from = orthant_labels_values(labels);
    SEXP value = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count));
    for (int64_t i = 0; i < count; i++) {
        if (from[i] > INT_MAX - 1 || from[i] < -INT_MAX)
            Rf_errorcall(R_NilValue, "the label %lld is too large for R", (long long)from[i]);
        INTEGER(value)[i] = from[i] == -1 ? NA_INTEGER : (int)from[i] + first;
    }
    UNPROTECT(1);
    return value;
}
