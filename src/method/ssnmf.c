/* Semi-supervised NMF (Lee, Yoo and Choi 2010): basis W, encodings S and a `label_basis` B (classes
 * x k), all nonnegative. With y_i the indicator of the class of sample i, over the set L of those
 * whose class is known,
 *
 *   O = |X - S W'|^2 + w sum over i in L of |y_i - B s_i|^2
 *
 *   W   <- W .* (X'S) ./ (W S'S)
 *   B   <- B .* T ./ (B M)                        T = Y'S, M = S'S, over L alone
 *   s_i <- s_i .* (x_i W + w y_i B) ./ (s_i (W'W + w B'B))      w = 0 for i not in L
 *
 * The sweep is that of plain NMF, and its solver adds the labels' share to the rows of L: other
 * rows see no label, and where there is none at all the bits are those of plain NMF. Then T and M
 * are made of the new encodings, in the samples' order and without X; the labels' part of O is
 *
 *   |L| - 2 <B, T> + <B'B, M>
 *
 * and where that cancels, it is summed sample by sample.
 *
 * The encoding that a sample of L ends with is the code of [x; w^(1/2) y] under [W; w^(1/2) B]; of
 * any other that of x under W.
 *
 * B starts with ones: its first update, which does not see its scale, makes of them how the classes
 * use the columns of S. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/labels.h"
#include "engine/loss.h"
#include "engine/solver.h"
#include "loss/losses.h"
#include "method/final_encodings.h"
#include "method/method.h"
#include "solver/solvers.h"

#define PIECE_SAMPLES 1024 /* whose share of M is summed in the precision of the factors */
#define GRAM_ROWS 16       /* of M, that a task makes */

const orthant_parameter_info ssnmf_parameters[] = {
    PARAMETER_NUMBER("label_weight", "1", 0, 1e12,
                     "weight of the squared error of the known classes' indicators"),
    PARAMETER_WORD("loss", "frobenius", "frobenius",
                   "how the data and the product of the factors are compared"),
    PARAMETER_INIT,
    PARAMETER_FINAL_ENCODINGS,
    PARAMETER_END,
};

typedef struct ssnmf_state {
    fit *f;
    problem problem;
    sweep sweep;
    double weight;
    int64_t classes, known;
    int64_t *class_of; /* n: -1 where it is not known */
    int64_t *sample;   /* those that are, in their order */
    orthant_matrix *basis, *encoding;
    orthant_matrix *label_basis;  /* classes x k; these are NULL where no class is known */
    orthant_matrix *label_gram;   /* B'B */
    orthant_matrix *T, *M;        /* as the update of B reads them */
    orthant_matrix *piece, *part; /* encodings of some samples of L, and their share of M */
    double *class_sums, *gram;    /* T and M in double */
    double *line;                 /* k */
    double *exact;                /* classes x k: B in double */
    double *lines;                /* k of each thread */
} ssnmf_state;

