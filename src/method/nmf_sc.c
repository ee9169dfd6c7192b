/* NMF with sparseness constraints (Hoyer 2004): |X - W S'|^2 where each column of W, each column of
 * S (a feature over all samples), or both have a given sparseness
 *
 *   sparseness(v) = (sqrt(d) - |v|_1 / |v|_2) / (sqrt(d) - 1),   v of d entries
 *
 * S first, then W. A constrained one by a projected gradient step, a free one as in plain NMF:
 *
 *   S <- P(S - mu (S W'W - X'W))       or   S <- S .* (X'W) ./ (S W'W)
 *   W <- P(W - mu (W S'S - X S))       or   W <- W .* (X S) ./ (W S'S)
 *
 * P takes each column to the nearest nonnegative one of the given sparseness: for S of unit length,
 * for W of the length that it has. mu goes from 1 and is halved until the objective does not rise;
 * a step that 60 halvings do not save is left out. The columns of a free S are brought to unit
 * length too, W takes their scale.
 *
 * With the other factor fixed the objective depends on this one through its product with X and a
 * k x k matrix alone, so no trial of a step reads X. The trials are in double, a column of the
 * factor after another. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "engine/sweep.h"
#include "loss/losses.h"
#include "method/method.h"
#include "method/projection.h"
#include "solver/solvers.h"

#define MOST_HALVINGS 60
#define WORTH_THREADS 8192 /* entries of a factor */

const orthant_parameter_info nmf_sc_parameters[] = {
    PARAMETER_NUMBER("encoding_sparseness", "0.4", -1, 1,
                     "of each feature over the samples, 0 to 1; negative: free"),
    PARAMETER_NUMBER("basis_sparseness", "-1", -1, 1,
                     "of each column of the basis, 0 to 1; negative: free"),
    PARAMETER_WORD("step", "restart", "restart|adaptive",
                   "trials start from 1, or from twice the last step: far fewer trials"),
    PARAMETER_INIT,
    PARAMETER_END,
};

/* A factor under constraint, and its line search. Each array is k x rows: a column of the factor is
 * a row here. */
typedef struct constrained {
    bool active;
    bool unit;       /* columns at unit length, or at the length that they have */
    double unit_sum; /* of a column of unit length */
    array now, target, gradient, trial;
    double *gram; /* k x k: of the trial */
    double mu;    /* of the last accepted step */
} constrained;

typedef struct sparse_state {
    fit *f;
    const kernels *exact; /* double */
    problem problem;
    sweep sweep;
    orthant_matrix *basis, *encoding;
    orthant_matrix *products; /* X W, n x k, where the encoding is constrained */
    constrained on_basis, on_encoding;
    bool adaptive;
    double *other; /* k x k: the other factor's Gram matrix */
    bool *flags;   /* a column's entries, for each thread */
    int64_t flags_length;
} sparse_state;

/* ------------------------------------------------------------------ trials */

/* What the tasks over columns share. */
typedef struct trial_work {
    sparse_state *s;
    constrained *c;
    double mu;
} trial_work;

static array column(const trial_work *work, array columns, int64_t j)
{
    return array_rows(work->s->exact, columns, j, 1);
}

/* Calling the threads together costs more than a short task. */
static void over_columns(trial_work *work, parallel_task task)
{
    const array columns = work->c->trial;
    if (columns.rows * columns.columns > WORTH_THREADS)
        parallel_for(work->s->f->ctx, columns.rows, task, work);
    else
        for (int64_t j = 0; j < columns.rows; j++)
            task(work, j, 0);
}

/* Half the gradient's column j: sum_l now_l other_lj - target_j. */
static void gradient_task(void *user, int64_t j, int thread)
{
    const trial_work *work = user;
    const constrained *c = work->c;
    const kernels *ops = work->s->exact;
    const array gradient = column(work, c->gradient, j);
    (void)thread;
    memset(gradient.data, 0, (size_t)gradient.stride * sizeof(double));
    for (int64_t l = 0; l < c->now.rows; l++)
        ops->add(gradient, work->s->other[l * c->now.rows + j], column(work, c->now, l));
    ops->add(gradient, -1, column(work, c->target, j));
}

/* Column j to its sparseness. */
static void project(const sparse_state *s, const constrained *c, array values, int thread)
{
    const double squares = s->exact->dot(values, values);
    const double length = c->unit ? 1 : sqrt(squares);
    project_to_norms(values.data, values.columns, c->unit_sum * length, length * length,
                     s->flags + thread * s->flags_length);
}

static void trial_task(void *user, int64_t j, int thread)
{
    const trial_work *work = user;
    const array trial = column(work, work->c->trial, j);
    work->s->exact->copy(trial, column(work, work->c->now, j));
    work->s->exact->add(trial, -work->mu, column(work, work->c->gradient, j));
    project(work->s, work->c, trial, thread);
}

