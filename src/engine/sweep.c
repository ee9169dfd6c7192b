#include "engine/sweep.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "term/term.h"

#define STRIP_BYTES (4 << 20) /* what a strip of X may take of the last cache */
#define GRAM_COLUMNS 16       /* columns of a Gram matrix that one task makes */

/* Arrays of a thread, in the order of its scratch; those from PRODUCTS on only where a term uses
 * them. */
enum { NUMERATOR, DENOMINATOR, TERM_FIRST, PRODUCTS = TERM_FIRST + SWEEP_TERM_ARRAYS, ARRAYS };

static int64_t pieces(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Rows of a task, small where there are few samples so that threads share them evenly. */
static int64_t block_rows(const sweep *s)
{
    return s->n >= 8192 ? KERNEL_ROWS : s->n >= 1024 ? KERNEL_ROWS / 2 : KERNEL_ROWS / 4;
}

static array scratch_array(const sweep *s, int thread, int which, int64_t rows)
{
    char *base = s->scratch + thread * s->scratch_bytes + s->kernel_bytes;
    const int64_t bytes = block_rows(s) * s->W.stride * (int64_t)s->k->size;
    return (array){base + which * bytes, rows, s->W.columns, s->W.stride};
}

static void *kernel_space(const sweep *s, int thread)
{
    return s->scratch + thread * s->scratch_bytes;
}

array sweep_term_array(const sweep *s, int thread, int which, int64_t rows)
{
    return scratch_array(s, thread, TERM_FIRST + which, rows);
}

array sweep_products(const sweep *s, block b)
{
    return scratch_array(s, b.thread, PRODUCTS, b.rows);
}

static block block_at(int64_t first, int64_t end, int64_t rows, int64_t index, int thread)
{
    const int64_t start = first + index * rows;
    return (block){start, smaller(rows, end - start), thread};
}

/* Below this many multiplications waking a thread costs more than it saves. */
#define WORTH_THREADS 200000

static void run_tasks(const sweep *s, int64_t count, parallel_task task, void *user,
                      int64_t multiplications)
{
    if (multiplications >= WORTH_THREADS) {
        parallel_for(s->ctx, count, task, user);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        task(user, i, 0);
}

/* Of a product of X with a factor. */
static int64_t product_cost(const sweep *s, int64_t rows)
{
    const orthant_matrix *X = s->samples;
    const int64_t entries = X->sparse ? X->row_start[X->rows] / X->rows * rows : rows * s->m;
    return entries * s->W.stride;
}

static int64_t square_cost(const sweep *s, int64_t rows)
{
    return rows * s->W.stride * s->W.stride;
}

/* ------------------------------------------------------------------ setup */

static int64_t strip_rows(const orthant_matrix *X)
{
    const int64_t size = (int64_t)precision_size(X->precision);
    const int64_t row =
        X->sparse ? X->row_start[X->rows] / X->rows * (size + 4) + 16 : X->columns * size;
    const int64_t rows = STRIP_BYTES / row / KERNEL_ROWS * KERNEL_ROWS;
    return rows < KERNEL_ROWS ? KERNEL_ROWS : rows;
}

/* Bounds that give each range of features about the same number of stored entries. */
static orthant_status cut_ranges(sweep *s)
{
    const csr X = matrix_csr(s->samples);
    const int64_t stored = X.row_start[X.rows];
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
        seen += count[f];
        while (cut < SWEEP_RANGES && seen * SWEEP_RANGES >= stored * cut)
            s->range[cut++] = f + 1;
    }
    while (cut <= SWEEP_RANGES)
        s->range[cut++] = s->m;
    memory_free(s->ctx, count);
    return ORTHANT_OK;
}

static bool new_array(sweep *s, int64_t rows, array *a)
{
    *a = (array){memory_new(s->ctx, rows * s->W.stride, s->k->size, "a factor's sums"), rows,
                 s->W.columns, s->W.stride};
    return a->data != NULL;
}

static void read_term_flags(sweep *s, bool *reads_others)
{
    s->uses_sums = s->loss == LOSS_KL;
    s->uses_gram = s->loss == LOSS_FROBENIUS;
    for (int t = 0; t < s->term_count; t++) {
        const int flags = s->terms[t].kind->flags;
        s->uses_products |= (flags & TERM_USES_PRODUCTS) != 0;
        s->uses_sums |= (flags & TERM_USES_COLUMN_SUMS) != 0;
        s->uses_gram |= (flags & TERM_USES_GRAM) != 0;
        *reads_others |= (flags & TERM_READS_OTHERS) != 0;
    }
}

orthant_status sweep_setup(sweep *s)
{
    bool reads_others = false;
    const int64_t rank = s->W.columns, threads = parallel_threads(s->ctx);
    read_term_flags(s, &reads_others);
    s->exponent = 1;
    s->strip = strip_rows(s->samples);
    s->data_squares = matrix_squares(s->samples);
    s->data_sum = matrix_sum(s->samples);
    s->shares = pieces(s->n, block_rows(s)) * (s->term_count + 1) + pieces(s->m, KERNEL_FEATURES) +
                SWEEP_RANGES;
    const int arrays = s->uses_products ? ARRAYS : s->term_count ? PRODUCTS : TERM_FIRST;
    s->kernel_bytes = kernel_scratch(s->samples->precision, s->W.stride);
    s->scratch_bytes = s->kernel_bytes + arrays * block_rows(s) * s->W.stride * (int64_t)s->k->size;
    s->scratch = memory_new(s->ctx, threads * s->scratch_bytes, 1, "scratch");
    s->share = memory_new(s->ctx, s->shares, sizeof *s->share, "partial sums");
    s->basis_sums = memory_new(s->ctx, 3 * rank, sizeof(double), "sums of columns");
    if (!s->scratch || !s->share || !s->basis_sums || !new_array(s, s->m, &s->A))
        return ORTHANT_ERROR_MEMORY;
    s->basis_squares = s->basis_sums + rank;
    s->encoding_sums = s->basis_sums + 2 * rank;
    s->last = s->S;
    s->XS = s->A;
    if (s->uses_gram && !new_array(s, rank, &s->B))
        return ORTHANT_ERROR_MEMORY;
    if (s->loss == LOSS_FROBENIUS && !new_array(s, rank, &s->G))
        return ORTHANT_ERROR_MEMORY;
    if (s->loss == LOSS_KL && s->uses_products && !new_array(s, s->m, &s->XS))
        return ORTHANT_ERROR_MEMORY;
    if (reads_others && !new_array(s, s->n, &s->last))
        return ORTHANT_ERROR_MEMORY;
    return s->samples->sparse ? cut_ranges(s) : ORTHANT_OK;
}

void sweep_release(sweep *s)
{
    if (s->XS.data != s->A.data)
        memory_free(s->ctx, s->XS.data);
    if (s->last.data != s->S.data)
        memory_free(s->ctx, s->last.data);
    memory_free(s->ctx, s->A.data);
    memory_free(s->ctx, s->B.data);
    memory_free(s->ctx, s->G.data);
    memory_free(s->ctx, s->basis_sums);
    memory_free(s->ctx, s->scratch);
    memory_free(s->ctx, s->share);
    memory_free(s->ctx, s->range);
}

/* ------------------------------------------------------------------ the basis */

static void basis_task(void *user, int64_t index, int thread)
{
    sweep *s = user;
    const kernels *k = s->k;
    const block b = block_at(0, s->m, block_rows(s), index, thread);
    const array W = array_rows(k, s->W, b.first, b.rows);
    const array N = scratch_array(s, thread, NUMERATOR, b.rows),
                D = scratch_array(s, thread, DENOMINATOR, b.rows);
    k->copy(N, array_rows(k, s->A, b.first, b.rows));
    if (s->loss == LOSS_FROBENIUS) {
        k->product(D, W, s->B, false);
    } else {
        memset(D.data, 0, (size_t)(D.rows * D.stride) * k->size);
        k->add_columns(D, 1, s->encoding_sums);
    }
    for (int t = 0; t < s->term_count; t++)
        if (s->terms[t].kind->basis)
            s->terms[t].kind->basis(&s->terms[t], s, b, N, D);
    k->update(W, W, N, D, s->exponent);
}

void sweep_basis(sweep *s)
{
    run_tasks(s, pieces(s->m, block_rows(s)), basis_task, s, square_cost(s, s->m));
}

/* A few columns of W'W. */
static void basis_gram_task(void *user, int64_t index, int thread)
{
    sweep *s = user;
    (void)thread;
    const int64_t first = index * GRAM_COLUMNS,
                  columns = smaller(GRAM_COLUMNS, s->W.columns - first);
    s->k->product_transposed(array_rows(s->k, s->G, first, columns),
                             array_columns(s->k, s->W, first, columns), s->W, false);
}

void sweep_basis_changed(sweep *s)
{
    const int64_t rank = s->W.columns;
    if (s->loss == LOSS_FROBENIUS)
        run_tasks(s, pieces(rank, GRAM_COLUMNS), basis_gram_task, s, square_cost(s, s->m));
    if (s->uses_sums) {
        memset(s->basis_sums, 0, (size_t)rank * sizeof(double));
        memset(s->basis_squares, 0, (size_t)rank * sizeof(double));
        s->k->column_sums(s->W, s->basis_sums);
        s->k->column_squares(s->W, s->basis_squares);
    }
    for (int t = 0; t < s->term_count; t++)
        if (s->terms[t].kind->prepare)
            s->terms[t].kind->prepare(&s->terms[t], s);
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
        s->k->product(c, array_rows(s->k, matrix_array(s->samples), b.first, b.rows), s->W, false);
}

static void frobenius_parts(const sweep *s, block b, array from, array N, array D)
{
    block_products(s, b, N);
    if (s->uses_products)
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
                         kernel_space(s, b.thread));
    memset(D.data, 0, (size_t)(D.rows * D.stride) * k->size);
    k->add_columns(D, 1, s->basis_sums);
    if (s->uses_products)
        block_products(s, b, sweep_products(s, b));
}

