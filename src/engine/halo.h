/* Rows of other processes that a graph joins to own ones: they lie behind the own rows of a factor,
 * and are exchanged when its rows have changed. */
#ifndef ENGINE_HALO_H
#define ENGINE_HALO_H

#include "engine/group.h"

typedef struct halo {
    sample_share share;
    int64_t first;       /* row behind the own ones: those before it are of other terms */
    int64_t rows;        /* of others, in the order of all samples */
    int64_t edges;       /* from own rows to these */
    int64_t *sent;       /* own rows, for each rank those that it wants */
    int64_t *sent_from;  /* ranks + 1: where those of a rank begin in `sent` */
    int64_t *taken_from; /* ranks + 1: and what comes from it, among `rows` */
    char *send, *received;
    const void **to;
    void **from;
    int64_t *to_bytes, *from_bytes;
    int64_t row_bytes;
} halo;

/* Of a symmetric graph of all samples, which every process has: own rows of it, with own columns
 * first and then, `first` columns on, those of the halo. Release in any case. */
orthant_status halo_setup(halo *h, const sample_share *s, const orthant_matrix *graph,
                          int64_t first, orthant_matrix **own);
/* For rows of so many bytes. */
orthant_status halo_new_rows(halo *h, int64_t row_bytes);
void halo_release(halo *h);
/* Bytes that this process sends and receives in an exchange. */
int64_t halo_moved_bytes(const halo *h);
/* `factor` has room for the halo behind its rows. */
void halo_exchange(halo *h, const kernels *ops, array factor);

#endif
