/* Graph regularised projective NMF (Bampis, Maragos and Bovik 2016), `encoding` H (n x k):
 *
 *   J(H) = |X - X H H'|^2 + lambda tr(H'L H),  L = E - A;  label = argmax of a row           (6, 7)
 *   H <- H .* [(2 K H + lambda A H) ./ (H H'K H + K H H'H + lambda E H)]^(1/4)                  (8)
 *
 * K = X'X of the paper, the samples' products, is never formed. It descends for every lambda: the
 * quartic bound for E and the logarithmic one for A prove it (the paper's own (13) bounds from
 * below). Mixed signs make K H negative under the root; with K = K+ - K- the rule is
 *
 *   (2 K+ H + H H'K- H + K- H H'H + lambda A H) ./ (2 K- H + H H'K+ H + K+ H H'H + lambda E H).
 *
 * Without the graph it is Cluster-NMF (Ding, Li and Jordan 2010): convex NMF with W =
 * G.
 *
 * exponent=1 needs far fewer iterations. By itself it turns the scale c of H into 1/c; so H is set
 * to its best scale after each step, c^2 = (tr(H'K H) - lambda tr(H'L H) / 2) / <H'K H, H'H>, and a
 * step that raises J all the same is taken again with 1/4.
 *
 * An iteration is two rounds over the samples: the update with the new sums X'H and H'H, and the
 * graph's A H with the value of its term, summed over edges. Where a row of H is one vector and
 * there are few features, the first is one fused operation. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "method/gram.h"
#include "method/grpnmf.h"

#define NARROW_FEATURES 32

const orthant_parameter_info cluster_nmf_parameters[] = {PARAMETER_EXPONENT, PARAMETER_END};
const orthant_parameter_info grpnmf_parameters[] = {GRPNMF_PARAMETERS, PARAMETER_END};

/* H and all that the next iteration needs of it. */
typedef struct factor_state {
    array H;
    gram_image image;
    array neighbours;     /* A H */
    double *plus, *minus; /* H'K+ H and H'K- H, k x k */
    double *factor_gram;  /* H'H */
    double energy;        /* tr(H'L H) */
} factor_state;

typedef struct grpnmf_state {
    fit *f;
    gram gram;
    orthant_matrix *encoding;
    factor_state now, next; /* H and A H are the same where no step is taken again */
    double lambda, exponent;
    csr graph;
    const double *degree; /* NULL: no graph */
    double *edge_sums;    /* of blocks */
    array C, M, Q;        /* H'K+ H, H'K- H and H'H */
    double used;          /* the exponent of the last step */
    double objective;

    /* narrow: what the fused operation takes, and the sums X'H over H'H of each block */
    bool narrow;
    array N, D;
    char *sums;
    double *values, *total;
} grpnmf_state;

/* ------------------------------------------------------------------ the graph */

static void graph_task(void *user, int64_t index, int64_t first, int64_t rows)
{
    grpnmf_state *s = user;
    const kernels *ops = s->gram.ops;
    s->edge_sums[index] = ops->neighbour_sums(array_rows(ops, s->next.neighbours, first, rows),
                                              s->graph, first, s->next.H);
}

/* A H and tr(H'L H) of the new H. */
static void visit_graph(grpnmf_state *s)
{
    if (!s->degree)
        return;
    panels_run(&s->gram.rows, graph_task, s);
    s->next.energy = 0;
    for (int64_t i = 0; i < s->gram.rows.blocks; i++)
        s->next.energy += s->edge_sums[i];
}

/* ------------------------------------------------------------------ the update, block by block */

