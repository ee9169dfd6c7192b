/* The steps, the objective and the start of X ~ X W V', by products with K = X X'. */
#include "method/concept.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/products.h"

/* ------------------------------------------------------------------ updates */

static array rows_of(const concept *c, array a, block b)
{
    return array_rows(c->gram.ops, a, b.first, b.rows);
}

void concept_update_weights(concept *c, strip x, block b, double exponent)
{
    const kernels *ops = c->gram.ops;
    const array W = rows_of(c, c->W, b), D = gram_scratch(&c->gram, b, 1);
    const array N = gram_rows(&c->gram, &c->of_encoding, x, b, gram_scratch(&c->gram, b, 0));
    ops->product(D, rows_of(c, c->KW, b), c->Q, false);
    ops->update(W, W, N, D, exponent);
}

void concept_update_encoding(concept *c, strip x, block b, double exponent)
{
    const kernels *ops = c->gram.ops;
    const array V = rows_of(c, c->V, b), D = gram_scratch(&c->gram, b, 1);
    const array N = gram_rows(&c->gram, &c->of_weights, x, b, rows_of(c, c->KW, b));
    ops->product(D, V, c->P, false);
    ops->update(V, V, N, D, exponent);
}

static void weights_changed(concept *c)
{
    gram_form(&c->gram, c->W, &c->of_weights, c->plus, c->minus);
    c->gram.ops->set_values(c->P, c->plus);
    c->gram.ops->set_values(c->M, c->minus);
}

static void encoding_changed(concept *c)
{
    panels_gram(&c->gram.rows, c->V, c->V, c->encoding_gram);
    c->gram.ops->set_values(c->Q, c->encoding_gram);
}

/* On a device, where all factors and images stay, the rules of concept_update_weights() and
 * concept_update_encoding() are those of panels_update(). */
static void step_weights(concept *c)
{
    panels *rows = &c->gram.rows;
    if (rows->device)
        panels_update(rows, c->W, c->of_encoding.plus, NULL, c->KW, c->encoding_gram,
                      c->rules->device_rule);
    gram_sweep(&c->gram, rows->device ? NULL : c->rules->weights, c, c->W, &c->of_weights);
    weights_changed(c);
}

static void step_encoding(concept *c)
{
    panels *rows = &c->gram.rows;
    if (rows->device)
        panels_update(rows, c->V, c->KW, NULL, c->V, c->plus, c->rules->device_rule);
    gram_sweep(&c->gram, rows->device ? NULL : c->rules->encoding, c, c->V, &c->of_encoding);
    encoding_changed(c);
}

static void step_weights_first(void *state)
{
    step_weights(state);
    step_encoding(state);
}

static void step_encoding_first(void *state)
{
    step_encoding(state);
    step_weights(state);
}

/* <W'K W, V'V> */
static double fitted(const concept *c)
{
    const int64_t k = c->gram.rank;
    return small_dot(k, c->plus, c->encoding_gram) - small_dot(k, c->minus, c->encoding_gram);
}

static void measure(void *state, double *values)
{
    concept *c = state;
    values[0] = values[1] =
        gram_loss(&c->gram, c->V, &c->of_encoding, c->W, &c->of_weights, fitted(c));
}

static void show(void *state)
{
    const concept *c = state;
    panels_fetch(&c->gram.rows, c->W);
    panels_fetch(&c->gram.rows, c->V);
}

static void parts(void *state, checkpoint_parts *parts)
{
    concept *c = state;
    const gram *g = &c->gram;
    show(c);
    panels_fetch(&g->rows, c->of_weights.plus);
    panels_fetch(&g->rows, c->of_encoding.plus);
    parts_add_array(parts, "weights", g->ops, c->W);
    parts_add_array(parts, "encoding", g->ops, c->V);
    gram_image_parts(g, &c->of_weights, "of weights", parts);
    gram_image_parts(g, &c->of_encoding, "of encoding", parts);
    if (c->KW.data != c->of_weights.plus.data)
        parts_add_array(parts, "KW", g->ops, c->KW);
    parts_add_numbers(parts, "small", c->plus, 3 * g->rank * g->rank);
}

static void restored(void *state)
{
    concept *c = state;
    const array read[] = {c->W, c->V, c->of_weights.plus, c->of_encoding.plus};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        panels_changed(&c->gram.rows, read[i]);
    c->gram.ops->set_values(c->P, c->plus);
    c->gram.ops->set_values(c->M, c->minus);
    c->gram.ops->set_values(c->Q, c->encoding_gram);
}

static orthant_status check(void *state)
{
    const concept *c = state;
    return kernel_device_check(&c->gram.device);
}

/* ------------------------------------------------------------------ start and end */

