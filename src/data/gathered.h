/* Samples that stand in two places: the first are a matrix of their own, the others are listed rows
 * of another. Of CSR data these are read where they are; of dense data they are copied. */
#ifndef DATA_GATHERED_H
#define DATA_GATHERED_H

#include "data/strip.h"

typedef struct gathered {
    orthant_context *ctx;
    const orthant_matrix *head, *others;
    int64_t *start, *end; /* CSR: where the entries of each listed row lie */
    orthant_matrix *copy; /* dense: the listed rows */
    source source;
} gathered;

/* Both matrices must live as long. Release in any case. */
orthant_status gathered_setup(gathered *g, orthant_context *ctx, const orthant_matrix *head,
                              const orthant_matrix *others, const int64_t *row, int64_t count);
void gathered_release(gathered *g);

#endif
