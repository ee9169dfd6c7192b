/* One pass over the samples of a matrix in memory or in a file, for what is found out about the
 * data: blocks of rows in parallel, a strip at a time. (Iterations go over them by engine/strips.h,
 * which makes sums along the way.) */
#ifndef DATA_PASS_H
#define DATA_PASS_H

#include "data/strip.h"

#define PASS_ROWS 4096 /* of a strip, at most */

typedef struct rows_pass {
    void *user;
    void (*work)(void *user, strip x, block b); /* b: samples, within the strip */
    void (*done)(void *user, strip x);          /* a strip, in order, by one thread; or NULL */
} rows_pass;

/* By the threads of `ctx`. Fails where samples cannot be read. */
orthant_status rows_pass_run(orthant_context *ctx, const orthant_matrix *samples,
                             const rows_pass *pass);
/* The same where nobody is told of a failure: it is kept with the file (row_file_status). */
void rows_pass_take(orthant_context *ctx, const orthant_matrix *samples, const rows_pass *pass);

#endif
