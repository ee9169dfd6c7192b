#include "engine/sweep.h"

#include <math.h>
#include <string.h>

#include "engine/fixed.h"
#include "engine/loss.h"
#include "engine/solver.h"
#include "engine/sweep_device.h"
#include "engine/term.h"
#include "engine/unit_basis.h"

#define GRAM_ROWS 8 /* rows of a Gram matrix that one task makes, from the diagonal on */

/* ------------------------------------------------------------------ scratch and tasks */

void *sweep_kernel_scratch(const sweep *s, int thread)
{
    return s->workspace.scratch + thread * plan_scratch(&s->plan);
}

array sweep_array(const sweep *s, block b, int which)
{
    char *base = s->workspace.scratch + b.thread * plan_scratch(&s->plan) + s->plan.kernel_bytes;
    return (array){base + which * s->plan.array_bytes, b.rows, s->problem->rank, s->plan.stride};
}

static int64_t square_cost(const sweep *s, int64_t rows)
{
    return rows * s->plan.stride * s->plan.stride;
}

typedef struct feature_tasks {
    const sweep *s;
    feature_work work;
    void *user;
} feature_tasks;

static void feature_task(void *user, int64_t index, int thread)
{
    const feature_tasks *tasks = user;
    const plan *p = &tasks->s->plan;
    tasks->work(tasks->user, block_at(0, p->strips.m, p->feature_block, index, thread));
}

void sweep_over_features(const sweep *s, feature_work work, void *user)
{
    const int64_t m = s->plan.strips.m;
    feature_tasks tasks = {s, work, user};
    strips_tasks(&s->plan.strips, pieces(m, s->plan.feature_block), feature_task, &tasks,
                 square_cost(s, m));
}

typedef struct sample_tasks {
    const sweep *s;
    sample_work work;
    void *user;
} sample_tasks;

static void sample_task(void *user, strip x, block b)
{
    const sample_tasks *tasks = user;
    tasks->s->workspace.values[strips_slot(&tasks->s->plan.strips, b.first)] =
        tasks->work(tasks->s, tasks->user, x, b);
}

double sweep_over_samples(const sweep *s, sample_work work, void *user)
{
    sample_tasks tasks = {s, work, user};
    strips_run(&s->plan.strips, &(strip_pass){.user = &tasks, .encode = sample_task});
    double total;
    strips_add_values(&s->plan.strips, s->workspace.values, 1, &total);
    return total;
}

/* ------------------------------------------------------------------ the basis */

typedef struct sweep_work {
    sweep *s;
    const sweep_step *t;
    bool keeps_sums; /* A; otherwise the value of the loss alone */
} sweep_work;

/* New rows of W from the sums. */
static void basis_block(void *user, block f)
{
    const sweep_work *work = user;
    const sweep *s = work->s;
    const problem *p = s->problem;
    const bool own = p->term_count || fixed_any(s);
    const array W = sweep_rows(s, s->factors.W, f), A = sweep_rows(s, s->sums.A, f),
                XS = sweep_rows(s, s->sums.XS, f), D = sweep_array(s, f, SCRATCH_DENOMINATOR),
                N = own ? sweep_array(s, f, SCRATCH_NUMERATOR) : A;
    if (own)
        s->ops->copy(N, A);
    if (!work->t->solver->majorises)
        p->loss->basis(s, f, W, D);
    else if (own)
        array_clear(s->ops, D);
    for (int i = 0; i < p->term_count; i++) {
        const term *t = &p->terms[i];
        if (work->t->solver->majorises && t->kind->majorise_basis)
            t->kind->majorise_basis(t, s, f, XS, N, D);
        else if (!work->t->solver->majorises && t->kind->basis)
            t->kind->basis(t, s, f, XS, N, D);
    }
    unit_basis_add(s, work->t->solver->majorises, W, N, D);
    if (fixed_any(s) && work->t->solver->majorises)
        fixed_hold(s, D);
    work->t->solver->rows(s, work->t,
                          &(row_update){.basis = true,
                                        .b = f,
                                        .from = W,
                                        .to = W,
                                        .numerator = N,
                                        .denominator = D,
                                        .gram = s->sums.B});
}

