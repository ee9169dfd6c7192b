#include "solver/solvers.h"

#include <string.h>

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
