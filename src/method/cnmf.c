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
 * row of their class.
 *
 * On a device all of it is plain NMF of the merged samples and those without a label: the sums over
 * the samples are the same, and the objective differs by a constant. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/labels.h"
#include "data/pass.h"
#include "engine/loss.h"
#include "engine/sweep.h"
#include "engine/sweep_device.h"
#include "loss/losses.h"
#include "method/method.h"
#include "solver/solvers.h"

const orthant_parameter_info cnmf_parameters[] = {
    PARAMETER_WORD("loss", "frobenius", "frobenius|kl",
                   "how the data and the product of the factors are compared"),
    PARAMETER_INIT,
    PARAMETER_END,
};

typedef struct cnmf_state {
    fit *f;
    problem problem;
    sweep sweep;
    int64_t rows, classes;
    int64_t *row_of;         /* n: the sample's row of Z; of a class, below `classes` */
    int64_t *sample, *start; /* samples that share row r of Z: sample[start[r]], ... */
    int64_t merged_rows;     /* classes; on a device all rows of Z */
    orthant_matrix *merged;  /* merged_rows x m: the samples of a class as one */
    orthant_matrix *shared;  /* merged_rows x k: their rows v */
    double rest;             /* of the objective, where the sweep is over merged samples */
    orthant_matrix *basis, *auxiliary, *encoding;
} cnmf_state;

static void release(cnmf_state *c)
{
    sweep_release(&c->sweep);
    orthant_matrix_free(c->merged);
    orthant_matrix_free(c->shared);
    memory_free(c->f->ctx, c->row_of);
    memory_free(c->f->ctx, c->sample);
    memory_free(c->f->ctx, c->start);
}

static double count_of(const cnmf_state *c, int64_t row)
{
    return (double)(c->start[row + 1] - c->start[row]);
}

/* What a row z is multiplied with to make v. */
static double weight_of(const cnmf_state *c, int64_t row)
{
    return c->problem.loss->quadratic ? sqrt(count_of(c, row)) : count_of(c, row);
}

/* ------------------------------------------------------------------ merging the labelled samples
 */

/* The samples in the order of their rows of Z; row_of holds the classes' numbers, or -1. */
static void order_samples(cnmf_state *c)
{
    const int64_t n = c->f->samples->rows;
    int64_t *row_of = c->row_of;
    c->rows = c->classes;
    for (int64_t i = 0; i < n; i++) {
        if (row_of[i] < 0)
            row_of[i] = c->rows++;
        c->start[row_of[i] + 1]++;
    }
    for (int64_t r = 0; r < c->rows; r++)
        c->start[r + 1] += c->start[r];
    for (int64_t i = n - 1; i >= 0; i--) /* start[r + 1] goes down to where row r begins */
        c->sample[--c->start[row_of[i] + 1]] = i;
    memmove(c->start, c->start + 1, (size_t)c->rows * sizeof *c->start);
    c->start[c->rows] = n;
}

static orthant_status number_rows(cnmf_state *c)
{
    orthant_context *ctx = c->f->ctx;
    const int64_t n = c->f->samples->rows;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    c->row_of = memory_new(ctx, n, sizeof *c->row_of, "rows of samples");
    c->sample = memory_new(ctx, n, sizeof *c->sample, "samples of rows");
    c->start = memory_new(ctx, n + 1, sizeof *c->start, "samples of rows");
    if (c->row_of && c->sample && c->start)
        status = labels_to_classes(ctx, c->f->model->labels, c->row_of, &c->classes);
    if (!status && c->classes == 0)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT, "no sample has a label: every one is -1");
    if (!status)
        order_samples(c);
    if (status || c->start[c->classes] > c->classes)
        return status;
    return fit_note(c->f, "each class has one labelled sample, so that the labels bind nothing: "
                          "this is plain NMF. Label at least two of a class");
}

/* What x, or of a class's samples their merged one, adds to the part of the objective that the
 * factors have no part in. */
static double rest_of(const cnmf_state *c, double x, double count)
{
    if (!c->problem.on_device || c->problem.loss->quadratic)
        return x * x;
    return x > 0 ? x * log(x / count) : 0;
}

typedef struct class_sums {
    cnmf_state *c;
    double *sums; /* classes x m */
} class_sums;