static void update_rows(void *user, strip x, block b)
{
    const grpnmf_state *s = user;
    const gram *g = &s->gram;
    const kernels *ops = g->ops;
    const gram_image *image = &s->now.image;
    const array H = array_rows(ops, s->now.H, b.first, b.rows), N = gram_scratch(g, b, 0),
                D = gram_scratch(g, b, 1);
    const array plus = gram_rows(g, image, x, b, gram_scratch(g, b, 2));
    ops->copy(N, plus);
    ops->add(N, 1, plus);
    ops->product(D, H, s->C, false);
    ops->product(D, plus, s->Q, true);
    if (image->minus.data) {
        const array minus = array_rows(ops, image->minus, b.first, b.rows);
        ops->product(N, H, s->M, true);
        ops->product(N, minus, s->Q, true);
        ops->add(D, 2, minus);
    }
    if (s->degree) {
        ops->add(N, s->lambda, array_rows(ops, s->now.neighbours, b.first, b.rows));
        ops->add_scaled_rows(D, s->lambda, s->degree + b.first, H);
    }
    ops->update(array_rows(ops, s->next.H, b.first, b.rows), H, N, D, s->used);
}

static void sweep_wide(grpnmf_state *s)
{
    gram *g = &s->gram;
    gram_sweep(g, update_rows, s, s->next.H, &s->next.image);
    gram_form(g, s->next.H, &s->next.image, s->next.plus, s->next.minus);
    panels_gram(&g->rows, s->next.H, s->next.H, s->next.factor_gram);
}

static array sums_of(const grpnmf_state *s, int64_t index)
{
    const gram *g = &s->gram;
    const int64_t rows = g->m + g->rank;
    return (array){s->sums + (size_t)(index * rows * g->stride) * g->ops->size, rows, g->rank,
                   g->stride};
}

static void narrow_task(void *user, int64_t index, int64_t first, int64_t rows)
{
    const grpnmf_state *s = user;
    const kernels *ops = s->gram.ops;
    const array totals = sums_of(s, index);
    projective p = {.numerator = s->N,
                    .denominator = s->D,
                    .form = s->C,
                    .weight = s->lambda,
                    .exponent = s->used};
    if (s->degree) {
        p.neighbours = array_rows(ops, s->now.neighbours, first, rows);
        p.degree = s->degree + first;
    }
    array_clear(ops, totals);
    ops->projective_update(array_rows(ops, s->next.H, first, rows),
                           array_rows(ops, s->now.H, first, rows),
                           array_rows(ops, matrix_array(s->gram.samples), first, rows), &p, totals);
}

/* Sums of all blocks in double: X'H, H'H, and their H'K H = (X'H)'(X'H). */
static void gather_sums(grpnmf_state *s)
{
    const gram *g = &s->gram;
    const int64_t count = (g->m + g->rank) * g->rank, k = g->rank;
    memset(s->total, 0, (size_t)count * sizeof(double));
    for (int64_t i = 0; i < g->rows.blocks; i++) {
        g->ops->get_values(sums_of(s, i), s->values);
        for (int64_t e = 0; e < count; e++)
            s->total[e] += s->values[e];
    }
    g->ops->set_values(s->next.image.plus, s->total);
    memcpy(s->next.factor_gram, s->total + g->m * k, (size_t)(k * k) * sizeof(double));
    memset(s->next.plus, 0, (size_t)(k * k) * sizeof(double));
    for (int64_t f = 0; f < g->m; f++)
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++)
                s->next.plus[i * k + j] += s->total[f * k + i] * s->total[f * k + j];
}

static void sweep_narrow(grpnmf_state *s)
{
    const gram *g = &s->gram;
    /* N = 2 X'H and D = X'H H'H */
    g->ops->copy(s->N, s->now.image.plus);
    g->ops->add(s->N, 1, s->now.image.plus);
    g->ops->product(s->D, s->now.image.plus, s->Q, false);
    panels_run(&s->gram.rows, narrow_task, s);
    gather_sums(s);
}

/* ------------------------------------------------------------------ the objective */

static double trace_of(const grpnmf_state *s, const factor_state *h)
{
    const int64_t k = s->gram.rank;
    double trace = 0;
    for (int64_t j = 0; j < k; j++)
        trace += h->plus[j * k + j] - h->minus[j * k + j];
    return trace;
}

static double fitted_of(const grpnmf_state *s, const factor_state *h)
{
    const int64_t k = s->gram.rank;
    return small_dot(k, h->plus, h->factor_gram) - small_dot(k, h->minus, h->factor_gram);
}

