/* orthant_explain: what a fit would do and take, from the same problem and the same plan. */
#include "method/explain.h"

#include <string.h>

#include "core/sized.h"
#include "core/text.h"
#include "engine/halo.h"
#include "engine/loss.h"
#include "engine/solver.h"
#include "engine/term.h"
#include "method/method.h"

/* Operations for each stored entry and column of the factors. */
static double entry_operations(const sweep *s)
{
    const loss *l = s->problem->loss;
    const double product = 2; /* with one factor: a multiplication and an addition */
    double products = 2;      /* X W and X'S */
    if (!l->quadratic)        /* P W and P'S, and S W' for each; Q W and Q'S */
        products = l->constant_q ? 4 : 6;
    if (s->problem->solver->takes_no_sums)
        /* for each factor S W', slope, curvature and the change of S W'; then the loss */
        products = 2 * 4 + 1;
    if (s->plan.copies_products && !l->quadratic) /* X W and X'S for terms */
        products += 2;
    return products * product;
}

/* S'S and W'W are symmetric: half a product each. S W'W and W S'S are whole ones. */
static double small_operations(const sweep *s)
{
    const double n = (double)s->plan.strips.n, m = (double)s->plan.strips.m,
                 k = (double)s->problem->rank;
    return k * k *
           ((s->plan.keeps_gram ? n : 0) + (s->plan.keeps_basis_gram ? m : 0) +
            (s->problem->loss->quadratic ? 2 * (n + m) : 0));
}

static void tell_strips(const strips *s, orthant_plan_strips *to)
{
    const int64_t n = s->share.cut.samples, of_chunk = smaller(s->chunk, n),
                  of_strip = smaller(s->strip, of_chunk), chunks = pieces(n, of_chunk),
                  last = n - (chunks - 1) * of_chunk;
    *to = (orthant_plan_strips){.threads = s->threads,
                                .chunks = chunks,
                                .chunk_samples = of_chunk,
                                .strips = (chunks - 1) * pieces(of_chunk, of_strip) +
                                          pieces(last, of_strip),
                                .strip_samples = of_strip,
                                .block_samples = smaller(s->block, of_strip)};
}

/* Terms' rows are exchanged before the encodings change and before the objective is measured. */
#define HALO_EXCHANGES 2

static void tell_group(const sweep *s, orthant_plan_group *to)
{
    const sample_share *part = &s->plan.strips.share;
    *to = (orthant_plan_group){.ranks = part->ranks,
                               .rank = part->rank,
                               .chunks = part->end_chunk - part->first_chunk,
                               .samples = part->rows};
    if (!part->shared)
        return;
    to->sum_bytes = sums_moved_bytes(&s->plan, s->problem->rank);
    for (int i = 0; i < s->problem->term_count; i++) {
        const halo *h = s->problem->terms[i].halo;
        if (!h)
            continue;
        to->halo_rows += h->rows;
        to->halo_bytes += HALO_EXCHANGES * halo_moved_bytes(h);
        to->cut_edges += group_total(part, h->edges) / 2;
    }
}

void explain_sweep(explanation *e, const sweep *s)
{
    orthant_plan_info *info = e->info;
    const problem *p = s->problem;
    info->problem.loss = p->loss->name;
    info->problem.solver = p->solver->name;
    tell_strips(&s->plan.strips, &info->strips);
    tell_group(s, &info->group);
    info->strips.block_features = smaller(s->plan.feature_block, s->plan.strips.m);
    info->strips.strip_bytes =
        (int64_t)((double)matrix_bytes(p->samples) * (double)info->strips.strip_samples /
                  (double)larger(s->plan.strips.n, 1));
    plan_memory(&s->plan, p, &info->memory);
    info->memory.others = (int64_t)(orthant_context_memory(s->ctx) - e->before);
    info->iteration =
        (orthant_plan_iteration){.passes = p->solver->takes_no_sums ? 2 : 1,
                                 .data_bytes = matrix_bytes(p->samples),
                                 .data_operations = entry_operations(s) * (double)p->rank *
                                                    (double)matrix_stored(p->samples),
                                 .small_operations = small_operations(s)};
}

/* Of a graph of neighbours that was not searched for: no sample is joined to one twice. Weights of
 * 1 are not kept, nor degrees. */
static int64_t graph_bytes(const fit *f)
{
    const char *weights = parameter_text(&f->model->parameters, "weights");
    const int64_t n = matrix_total(f->samples), edges = 2 * n * f->result->neighbours,
                  size = (int64_t)precision_size(f->samples->precision);
    if (edges == 0)
        return 0;
    if (!strcmp(weights, "binary"))
        return edges * (int64_t)sizeof(int32_t);
    return edges * ((int64_t)sizeof(int32_t) + size) + n * (int64_t)sizeof(double);
}

static orthant_status refuse(const orthant_model *model)
{
    char names[512] = "";
    orthant_method_info info = {.size = sizeof info};
    for (int i = 0; !orthant_method_info_at(i, &info); i++)
        if (method_find(info.name)->explain)
            text_append(names, sizeof names, "%s%s", names[0] ? ", " : "", info.name);
    return fail(model->ctx, ORTHANT_ERROR_ARGUMENT,
                "method '%s' does not pass over the data in strips: it has no plan to explain. "
                "Methods that have one: %s",
                model->method->name, names);
}

/* What is known of every method's plan, and what follows from the rest of it. */
static void complete(const fit *f, orthant_plan_info *info)
{
    orthant_plan_memory *memory = &info->memory;
    info->problem.method = f->model->method->name;
    info->problem.samples = matrix_total(f->samples);
    info->problem.features = f->samples->columns;
    info->problem.rank = f->model->rank;
    info->problem.precision = f->samples->precision;
    info->problem.sparse = f->samples->sparse;
    const sample_share part = samples_here(f->samples);
    info->problem.stored = group_total(&part, matrix_stored(f->samples));
    info->iteration.data_bytes *= info->iteration.passes;
    memory->data = matrix_bytes(f->samples);
    info->device = f->ctx->device ? f->ctx->device_name : "cpu";
    info->streamed = orthant_matrix_is_streamed(f->samples);
    memory->graph = graph_bytes(f);
    memory->total = memory->sums + memory->weights + memory->products + memory->grams +
                    memory->accumulators + memory->last + memory->extrapolation +
                    memory->safeguard + memory->packed + memory->scratch + memory->graph +
                    memory->others;
}

orthant_status orthant_explain(const orthant_model *model, const orthant_matrix *samples,
                               orthant_plan_info *info)
{
    const orthant_status refused =
        entry_check(model ? model->ctx : NULL, samples && info, __func__);
    if (refused)
        return refused;
    orthant_plan_info found = {.size = sizeof found};
    explanation e = {&found, orthant_context_memory(model->ctx)};
    fit f;
    if (!model->method->explain)
        return refuse(model);
    orthant_status status = fit_begin(&f, model, samples);
    if (!status)
        status = fit_prepare_graph(&f, fit_graph_without_edges);
    if (!status)
        status = model->method->explain(&f, &e);
    if (!status) {
        complete(&f, &found);
        status = sized_give(model->ctx, __func__, &found, sizeof found, info);
    }
    fit_end(&f);
    return status;
}
