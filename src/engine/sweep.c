#include "engine/sweep.h"

#include <math.h>
#include <string.h>

#include "engine/descent.h"
#include "engine/newton.h"
#include "engine/sweep_inside.h"
#include "term/term.h"

#define GRAM_ROWS 8 /* rows of a Gram matrix that one task makes, from the diagonal on */

array sweep_term_array(const sweep *s, int thread, int which, int64_t rows)
{
    return scratch_array(s, thread, PRODUCTS + (s->copies_products ? 1 : 0) + which, rows);
}

array sweep_products(const sweep *s, block b)
{
    return scratch_array(s, b.thread, PRODUCTS, b.rows);
}

/* ------------------------------------------------------------------ the basis */

/* Both sums of squares of the projected gradient's measure, for a block of either factor. */
static void probe(const sweep *s, block b, int64_t unit, array rows, array N, array D)
{
    const int64_t at = b.first / unit;
    s->share[2 * at] += s->k->projected_square(rows, N, D);
    s->share[2 * at + 1] += s->k->dot(N, N);
}

/* New rows of W from their sums. */
static void basis_block(const sweep *s, block b, array A, array XS)
{
    const kernels *k = s->k;
    const array W = array_rows(k, s->W, b.first, b.rows);
    /* terms add to the numerators */
    const array N = s->term_count ? scratch_array(s, b.thread, NUMERATOR, b.rows) : A,
                D = scratch_array(s, b.thread, DENOMINATOR, b.rows), none = {0};
    if (s->term_count)
        k->copy(N, A);
    if (s->solver == SOLVER_DESCENT && sweep_by_coordinates(s)) {
        memset(D.data, 0, (size_t)(D.rows * D.stride) * k->size);
        for (int t = 0; t < s->term_count; t++)
            if (s->terms[t].kind->majorise_basis)
                s->terms[t].kind->majorise_basis(&s->terms[t], s, b, XS, N, D);
        descent_block(s, b, true, W, N, s->term_count ? D : none, s->B);
        return;
    }
    if (s->loss == LOSS_FROBENIUS) {
        k->product(D, W, s->B, false);
    } else {
        memset(D.data, 0, (size_t)(D.rows * D.stride) * k->size);
        k->add_columns(D, 1, s->encoding_sums);
    }
    for (int t = 0; t < s->term_count; t++)
        if (s->terms[t].kind->basis)
            s->terms[t].kind->basis(&s->terms[t], s, b, XS, N, D);
    if (s->probing) {
        probe(s, b, feature_unit(s), W, N, D);
        return;
    }
    k->update(W, W, N, D, s->exponent);
    if (s->last_basis.data)
        extrapolate_block(s, b, true, W);
}

static void basis_work(void *user, block b, int64_t group, array A, array XS)
{
    (void)group;
    basis_block(user, b, A, XS);
}

void sweep_basis(sweep *s)
{
    if (s->solver == SOLVER_NEWTON && sweep_by_coordinates(s)) {
        newton_basis(s);
        return;
    }
    sweep_over_features(s, INT64_MAX, basis_work, s);
}

double sweep_basis_divergence(sweep *s)
{
    memset(s->share, 0, (size_t)s->shares * sizeof(double));
    s->diverges = true;
    sweep_basis(s);
    s->diverges = false;
    return add_shares(s, 0, pieces(s->m, KERNEL_FEATURES));
}

static int64_t gram_pieces(const sweep *s)
{
    return pieces(s->W.columns, GRAM_ROWS);
}

/* Adds some rows of F'F, from the diagonal on. */
static void add_gram(const sweep *s, array gram, array factor, int64_t index)
{
    const kernels *k = s->k;
    const int64_t first = index * GRAM_ROWS, left = factor.columns - first,
                  rows = smaller(GRAM_ROWS, left);
    k->product_transposed(array_columns(k, array_rows(k, gram, first, rows), first, left),
                          array_columns(k, factor, first, rows),
                          array_columns(k, factor, first, left), true);
}

static void clear_gram(const sweep *s, array gram)
{
    memset(gram.data, 0, (size_t)(gram.rows * gram.stride) * s->k->size);
}

static void basis_gram_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    (void)thread;
    add_gram(s, s->G, s->W, index);
}

