/* Fits by batches of samples, for data that are too many to go through for one step, or that come
 * in pieces. The basis is the quotient of two sums over the batches, which forget the older ones
 * (as in scikit-learn's MiniBatchNMF; Lefevre, Bach, Fevotte, Online algorithms for nonnegative
 * matrix factorization with the Itakura-Saito divergence, WASPAA 2011). With the loss's numerators
 * N and denominators D and the exponent e of its multiplicative rule (src/loss/), for each batch:
 *
 *     S_b <- S_b .* (N ./ D)^e            once; or `fresh` times from one number for all
 *     A   <- r A + W^(1/e) .* N           X_b'S_b for the quadratic loss, P'S_b for others
 *     B   <- r B + D                      W S_b'S_b,                      Q'S_b
 *     W   <- (A ./ B)^e                   A = W and B = 1 before the first batch
 *
 * r = forget^(samples of a batch / all samples). An iteration is a pass over the batches, in their
 * order or in one that is drawn for each pass. Its objective is the sum of what the batches' losses
 * were when they were met; the error that is told in the end is that of the factors as they are.
 *
 * Of data that come in pieces (`partial`) all samples are one batch, with codes of their own, and a
 * fit is one such step: it goes on from basis, A and B of the one before, which the result has as
 * factors, and r = forget. */
#include "method/online.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "loss/losses.h"
#include "method/batch.h"
#include "method/method.h"
#include "solver/solvers.h"

#define FRESH_OF_PIECES 30 /* updates of the codes of a piece, unless `fresh` says how many */

const orthant_parameter_info online_parameters[] = {
    PARAMETER_WHOLE("batch", "0", 0, 1e15,
                    "samples of a batch: the basis is updated after each, and an iteration is a "
                    "pass over all; 0: all samples at once"),
    PARAMETER_NUMBER("forget", "0.7", 0, 1,
                     "with batches: what a pass leaves of the sums of the one before; 1: all"),
    PARAMETER_WHOLE("fresh", "0", 0, 1e6,
                    "with batches: so many updates of a batch's codes from one number for all; 0: "
                    "one update of what the last pass left"),
    PARAMETER_WORD("batch_order", "given", "given|random",
                   "of the batches in a pass: as the samples are, or drawn for each pass"),
    PARAMETER_WORD("partial", "no", "no|yes",
                   "yes: the samples are a batch of data that come in pieces, and the fit is one "
                   "step from the starts basis, numerators and denominators"),
    PARAMETER_END,
};

typedef struct online {
    fit *f;
    loss loss;
    problem problem; /* but for its samples */
    solver codes;    /* multiplicative updates that leave no sums */
    batch_reader reader;
    orthant_matrix *basis, *encoding;
    orthant_matrix *numerators, *denominators; /* A and B, m x k */
    bool owns_sums;                            /* they are no factors of the result */
    double keeps;                              /* r */
    int64_t fresh;
    int64_t *order; /* of the batches in a pass */
    int64_t passes; /* made */
    double *lines;  /* LINES x k of each thread */
    double value;   /* of the last pass */
    double error;   /* squared, as it was measured last */
    orthant_status status;
} online;

enum { LINE_NUMERATOR, LINE_DENOMINATOR, LINE_BASIS, LINE_A, LINE_B, LINES };

bool online_is_partial(const orthant_model *model)
{
    return !strcmp(parameter_text(&model->parameters, "partial"), "yes");
}

bool online_asked(const orthant_model *model)
{
    return parameter_whole(&model->parameters, "batch") > 0 || online_is_partial(model);
}

bool online_has_start(const orthant_model *model, const char *factor)
{
    return parameter_has(&model->parameters, "partial") &&
           (!strcmp(factor, "numerators") || !strcmp(factor, "denominators"));
}

/* ------------------------------------------------------------------ refusals */