static void encoding_task(void *user, int64_t index, int thread)
{
    const strip_work *work = user;
    const sweep *s = work->s;
    const block b = block_at(work->first, work->end, block_rows(s), index, thread);
    const array from = array_rows(s->k, s->last, b.first, b.rows);
    const array N = scratch_array(s, thread, NUMERATOR, b.rows),
                D = scratch_array(s, thread, DENOMINATOR, b.rows);
    if (s->loss == LOSS_FROBENIUS)
        frobenius_parts(s, b, from, N, D);
    else
        kl_parts(s, b, from, N, D);
    for (int t = 0; t < s->term_count; t++)
        if (s->terms[t].kind->encoding)
            s->terms[t].kind->encoding(&s->terms[t], s, b, N, D);
    s->k->update(array_rows(s->k, s->S, b.first, b.rows), from, N, D, s->exponent);
}

/* ------------------------------------------------------------------ the sums */

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
    s->share[panel] += k->ratio_product_transposed(A, X, S, array_rows(k, s->W, first, features),
                                                   true, kernel_space(s, thread));
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
    if (s->loss == LOSS_FROBENIUS) {
        k->sparse_product_transposed(s->A, X, work->first, S, first, end);
        return;
    }
    s->share[range] +=
        k->sparse_ratio_product_transposed(s->A, X, work->first, S, s->W, first, end);
    if (s->uses_products)
        k->sparse_product_transposed(s->XS, X, work->first, S, first, end);
}

