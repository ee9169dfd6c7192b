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
    int64_t *row_of; /* n: a sample's row of Z */
    int64_t *count;  /* rows of Z: how many samples share it */
    int64_t rows, classes;
    double *sums; /* classes x m: the sum of a class's samples */
    orthant_matrix *merged;
    orthant_matrix *basis, *auxiliary, *encoding;
    double spread; /* the part of the loss that no factor can change */
} cnmf_state;

static void release(cnmf_state *c)
{
    sweep_release(&c->sweep);
    orthant_matrix_free(c->merged);
    memory_free(c->f->ctx, c->row_of);
    memory_free(c->f->ctx, c->count);
    memory_free(c->f->ctx, c->sums);
}

/* What a row of Z is multiplied with to make the row that the sweep works on. */
static double weight_of(const cnmf_state *c, int64_t row)
{
    return !c->problem.loss->quadratic ? (double)c->count[row] : sqrt((double)c->count[row]);
}

/* ------------------------------------------------------------------ merging the labelled samples
 */

static orthant_status number_rows(cnmf_state *c)
{
    const int64_t n = c->f->samples->rows;
    int64_t labelled = 0;
    c->row_of = memory_new(c->f->ctx, n, sizeof *c->row_of, "rows of samples");
    c->count = memory_new(c->f->ctx, n, sizeof *c->count, "samples of rows");
    if (!c->row_of || !c->count)
        return ORTHANT_ERROR_MEMORY;
    const orthant_status status =
        labels_to_classes(c->f->ctx, c->f->model->labels, c->row_of, &c->classes);
    if (status)
        return status;
    if (c->classes == 0)
        return fail(c->f->ctx, ORTHANT_ERROR_ARGUMENT, "no sample has a label: every one is -1");
    c->rows = c->classes;
    for (int64_t i = 0; i < n; i++) {
        labelled += c->row_of[i] >= 0;
        if (c->row_of[i] < 0)
            c->row_of[i] = c->rows++;
        c->count[c->row_of[i]]++;
    }
    return labelled > c->classes
               ? ORTHANT_OK
               : fit_note(c->f, "each class has one labelled sample, so that the labels bind "
                                "nothing: this is plain NMF. Label at least two of a class");
}

static double times_log(double x, double y)
{
    return x > 0 ? x * log(y) : 0;
}

/* Sums of the classes, and the spread within them. */
static orthant_status sum_classes(cnmf_state *c)
{
    const orthant_matrix *X = c->f->samples;
    const int64_t m = X->columns;
    const bool kl = !c->problem.loss->quadratic;
    c->sums = memory_new(c->f->ctx, c->classes * m, sizeof *c->sums, "sums of classes");
    if (!c->sums)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < X->rows; i++) {
        if (c->row_of[i] >= c->classes)
            continue;
        double *sum = c->sums + c->row_of[i] * m;
        const int64_t first = X->sparse ? X->row_start[i] : i * X->stride,
                      end = X->sparse ? X->row_start[i + 1] : first + m;
        for (int64_t e = first; e < end; e++) {
            const double x = matrix_value(X, e);
            sum[X->sparse ? X->column[e] : e - first] += x;
            c->spread += kl ? times_log(x, x) : x * x;
        }
    }
    for (int64_t r = 0; r < c->classes; r++)
        for (int64_t j = 0; j < m; j++) {
            const double y = c->sums[r * m + j], mean = y / (double)c->count[r];
            c->spread -= kl ? times_log(y, mean) : y * mean;
        }
    c->spread = fmax(c->spread, 0);
    return ORTHANT_OK;
}

/* A class's sum as the sweep wants it: see the opening. */
static double merged_value(const cnmf_state *c, int64_t row, int64_t column)
{
    const double sum = c->sums[row * c->f->samples->columns + column];
    return !c->problem.loss->quadratic ? sum : sum / weight_of(c, row);
}

static orthant_status merge_dense(cnmf_state *c)
{
    const orthant_matrix *X = c->f->samples;
    const size_t size = precision_size(X->precision);
    const orthant_status status =
        matrix_new_dense(c->f->ctx, X->precision, c->rows, X->columns, &c->merged);
    if (status)
        return status;
    for (int64_t r = 0; r < c->classes; r++)
        for (int64_t j = 0; j < X->columns; j++)
            matrix_set_value(c->merged, r * c->merged->stride + j, merged_value(c, r, j));
    for (int64_t i = 0; i < X->rows; i++)
        if (c->row_of[i] >= c->classes)
            memcpy((char *)c->merged->values + (size_t)(c->row_of[i] * c->merged->stride) * size,
                   (const char *)X->values + (size_t)(i * X->stride) * size,
                   (size_t)X->columns * size);
    return ORTHANT_OK;
}

static int64_t count_stored(const cnmf_state *c)
{
    const orthant_matrix *X = c->f->samples;
    int64_t stored = 0;
    for (int64_t e = 0; e < c->classes * X->columns; e++)
        stored += c->sums[e] != 0;
    for (int64_t i = 0; i < X->rows; i++)
        if (c->row_of[i] >= c->classes)
            stored += X->row_start[i + 1] - X->row_start[i];
    return stored;
}

