/* Nonnegative spectral clustering with discriminative regularisation, after Yang, Shen, Nie, Ji and
 * Zhou 2011: O = tr(F'M F) + (xi / 2)|F'F - I|^2 over indicators F >= 0 (n x k), with
 *
 *   M = L_norm + alpha (C - Xc'(Xc Xc' + beta I)^-1 Xc),      C centring, Xc = X C
 *   F <- F .* ((M- F + xi F) ./ (M+ F + xi F F'F))^(1/4),     M = M+ - M-
 *
 * A large xi soon fixes which entries of F are zero, so the start decides: k-means on the k last
 * eigenvectors of M, memberships plus 0.2. The plain ratio oscillates; its fourth root never rises.
 * With the centred Gram matrix G = Xc'Xc (n x n) the discriminative part is beta (G + beta I)^-1 -
 * 1 1'/n. M has no zeros: this method is for a few thousand samples. */
#include "method/nsdr.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "kernel/eigen.h"
#include "engine/products.h"
#include "graph/rows.h"
#include "kernel/blas.h"
#include "method/method.h"

#define START_TOLERANCE 1e-6 /* of the eigenvectors that a start is made of */

const orthant_parameter_info nsdr_parameters[] = {
    PARAMETER_WORD("start", "spectral", "spectral|random",
                   "spectral: k-means on the last eigenvectors of M; random ends in a random cut"),
    PARAMETER_NUMBER("orthogonality_weight", "1000", 0, 1e12, "weight xi of |F'F - I|^2"),
    PARAMETER_NUMBER("discriminative_weight", "1", 0, 1e12, "weight alpha of the linear fit"),
    PARAMETER_NUMBER("ridge", "1", 1e-12, 1e12, "beta: how stiff the linear fit is"),
    PARAMETER_WHOLE("neighbours", "5", 1, 1e9,
                    "nearest neighbours of a sample, where no graph is given"),
    PARAMETER_WORD("weights", "heat", "binary|heat|cosine",
                   "weights of the edges, where no graph is given"),
    PARAMETER_NUMBER("heat_width", "0", 0, 1e300,
                     "width of heat weights; 0: the root of the mean squared distance"),
    PARAMETER_SEARCH,
    PARAMETER_END,
};

/* ------------------------------------------------------------------ M */

typedef struct gram_work {
    const orthant_matrix *samples;
    double *gram;
} gram_work;

static void gram_task(void *user, int64_t i, int thread)
{
    const gram_work *work = user;
    const int64_t n = work->samples->rows;
    (void)thread;
    for (int64_t j = 0; j <= i; j++)
        work->gram[i * n + j] = work->gram[j * n + i] = rows_dot(work->samples, i, j);
}

/* G <- C G C */
static void centre(double *G, int64_t n, double *mean)
{
    double all = 0;
    for (int64_t i = 0; i < n; i++) {
        mean[i] = 0;
        for (int64_t j = 0; j < n; j++)
            mean[i] += G[i * n + j] / (double)n;
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            G[i * n + j] += all - mean[i] - mean[j];
}

/* M += L_norm; a node without edges adds nothing. */
static void add_laplacian(const orthant_graph *graph, double *M)
{
    const orthant_matrix *A = graph->adjacency;
    const int64_t n = A->rows;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = A->row_start[i]; e < A->row_start[i + 1]; e++)
            M[i * n + A->column[e]] -=
                matrix_value(A, e) / sqrt(graph->degree[i] * graph->degree[A->column[e]]);
    for (int64_t i = 0; i < n; i++)
        M[i * n + i] += graph->degree[i] > 0;
}

