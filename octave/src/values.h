/* Values of Octave and MATLAB to those of the binding, and the library's back. */
#ifndef ORTHANT_VALUES_H
#define ORTHANT_VALUES_H

#include <stdbool.h>

#include "binding.h"
#include "mex.h"

/* Real, single or double, a matrix; refused otherwise, with `what` it is. */
binding_array array_of(const mxArray *value, const char *what);
/* The text belongs to the host, which frees it when the MEX function returns. */
const char *text_of(const mxArray *value, const char *what);
double number_of(const mxArray *value, const char *what);
/* A text, a number (true and false too) or an array. */
binding_value value_of(const mxArray *value, const char *what);

mxArray *matrix_value(const orthant_matrix *matrix); /* [] for NULL */
mxArray *graph_value(const orthant_graph *graph);
mxArray *labels_value(const orthant_labels *labels, double first); /* a column; -1 is NaN */

/* A struct of one element that grows. */
mxArray *new_struct(void);
void set_field(mxArray *record, const char *name, mxArray *value);
void set_text(mxArray *record, const char *name, const char *text);
void set_number(mxArray *record, const char *name, double number);

/* Ends the call and the library's objects, and is the host's error. */
void stop_with(const char *identifier, const char *format, ...);

#endif
