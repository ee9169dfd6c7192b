/* Relationship matrix nonnegative decomposition (RMND): K ~ A A'M H, D = (1/2)|K - A A'M H|^2, with
 * A the relation (n x q, unit columns), M the distribution (n x q, columns that sum to 1) and
 * E = H' the encoding (n x q).
 *
 *   H <- H .* (M'A A'K) ./ (M'A A'A A'M H)                                               (3.11)
 *   M <- M .* (A A'K H') ./ (A A'A A'M H H');  U = diag(column sums): M <- M U^-1, H <- U H
 *   A <- projection of A - mu dD/dA: negatives to 0, columns to unit length; mu is halved until D
 *        falls, and after 60 times A stays
 *   dD/dA = R B'A + B R'A with B = M H, R = A A'B - K                                    (3.12)
 *
 * K is symmetric. With the q x q matrices G = A'A, C = A'M, N = E'E and P = A'K E all of it comes
 * from the two products K A and K E:
 *
 *   E <- E .* (K A C) ./ (E C'G C),      M <- M .* (A ((K A)'E)) ./ (A G C N)
 *   dD/dA = A (C N C') - (K E) C' + M (N C'G - P'),   D = (1/2)(|K|^2 - 2 <P, C> + <C'G C, N>)
 *
 * so that no trial of mu and no further step of A reads K: two products per iteration. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "method/rmnd.h"

#define FIRST_STEP 0.5
#define SNMF_ITERATIONS 100

const orthant_parameter_info rmnd_parameters[] = {
    PARAMETER_WORD("start", "snmf", "snmf|random",
                   "snmf: 100 iterations of symmetric NMF; random sits on a saddle for long"),
    PARAMETER_WORD("step", "adaptive", "adaptive|paper",
                   "first trial of mu: twice the last one taken, or always 1 as in the paper"),
    PARAMETER_WHOLE("inner_steps", "4", 1, 1000, "steps of the relation per iteration"),
    PARAMETER_WORD("labels", "relation", "relation|best-of",
                   "k-means on the relation, or the best of the paper's four ways"),
    SIMILARITY_PARAMETERS,
    PARAMETER_END,
};

/* ------------------------------------------------------------------ columns */

/* A zero column stays zero. */
static void unit_columns(rmnd *r, array a)
{
    panels_column_sums(&r->p, a, true, r->columns);
    for (int64_t j = 0; j < r->p.q; j++)
        r->columns[j] = r->columns[j] > 0 ? 1 / sqrt(r->columns[j]) : 0;
    panels_scale_columns(&r->p, a, r->columns);
}

/* ------------------------------------------------------------------ D and its parts */

void rmnd_make_CGC(rmnd *r, const double *C, const double *G)
{
    small_product(r->p.q, G, false, C, r->first);
    small_product(r->p.q, C, true, r->first, r->CGC);
}

/* (1/2)|K - A A'M H|^2 from P = A'K E, C = A'M, G = A'A and N; leaves C'G C. */
double rmnd_distance(rmnd *r, const double *P, const double *C, const double *G)
{
    const int64_t q = r->p.q;
    rmnd_make_CGC(r, C, G);
    return 0.5 * (r->view.squares - 2 * small_dot(q, P, C) + small_dot(q, r->CGC, r->N));
}

/* What depends on E: K E, N, P, and D. */
void rmnd_encoding_changed(rmnd *r)
{
    view_product(&r->view, &r->p, r->E, r->KE);
    panels_gram(&r->p, r->E, r->E, r->N);
    panels_gram(&r->p, r->now.a, r->KE, r->now.P);
    r->now.D = rmnd_distance(r, r->now.P, r->now.C, r->now.G);
}

/* ------------------------------------------------------------------ H and M */

static void update_encoding(rmnd *r)
{
    rmnd_make_CGC(r, r->now.C, r->now.G);
    panels_update(&r->p, r->E, r->KA, r->now.C, r->E, r->CGC, PANELS_RATIO);
    panels_gram(&r->p, r->E, r->E, r->N);
}