static orthant_status merge_sparse(cnmf_state *c)
{
    const orthant_matrix *X = c->f->samples;
    const size_t size = precision_size(X->precision);
    const orthant_status status = matrix_new_sparse(c->f->ctx, X->precision, c->rows, X->columns,
                                                    count_stored(c), &c->merged);
    if (status)
        return status;
    orthant_matrix *to = c->merged;
    int64_t at = 0, row = 0;
    to->row_start[0] = 0;
    for (; row < c->classes; to->row_start[++row] = at)
        for (int64_t j = 0; j < X->columns; j++)
            if (c->sums[row * X->columns + j] != 0) {
                to->column[at] = (int32_t)j;
                matrix_set_value(to, at++, merged_value(c, row, j));
            }
    for (int64_t i = 0; i < X->rows; i++) {
        const int64_t first = X->row_start[i], stored = X->row_start[i + 1] - first;
        if (c->row_of[i] < c->classes)
            continue;
        memcpy(to->column + at, X->column + first, (size_t)stored * sizeof *to->column);
        memcpy((char *)to->values + (size_t)at * size,
               (const char *)X->values + (size_t)first * size, (size_t)stored * size);
        at += stored;
        to->row_start[++row] = at;
    }
    return ORTHANT_OK;
}

static orthant_status merge(cnmf_state *c)
{
    orthant_status status;
    if ((status = number_rows(c)) || (status = sum_classes(c)))
        return status;
    return c->f->samples->sparse ? merge_sparse(c) : merge_dense(c);
}

/* ------------------------------------------------------------------ the start */

/* A class takes the mean of its samples' starting encodings. A mean of random ones would be flat:
 * there it takes its first sample's. */
static void gather_start(cnmf_state *c, bool mean)
{
    const int64_t rank = c->encoding->columns;
    for (int64_t i = c->encoding->rows - 1; i >= 0; i--) /* the first sample writes last */
        for (int64_t j = 0; j < rank; j++) {
            const int64_t at = c->row_of[i] * c->auxiliary->stride + j;
            const double value = matrix_value(c->encoding, i * c->encoding->stride + j);
            matrix_set_value(c->auxiliary, at,
                             mean ? matrix_value(c->auxiliary, at) +
                                        value / (double)c->count[c->row_of[i]]
                                  : value);
        }
}

static orthant_status start(cnmf_state *c)
{
    fit *f = c->f;
    const char *init = parameter_text(&f->model->parameters, "init");
    const orthant_matrix *given = NULL, *given_encoding = NULL;
    orthant_status status;
    if ((status = fit_start(f, "auxiliary", c->rows, f->model->rank, &given)) ||
        (status = fit_start(f, "encoding", f->samples->rows, f->model->rank, &given_encoding)) ||
        (status = fit_start_factors(f, c->basis, c->encoding)))
        return status;
    if (given)
        for (int64_t i = 0; i < c->rows; i++)
            for (int64_t j = 0; j < f->model->rank; j++)
                matrix_set_value(c->auxiliary, i * c->auxiliary->stride + j,
                                 orthant_matrix_get(given, i, j));
    else
        gather_start(c, given_encoding || (strcmp(init, "random") && strcmp(init, "uniform")));
    return matrix_check(c->auxiliary, true, "auxiliary", f->model->method->name);
}

/* Rows of Z times their weights, or back. */
static void weigh(cnmf_state *c, bool back)
{
    for (int64_t i = 0; i < c->rows; i++) {
        const double weight = weight_of(c, i);
        for (int64_t j = 0; c->count[i] > 1 && j < c->auxiliary->columns; j++) {
            const int64_t at = i * c->auxiliary->stride + j;
            const double value = matrix_value(c->auxiliary, at);
            matrix_set_value(c->auxiliary, at, back ? value / weight : value * weight);
        }
    }
}

/* ------------------------------------------------------------------ the fit */

static orthant_status setup_problem(cnmf_state *c)
{
    const fit *f = c->f;
    c->problem = fit_problem(f);
    c->problem.loss = loss_find(parameter_text(&f->model->parameters, "loss"));
    c->problem.solver = &solver_mu;
    const orthant_status status = merge(c);
    c->problem.samples = c->merged;
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
    weigh(c, false);
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
static void spread_out(cnmf_state *c)
{
    weigh(c, true);
    for (int64_t i = 0; i < c->encoding->rows; i++)
        for (int64_t j = 0; j < c->encoding->columns; j++)
            matrix_set_value(c->encoding, i * c->encoding->stride + j,
                             matrix_value(c->auxiliary, c->row_of[i] * c->auxiliary->stride + j));
}

orthant_status cnmf_run(fit *f)
{
    cnmf_state c = {.f = f};
    orthant_status status = setup(&c);
    if (!status) {
        sweep_start(&c.sweep);
        status = fit_loop(f, (loop_steps){&c, step, measure});
    }
    if (!status) {
        spread_out(&c);
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
