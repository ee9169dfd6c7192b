/* Constrained NMF with hard labels: X ~ U (A Z)', where samples of one known class share a row of Z
 * and every other sample has its own (the classes' rows first, then the unlabelled samples').
 *
 *   Frobenius   U <- U .* (X A Z) ./ (U Z'A'A Z)
 *               Z <- Z .* (A'X'U) ./ (A'A Z U'U)
 *
 *   KL          U <- U .* (R A Z) ./ (1 sum(A Z))           R = X ./ (U (A Z)')
 *               Z <- Z .* (A'R'U) ./ (sum(A)' sum(U))
 *
 * The sweep goes over all samples, with the encoding A Z: its sums are those of plain NMF. The new
 * row of a class is known before: the rule for Z sees the n_c samples of a class through their sum
 * y_c alone. With its row written as v = n_c^(1/2) z against the sample n_c^(-1/2) y_c (KL: n_c z
 * against y_c) it is word for word the rule of plain NMF for one sample. So A is never formed:
 * first the merged sample of each class is encoded, then all others, and labelled samples take the
 * row of their class. So is the end of the fit: the row of a class is the code of its merged
 * sample.
 *
 * On a device all of it is plain NMF of the merged samples and those without a label: the sums over
 * the samples are the same, and the objective differs by a constant. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "engine/loss.h"
#include "engine/sweep_device.h"
#include "loss/losses.h"
#include "method/cnmf_state.h"
#include "method/final_encodings.h"
#include "method/method.h"
#include "solver/solvers.h"

const orthant_parameter_info cnmf_parameters[] = {
    PARAMETER_WORD("loss", "frobenius", "frobenius|kl",
                   "how the data and the product of the factors are compared"),
    PARAMETER_INIT,
    PARAMETER_FINAL_ENCODINGS,
    PARAMETER_END,
};

static void release(cnmf_state *c)
{
    sweep_release(&c->sweep);
    orthant_matrix_free(c->merged);
    orthant_matrix_free(c->shared);
    memory_free(c->f->ctx, c->row_of);
    memory_free(c->f->ctx, c->sample);
    memory_free(c->f->ctx, c->start);
}

/* ------------------------------------------------------------------ the start */

/* A class takes the mean of its samples' starting encodings. A mean of random ones would be flat:
 * there it takes its first sample's. */
static void gather_start(cnmf_state *c, bool mean)
{
    const orthant_matrix *encoding = c->encoding;
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < encoding->columns; j++) {
            const int64_t first = c->start[r], end = mean ? c->start[r + 1] : first + 1;
            double total = 0;
            for (int64_t s = first; s < end; s++)
                total += matrix_value(encoding, c->sample[s] * encoding->stride + j);
            matrix_set_value(c->auxiliary, r * c->auxiliary->stride + j,
                             total / (double)(end - first));
        }
}

static orthant_status start(cnmf_state *c)
{
    fit *f = c->f;
    const char *init = parameter_text(&f->model->parameters, "init");
    const orthant_matrix *given = NULL;
    bool whole = false;
    orthant_status status;
    if ((status = fit_start_given(f, "auxiliary", c->auxiliary, &whole)) ||
        (status = fit_start(f, "encoding", f->samples->rows, f->model->rank, &given)) ||
        (status = fit_start_factors(f, c->basis, c->encoding)))
        return status;
    if (!whole)
        gather_start(c, given || (strcmp(init, "random") && strcmp(init, "uniform")));
    return matrix_check(c->auxiliary, true, "auxiliary", f->model->method->name);
}

/* A Z and the rows v, from Z. */
static void share(cnmf_state *c)
{
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->auxiliary->columns; j++) {
            const double value = matrix_value(c->auxiliary, r * c->auxiliary->stride + j);
            for (int64_t s = c->start[r]; s < c->start[r + 1]; s++)
                matrix_set_value(c->encoding, c->sample[s] * c->encoding->stride + j, value);
            if (r < c->merged_rows)
                matrix_set_value(c->shared, r * c->shared->stride + j, value * cnmf_weight(c, r));
        }
}

/* ------------------------------------------------------------------ one iteration */

typedef struct class_work {
    cnmf_state *c;
    const sweep_step *t;
} class_work;

/* New rows v of some classes. */
static void class_task(void *user, int64_t index, int thread)
{
    const class_work *work = user;
    cnmf_state *c = work->c;
    const sweep *s = &c->sweep;
    const block b = block_at(0, c->classes, s->plan.strips.block, index, thread);
    const array v = array_rows(s->ops, matrix_array(c->shared), b.first, b.rows),
                N = sweep_array(s, b, SCRATCH_NUMERATOR),
                D = sweep_array(s, b, SCRATCH_DENOMINATOR);
    c->problem.loss->encoding(s, (strip){.data = c->merged, .rows = c->classes}, b, v, N, D);
    solver_mu.rows(s, work->t,
                   &(row_update){.b = b, .from = v, .to = v, .numerator = N, .denominator = D});
}

