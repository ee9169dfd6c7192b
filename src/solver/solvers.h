/* The solvers that there are: a new one is a file, and a row here and in solvers.c. */
#ifndef SOLVER_SOLVERS_H
#define SOLVER_SOLVERS_H

#include "engine/loss.h"
#include "engine/solver.h"

extern const solver solver_mu, solver_emu, solver_hals, solver_newton;

/* As a parameter's words. */
#define ALL_SOLVERS "mu|emu|hals|newton"

int solver_count(void);
const solver *solver_at(int index);          /* NULL where there is none */
const solver *solver_find(const char *name); /* the same */
/* "mu, emu or hals": those that accept the loss. */
void solver_list(const loss *l, char *text, size_t size);

#endif
