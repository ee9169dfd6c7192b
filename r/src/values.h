/* Values of R to those of the binding, and the library's back. */
#ifndef ORTHANT_VALUES_H
#define ORTHANT_VALUES_H

#include "binding.h"

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

/* A matrix or vector of doubles, a dgCMatrix or a dgRMatrix; R's error otherwise, with `what` it
 * is. */
binding_array array_of(SEXP value, const char *what);
/* A text or a number of length 1, or an array. */
binding_value value_of(SEXP value, const char *what);
const char *text_of(SEXP value, const char *what);
double number_of(SEXP value, const char *what);

/* The element of a named list; R_NilValue where there is none. */
SEXP element(SEXP list, const char *name);

/* Results are not protected. Sparse ones are lists of i, p, x and Dim. */
SEXP matrix_value(const orthant_matrix *matrix); /* NULL for NULL */
SEXP graph_value(const orthant_graph *graph);
SEXP labels_value(const orthant_labels *labels, int first); /* integers; -1 is NA; NULL for NULL */

/* A named list that is filled in the order of its names. */
typedef struct list {
    SEXP values, names;
    int count;
} list;
list list_begin(int size); /* protects two */
void list_add(list *l, const char *name, SEXP value);
SEXP list_end(const list *l); /* unprotects them */

#endif