orthant_status nsdr_matrix(orthant_context *ctx, const orthant_matrix *samples,
                           const orthant_graph *graph, double weight, double ridge, double *M)
{
    const int64_t n = samples->rows;
    const lapack_int order = (lapack_int)n;
    gram_work work = {samples, M};
    const orthant_status status = blas_check_memory(ctx);
    if (status)
        return status;
    double *mean = memory_new(ctx, n, sizeof *mean, "the mean of the samples");
    if (!mean)
        return ORTHANT_ERROR_MEMORY;
    parallel_for(ctx, n, gram_task, &work);
    centre(M, n, mean);
    memory_free(ctx, mean);
    for (int64_t i = 0; i < n; i++)
        M[i * n + i] += ridge;
    blas_enter();
    const bool failed = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', order, M, order) ||
                        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', order, M, order);
    blas_leave();
    if (failed)
        return fail(ctx, ORTHANT_ERROR_NUMERIC,
                    "the Gram matrix of the samples plus ridge %g is not positive definite: take a "
                    "larger ridge",
                    ridge);
    for (int64_t i = 0; i < n; i++) /* column-major 'U' is the lower half of our rows */
        for (int64_t j = 0; j <= i; j++)
            M[i * n + j] = M[j * n + i] = weight * (ridge * M[i * n + j] - 1.0 / (double)n);
    add_laplacian(graph, M);
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ the iteration */

orthant_status nsdr_setup(nsdr *s, orthant_context *ctx, const double *M, orthant_matrix *F,
                          double xi)
{
    const int64_t n = F->rows;
    orthant_status status;
    *s = (nsdr){.F = matrix_array(F), .xi = xi};
    if ((status = panels_setup(&s->p, ctx, F->precision, n, F->columns)) ||
        (status = panels_new_array(&s->p, &s->plus_F)) ||
        (status = panels_new_array(&s->p, &s->minus_F)) ||
        (status = panels_new_array(&s->p, &s->numerator)) ||
        (status = panels_new_array(&s->p, &s->denominator)) ||
        (status = matrix_new_dense(ctx, F->precision, n, n, &s->plus)) ||
        (status = matrix_new_dense(ctx, F->precision, n, n, &s->minus)))
        return status;
    s->gram = memory_new(ctx, F->columns * F->columns, sizeof *s->gram, "a Gram matrix");
    if (!s->gram)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t e = 0; e < n * n; e++) {
        matrix_set_value(s->plus, e, fmax(M[e], 0));
        matrix_set_value(s->minus, e, fmax(-M[e], 0));
    }
    return ORTHANT_OK;
}

void nsdr_release(nsdr *s)
{
    array *held[] = {&s->plus_F, &s->minus_F, &s->numerator, &s->denominator};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        memory_free(s->p.ctx, held[i]->data);
    memory_free(s->p.ctx, s->gram);
    orthant_matrix_free(s->plus);
    orthant_matrix_free(s->minus);
    panels_release(&s->p);
}

void nsdr_refresh(nsdr *s)
{
    products_forward(s->p.ctx, s->plus, s->F, s->plus_F);
    products_forward(s->p.ctx, s->minus, s->F, s->minus_F);
    panels_gram(&s->p, s->F, s->F, s->gram);
}

static void update_task(void *user, int64_t piece, int64_t first, int64_t rows)
{
    const nsdr *s = user;
    const kernels *ops = s->p.k;
    const array F = array_rows(ops, s->F, first, rows),
                numerator = array_rows(ops, s->numerator, first, rows),
                denominator = array_rows(ops, s->denominator, first, rows);
    (void)piece;
    ops->copy(numerator, array_rows(ops, s->minus_F, first, rows));
    ops->add(numerator, s->xi, F);
    ops->add(denominator, 1, array_rows(ops, s->plus_F, first, rows));
    ops->update(F, F, numerator, denominator, 0.25);
}

void nsdr_step(nsdr *s)
{
    const int64_t k = s->p.q;
    for (int64_t e = 0; e < k * k; e++)
        s->gram[e] *= s->xi;
    panels_product(&s->p, s->denominator, s->F, s->gram, false);
    panels_run(&s->p, update_task, s);
    nsdr_refresh(s);
}

void nsdr_objective(nsdr *s, double *cut, double *penalty)
{
    const int64_t k = s->p.q;
    *cut = panels_dot(&s->p, s->F, s->plus_F) - panels_dot(&s->p, s->F, s->minus_F);
    *penalty = 0;
    for (int64_t e = 0; e < k * k; e++)
        *penalty += 0.5 * s->xi * pow(s->gram[e] - (e % (k + 1) == 0), 2);
}

/* ------------------------------------------------------------------ the method */

static void step(void *state)
{
    nsdr_step(state);
}

static void measure(void *state, double *values)
{
    nsdr_objective(state, &values[1], &values[2]);
    values[0] = values[1] + values[2];
}

static void parts(void *state, checkpoint_parts *parts)
{
    nsdr *s = state;
    parts_add_array(parts, "encoding", s->p.k, s->F);
    parts_add_array(parts, "plus", s->p.k, s->plus_F);
    parts_add_array(parts, "minus", s->p.k, s->minus_F);
    parts_add_numbers(parts, "Gram matrix", s->gram, s->p.q * s->p.q);
}

typedef struct negative {
    orthant_context *ctx;
    const double *M, *x;
    double *y;
    int64_t n;
} negative;

static void negative_task(void *user, int64_t i, int thread)
{
    const negative *m = user;
    double total = 0;
    (void)thread;
    for (int64_t j = 0; j < m->n; j++)
        total -= m->M[i * m->n + j] * m->x[j];
    m->y[i] = total;
}

