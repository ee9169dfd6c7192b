#include "core/memory.h"
#include "engine/descent.h"
#include "engine/newton.h"
#include "engine/sweep_inside.h"
#include "term/term.h"

/* A strip of X takes a sixteenth of the last cache, of which a program seldom has more than this.
 */
#define LAST_CACHE (32 << 20)
#define STRIP_PART 16

/* The sums are kept where they take less than this part of the data and the factors. Two pay more
 * for going without them: the divergence of the KL loss takes a product of its own then, unless it
 * can wait for the next basis step's, and a line search of the basis step goes over them several
 * times. */
#define KEPT_PART 16
#define KEPT_PART_DEAR 8
/* The turned columns of the basis are kept where they take less than this part, or half of it where
 * a basis step has arrays of its own. */
#define TURNED_PART 32
/* Where a second buffer for all encodings would take more than this part, it is one of half rows.
 */
#define HALVED_PART 16
/* Of the sums that are not kept, the part that all threads together hold at a time: more where a
 * step takes no arrays of its own. */
#define HELD_PART 10
#define HELD_PART_PLAIN 7
/* Of the second cache, where the held sums take no memory of their own. */
#define SECOND_CACHE (1 << 20)
#define BORROWED_PART 4

static int64_t strip_rows(const orthant_matrix *X)
{
    const int64_t row = matrix_bytes(X) / X->rows + 1;
    const int64_t rows = kernel_cache(3, LAST_CACHE) / STRIP_PART / row / KERNEL_ROWS * KERNEL_ROWS;
    return rows < KERNEL_ROWS ? KERNEL_ROWS : rows;
}

/* Whole blocks: how features are put together to ranges must not show in what is made of them. */
static int64_t round_up(int64_t features)
{
    return pieces(features, KERNEL_ROWS) * KERNEL_ROWS;
}

/* Bounds that give each range of features about the same work: its stored entries, and where the
 * basis step goes along them the rows of a small product. */
static orthant_status cut_ranges(sweep *s)
{
    const csr X = matrix_csr(s->samples);
    const int64_t stored = X.row_start[X.rows], row = s->deferred ? s->W.columns : 0,
                  whole = stored + s->m * row;
    int64_t *count = memory_new(s->ctx, s->m, sizeof *count, "counts of features");
    s->range = memory_new(s->ctx, SWEEP_RANGES + 1, sizeof *s->range, "ranges of features");
    if (!count || !s->range) {
        memory_free(s->ctx, count);
        return ORTHANT_ERROR_MEMORY;
    }
    for (int64_t e = 0; e < stored; e++)
        count[X.column[e]]++;
    int64_t seen = 0, cut = 1;
    for (int64_t f = 0; f < s->m; f++) {
        seen += count[f] + row;
        while (cut < SWEEP_RANGES && seen >= whole / SWEEP_RANGES * cut)
            s->range[cut++] = smaller(round_up(f + 1), s->m);
    }
    while (cut <= SWEEP_RANGES)
        s->range[cut++] = s->m;
    memory_free(s->ctx, count);
    return ORTHANT_OK;
}

/* How many entries each row has in each piece, so that no step has to search. */
static orthant_status count_pieces(sweep *s)
{
    const csr X = matrix_csr(s->samples);
    for (int64_t r = 0; r < SWEEP_RANGES; r++)
        s->first_piece[r + 1] = s->first_piece[r] + pieces(s->range[r + 1] - s->range[r], s->held);
    for (int64_t i = 0; i < X.rows; i++)
        if (X.row_start[i + 1] - X.row_start[i] > UINT16_MAX)
            return ORTHANT_OK;
    s->piece_count =
        memory_new(s->ctx, s->first_piece[SWEEP_RANGES] * X.rows, 1, "ranges of features");
    if (!s->piece_count)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < X.rows; i++) {
        int64_t r = 0;
        for (int64_t e = X.row_start[i]; e < X.row_start[i + 1]; e++) {
            while (X.column[e] >= s->range[r + 1])
                r++;
            const int64_t piece = s->first_piece[r] + (X.column[e] - s->range[r]) / s->held;
            uint8_t *count = &s->piece_count[piece * X.rows + i];
            if (*count == UINT8_MAX) {
                memory_free(s->ctx, s->piece_count);
                s->piece_count = NULL;
                return ORTHANT_OK;
            }
            ++*count;
        }
    }
    return ORTHANT_OK;
}

static bool new_array(sweep *s, int64_t rows, array *a)
{
    *a = (array){memory_new(s->ctx, rows * s->W.stride, s->k->size, "a factor's sums"), rows,
                 s->W.columns, s->W.stride};
    return a->data != NULL;
}

