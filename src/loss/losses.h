/* The losses that there are: a new one is a file, and a row here and in losses.c. */
#ifndef LOSS_LOSSES_H
#define LOSS_LOSSES_H

#include "engine/loss.h"

extern const loss loss_frobenius, loss_kl, loss_is, loss_beta, loss_huber, loss_l1,
    loss_euclidean_entrywise;

/* As a parameter's words; a capital letter stands for a number. */
#define ALL_LOSSES "frobenius|kl|is|beta:B|huber:D|l1|euclidean-entrywise"

int loss_count(void);
const loss *loss_at(int index);          /* NULL where there is none */
const loss *loss_find(const char *name); /* the same; one that takes a parameter has a default */

/* The table's name of a loss that scikit-learn calls otherwise ("itakura-saito"); other texts as
 * they are. */
const char *loss_table_name(const char *text);

/* The loss that a text names, with its parameter ("beta:0.5"). Its name is the text, which must
 * live as long. Refuses what is no loss, and a parameter outside of its range. */
orthant_status loss_make(orthant_context *ctx, const char *text, loss *made);
/* Makes the loss one that takes weights of entries: frobenius and kl become rules. */
void loss_take_weights(loss *l);

/* |X - W S'|^2 of the factors as they are, whatever the loss of the sweep; one pass over X. */
orthant_status frobenius_error(const sweep *s, double *error);
/* The same and |X|^2 under weights of entries, by which both sums go; two passes over X. */
void weighted_error(sweep *s, double *error, double *squares);
/* What frobenius_error takes. */
int64_t frobenius_error_bytes(const problem *p);

#endif
