/* Reconstruction ICA (Le et al. 2011), as TNMF's paper states it in (23), with S = X'W:
 *
 *   |X - W W'X|^2 + lambda sum_j sum_l sqrt(eps + sum_k h_lk s_jk^2)
 *
 * on whitened samples: centred, rotated to their principal components, each scaled to unit
 * variance. The fit is |X|^2 - 2 tr(S'S) + tr(S'S W'W), so W W'X is never formed, and the gradient
 *
 *   X (S (2 W'W - 4 I) + lambda S .* P) + 2 W S'S
 *
 *   p_jk = sum_l h_lk / sqrt(eps + sum_q h_lq s_jq^2)
 *
 * takes one product with X for S and one back. Minimised by L-BFGS with a memory of 10.
 *
 * The basis is given for the samples as they are: V D W for whitened samples (X - mean)'V D, so
 * that the encoding is the centred samples times the basis. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "method/lbfgs.h"
#include "method/panels.h"
#include "method/principal.h"
#include "engine/products.h"
#include "method/method.h"
#include "term/pooling.h"

const orthant_parameter_info rica_parameters[] = {
    PARAMETER_NUMBER("pooling_weight", "0.1", 0, 1e12,
                     "weight of the pooled lengths of the encodings"),
    PARAMETER_NUMBER("epsilon", "0.01", 1e-30, 1e6, "added under the root; must be positive"),
    POOLING_PARAMETERS,
    PARAMETER_WORD("whiten", "yes", "yes|no",
                   "centred principal components of unit variance first"),
    PARAMETER_WHOLE("components", "0", 0, 1e6,
                    "principal components for whitening; 0: as many as the rank"),
    PARAMETER_END,
};

typedef struct rica_state {
    fit *f;
    const kernels *ops;
    const orthant_matrix *X; /* what is factored: the samples, or whitened */
    orthant_matrix *whitened;
    principal components; /* for whitening; its vectors become V D */
    orthant_matrix *basis, *encoding;
    orthant_matrix *W;        /* columns of X x k: the basis itself where nothing is whitened */
    orthant_matrix *T;        /* n x k: what the gradient is X' of, but for 2 W S'S */
    orthant_matrix *gradient; /* like W */
    orthant_matrix *pooling, *pooling_transposed;
    panels samples, features;
    double *B, *G, *small; /* k x k: S'S, W'W */
    double squares, weight, epsilon;
    char *scratch; /* for each thread: two blocks of encodings and one of pooled ones */
    int64_t block_bytes, pooled_bytes, thread_bytes;
    double *share; /* of blocks */
    lbfgs search;
    double loss, penalty;                   /* at the last evaluation */
    double accepted_loss, accepted_penalty; /* where the search is */
} rica_state;

static void release(rica_state *r)
{
    orthant_context *ctx = r->f->ctx;
    if (r->W != r->basis)
        orthant_matrix_free(r->W);
    orthant_matrix_free(r->whitened);
    principal_free(ctx, &r->components);
    orthant_matrix_free(r->T);
    orthant_matrix_free(r->gradient);
    orthant_matrix_free(r->pooling);
    orthant_matrix_free(r->pooling_transposed);
    panels_release(&r->samples);
    panels_release(&r->features);
    memory_free(ctx, r->B);
    memory_free(ctx, r->scratch);
    memory_free(ctx, r->share);
    lbfgs_release(&r->search);
}

/* ------------------------------------------------------------------ the objective */

/* Adds lambda S .* P to a block of T, and sums the block's pooled lengths. */
static void pooling_task(void *user, int64_t index, int thread)
{
    rica_state *r = user;
    const kernels *ops = r->ops;
    const array S = matrix_array(r->encoding), T = matrix_array(r->T),
                H = matrix_array(r->pooling_transposed);
    const int64_t first = index * KERNEL_ROWS, left = S.rows - first;
    const int64_t rows = left < KERNEL_ROWS ? left : KERNEL_ROWS;
    char *scratch = r->scratch + thread * r->thread_bytes;
    const array from = array_rows(ops, S, first, rows);
    const array squares = {scratch, rows, S.columns, S.stride},
                spread = {scratch + r->block_bytes, rows, S.columns, S.stride},
                pooled = {scratch + 2 * r->block_bytes, rows, H.columns, H.stride};
    ops->square(squares, from);
    ops->product(pooled, squares, H, false);
    r->share[index] = ops->sum_roots(pooled, r->epsilon);
    ops->inverse_root(pooled, r->epsilon);
    ops->product(spread, pooled, matrix_array(r->pooling), false);
    ops->add_product(array_rows(ops, T, first, rows), r->weight, from, spread);
}