static void release(ssnmf_state *c)
{
    orthant_matrix *matrices[] = {c->label_gram, c->T, c->M, c->piece, c->part};
    void *arrays[] = {c->class_of, c->sample, c->class_sums, c->gram, c->line, c->exact, c->lines};
    sweep_release(&c->sweep);
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        orthant_matrix_free(matrices[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        memory_free(c->f->ctx, arrays[i]);
}

/* ------------------------------------------------------------------ sums over the known samples */

/* What the tasks share: samples `first` on of the list, as many as the piece has rows. */
typedef struct piece_work {
    ssnmf_state *c;
    array piece, part;
    int64_t first;
} piece_work;

static void gather_task(void *user, int64_t index, int thread)
{
    const piece_work *work = user;
    const kernels *ops = work->c->sweep.ops;
    const block b = block_at(0, work->piece.rows, KERNEL_ROWS, index, thread);
    for (int64_t i = b.first; i < b.first + b.rows; i++)
        ops->copy(array_rows(ops, work->piece, i, 1),
                  array_rows(ops, work->c->sweep.factors.S, work->c->sample[work->first + i], 1));
}

static void add_to_classes(const piece_work *work)
{
    const ssnmf_state *c = work->c;
    const kernels *ops = c->sweep.ops;
    const int64_t rank = c->problem.rank;
    for (int64_t i = 0; i < work->piece.rows; i++) {
        double *sum = c->class_sums + c->class_of[c->sample[work->first + i]] * rank;
        ops->get_values(array_rows(ops, work->piece, i, 1), c->line);
        for (int64_t j = 0; j < rank; j++)
            sum[j] += c->line[j];
    }
}

/* The sums of classes, or some rows of M. No two tasks write to one place, and each goes through
 * the samples in their order. */
static void sum_task(void *user, int64_t index, int thread)
{
    const piece_work *work = user;
    const kernels *ops = work->c->sweep.ops;
    (void)thread;
    if (index == 0) {
        add_to_classes(work);
        return;
    }
    const block b = block_at(0, work->part.rows, GRAM_ROWS, index - 1, thread);
    ops->product_transposed(array_rows(ops, work->part, b.first, b.rows),
                            array_columns(ops, work->piece, b.first, b.rows), work->piece, false);
}

/* T and M of the encodings as they are. */
static void sum_labelled(ssnmf_state *c)
{
    const sweep *s = &c->sweep;
    const int64_t rank = c->problem.rank, square = rank * rank;
    double *part = c->gram + square;
    if (c->classes == 0)
        return;
    memset(c->class_sums, 0, (size_t)(c->classes * rank) * sizeof *c->class_sums);
    memset(c->gram, 0, (size_t)square * sizeof *c->gram);
    for (int64_t first = 0; first < c->known; first += PIECE_SAMPLES) {
        const int64_t rows = smaller(PIECE_SAMPLES, c->known - first);
        piece_work work = {c, array_rows(s->ops, matrix_array(c->piece), 0, rows),
                           matrix_array(c->part), first};
        strips_tasks(&s->plan.strips, pieces(rows, KERNEL_ROWS), gather_task, &work, rows * rank);
        strips_tasks(&s->plan.strips, 1 + pieces(rank, GRAM_ROWS), sum_task, &work, rows * square);
        s->ops->get_values(work.part, part);
        for (int64_t e = 0; e < square; e++)
            c->gram[e] += part[e];
    }
    s->ops->set_values(matrix_array(c->T), c->class_sums);
    s->ops->set_values(matrix_array(c->M), c->gram);
}

/* ------------------------------------------------------------------ one iteration */

static void label_basis_changed(ssnmf_state *c)
{
    const array B = c->classes ? matrix_array(c->label_basis) : (array){0};
    if (c->classes)
        c->sweep.ops->product_transposed(matrix_array(c->label_gram), B, B, false);
}

/* New rows of B; the denominators need rows of scratch, of which each thread has a block. */
static void label_basis_task(void *user, int64_t index, int thread)
{
    ssnmf_state *c = user;
    const sweep *s = &c->sweep;
    const block b = block_at(0, c->classes, s->plan.strips.block, index, thread);
    const array B = sweep_rows(s, matrix_array(c->label_basis), b),
                D = sweep_array(s, b, SCRATCH_DENOMINATOR);
    s->ops->product(D, B, matrix_array(c->M), false);
    s->ops->update(B, B, sweep_rows(s, matrix_array(c->T), b), D, 1);
}

/* Multiplicative updates with the labels' share in the encodings of samples that have one. */
static void rows(const sweep *s, const sweep_step *t, const row_update *u)
{
    const ssnmf_state *c = s->solver_state;
    const kernels *ops = s->ops;
    const array product = sweep_term_array(s, u->b, 0);
    bool made = false;
    for (int64_t i = 0; i < u->b.rows && !u->basis; i++) {
        const int64_t class = c->class_of[u->b.first + i];
        if (class < 0)
            continue;
        if (!made)
            ops->product(product, u->from, matrix_array(c->label_gram), false);
        made = true;
        ops->add(array_rows(ops, u->numerator, i, 1), c->weight,
                 array_rows(ops, matrix_array(c->label_basis), class, 1));
        ops->add(array_rows(ops, u->denominator, i, 1), c->weight, array_rows(ops, product, i, 1));
    }
    solver_mu.rows(s, t, u);
}

static const solver solver_labels = {
    .name = "mu", .title = "multiplicative updates with labels", .arrays = 1, .rows = rows};

static void step(void *state)
{
    ssnmf_state *c = state;
    sweep *s = &c->sweep;
    const sweep_step t = {.solver = &solver_labels, .exponent = 1};
    sweep_basis(s, &t);
    sweep_basis_changed(s);
    strips_tasks(&s->plan.strips, pieces(c->classes, s->plan.strips.block), label_basis_task, c,
                 c->classes * c->problem.rank * c->problem.rank);
    label_basis_changed(c);
    sweep_encoding(s, &t);
    sum_labelled(c);
}

/* ------------------------------------------------------------------ measuring */

/* Sum of |y - B s|^2 over the samples of a block whose class is known, in double. */
static void exact_block(void *user, strip x, block b)
{
    const ssnmf_state *c = user;
    const sweep *s = &c->sweep;
    const int64_t rank = c->problem.rank;
    double *line = c->lines + b.thread * rank, total = 0;
    (void)x;
    for (int64_t i = b.first; i < b.first + b.rows; i++) {
        if (c->class_of[i] < 0)
            continue;
        s->ops->get_values(array_rows(s->ops, s->factors.S, i, 1), line);
        for (int64_t class = 0; class < c->classes; class ++) {
            double rest = c->class_of[i] == class;
            for (int64_t j = 0; j < rank; j++)
                rest -= c->exact[class * rank + j] * line[j];
            total += rest * rest;
        }
    }
    s->workspace.values[strips_slot(&s->plan.strips, b.first)] = total;
}

/* Where rounding of the sums hides it. */
static bool cancels(const ssnmf_state *c, double value)
{
    const bool single = c->problem.samples->precision == ORTHANT_SINGLE;
    return value < (single ? 1e-3 : 1e-9) * (double)c->known;
}

static double label_error(ssnmf_state *c)
{
    const sweep *s = &c->sweep;
    const int64_t rank = c->problem.rank;
    double value = (double)c->known;
    if (c->classes == 0)
        return 0;
    s->ops->get_values(matrix_array(c->label_basis), c->exact);
    for (int64_t e = 0; e < c->classes * rank; e++)
        value -= 2 * c->exact[e] * c->class_sums[e];
    value += s->ops->dot(matrix_array(c->label_gram), matrix_array(c->M));
    if (!cancels(c, value))
        return value;
    strips_run(&s->plan.strips,
               &(strip_pass){.user = c, .encode = exact_block, .without_data = true});
    strips_add_values(&s->plan.strips, s->workspace.values, 1, &value);
    return value;
}

static void measure(void *state, double *values)
{
    ssnmf_state *c = state;
    values[1] = c->problem.loss->value(&c->sweep);
    values[2] = c->weight * label_error(c);
    values[0] = values[1] + values[2];
}

static void parts(void *state, checkpoint_parts *parts)
{
    ssnmf_state *c = state;
    sweep_parts(&c->sweep, parts);
    if (c->classes)
        parts_add_array(parts, "label_basis", c->sweep.ops, matrix_array(c->label_basis));
}

static void restored(void *state)
{
    ssnmf_state *c = state;
    sweep_basis_changed(&c->sweep);
    label_basis_changed(c);
    sum_labelled(c);
}

/* ------------------------------------------------------------------ the setup */

static orthant_status list_known(ssnmf_state *c)
{
    orthant_context *ctx = c->f->ctx;
    const int64_t n = c->f->samples->rows;
    c->class_of = memory_new(ctx, n, sizeof *c->class_of, "classes of samples");
    if (!c->class_of)
        return ORTHANT_ERROR_MEMORY;
    const orthant_status status =
        labels_to_classes(ctx, c->f->model->labels, c->class_of, &c->classes);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        c->known += c->class_of[i] >= 0;
    if (!(c->sample = memory_new(ctx, c->known, sizeof *c->sample, "samples with a label")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0, at = 0; i < n; i++)
        if (c->class_of[i] >= 0)
            c->sample[at++] = i;
    return ORTHANT_OK;
}

static orthant_status new_arrays(ssnmf_state *c)
{
    static const char what[] = "sums of labelled samples";
    orthant_context *ctx = c->f->ctx;
    const orthant_precision precision = c->f->samples->precision;
    const int64_t rank = c->f->model->rank, rows = smaller(PIECE_SAMPLES, c->known);
    orthant_status status;
    int64_t entries;
    if (c->classes == 0)
        return ORTHANT_OK;
    if ((status = matrix_new_factor(ctx, precision, rank, rank, &c->label_gram)) ||
        (status = matrix_new_factor(ctx, precision, c->classes, rank, &c->T)) ||
        (status = matrix_new_factor(ctx, precision, rank, rank, &c->M)) ||
        (status = matrix_new_factor(ctx, precision, rows, rank, &c->piece)) ||
        (status = matrix_new_factor(ctx, precision, rank, rank, &c->part)))
        return status;
    if (!size_multiply(c->classes, rank, &entries))
        return fail(ctx, ORTHANT_ERROR_MEMORY, "%lld classes of %lld numbers are too many",
                    (long long)c->classes, (long long)rank);
    c->class_sums = memory_new(ctx, entries, sizeof *c->class_sums, what);
    c->exact = memory_new(ctx, entries, sizeof *c->exact, what);
    c->gram = memory_new(ctx, 2 * rank * rank, sizeof *c->gram, what);
    c->line = memory_new(ctx, rank, sizeof *c->line, what);
    c->lines = memory_new(ctx, parallel_threads(ctx) * rank, sizeof *c->lines, what);
    return c->class_sums && c->exact && c->gram && c->line && c->lines ? ORTHANT_OK
                                                                       : ORTHANT_ERROR_MEMORY;
}

static orthant_status setup_problem(ssnmf_state *c)
{
    const fit *f = c->f;
    c->problem = fit_problem(f);
    c->problem.loss = &loss_frobenius;
    c->problem.solver = &solver_labels;
    c->weight = parameter_number(&f->model->parameters, "label_weight");
    orthant_status status = final_encodings_check(f, NULL);
    if (!status)
        status = list_known(c);
    return status ? status : new_arrays(c);
}

static orthant_status setup_sweep(void *state)
{
    ssnmf_state *c = state;
    const orthant_status status = sweep_setup(&c->sweep, &c->problem, c->basis, c->encoding);
    c->sweep.solver_state = c;
    return status;
}

static orthant_status setup(ssnmf_state *c)
{
    fit *f = c->f;
    const int64_t rank = f->model->rank;
    orthant_status status;
    if ((status = setup_problem(c)) ||
        (status = fit_new_factor(f, "basis", f->samples->columns, rank, &c->basis)) ||
        (c->classes &&
         (status = fit_new_factor(f, "label_basis", c->classes, rank, &c->label_basis))) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, rank, &c->encoding)))
        return status;
    history_begin(&f->result->history);
    history_add_column(&f->result->history, "labels");
    return setup_sweep(c);
}

static orthant_status start(ssnmf_state *c)
{
    bool given;
    const orthant_status status = fit_start_factors(c->f, c->basis, c->encoding);
    if (status || c->classes == 0)
        return status;
    for (int64_t i = 0; i < c->classes; i++)
        for (int64_t j = 0; j < c->problem.rank; j++)
            matrix_set_value(c->label_basis, i * c->label_basis->stride + j, 1);
    return fit_start_given(c->f, "label_basis", c->label_basis, &given);
}

/* Sums that are not made of the last ones. */
static void begin(ssnmf_state *c)
{
    sweep_start(&c->sweep);
    label_basis_changed(c);
    sum_labelled(c);
}

/* ------------------------------------------------------------------ the final encodings */

/* Whether labels have a part in any encoding. */
static bool labels_count(const ssnmf_state *c)
{
    return c->classes > 0 && c->weight > 0;
}

static orthant_status encode(void *state, orthant_matrix **codes)
{
    const ssnmf_state *c = state;
    code_labels labels = {.class_of = c->class_of, .classes = c->classes};
    code_problem p = final_encodings_problem(c->f, c->basis, c->problem.loss);
    p.labels = labels_count(c) ? &labels : NULL;
    const orthant_status status = transform_samples(&p, codes);
    if (status || !p.labels)
        return status;
    labels.basis = c->label_basis;
    labels.entry = sqrt(c->weight);
    p.into = *codes;
    return transform_samples(&p, codes);
}

static void measure_again(void *state, double *values)
{
    begin(state);
    measure(state, values);
}

/* What the labels' part was made of, where it was not summed sample by sample. */
static double label_sums(const ssnmf_state *c)
{
    const int64_t last = orthant_result_history_rows(c->f->result) - 1;
    const double part = orthant_result_history(c->f->result, last, 4);
    return cancels(c, part / c->weight) ? 0 : c->weight * (double)c->known;
}

static orthant_status take_final(ssnmf_state *c)
{
    const bool labels = labels_count(c);
    const double summed = final_encodings_summed(&c->sweep), of_labels = labels ? label_sums(c) : 0;
    return final_encodings_take(&(final_encodings){.f = c->f,
                                                   .sweep = &c->sweep,
                                                   .encoding = c->encoding,
                                                   .knows_labels = labels,
                                                   .summed = summed + of_labels,
                                                   .state = c,
                                                   .encode = encode,
                                                   .setup = setup_sweep,
                                                   .measure = measure_again});
}

/* ------------------------------------------------------------------ the fit */

static orthant_status tell(ssnmf_state *c)
{
    const orthant_status status = fit_tell_dead_columns(c->f);
    return status || c->classes ? status
                                : fit_note(c->f, "no sample has a label: this is plain NMF, and "
                                                 "there is no label_basis");
}

orthant_status ssnmf_run(fit *f)
{
    ssnmf_state c = {.f = f};
    orthant_status status = setup(&c);
    if (!status)
        status = start(&c);
    if (!status) {
        begin(&c);
        status = fit_loop(f, (loop_steps){.state = &c,
                                          .step = step,
                                          .measure = measure,
                                          .parts = parts,
                                          .restored = restored});
    }
    if (!status)
        status = take_final(&c);
    if (!status)
        status = tell(&c);
    release(&c);
    return status;
}

/* Beside basis and encoding the result holds B; labelled samples have two more products. */
orthant_status ssnmf_explain(fit *f, explanation *e)
{
    ssnmf_state c = {.f = f};
    orthant_status status = setup_problem(&c);
    if (!status)
        status = sweep_plan(&c.sweep, &c.problem);
    if (!status) {
        explain_sweep(e, &c.sweep);
        e->info->memory.factors += plan_rows_bytes(&c.sweep.plan, c.classes);
        /* S B'B and M */
        e->info->iteration.small_operations +=
            4 * (double)c.known * (double)f->model->rank * (double)f->model->rank;
    }
    release(&c);
    return status;
}