void sweep_basis(sweep *s, const sweep_step *t)
{
    sweep_work work = {s, t, true};
    if (s->device) {
        sweep_device_basis(s, t);
        return;
    }
    unit_basis_sums(s);
    fixed_begin(s, t->solver);
    if (t->solver->basis)
        t->solver->basis(s, t);
    else
        sweep_over_features(s, basis_block, &work);
    fixed_restore(s);
}

void sweep_unit_columns(const sweep *s, array factor, double *lengths)
{
    memset(lengths, 0, (size_t)factor.columns * sizeof *lengths);
    s->ops->column_squares(factor, lengths);
    for (int64_t j = 0; j < factor.columns; j++)
        lengths[j] = lengths[j] > 0 ? 1 / sqrt(lengths[j]) : 1;
    s->ops->scale_columns(factor, lengths);
    for (int64_t j = 0; j < factor.columns; j++)
        lengths[j] = 1 / lengths[j];
}

static int64_t gram_tasks(const sweep *s)
{
    return pieces(s->problem->rank, GRAM_ROWS);
}

/* Adds some rows of F'F, from the diagonal on. */
static void add_gram(const sweep *s, array gram, array factor, int64_t index)
{
    const kernels *ops = s->ops;
    const int64_t first = index * GRAM_ROWS, left = factor.columns - first,
                  rows = smaller(GRAM_ROWS, left);
    ops->product_transposed(array_columns(ops, array_rows(ops, gram, first, rows), first, left),
                            array_columns(ops, factor, first, rows),
                            array_columns(ops, factor, first, left), true);
}

static void basis_gram_task(void *user, int64_t index, int thread)
{
    const sweep *s = user;
    (void)thread;
    add_gram(s, s->factors.G, s->factors.W, index);
}

/* What depends on W alone. */
static void refresh_basis(sweep *s)
{
    const factors *f = &s->factors;
    const size_t columns = (size_t)s->problem->rank * sizeof(double);
    if (f->G.data) {
        array_clear(s->ops, f->G);
        strips_tasks(&s->plan.strips, gram_tasks(s), basis_gram_task, s,
                     square_cost(s, s->plan.strips.m));
        s->ops->mirror(f->G);
    }
    if (f->packed)
        s->ops->pack(f->packed, f->W);
    if (s->plan.keeps_columns) {
        memset(f->basis_sums, 0, columns);
        s->ops->column_sums(f->W, f->basis_sums);
    }
    if (s->plan.keeps_squares) {
        memset(f->basis_squares, 0, columns);
        s->ops->column_squares(f->W, f->basis_squares);
    }
    if (s->problem->solver->basis_changed)
        s->problem->solver->basis_changed(s);
}

static void prepare_terms(sweep *s)
{
    for (int i = 0; i < s->problem->term_count; i++) {
        term *t = &s->problem->terms[i];
        if (t->kind->refresh)
            t->kind->refresh(t, s);
        if (t->kind->prepare)
            t->kind->prepare(t, s);
    }
}

void sweep_basis_changed(sweep *s)
{
    if (s->device) {
        sweep_device_basis_changed(s);
        return;
    }
    refresh_basis(s);
    prepare_terms(s);
}

/* ------------------------------------------------------------------ the encodings */

/* New encodings of a block of samples. */
static void encode_block(void *user, strip x, block b)
{
    const sweep_work *work = user;
    const sweep *s = work->s;
    const problem *p = s->problem;
    const array from = sweep_rows(s, s->factors.last, b), to = sweep_rows(s, s->factors.S, b),
                N = sweep_array(s, b, SCRATCH_NUMERATOR),
                D = sweep_array(s, b, SCRATCH_DENOMINATOR);
    if (!work->t->solver->majorises)
        p->loss->encoding(s, x, b, from, N, D);
    else
        p->loss->linear(s, x, b, N);
    if (work->t->solver->majorises && p->term_count)
        array_clear(s->ops, D);
    for (int i = 0; i < p->term_count; i++) {
        const term *t = &p->terms[i];
        if (work->t->solver->majorises && t->kind->majorise)
            t->kind->majorise(t, s, b, N, D);
        else if (!work->t->solver->majorises && t->kind->encoding)
            t->kind->encoding(t, s, b, N, D);
    }
    work->t->solver->rows(s, work->t,
                          &(row_update){.b = b,
                                        .x = x,
                                        .from = from,
                                        .to = to,
                                        .numerator = N,
                                        .denominator = D,
                                        .gram = s->factors.G});
    if (!work->keeps_sums && p->loss->rows_value)
        s->workspace.values[strips_slot(&s->plan.strips, b.first)] = p->loss->rows_value(s, x, b);
}