static void gram_task(void *user, int64_t j, int thread)
{
    const trial_work *work = user;
    const int64_t rank = work->c->trial.rows;
    (void)thread;
    for (int64_t l = 0; l <= j; l++)
        work->c->gram[j * rank + l] =
            work->s->exact->dot(column(work, work->c->trial, j), column(work, work->c->trial, l));
}

/* The part of the objective that depends on the trial. */
static double trial_value(trial_work *work)
{
    const constrained *c = work->c;
    const int64_t rank = c->trial.rows;
    double value = -2 * work->s->exact->dot(c->trial, c->target);
    over_columns(work, gram_task);
    for (int64_t j = 0; j < rank; j++)
        for (int64_t l = 0; l <= j; l++)
            value += (l < j ? 2 : 1) * c->gram[j * rank + l] * work->s->other[j * rank + l];
    return value;
}

static void gather(const sparse_state *s, array factor, array columns)
{
    const kernels *ops = s->sweep.ops;
    for (int64_t j = 0; j < factor.columns; j++)
        ops->get_values(array_columns(ops, factor, j, 1), array_rows(s->exact, columns, j, 1).data);
}

static void scatter(const sparse_state *s, array columns, array factor)
{
    const kernels *ops = s->sweep.ops;
    for (int64_t j = 0; j < factor.columns; j++)
        ops->set_values(array_columns(ops, factor, j, 1), array_rows(s->exact, columns, j, 1).data);
}

/* One projected gradient step; `target` is the product of X with the other factor, `gram` the
 * other's Gram matrix. */
static void projected_step(sparse_state *s, constrained *c, array factor, array target, array gram)
{
    trial_work work = {s, c, s->adaptive ? 2 * c->mu : 1};
    gather(s, factor, c->now);
    gather(s, target, c->target);
    s->sweep.ops->get_values(gram, s->other);
    over_columns(&work, gradient_task);
    s->exact->copy(c->trial, c->now);
    const double before = trial_value(&work);
    for (int i = 0; i <= MOST_HALVINGS; i++, work.mu *= 0.5) {
        over_columns(&work, trial_task);
        if (trial_value(&work) <= before) {
            scatter(s, c->trial, factor);
            c->mu = work.mu;
            return;
        }
    }
}

/* ------------------------------------------------------------------ one iteration */

/* Columns of S to unit length, W takes the scale; the sums X'S and S'S follow. */
static void normalise(sparse_state *state)
{
    sweep *s = &state->sweep;
    double *scale = s->factors.basis_squares;
    sweep_unit_columns(s, s->factors.S, scale);
    s->ops->scale_columns(s->factors.W, scale);
    for (int64_t j = 0; j < s->problem->rank; j++)
        scale[j] = 1 / scale[j];
    s->ops->scale_columns(s->sums.A, scale);
    s->ops->scale_columns(s->sums.B, scale);
    s->ops->scale_rows(s->sums.B, scale);
}

static double product_rows(const sweep *s, void *user, strip x, block b)
{
    const sparse_state *state = user;
    s->plan.strips.x->product(s->ops, x, b, s->factors.W, s->factors.packed,
                              sweep_rows(s, matrix_array(state->products), b));
    return 0;
}

static void step_once(void *user)
{
    sparse_state *state = user;
    sweep *s = &state->sweep;
    const sweep_step t = {.solver = &solver_mu, .exponent = 1};
    if (state->on_encoding.active) {
        sweep_over_samples(s, product_rows, state);
        projected_step(state, &state->on_encoding, s->factors.S, matrix_array(state->products),
                       s->factors.G);
        sweep_sums(s);
    } else {
        sweep_encoding(s, &t);
        normalise(state);
    }
    if (state->on_basis.active)
        projected_step(state, &state->on_basis, s->factors.W, s->sums.A, s->sums.B);
    else
        sweep_basis(s, &t);
    sweep_basis_changed(s);
}

static void measure(void *user, double *values)
{
    sparse_state *state = user;
    values[0] = values[1] = state->problem.loss->value(&state->sweep);
}

/* ------------------------------------------------------------------ setup */

static bool new_columns(sparse_state *s, int64_t rank, int64_t rows, array *a)
{
    const int64_t stride = matrix_padded(ORTHANT_DOUBLE, rows);
    *a = (array){memory_new(s->f->ctx, rank * stride, sizeof(double), "trial steps"), rank, rows,
                 stride};
    return a->data != NULL;
}