static void update_distribution(rmnd *r)
{
    const int64_t q = r->p.q;
    panels_gram(&r->p, r->KA, r->E, r->now.P);
    small_product(q, r->now.G, false, r->now.C, r->first);
    small_product(q, r->first, false, r->N, r->second);
    panels_update(&r->p, r->M, r->now.a, r->now.P, r->now.a, r->second, PANELS_RATIO);
    rmnd_normalise_distribution(r);
}

void rmnd_normalise_distribution(rmnd *r)
{
    const int64_t q = r->p.q;
    panels_column_sums(&r->p, r->M, false, r->columns);
    panels_scale_columns(&r->p, r->E, r->columns);
    for (int64_t j = 0; j < q; j++)
        r->columns[j] = r->columns[j] > 0 ? 1 / r->columns[j] : 0;
    panels_scale_columns(&r->p, r->M, r->columns);
    panels_gram(&r->p, r->now.a, r->M, r->now.C);
}

/* ------------------------------------------------------------------ A */

/* The factors of A, M and K E in the gradient A (C N C') + M (N C'G - P') - (K E) C'. */
static void make_terms(rmnd *r, const rmnd_point *from)
{
    const int64_t q = r->p.q;
    double *transposed = r->CGC;
    for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++)
            transposed[i * q + j] = from->C[j * q + i];
    small_product(q, r->N, false, transposed, r->first);
    small_product(q, from->C, false, r->first, r->second);
    r->p.k->set_values(r->terms[0], r->second);
    small_product(q, r->first, false, from->G, r->second);
    for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++)
            r->second[i * q + j] -= from->P[j * q + i];
    r->p.k->set_values(r->terms[1], r->second);
    for (int64_t e = 0; e < q * q; e++)
        transposed[e] = -transposed[e];
    r->p.k->set_values(r->terms[2], transposed);
}

typedef struct trial_work {
    rmnd *r;
    const rmnd_point *from;
    double mu;
    bool first; /* there is no gradient yet */
} trial_work;

static void trial_task(void *user, int64_t piece, int64_t first, int64_t rows)
{
    const trial_work *work = user;
    const rmnd *r = work->r;
    const kernels *ops = r->p.k;
    const array trial = array_rows(ops, r->trial.a, first, rows),
                of[] = {work->from->a, r->M, r->KE};
    (void)piece;
    for (int i = 0; i < 3 && work->first; i++)
        ops->product(array_rows(ops, r->gradients, first, rows),
                     array_rows(ops, of[i], first, rows), r->terms[i], i > 0);
    ops->copy(trial, array_rows(ops, work->from->a, first, rows));
    ops->add(trial, -work->mu, array_rows(ops, r->gradients, first, rows));
    ops->positive_part(trial);
}

/* The same on a device. */
static void make_trial_on_device(rmnd *r, const rmnd_point *from, double mu, bool first)
{
    const array of[] = {from->a, r->M, r->KE};
    for (int i = 0; i < 3 && first; i++) {
        r->p.k->get_values(r->terms[i], r->second);
        panels_product(&r->p, r->gradients, of[i], r->second, i > 0);
    }
    kernel_device_step(r->p.device, r->trial.a, from->a, r->gradients, mu);
}

/* A column without a positive entry becomes the unit vector at its largest: the nearest there is.
 */
static void mend_empty_column(rmnd *r, const rmnd_point *from, int64_t j, double mu)
{
    const orthant_matrix *A = from->matrix, *gradient = r->gradient;
    int64_t best = 0;
    double largest = -INFINITY;
    panels_fetch(&r->p, from->a);
    panels_fetch(&r->p, r->gradients);
    panels_fetch(&r->p, r->trial.a);
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t at = i * A->stride + j;
        const double value = matrix_value(A, at) - mu * matrix_value(gradient, at);
        if (value > largest) {
            largest = value;
            best = i;
        }
    }
    matrix_set_value(r->trial.matrix, best * r->trial.matrix->stride + j, 1);
    panels_changed(&r->p, r->trial.a);
}

