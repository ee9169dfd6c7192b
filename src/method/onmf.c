/* Orthogonal NMF, one-sided (Ding, Li, Peng and Park 2006): X ~ F G' with `basis` F (m x k) and
 * `encoding` G (n x k), G'G = I wanted. G first:
 *
 *   G <- G .* sqrt((X'F) ./ (G G'X'F))
 *   F <- F .* (X G) ./ (F G'G)
 *
 * G'X'F is (X G)'F, and X G is known from the last pass: one pass over X per iteration. G'G = I is
 * reached only approximately, and the objective may rise on the way. */
#include <math.h>

#include "core/memory.h"
#include "method/gram.h"
#include "method/method.h"

typedef struct onmf_state {
    fit *f;
    gram gram;
    orthant_matrix *basis, *encoding;
    array F, G;
    gram_image of_encoding; /* X G, m x k */
    double *small;          /* k x k each: G'X'F, G'G, F'F */
    double *cross, *factor_gram, *shape;
    array M, Q; /* G'X'F and G'G */
} onmf_state;

static void update_encoding(void *user, strip x, block b)
{
    const onmf_state *o = user;
    const gram *g = &o->gram;
    const kernels *ops = g->ops;
    const gram_image as_image = {.factored = true, .plus = o->F};
    const array G = array_rows(ops, o->G, b.first, b.rows), D = gram_scratch(g, b, 1);
    const array N = gram_rows(g, &as_image, x, b, gram_scratch(g, b, 0));
    ops->product(D, G, o->M, false);
    ops->update(G, G, N, D, 0.5);
}

static void update_basis(void *user, block b)
{
    const onmf_state *o = user;
    const kernels *ops = o->gram.ops;
    const array F = array_rows(ops, o->F, b.first, b.rows), D = gram_scratch(&o->gram, b, 0);
    ops->product(D, F, o->Q, false);
    ops->update(F, F, array_rows(ops, o->of_encoding.plus, b.first, b.rows), D, 1);
}

static void encoding_changed(onmf_state *o)
{
    panels_gram(&o->gram.rows, o->G, o->G, o->factor_gram);
    o->gram.ops->set_values(o->Q, o->factor_gram);
}

static void basis_changed(onmf_state *o)
{
    panels_gram(&o->gram.features, o->of_encoding.plus, o->F, o->cross);
    panels_gram(&o->gram.features, o->F, o->F, o->shape);
    o->gram.ops->set_values(o->M, o->cross);
}

static void step(void *state)
{
    onmf_state *o = state;
    gram_sweep(&o->gram, update_encoding, o, o->G, &o->of_encoding);
    encoding_changed(o);
    gram_visit_features(&o->gram, update_basis, o);
    basis_changed(o);
}

static void measure(void *state, double *values)
{
    onmf_state *o = state;
    const gram_image as_image = {.factored = true, .plus = o->F};
    values[0] = values[1] = gram_loss(&o->gram, o->G, &o->of_encoding, o->G, &as_image,
                                      small_dot(o->gram.rank, o->shape, o->factor_gram));
}

static void parts(void *state, checkpoint_parts *parts)
{
    onmf_state *o = state;
    parts_add_array(parts, "basis", o->gram.ops, o->F);
    parts_add_array(parts, "encoding", o->gram.ops, o->G);
    gram_image_parts(&o->gram, &o->of_encoding, "of encoding", parts);
    parts_add_numbers(parts, "small", o->small, 3 * o->gram.rank * o->gram.rank);
}

static void restored(void *state)
{
    onmf_state *o = state;
    o->gram.ops->set_values(o->M, o->cross);
    o->gram.ops->set_values(o->Q, o->factor_gram);
}

static orthant_status setup(onmf_state *o)
{
    fit *f = o->f;
    gram *g = &o->gram;
    const int64_t k = f->model->rank;
    orthant_status status;
    if ((status = fit_new_factor(f, "basis", f->samples->columns, k, &o->basis)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, k, &o->encoding)) ||
        (status = fit_start_factors(f, o->basis, o->encoding)) || (status = gram_setup(g, f)) ||
        (status = gram_new_image(g, false, &o->of_encoding)) ||
        (status = gram_new_small(g, &o->M)) || (status = gram_new_small(g, &o->Q)))
        return status;
    if (!(o->small = memory_new(f->ctx, 3 * k * k, sizeof *o->small, "small matrices")))
        return ORTHANT_ERROR_MEMORY;
    o->cross = o->small;
    o->factor_gram = o->small + k * k;
    o->shape = o->small + 2 * k * k;
    o->F = matrix_array(o->basis);
    o->G = matrix_array(o->encoding);
    history_begin(&f->result->history);
    gram_sweep(g, NULL, NULL, o->G, &o->of_encoding);
    encoding_changed(o);
    basis_changed(o);
    return ORTHANT_OK;
}

static orthant_status tell_notes(onmf_state *o)
{
    const int64_t k = o->gram.rank;
    double squares = 0;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            squares += pow(o->factor_gram[i * k + j] - (i == j), 2);
    const orthant_status status = fit_note(
        o->f, "the encoding's columns are orthonormal up to |G'G - I| = %.3g", sqrt(squares));
    return status ? status : fit_tell_dead_columns(o->f);
}

static void release(onmf_state *o)
{
    orthant_context *ctx = o->f->ctx;
    if (o->gram.ctx)
        gram_free_image(&o->gram, &o->of_encoding);
    memory_free(ctx, o->M.data);
    memory_free(ctx, o->Q.data);
    memory_free(ctx, o->small);
    gram_release(&o->gram);
}

orthant_status onmf_run(fit *f)
{
    onmf_state o = {.f = f};
    orthant_status status = setup(&o);
    if (!status)
        status = fit_loop(f, (loop_steps){.state = &o,
                                          .step = step,
                                          .measure = measure,
                                          .parts = parts,
                                          .restored = restored});
    if (!status)
        status = tell_notes(&o);
    release(&o);
    return status;
}