static int64_t data_tasks(const sweep *s)
{
    return s->samples->sparse ? SWEEP_RANGES : pieces(s->m, KERNEL_FEATURES);
}

static int64_t gram_tasks(const sweep *s)
{
    return s->uses_gram ? pieces(s->W.columns, GRAM_COLUMNS) : 0;
}

/* Tasks: the features, then the Gram matrix S'S, then the sums of S's columns. */
static void sums_task(void *user, int64_t index, int thread)
{
    const strip_work *work = user;
    sweep *s = work->s;
    const kernels *k = s->k;
    const array S = array_rows(k, s->S, work->first, work->end - work->first);
    const int64_t first = (index - data_tasks(s)) * GRAM_COLUMNS;
    if (index < data_tasks(s)) {
        if (s->samples->sparse)
            sparse_sums_task(work, index);
        else
            dense_sums_task(work, index, thread);
    } else if (index < data_tasks(s) + gram_tasks(s)) {
        const int64_t columns = smaller(GRAM_COLUMNS, s->W.columns - first);
        k->product_transposed(array_rows(k, s->B, first, columns),
                              array_columns(k, S, first, columns), S, true);
    } else {
        k->column_sums(S, s->encoding_sums);
    }
}

static void clear_sums(sweep *s)
{
    const size_t row = (size_t)s->W.stride * s->k->size;
    memset(s->A.data, 0, (size_t)s->m * row);
    if (s->XS.data != s->A.data)
        memset(s->XS.data, 0, (size_t)s->m * row);
    if (s->uses_gram)
        memset(s->B.data, 0, (size_t)s->W.columns * row);
    memset(s->encoding_sums, 0, (size_t)s->W.columns * sizeof(double));
    memset(s->share, 0, (size_t)s->shares * sizeof(double));
}