/* How many of the terms read other samples' encodings. */
static int read_term_flags(sweep *s)
{
    int readers = 0;
    s->uses_sums = s->loss == LOSS_KL;
    s->uses_gram = s->loss == LOSS_FROBENIUS;
    for (int t = 0; t < s->term_count; t++) {
        const int flags = s->terms[t].kind->flags;
        s->uses_products |= (flags & TERM_USES_PRODUCTS) != 0;
        s->uses_sums |= (flags & TERM_USES_COLUMN_SUMS) != 0;
        s->uses_squares |= (flags & TERM_USES_COLUMN_SUMS) != 0;
        s->uses_gram |= (flags & TERM_USES_GRAM) != 0;
        readers += s->terms[t].kind->gather != NULL;
    }
    return readers;
}

/* Of the data and the factors. */
static int64_t sweep_bytes(const sweep *s)
{
    return matrix_bytes(s->samples) + (s->n + s->m) * s->W.stride * (int64_t)s->k->size;
}

/* What a thread notes of each row of a sparse X: a uint16_t, in whole cache lines and one. */
static int64_t noted_bytes(const sweep *s)
{
    return (1 + pieces(s->n, 32)) * 64;
}

/* Elements of a row of the buffer that a term which reads other samples' encodings brings along. A
 * half is whole vectors of 16 bytes, and the gathered sums of one term. */
static int64_t buffer_stride(const sweep *s, int readers)
{
    const int64_t stride = s->W.stride, row = stride * (int64_t)s->k->size;
    if (readers == 1 && row >= 32 && s->n * row > sweep_bytes(s) / HALVED_PART)
        return stride / 2;
    return readers > 0 ? stride : 0;
}

/* Features whose sums that buffer, which is free in the basis step, has room for on each thread, as
 * far as they stay in the second cache. */
static int64_t borrowed_features(const sweep *s, int64_t buffer)
{
    const int64_t row = s->W.stride * (int64_t)s->k->size, arrays = s->loss == LOSS_KL ? 2 : 1;
    const int64_t room = buffer / s->threads - noted_bytes(s);
    return smaller(room / arrays, kernel_cache(2, SECOND_CACHE) / BORROWED_PART) / row /
           KERNEL_ROWS * KERNEL_ROWS;
}

/* Arrays of a task's rows beside numerators, denominators and products. */
static int step_arrays(const sweep *s)
{
    return solves_by_coordinates(s->solver) || s->own_basis        ? STEP_ARRAYS
           : s->solver == SOLVER_EXTRAPOLATED || s->term_count > 0 ? TERM_ARRAYS
                                                                   : 0;
}

/* Whether A is formed a few features at a time in the basis step, and how many. The number of
 * threads decides about the latter alone, which no sum can see. */
static void choose_sums(sweep *s, int64_t buffer, bool halved)
{
    const int64_t sums = s->m * s->W.stride * (int64_t)s->k->size, whole = sweep_bytes(s);
    const bool waits = s->loss == LOSS_KL && s->can_wait && !s->samples->sparse;
    const int64_t part =
        (s->loss == LOSS_KL && !waits) || s->own_basis ? KEPT_PART_DEAR : KEPT_PART;
    /* Newton's steps need none but to measure the gradient at the end */
    s->deferred = !s->needs_sums && (sums > whole / part || s->solver == SOLVER_NEWTON);
    s->late = s->deferred && waits;
    s->copies_products = s->uses_products || (s->deferred && s->term_count > 0);
    s->strip = s->deferred || halved ? s->n : strip_rows(s->samples);
    if (!s->deferred)
        return;
    const int64_t cuts = s->threads * (step_arrays(s) > 0 ? HELD_PART : HELD_PART_PLAIN);
    s->held = s->samples->sparse ? round_up(pieces(s->m, cuts)) : KERNEL_FEATURES;
    if (s->samples->sparse && buffer > 0 && borrowed_features(s, buffer) > s->held)
        s->held = borrowed_features(s, buffer);
}

static bool new_scratch(sweep *s, int64_t buffer)
{
    const int64_t row = s->W.stride * (int64_t)s->k->size;
    const int arrays = PRODUCTS + (s->copies_products ? 1 : 0) + step_arrays(s) +
                       (solves_by_coordinates(s->solver) && s->half.data ? 1 : 0);
    const int64_t descent = s->solver == SOLVER_DESCENT ? kernel_descent_scratch(s->W.columns) : 0;
    if (!s->samples->sparse && s->loss == LOSS_KL)
        s->kernel_bytes = kernel_scratch(s->samples->precision, s->W.stride);
    if (s->kernel_bytes < descent)
        s->kernel_bytes = descent;
    s->held_at = s->kernel_bytes + arrays * block_rows(s) * row;
    s->held_bytes = s->held * row * (s->loss == LOSS_KL && s->uses_products ? 2 : 1);
    if (s->piece_count)
        s->places_bytes = noted_bytes(s);
    s->borrows = buffer > 0 && s->threads * (s->held_bytes + s->places_bytes) <= buffer;
    s->scratch_bytes = s->held_at + (s->borrows ? 0 : s->held_bytes + s->places_bytes);
    s->scratch = memory_new(s->ctx, s->threads * s->scratch_bytes, 1, "scratch");
    return s->scratch != NULL;
}

