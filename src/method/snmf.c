/* Symmetric NMF of a similarity: O = |K - A A'|^2, A >= 0 (n x q).
 *
 *   rule=third   A <- A .* ((K A) ./ (A A'A))^(1/3)                    never rises
 *   rule=half    A <- A .* (1/2 + (1/2) (K A) ./ (A A'A))              (Ding, He, Simon 2005)
 *
 * The second overshoots from a start of the wrong scale, so a random start is multiplied by
 * c = (<K, A A'> / |A A'|^2)^(1/2), the best scale there is. O = |K|^2 - 2 <A, K A> + |A'A|^2 takes
 * the product K A that the next iteration needs: one product per iteration. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/similar.h"

const orthant_parameter_info snmf_parameters[] = {
    PARAMETER_WORD("rule", "third", "third|half",
                   "third: exponent 1/3, never rises; half: the mean of A and the full step"),
    SIMILARITY_PARAMETERS,
    PARAMETER_END,
};

orthant_status snmf_setup(snmf *s, panels *p, similarity_view *view, array A, panels_rule rule)
{
    *s = (snmf){.p = p, .view = view, .A = A, .rule = rule};
    s->gram = memory_new(p->ctx, p->q * p->q, sizeof *s->gram, "a Gram matrix");
    return s->gram ? panels_new_array(p, &s->KA) : ORTHANT_ERROR_MEMORY;
}

void snmf_release(snmf *s)
{
    if (!s->p)
        return;
    memory_free(s->p->ctx, s->gram);
    kernel_device_forget(s->p->device, s->KA);
    memory_free(s->p->ctx, s->KA.data);
}

void snmf_refresh(snmf *s)
{
    view_product(s->view, s->p, s->A, s->KA);
    panels_gram(s->p, s->A, s->A, s->gram);
}

void snmf_rescale(snmf *s)
{
    const int64_t q = s->p->q;
    double *columns = s->p->small;
    snmf_refresh(s);
    const double found = panels_dot(s->p, s->A, s->KA), fitted = small_dot(q, s->gram, s->gram);
    for (int64_t j = 0; j < q; j++)
        columns[j] = fitted > 0 ? sqrt(found / fitted) : 1;
    panels_scale_columns(s->p, s->A, columns);
    snmf_refresh(s);
}

void snmf_step(snmf *s)
{
    panels_update(s->p, s->A, s->KA, NULL, s->A, s->gram, s->rule);
    snmf_refresh(s);
}

double snmf_objective(const snmf *s)
{
    const double value =
        s->view->squares - 2 * panels_dot(s->p, s->A, s->KA) + small_dot(s->p->q, s->gram, s->gram);
    return fmax(value, 0);
}

/* ------------------------------------------------------------------ the method */

static void step(void *state)
{
    snmf_step(state);
}

static void measure(void *state, double *values)
{
    values[0] = values[1] = snmf_objective(state);
}

static void show(void *state)
{
    const snmf *s = state;
    panels_fetch(s->p, s->A);
}

static void parts(void *state, checkpoint_parts *parts)
{
    snmf *s = state;
    show(s);
    panels_fetch(s->p, s->KA);
    parts_add_array(parts, "encoding", s->p->k, s->A);
    parts_add_array(parts, "product", s->p->k, s->KA);
    parts_add_numbers(parts, "Gram matrix", s->gram, s->p->q * s->p->q);
    parts_add_field(parts, "products", &s->view->products, sizeof s->view->products);
}

static void restored(void *state)
{
    const snmf *s = state;
    panels_changed(s->p, s->A);
    panels_changed(s->p, s->KA);
}

static orthant_status check(void *state)
{
    const snmf *s = state;
    return kernel_device_check(&s->view->device);
}

static orthant_status start(fit *f, snmf *s, orthant_matrix *encoding)
{
    bool given;
    const orthant_status status = fit_start_given(f, "encoding", encoding, &given);
    if (status)
        return status;
    if (given) {
        snmf_refresh(s);
        return ORTHANT_OK;
    }
    start_random_factor(encoding, (uint64_t)parameter_whole(&f->model->parameters, "seed"),
                        RANDOM_ENCODING, 1);
    snmf_rescale(s);
    return ORTHANT_OK;
}

orthant_status snmf_run(fit *f)
{
    const char *rule = parameter_text(&f->model->parameters, "rule");
    const int64_t n = f->samples->rows;
    orthant_matrix *encoding = NULL;
    panels p = {0};
    similarity_view view = {0};
    snmf s = {0};
    orthant_status status;
    history_begin(&f->result->history);
    if ((status = view_matrix(&view, f->ctx, f->similarity, f->model->rank)) ||
        (status = fit_new_factor(f, "encoding", n, f->model->rank, &encoding)) ||
        (status = view_panels(&view, &p, f, 1)) ||
        (status = snmf_setup(&s, &p, &view, matrix_array(encoding),
                             strcmp(rule, "half") ? PANELS_THIRD : PANELS_HALF)) ||
        (status = start(f, &s, encoding)))
        goto done;
    view.products = 0;
    status = fit_loop(f, (loop_steps){.state = &s,
                                      .step = step,
                                      .measure = measure,
                                      .show = show,
                                      .parts = parts,
                                      .restored = restored,
                                      .check = check});
    show(&s);
    if (!status && !(status = check(&s)))
        status = fit_tell_dead_columns(f);
    f->result->products = view.products;
done:
    snmf_release(&s);
    panels_release(&p);
    view_release(&view, f->ctx);
    return status;
}