/* ------------------------------------------------------------------ the sums */

/* Tasks that touch X: panels of features. */
static int64_t data_tasks(const sweep_work *work)
{
    return work->keeps_sums ? work->s->plan.strips.panels.count : 0;
}

static int64_t accumulate_tasks(void *user)
{
    const sweep_work *work = user;
    return data_tasks(work) + (work->s->sums.B.data ? gram_tasks(work->s) : 0) +
           (work->s->plan.keeps_columns ? 1 : 0);
}

/* Then the Gram matrix S'S, then the sums of S's columns. */
static void accumulate(void *user, strip x, int64_t task, int thread)
{
    const sweep_work *work = user;
    sweep *s = work->s;
    const array S = sweep_strip_rows(s, s->factors.S, x);
    const int64_t first = data_tasks(work);
    if (task < first)
        s->problem->loss->accumulate(s, x, panel_at(&s->plan.strips.panels, task), thread, &s->sums,
                                     &s->workspace.values[task]);
    else if (task < first + (s->sums.B.data ? gram_tasks(s) : 0))
        add_gram(s, s->sums.B, S, task - first);
    else
        s->ops->column_sums(S, s->sums.columns);
}

static void strip_done(void *user, strip x)
{
    (void)x;
    sweep *s = ((const sweep_work *)user)->s;
    double total = 0;
    for (int64_t i = 0; i < s->workspace.value_count; i++)
        total += s->workspace.values[i];
    s->sums.value += total;
    memset(s->workspace.values, 0, (size_t)s->workspace.value_count * sizeof(double));
}

static void chunk_done(void *user, int64_t chunk, bool last)
{
    const sweep_work *work = user;
    sweep *s = work->s;
    sums_tree_add(s->ops, &s->tree, &s->sums, chunk, last, work->keeps_sums);
}

/* ------------------------------------------------------------------ one iteration */

/* One pass over X: new encodings where there is a step, and the sums with them. */
static void run_pass(sweep *s, const sweep_step *t, bool keeps_sums)
{
    sweep_work work = {s, t, keeps_sums};
    sums_clear(s->ops, &s->sums);
    memset(s->workspace.values, 0, (size_t)s->workspace.value_count * sizeof(double));
    strips_run(&s->plan.strips,
               &(strip_pass){.user = &work,
                             .encode = t ? encode_block : NULL,
                             .accumulate = accumulate,
                             .accumulate_tasks = accumulate_tasks,
                             .strip_done = s->problem->loss->quadratic ? NULL : strip_done,
                             .chunk_done = chunk_done});
    sums_tree_group(&s->tree, s->ops, &s->sums);
    if (s->sums.B.data)
        s->ops->mirror(s->sums.B);
}

void sweep_sums(sweep *s)
{
    run_pass(s, NULL, true);
}

void sweep_encoding(sweep *s, const sweep_step *t)
{
    if (s->device) {
        sweep_device_encoding(s, t);
        return;
    }
    if (s->plan.keeps_last) {
        const array newest = s->factors.S;
        s->factors.S = s->factors.last;
        s->factors.last = newest;
    }
    run_pass(s, t, !t->solver->takes_no_sums);
}

void sweep_run(sweep *s, const sweep_step *t)
{
    sweep_basis(s, t);
    sweep_basis_changed(s);
    sweep_encoding(s, t);
}

void sweep_start(sweep *s)
{
    if (s->device) {
        sweep_device_start(s);
        return;
    }
    refresh_basis(s); /* the sums read the packed basis, the terms the sums */
    sweep_sums(s);
    prepare_terms(s);
}

/* ------------------------------------------------------------------ what the sums tell */

double sweep_cross(const sweep *s)
{
    return s->ops->dot(s->factors.W, s->sums.XS);
}