static orthant_status setup(concept *c, bool split_encoding)
{
    fit *f = c->f;
    gram *g = &c->gram;
    const int64_t n = f->samples->rows, k = f->model->rank;
    orthant_status status;
    if ((status = fit_new_factor(f, "weights", n, k, &c->weights)) ||
        (status = fit_new_factor(f, "encoding", n, k, &c->encoding)) ||
        (status = gram_setup(g, f)) || (status = gram_new_image(g, true, &c->of_weights)) ||
        (status = gram_new_image(g, split_encoding, &c->of_encoding)) ||
        (status = gram_new_small(g, &c->P)) || (status = gram_new_small(g, &c->M)) ||
        (status = gram_new_small(g, &c->Q)))
        return status;
    c->W = matrix_array(c->weights);
    c->V = matrix_array(c->encoding);
    c->KW = c->of_weights.plus;
    if (c->of_weights.factored && (status = panels_new_array(&g->rows, &c->KW)))
        return status;
    if (!(c->plus = memory_new(f->ctx, 3 * k * k, sizeof *c->plus, "small matrices")))
        return ORTHANT_ERROR_MEMORY;
    c->minus = c->plus + k * k;
    c->encoding_gram = c->minus + k * k;
    history_begin(&f->result->history);
    return ORTHANT_OK;
}

static void renew(concept *c)
{
    gram *g = &c->gram;
    gram_sweep(g, NULL, NULL, c->W, &c->of_weights);
    gram_sweep(g, NULL, NULL, c->V, &c->of_encoding);
    if (c->of_weights.factored)
        (g->samples->file ? products_forward_file : products_forward)(g->ctx, g->samples,
                                                                      c->of_weights.plus, c->KW);
    weights_changed(c);
    encoding_changed(c);
}

/* Random concepts are near the mean of the samples, random encodings add up to about one; then the
 * scale that fits best, on a factor that the user did not give. */
static orthant_status start(concept *c)
{
    fit *f = c->f;
    const uint64_t seed = (uint64_t)parameter_whole(&f->model->parameters, "seed");
    bool weights_given = false, encoding_given = false;
    orthant_status status;
    if ((status = fit_start_given(f, "weights", c->weights, &weights_given)) ||
        (status = fit_start_given(f, "encoding", c->encoding, &encoding_given)))
        return status;
    if (!weights_given)
        start_random_factor(c->weights, seed, RANDOM_BASIS, 2 / (double)c->gram.n);
    if (!encoding_given)
        start_random_factor(c->encoding, seed, RANDOM_ENCODING, 2 / (double)c->gram.rank);
    renew(c);
    const double both = gram_trace(&c->gram, c->V, &c->of_encoding, &c->of_weights),
                 square = fitted(c);
    if ((weights_given && encoding_given) || !(both > 0) || !(square > 0))
        return ORTHANT_OK;
    for (int64_t j = 0; j < c->gram.rank; j++)
        c->plus[j] = both / square;
    panels_scale_columns(&c->gram.rows, encoding_given ? c->W : c->V, c->plus);
    renew(c);
    return ORTHANT_OK;
}

/* Concepts X w_k at unit length put the encodings on one scale; labels are taken from that. */
static orthant_status scale_labels(concept *c)
{
    const int64_t k = c->gram.rank;
    double *scale = memory_new(c->f->ctx, k, sizeof *scale, "lengths of concepts");
    if (!scale)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t j = 0; j < k; j++)
        scale[j] = sqrt(fmax(c->plus[j * k + j] - c->minus[j * k + j], 0));
    c->f->result->label_scale = scale;
    c->f->result->labels_scaled = true;
    return fit_tell_dead_columns(c->f);
}

static void release(concept *c)
{
    orthant_context *ctx = c->f->ctx;
    if (c->KW.data != c->of_weights.plus.data)
        memory_free(ctx, c->KW.data);
    if (c->gram.ctx) {
        gram_free_image(&c->gram, &c->of_weights);
        gram_free_image(&c->gram, &c->of_encoding);
    }
    memory_free(ctx, c->P.data);
    memory_free(ctx, c->M.data);
    memory_free(ctx, c->Q.data);
    memory_free(ctx, c->plus);
    gram_release(&c->gram);
}

orthant_status concept_run(fit *f, const concept_rules *rules)
{
    concept c = {.f = f, .rules = rules};
    orthant_status status = setup(&c, rules->split_encoding);
    if (!status)
        status = start(&c);
    if (!status)
        status = fit_loop(f, (loop_steps){.state = &c,
                                          .step = rules->encoding_first ? step_encoding_first
                                                                        : step_weights_first,
                                          .measure = measure,
                                          .show = show,
                                          .parts = parts,
                                          .restored = restored,
                                          .check = check});
    if (!status) {
        show(&c);
        status = check(&c);
    }
    if (!status)
        status = scale_labels(&c);
    release(&c);
    return status;
}
