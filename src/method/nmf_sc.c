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
 * With the other factor fixed a step D changes the objective by 2 <D, g> + <D'D, G>, g half the
 * gradient and G the other's Gram matrix: no trial of a step reads X. The trials are in double. */
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

/* A factor under constraint. */
typedef struct constrained {
    bool active;
    bool unit;       /* columns at unit length, or at the length that they have */
    double unit_sum; /* of a column of unit length */
    double mu;       /* of the last accepted step */
} constrained;

typedef struct sparse_state {
    fit *f;
    problem problem;
    sweep sweep;
    orthant_matrix *basis, *encoding;
    constrained on_basis, on_encoding;
    bool adaptive;
    /* the line search of one factor at a time, of at most so many rows */
    int64_t most;
    orthant_matrix *gradient; /* half of it */
    double *columns;      /* k x rows: a trial's columns, then how far they are from the factor */
    double *slopes;       /* of blocks: <D, g> */
    double *gram, *other; /* k x k: D'D, and the other factor's Gram matrix */
    bool *flags;          /* a column's entries, for each thread */
} sparse_state;

/* ------------------------------------------------------------------ trials */

/* What the tasks of a trial share. */
typedef struct trial {
    sparse_state *s;
    const constrained *c;
    const orthant_matrix *factor;
    double mu;
} trial;

/* Calling the threads together costs more than a short task. */
static void run_tasks(trial *t, int64_t count, parallel_task task)
{
    if (t->factor->rows * t->factor->columns > WORTH_THREADS)
        parallel_for(t->s->f->ctx, count, task, t);
    else
        for (int64_t i = 0; i < count; i++)
            task(t, i, 0);
}

static int64_t row_blocks(const trial *t)
{
    return pieces(t->factor->rows, KERNEL_ROWS);
}

static array column(const trial *t, int64_t j)
{
    const int64_t rows = t->factor->rows;
    return (array){t->s->columns + j * rows, 1, rows, rows};
}

/* The factor less mu times the gradient. */
static void step_task(void *user, int64_t index, int thread)
{
    const trial *t = user;
    const orthant_matrix *from = t->factor;
    const block b = block_at(0, from->rows, KERNEL_ROWS, index, thread);
    for (int64_t j = 0; j < from->columns; j++)
        for (int64_t i = b.first; i < b.first + b.rows; i++) {
            const int64_t at = i * from->stride + j;
            t->s->columns[j * from->rows + i] =
                matrix_value(from, at) - t->mu * matrix_value(t->s->gradient, at);
        }
}

/* Column j to its sparseness. */
static void project_task(void *user, int64_t j, int thread)
{
    const trial *t = user;
    const array values = column(t, j);
    const kernels *exact = kernel_table(ORTHANT_DOUBLE);
    const double length = t->c->unit ? 1 : sqrt(exact->dot(values, values));
    project_to_norms(values.data, values.columns, t->c->unit_sum * length, length * length,
                     t->s->flags + thread * t->s->most);
}

static void change_task(void *user, int64_t index, int thread)
{
    const trial *t = user;
    const orthant_matrix *from = t->factor;
    const block b = block_at(0, from->rows, KERNEL_ROWS, index, thread);
    double slope = 0;
    for (int64_t j = 0; j < from->columns; j++)
        for (int64_t i = b.first; i < b.first + b.rows; i++) {
            const int64_t at = i * from->stride + j;
            double *change = &t->s->columns[j * from->rows + i];
            *change -= matrix_value(from, at);
            slope += *change * matrix_value(t->s->gradient, at);
        }
    t->s->slopes[index] = slope;
}

static void gram_task(void *user, int64_t j, int thread)
{
    const trial *t = user;
    const kernels *exact = kernel_table(ORTHANT_DOUBLE);
    (void)thread;
    for (int64_t l = 0; l <= j; l++)
        t->s->gram[j * t->factor->columns + l] = exact->dot(column(t, j), column(t, l));
}

/* How much the step in `columns` changes the objective. */
static double trial_change(trial *t)
{
    const int64_t rank = t->factor->columns;
    double total = 0;
    run_tasks(t, rank, project_task);
    run_tasks(t, row_blocks(t), change_task);
    run_tasks(t, rank, gram_task);
    for (int64_t i = 0; i < row_blocks(t); i++)
        total += 2 * t->s->slopes[i];
    for (int64_t j = 0; j < rank; j++)
        for (int64_t l = 0; l <= j; l++)
            total += (l < j ? 2 : 1) * t->s->gram[j * rank + l] * t->s->other[j * rank + l];
    return total;
}

/* The factor takes the step. */
static void take_step(const trial *t, orthant_matrix *factor)
{
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++) {
            const int64_t at = i * factor->stride + j;
            matrix_set_value(factor, at,
                             matrix_value(factor, at) + t->s->columns[j * factor->rows + i]);
        }
}

