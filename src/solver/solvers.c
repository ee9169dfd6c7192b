#include "solver/solvers.h"

#include <string.h>

#include "core/text.h"

static const solver *const solvers[] = {&solver_mu, &solver_emu, &solver_hals, &solver_newton};

int solver_count(void)
{
    return (int)(sizeof solvers / sizeof *solvers);
}

const solver *solver_at(int index)
{
    return index < 0 || index >= solver_count() ? NULL : solvers[index];
}

const solver *solver_find(const char *name)
{
    for (int i = 0; i < solver_count(); i++)
        if (!strcmp(solvers[i]->name, name))
            return solvers[i];
    return NULL;
}

void solver_list(const loss *l, char *text, size_t size)
{
    int left = 0;
    text[0] = '\0';
    for (int i = 0; i < solver_count(); i++)
        left += !solvers[i]->accepts || solvers[i]->accepts(l);
    for (int i = 0; i < solver_count(); i++) {
        const solver *each = solvers[i];
        if (each->accepts && !each->accepts(l))
            continue;
        left--;
        text_append(text, size, "%s%s", each->name, left > 1 ? ", " : left == 1 ? " or " : "");
    }
}
