/* The table of terms: a new one is a file and a row here. */
#include <string.h>

#include "term/terms.h"

static const term_kind *const kinds[] = {&term_topographic, &term_class,    &term_local,
                                         &term_graph,       &term_sparsity, &term_a_optimal};

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
