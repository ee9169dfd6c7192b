/* Blocks of features with their sums A = X S, kept or formed on the way. */
#include <string.h>

#include "engine/sweep_inside.h"

typedef struct feature_pass {
    const sweep *s;
    int64_t groups;
    feature_work work;
    void *user;
} feature_pass;

#define SAMPLES 256 /* whose entries are listed at a time */

/* Adds how many entries each row has in a piece to how many lie before it. */
static void pass_piece(const sweep *s, int64_t piece, uint16_t *restrict before)
{
    const uint8_t *restrict count = s->piece_count + piece * s->n;
    for (int64_t i = 0; i < s->n; i++)
        before[i] = (uint16_t)(before[i] + count[i]);
}

/* What a thread knows of the rows: how many of their entries lie before a piece. */
typedef struct places {
    int64_t *piece;
    uint16_t *before; /* NULL where they are not counted */
} places;

static places places_of(const sweep *s, int thread)
{
    char *space = held_space(s, thread) + s->held_bytes;
    return s->piece_count ? (places){(int64_t *)(void *)space, (uint16_t *)(void *)(space + 64)}
                          : (places){0};
}

/* From where the thread is, or from the start, to a piece. */
static void go_to_piece(const sweep *s, places at, int64_t piece)
{
    if (!at.before)
        return;
    if (*at.piece > piece) {
        *at.piece = 0;
        memset(at.before, 0, (size_t)s->n * sizeof *at.before);
    }
    for (; *at.piece < piece; ++*at.piece)
        pass_piece(s, *at.piece, at.before);
}

/* A and X S for a piece of the features of a sparse X, over all samples. */
static void form_sparse_sums(const sweep *s, block f, int64_t piece, array A, array XS)
{
    const kernels *k = s->k;
    const bool both = s->loss == LOSS_KL && s->uses_products;
    const csr X = matrix_csr(s->samples);
    const int64_t end = f.first + f.rows;
    const places at = places_of(s, f.thread);
    go_to_piece(s, at, piece);
    memset(A.data, 0, (size_t)(A.rows * A.stride) * k->size);
    if (both)
        memset(XS.data, 0, (size_t)(XS.rows * XS.stride) * k->size);
    for (int64_t i = 0; i < s->n; i += SAMPLES) {
        const int64_t rows = smaller(SAMPLES, s->n - i);
        const array S = array_rows(k, s->S, i, rows);
        piece_entries entries = {0};
        if (at.before)
            entries = (piece_entries){at.before + i, s->piece_count + piece * s->n + i};
        if (both)
            k->sparse_product_transposed(XS, X, i, S, f.first, end, entries);
        if (s->loss == LOSS_KL)
            k->sparse_ratio_product_transposed(A, X, i, S, s->W, f.first, end, entries, NULL);
        else
            k->sparse_product_transposed(A, X, i, S, f.first, end, entries);
    }
}

/* The same for a dense X. */
static void form_dense_sums(const sweep *s, block f, array A, array XS)
{
    const kernels *k = s->k;
    const bool both = s->loss == LOSS_KL && s->uses_products;
    const array X = array_columns(k, matrix_array(s->samples), f.first, f.rows);
    if (s->loss == LOSS_KL)
        k->ratio_product_transposed(A, X, s->S, array_rows(k, s->W, f.first, f.rows), false,
                                    kernel_space(s, f.thread),
                                    s->diverges ? &s->share[f.first / KERNEL_FEATURES] : NULL);
    else
        k->product_transposed(A, X, s->S, false);
    if (both)
        k->product_transposed(XS, X, s->S, false);
}

/* The work on features from `first` on whose sums are there. */
static void work_on_blocks(const feature_pass *pass, block features, int64_t group, array A,
                           array XS)
{
    const sweep *s = pass->s;
    const int64_t end = features.first + features.rows;
    for (int64_t i = 0; i < features.rows; i += block_rows(s)) {
        const block b = block_at(features.first + i, end, block_rows(s), 0, features.thread);
        pass->work(pass->user, b, group, array_rows(s->k, A, i, b.rows),
                   array_rows(s->k, XS, i, b.rows));
    }
}

/* The sums of a group, `held` features at a time. */
static void work_on_formed(const feature_pass *pass, int64_t first, int64_t end, int64_t group,
                           int thread)
{
    const sweep *s = pass->s;
    const bool both = s->loss == LOSS_KL && s->uses_products;
    char *space = held_space(s, thread);
    for (int64_t f = first; f < end; f += s->held) {
        const block features = {f, smaller(s->held, end - f), thread};
        const array A = {space, features.rows, s->W.columns, s->W.stride};
        array XS = A;
        if (both)
            XS.data = space + s->held * s->W.stride * (int64_t)s->k->size;
        if (s->samples->sparse)
            form_sparse_sums(s, features, s->first_piece[group] + (f - first) / s->held, A, XS);
        else
            form_dense_sums(s, features, A, XS);
        work_on_blocks(pass, features, group, A, XS);
    }
}

static void group_task(void *user, int64_t group, int thread)
{
    const feature_pass *pass = user;
    const sweep *s = pass->s;
    const int64_t unit = feature_unit(s), units = pieces(s->m, unit);
    int64_t first = group * units / pass->groups * unit,
            end = smaller((group + 1) * units / pass->groups * unit, s->m);
    if (s->deferred) {
        if (s->samples->sparse) {
            first = s->range[group];
            end = s->range[group + 1];
        }
        work_on_formed(pass, first, end, group, thread);
        return;
    }
    work_on_blocks(pass, (block){first, end - first, thread}, group,
                   array_rows(s->k, s->A, first, end - first),
                   array_rows(s->k, s->XS, first, end - first));
}

int64_t sweep_feature_groups(const sweep *s, int64_t most)
{
    return s->deferred && s->samples->sparse ? SWEEP_RANGES
                                             : smaller(most, pieces(s->m, feature_unit(s)));
}

void sweep_over_features(const sweep *s, int64_t most, feature_work work, void *user)
{
    feature_pass pass = {s, sweep_feature_groups(s, most), work, user};
    for (int t = 0; s->piece_count && t < s->threads; t++)
        *places_of(s, t).piece = INT64_MAX; /* the room may have been lent */
    run_tasks(s, pass.groups, group_task, &pass,
              (s->deferred ? product_cost(s, s->n) : 0) + square_cost(s, s->m));
}
