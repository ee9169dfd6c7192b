/* The samples' share of this process, and what the processes of a group (orthant/group.h) tell each
 * other about theirs. Every function here is called by all of them or by none; where samples are
 * not shared it does without.
 *
 * A function of the group that fails breaks it: the others are ended, from then on nothing is sent,
 * what is received is zero, and group_check() tells. */
#ifndef ENGINE_GROUP_H
#define ENGINE_GROUP_H

#include "data/matrix.h"
#include "data/chunks.h"

/* What this process has of the samples. */
typedef struct sample_share {
    orthant_context *ctx;
    bool shared; /* with other processes */
    int rank, ranks;
    chunk_cut cut;
    int64_t first_chunk, end_chunk;
    int64_t first, rows; /* samples */
} sample_share;

/* Of a matrix that is a part or a whole. */
sample_share samples_here(const orthant_matrix *X);
sample_share samples_here_of(orthant_context *ctx, int64_t samples, int64_t features, bool shared);
/* Refuses a part that is not what orthant_group_rows() says. */
orthant_status share_check(const orthant_matrix *X);

/* ORTHANT_OK, or why the group cannot go on. */
orthant_status group_check(orthant_context *ctx);
/* This process cannot go on: the others end. Sets the message and returns the status. */
orthant_status group_abandon(const sample_share *s, orthant_status status, const char *message);
/* The first failure of all, with its message. */
orthant_status group_agree(const sample_share *s, orthant_status status);

/* Over all processes. */
double group_largest(const sample_share *s, double value);
bool group_any(const sample_share *s, bool value);
int64_t group_total(const sample_share *s, int64_t value);
/* Each of `count` numbers. */
void group_add_wholes(const sample_share *s, int64_t *values, int64_t count);
/* Checksums of rows (core/checksum.h), at most GROUP_MOST_CHECKSUMS. */
#define GROUP_MOST_CHECKSUMS 64
void group_add_checksums(const sample_share *s, uint64_t *checksums, int count);

/* What rank 0 has at `data`, to all. */
void group_tell(const sample_share *s, void *data, int64_t bytes);
/* bytes[r] of each rank r, one behind the other. */
void group_gather(const sample_share *s, const void *own, void *all, const int64_t *bytes);
void group_exchange(const sample_share *s, const void *const *send, const int64_t *send_bytes,
                    void *const *receive, const int64_t *receive_bytes);

/* Sums of `width` numbers over the samples, chunk by chunk, along the tree:
 *
 *     chunk_sum_begin(&sum, &share, width, slots);
 *     for each chunk of the share:
 *         fill chunk_sum_row(&sum)           zeros
 *         chunk_sum_next(&sum);
 *     chunk_sum_end(&sum, total);            the same bits in every process */
typedef struct chunk_sum {
    const sample_share *s;
    int64_t width;
    double *slots; /* CHUNK_SUM_SLOTS x width */
    chunk_stack stack;
    int64_t chunk;
} chunk_sum;

#define CHUNK_SUM_SLOTS (CHUNKS_MOST_NODES + 1)

void chunk_sum_begin(chunk_sum *sum, const sample_share *s, int64_t width, double *slots);
double *chunk_sum_row(const chunk_sum *sum);
void chunk_sum_next(chunk_sum *sum);
void chunk_sum_end(chunk_sum *sum, double *total);

/* Rows of the share that a chunk of it has, by its number among those of all. */
static inline int64_t share_chunk_first(const sample_share *s, int64_t chunk)
{
    return chunk * s->cut.chunk - s->first;
}

static inline int64_t share_chunk_end(const sample_share *s, int64_t chunk)
{
    const int64_t end = (chunk + 1) * s->cut.chunk - s->first;
    return end < s->rows ? end : s->rows;
}

/* The sum of X and that of its squares. */
void share_data_sums(const orthant_matrix *X, double *sum, double *squares);

/* All rows of a matrix that is shared as X is, on every rank or on rank 0 alone; NULL elsewhere. */
orthant_status group_whole_matrix(const sample_share *s, const orthant_matrix *part,
                                  bool everywhere, orthant_matrix **whole);
/* A number for each sample, on rank 0; `all` is NULL elsewhere. */
orthant_status group_whole_numbers(const sample_share *s, const int64_t *own, int64_t *all);
/* The .npy of all rows of a dense matrix that is shared as X is. Each process writes its own into
 * one file; where not all of them see the folder, the rows go to rank 0. `path` is that of rank 0.
 */
orthant_status group_write_npy(const sample_share *s, const orthant_matrix *part, const char *path);

#endif