static orthant_status refuse(const fit *f, const char *what)
{
    return online_is_partial(f->model)
               ? fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                      "a fit to samples that come in pieces takes %s; fit all samples at once for "
                      "the rest",
                      what)
               : fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                      "batch = '%s': a fit by batches takes %s; leave batch out to fit all samples "
                      "at once",
                      parameter_text(&f->model->parameters, "batch"), what);
}

static orthant_status check(const fit *f, const loss *l)
{
    const orthant_model *model = f->model;
    const char *by = parameter_text(&model->parameters, "solver");
    if (strcmp(by, "auto") && strcmp(by, "mu"))
        return refuse(f, "the solver mu alone");
    if (model->term_count)
        return refuse(f, "no terms");
    if (f->weights.given)
        return refuse(f, "no mask, no weights and no missing entries");
    if (model->fixed_basis)
        return refuse(f, "no fixed parts");
    if (strcmp(parameter_text(&model->parameters, "normalise"), "none"))
        return refuse(f, "normalise=none alone");
    if (!strcmp(parameter_text(&model->parameters, "final_encodings"), "minimal"))
        return refuse(f, "final_encodings=auto or last, which are those of the last pass");
    if (f->samples->part.total)
        return refuse(f, "all samples in one process");
    if (!strncmp(l->name, "huber", 5) || !strcmp(l->name, "l1"))
        return refuse(f, "the losses frobenius, kl, is and beta:B alone");
    if (online_is_partial(model) && parameter_whole(&model->parameters, "batch"))
        return fail(
            f->ctx, ORTHANT_ERROR_ARGUMENT,
            "batch = '%s' and partial = 'yes': the samples are cut into batches, or are one "
            "piece of them; set one of the two",
            parameter_text(&model->parameters, "batch"));
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ a batch */

typedef struct batch_work {
    const online *o;
    const sweep *s; /* over the batch */
} batch_work;

/* New rows of W, A and B. */
static void basis_block(void *user, block b)
{
    const batch_work *work = user;
    const online *o = work->o;
    const sweep *s = work->s;
    const kernels *ops = s->ops;
    const int64_t rank = s->problem->rank;
    const double e = o->loss.exponent;
    const array D = sweep_array(s, b, SCRATCH_DENOMINATOR), W = sweep_rows(s, s->factors.W, b),
                N = sweep_rows(s, s->sums.A, b), A = sweep_rows(s, matrix_array(o->numerators), b),
                B = sweep_rows(s, matrix_array(o->denominators), b);
    double *line[LINES];
    const array from[LINES] = {N, D, W, A, B};
    for (int l = 0; l < LINES; l++)
        line[l] = o->lines + (b.thread * LINES + l) * rank;
    o->loss.basis(s, b, W, D);
    for (int64_t i = 0; i < b.rows; i++) {
        for (int l = 0; l < LINES; l++)
            ops->get_values(array_rows(ops, from[l], i, 1), line[l]);
        for (int64_t j = 0; j < rank; j++) {
            double *w = &line[LINE_BASIS][j], *above = &line[LINE_A][j], *below = &line[LINE_B][j];
            const double scale = e < 1 ? pow(*w, 1 / e) : *w;
            *above = o->keeps * *above + scale * line[LINE_NUMERATOR][j];
            *below = o->keeps * *below + line[LINE_DENOMINATOR][j];
            *w = *below > 0 ? *above / *below : 0;
            *w = e < 1 ? pow(*w, e) : *w;
        }
        for (int l = LINE_BASIS; l < LINES; l++)
            ops->set_values(array_rows(ops, from[l], i, 1), line[l]);
    }
}

/* One number for all, whose fits are of the size of the samples. */
static void fill_codes(const orthant_matrix *X, orthant_matrix *S)
{
    const double mean = matrix_sum(X) / ((double)X->rows * (double)X->columns),
                 size = sqrt(mean / (double)S->columns);
    for (int64_t i = 0; i < S->rows; i++)
        for (int64_t j = 0; j < S->columns; j++)
            matrix_set_value(S, i * S->stride + j, size);
}

static void learn(online *o, sweep *s, const orthant_matrix *X, orthant_matrix *S)
{
    batch_work work = {o, s};
    sweep_step t = {.solver = &o->codes, .iteration = 1, .exponent = 1};
    if (o->fresh)
        fill_codes(X, S);
    for (int64_t i = 1; i < o->fresh; i++)
        sweep_encoding(s, &t);
    t.solver = &solver_mu;
    sweep_encoding(s, &t);
    double value = 0;
    sweep_measure(s, &value);
    o->value += value;
    sweep_over_features(s, basis_block, &work);
}

/* The loss and the squared error of the factors as they are. */
static orthant_status measure_batch(online *o, sweep *s)
{
    double value = 0, error = 0;
    sweep_sums(s);
    sweep_measure(s, &value);
    const orthant_status status = o->loss.quadratic ? ORTHANT_OK : frobenius_error(s, &error);
    o->value += value;
    o->error += o->loss.quadratic ? value : error;
    return status;
}

static orthant_status visit(online *o, int64_t index, bool learns)
{
    const orthant_matrix *X = NULL;
    sweep s = {0};
    orthant_status status = batch_take(&o->reader, index, &X);
    if (status)
        return status;
    const int64_t first = batch_first(&o->reader, index);
    orthant_matrix S = *o->encoding; /* its rows */
    S.rows = X->rows;
    S.values =
        (char *)o->encoding->values + first * S.stride * (int64_t)precision_size(S.precision);
    problem p = o->problem;
    p.samples = X;
    status = sweep_setup(&s, &p, o->basis, &S);
    if (!status) {
        sweep_basis_changed(&s);
        if (learns)
            learn(o, &s, X, &S);
        else
            status = measure_batch(o, &s);
    }
    sweep_release(&s);
    return status;
}

/* ------------------------------------------------------------------ a pass */

/* The order follows from the seed and the number of the pass alone. */
static void draw_order(online *o)
{
    const uint64_t seed = (uint64_t)parameter_whole(&o->f->model->parameters, "seed");
    for (int64_t i = 0; i < o->reader.count; i++)
        o->order[i] = i;
    if (strcmp(parameter_text(&o->f->model->parameters, "batch_order"), "random"))
        return;
    for (int64_t i = o->reader.count - 1; i > 0; i--) {
        const int64_t j = (int64_t)random_below(seed, RANDOM_BATCHES, (uint64_t)o->passes,
                                                (uint64_t)i, (uint64_t)i + 1),
                      moved = o->order[i];
        o->order[i] = o->order[j];
        o->order[j] = moved;
    }
}

static void measure_all(online *o)
{
    o->value = o->error = 0;
    for (int64_t i = 0; i < o->reader.count && !o->status; i++)
        o->status = visit(o, i, false);
}

static void make_step(void *state)
{
    online *o = state;
    draw_order(o);
    o->value = 0;
    for (int64_t i = 0; i < o->reader.count && !o->status; i++)
        o->status = visit(o, o->order[i], true);
    o->passes++;
}

static void measure(void *state, double *values)
{
    online *o = state;
    if (o->passes == 0)
        measure_all(o);
    values[0] = values[1] = o->value;
}

static orthant_status check_steps(void *state)
{
    return ((const online *)state)->status;
}

static void parts(void *state, checkpoint_parts *parts)
{
    online *o = state;
    const kernels *ops = kernel_table(o->basis->precision);
    const int64_t n = o->encoding->rows;
    parts_add_array(parts, "basis", ops, matrix_array(o->basis));
    parts_add_rows(parts, "encoding", ops, matrix_array(o->encoding), 0, n);
    parts_add_array(parts, "numerators", ops, matrix_array(o->numerators));
    parts_add_array(parts, "denominators", ops, matrix_array(o->denominators));
    parts_add_field(parts, "passes", &o->passes, sizeof o->passes);
    parts_add_numbers(parts, "value", &o->value, 1);
}

/* ------------------------------------------------------------------ the fit */

static orthant_status list_problem(online *o)
{
    const fit *f = o->f;
    const parameter_set *set = &f->model->parameters;
    const orthant_status status = loss_make(f->ctx, parameter_text(set, "loss"), &o->loss);
    if (status)
        return status;
    o->problem = fit_problem(f);
    o->problem.loss = &o->loss;
    o->problem.solver = &solver_mu;
    o->codes = solver_mu;
    o->codes.takes_no_sums = true;
    o->fresh = parameter_whole(set, "fresh");
    return check(f, &o->loss);
}

/* A and B are factors of the result where the next piece goes on from them. */
static orthant_status new_sums(online *o, bool partial)
{
    fit *f = o->f;
    const int64_t m = f->samples->columns, rank = f->model->rank;
    orthant_status status;
    o->owns_sums = !partial;
    if (partial) {
        if ((status = fit_new_factor(f, "numerators", m, rank, &o->numerators)))
            return status;
        return fit_new_factor(f, "denominators", m, rank, &o->denominators);
    }
    if ((status = matrix_new_factor(f->ctx, f->samples->precision, m, rank, &o->numerators)))
        return status;
    return matrix_new_factor(f->ctx, f->samples->precision, m, rank, &o->denominators);
}

static orthant_status setup(online *o, int64_t rows)
{
    fit *f = o->f;
    orthant_status status;
    if ((status = list_problem(o)) ||
        (status = fit_new_factor(f, "basis", f->samples->columns, f->model->rank, &o->basis)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, f->model->rank, &o->encoding)) ||
        (status = new_sums(o, online_is_partial(f->model))) ||
        (status = batch_reader_open(&o->reader, f->ctx, f->samples, rows)))
        return status;
    o->order = memory_new(f->ctx, o->reader.count, sizeof *o->order, "batches");
    o->lines = memory_new(f->ctx, parallel_threads(f->ctx) * LINES * f->model->rank,
                          sizeof *o->lines, "scratch");
    history_begin(&f->result->history);
    return o->order && o->lines ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* A = W and B = 1: the first quotient is the basis itself. */
static void start_sums(online *o)
{
    const kernels *ops = kernel_table(o->basis->precision);
    ops->copy(matrix_array(o->numerators), matrix_array(o->basis));
    for (int64_t i = 0; i < o->basis->rows; i++)
        for (int64_t j = 0; j < o->basis->columns; j++)
            matrix_set_value(o->denominators, i * o->denominators->stride + j, 1);
}

static void release(online *o)
{
    if (o->owns_sums) {
        orthant_matrix_free(o->numerators);
        orthant_matrix_free(o->denominators);
    }
    batch_reader_release(&o->reader);
    memory_free(o->f->ctx, o->order);
    memory_free(o->f->ctx, o->lines);
}

static orthant_status tell_error(online *o)
{
    orthant_result *result = o->f->result;
    double sum;
    measure_all(o);
    share_data_sums(o->f->samples, &sum, &result->data_squares);
    result->squared_error = o->error;
    return o->status;
}

static orthant_status run_passes(online *o)
{
    fit *f = o->f;
    const int64_t n = f->samples->rows;
    orthant_status status;
    o->keeps =
        pow(parameter_number(&f->model->parameters, "forget"), (double)o->reader.rows / (double)n);
    if ((status = fit_start_factors(f, o->basis, o->encoding)))
        return status;
    start_sums(o);
    if ((status = fit_loop(f, (loop_steps){.state = o,
                                           .step = make_step,
                                           .measure = measure,
                                           .parts = parts,
                                           .check = check_steps})))
        return status;
    if ((status = fit_note(f, "by %lld %s of %lld samples, %lld %s, forgetting factor %g%s",
                           (long long)o->reader.count, o->reader.count == 1 ? "batch" : "batches",
                           (long long)o->reader.rows, (long long)o->passes,
                           o->passes == 1 ? "pass" : "passes",
                           parameter_number(&f->model->parameters, "forget"),
                           strcmp(parameter_text(&f->model->parameters, "batch_order"), "random")
                               ? ""
                               : ", in random order")))
        return status;
    return tell_error(o);
}

/* The start of what the piece goes on from; it says whether there is one. */
static orthant_status start_piece(online *o)
{
    fit *f = o->f;
    bool basis = false, above = false, below = false;
    orthant_status status = fit_start_given(f, "basis", o->basis, &basis);
    if (!status && !basis)
        status = fit_start_factors(f, o->basis, o->encoding);
    start_sums(o);
    if (!status)
        status = fit_start_given(f, "numerators", o->numerators, &above);
    if (!status)
        status = fit_start_given(f, "denominators", o->denominators, &below);
    if (!status && (above != below || (above && !basis)))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "a fit goes on from basis, numerators and denominators of the piece before, "
                    "or from a basis alone: the start has %s%s%s%s%s",
                    basis ? "basis" : "", basis && (above || below) ? ", " : "",
                    above ? "numerators" : "", above && below ? ", " : "",
                    below ? "denominators" : "");
    return status;
}

