/* Multiplicative updates: rows <- rows .* (N ./ D)^e (Lee and Seung 2001). The exponent e is the
 * loss's, or less where the safeguard acts. */
#include "engine/loss.h"
#include "solver/solvers.h"

static void rows(const sweep *s, const sweep_step *t, const row_update *u)
{
    s->ops->update(u->to, u->from, u->numerator, u->denominator,
                   t->exponent * s->problem->loss->exponent);
}

const solver solver_mu = {
    .name = "mu",
    .title = "multiplicative updates",
    .rows = rows,
};