static void term_rows(void *user, strip x, block b)
{
    const sweep *s = user;
    const int64_t terms = s->problem->term_count;
    double *values = s->workspace.values + strips_slot(&s->plan.strips, b.first) * terms;
    (void)x;
    for (int64_t i = 0; i < terms; i++) {
        const term *t = &s->problem->terms[i];
        values[i] = t->kind->rows_value ? t->kind->rows_value(t, s, b) : 0;
    }
}

/* Where the rows' and the whole's part of a value cancel, it is summed in double. */
#define CANCELS(s) ((s)->problem->samples->precision == ORTHANT_SINGLE ? 1e-3 : 1e-9)

void sweep_term_values(const sweep *s, double *values)
{
    const int64_t terms = s->problem->term_count;
    if (terms == 0)
        return;
    double of_rows[STRIPS_MOST_WIDTH];
    for (int64_t i = 0; i < terms; i++)
        if (s->problem->terms[i].kind->refresh)
            s->problem->terms[i].kind->refresh(&s->problem->terms[i], s);
    strips_run(
        &s->plan.strips,
        &(strip_pass){.user = (void *)(uintptr_t)s, .encode = term_rows, .without_data = true});
    strips_add_values(&s->plan.strips, s->workspace.values, terms, of_rows);
    for (int64_t i = 0; i < terms; i++) {
        const term *t = &s->problem->terms[i];
        const double rows = of_rows[i];
        values[i] = rows + (t->kind->whole_value ? t->kind->whole_value(t, s) : 0);
        if (t->kind->exact_value && values[i] < CANCELS(s) * rows)
            values[i] = t->kind->exact_value(t, s, values[i]);
        values[i] = fmax(values[i], 0) * t->weight; /* no term is negative, but by rounding */
    }
}

void sweep_measure(const sweep *s, double *values)
{
    if (s->device) {
        sweep_device_measure(s, values);
        return;
    }
    values[0] = s->problem->loss->value(s);
    sweep_term_values(s, values + 1);
}

/* ------------------------------------------------------------------ back to a start */

void sweep_keep(sweep *s)
{
    if (s->device) {
        sweep_device_keep(s);
        return;
    }
    s->ops->copy(s->kept_basis, s->factors.W);
    s->ops->copy(s->kept_encoding, s->factors.S);
}

void sweep_go_back(sweep *s)
{
    if (s->device) {
        sweep_device_go_back(s);
        return;
    }
    s->ops->copy(s->factors.W, s->kept_basis);
    s->ops->copy(s->factors.S, s->kept_encoding);
    sweep_start(s);
}

/* ------------------------------------------------------------------ the projected gradient */

/* A solver that leaves the rows as they are, and gives both sums of squares of the measure. */
static void probe_rows(const sweep *s, const sweep_step *t, const row_update *u)
{
    const int64_t slot =
        u->basis ? u->b.first / s->plan.feature_block : strips_slot(&s->plan.strips, u->b.first);
    double *values = s->workspace.values + 2 * slot;
    (void)t;
    if (u->basis && fixed_any(s)) {
        fixed_hold(s, u->numerator);
        fixed_hold(s, u->denominator);
    }
    values[0] = s->ops->projected_square(u->from, u->numerator, u->denominator);
    values[1] = s->ops->dot(u->numerator, u->numerator);
}

static const solver probe = {.name = "probe", .rows = probe_rows};

double sweep_projected_gradient(sweep *s)
{
    if (s->device)
        return sweep_device_projected_gradient(s);
    const sweep_step t = {&probe, 0, 1, 0};
    const strips *all = &s->plan.strips;
    double of_samples[2], projected = 0, whole = 0;
    sweep_basis_changed(s);
    if (!s->plan.keeps_sums)
        sweep_sums(s);
    sweep_basis(s, &t);
    for (int64_t i = 0; i < pieces(all->m, s->plan.feature_block); i++) {
        projected += s->workspace.values[2 * i];
        whole += s->workspace.values[2 * i + 1];
    }
    sweep still = *s;
    still.factors.last = s->factors.S;
    strips_run(all, &(strip_pass){.user = &(sweep_work){&still, &t, true}, .encode = encode_block});
    strips_add_values(all, s->workspace.values, 2, of_samples);
    projected += of_samples[0];
    whole += of_samples[1];
    return whole > 0 ? sqrt(projected / whole) : 0;
}