/* Without the pass over X that gram_loss may take; for comparisons within a step. */
static double objective_of(const grpnmf_state *s, const factor_state *h)
{
    return s->gram.trace - 2 * trace_of(s, h) + fitted_of(s, h) + s->lambda * h->energy;
}

static void measure(void *state, double *values)
{
    grpnmf_state *s = state;
    const factor_state *h = &s->now;
    values[1] = s->gram.trace - 2 * trace_of(s, h) + fitted_of(s, h);
    if (values[1] < (s->gram.ops->size == sizeof(float) ? 1e-6 : 1e-9) * s->gram.trace)
        values[1] = gram_loss(&s->gram, h->H, &h->image, h->H, &h->image, fitted_of(s, h));
    int column = 2;
    if (s->degree)
        values[column++] = s->lambda * h->energy;
    values[0] = values[1] + (s->degree ? values[2] : 0);
    if (s->exponent > SAFE_EXPONENT)
        values[column] = s->used;
}

/* ------------------------------------------------------------------ one iteration */

static void try_step(grpnmf_state *s, double exponent)
{
    s->used = exponent;
    if (s->narrow)
        sweep_narrow(s);
    else
        sweep_wide(s);
    visit_graph(s);
}

static void scale_task(void *user, int64_t index, int64_t first, int64_t rows)
{
    grpnmf_state *s = user;
    const kernels *ops = s->gram.ops;
    (void)index;
    ops->scale_columns(array_rows(ops, s->next.H, first, rows), s->values);
    if (s->degree)
        ops->scale_columns(array_rows(ops, s->next.neighbours, first, rows), s->values);
}

/* H at its best scale, and all that depends on it. */
static void rescale(grpnmf_state *s)
{
    const gram *g = &s->gram;
    factor_state *h = &s->next;
    const double above = trace_of(s, h) - 0.5 * s->lambda * h->energy, below = fitted_of(s, h);
    const double square = above / below;
    if (!(above > 0) || !(below > 0) || !isfinite(square))
        return;
    for (int64_t j = 0; j < g->rank; j++)
        s->values[j] = sqrt(square);
    panels_run(&s->gram.rows, scale_task, s);
    g->ops->scale_columns(h->image.plus, s->values);
    if (h->image.minus.data)
        g->ops->scale_columns(h->image.minus, s->values);
    for (int64_t e = 0; e < g->rank * g->rank; e++) {
        h->plus[e] *= square;
        h->minus[e] *= square;
        h->factor_gram[e] *= square;
    }
    h->energy *= square;
}

static void take_next(grpnmf_state *s)
{
    const factor_state was = s->now;
    const kernels *ops = s->gram.ops;
    s->now = s->next;
    s->next = was;
    ops->set_values(s->C, s->now.plus);
    ops->set_values(s->M, s->now.minus);
    ops->set_values(s->Q, s->now.factor_gram);
    s->objective = objective_of(s, &s->now);
}

static void step(void *state)
{
    grpnmf_state *s = state;
    try_step(s, s->exponent);
    if (s->exponent > SAFE_EXPONENT) {
        rescale(s);
        if (!(objective_of(s, &s->next) <= s->objective))
            try_step(s, SAFE_EXPONENT);
    }
    take_next(s);
}

static void parts(void *state, checkpoint_parts *parts)
{
    grpnmf_state *s = state;
    const gram *g = &s->gram;
    parts_add_array(parts, "encoding", g->ops, s->now.H);
    gram_image_parts(g, &s->now.image, "image", parts);
    parts_add_array(parts, "neighbours", g->ops, s->now.neighbours);
    parts_add_numbers(parts, "small", s->now.plus, 3 * g->rank * g->rank);
    parts_add_field(parts, "energy", &s->now.energy, sizeof s->now.energy);
    parts_add_field(parts, "used", &s->used, sizeof s->used);
    parts_add_field(parts, "objective", &s->objective, sizeof s->objective);
}

static void restored(void *state)
{
    grpnmf_state *s = state;
    s->gram.ops->set_values(s->C, s->now.plus);
    s->gram.ops->set_values(s->M, s->now.minus);
    s->gram.ops->set_values(s->Q, s->now.factor_gram);
}