/* Adds the labelled samples of a strip to the sums of their classes. */
static void add_strip(void *user, strip x)
{
    const class_sums *work = user;
    const orthant_matrix *X = x.data;
    for (int64_t i = 0; i < x.rows; i++) {
        const int64_t class = work->c->row_of[x.first + i], row = x.row + i,
                      first = X->sparse ? X->row_start[row] : row * X->stride,
                      end = X->sparse ? X->row_start[row + 1] : first + X->columns;
        double *sum = work->sums + class * X->columns;
        for (int64_t e = first; e < end && class < work->c->classes; e++) {
            const double entry = matrix_value(X, e);
            sum[X->sparse ? X->column[e] : e - first] += entry;
            work->c->rest += rest_of(work->c, entry, 1);
        }
    }
}

static orthant_status new_merged(cnmf_state *c, const double *entries)
{
    const orthant_matrix *X = c->f->samples;
    int64_t stored = 0;
    if (!X->sparse)
        return matrix_new_dense(c->f->ctx, X->precision, c->merged_rows, X->columns, &c->merged);
    for (int64_t e = 0; e < c->classes * X->columns; e++)
        stored += entries[e] != 0;
    for (int64_t r = c->classes; r < c->merged_rows; r++)
        stored += X->row_start[c->sample[c->start[r]] + 1] - X->row_start[c->sample[c->start[r]]];
    return matrix_new_sparse(c->f->ctx, X->precision, c->merged_rows, X->columns, stored,
                             &c->merged);
}

/* A class's sum as the rule wants it: see the opening. */
static void merge_class(cnmf_state *c, int64_t class, const double *sum, int64_t *at)
{
    const double scale = c->problem.loss->quadratic ? weight_of(c, class) : 1,
                 count = count_of(c, class);
    *at = c->merged->sparse ? *at : class * c->merged->stride;
    for (int64_t j = 0; j < c->merged->columns; j++) {
        if (c->merged->sparse && sum[j] == 0)
            continue;
        if (c->merged->sparse)
            c->merged->column[*at] = (int32_t)j;
        matrix_set_value(c->merged, *at, sum[j] / scale);
        c->rest -= rest_of(c, matrix_value(c->merged, (*at)++), count);
    }
    if (c->merged->sparse)
        c->merged->row_start[class + 1] = *at;
}

/* A sample without a label, as it is. */
static void take_sample(const cnmf_state *c, int64_t row, int64_t *at)
{
    const orthant_matrix *X = c->f->samples;
    orthant_matrix *to = c->merged;
    const int64_t i = c->sample[c->start[row]], first = X->sparse ? X->row_start[i] : i * X->stride,
                  count = X->sparse ? X->row_start[i + 1] - first : X->columns;
    const size_t size = precision_size(X->precision);
    *at = to->sparse ? *at : row * to->stride;
    memcpy((char *)to->values + (size_t)*at * size, (const char *)X->values + (size_t)first * size,
           (size_t)count * size);
    if (!to->sparse)
        return;
    memcpy(to->column + *at, X->column + first, (size_t)count * sizeof *to->column);
    to->row_start[row + 1] = *at += count;
}

static orthant_status merge(cnmf_state *c)
{
    const int64_t m = c->f->samples->columns;
    class_sums work = {
        c, memory_new(c->f->ctx, c->classes * m, sizeof *work.sums, "the sums of classes")};
    orthant_status status = work.sums ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    int64_t at = 0;
    if (!status)
        status = rows_pass_run(c->f->ctx, c->f->samples, &(rows_pass){&work, NULL, add_strip});
    if (!status)
        status = new_merged(c, work.sums);
    for (int64_t class = 0; class < c->classes && !status; class ++)
        merge_class(c, class, work.sums + class * m, &at);
    for (int64_t row = c->classes; row < c->merged_rows && !status; row++)
        take_sample(c, row, &at);
    memory_free(c->f->ctx, work.sums);
    return status;
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
                matrix_set_value(c->shared, r * c->shared->stride + j, value * weight_of(c, r));
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
        s->ops->add(to, 1 / weight_of(c, row), array_rows(s->ops, matrix_array(c->shared), row, 1));
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
                             matrix_value(c->shared, r * c->shared->stride + j) / weight_of(c, r));
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

/* ------------------------------------------------------------------ the fit */

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
    if ((status = number_rows(c)))
        return status;
    c->merged_rows = c->problem.on_device ? c->rows : c->classes;
    if ((status = merge(c)))
        return status;
    if (c->problem.on_device)
        c->problem.samples = c->merged;
    return matrix_new_factor(f->ctx, f->samples->precision, c->merged_rows, f->model->rank,
                             &c->shared);
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
    status = sweep_setup(&c->sweep, &c->problem, c->basis,
                         c->problem.on_device ? c->shared : c->encoding);
    c->sweep.solver_state = c;
    return status;
}

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
