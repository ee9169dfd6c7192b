/* The table of terms: a new one is a file and a row here. */
#include <string.h>

#include "core/sized.h"
#include "term/terms.h"

static const term_kind *const kinds[] = {
    &term_topographic,      &term_class,     &term_local,          &term_graph,
    &term_sparsity,         &term_a_optimal, &term_sparsity_basis, &term_ridge,
    &term_ridge_basis,      &term_smooth,    &term_smooth_basis,   &term_orthogonal,
    &term_orthogonal_basis, &term_volume};

int term_kind_count(void)
{
    return (int)(sizeof kinds / sizeof *kinds);
}

const term_kind *term_kind_at(int index)
{
    return index < 0 || index >= term_kind_count() ? NULL : kinds[index];
}

const term_kind *term_kind_find(const char *name)
{
    for (int i = 0; i < term_kind_count(); i++)
        if (!strcmp(kinds[i]->name, name))
            return kinds[i];
    return NULL;
}

int orthant_term_count(void)
{
    return term_kind_count();
}

const char *orthant_term_name(int index)
{
    const term_kind *kind = term_kind_at(index);
    return kind ? kind->name : NULL;
}

const char *orthant_term_title(int index)
{
    const term_kind *kind = term_kind_at(index);
    return kind ? kind->title : NULL;
}

orthant_status orthant_term_parameter(const char *name, int index, orthant_parameter_info *info)
{
    const term_kind *kind = name ? term_kind_find(name) : NULL;
    if (!kind || index < 0 || index >= parameter_count(kind->parameters))
        return ORTHANT_ERROR_ARGUMENT;
    return sized_give(NULL, __func__, &kind->parameters[index], sizeof *info, info);
}