/* What depends on W alone. */
static void refresh_basis(sweep *s)
{
    const int64_t rank = s->W.columns;
    if (s->loss == LOSS_FROBENIUS) {
        clear_gram(s, s->G);
        run_tasks(s, gram_pieces(s), basis_gram_task, s, square_cost(s, s->m));
        s->k->mirror(s->G);
    }
    if (s->turned)
        s->k->pack(s->turned, s->W);
    if (s->newton)
        newton_basis_changed(s);
    if (s->uses_sums) {
        memset(s->basis_sums, 0, (size_t)rank * sizeof(double));
        s->k->column_sums(s->W, s->basis_sums);
    }
    if (s->uses_squares) {
        memset(s->basis_squares, 0, (size_t)rank * sizeof(double));
        s->k->column_squares(s->W, s->basis_squares);
    }
}

static void prepare_terms(sweep *s)
{
    for (int t = 0; t < s->term_count; t++)
        if (s->terms[t].kind->prepare)
            s->terms[t].kind->prepare(&s->terms[t], s);
}

void sweep_basis_changed(sweep *s)
{
    refresh_basis(s);
    prepare_terms(s);
}

/* ------------------------------------------------------------------ the encodings */

typedef struct strip_work {
    sweep *s;
    int64_t first, end; /* samples of the strip */
} strip_work;

/* c = X_b W for a block of samples. */
static void block_products(const sweep *s, block b, array c)
{
    if (s->samples->sparse)
        s->k->sparse_product(c, matrix_csr(s->samples), b.first, s->W, false);
    else
        s->k->product_packed(c, array_rows(s->k, matrix_array(s->samples), b.first, b.rows), s->W,
                             s->turned, false);
}

static void frobenius_parts(const sweep *s, block b, array from, array N, array D)
{
    block_products(s, b, N);
    if (s->copies_products)
        s->k->copy(sweep_products(s, b), N);
    s->k->product(D, from, s->G, false);
}

static void kl_parts(const sweep *s, block b, array from, array N, array D)
{
    const kernels *k = s->k;
    if (s->samples->sparse)
        k->sparse_ratio_product(N, matrix_csr(s->samples), b.first, from, s->W);
    else
        k->ratio_product(N, array_rows(k, matrix_array(s->samples), b.first, b.rows), from, s->W,
                         s->turned, kernel_space(s, b.thread));
    memset(D.data, 0, (size_t)(D.rows * D.stride) * k->size);
    k->add_columns(D, 1, s->basis_sums);
    if (s->uses_products)
        block_products(s, b, sweep_products(s, b));
}

/* What the sums would give the objective, for a block's encodings S and products. */
static void block_shares(const sweep *s, block b, array S, array products)
{
    const kernels *k = s->k;
    const int64_t at = b.first / block_rows(s);
    if (s->loss == LOSS_KL && !s->late)
        s->share[at] = block_divergence(s, b, S);
    if (s->loss == LOSS_FROBENIUS || s->uses_products)
        s->share[sample_blocks(s) + at] = k->dot(S, products);
}

/* The same where the encodings stay. */
static void shares_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    const array products = scratch_array(s, thread, NUMERATOR, b.rows);
    if (s->loss == LOSS_FROBENIUS || s->uses_products)
        block_products(s, b, products);
    block_shares(s, b, array_rows(s->k, s->S, b.first, b.rows), products);
}

/* Where the new encodings of a block are made. Where others still read the last ones that is not
 * their place: in the numerators, which the multiplicative update has no more use for, or beside
 * all arrays of the descent. */
static array new_rows(const sweep *s, block b)
{
    if (!s->half.data || s->probing)
        return array_rows(s->k, s->S, b.first, b.rows);
    return solves_by_coordinates(s->solver) ? sweep_term_array(s, b.thread, STEP_ARRAYS, b.rows)
                                            : scratch_array(s, b.thread, NUMERATOR, b.rows);
}

/* New encodings of a block by coordinate descent, or by Newton's steps. */
static void descend_encoding(const sweep *s, block b, array N, array D)
{
    const kernels *k = s->k;
    const array from = array_rows(k, s->last, b.first, b.rows), to = new_rows(s, b), none = {0};
    if (s->loss == LOSS_FROBENIUS)
        block_products(s, b, N);
    else
        memset(N.data, 0, (size_t)(N.rows * N.stride) * k->size);
    if (s->copies_products)
        k->copy(sweep_products(s, b), N);
    memset(D.data, 0, (size_t)(D.rows * D.stride) * k->size);
    for (int t = 0; t < s->term_count; t++)
        s->terms[t].kind->majorise(&s->terms[t], s, b, N, D);
    if (to.data != from.data)
        k->copy(to, from);
    if (s->solver == SOLVER_DESCENT) {
        descent_block(s, b, false, to, N, s->term_count ? D : none, s->G);
        return;
    }
    newton_encoding_block(s, b, to, s->term_count ? N : none, s->term_count ? D : none);
    extrapolate_block(s, b, false, to);
}