/* One pass over the rows for all of it. */
void rmnd_make_trial(rmnd *r, const rmnd_point *from, double mu, bool first)
{
    const int64_t q = r->p.q;
    const panels_pair pairs[] = {{r->trial.a, r->trial.a, r->trial.G},
                                 {r->trial.a, r->M, r->trial.C},
                                 {r->trial.a, r->KE, r->trial.P}};
    trial_work work = {r, from, mu, first};
    bool mended = false;
    if (first)
        make_terms(r, from);
    if (r->p.device)
        make_trial_on_device(r, from, mu, first);
    panels_grams(&r->p, 3, pairs, trial_task, &work);
    for (int64_t j = 0; j < q; j++)
        if (!(r->trial.G[j * q + j] > 0)) {
            mend_empty_column(r, from, j, mu);
            mended = true;
        }
    if (mended)
        panels_grams(&r->p, 3, pairs, NULL, NULL);
    for (int64_t j = 0; j < q; j++)
        r->columns[j] = 1 / sqrt(r->trial.G[j * q + j]);
    for (int64_t e = 0; e < q * q; e++) {
        r->trial.G[e] *= r->columns[e / q] * r->columns[e % q];
        r->trial.C[e] *= r->columns[e / q];
        r->trial.P[e] *= r->columns[e / q];
    }
}

static void accept_task(void *user, int64_t piece, int64_t first, int64_t rows)
{
    const rmnd *r = user;
    const kernels *ops = r->p.k;
    const array to = array_rows(ops, r->now.a, first, rows);
    (void)piece;
    ops->copy(to, array_rows(ops, r->trial.a, first, rows));
    ops->scale_columns(to, r->columns);
}

void rmnd_accept_trial(rmnd *r, double D)
{
    r->now.D = D;
    if (r->p.device) {
        panels_copy(&r->p, r->now.a, r->trial.a);
        panels_scale_columns(&r->p, r->now.a, r->columns);
    } else
        panels_run(&r->p, accept_task, r);
    rmnd_swap(&r->now.G, &r->trial.G);
    rmnd_swap(&r->now.C, &r->trial.C);
    rmnd_swap(&r->now.P, &r->trial.P);
}