/* Multiplicative updates; samples with a label take z of their class. */
static void rows(const sweep *s, const sweep_step *t, const row_update *u)
{
    const cnmf_state *c = s->solver_state;
    solver_mu.rows(s, t, u);
    for (int64_t i = 0; i < u->b.rows && !u->basis; i++) {
        const int64_t row = c->row_of[u->b.first + i];
        if (row >= c->classes)
            continue;
        const array to = array_rows(s->ops, u->to, i, 1);
        array_clear(s->ops, to);
        s->ops->add(to, 1 / cnmf_weight(c, row),
                    array_rows(s->ops, matrix_array(c->shared), row, 1));
    }
}

static const solver solver_shared = {.name = "mu", .title = "shared rows", .rows = rows};

static sweep_step step_of(const cnmf_state *c)
{
    return (sweep_step){.solver = c->problem.solver, .exponent = 1};
}

static void step(void *state)
{
    cnmf_state *c = state;
    sweep *s = &c->sweep;
    const sweep_step t = step_of(c);
    class_work work = {c, &t};
    sweep_basis(s, &t);
    sweep_basis_changed(s);
    if (!c->problem.on_device)
        strips_tasks(&s->plan.strips, pieces(c->classes, s->plan.strips.block), class_task, &work,
                     c->classes * s->plan.strips.row_cost);
    sweep_encoding(s, &t);
}

static double objective_of(const cnmf_state *c, double value)
{
    return c->problem.on_device ? fmax(value + c->rest, 0) : value;
}

static void measure(void *state, double *values)
{
    cnmf_state *c = state;
    sweep_measure(&c->sweep, values);
    values[1] = values[0] = objective_of(c, values[0]);
}

/* Short iterations of a device; the sweep gives one value of each. */
static int64_t go_ahead(void *state, int64_t most, double *values)
{
    cnmf_state *c = state;
    const sweep_step t = step_of(c);
    const int64_t made = sweep_ahead(&c->sweep, &t, most, values);
    for (int64_t i = made - 1; i >= 0; i--) {
        double *row = values + i * HISTORY_MOST_COLUMNS;
        row[1] = row[0] = objective_of(c, values[i]);
    }
    return made;
}

static void go_back(void *state, int64_t count)
{
    sweep_back(&((cnmf_state *)state)->sweep, count);
}

static orthant_status check(void *state)
{
    return sweep_check(&((cnmf_state *)state)->sweep);
}

/* Z and A Z, from the rows v of the device. */
static void show_shared(cnmf_state *c)
{
    sweep_hand_over(&c->sweep, c->shared);
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->shared->columns; j++)
            matrix_set_value(c->auxiliary, r * c->auxiliary->stride + j,
                             matrix_value(c->shared, r * c->shared->stride + j) /
                                 cnmf_weight(c, r));
    share(c);
}

/* Z, from the encoding A Z. */
static void show(void *state)
{
    cnmf_state *c = state;
    const kernels *ops = c->sweep.ops;
    if (c->problem.on_device) {
        show_shared(c);
        return;
    }
    for (int64_t r = 0; r < c->rows; r++)
        ops->copy(array_rows(ops, matrix_array(c->auxiliary), r, 1),
                  array_rows(ops, matrix_array(c->encoding), c->sample[c->start[r]], 1));
}

static void parts(void *state, checkpoint_parts *parts)
{
    cnmf_state *c = state;
    sweep_parts(&c->sweep, parts);
    if (!c->problem.on_device)
        parts_add_array(parts, "shared", c->sweep.ops, matrix_array(c->shared));
}

static void restored(void *state)
{
    cnmf_state *c = state;
    sweep_restored(&c->sweep);
}

/* ------------------------------------------------------------------ the setup */

static void list_problem(cnmf_state *c)
{
    const fit *f = c->f;
    c->problem = fit_problem(f);
    c->problem.loss = loss_find(parameter_text(&f->model->parameters, "loss"));
    c->problem.on_device = f->ctx->device != NULL;
    c->problem.solver = c->problem.on_device ? &solver_mu : &solver_shared;
}

orthant_status cnmf_check_device(fit *f)
{
    cnmf_state c = {.f = f};
    list_problem(&c);
    return sweep_device_accepts(&c.problem);
}