/* ------------------------------------------------------------------ start and end */

static orthant_status new_state(grpnmf_state *s, factor_state *h)
{
    const gram *g = &s->gram;
    const int64_t k = g->rank;
    orthant_status status;
    if ((status = gram_new_image(g, true, &h->image)))
        return status;
    if (!(h->plus = memory_new(g->ctx, 3 * k * k, sizeof *h->plus, "small matrices")))
        return ORTHANT_ERROR_MEMORY;
    h->minus = h->plus + k * k;
    h->factor_gram = h->minus + k * k;
    return ORTHANT_OK;
}

static void free_state(grpnmf_state *s, factor_state *h)
{
    gram_free_image(&s->gram, &h->image);
    memory_free(s->gram.ctx, h->plus);
}

/* H and A H: twice where a step that raises the objective is taken again from the last ones. */
static orthant_status new_factors(grpnmf_state *s)
{
    const panels *rows = &s->gram.rows;
    orthant_status status;
    s->now.H = s->next.H = matrix_array(s->encoding);
    if (s->degree && (status = panels_new_array(rows, &s->now.neighbours)))
        return status;
    s->next.neighbours = s->now.neighbours;
    if (s->exponent <= SAFE_EXPONENT)
        return ORTHANT_OK;
    if (s->degree && (status = panels_new_array(rows, &s->next.neighbours)))
        return status;
    return panels_new_array(rows, &s->now.H);
}

