/* Multiplicative updates, extrapolated. */
#include "solver/extrapolate.h"
#include "solver/solvers.h"

/* A term on S alone moves the scale from S to W: were growth alone extrapolated, S would be held up
 * against it. */
static void rows(const sweep *s, const sweep_step *t, const row_update *u)
{
    solver_mu.rows(s, t, u);
    extrapolate(s, t, u->b, u->basis, u->to, s->problem->term_count > 0);
}

const solver solver_emu = {
    .name = "emu",
    .title = "extrapolated multiplicative updates",
    .arrays = 1,
    .may_rise = true,
    .rows = rows,
};