static double evaluate(void *user, const double *x, double *gradient)
{
    rica_state *r = user;
    orthant_context *ctx = r->f->ctx;
    const array W = matrix_array(r->W), S = matrix_array(r->encoding), T = matrix_array(r->T),
                D = matrix_array(r->gradient);
    const int64_t rank = W.columns, blocks = (S.rows + KERNEL_ROWS - 1) / KERNEL_ROWS;
    r->ops->set_values(W, x);
    products_forward(ctx, r->X, W, S);
    panels_gram(&r->samples, S, S, r->B);
    panels_gram(&r->features, W, W, r->G);
    r->loss = r->squares + small_dot(rank, r->B, r->G);
    for (int64_t j = 0; j < rank; j++)
        r->loss -= 2 * r->B[j * rank + j];
    for (int64_t e = 0; e < rank * rank; e++)
        r->small[e] = 2 * r->G[e] - (e % (rank + 1) ? 0 : 4);
    panels_product(&r->samples, T, S, r->small, false);
    r->penalty = 0;
    parallel_for(ctx, blocks, pooling_task, r);
    for (int64_t i = 0; i < blocks; i++)
        r->penalty += r->weight * r->share[i];
    products_backward(ctx, r->X, T, D);
    for (int64_t e = 0; e < rank * rank; e++)
        r->small[e] = 2 * r->B[e];
    panels_product(&r->features, D, W, r->small, true);
    r->ops->get_values(D, gradient);
    return r->loss + r->penalty;
}

/* ------------------------------------------------------------------ whitening */

static int64_t components_wanted(const rica_state *r)
{
    const orthant_matrix *X = r->f->samples;
    const int64_t given = parameter_whole(&r->f->model->parameters, "components");
    const int64_t least = X->rows - 1 < X->columns ? X->rows - 1 : X->columns;
    const int64_t wanted = given ? given : r->f->model->rank;
    return wanted < 1 || least < 1 ? 1 : wanted < least ? wanted : least;
}

static orthant_status whiten(rica_state *r)
{
    fit *f = r->f;
    principal *p = &r->components;
    const parameter_set *set = &f->model->parameters;
    orthant_status status = principal_find(f->ctx, f->samples, components_wanted(r),
                                           (uint64_t)parameter_whole(set, "seed"), p);
    if (status)
        return status;
    const int64_t kept = p->found;
    if (kept == 0)
        return fail(f->ctx, ORTHANT_ERROR_DATA,
                    "all samples are equal: there is no variance to whiten. Try whiten=no");
    orthant_matrix *scaled = NULL, *vectors = p->vectors;
    if ((status = matrix_new_factor(f->ctx, f->samples->precision, vectors->rows, kept, &scaled)) ||
        (status = matrix_new_factor(f->ctx, f->samples->precision, f->samples->rows, kept,
                                    &r->whitened))) {
        orthant_matrix_free(scaled);
        return status;
    }
    for (int64_t j = 0; j < kept; j++)
        for (int64_t i = 0; i < vectors->rows; i++)
            matrix_set_value(scaled, i * scaled->stride + j,
                             matrix_value(vectors, i * vectors->stride + j) *
                                 sqrt((double)f->samples->rows / p->values[j]));
    orthant_matrix_free(vectors);
    p->vectors = scaled;
    r->X = r->whitened;
    return principal_scores(f->ctx, f->samples, p, r->whitened);
}

/* ------------------------------------------------------------------ the start */

/* The user's basis B = V D W in the coordinates of whitened samples: W = D^-1 V'B. */
static void whiten_start(rica_state *r)
{
    const double n = (double)r->f->samples->rows;
    products_backward(r->f->ctx, r->components.vectors, matrix_array(r->basis), matrix_array(r->W));
    for (int64_t i = 0; i < r->W->rows; i++)
        for (int64_t j = 0; j < r->W->columns; j++) {
            const int64_t at = i * r->W->stride + j;
            matrix_set_value(r->W, at, matrix_value(r->W, at) * r->components.values[i] / n);
        }
}

static void start_random(rica_state *r)
{
    const uint64_t seed = (uint64_t)parameter_whole(&r->f->model->parameters, "seed");
    for (int64_t j = 0; j < r->W->columns; j++) {
        double squares = 0;
        for (int64_t i = 0; i < r->W->rows; i++) {
            const double value = random_normal(seed, RANDOM_BASIS, (uint64_t)i, (uint64_t)j);
            matrix_set_value(r->W, i * r->W->stride + j, value);
            squares += value * value;
        }
        for (int64_t i = 0; i < r->W->rows; i++) {
            const int64_t at = i * r->W->stride + j;
            matrix_set_value(r->W, at, matrix_value(r->W, at) / sqrt(squares));
        }
    }
}

static orthant_status start(rica_state *r)
{
    const orthant_matrix *given = NULL;
    const orthant_status status =
        fit_start(r->f, "basis", r->basis->rows, r->basis->columns, &given);
    if (status)
        return status;
    if (!given) {
        start_random(r);
        return ORTHANT_OK;
    }
    for (int64_t i = 0; i < given->rows; i++)
        for (int64_t j = 0; j < given->columns; j++)
            matrix_set_value(r->basis, i * r->basis->stride + j, orthant_matrix_get(given, i, j));
    if (r->whitened)
        whiten_start(r);
    return matrix_check(r->basis, false, "basis", r->f->model->method->name);
}