static orthant_status setup_narrow(grpnmf_state *s)
{
    const gram *g = &s->gram;
    const int64_t rows = g->m + g->rank;
    s->narrow = s->now.image.factored && !g->samples->sparse && g->m <= NARROW_FEATURES &&
                g->stride * (int64_t)g->ops->size == 16;
    s->values = memory_new(g->ctx, (s->narrow ? 2 * rows : 1) * g->rank, sizeof *s->values, "sums");
    if (!s->values)
        return ORTHANT_ERROR_MEMORY;
    const orthant_status here =
        s->narrow ? matrix_check_here(g->samples, "a projective method with few features")
                  : ORTHANT_OK;
    if (here)
        return here;
    if (!s->narrow)
        return ORTHANT_OK;
    s->total = s->values + rows * g->rank;
    s->N = s->D = (array){NULL, g->m, g->rank, g->stride};
    s->N.data = memory_new(g->ctx, g->m * g->stride, g->ops->size, "sums");
    s->D.data = memory_new(g->ctx, g->m * g->stride, g->ops->size, "sums");
    s->sums = memory_new(g->ctx, g->rows.blocks * rows * g->stride, g->ops->size, "sums of blocks");
    return s->N.data && s->D.data && s->sums ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status setup(grpnmf_state *s)
{
    fit *f = s->f;
    const parameter_set *set = &f->model->parameters;
    gram *g = &s->gram;
    orthant_status status;
    s->lambda = parameter_has(set, "graph_weight") ? parameter_number(set, "graph_weight") : 0;
    s->exponent = s->used = parameter_number(set, "exponent");
    if ((status = fit_new_factor(f, "encoding", f->samples->rows, f->model->rank, &s->encoding)) ||
        (s->lambda > 0 && (status = fit_graph(f, parameter_whole(set, "neighbours")))) ||
        (status = gram_setup(g, f)))
        return status;
    history_begin(&f->result->history);
    if (s->lambda > 0) {
        s->graph = matrix_csr(f->graph->adjacency);
        s->degree = f->graph->degree;
        history_add_column(&f->result->history, "graph");
    }
    if (s->exponent > SAFE_EXPONENT)
        history_add_column(&f->result->history, "step");
    if ((status = new_state(s, &s->now)) || (status = new_state(s, &s->next)) ||
        (status = gram_new_small(g, &s->C)) || (status = gram_new_small(g, &s->M)) ||
        (status = gram_new_small(g, &s->Q)) || (status = new_factors(s)))
        return status;
    s->edge_sums = memory_new(g->ctx, g->rows.blocks, sizeof *s->edge_sums, "sums of edges");
    return s->edge_sums ? setup_narrow(s) : ORTHANT_ERROR_MEMORY;
}

/* All that is known of H, which stands in `next`. */
static void renew(grpnmf_state *s)
{
    gram *g = &s->gram;
    gram_sweep(g, NULL, NULL, s->next.H, &s->next.image);
    gram_form(g, s->next.H, &s->next.image, s->next.plus, s->next.minus);
    panels_gram(&g->rows, s->next.H, s->next.H, s->next.factor_gram);
    visit_graph(s);
}

/* A random start at the scale where X H H' fits X best. */
static orthant_status start(grpnmf_state *s)
{
    const uint64_t seed = (uint64_t)parameter_whole(&s->f->model->parameters, "seed");
    bool given = false;
    const orthant_status status = fit_start_given(s->f, "encoding", s->encoding, &given);
    if (status)
        return status;
    if (!given)
        start_random_factor(s->encoding, seed, RANDOM_ENCODING, 1 / sqrt((double)s->gram.n));
    renew(s);
    if (!given) {
        const double lambda = s->lambda;
        s->lambda = 0;
        rescale(s);
        s->lambda = lambda;
    }
    take_next(s);
    return ORTHANT_OK;
}

/* The result takes whichever buffer holds the newest H; release() frees the other. */
static void hand_over(void *state)
{
    grpnmf_state *s = state;
    if (s->now.H.data)
        s->encoding->values = s->now.H.data;
}

static bool all_equal(const orthant_labels *labels)
{
    const int64_t *label = orthant_labels_values(labels);
    for (int64_t i = 1; i < orthant_labels_count(labels); i++)
        if (label[i] != label[0])
            return false;
    return true;
}

orthant_status grpnmf_tell(fit *f, orthant_matrix *encoding, double graph_weight, double squares,
                           bool mixed)
{
    orthant_labels *labels = NULL;
    orthant_status status = orthant_labels_argmax(f->ctx, encoding, &labels);
    if (status)
        return status;
    if (mixed)
        status = fit_note(f, "the data have mixed signs: K = X X' was split into its positive and "
                             "negative part");
    if (!status && graph_weight > 0 && f->model->rank > 1 && all_equal(labels))
        status = fit_note(f,
                          "all samples have the same label: a graph_weight of %g smooths the "
                          "encoding flat; try a smaller one (|X|^2 is %.3g)",
                          graph_weight, squares);
    orthant_labels_free(labels);
    return status ? status : fit_tell_dead_columns(f);
}

static void release(grpnmf_state *s)
{
    orthant_context *ctx = s->f->ctx;
    const void *kept = s->encoding ? s->encoding->values : NULL;
    if (s->now.H.data != kept)
        memory_free(ctx, s->now.H.data);
    if (s->next.H.data != kept)
        memory_free(ctx, s->next.H.data);
    memory_free(ctx, s->now.neighbours.data);
    if (s->next.neighbours.data != s->now.neighbours.data)
        memory_free(ctx, s->next.neighbours.data);
    if (s->gram.ctx) {
        free_state(s, &s->now);
        free_state(s, &s->next);
    }
    void *owned[] = {s->C.data, s->M.data, s->Q.data, s->N.data,
                     s->D.data, s->sums,   s->values, s->edge_sums};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(ctx, owned[i]);
    gram_release(&s->gram);
}

orthant_status grpnmf_run(fit *f)
{
    grpnmf_state s = {.f = f};
    if (f->ctx->device)
        return grpnmf_device_run(f);
    orthant_status status = setup(&s);
    if (!status)
        status = start(&s);
    if (!status)
        status = fit_loop(f, (loop_steps){.state = &s,
                                          .step = step,
                                          .measure = measure,
                                          .show = hand_over,
                                          .parts = parts,
                                          .restored = restored});
    hand_over(&s);
    if (!status)
        status = grpnmf_tell(f, s.encoding, s.lambda, s.gram.trace, s.gram.mixed);
    release(&s);
    return status;
}
