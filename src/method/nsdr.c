/* Nonnegative spectral clustering with discriminative regularisation, after Yang, Shen, Nie, Ji and
 * Zhou 2011: O = tr(F'M F) + (xi / 2)|F'F - I|^2 over indicators F >= 0 (n x k), with
 *
 *   M = L_norm + alpha (C - Xc'(Xc Xc' + beta I)^-1 Xc),      C centring, Xc = X C
 *   F <- F .* ((M- F + xi F) ./ (M+ F + xi F F'F))^(1/4),     M = M+ - M-
 *
 * A large xi soon fixes which entries of F are zero, so the start decides: k-means on the k last
 * eigenvectors of M, memberships plus 0.2. The plain ratio oscillates; its fourth root never rises.
 * M has no zeros. Up to 5,000 samples its entries are kept; above, it is a sum (nsdr.h). */
#include "method/nsdr.h"

#include <math.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "kernel/eigen.h"
#include "engine/products.h"
#include "method/method.h"

#define START_TOLERANCE 1e-6 /* of the eigenvectors that a start is made of */
#define MOST_DENSE 5000      /* samples: above, M is not stored by itself */
#define MOST_ENTRIES 40000   /* samples, whose entries are not taken unless they are asked for */

const orthant_parameter_info nsdr_parameters[] = {
    PARAMETER_WORD("start", "spectral", "spectral|random",
                   "spectral: k-means on the last eigenvectors of M; random ends in a random cut"),
    PARAMETER_NUMBER("orthogonality_weight", "1000", 0, 1e12, "weight xi of |F'F - I|^2"),
    PARAMETER_NUMBER("discriminative_weight", "1", 0, 1e12, "weight alpha of the linear fit"),
    PARAMETER_NUMBER("ridge", "1", 1e-12, 1e12, "beta: how stiff the linear fit is"),
    PARAMETER_WORD(
        "split", "auto", "auto|entries|factors",
        "entries: M is stored, n x n, and split by signs; factors: a sparse matrix and n "
        "x m factors, split by their signs, with the same minima; auto: factors above "
        "5,000 samples of up to 4,096 features"),
    PARAMETER_WORD("similarity", "auto", "auto|knn:P",
                   "knn:P: neighbours=P; auto: what neighbours says"),
    PARAMETER_WHOLE("neighbours", "5", 1, 1e9,
                    "nearest neighbours of a sample, where no graph is given"),
    PARAMETER_WORD("weights", "heat", "binary|heat|cosine",
                   "weights of the edges, where no graph is given"),
    PARAMETER_NUMBER("heat_width", "0", 0, 1e300,
                     "width of heat weights; 0: the root of the mean squared distance"),
    PARAMETER_SEARCH,
    PARAMETER_END,
};

/* ------------------------------------------------------------------ the iteration */

