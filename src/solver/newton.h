/* Newton's steps for rows of a factor: what newton.c has, and what it makes of rows of sparse and
 * of dense data (newton_rows.c). */
#ifndef SOLVER_NEWTON_H
#define SOLVER_NEWTON_H

#include "engine/sweep.h"
#include "solver/feature_panels.h"

typedef struct newton {
    int32_t *sample_order;   /* of CSR data: in each block, those with many entries first */
    feature_panels features; /* of CSR data */
    double least;            /* that an entry counts as fitted with */
    int64_t longest;         /* entries of a row */
    int64_t together;        /* rows of dense data at a time */
    int64_t tile_bytes;      /* of a thread, for transposed rows of the other factor */
    int64_t stride;          /* elements from one column of the transposed factor to the next */
    char *transposed;        /* of a dense X: the other factor */
    char *scratch;
    int64_t scratch_bytes; /* per thread */
} newton;

/* What a thread has. */
typedef struct scratch {
    char *fitted, *values; /* of a row, or of rows together */
    uint64_t *some;        /* of a dense X: which vectors of these are not zeros */
    int32_t *listed;       /* of a sparse X: which rows of the other factor these meet, ... */
    char *tile;            /* ... and some columns of those, transposed */
    char *rows, *n, *u;    /* rows together, transposed */
} scratch;

/* Rows of a factor, the other factor held. N and U: no data, no terms. */
typedef struct row_work {
    sparse_rows data; /* sparse: whose rows they are fitted to */
    int64_t first;    /* the row of the data that `rows` begin with */
    array rows, other, n, u;
    const double *sums; /* of the other factor's columns */
} row_work;

static inline newton *newton_state(const sweep *s)
{
    return s->solver_state;
}

/* Columns that are transposed with a factor: in whole vectors of 16 bytes. */
int64_t newton_parts(const sweep *s);
/* Entries of short rows, of all together. */
int64_t newton_short_entries(const sweep *s);
/* Elements from one column of so many transposed rows to the next. */
int64_t newton_stride(const sweep *s, int64_t columns);
/* Scratch of a thread; where there is none yet, how much it takes. */
int64_t newton_scratch(const sweep *s, int thread, scratch *w);

bool newton_is_short(const sweep *s, const row_work *work, int64_t row);
/* Rows `ids` of sparse data, in the order of their length. */
void newton_listed_rows(const sweep *s, const scratch *w, const row_work *work, const int32_t *ids,
                        int64_t count);
/* Scratch for entries of rows of dense data, as many as the other factor has rows. */
array newton_entries(const sweep *s, void *data, int64_t rows, int64_t columns);
/* Rows from `first` on; X has their entries, and zeros are put after the last ones. */
void newton_whole_rows(const sweep *s, const scratch *w, const row_work *work, int64_t first,
                       array X);

#endif