/* One pass over X: new encodings where asked, and the sums. */
static void pass(sweep *s, bool update)
{
    clear_sums(s);
    for (int64_t first = 0; first < s->n; first += s->strip) {
        strip_work work = {s, first, smaller(s->n, first + s->strip)};
        const int64_t rows = work.end - work.first;
        if (update)
            run_tasks(s, pieces(rows, block_rows(s)), encoding_task, &work,
                      product_cost(s, rows) + square_cost(s, rows));
        run_tasks(s, data_tasks(s) + gram_tasks(s) + (s->uses_sums ? 1 : 0), sums_task, &work,
                  product_cost(s, rows) + square_cost(s, rows));
    }
    s->divergence = 0;
    for (int64_t i = 0; s->loss == LOSS_KL && i < data_tasks(s); i++)
        s->divergence += s->share[i];
}

void sweep_sums(sweep *s)
{
    pass(s, false);
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

/* ------------------------------------------------------------------ the objective */

static void residual_task(void *user, int64_t index, int thread)
{
    sweep *s = user;
    const kernels *k = s->k;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    const array S = array_rows(k, s->S, b.first, b.rows);
    s->share[index] = s->samples->sparse
                          ? k->sparse_residual(matrix_csr(s->samples), b.first, S, s->W)
                          : k->residual(array_rows(k, matrix_array(s->samples), b.first, b.rows), S,
                                        s->W, kernel_space(s, thread));
}

/* |X - W S'|^2 term by term: where the fit is so good that the free formula cancels. */
static double direct_residual(sweep *s)
{
    const int64_t blocks = pieces(s->n, block_rows(s));
    double total = s->samples->sparse ? s->k->dot(s->G, s->B) : 0;
    run_tasks(s, blocks, residual_task, s, product_cost(s, s->n));
    for (int64_t i = 0; i < blocks; i++)
        total += s->share[i];
    return total > 0 ? total : 0;
}

double sweep_loss(sweep *s)
{
    if (s->loss == LOSS_KL) {
        double fitted = 0;
        for (int64_t j = 0; j < s->W.columns; j++)
            fitted += s->basis_sums[j] * s->encoding_sums[j];
        /* Never negative; where the fit is exact rounding may say otherwise. */
        return fmax(s->divergence - s->data_sum + fitted, 0);
    }
    const double loss = s->data_squares - 2 * s->k->dot(s->W, s->A) + s->k->dot(s->G, s->B);
    const double cancels = s->samples->precision == ORTHANT_SINGLE ? 1e-6 : 1e-9;
    return loss < cancels * s->data_squares ? direct_residual(s) : loss;
}

static void value_task(void *user, int64_t index, int thread)
{
    sweep *s = user;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    for (int t = 0; t < s->term_count; t++)
        s->share[index * s->term_count + t] =
            s->terms[t].kind->rows_value ? s->terms[t].kind->rows_value(&s->terms[t], s, b) : 0;
}

void sweep_term_values(sweep *s, double *values)
{
    const int64_t blocks = pieces(s->n, block_rows(s));
    if (!s->term_count)
        return;
    run_tasks(s, blocks, value_task, s, square_cost(s, s->n));
    for (int t = 0; t < s->term_count; t++) {
        values[t] =
            s->terms[t].kind->whole_value ? s->terms[t].kind->whole_value(&s->terms[t], s) : 0;
        for (int64_t i = 0; i < blocks; i++)
            values[t] += s->share[i * s->term_count + t];
        values[t] =
            fmax(values[t], 0) * s->terms[t].weight; /* no term is negative, but by rounding */
    }
}