static void update_encoding(const sweep *s, block b, array N, array D)
{
    const array from = array_rows(s->k, s->last, b.first, b.rows);
    if (s->loss == LOSS_FROBENIUS)
        frobenius_parts(s, b, from, N, D);
    else
        kl_parts(s, b, from, N, D);
    for (int t = 0; t < s->term_count; t++)
        if (s->terms[t].kind->encoding)
            s->terms[t].kind->encoding(&s->terms[t], s, b, N, D);
    const array to = new_rows(s, b);
    if (s->probing) {
        probe(s, b, block_rows(s), to, N, D);
        return;
    }
    s->k->update(to, from, N, D, s->exponent);
    if (s->last_basis.data)
        extrapolate_block(s, b, false, to);
}

static void encoding_task(void *user, int64_t index, int thread)
{
    const strip_work *work = user;
    const sweep *s = work->s;
    const block b = block_at(work->first, work->end, block_rows(s), index, thread);
    const array N = scratch_array(s, thread, NUMERATOR, b.rows),
                D = scratch_array(s, thread, DENOMINATOR, b.rows);
    if (sweep_by_coordinates(s))
        descend_encoding(s, b, N, D);
    else
        update_encoding(s, b, N, D);
    if (s->probing)
        return;
    if (s->deferred)
        block_shares(s, b, new_rows(s, b), s->copies_products ? sweep_products(s, b) : N);
    if (s->half.data)
        halves_place(s, b, new_rows(s, b));
}

/* ------------------------------------------------------------------ the sums */

static int64_t data_tasks(const sweep *s)
{
    return s->samples->sparse ? SWEEP_RANGES : pieces(s->m, KERNEL_FEATURES);
}

/* Adds a strip's share to A (and X S) for a panel of features. */
static void dense_sums_task(const strip_work *work, int64_t panel, int thread)
{
    sweep *s = work->s;
    const kernels *k = s->k;
    const int64_t first = panel * KERNEL_FEATURES,
                  features = smaller(KERNEL_FEATURES, s->m - first);
    const int64_t rows = work->end - work->first;
    const array S = array_rows(k, s->S, work->first, rows);
    const array X = array_columns(k, array_rows(k, matrix_array(s->samples), work->first, rows),
                                  first, features);
    const array A = array_rows(k, s->A, first, features);
    if (s->loss == LOSS_FROBENIUS) {
        k->product_transposed(A, X, S, true);
        return;
    }
    k->ratio_product_transposed(A, X, S, array_rows(k, s->W, first, features), true,
                                kernel_space(s, thread), &s->share[panel]);
    if (s->uses_products)
        k->product_transposed(array_rows(k, s->XS, first, features), X, S, true);
}

static void sparse_sums_task(const strip_work *work, int64_t range)
{
    sweep *s = work->s;
    const kernels *k = s->k;
    const csr X = matrix_csr(s->samples);
    const array S = array_rows(k, s->S, work->first, work->end - work->first);
    const int64_t first = s->range[range], end = s->range[range + 1];
    const array A = array_rows(k, s->A, first, end - first);
    if (s->loss == LOSS_FROBENIUS) {
        k->sparse_product_transposed(A, X, work->first, S, first, end, (piece_entries){0});
        return;
    }
    k->sparse_ratio_product_transposed(A, X, work->first, S, s->W, first, end, (piece_entries){0},
                                       &s->share[range]);
    if (s->uses_products)
        k->sparse_product_transposed(array_rows(k, s->XS, first, end - first), X, work->first, S,
                                     first, end, (piece_entries){0});
}

static int64_t gram_tasks(const sweep *s)
{
    return s->uses_gram ? gram_pieces(s) : 0;
}

/* The features whose sums are kept. */
static int64_t kept_tasks(const sweep *s)
{
    return s->deferred ? 0 : data_tasks(s);
}

/* Tasks: the features, then the Gram matrix S'S, then the sums of S's columns. */
static void sums_task(void *user, int64_t index, int thread)
{
    const strip_work *work = user;
    sweep *s = work->s;
    const kernels *k = s->k;
    const array S = array_rows(k, s->S, work->first, work->end - work->first);
    if (index < kept_tasks(s)) {
        if (s->samples->sparse)
            sparse_sums_task(work, index);
        else
            dense_sums_task(work, index, thread);
    } else if (index < kept_tasks(s) + gram_tasks(s)) {
        add_gram(s, s->B, S, index - kept_tasks(s));
    } else {
        k->column_sums(S, s->encoding_sums);
    }
}