static orthant_status setup_constrained(sparse_state *s, constrained *c, const char *name,
                                        int64_t rows, bool unit)
{
    const double sparseness = parameter_number(&s->f->model->parameters, name);
    const int64_t rank = s->f->model->rank;
    c->active = sparseness >= 0;
    if (!c->active)
        return ORTHANT_OK;
    c->unit = unit;
    c->unit_sum = sum_at_sparseness(rows, sparseness);
    c->mu = 0.5; /* adaptive trials double it: they start from 1 too */
    c->gram = memory_new(s->f->ctx, rank * rank, sizeof *c->gram, "trial steps");
    return c->gram && new_columns(s, rank, rows, &c->now) &&
                   new_columns(s, rank, rows, &c->target) &&
                   new_columns(s, rank, rows, &c->gradient) && new_columns(s, rank, rows, &c->trial)
               ? ORTHANT_OK
               : ORTHANT_ERROR_MEMORY;
}

static void release_constrained(orthant_context *ctx, constrained *c)
{
    memory_free(ctx, c->gram);
    memory_free(ctx, c->now.data);
    memory_free(ctx, c->target.data);
    memory_free(ctx, c->gradient.data);
    memory_free(ctx, c->trial.data);
}

static void release(sparse_state *s)
{
    release_constrained(s->f->ctx, &s->on_basis);
    release_constrained(s->f->ctx, &s->on_encoding);
    orthant_matrix_free(s->products);
    memory_free(s->f->ctx, s->other);
    memory_free(s->f->ctx, s->flags);
    sweep_release(&s->sweep);
}

/* What is asked, and the arrays of the line searches. */
static orthant_status setup_problem(sparse_state *state)
{
    const fit *f = state->f;
    const int64_t n = f->samples->rows, m = f->samples->columns, rank = f->model->rank;
    orthant_status status;
    state->problem = fit_problem(f);
    state->problem.loss = &loss_frobenius;
    state->problem.solver = &solver_mu;
    state->exact = kernel_table(ORTHANT_DOUBLE);
    state->adaptive = !strcmp(parameter_text(&f->model->parameters, "step"), "adaptive");
    if ((status = setup_constrained(state, &state->on_encoding, "encoding_sparseness", n, true)) ||
        (status = setup_constrained(state, &state->on_basis, "basis_sparseness", m, false)) ||
        (status = matrix_new_factor(f->ctx, f->samples->precision,
                                    state->on_encoding.active ? n : 1, rank, &state->products)))
        return status;
    state->other = memory_new(f->ctx, rank * rank, sizeof *state->other, "trial steps");
    state->flags_length = n > m ? n : m;
    state->flags = memory_new(f->ctx, parallel_threads(f->ctx) * state->flags_length,
                              sizeof *state->flags, "trial steps");
    return state->other && state->flags ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status setup(sparse_state *state)
{
    fit *f = state->f;
    const int64_t rank = f->model->rank;
    orthant_status status;
    if ((status = setup_problem(state)) ||
        (status = fit_new_factor(f, "basis", f->samples->columns, rank, &state->basis)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, rank, &state->encoding)))
        return status;
    history_begin(&f->result->history);
    return sweep_setup(&state->sweep, &state->problem, state->basis, state->encoding);
}

/* Columns of unit length where that is prescribed, then to their sparseness. */
static void constrain_start(sparse_state *s, constrained *c, array factor)
{
    if (!c->active)
        return;
    gather(s, factor, c->now);
    for (int64_t j = 0; j < factor.columns; j++) {
        const array values = array_rows(s->exact, c->now, j, 1);
        double length = sqrt(s->exact->dot(values, values));
        if (c->unit && length > 0)
            s->exact->add(values, 1 / length - 1, values);
        project(s, c, values, 0);
    }
    scatter(s, c->now, factor);
}

orthant_status nmf_sc_run(fit *f)
{
    sparse_state s = {.f = f};
    orthant_status status = setup(&s);
    if (!status)
        status = fit_start_factors(f, s.basis, s.encoding);
    if (!status) {
        constrain_start(&s, &s.on_encoding, s.sweep.factors.S);
        constrain_start(&s, &s.on_basis, s.sweep.factors.W);
        sweep_start(&s.sweep);
        status = fit_loop(f, (loop_steps){&s, step_once, measure});
    }
    if (!status)
        status = fit_tell_dead_columns(f);
    release(&s);
    return status;
}

/* Constrained encodings are made from X W, and the sums from another pass. */
orthant_status nmf_sc_explain(fit *f, explanation *e)
{
    sparse_state s = {.f = f};
    orthant_status status = setup_problem(&s);
    if (!status)
        status = sweep_plan(&s.sweep, &s.problem);
    if (!status) {
        explain_sweep(e, &s.sweep);
        if (s.on_encoding.active)
            e->info->iteration.passes = 2;
    }
    release(&s);
    return status;
}