/* For a term that reads other samples' encodings. */
static bool new_buffer(sweep *s, int64_t stride)
{
    s->last = s->S;
    if (stride == s->W.stride)
        return new_array(s, s->n, &s->last);
    if (stride > 0)
        s->half = (array){memory_new(s->ctx, s->n * stride, s->k->size, "half the encodings"), s->n,
                          stride, stride};
    return stride == 0 || s->half.data;
}

static bool new_turned(sweep *s)
{
    const int64_t bytes = s->k->packed_bytes(s->m, s->W.columns),
                  part = s->own_basis ? 2 * TURNED_PART : TURNED_PART;
    if (s->samples->sparse || bytes == 0 || bytes > sweep_bytes(s) / part ||
        (s->loss == LOSS_KL && !s->uses_products && s->W.columns > s->k->narrow))
        return true;
    s->turned = memory_new(s->ctx, bytes, 1, "the turned basis");
    return s->turned != NULL;
}

/* A stored entry of a sparse X takes as long as some ten of a dense one. */
static int busy_threads(const sweep *s)
{
    const int64_t worth = s->samples->sparse ? WORTH_A_THREAD / 10 : WORTH_A_THREAD;
    return (int)smaller(parallel_threads(s->ctx), 1 + product_cost(s, s->n) / worth);
}

orthant_status sweep_setup(sweep *s)
{
    const int64_t rank = s->W.columns;
    const int64_t buffer_row = buffer_stride(s, read_term_flags(s)),
                  buffer = s->n * buffer_row * (int64_t)s->k->size;
    s->threads = busy_threads(s);
    choose_sums(s, buffer, buffer_row > 0 && buffer_row < s->W.stride);
    if (s->samples->sparse && (cut_ranges(s) || (s->deferred && count_pieces(s))))
        return ORTHANT_ERROR_MEMORY;
    s->exponent = 1;
    if (s->solver == SOLVER_DESCENT)
        descent_setup(s);
    s->data_squares = matrix_squares(s->samples);
    s->data_sum = matrix_sum(s->samples);
    s->shares =
        sample_blocks(s) * (s->term_count + 2) + pieces(s->m, KERNEL_FEATURES) + SWEEP_RANGES;
    const int64_t probes = 2 * pieces(s->m > s->n ? s->m : s->n, block_rows(s));
    s->shares = s->shares > probes ? s->shares : probes;
    s->share = memory_new(s->ctx, s->shares, sizeof *s->share, "partial sums");
    s->basis_sums = memory_new(s->ctx, 3 * rank, sizeof(double), "sums of columns");
    if (!new_buffer(s, buffer_row) || !new_scratch(s, buffer) || !new_turned(s) || !s->share ||
        !s->basis_sums || (!s->deferred && !new_array(s, s->m, &s->A)))
        return ORTHANT_ERROR_MEMORY;
    s->basis_squares = s->basis_sums + rank;
    s->encoding_sums = s->basis_sums + 2 * rank;
    s->XS = s->A;
    if (s->uses_gram && !new_array(s, rank, &s->B))
        return ORTHANT_ERROR_MEMORY;
    if (s->loss == LOSS_FROBENIUS && !new_array(s, rank, &s->G))
        return ORTHANT_ERROR_MEMORY;
    if (s->loss == LOSS_KL && s->uses_products && !s->deferred && !new_array(s, s->m, &s->XS))
        return ORTHANT_ERROR_MEMORY;
    return s->solver == SOLVER_EXTRAPOLATED ? extrapolation_setup(s)
           : s->solver == SOLVER_NEWTON     ? newton_setup(s)
                                            : ORTHANT_OK;
}

void sweep_release(sweep *s)
{
    if (s->XS.data != s->A.data)
        memory_free(s->ctx, s->XS.data);
    if (s->last.data != s->S.data)
        memory_free(s->ctx, s->last.data);
    memory_free(s->ctx, s->half.data);
    memory_free(s->ctx, s->A.data);
    memory_free(s->ctx, s->B.data);
    memory_free(s->ctx, s->G.data);
    memory_free(s->ctx, s->basis_sums);
    memory_free(s->ctx, s->turned);
    memory_free(s->ctx, s->scratch);
    memory_free(s->ctx, s->residual_scratch);
    memory_free(s->ctx, s->share);
    memory_free(s->ctx, s->range);
    memory_free(s->ctx, s->piece_count);
    extrapolation_release(s);
    newton_release(s);
}
