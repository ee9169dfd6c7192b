/* The losses that there are: a new one is a file, and a row here and in losses.c. */
#ifndef LOSS_LOSSES_H
#define LOSS_LOSSES_H

#include "engine/loss.h"

extern const loss loss_frobenius, loss_kl;

/* As a parameter's words. */
#define ALL_LOSSES "frobenius|kl"

int loss_count(void);
const loss *loss_at(int index);          /* NULL where there is none */
const loss *loss_find(const char *name); /* the same */

/* |X - W S'|^2 of the factors as they are, whatever the loss of the sweep; one pass over X. */
orthant_status frobenius_error(const sweep *s, double *error);

#endif
