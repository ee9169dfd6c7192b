/* Constrained NMF with hard labels: X ~ U (A Z)', where samples of one known class share a row of Z
 * and every other sample has its own (the classes' rows first, then the unlabelled samples').
 *
 *   Frobenius   U <- U .* (X A Z) ./ (U Z'A'A Z)
 *               Z <- Z .* (A'X'U) ./ (A'A Z U'U)
 *
 *   KL          U <- U .* (R A Z) ./ (1 sum(A Z))           R = X ./ (U (A Z)')
 *               Z <- Z .* (A'R'U) ./ (sum(A)' sum(U))
 *
 * Both rules, and both losses but for a constant, see the n_c samples of a class through their sum
 * y_c alone. With its row of Z written as v = n_c^(1/2) z against the sample n_c^(-1/2) y_c (KL:
 * n_c z against y_c) they are word for word those of plain NMF. So A is never formed: the labelled
 * samples of a class are merged into one, and the engine's sweep runs on what is left, which is
 * never more than the samples. The constant is what the merging hides: the spread within classes.
 *
 *   Frobenius   sum |x_i|^2 - sum_c |y_c|^2 / n_c
 *   KL          sum x log x - sum_c y_c log(y_c / n_c) */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/gathered.h"
#include "data/labels.h"
#include "engine/sweep.h"
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
    problem problem; /* of the merged samples */
    sweep sweep;
    int64_t rows, classes;
    int64_t *sample, *start; /* samples that share row r of Z: sample[start[r]], ... */
    orthant_matrix *merged;  /* classes x m: the samples of a class as one */
    gathered data;           /* these, and the samples without a label */
    orthant_matrix *basis, *auxiliary, *encoding;
    orthant_matrix
        *weighed;  /* the classes' rows of Z as the sweep has them, while they are shown */
    double spread; /* the part of the loss that no factor can change */
} cnmf_state;

static void release(cnmf_state *c)
{
    sweep_release(&c->sweep);
    gathered_release(&c->data);
    orthant_matrix_free(c->merged);
    orthant_matrix_free(c->weighed);
    memory_free(c->f->ctx, c->sample);
    memory_free(c->f->ctx, c->start);
}

static double count_of(const cnmf_state *c, int64_t row)
{
    return (double)(c->start[row + 1] - c->start[row]);
}

/* What a row of Z is multiplied with to make the row that the sweep works on. */
static double weight_of(const cnmf_state *c, int64_t row)
{
    return c->problem.loss->quadratic ? sqrt(count_of(c, row)) : count_of(c, row);
}

/* ------------------------------------------------------------------ merging the labelled samples
 */

/* The samples in the order of their rows of Z, from `row_of`: the classes' numbers, or -1. */
static void order_samples(cnmf_state *c, int64_t *row_of)
{
    const int64_t n = c->f->samples->rows;
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
    int64_t *row_of = memory_new(ctx, n, sizeof *row_of, "rows of samples");
    orthant_status status = ORTHANT_ERROR_MEMORY;
    c->sample = memory_new(ctx, n, sizeof *c->sample, "samples of rows");
    c->start = memory_new(ctx, n + 1, sizeof *c->start, "samples of rows");
    if (row_of && c->sample && c->start)
        status = labels_to_classes(ctx, c->f->model->labels, row_of, &c->classes);
    if (!status && c->classes == 0)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT, "no sample has a label: every one is -1");
    if (!status)
        order_samples(c, row_of);
    memory_free(ctx, row_of);
    if (status || c->start[c->classes] > c->classes)
        return status;
    return fit_note(c->f, "each class has one labelled sample, so that the labels bind nothing: "
                          "this is plain NMF. Label at least two of a class");
}

/* x log y, or x y. */
static double part_of_spread(const cnmf_state *c, double x, double y)
{
    return c->problem.loss->quadratic ? x * y : x > 0 ? x * log(y) : 0;
}

/* The sum of a class's samples into sum[m]; returns how far they are spread about it. */
static double sum_class(const cnmf_state *c, int64_t row, double *sum)
{
    const orthant_matrix *X = c->f->samples;
    double spread = 0;
    memset(sum, 0, (size_t)X->columns * sizeof *sum);
    for (int64_t s = c->start[row]; s < c->start[row + 1]; s++) {
        const int64_t i = c->sample[s], first = X->sparse ? X->row_start[i] : i * X->stride,
                      end = X->sparse ? X->row_start[i + 1] : first + X->columns;
        for (int64_t e = first; e < end; e++) {
            const double x = matrix_value(X, e);
            sum[X->sparse ? X->column[e] : e - first] += x;
            spread += part_of_spread(c, x, x);
        }
    }
    for (int64_t j = 0; j < X->columns; j++)
        spread -= part_of_spread(c, sum[j], sum[j] / count_of(c, row));
    return spread;
}

static orthant_status new_merged(cnmf_state *c, double *sum)
{
    const orthant_matrix *X = c->f->samples;
    int64_t stored = 0;
    if (!X->sparse)
        return matrix_new_dense(c->f->ctx, X->precision, c->classes, X->columns, &c->merged);
    for (int64_t r = 0; r < c->classes; r++) {
        sum_class(c, r, sum);
        for (int64_t j = 0; j < X->columns; j++)
            stored += sum[j] != 0;
    }
    return matrix_new_sparse(c->f->ctx, X->precision, c->classes, X->columns, stored, &c->merged);
}

