#include "solver/extrapolate.h"

/* Of an entry that the updates left positive, so much stays at least: without it nothing might fit
 * an entry of X, and the objective would be infinite. */
#define LEFT 0.01

void extrapolate(const sweep *s, const sweep_step *t, block b, bool basis, array rows,
                 bool both_ways)
{
    const kernels *ops = s->ops;
    const array last = sweep_rows(s, basis ? s->factors.updated_basis : s->factors.updated_encoding,
                                  b),
                change = sweep_term_array(s, b, 0);
    ops->copy(change, rows);
    ops->add(change, -1, last);
    if (!both_ways)
        ops->positive_part(change);
    ops->copy(last, rows);
    if (t->momentum > 0)
        ops->add(rows, t->momentum, change);
    if (t->momentum > 0 && both_ways) {
        ops->add(rows, -LEFT, last);
        ops->positive_part(rows);
        ops->add(rows, LEFT, last);
    }
}