orthant_status nsdr_setup(nsdr *s, const nsdr_matrix *M, orthant_matrix *F, double xi)
{
    orthant_context *ctx = M->ctx;
    const int64_t k = F->columns;
    orthant_status status;
    *s = (nsdr){.M = M, .F = matrix_array(F), .xi = xi};
    if ((status = panels_setup(&s->p, ctx, F->precision, F->rows, k, 1)) ||
        (status = panels_new_array(&s->p, &s->plus_F)) ||
        (status = panels_new_array(&s->p, &s->minus_F)) ||
        (status = panels_new_array(&s->p, &s->numerator)) ||
        (status = panels_new_array(&s->p, &s->denominator)))
        return status;
    s->gram = memory_new(ctx, k * k, sizeof *s->gram, "a Gram matrix");
    s->sums = memory_new(ctx, k, sizeof *s->sums, "sums of columns");
    if (M->entries) {
        s->scratch = memory_new(ctx, products_split_bytes(ctx, M->entries, k), 1, "scratch");
        return s->gram && s->sums && s->scratch ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    const int64_t m = M->fit->columns;
    s->cross = s->size_cross = (array){NULL, m, k, s->p.stride};
    s->cross.data = memory_new(ctx, m * s->p.stride, s->p.k->size, "a factor's products");
    s->size_cross.data = memory_new(ctx, m * s->p.stride, s->p.k->size, "a factor's products");
    return s->gram && s->sums && s->cross.data && s->size_cross.data ? ORTHANT_OK
                                                                     : ORTHANT_ERROR_MEMORY;
}

void nsdr_release(nsdr *s)
{
    array *held[] = {&s->plus_F,      &s->minus_F, &s->numerator,
                     &s->denominator, &s->cross,   &s->size_cross};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        memory_free(s->p.ctx, held[i]->data);
    memory_free(s->p.ctx, s->gram);
    memory_free(s->p.ctx, s->sums);
    memory_free(s->p.ctx, s->scratch);
    panels_release(&s->p);
}

/* From |Y||Y|'F in plus_F and Y Y'F in minus_F, times half the weight, to M+ F and M- F of some
 * rows.
 */
static void combine_task(void *user, int64_t piece, int64_t first, int64_t rows)
{
    const nsdr *s = user;
    const kernels *ops = s->p.k;
    const nsdr_matrix *M = s->M;
    const array F = array_rows(ops, s->F, first, rows),
                plus = array_rows(ops, s->plus_F, first, rows),
                minus = array_rows(ops, s->minus_F, first, rows),
                linear = array_rows(ops, s->numerator, first, rows);
    (void)piece;
    ops->copy(linear, minus);
    ops->copy(minus, plus);
    ops->add(minus, 1, linear);
    ops->add(plus, -1, linear);
    ops->positive_part(plus); /* what rounding leaves of zeros may be below them */
    ops->positive_part(minus);
    ops->add(plus, M->weight, F);
    ops->add_scaled_rows(plus, 1, M->linked + first, F);
    ops->add_columns(minus, M->weight / (double)M->n, s->sums);
    ops->sparse_product(minus, matrix_csr(M->edges), first, s->F, true);
}

void nsdr_refresh(nsdr *s)
{
    const nsdr_matrix *M = s->M;
    orthant_context *ctx = s->p.ctx;
    if (M->entries) {
        products_split(ctx, M->entries, s->F, s->plus_F, s->minus_F, s->scratch);
    } else {
        for (int64_t j = 0; j < s->p.q; j++)
            s->sums[j] = 0.5 * M->weight;
        products_backward(ctx, M->size, s->F, s->size_cross);
        s->p.k->scale_columns(s->size_cross, s->sums);
        products_forward(ctx, M->size, s->size_cross, s->plus_F);
        products_backward(ctx, M->fit, s->F, s->cross);
        s->p.k->scale_columns(s->cross, s->sums);
        products_forward(ctx, M->fit, s->cross, s->minus_F);
        panels_column_sums(&s->p, s->F, false, s->sums);
        panels_run(&s->p, combine_task, s);
    }
    panels_gram(&s->p, s->F, s->F, s->gram);
}

static void update_task(void *user, int64_t piece, int64_t first, int64_t rows)
{
    const nsdr *s = user;
    const kernels *ops = s->p.k;
    const array F = array_rows(ops, s->F, first, rows),
                numerator = array_rows(ops, s->numerator, first, rows),
                denominator = array_rows(ops, s->denominator, first, rows);
    (void)piece;
    ops->copy(numerator, array_rows(ops, s->minus_F, first, rows));
    ops->add(numerator, s->xi, F);
    ops->add(denominator, 1, array_rows(ops, s->plus_F, first, rows));
    ops->update(F, F, numerator, denominator, 0.25);
}

void nsdr_step(nsdr *s)
{
    const int64_t k = s->p.q;
    for (int64_t e = 0; e < k * k; e++)
        s->gram[e] *= s->xi;
    panels_product(&s->p, s->denominator, s->F, s->gram, false);
    panels_run(&s->p, update_task, s);
    nsdr_refresh(s);
}

void nsdr_objective(nsdr *s, double *cut, double *penalty)
{
    const int64_t k = s->p.q;
    *cut = panels_dot(&s->p, s->F, s->plus_F) - panels_dot(&s->p, s->F, s->minus_F);
    *penalty = 0;
    for (int64_t e = 0; e < k * k; e++)
        *penalty += 0.5 * s->xi * pow(s->gram[e] - (e % (k + 1) == 0), 2);
}

/* ------------------------------------------------------------------ the method */

static void step(void *state)
{
    nsdr_step(state);
}

static void measure(void *state, double *values)
{
    nsdr_objective(state, &values[1], &values[2]);
    values[0] = values[1] + values[2];
}

static void parts(void *state, checkpoint_parts *parts)
{
    nsdr *s = state;
    parts_add_array(parts, "encoding", s->p.k, s->F);
    parts_add_array(parts, "plus", s->p.k, s->plus_F);
    parts_add_array(parts, "minus", s->p.k, s->minus_F);
    parts_add_numbers(parts, "Gram matrix", s->gram, s->p.q * s->p.q);
}

/* Memberships of k-means on the eigenvectors, plus 0.2. */
static orthant_status spectral_start(fit *f, nsdr_matrix *M, uint64_t seed, orthant_matrix *F)
{
    const int64_t n = F->rows, k = F->columns;
    eigen_problem search = {.ctx = f->ctx,
                            .n = n,
                            .wanted = k,
                            .product = nsdr_negative_product,
                            .user = M,
                            .seed = seed,
                            .tolerance = START_TOLERANCE,
                            .restarts = INT32_MAX};
    orthant_matrix *points = NULL;
    kmeans_outcome outcome = {0};
    double *values = memory_new(f->ctx, k, sizeof *values, "eigenvalues"),
           *vectors = memory_new(f->ctx, k * n, sizeof *vectors, "eigenvectors");
    orthant_status status = values && vectors ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (status || (status = eigen_leading(&search, values, vectors)) ||
        (status = matrix_new_factor(f->ctx, ORTHANT_DOUBLE, n, k, &points)))
        goto done;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++)
            matrix_set_value(points, i * points->stride + j, vectors[j * n + i]);
    status = kmeans_run(f->ctx, points, k, 10, 300, seed, NULL, &outcome);
    if (!status && outcome.stopped)
        status = fail(f->ctx, ORTHANT_STOPPED, "stopped during the k-means start");
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t j = 0; j < k; j++)
            matrix_set_value(F, i * F->stride + j, outcome.label[i] == j ? 1.2 : 0.2);