/* A class's sum as the sweep wants it (see the opening), and the spread. */
static orthant_status merge(cnmf_state *c)
{
    const int64_t m = c->f->samples->columns;
    double *sum = memory_new(c->f->ctx, m, sizeof *sum, "the sum of a class");
    const orthant_status status = sum ? new_merged(c, sum) : ORTHANT_ERROR_MEMORY;
    for (int64_t r = 0, at = 0; r < c->classes && !status; r++) {
        const double scale = c->problem.loss->quadratic ? weight_of(c, r) : 1;
        c->spread += sum_class(c, r, sum);
        for (int64_t j = 0; j < m; j++) {
            if (c->merged->sparse && sum[j] == 0)
                continue;
            if (c->merged->sparse)
                c->merged->column[at] = (int32_t)j;
            matrix_set_value(c->merged, at++, sum[j] / scale);
        }
        if (c->merged->sparse)
            c->merged->row_start[r + 1] = at;
    }
    c->spread = fmax(c->spread, 0);
    memory_free(c->f->ctx, sum);
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

/* The classes' rows of Z times their weights. */
static void weigh(cnmf_state *c)
{
    for (int64_t r = 0; r < c->classes; r++)
        for (int64_t j = 0; j < c->auxiliary->columns; j++) {
            const int64_t at = r * c->auxiliary->stride + j;
            matrix_set_value(c->auxiliary, at, matrix_value(c->auxiliary, at) * weight_of(c, r));
        }
}

/* ------------------------------------------------------------------ the fit */

static orthant_status setup_problem(cnmf_state *c)
{
    const fit *f = c->f;
    orthant_status status;
    c->problem = fit_problem(f);
    c->problem.loss = loss_find(parameter_text(&f->model->parameters, "loss"));
    c->problem.solver = &solver_mu;
    c->problem.source = &c->data.source;
    if ((status = number_rows(c)) || (status = merge(c)) ||
        (status = gathered_setup(&c->data, f->ctx, c->merged, f->samples,
                                 c->sample + c->start[c->classes], c->rows - c->classes)))
        return status;
    c->data.source.squares = matrix_squares(f->samples) - c->spread;
    return ORTHANT_OK;
}

static orthant_status setup(cnmf_state *c)
{
    fit *f = c->f;
    orthant_status status;
    if ((status = setup_problem(c)) ||
        (status = fit_new_factor(f, "basis", f->samples->columns, f->model->rank, &c->basis)) ||
        (status = fit_new_factor(f, "auxiliary", c->rows, f->model->rank, &c->auxiliary)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, f->model->rank, &c->encoding)) ||
        (status = matrix_new_factor(f->ctx, f->samples->precision, c->classes, f->model->rank,
                                    &c->weighed)) ||
        (status = start(c)))
        return status;
    weigh(c);
    history_begin(&f->result->history);
    return sweep_setup(&c->sweep, &c->problem, c->basis, c->auxiliary);
}

static void step(void *state)
{
    cnmf_state *c = state;
    sweep_run(&c->sweep, &(sweep_step){.solver = &solver_mu, .exponent = 1});
}

static void measure(void *state, double *values)
{
    cnmf_state *c = state;
    values[0] = values[1] = c->problem.loss->value(&c->sweep) + c->spread;
}

/* Z itself, and the encoding A Z. */
static void show(void *state)
{
    cnmf_state *c = state;
    const kernels *ops = c->sweep.ops;
    ops->copy(matrix_array(c->weighed), array_rows(ops, c->sweep.factors.S, 0, c->classes));
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->auxiliary->columns; j++) {
            const int64_t at = r * c->auxiliary->stride + j;
            const double value = matrix_value(c->auxiliary, at) / weight_of(c, r);
            matrix_set_value(c->auxiliary, at, value);
            for (int64_t s = c->start[r]; s < c->start[r + 1]; s++)
                matrix_set_value(c->encoding, c->sample[s] * c->encoding->stride + j, value);
        }
}

static void hide(void *state)
{
    cnmf_state *c = state;
    const kernels *ops = c->sweep.ops;
    ops->copy(array_rows(ops, c->sweep.factors.S, 0, c->classes), matrix_array(c->weighed));
}

orthant_status cnmf_run(fit *f)
{
    cnmf_state c = {.f = f};
    orthant_status status = setup(&c);
    if (!status) {
        sweep_start(&c.sweep);
        status = fit_loop_shown(f, (loop_steps){&c, step, measure}, show, hide);
    }
    if (!status) {
        show(&c);
        status = fit_tell_dead_columns(f);
    }
    release(&c);
    return status;
}

/* Beside basis and auxiliary factor the result holds the encoding. */
orthant_status cnmf_explain(fit *f, explanation *e)
{
    cnmf_state c = {.f = f};
    orthant_status status = setup_problem(&c);
    if (!status)
        status = sweep_plan(&c.sweep, &c.problem);
    if (!status) {
        explain_sweep(e, &c.sweep);
        e->info->memory.factors += plan_rows_bytes(&c.sweep.plan, f->samples->rows);
    }
    release(&c);
    return status;
}