/* y = -M x: the last eigenvectors of M lead. */
static void negative_product(void *user, const double *x, double *y)
{
    negative *m = user;
    m->x = x;
    m->y = y;
    parallel_for(m->ctx, m->n, negative_task, m);
}

/* Memberships of k-means on the eigenvectors, plus 0.2. */
static orthant_status spectral_start(fit *f, const double *M, uint64_t seed, orthant_matrix *F)
{
    const int64_t n = F->rows, k = F->columns;
    negative m = {.ctx = f->ctx, .M = M, .n = n};
    eigen_problem search = {.ctx = f->ctx,
                            .n = n,
                            .wanted = k,
                            .product = negative_product,
                            .user = &m,
                            .seed = seed,
                            .tolerance = START_TOLERANCE,
                            .restarts = INT32_MAX};
    orthant_matrix *points = NULL;
    kmeans_outcome outcome = {0};
    double *values = memory_new(f->ctx, k, sizeof *values, "eigenvalues"),
           *vectors = memory_new(f->ctx, k * n, sizeof *vectors, "eigenvectors");
    orthant_status status = values && vectors ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (status || (status = eigen_leading(&search, values, vectors)) ||
        (status = matrix_new_factor(f->ctx, ORTHANT_DOUBLE, n, k, &points)))
        goto done;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++)
            matrix_set_value(points, i * points->stride + j, vectors[j * n + i]);
    status = kmeans_run(f->ctx, points, k, 10, 300, seed, NULL, &outcome);
    if (!status && outcome.stopped)
        status = fail(f->ctx, ORTHANT_STOPPED, "stopped during the k-means start");
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t j = 0; j < k; j++)
            matrix_set_value(F, i * F->stride + j, outcome.label[i] == j ? 1.2 : 0.2);
done:
    kmeans_free(f->ctx, &outcome);
    orthant_matrix_free(points);
    memory_free(f->ctx, values);
    memory_free(f->ctx, vectors);
    return status;
}

/* Columns of unit length are as near to F'F = I as scaling can bring them. */
static orthant_status start(fit *f, nsdr *s, const double *M, orthant_matrix *F)
{
    const parameter_set *set = &f->model->parameters;
    const uint64_t seed = (uint64_t)parameter_whole(set, "seed");
    double *columns = s->p.small;
    bool given;
    orthant_status status = fit_start_given(f, "encoding", F, &given);
    if (status || given || fit_resumes(f))
        return status;
    if (!strcmp(parameter_text(set, "start"), "random"))
        start_random_factor(F, seed, RANDOM_ENCODING, 1);
    else if ((status = spectral_start(f, M, seed, F)))
        return status;
    panels_column_sums(&s->p, s->F, true, columns);
    for (int64_t j = 0; j < s->p.q; j++)
        columns[j] = 1 / sqrt(columns[j]);
    panels_scale_columns(&s->p, s->F, columns);
    return ORTHANT_OK;
}

orthant_status nsdr_run(fit *f)
{
    const parameter_set *set = &f->model->parameters;
    const int64_t n = f->samples->rows;
    orthant_matrix *F = NULL;
    double *M = NULL;
    nsdr s = {0};
    orthant_status status;
    int64_t entries = 0;
    history_begin(&f->result->history);
    history_add_column(&f->result->history, "orthogonality");
    if (n >= INT32_MAX || !size_multiply(n, n, &entries))
        return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%lld samples: 'nsdr' works on a dense matrix of samples by samples",
                    (long long)n);
    if ((status = fit_graph(f, parameter_whole(set, "neighbours"))) ||
        (status = fit_new_factor(f, "encoding", n, f->model->rank, &F)))
        return status;
    if (!(M = memory_new(f->ctx, entries, sizeof *M, "the samples-by-samples matrix")))
        return ORTHANT_ERROR_MEMORY;
    status =
        nsdr_matrix(f->ctx, f->samples, f->graph, parameter_number(set, "discriminative_weight"),
                    parameter_number(set, "ridge"), M);
    if (!status)
        status = nsdr_setup(&s, f->ctx, M, F, parameter_number(set, "orthogonality_weight"));
    if (!status)
        status = start(f, &s, M, F);
    memory_free(f->ctx, M);
    if (!status) {
        nsdr_refresh(&s);
        status = fit_loop(f, (loop_steps){&s, step, measure, NULL, parts, NULL});
    }
    if (!status)
        status = fit_tell_dead_columns(f);
    nsdr_release(&s);
    return status;
}
