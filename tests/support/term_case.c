#include "term_case.h"

#include <math.h>

#include "fixture.h"

#include "core/random.h"
#include "solver/solvers.h"

const term_shape term_shapes[] = {
    {13, 7, 4, false, 0, ORTHANT_DOUBLE},
    {150, 33, 5, true, 9, ORTHANT_DOUBLE},
    {150, 70, 19, false, 0, ORTHANT_DOUBLE},
};

void term_draw(orthant_matrix *a, uint64_t seed)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++) {
            const double u = random_uniform(seed, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
            term_set(a, i, j, i == a->rows / 2 ? 0 : fmax(1.5 * u - 0.5, 0));
        }
}

static void make_pooling(term_setting *x, const term_shape *shape)
{
    expect_ok(x->p.ctx,
              matrix_new_dense(x->p.ctx, shape->precision, shape->units, shape->rank, &x->pooling));
    term_draw(x->pooling, 17);
    x->model->pooling = x->pooling;
}

static void make_graphs(term_setting *x, bool classes)
{
    orthant_context *ctx = x->p.ctx;
    expect_ok(ctx, orthant_graph_neighbours(ctx, x->p.X, 3, ORTHANT_EDGE_COSINE, 0, &x->near));
    if (!classes)
        return;
    expect_ok(ctx, orthant_graph_with_labels(ctx, x->near, x->p.labels, &x->edges));
    expect_ok(ctx, graph_with_classes(ctx, x->near, x->p.labels, 1, &x->classes));
}

void term_prepare(term_setting *x, const term_case *c, int threads)
{
    const term_shape *shape = &c->shape;
    *x = (term_setting){0};
    problem_make(
        &x->p, (problem_shape){shape->samples, shape->features, shape->precision, c->sparse, 3, 0});
    orthant_context *ctx = x->p.ctx;
    if (c->loss->positive)
        problem_fill(&x->p);
    expect_ok(ctx, orthant_context_set_threads(ctx, threads));
    x->model = problem_model(&x->p, "nmf", shape->rank, "1");
    expect_ok(ctx, orthant_model_add_term(x->model, c->kind->name, TERM_WEIGHT));
    if (shape->units)
        make_pooling(x, shape);
    if (c->kind->flags & TERM_NEEDS_GRAPH)
        make_graphs(x, shape->classes);
    expect_ok(ctx,
              matrix_new_factor(ctx, shape->precision, shape->features, shape->rank, &x->basis));
    expect_ok(ctx,
              matrix_new_factor(ctx, shape->precision, shape->samples, shape->rank, &x->encoding));
    term_draw(x->basis, 4);
    term_draw(x->encoding, 5);
    x->t = (term){
        .kind = c->kind, .ctx = ctx, .weight = TERM_WEIGHT, .gain = TERM_WEIGHT * c->loss->gain};
    const fit f = {.ctx = ctx,
                   .model = x->model,
                   .samples = x->p.X,
                   .graph = shape->classes ? x->classes : x->near};
    x->asked = fit_problem(&f);
    x->asked.loss = c->loss;
    x->asked.solver = &solver_mu;
    x->asked.terms = &x->t;
    x->asked.term_count = 1;
    if (c->kind->setup)
        expect_ok(ctx, c->kind->setup(&x->t, &x->asked));
    expect_ok(ctx, sweep_setup(&x->s, &x->asked, x->basis, x->encoding));
    sweep_start(&x->s);
}

void term_clear(term_setting *x)
{
    if (x->t.kind->release)
        x->t.kind->release(&x->t);
    sweep_release(&x->s);
    orthant_matrix_free(x->basis);
    orthant_matrix_free(x->encoding);
    orthant_matrix_free(x->pooling);
    orthant_graph_free(x->near);
    orthant_graph_free(x->edges);
    orthant_graph_free(x->classes);
    orthant_model_free(x->model);
    problem_free(&x->p);
}

double term_value_now(term_setting *x)
{
    double value = NAN;
    sweep_basis_changed(&x->s);
    sweep_sums(&x->s);
    sweep_term_values(&x->s, &value);
    return value;
}

void term_each_case(const term_shape *all, int count, void (*check)(const term_case *c))
{
    for (int t = 0; t < term_kind_count(); t++)
        for (int l = SANITIZED ? t % 3 : 0; l < loss_count(); l += SANITIZED ? 3 : 1)
            for (int sparse = 0; sparse <= !loss_at(l)->positive; sparse++)
                for (int i = 0; i < count; i++)
                    check(&(term_case){term_kind_at(t), loss_at(l), sparse, all[i]});
}