static orthant_status setup_problem(cnmf_state *c)
{
    const fit *f = c->f;
    orthant_status status;
    list_problem(c);
    if ((status = final_encodings_check(f, NULL)) || (status = cnmf_number_rows(c)))
        return status;
    c->merged_rows = c->problem.on_device ? c->rows : c->classes;
    if ((status = cnmf_merge(c)))
        return status;
    if (c->problem.on_device)
        c->problem.samples = c->merged;
    return matrix_new_factor(f->ctx, f->samples->precision, c->merged_rows, f->model->rank,
                             &c->shared);
}

static orthant_status setup_sweep(void *state)
{
    cnmf_state *c = state;
    const orthant_status status = sweep_setup(&c->sweep, &c->problem, c->basis,
                                              c->problem.on_device ? c->shared : c->encoding);
    c->sweep.solver_state = c;
    return status;
}

static orthant_status setup(cnmf_state *c)
{
    fit *f = c->f;
    orthant_status status;
    if ((status = setup_problem(c)) ||
        (status = fit_new_factor(f, "basis", f->samples->columns, f->model->rank, &c->basis)) ||
        (status = fit_new_factor(f, "auxiliary", c->rows, f->model->rank, &c->auxiliary)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, f->model->rank, &c->encoding)) ||
        (status = start(c)))
        return status;
    share(c);
    history_begin(&f->result->history);
    return setup_sweep(c);
}

/* ------------------------------------------------------------------ the final encodings */

/* To labelled samples the row of their class, of codes of merged samples. */
static void share_codes(const cnmf_state *c, const orthant_matrix *merged, orthant_matrix *codes)
{
    for (int64_t r = 0; r < c->classes; r++)
        for (int64_t j = 0; j < codes->columns; j++) {
            const double value = matrix_value(merged, r * merged->stride + j) / cnmf_weight(c, r);
            for (int64_t s = c->start[r]; s < c->start[r + 1]; s++)
                matrix_set_value(codes, c->sample[s] * codes->stride + j, value);
        }
}

/* Of the merged samples, which are not needed any more, and then of those without a label. */
static orthant_status encode(void *state, orthant_matrix **codes)
{
    cnmf_state *c = state;
    const code_labels labels = {.class_of = c->row_of, .classes = c->classes};
    code_problem p = final_encodings_problem(c->f, c->basis, c->problem.loss);
    orthant_matrix *merged = NULL;
    p.samples = c->merged;
    orthant_status status = transform_samples(&p, &merged);
    orthant_matrix_free(c->merged);
    c->merged = NULL;
    p.samples = c->f->samples;
    p.labels = &labels;
    if (!status)
        status = transform_samples(&p, codes);
    if (!status)
        share_codes(c, merged, *codes);
    orthant_matrix_free(merged);
    return status;
}

static void measure_again(void *state, double *values)
{
    cnmf_state *c = state;
    sweep_start(&c->sweep);
    measure(c, values);
}

static orthant_status take_final(cnmf_state *c)
{
    return final_encodings_take(&(final_encodings){.f = c->f,
                                                   .sweep = &c->sweep,
                                                   .encoding = c->encoding,
                                                   .knows_labels = true,
                                                   .summed = final_encodings_summed(&c->sweep),
                                                   .state = c,
                                                   .encode = encode,
                                                   .setup = setup_sweep,
                                                   .measure = measure_again});
}

/* ------------------------------------------------------------------ the fit */

orthant_status cnmf_run(fit *f)
{
    cnmf_state c = {.f = f};
    orthant_status status = setup(&c);
    if (!status) {
        sweep_start(&c.sweep);
        status = fit_loop(f, (loop_steps){.state = &c,
                                          .step = step,
                                          .measure = measure,
                                          .show = show,
                                          .parts = parts,
                                          .restored = restored,
                                          .check = check,
                                          .ahead = go_ahead,
                                          .back = go_back});
    }
    if (!status)
        status = take_final(&c);
    if (!status) {
        show(&c);
        if (!(status = check(&c)))
            status = fit_tell_dead_columns(f);
    }
    release(&c);
    return status;
}

/* Beside basis and encoding the result holds Z. */
orthant_status cnmf_explain(fit *f, explanation *e)
{
    cnmf_state c = {.f = f};
    orthant_status status = setup_problem(&c);
    if (!status)
        status = sweep_plan(&c.sweep, &c.problem);
    if (!status) {
        explain_sweep(e, &c.sweep);
        e->info->memory.factors += plan_rows_bytes(&c.sweep.plan, c.rows);
    }
    release(&c);
    return status;
}