/* ------------------------------------------------------------------ the fit */

static orthant_status setup_work(rica_state *r)
{
    orthant_context *ctx = r->f->ctx;
    const int64_t n = r->X->rows, m = r->X->columns, rank = r->f->model->rank;
    const orthant_precision precision = r->f->samples->precision;
    const problem asked = fit_problem(r->f);
    orthant_status status;
    if ((status = matrix_new_factor(ctx, precision, n, rank, &r->T)) ||
        (status = matrix_new_factor(ctx, precision, m, rank, &r->gradient)) ||
        (status = pooling_make(&asked, &r->pooling, &r->pooling_transposed)) ||
        (status = panels_setup(&r->samples, ctx, precision, n, rank, 1)) ||
        (status = panels_setup(&r->features, ctx, precision, m, rank, 1)) ||
        (status = lbfgs_setup(&r->search, ctx, m * rank, evaluate, r)))
        return status;
    r->block_bytes = KERNEL_ROWS * r->T->stride * (int64_t)r->ops->size;
    r->pooled_bytes = KERNEL_ROWS * r->pooling_transposed->stride * (int64_t)r->ops->size;
    r->thread_bytes = 2 * r->block_bytes + r->pooled_bytes;
    r->scratch = memory_new(ctx, parallel_threads(ctx) * r->thread_bytes, 1, "pooled encodings");
    r->share = memory_new(ctx, (n + KERNEL_ROWS - 1) / KERNEL_ROWS, sizeof(double), "sums");
    r->B = memory_new(ctx, 3 * rank * rank, sizeof(double), "Gram matrices");
    if (!r->scratch || !r->share || !r->B)
        return ORTHANT_ERROR_MEMORY;
    r->G = r->B + rank * rank;
    r->small = r->G + rank * rank;
    return ORTHANT_OK;
}

static orthant_status setup(rica_state *r)
{
    fit *f = r->f;
    const parameter_set *set = &f->model->parameters;
    const int64_t rank = f->model->rank;
    orthant_status status;
    r->ops = kernel_table(f->samples->precision);
    r->X = f->samples;
    r->weight = parameter_number(set, "pooling_weight");
    r->epsilon = parameter_number(set, "epsilon");
    if ((status = fit_new_factor(f, "basis", f->samples->columns, rank, &r->basis)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, rank, &r->encoding)))
        return status;
    r->W = r->basis;
    if (!strcmp(parameter_text(set, "whiten"), "yes")) {
        if ((status = whiten(r)))
            return status;
        r->W = NULL;
        if ((status = matrix_new_factor(f->ctx, f->samples->precision, r->X->columns, rank, &r->W)))
            return status;
    }
    if ((status = setup_work(r)) || (status = start(r)))
        return status;
    r->squares = matrix_squares(r->X);
    r->ops->get_values(matrix_array(r->W), r->search.x);
    history_begin(&f->result->history);
    history_add_column(&f->result->history, "topographic");
    return ORTHANT_OK;
}

static void take_parts(rica_state *r)
{
    r->accepted_loss = r->loss;
    r->accepted_penalty = r->penalty;
}

static void step(void *user)
{
    rica_state *r = user;
    lbfgs_step(&r->search);
    if (!r->search.stuck)
        take_parts(r);
}

static void measure(void *user, double *values)
{
    const rica_state *r = user;
    values[0] = r->search.value;
    values[1] = r->accepted_loss;
    values[2] = r->accepted_penalty;
}

/* The encoding and the basis where the search is. */
static void show(void *user)
{
    rica_state *r = user;
    r->ops->set_values(matrix_array(r->W), r->search.x);
    products_forward(r->f->ctx, r->X, matrix_array(r->W), matrix_array(r->encoding));
    if (r->whitened)
        products_forward(r->f->ctx, r->components.vectors, matrix_array(r->W),
                         matrix_array(r->basis));
}

static void parts(void *user, checkpoint_parts *parts)
{
    rica_state *r = user;
    lbfgs_parts(&r->search, parts);
    parts_add_field(parts, "loss", &r->accepted_loss, sizeof r->accepted_loss);
    parts_add_field(parts, "penalty", &r->accepted_penalty, sizeof r->accepted_penalty);
}

static void restored(void *user)
{
    rica_state *r = user;
    lbfgs_restored(&r->search);
}

orthant_status rica_run(fit *f)
{
    rica_state r = {.f = f};
    orthant_status status = setup(&r);
    if (!status) {
        lbfgs_begin(&r.search);
        take_parts(&r);
        status = fit_loop(f, (loop_steps){.state = &r,
                                          .step = step,
                                          .measure = measure,
                                          .show = show,
                                          .parts = parts,
                                          .restored = restored});
    }
    if (!status)
        show(&r);
    release(&r);
    return status;
}