static void clear_sums(sweep *s)
{
    const size_t row = (size_t)s->W.stride * s->k->size;
    if (!s->deferred)
        memset(s->A.data, 0, (size_t)s->m * row);
    if (s->XS.data != s->A.data)
        memset(s->XS.data, 0, (size_t)s->m * row);
    if (s->uses_gram)
        clear_gram(s, s->B);
    memset(s->encoding_sums, 0, (size_t)s->W.columns * sizeof(double));
    memset(s->share, 0, (size_t)s->shares * sizeof(double));
}

static int64_t sums_tasks(const sweep *s)
{
    return kept_tasks(s) + gram_tasks(s) + (s->uses_sums ? 1 : 0);
}

/* New encodings of a strip and the sums of another: neither needs the other, and while one waits
 * for the memory the other computes. */
typedef struct step_work {
    strip_work encoding, sums;
    int64_t encoding_tasks, sums_tasks;
} step_work;

/* They take turns, as long as there are some of both. */
static void step_task(void *user, int64_t index, int thread)
{
    step_work *step = user;
    const int64_t both = smaller(step->encoding_tasks, step->sums_tasks);
    const bool sums = index < 2 * both ? index % 2 == 1 : step->sums_tasks > both;
    const int64_t own = index < 2 * both ? index / 2 : index - both;
    if (sums)
        sums_task(&step->sums, own, thread);
    else
        encoding_task(&step->encoding, own, thread);
}

/* Either may be an empty strip. */
static void step(sweep *s, strip_work encoding, strip_work sums)
{
    const int64_t rows = encoding.end - encoding.first, known = sums.end - sums.first;
    step_work work = {encoding, sums, pieces(rows, block_rows(s)), known > 0 ? sums_tasks(s) : 0};
    run_tasks(s, work.encoding_tasks + work.sums_tasks, step_task, &work,
              product_cost(s, rows) + square_cost(s, rows + known) +
                  (s->deferred ? 0 : product_cost(s, known)));
}

/* One pass over X: new encodings where asked, and the sums. */
static void pass(sweep *s, bool update)
{
    const strip_work none = {s, 0, 0};
    strip_work last = none;
    clear_sums(s);
    if (update && s->half.data)
        halves_gather(s);
    for (int64_t first = 0; first < s->n; first += s->strip) {
        const strip_work now = {s, first, smaller(s->n, first + s->strip)};
        if (update)
            step(s, now, last);
        else
            step(s, none, now);
        last = now;
    }
    if (update && s->half.data)
        halves_settle(s);
    if (update)
        step(s, none, last);
    if (s->uses_gram)
        s->k->mirror(s->B);
    if (s->deferred && !update)
        run_tasks(s, sample_blocks(s), shares_task, s, product_cost(s, s->n));
    if (s->loss == LOSS_KL)
        s->divergence = add_shares(s, 0, s->deferred ? sample_blocks(s) : data_tasks(s));
    if (s->deferred)
        s->cross = add_shares(s, sample_blocks(s), sample_blocks(s));
}

void sweep_sums(sweep *s)
{
    pass(s, false);
}

void sweep_start(sweep *s)
{
    refresh_basis(s); /* the sums read the transposed columns of W, the terms the sums */
    sweep_sums(s);
    prepare_terms(s);
}

void sweep_encoding(sweep *s)
{
    if (s->last.data != s->S.data) {
        const array newest = s->S;
        s->S = s->last;
        s->last = newest;
    }
    pass(s, true);
}

/* What the probes of one factor found, whose places are then free for the next. */
static void take_probes(sweep *s, double *projected, double *whole)
{
    for (int64_t i = 0; i + 2 <= s->shares; i += 2) {
        *projected += s->share[i];
        *whole += s->share[i + 1];
    }
    memset(s->share, 0, (size_t)s->shares * sizeof(double));
}

double sweep_projected_gradient(sweep *s)
{
    const array last = s->last;
    strip_work all = {s, 0, s->n};
    double projected = 0, whole = 0;
    memset(s->share, 0, (size_t)s->shares * sizeof(double));
    s->probing = true;
    sweep_basis_changed(s);
    sweep_basis(s);
    take_probes(s, &projected, &whole);
    s->last = s->S;
    run_tasks(s, sample_blocks(s), encoding_task, &all, product_cost(s, s->n));
    take_probes(s, &projected, &whole);
    s->probing = false;
    s->last = last;
    return whole > 0 ? sqrt(projected / whole) : 0;
}