/* One projected gradient step, from the gradient; `gram` is the other factor's Gram matrix. */
static void projected_step(sparse_state *s, constrained *c, orthant_matrix *factor, array gram)
{
    trial t = {s, c, factor, s->adaptive ? 2 * c->mu : 1};
    s->sweep.ops->get_values(gram, s->other);
    for (int i = 0; i <= MOST_HALVINGS; i++, t.mu *= 0.5) {
        run_tasks(&t, row_blocks(&t), step_task);
        if (trial_change(&t) <= 0) {
            take_step(&t, factor);
            c->mu = t.mu;
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

/* Half the gradient: S W'W - X W and W S'S - X'S. */
static double encoding_gradient(const sweep *s, void *user, strip x, block b)
{
    const array N = sweep_array(s, b, SCRATCH_NUMERATOR), g = sweep_rows(s, *(array *)user, b);
    s->problem->loss->encoding(s, x, b, sweep_rows(s, s->factors.S, b), N, g);
    s->ops->add(g, -1, N);
    return 0;
}

static void basis_gradient(void *user, block f)
{
    const sparse_state *state = user;
    const sweep *s = &state->sweep;
    const array g = sweep_rows(s, matrix_array(state->gradient), f);
    s->problem->loss->basis(s, f, sweep_rows(s, s->factors.W, f), g);
    s->ops->add(g, -1, sweep_rows(s, s->sums.A, f));
}

static void step_once(void *user)
{
    sparse_state *state = user;
    sweep *s = &state->sweep;
    const sweep_step t = {.solver = &solver_mu, .exponent = 1};
    array gradient = matrix_array(state->gradient);
    if (state->on_encoding.active) {
        sweep_over_samples(s, encoding_gradient, &gradient);
        projected_step(state, &state->on_encoding, state->encoding, s->factors.G);
        sweep_sums(s);
    } else {
        sweep_encoding(s, &t);
        normalise(state);
    }
    if (state->on_basis.active) {
        sweep_over_features(s, basis_gradient, state);
        projected_step(state, &state->on_basis, state->basis, s->sums.B);
    } else {
        sweep_basis(s, &t);
    }
    sweep_basis_changed(s);
}

static void measure(void *user, double *values)
{
    sparse_state *state = user;
    values[0] = values[1] = state->problem.loss->value(&state->sweep);
}

static void parts(void *user, checkpoint_parts *parts)
{
    sparse_state *s = user;
    sweep_parts(&s->sweep, parts);
    parts_add_field(parts, "encoding mu", &s->on_encoding.mu, sizeof s->on_encoding.mu);
    parts_add_field(parts, "basis mu", &s->on_basis.mu, sizeof s->on_basis.mu);
}

static void restored(void *user)
{
    sparse_state *s = user;
    sweep_basis_changed(&s->sweep);
}

/* ------------------------------------------------------------------ setup */

static void setup_constrained(sparse_state *s, constrained *c, const char *name, int64_t rows,
                              bool unit)
{
    const double sparseness = parameter_number(&s->f->model->parameters, name);
    *c = (constrained){.active = sparseness >= 0,
                       .unit = unit,
                       .unit_sum = sum_at_sparseness(rows, sparseness),
                       .mu = 0.5}; /* adaptive trials double it: they start from 1 too */
    if (c->active && rows > s->most)
        s->most = rows;
}

static void release(sparse_state *s)
{
    void *all[] = {s->columns, s->slopes, s->gram, s->flags};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(s->f->ctx, all[i]);
    orthant_matrix_free(s->gradient);
    sweep_release(&s->sweep);
}

/* What is asked, and the arrays of the line searches. */
static orthant_status setup_problem(sparse_state *s)
{
    const fit *f = s->f;
    orthant_context *ctx = f->ctx;
    const int64_t rank = f->model->rank;
    s->problem = fit_problem(f);
    s->problem.loss = &loss_frobenius;
    s->problem.solver = &solver_mu;
    s->adaptive = !strcmp(parameter_text(&f->model->parameters, "step"), "adaptive");
    setup_constrained(s, &s->on_encoding, "encoding_sparseness", f->samples->rows, true);
    setup_constrained(s, &s->on_basis, "basis_sparseness", f->samples->columns, false);
    s->columns = memory_new(ctx, rank * s->most, sizeof *s->columns, "trial steps");
    s->slopes = memory_new(ctx, pieces(s->most, KERNEL_ROWS), sizeof *s->slopes, "trial steps");
    s->gram = memory_new(ctx, 2 * rank * rank, sizeof *s->gram, "trial steps");
    s->flags = memory_new(ctx, parallel_threads(ctx) * s->most, sizeof *s->flags, "trial steps");
    if (!s->columns || !s->slopes || !s->gram || !s->flags)
        return ORTHANT_ERROR_MEMORY;
    s->other = s->gram + rank * rank;
    return matrix_new_factor(ctx, f->samples->precision, s->most, rank, &s->gradient);
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
static void constrain_start(sparse_state *s, constrained *c, orthant_matrix *factor)
{
    trial t = {s, c, factor, 0};
    const kernels *exact = kernel_table(ORTHANT_DOUBLE);
    if (!c->active)
        return;
    run_tasks(&t, row_blocks(&t), step_task);
    for (int64_t j = 0; j < factor->columns; j++) {
        const double length = sqrt(exact->dot(column(&t, j), column(&t, j)));
        if (c->unit && length > 0)
            exact->add(column(&t, j), 1 / length - 1, column(&t, j));
    }
    trial_change(&t);
    take_step(&t, factor);
}

orthant_status nmf_sc_run(fit *f)
{
    sparse_state s = {.f = f};
    orthant_status status = setup(&s);
    if (!status)
        status = fit_start_factors(f, s.basis, s.encoding);
    if (!status) {
        constrain_start(&s, &s.on_encoding, s.encoding);
        constrain_start(&s, &s.on_basis, s.basis);
        sweep_start(&s.sweep);
        status = fit_loop(f, (loop_steps){.state = &s,
                                          .step = step_once,
                                          .measure = measure,
                                          .parts = parts,
                                          .restored = restored});
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
