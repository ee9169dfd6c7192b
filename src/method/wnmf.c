/* Weighted symmetric NMF: O = |K - A S A'|^2, A >= 0 (n x q), S >= 0 (q x q, symmetric).
 *
 *   A <- A .* (1/2 + (1/2) (K A S) ./ (A S A'A S))                     (Ding, He, Simon 2005)
 *   S <- S .* (A'K A) ./ (A'A S A'A)
 *
 * S takes up what is indefinite in K. From a random S the iteration sits on a saddle of rank one,
 * so it starts as the identity plus 0.05. The product K A of the new A serves S, the objective
 * |K|^2 - 2 <A'K A, S> + <A'A S A'A, S> and the next iteration: one per iteration. */
#include <math.h>

#include "core/memory.h"
#include "method/similar.h"

const orthant_parameter_info wnmf_parameters[] = {
    SIMILARITY_PARAMETERS,
    PARAMETER_END,
};

orthant_status wnmf_setup(wnmf *w, panels *p, similarity_view *view, array A)
{
    const int64_t size = p->q * p->q;
    *w = (wnmf){.p = p, .view = view, .A = A};
    w->core = memory_new(p->ctx, 5 * size, sizeof *w->core, "small matrices");
    if (!w->core)
        return ORTHANT_ERROR_MEMORY;
    w->gram = w->core + size;
    w->cross = w->core + 2 * size;
    w->first = w->core + 3 * size;
    w->second = w->core + 4 * size;
    return panels_new_array(p, &w->KA);
}

void wnmf_release(wnmf *w)
{
    if (!w->p)
        return;
    memory_free(w->p->ctx, w->core);
    memory_free(w->p->ctx, w->KA.data);
}

void wnmf_start_core(wnmf *w)
{
    const int64_t q = w->p->q;
    for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++)
            w->core[i * q + j] = (i == j) + 0.05;
}

void wnmf_refresh(wnmf *w)
{
    view_product(w->view, w->p, w->A, w->KA);
    panels_gram(w->p, w->A, w->A, w->gram);
    panels_gram(w->p, w->A, w->KA, w->cross);
}

/* second = A'A S A'A */
static void fitted_gram(wnmf *w)
{
    small_product(w->p->q, w->gram, false, w->core, w->first);
    small_product(w->p->q, w->first, false, w->gram, w->second);
}

void wnmf_rescale(wnmf *w)
{
    const int64_t q = w->p->q;
    double *columns = w->p->small;
    wnmf_refresh(w);
    fitted_gram(w);
    const double fitted = small_dot(q, w->second, w->core);
    const double scale = fitted > 0 ? sqrt(small_dot(q, w->cross, w->core) / fitted) : 1;
    for (int64_t j = 0; j < q; j++)
        columns[j] = scale;
    panels_scale_columns(w->p, w->A, columns);
    wnmf_refresh(w);
}

/* S <- S .* (A'K A) ./ (A'A S A'A); 0/0 gives 0. */
static void update_core(wnmf *w)
{
    fitted_gram(w);
    for (int64_t e = 0; e < w->p->q * w->p->q; e++) {
        const double ratio = fmin(w->cross[e] / fmax(w->second[e], 1e-100), 1e100);
        w->core[e] *= ratio;
    }
}

void wnmf_step(wnmf *w)
{
    const int64_t q = w->p->q;
    small_product(q, w->core, false, w->gram, w->first);
    small_product(q, w->first, false, w->core, w->second);
    panels_update(w->p, w->A, w->KA, w->core, w->A, w->second, PANELS_HALF);
    wnmf_refresh(w);
    update_core(w);
}

double wnmf_objective(wnmf *w)
{
    const int64_t q = w->p->q;
    fitted_gram(w);
    return fmax(w->view->squares - 2 * small_dot(q, w->cross, w->core) +
                    small_dot(q, w->second, w->core),
                0);
}

/* ------------------------------------------------------------------ the method */

typedef struct wnmf_state {
    wnmf w;
    orthant_matrix *core; /* of the result */
} wnmf_state;

static void step(void *state)
{
    wnmf_step(&((wnmf_state *)state)->w);
}

static void measure(void *state, double *values)
{
    values[0] = values[1] = wnmf_objective(&((wnmf_state *)state)->w);
}

static void show(void *state)
{
    const wnmf_state *s = state;
    panels_fetch(s->w.p, s->w.A);
    s->w.p->k->set_values(matrix_array(s->core), s->w.core);
}

static void parts(void *state, checkpoint_parts *parts)
{
    wnmf *w = &((wnmf_state *)state)->w;
    panels_fetch(w->p, w->A);
    panels_fetch(w->p, w->KA);
    parts_add_array(parts, "encoding", w->p->k, w->A);
    parts_add_array(parts, "product", w->p->k, w->KA);
    parts_add_numbers(parts, "core, Gram matrix, cross", w->core, 3 * w->p->q * w->p->q);
    parts_add_field(parts, "products", &w->view->products, sizeof w->view->products);
}

static void restored(void *state)
{
    const wnmf *w = &((wnmf_state *)state)->w;
    panels_changed(w->p, w->A);
    panels_changed(w->p, w->KA);
}

static orthant_status check(void *state)
{
    const wnmf_state *s = state;
    return kernel_device_check(&s->w.view->device);
}

static orthant_status start(fit *f, wnmf *w, orthant_matrix *encoding, orthant_matrix *core)
{
    bool given, core_given;
    orthant_status status;
    if ((status = fit_start_given(f, "encoding", encoding, &given)) ||
        (status = fit_start_given(f, "core", core, &core_given)))
        return status;
    if (core_given)
        w->p->k->get_values(matrix_array(core), w->core);
    else
        wnmf_start_core(w);
    if (given) {
        wnmf_refresh(w);
        return ORTHANT_OK;
    }
    start_random_factor(encoding, (uint64_t)parameter_whole(&f->model->parameters, "seed"),
                        RANDOM_ENCODING, 1);
    wnmf_rescale(w);
    return ORTHANT_OK;
}

orthant_status wnmf_run(fit *f)
{
    const int64_t n = f->samples->rows, q = f->model->rank;
    orthant_matrix *encoding = NULL;
    panels p = {0};
    similarity_view view = {0};
    wnmf_state s = {0};
    orthant_status status;
    history_begin(&f->result->history);
    if ((status = view_matrix(&view, f->ctx, f->similarity, q)) ||
        (status = fit_new_factor(f, "encoding", n, q, &encoding)) ||
        (status = fit_new_factor(f, "core", q, q, &s.core)) ||
        (status = view_panels(&view, &p, f, 1)) ||
        (status = wnmf_setup(&s.w, &p, &view, matrix_array(encoding))) ||
        (status = start(f, &s.w, encoding, s.core)))
        goto done;
    view.products = 0;
    status = fit_loop(f, (loop_steps){.state = &s,
                                      .step = step,
                                      .measure = measure,
                                      .show = show,
                                      .parts = parts,
                                      .restored = restored,
                                      .check = check});
    f->result->products = view.products;
    show(&s);
    if (!status && !(status = check(&s)))
        status = fit_tell_dead_columns(f);
done:
    wnmf_release(&s.w);
    panels_release(&p);
    view_release(&view, f->ctx);
    return status;
}
