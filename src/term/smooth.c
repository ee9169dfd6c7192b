/* Smoothness: the sum of |r_i - r_(i+1)|^2 over rows that follow each other, of the encodings
 * (samples in the order of time) or of the basis (features in the order of a spectrum). That is the
 * graph term of a chain with the adjacency A and the degrees E: half its gradient is E R - A R,
 * both of the rows that the iteration started from, and
 * |r_i - r_j|^2 <= 2 |r_i - c|^2 + 2 |r_j - c|^2 with c the middle of the last two.
 *
 * Blocks of the basis are updated where they lie: its neighbours are those of a copy. */
#include "core/memory.h"
#include "engine/halo.h"
#include "term/terms.h"

typedef struct chain {
    orthant_matrix *links; /* A: own rows; no values, all are 1 */
    halo halo;             /* of the encodings, where processes share the samples */
    orthant_matrix *last;  /* of the basis */
} chain;

static void release(term *t)
{
    chain *c = t->state;
    if (!c)
        return;
    halo_release(&c->halo);
    orthant_matrix_free(c->links);
    orthant_matrix_free(c->last);
    memory_free(t->ctx, c);
    t->state = NULL;
}

/* Every row with the one before and the one after it. */
static orthant_status new_links(orthant_context *ctx, orthant_precision precision, int64_t rows,
                                orthant_matrix **links)
{
    int64_t stored = 0;
    const orthant_status status =
        matrix_new_sparse(ctx, precision, rows, rows, 2 * (rows - 1), links);
    if (status)
        return status;
    for (int64_t i = 0; i < rows; i++) {
        (*links)->row_start[i] = stored;
        if (i > 0)
            (*links)->column[stored++] = (int32_t)(i - 1);
        if (i < rows - 1)
            (*links)->column[stored++] = (int32_t)(i + 1);
    }
    (*links)->row_start[rows] = stored;
    memory_free(ctx, (*links)->values);
    (*links)->values = NULL;
    return ORTHANT_OK;
}

/* A R for a block of rows. */
static array neighbours(const term *t, const sweep *s, block b, array all)
{
    const chain *c = t->state;
    const array totals = sweep_term_array(s, b, 0);
    s->ops->sparse_product(totals, matrix_csr(c->links), b.first, all, false);
    return totals;
}

static void find_degrees(const term *t, block b, double *degree)
{
    const chain *c = t->state;
    const int64_t *start = c->links->row_start + b.first;
    for (int64_t i = 0; i < b.rows; i++)
        degree[i] = (double)(start[i + 1] - start[i]);
}

static void add_parts(const term *t, const sweep *s, block b, array all, array numerator,
                      array denominator)
{
    double degree[KERNEL_ROWS];
    find_degrees(t, b, degree);
    s->ops->add(numerator, t->gain, neighbours(t, s, b, all));
    s->ops->add_scaled_rows(denominator, t->gain, degree, sweep_rows(s, all, b));
}

static void add_majoriser(const term *t, const sweep *s, block b, array all, array numerator,
                          array curvature)
{
    double degree[KERNEL_ROWS];
    find_degrees(t, b, degree);
    s->ops->add(numerator, t->gain, neighbours(t, s, b, all));
    s->ops->add_scaled_rows(numerator, t->gain, degree, sweep_rows(s, all, b));
    s->ops->add_rows(curvature, 2 * t->gain, degree);
}

/* ------------------------------------------------------------------ of the encodings */

static orthant_status setup(term *t, const problem *p)
{
    const sample_share s = samples_here(p->samples);
    orthant_matrix *all = NULL;
    chain *c = t->state = memory_new(t->ctx, 1, sizeof *c, "the smooth term");
    if (!c)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status =
        new_links(t->ctx, p->samples->precision, matrix_total(p->samples), &all);
    if (status)
        return status;
    if (!p->samples->part.total) {
        c->links = all;
        return ORTHANT_OK;
    }
    status = halo_setup(&c->halo, &s, all, p->halo, &c->links);
    orthant_matrix_free(all);
    if (status)
        return status;
    t->halo = &c->halo;
    return halo_new_rows(&c->halo, p->rank * (int64_t)precision_size(p->samples->precision));
}

static void refresh(term *t, const sweep *s)
{
    chain *c = t->state;
    if (c->halo.share.shared)
        halo_exchange(&c->halo, s->ops, s->factors.S);
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    add_parts(t, s, b, s->factors.last, numerator, denominator);
}

static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    add_majoriser(t, s, b, s->factors.last, numerator, curvature);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const chain *c = t->state;
    return s->ops->edge_energy(matrix_csr(c->links), b.first, b.rows, s->factors.S);
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("smooth_weight", "1", 0, 1e12,
                     "weight of the differences of samples that follow each other"),
    PARAMETER_END,
};

const term_kind term_smooth = {
    .name = "smooth",
    .title = "samples that follow each other get similar encodings",
    .flags = TERM_READS_SAMPLES | TERM_LETS_SCALE_DRIFT,
    .parameters = parameters,
    .setup = setup,
    .refresh = refresh,
    .encoding = encoding,
    .majorise = majorise,
    .rows_value = rows_value,
    .release = release,
};

/* ------------------------------------------------------------------ of the basis */

static orthant_status setup_basis(term *t, const problem *p)
{
    const int64_t features = p->samples->columns;
    const orthant_precision precision = p->samples->precision;
    chain *c = t->state = memory_new(t->ctx, 1, sizeof *c, "the smooth term");
    if (!c)
        return ORTHANT_ERROR_MEMORY;
    const orthant_status status = new_links(t->ctx, precision, features, &c->links);
    return status ? status : matrix_new_factor(t->ctx, precision, features, p->rank, &c->last);
}

static void prepare_basis(term *t, const sweep *s)
{
    const chain *c = t->state;
    s->ops->copy(matrix_array(c->last), s->factors.W);
}

static void basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                  array denominator)
{
    const chain *c = t->state;
    (void)data_sums;
    add_parts(t, s, b, matrix_array(c->last), numerator, denominator);
}

static void majorise_basis(const term *t, const sweep *s, block b, array data_sums, array numerator,
                           array curvature)
{
    const chain *c = t->state;
    (void)data_sums;
    add_majoriser(t, s, b, matrix_array(c->last), numerator, curvature);
}

static double whole_value(const term *t, const sweep *s)
{
    const chain *c = t->state;
    return s->ops->edge_energy(matrix_csr(c->links), 0, s->factors.W.rows, s->factors.W);
}

static const orthant_parameter_info basis_parameters[] = {
    PARAMETER_NUMBER("smooth_basis_weight", "1", 0, 1e12,
                     "weight of the differences of features that follow each other"),
    PARAMETER_END,
};

const term_kind term_smooth_basis = {
    .name = "smooth-basis",
    .title = "features that follow each other are similar in every part",
    .flags = TERM_LETS_SCALE_DRIFT,
    .parameters = basis_parameters,
    .setup = setup_basis,
    .prepare = prepare_basis,
    .basis = basis,
    .majorise_basis = majorise_basis,
    .whole_value = whole_value,
    .release = release,
};
