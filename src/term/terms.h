/* The terms that there are: a new one is a file, and a row here and in terms.c. */
#ifndef TERM_TERMS_H
#define TERM_TERMS_H

#include "engine/term.h"

extern const term_kind term_topographic, term_class, term_local, term_graph, term_sparsity,
    term_sparsity_basis, term_ridge, term_ridge_basis, term_smooth, term_smooth_basis,
    term_orthogonal, term_orthogonal_basis, term_volume, term_a_optimal;

int term_kind_count(void);
const term_kind *term_kind_at(int index);
const term_kind *term_kind_find(const char *name); /* NULL where there is none */

#endif