static orthant_status run_piece(online *o)
{
    fit *f = o->f;
    fit_history *h = &f->result->history;
    const double begun = clock_seconds();
    orthant_status status = start_piece(o);
    if (status)
        return status;
    o->keeps = parameter_number(&f->model->parameters, "forget");
    o->fresh = o->fresh ? o->fresh : FRESH_OF_PIECES;
    make_step(o);
    if (o->status)
        return o->status;
    if (!isfinite(o->value))
        return fail(f->ctx, ORTHANT_ERROR_NUMERIC, "the objective is not finite");
    const double values[] = {o->value, o->value};
    h->iterations = 1;
    h->seconds = clock_seconds() - begun;
    status = history_add(h, 1, h->seconds, values);
    return status ? status : tell_error(o);
}

orthant_status online_run(fit *f)
{
    online o = {.f = f};
    const bool partial = online_is_partial(f->model);
    orthant_status status =
        setup(&o, partial ? f->samples->rows : parameter_whole(&f->model->parameters, "batch"));
    if (!status)
        status = partial ? run_piece(&o) : run_passes(&o);
    f->result->solver = solver_mu.name;
    if (!status)
        status = fit_tell_dead_columns(f);
    release(&o);
    return status;
}

/* The plan is that of the first batch, with the factors and the sums of all. */
orthant_status online_explain(fit *f, explanation *e)
{
    online o = {.f = f};
    sweep s = {0};
    const orthant_matrix *X = NULL;
    const bool partial = online_is_partial(f->model);
    const int64_t rows =
        partial ? f->samples->rows : parameter_whole(&f->model->parameters, "batch");
    orthant_status status = list_problem(&o);
    if (!status)
        status = batch_reader_open(&o.reader, f->ctx, f->samples, rows);
    if (!status)
        status = batch_take(&o.reader, 0, &X);
    o.problem.samples = X;
    if (!status)
        status = sweep_plan(&s, &o.problem);
    if (!status) {
        explain_sweep(e, &s);
        const int64_t batches = o.reader.count, codes = plan_rows_bytes(&s.plan, f->samples->rows),
                      features = plan_rows_bytes(&s.plan, f->samples->columns);
        e->info->memory.factors = codes + features;
        e->info->memory.others += 2 * features;
        e->info->iteration.data_bytes = matrix_bytes(f->samples);
        e->info->iteration.data_operations *= (double)batches;
        e->info->iteration.small_operations *= (double)batches;
    }
    sweep_release(&s);
    release(&o);
    return status;
}