done:
    kmeans_free(f->ctx, &outcome);
    orthant_matrix_free(points);
    memory_free(f->ctx, values);
    memory_free(f->ctx, vectors);
    return status;
}

/* Columns of unit length are as near to F'F = I as scaling can bring them. */
static orthant_status start(fit *f, nsdr *s, nsdr_matrix *M, orthant_matrix *F)
{
    const parameter_set *set = &f->model->parameters;
    const uint64_t seed = (uint64_t)parameter_whole(set, "seed");
    double *columns = s->p.small;
    bool given;
    orthant_status status = fit_start_given(f, "encoding", F, &given);
    if (status || given || fit_resumes(f))
        return status;
    if (!strcmp(parameter_text(set, "start"), "random"))
        start_random_factor(F, seed, RANDOM_ENCODING, 1);
    else if ((status = spectral_start(f, M, seed, F)))
        return status;
    panels_column_sums(&s->p, s->F, true, columns);
    for (int64_t j = 0; j < s->p.q; j++)
        columns[j] = 1 / sqrt(columns[j]);
    panels_scale_columns(&s->p, s->F, columns);
    return ORTHANT_OK;
}

/* How M is kept: as the user says, or by the number of samples. */
static orthant_status choose_split(fit *f, bool *as_sum)
{
    const char *split = parameter_text(&f->model->parameters, "split");
    const orthant_matrix *X = f->samples;
    const bool suits = nsdr_sum_suits(X);
    const int64_t n = X->rows;
    *as_sum = !strcmp(split, "factors") || (!strcmp(split, "auto") && n > MOST_DENSE && suits);
    if (*as_sum && !suits)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "split = 'factors' is for features that are fewer than the samples and at most "
                    "4096, not %lld of %lld samples: take 'entries', or fewer features",
                    (long long)X->columns, (long long)n);
    if (!*as_sum && !strcmp(split, "auto") && n > MOST_ENTRIES)
        return fail(
            f->ctx, ORTHANT_ERROR_UNSUPPORTED,
            "%lld samples of %lld features: 'nsdr' would take a matrix of samples by samples "
            "of %.0f GB; with at most 4096 features it takes none",
            (long long)n, (long long)X->columns, 4e-9 * (double)n * (double)n);
    return *as_sum && !strcmp(split, "auto")
               ? fit_note(f,
                          "%lld samples: the matrix of samples by samples is not stored, and its "
                          "linear part is split by the signs of its factors (split=factors); "
                          "'entries' takes %.1f GB",
                          (long long)n,
                          (double)n * (double)n * (X->precision == ORTHANT_DOUBLE ? 8e-9 : 4e-9))
               : ORTHANT_OK;
}

static orthant_status make_matrix(fit *f, nsdr_matrix *M)
{
    const parameter_set *set = &f->model->parameters;
    const search_clock clock = {f->begun, parameter_number(set, "time_limit")};
    nsdr_options options = {.weight = parameter_number(set, "discriminative_weight"),
                            .ridge = parameter_number(set, "ridge")};
    int64_t neighbours = 0;
    orthant_status status;
    if (f->samples->rows >= INT32_MAX)
        return fail(f->ctx, ORTHANT_ERROR_UNSUPPORTED, "%lld samples: 'nsdr' takes at most %d",
                    (long long)f->samples->rows, INT32_MAX - 1);
    if ((status = choose_split(f, &options.as_sum)) || (status = fit_neighbours(f, &neighbours)) ||
        (status = fit_graph(f, neighbours)))
        return status;
    return nsdr_matrix_make(M, f->ctx, f->samples, f->graph, &options, &clock);
}

orthant_status nsdr_run(fit *f)
{
    const double xi = parameter_number(&f->model->parameters, "orthogonality_weight");
    orthant_matrix *F = NULL;
    nsdr_matrix M = {0};
    nsdr s = {0};
    orthant_status status;
    history_begin(&f->result->history);
    history_add_column(&f->result->history, "orthogonality");
    if ((status = make_matrix(f, &M)) ||
        (status = fit_new_factor(f, "encoding", f->samples->rows, f->model->rank, &F)) ||
        (status = nsdr_setup(&s, &M, F, xi)) || (status = start(f, &s, &M, F)))
        goto done;
    nsdr_refresh(&s);
    if (!(status = fit_loop(
              f, (loop_steps){.state = &s, .step = step, .measure = measure, .parts = parts})))
        status = fit_tell_dead_columns(f);
done:
    if (s.M)
        nsdr_release(&s);
    nsdr_matrix_release(&M);
    return status;
}
