/* A strip: consecutive samples, the piece of X that the sweep works on, and the operations that
 * touch X. Dense and CSR data have a table of these each, so that no step asks how X is stored. */
#ifndef DATA_STRIP_H
#define DATA_STRIP_H

#include "data/matrix.h"
#include "kernel/kernel.h"

typedef struct strip {
    const orthant_matrix *data;
    int64_t row;         /* of data, where the strip begins */
    int64_t first, rows; /* samples */
    bool opens;          /* it is the first of its chunk: sums begin with it */
} strip;

/* Rows that one task works on: samples, or features. */
typedef struct block {
    int64_t first, rows;
    int thread;
} block;

/* Features [first, end); of CSR data also where they lie in each sample (csr_range). */
typedef struct panel {
    int64_t first, end;
    const uint16_t *before, *before_end;
} panel;

/* Where strips come from. Those of a file are filled before they are opened, in pieces that the
 * threads share: begin() says how many pieces, 0 where no buffer is free, and fill() reads one.
 * What went wrong is kept with the file (row_file_failed()). */
typedef struct source {
    void *state;
    strip (*open)(void *state, int64_t first, int64_t rows);
    void (*release)(void *state, strip x);
    int64_t (*begin)(void *state, int64_t first, int64_t rows); /* NULL: in memory */
    void (*fill)(void *state, int64_t piece);                   /* of the strip begun last */
} source;

/* Strips of at most `length` samples, which never cross a multiple of `chunk`. */
orthant_status source_new(orthant_context *ctx, const orthant_matrix *samples, int64_t chunk,
                          int64_t length, source *from);
void source_free(source *from);

/* Weights of the entries of X, the product of what is not NULL. */
typedef struct entry_weights {
    const orthant_matrix *mask;       /* n x m, dense or CSR, in the precision of X */
    const uint8_t *known;             /* or, where all are 0 or 1, a bit for each, ... */
    int64_t known_stride;             /* ... with so many bytes from one sample to the next */
    const double *samples, *features; /* n, m */
    bool missing_zeros;               /* of a sparse X: what is not stored has none */
} entry_weights;

/* S: the rows of the block, or of the strip. The transposed products are added to C and Q, or,
 * where the strip opens a chunk, take their place. */
typedef struct strip_ops {
    /* C = X_b W; packed: see kernel.h */
    void (*product)(const kernels *ops, strip x, block b, array W, const void *packed, array C);
    /* C (+)= X_p' S for a panel of features */
    void (*product_transposed)(const kernels *ops, strip x, panel p, array S, array C);
    /* C = P W and Q W, with P and Q as the rule makes them of X_b and S W' */
    void (*entry_product)(const kernels *ops, strip x, block b, array S, array W,
                          const void *packed, const entry_rule *rule, array C, array Q,
                          void *scratch);
    /* C (+)= P_p' S and Q_p' S; the loss is added to *value, unless that is NULL */
    void (*entry_product_transposed)(const kernels *ops, strip x, panel p, array S, array W,
                                     const entry_rule *rule, array C, array Q, void *scratch,
                                     double *value);
    double (*entry_value)(const kernels *ops, strip x, block b, array S, array W,
                          const entry_rule *rule, void *scratch);
    /* |X_b - S W'|^2; of CSR data without |S W'|^2 (kernel.h) */
    double (*residual)(const kernels *ops, strip x, block b, array S, array W, void *scratch);
} strip_ops;

const strip_ops *strip_operations(const orthant_matrix *samples);

/* Panels of features, which tasks own: their bounds, count + 1 of them. Of dense data each is as
 * wide as the kernels take them, of CSR data they have about the same number of stored entries. The
 * data alone decide, so that values which are summed for each panel are the same on any machine. */
typedef struct panel_list {
    int64_t count;
    int64_t *bound;
    uint16_t *before; /* CSR: for each panel but the first, how many entries of each sample lie
                         before it; NULL: they are searched for */
    int64_t samples;
    bool wants_rows; /* of a file: `before` waits for panel_list_look() */
} panel_list;

void panel_list_free(orthant_context *ctx, panel_list *list);
/* Of CSR data `count` says how many entries each feature has in all samples, of which there are
 * `total`: X may hold a part of them. */
orthant_status panel_list_new(orthant_context *ctx, const orthant_matrix *samples, int64_t total,
                              const int64_t *count, panel_list *list);
/* Where the panels begin in the samples of a block. */
void panel_list_look(const panel_list *list, strip x, block b);
/* Moves the bounds to where lines of the cache begin in the caller's array: a panel that begins
 * elsewhere reads parts of two lines as its first and its last. For passes whose sums are of single
 * features, which are the same in any panel, and not of panels. */
void panel_list_align(const orthant_matrix *samples, panel_list *list);

panel panel_at(const panel_list *list, int64_t index);

#endif
