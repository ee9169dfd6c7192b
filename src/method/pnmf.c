/* Projective NMF (Yuan and Oja 2005): |X - W W'X|^2 with `basis` W (m x k); the `encoding` is the
 * projection X'W (n x k). With A = X X' between the features, which is never formed:
 *
 *   rule=third     W <- W .* (2 A W ./ (W W'A W + A W W'W))^(1/3)                         monotone
 *   rule=classic   W <- W .* (A W ./ (W W'A W + A W W'W)), then W / |W|_2                 not
 *
 * A W = X (X'W) comes of one pass over X, which also gives the encoding T = X'W, and W'A W is T'T.
 * Without the normalisation the classic rule, which lacks the factor 2, jumps with period 2. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/gram.h"
#include "method/method.h"

#define POWER_STEPS 1000 /* at most, for the spectral norm */

const orthant_parameter_info pnmf_parameters[] = {
    PARAMETER_WORD("rule", "third", "third|classic",
                   "third: cube root of the ratio, monotone; classic: the ratio itself, W divided "
                   "by its spectral norm"),
    PARAMETER_END,
};

typedef struct pnmf_state {
    fit *f;
    gram gram;
    orthant_matrix *basis, *encoding;
    array W, T;
    gram_image product; /* A W, m x k */
    bool classic;
    double *small; /* k x k each: W'A W, W'W; then k */
    double *form, *factor_gram, *vector;
    array C, Q; /* W'A W and W'W */
} pnmf_state;

static void project(void *user, strip x, block b)
{
    const pnmf_state *p = user;
    const gram *g = &p->gram;
    const gram_image as_image = {.factored = true, .plus = p->W};
    gram_rows(g, &as_image, x, b, array_rows(g->ops, p->T, b.first, b.rows));
}

static void update_basis(void *user, block b)
{
    const pnmf_state *p = user;
    const gram *g = &p->gram;
    const kernels *ops = g->ops;
    const array W = array_rows(ops, p->W, b.first, b.rows),
                AW = array_rows(ops, p->product.plus, b.first, b.rows);
    const array N = gram_scratch(g, b, 0), D = gram_scratch(g, b, 1);
    ops->copy(N, AW);
    if (!p->classic)
        ops->add(N, 1, AW);
    ops->product(D, W, p->C, false);
    ops->product(D, AW, p->Q, true);
    ops->update(W, W, N, D, p->classic ? 1 : 1.0 / 3);
}

/* The largest eigenvalue of the nonnegative W'W, by powers. */
static double largest_eigenvalue(pnmf_state *p)
{
    const int64_t k = p->gram.rank;
    double *x = p->vector, *y = p->vector + k, value = 0;
    for (int64_t j = 0; j < k; j++)
        x[j] = 1 / sqrt((double)k);
    for (int step = 0; step < POWER_STEPS; step++) {
        double square = 0, before = value;
        for (int64_t i = 0; i < k; i++) {
            y[i] = 0;
            for (int64_t j = 0; j < k; j++)
                y[i] += p->factor_gram[i * k + j] * x[j];
            square += y[i] * y[i];
        }
        value = sqrt(square);
        if (!(value > 0) || fabs(value - before) <= 1e-15 * value)
            break;
        for (int64_t j = 0; j < k; j++)
            x[j] = y[j] / value;
    }
    return value;
}

static void normalise(pnmf_state *p)
{
    const int64_t k = p->gram.rank;
    panels_gram(&p->gram.features, p->W, p->W, p->factor_gram);
    const double largest = largest_eigenvalue(p);
    for (int64_t j = 0; j < k; j++)
        p->vector[j] = largest > 0 ? 1 / sqrt(largest) : 1;
    p->gram.ops->scale_columns(p->W, p->vector);
}

static void basis_changed(pnmf_state *p)
{
    gram *g = &p->gram;
    gram_sweep(g, project, p, p->T, &p->product);
    panels_gram(&g->rows, p->T, p->T, p->form);
    panels_gram(&g->features, p->W, p->W, p->factor_gram);
    g->ops->set_values(p->C, p->form);
    g->ops->set_values(p->Q, p->factor_gram);
}

