/* The objective from what a sweep left: nothing of the size of X is formed. */
#include <math.h>

#include "core/memory.h"
#include "engine/sweep_inside.h"
#include "term/term.h"

/* A difference of sums below this share of them is measured without the difference: rounding takes
 * some 1e-7 of single precision's sums, and the stopping rule sees 1e-4 of the objective. */
#define CANCELS(s) ((s)->samples->precision == ORTHANT_SINGLE ? 1e-3 : 1e-9)

static void residual_task(void *user, int64_t index, int thread)
{
    sweep *s = user;
    const kernels *k = s->k;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    const array S = array_rows(k, s->S, b.first, b.rows);
    if (s->samples->sparse)
        s->share[index] = k->sparse_residual(matrix_csr(s->samples), b.first, S, s->W);
    else
        s->share[index] = k->residual(
            array_rows(k, matrix_array(s->samples), b.first, b.rows), S, s->W,
            s->residual_scratch + thread * kernel_scratch(s->samples->precision, s->W.stride));
}

double add_shares(const sweep *s, int64_t first, int64_t count)
{
    double total = 0;
    for (int64_t i = 0; i < count; i++)
        total += s->share[first + i];
    return total;
}

/* Adds F'F to `gram` (k x k), from the diagonal on, in double whatever F's precision. */
static void add_exact_gram(const kernels *k, array factor, double *line, double *gram)
{
    const int64_t rank = factor.columns;
    for (int64_t i = 0; i < factor.rows; i++) {
        k->get_values(array_rows(k, factor, i, 1), line);
        for (int64_t j = 0; j < rank; j++)
            for (int64_t l = j; l < rank; l++)
                gram[j * rank + l] += line[j] * line[l];
    }
}

/* |W S'|^2 = <W'W, S'S>, where the sweep's own Gram matrices are too rounded; `rounded` where there
 * is no memory. */
static double exact_fitted_squares(const sweep *s, double rounded)
{
    const int64_t rank = s->W.columns;
    double *grams = memory_new(s->ctx, 2 * rank * rank + rank, sizeof *grams, "Gram matrices");
    double total = 0;
    if (!grams)
        return rounded;
    double *of_basis = grams, *of_encoding = grams + rank * rank, *line = grams + 2 * rank * rank;
    add_exact_gram(s->k, s->W, line, of_basis);
    add_exact_gram(s->k, s->S, line, of_encoding);
    for (int64_t j = 0; j < rank; j++)
        for (int64_t l = j; l < rank; l++)
            total += (l > j ? 2 : 1) * of_basis[j * rank + l] * of_encoding[j * rank + l];
    memory_free(s->ctx, grams);
    return total;
}

/* |X - W S'|^2 entry by entry: where the fit is so good that the free formula, `rounded`, cancels.
 * Few fits are: only they take room for it. */
static double direct_residual(sweep *s, double rounded)
{
    const int64_t blocks = sample_blocks(s);
    if (!s->samples->sparse && !s->residual_scratch)
        s->residual_scratch = memory_new(
            s->ctx, s->threads * kernel_scratch(s->samples->precision, s->W.stride), 1, "scratch");
    if (!s->samples->sparse && !s->residual_scratch)
        return fmax(rounded, 0);
    double total = s->samples->sparse ? exact_fitted_squares(s, s->k->dot(s->G, s->B)) : 0;
    run_tasks(s, blocks, residual_task, s, product_cost(s, s->n));
    total += add_shares(s, 0, blocks);
    return total > 0 ? total : 0;
}

double block_divergence(const sweep *s, block b, array S)
{
    const kernels *k = s->k;
    return s->samples->sparse
               ? k->sparse_divergence(matrix_csr(s->samples), b.first, S, s->W)
               : k->divergence(array_rows(k, matrix_array(s->samples), b.first, b.rows), S, s->W,
                               kernel_space(s, b.thread));
}

static void divergence_task(void *user, int64_t index, int thread)
{
    sweep *s = user;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    s->share[index] = block_divergence(s, b, array_rows(s->k, s->S, b.first, b.rows));
}

double sweep_fitted(const sweep *s)
{
    double fitted = 0;
    for (int64_t j = 0; j < s->W.columns; j++)
        fitted += s->basis_sums[j] * s->encoding_sums[j];
    return fitted;
}

double sweep_kl_loss(const sweep *s, double divergence, double fitted)
{
    /* Never negative; where the fit is exact rounding may say otherwise. */
    return fmax(divergence - s->data_sum + fitted, 0);
}

double sweep_cross(const sweep *s)
{
    return s->deferred ? s->cross : s->k->dot(s->W, s->XS);
}

double sweep_loss(sweep *s)
{
    if (s->loss == LOSS_KL) {
        if (s->late) {
            run_tasks(s, sample_blocks(s), divergence_task, s, product_cost(s, s->n));
            s->divergence = add_shares(s, 0, sample_blocks(s));
        }
        return sweep_kl_loss(s, s->divergence, sweep_fitted(s));
    }
    const double loss = s->data_squares - 2 * sweep_cross(s) + s->k->dot(s->G, s->B);
    return loss < CANCELS(s) * s->data_squares ? direct_residual(s, loss) : loss;
}

bool sweep_at_limit(const sweep *s, double loss)
{
    const bool single = s->samples->precision == ORTHANT_SINGLE, sparse = s->samples->sparse;
    if (s->loss == LOSS_KL)
        return loss < (single ? 1e-6 : 1e-12) * s->data_sum;
    /* of a sparse X the residual is a difference of sums in double; of a dense one 0 is 0 */
    return loss < (single   ? 1e-10
                   : sparse ? 1e-12
                            : 1e-27) *
                      s->data_squares &&
           (loss > 0 || sparse);
}

static void value_task(void *user, int64_t index, int thread)
{
    sweep *s = user;
    const block b = block_at(0, s->n, block_rows(s), index, thread);
    for (int t = 0; t < s->term_count; t++)
        s->share[index * s->term_count + t] =
            s->terms[t].kind->rows_value ? s->terms[t].kind->rows_value(&s->terms[t], s, b) : 0;
}

void sweep_term_values(sweep *s, double *values)
{
    const int64_t blocks = sample_blocks(s);
    if (!s->term_count)
        return;
    run_tasks(s, blocks, value_task, s, square_cost(s, s->n));
    for (int t = 0; t < s->term_count; t++) {
        values[t] =
            s->terms[t].kind->whole_value ? s->terms[t].kind->whole_value(&s->terms[t], s) : 0;
        double rows = 0;
        for (int64_t i = 0; i < blocks; i++)
            rows += s->share[i * s->term_count + t];
        values[t] += rows;
        if (s->terms[t].kind->exact_value && values[t] < CANCELS(s) * rows)
            values[t] = s->terms[t].kind->exact_value(&s->terms[t], s, values[t]);
        values[t] =
            fmax(values[t], 0) * s->terms[t].weight; /* no term is negative, but by rounding */
    }
}