/* One step of A; false where no mu lets D fall. */
static bool step_relation(rmnd *r)
{
    double mu = r->adaptive ? 2 * r->mu : 1;
    for (int i = 0; i <= RMND_MOST_HALVINGS; i++, mu *= 0.5) {
        rmnd_make_trial(r, &r->now, mu, i == 0);
        const double D = rmnd_distance(r, r->trial.P, r->trial.C, r->trial.G);
        if (D < r->now.D) {
            rmnd_accept_trial(r, D);
            r->mu = mu;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ the loop */

static void step(void *state)
{
    rmnd *r = state;
    view_product(&r->view, &r->p, r->now.a, r->KA);
    update_encoding(r);
    update_distribution(r);
    rmnd_encoding_changed(r);
    for (int64_t i = 0; i < r->inner_steps && step_relation(r); i++)
        ;
}

void rmnd_measure(void *state, double *values)
{
    const rmnd *r = state;
    values[0] = values[1] = fmax(r->now.D, 0);
}

static void show(void *state)
{
    const rmnd *r = state;
    panels_fetch(&r->p, r->now.a);
    panels_fetch(&r->p, r->M);
    panels_fetch(&r->p, r->E);
}

static void restored(void *state)
{
    const rmnd *r = state;
    panels_changed(&r->p, r->now.a);
    panels_changed(&r->p, r->M);
    panels_changed(&r->p, r->E);
}

static orthant_status check(void *state)
{
    const rmnd *r = state;
    return kernel_device_check(&r->view.device);
}

/* An iteration makes K A, K E, N and P again before it reads them. */
void rmnd_parts(void *state, checkpoint_parts *parts)
{
    rmnd *r = state;
    const int64_t small = r->p.q * r->p.q;
    show(r);
    parts_add_array(parts, "relation", r->p.k, r->now.a);
    parts_add_array(parts, "distribution", r->p.k, r->M);
    parts_add_array(parts, "encoding", r->p.k, r->E);
    parts_add_numbers(parts, "A'A", r->now.G, small);
    parts_add_numbers(parts, "A'M", r->now.C, small);
    parts_add_field(parts, "distance", &r->now.D, sizeof r->now.D);
    parts_add_field(parts, "mu", &r->mu, sizeof r->mu);
    parts_add_field(parts, "products", &r->view.products, sizeof r->view.products);
}

/* ------------------------------------------------------------------ setup */

static orthant_status new_factors(fit *f, rmnd *r)
{
    const int64_t n = f->samples->rows, q = f->model->rank;
    const orthant_precision precision = f->samples->precision;
    orthant_status status;
    if ((status = fit_new_factor(f, "relation", n, q, &r->now.matrix)) ||
        (status = fit_new_factor(f, "distribution", n, q, &r->distribution)) ||
        (status = fit_new_factor(f, "encoding", n, q, &r->encoding)) ||
        (status = matrix_new_factor(f->ctx, precision, n, q, &r->trial.matrix)) ||
        (status = matrix_new_factor(f->ctx, precision, n, q, &r->gradient)))
        return status;
    r->now.a = matrix_array(r->now.matrix);
    r->M = matrix_array(r->distribution);
    r->E = matrix_array(r->encoding);
    r->trial.a = matrix_array(r->trial.matrix);
    r->gradients = matrix_array(r->gradient);
    return ORTHANT_OK;
}

orthant_status rmnd_setup(fit *f, rmnd *r)
{
    const int64_t q = f->model->rank;
    double **small[] = {&r->now.G,   &r->now.C,   &r->N,   &r->now.P, &r->trial.G,
                        &r->trial.C, &r->trial.P, &r->CGC, &r->first, &r->second};
    orthant_status status;
    r->mu = FIRST_STEP;
    r->inner_steps = parameter_whole(&f->model->parameters, "inner_steps");
    history_begin(&f->result->history);
    if ((status = view_matrix(&r->view, f->ctx, f->similarity, q)) ||
        (status = new_factors(f, r)) || (status = view_panels(&r->view, &r->p, f, 3)) ||
        (status = panels_new_array(&r->p, &r->KA)) || (status = panels_new_array(&r->p, &r->KE)))
        return status;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (!(*small[i] = memory_new(f->ctx, q * q, sizeof(double), "a small matrix")))
            return ORTHANT_ERROR_MEMORY;
    for (int i = 0; i < 3; i++)
        if ((status = panels_new_small(&r->p, &r->terms[i])))
            return status;
    r->columns = memory_new(f->ctx, q, sizeof *r->columns, "sums of columns");
    return r->columns ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

void rmnd_release(fit *f, rmnd *r)
{
    void *held[] = {r->KA.data, r->KE.data,       r->now.G,         r->now.C,
                    r->N,       r->now.P,         r->trial.G,       r->trial.C,
                    r->trial.P, r->CGC,           r->first,         r->second,
                    r->columns, r->terms[0].data, r->terms[1].data, r->terms[2].data};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        memory_free(f->ctx, held[i]);
    orthant_matrix_free(r->trial.matrix);
    orthant_matrix_free(r->gradient);
    view_release(&r->view, f->ctx);
    panels_release(&r->p);
}

/* A, M and E from 100 iterations of symmetric NMF, by the rule that is the faster of the two. */
static orthant_status start_from_snmf(const fit *f, rmnd *r, uint64_t seed)
{
    snmf s;
    start_random_factor(r->now.matrix, seed, RANDOM_ENCODING, 1);
    const search_clock clock = {f->begun, parameter_number(&f->model->parameters, "time_limit")};
    orthant_status status = snmf_setup(&s, &r->p, &r->view, r->now.a, PANELS_HALF);
    if (!status) {
        snmf_rescale(&s);
        for (int i = 0; i < SNMF_ITERATIONS && !status; i++) {
            status = stage_tell(f->ctx, &clock, "snmf start", i, SNMF_ITERATIONS);
            snmf_step(&s);
        }
        panels_copy(&r->p, r->M, r->now.a);
        panels_copy(&r->p, r->E, r->now.a);
    }
    snmf_release(&s);
    return status;
}

/* The scale of H cancels in its first update; the best one makes the first D tell something. */
static void scale_encoding(rmnd *r)
{
    const int64_t q = r->p.q;
    rmnd_encoding_changed(r);
    const double fitted = small_dot(q, r->CGC, r->N);
    for (int64_t j = 0; j < q; j++)
        r->columns[j] = fitted > 0 ? small_dot(q, r->now.P, r->now.C) / fitted : 1;
    panels_scale_columns(&r->p, r->E, r->columns);
}

static orthant_status start(fit *f, rmnd *r)
{
    const parameter_set *set = &f->model->parameters;
    const uint64_t seed = (uint64_t)parameter_whole(set, "seed");
    bool A_given, M_given, E_given;
    orthant_status status = ORTHANT_OK;
    if (fit_resumes(f))
        return ORTHANT_OK;
    if ((status = fit_start_given(f, "relation", r->now.matrix, &A_given)) ||
        (status = fit_start_given(f, "distribution", r->distribution, &M_given)) ||
        (status = fit_start_given(f, "encoding", r->encoding, &E_given)))
        return status;
    if (!A_given || !M_given || !E_given) {
        if (!strcmp(parameter_text(set, "start"), "random")) {
            start_random_factor(r->now.matrix, seed, RANDOM_RELATION, 1);
            start_random_factor(r->distribution, seed, RANDOM_DISTRIBUTION, 1);
            start_random_factor(r->encoding, seed, RANDOM_ENCODING, 1);
        } else {
            status = start_from_snmf(f, r, seed);
            show(r);
        }
        if (status || (status = fit_start_given(f, "relation", r->now.matrix, &A_given)) ||
            (status = fit_start_given(f, "distribution", r->distribution, &M_given)) ||
            (status = fit_start_given(f, "encoding", r->encoding, &E_given)))
            return status;
        restored(r);
    }
    unit_columns(r, r->now.a);
    panels_gram(&r->p, r->now.a, r->now.a, r->now.G);
    panels_gram(&r->p, r->now.a, r->M, r->now.C);
    if (!E_given)
        scale_encoding(r);
    rmnd_encoding_changed(r);
    return ORTHANT_OK;
}

orthant_status rmnd_iterate(fit *f, rmnd *r, loop_steps steps)
{
    orthant_status status = start(f, r);
    r->view.products = 0;
    steps.state = r;
    steps.measure = rmnd_measure;
    steps.show = show;
    steps.restored = restored;
    steps.check = check;
    if (!status)
        status = fit_loop(f, steps);
    show(r);
    if (!status)
        status = check(r);
    f->result->products = r->view.products;
    return status ? status : fit_tell_dead_columns(f);
}

orthant_status rmnd_run(fit *f)
{
    const parameter_set *set = &f->model->parameters;
    rmnd r = {.adaptive = !strcmp(parameter_text(set, "step"), "adaptive")};
    orthant_status status = rmnd_setup(f, &r);
    if (!status)
        status = rmnd_iterate(f, &r, (loop_steps){.step = step, .parts = rmnd_parts});
    rmnd_release(f, &r);
    return status;
}