static void step(void *state)
{
    pnmf_state *p = state;
    gram_visit_features(&p->gram, update_basis, p);
    if (p->classic)
        normalise(p);
    basis_changed(p);
}

static void measure(void *state, double *values)
{
    pnmf_state *p = state;
    const gram_image as_image = {.factored = true, .plus = p->W};
    values[0] = values[1] = gram_loss(&p->gram, p->T, &p->product, p->T, &as_image,
                                      small_dot(p->gram.rank, p->form, p->factor_gram));
}

static void parts(void *state, checkpoint_parts *parts)
{
    pnmf_state *p = state;
    parts_add_array(parts, "basis", p->gram.ops, p->W);
    parts_add_array(parts, "encoding", p->gram.ops, p->T);
    gram_image_parts(&p->gram, &p->product, "product", parts);
    parts_add_numbers(parts, "small", p->small, 2 * p->gram.rank * p->gram.rank);
}

static void restored(void *state)
{
    pnmf_state *p = state;
    p->gram.ops->set_values(p->C, p->form);
    p->gram.ops->set_values(p->Q, p->factor_gram);
}

static orthant_status setup(pnmf_state *p)
{
    fit *f = p->f;
    gram *g = &p->gram;
    const int64_t k = f->model->rank;
    const orthant_matrix *unwanted = NULL;
    orthant_status status;
    if ((status = fit_new_factor(f, "basis", f->samples->columns, k, &p->basis)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, k, &p->encoding)) ||
        (status = fit_start(f, "encoding", f->samples->rows, k, &unwanted)))
        return status;
    if (unwanted)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the encoding of 'pnmf' follows from its basis: give the start of 'basis'");
    if ((status = gram_setup(g, f)) || (status = gram_new_image(g, false, &p->product)) ||
        (status = gram_new_small(g, &p->C)) || (status = gram_new_small(g, &p->Q)))
        return status;
    if (!(p->small = memory_new(f->ctx, 2 * k * k + 2 * k, sizeof *p->small, "small matrices")))
        return ORTHANT_ERROR_MEMORY;
    p->form = p->small;
    p->factor_gram = p->small + k * k;
    p->vector = p->small + 2 * k * k;
    p->W = matrix_array(p->basis);
    p->T = matrix_array(p->encoding);
    p->classic = !strcmp(parameter_text(&f->model->parameters, "rule"), "classic");
    history_begin(&f->result->history);
    return ORTHANT_OK;
}

/* A random start at the scale where W W'X fits X best. */
static orthant_status start(pnmf_state *p)
{
    const uint64_t seed = (uint64_t)parameter_whole(&p->f->model->parameters, "seed");
    const int64_t k = p->gram.rank;
    bool given = false;
    const orthant_status status = fit_start_given(p->f, "basis", p->basis, &given);
    if (status)
        return status;
    if (!given)
        start_random_factor(p->basis, seed, RANDOM_BASIS, 1 / sqrt((double)p->gram.m));
    basis_changed(p);
    double trace = 0;
    for (int64_t j = 0; j < k; j++)
        trace += p->form[j * k + j];
    const double square = small_dot(k, p->form, p->factor_gram);
    if (given || !(square > 0))
        return ORTHANT_OK;
    for (int64_t j = 0; j < k; j++)
        p->vector[j] = sqrt(trace / square);
    p->gram.ops->scale_columns(p->W, p->vector);
    basis_changed(p);
    return ORTHANT_OK;
}

static void release(pnmf_state *p)
{
    orthant_context *ctx = p->f->ctx;
    if (p->gram.ctx)
        gram_free_image(&p->gram, &p->product);
    memory_free(ctx, p->C.data);
    memory_free(ctx, p->Q.data);
    memory_free(ctx, p->small);
    gram_release(&p->gram);
}

orthant_status pnmf_run(fit *f)
{
    pnmf_state p = {.f = f};
    orthant_status status = setup(&p);
    if (!status)
        status = start(&p);
    if (!status)
        status = fit_loop(f, (loop_steps){.state = &p,
                                          .step = step,
                                          .measure = measure,
                                          .parts = parts,
                                          .restored = restored});
    if (!status)
        status = fit_tell_dead_columns(f);
    release(&p);
    return status;
}
