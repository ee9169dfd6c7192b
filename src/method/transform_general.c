/* Codes of new samples under any loss, weights of entries and terms (descend.h). A sample's code
 * has the same bits alone and in any batch. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/row_file.h"
#include "engine/strips.h"
#include "loss/losses.h"
#include "method/code.h"
#include "method/descend.h"
#include "method/transform.h"

#define BLOCK 16        /* samples of a task */
#define FIRST_PASSES 12 /* over the coordinates of a sample under weighted squares */

/* What a thread needs for a sample. */
typedef struct scratch {
    double *x, *c;   /* m: its entries and their weights, those that count in front */
    int32_t *listed; /* m: which these are, ... */
    double *tile;    /* ... and the features of W there, transposed; weights alone */
    double *entries; /* of the descent, ... */
    double *panel;
    double *gram;      /* k x the padded k: weighted squares */
    double *solver;    /* of a code by coordinates */
    double *parts;     /* the same */
    double *s;         /* k, what terms see (cross products, neighbours, 2 k of scratch), the cross
                          products of weighted entries, and another code */
    int64_t *free;     /* k */
    double *distances; /* graph: of the training samples, ... */
    int64_t *nearest;  /* ... and the nearest of them */
    int64_t missed, lost, zeros;
} scratch;

typedef struct work {
    const code_problem *p;
    loss loss; /* as a rule, unless squares come from Gram matrices */
    bool squares, weighted;
    bool several_minima; /* by the loss or a term */
    strips strips;
    int64_t n, m, rank;
    orthant_matrix *W; /* m x k in double */
    double *columns;   /* k x room: W' */
    double *gram;      /* k x the padded k: W'W */
    int64_t padded;    /* k */
    double *length;    /* k: |w|^2 */
    double *sums;      /* m: of W's rows */
    int64_t room;      /* of a row of entries */
    scratch *scratch;  /* of each thread */
    orthant_matrix *encoding;
    int64_t done;
    double begin;
    bool stopped;
} work;

/* ------------------------------------------------------------------ setup */

static orthant_status take_basis(work *w)
{
    orthant_context *ctx = w->p->ctx;
    const orthant_matrix *basis = w->p->basis;
    const int64_t k = w->rank, m = w->m;
    const bool whole = w->weighted; /* its rows are asked for */
    const orthant_status status =
        whole ? matrix_new_factor(ctx, ORTHANT_DOUBLE, m, k, &w->W) : ORTHANT_OK;
    if (status)
        return status;
    w->columns = memory_new(ctx, k * w->room, sizeof(double), "the basis");
    w->gram = memory_new(ctx, k * w->padded, sizeof(double), "the basis");
    w->length = memory_new(ctx, k, sizeof(double), "the basis");
    w->sums = memory_new(ctx, m, sizeof(double), "the basis");
    if (!w->columns || !w->gram || !w->length || !w->sums)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t j = 0; j < m; j++)
        for (int64_t r = 0; r < k; r++) {
            const double entry = orthant_matrix_get(basis, j, r);
            if (whole)
                matrix_set_value(w->W, j * w->W->stride + r, entry);
            w->columns[r * w->room + j] = entry;
            w->sums[j] += entry;
        }
    for (int64_t r = 0; r < k; r++) {
        const array rows = {w->columns, k, m, w->room};
        kernel_table(ORTHANT_DOUBLE)
            ->vector_product(rows, w->columns + r * w->room, w->gram + r * w->padded);
        w->length[r] = w->gram[r * w->padded + r];
    }
    return ORTHANT_OK;
}

static void *room_for(const work *w, int64_t count, size_t size)
{
    return memory_new(w->p->ctx, count > 0 ? count : 1, size, "scratch");
}

/* Of a thread. */
static int64_t scratch_bytes(const work *w)
{
    const int64_t room = descent_room(w->m) + DESCENT_MORE, k = w->rank,
                  entries = w->squares ? 0 : DESCENT_ENTRIES, tile = w->weighted && !w->squares,
                  panel_rows = !w->squares || w->weighted ? DESCENT_PANEL : 0,
                  gram = w->weighted && w->squares ? k * w->padded + code_numbers(k) : 0;
    return (int64_t)sizeof(double) * (descent_parts(k) + gram + panel_rows * w->padded +
                                      room * (3 + entries + tile * w->padded));
}

static orthant_status setup_scratch(work *w)
{
    const code_graph *g = w->p->graph;
    const int64_t k = w->rank, room = descent_room(w->m);
    const int threads = w->strips.threads;
    bool made = (w->scratch = room_for(w, threads, sizeof *w->scratch)) != NULL;
    for (int i = 0; i < threads && made; i++) {
        scratch *t = &w->scratch[i];
        made = (t->x = room_for(w, room, sizeof(double))) &&
               (t->parts = room_for(w, descent_parts(k), sizeof(double))) &&
               (t->s = room_for(w, 7 * k, sizeof(double))) &&
               (t->free = room_for(w, k, sizeof *t->free));
        if (made && (!w->squares || w->weighted))
            made = (t->panel = room_for(w, w->padded * DESCENT_PANEL, sizeof(double))) != NULL;
        if (made && !w->squares)
            made = (t->entries = room_for(w, DESCENT_ENTRIES * (room + DESCENT_MORE),
                                          sizeof(double))) != NULL;
        if (made && w->weighted)
            made = (t->c = room_for(w, room, sizeof(double))) &&
                   (t->listed = room_for(w, room, sizeof *t->listed));
        if (made && w->weighted && !w->squares)
            made =
                (t->tile = room_for(w, w->padded * (room + DESCENT_MORE), sizeof(double))) != NULL;
        if (made && w->weighted && w->squares)
            made = (t->gram = room_for(w, k * w->padded, sizeof(double))) &&
                   (t->solver = room_for(w, code_numbers(k), sizeof(double)));
        if (made && g)
            made = (t->distances = room_for(w, g->samples->rows, sizeof(double))) &&
                   (t->nearest = room_for(w, g->neighbours, sizeof *t->nearest));
    }
    return made ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static void release(work *w)
{
    orthant_context *ctx = w->p->ctx;
    for (int i = 0; i < w->strips.threads && w->scratch; i++) {
        const scratch *t = &w->scratch[i];
        void *all[] = {t->x,    t->c,         t->listed,  t->tile,  t->entries, t->parts, t->s,
                       t->free, t->distances, t->nearest, t->panel, t->gram,    t->solver};
        for (size_t a = 0; a < sizeof all / sizeof *all; a++)
            memory_free(ctx, all[a]);
    }
    void *all[] = {w->columns, w->gram, w->length, w->sums, w->scratch};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
        memory_free(ctx, all[a]);
    orthant_matrix_free(w->W);
    if (w->strips.ctx)
        strips_release(&w->strips);
}

/* ------------------------------------------------------------------ a sample's entries */

/* A row of a matrix; `stored` is 1 where a sparse one has an entry, unless it is NULL. */
static void take_row(const orthant_matrix *from, int64_t row, double *to, double *stored)
{
    const int64_t m = from->columns,
                  begin = from->sparse ? from->row_start[row] : row * from->stride,
                  end = from->sparse ? from->row_start[row + 1] : begin + m;
    if (from->sparse) {
        memset(to, 0, (size_t)m * sizeof *to);
        if (stored)
            memset(stored, 0, (size_t)m * sizeof *stored);
    }
    for (int64_t e = begin; e < end; e++) {
        const int64_t j = from->sparse ? from->column[e] : e - begin;
        to[j] = matrix_value(from, e);
        if (stored && from->sparse)
            stored[j] = 1;
    }
}

static void take_weights(const work *w, scratch *t, strip x, int64_t i)
{
    const entry_weights *of = w->p->weights;
    for (int64_t j = 0; j < w->m; j++)
        t->c[j] = 1;
    if (of->missing_zeros)
        take_row(x.data, x.row + i - x.first, t->x, t->c);
    else if (of->mask)
        take_row(of->mask, i, t->c, NULL);
    for (int64_t j = 0; j < w->m && of->known; j++)
        t->c[j] *= of->known[i * of->known_stride + j / 8] >> j % 8 & 1;
    for (int64_t j = 0; j < w->m; j++)
        t->c[j] *= (of->samples ? of->samples[i] : 1) * (of->features ? of->features[j] : 1);
}

static double dot(const double *a, const double *b, int64_t count)
{
    double total = 0;
    for (int64_t j = 0; j < count; j++)
        total += a[j] * b[j];
    return total;
}

/* The entries that count to the front, with their features of the basis. */
static void list_entries(const work *w, scratch *t, descent *d)
{
    int64_t count = 0;
    for (int64_t j = 0; j < w->m; j++)
        if (t->c[j] > 0) {
            t->x[count] = t->x[j];
            t->c[count] = t->c[j];
            t->listed[count++] = (int32_t)j;
        }
    d->count = count;
    d->weights = t->c;
    if (w->squares)
        return;
    d->tile = t->tile;
    d->stride = KERNEL_WHOLE(count) + DESCENT_MORE;
    if (count > 0)
        kernel_table(ORTHANT_DOUBLE)
            ->transpose_listed(t->tile, d->stride, matrix_array(w->W), t->listed, count);
}

/* Weighted squares: W' diag(c) W and W' diag(c) x, after list_entries(). */
static void weigh_squares(const work *w, const scratch *t, descent *d, double *cross)
{
    const kernels *ops = kernel_table(ORTHANT_DOUBLE);
    const int64_t padded = w->padded;
    const array gram = {t->gram, w->rank, w->rank, padded};
    memset(cross, 0, (size_t)w->rank * sizeof *cross);
    array_clear(ops, gram);
    for (int64_t first = 0; first < d->count; first += DESCENT_PANEL) {
        const int64_t rows = smaller(d->count - first, DESCENT_PANEL);
        for (int64_t j = first; j < first + rows; j++) {
            const double *row = (const double *)w->W->values + t->listed[j] * w->W->stride,
                         root = sqrt(t->c[j]), entry = t->c[j] * t->x[j];
            double *to = t->panel + (j - first) * padded;
            for (int64_t r = 0; r < padded; r++)
                to[r] = root * row[r];
            for (int64_t r = 0; r < w->rank; r++)
                cross[r] += entry * row[r];
        }
        const array scaled = {t->panel, rows, w->rank, padded};
        ops->product_transposed(gram, scaled, scaled, true);
    }
    d->gram = t->gram;
    d->cross = cross;
}

/* ------------------------------------------------------------------ neighbours */

/* The nearest training samples, ties to the lower one; how many. */
static int64_t find_nearest(const code_graph *g, scratch *t)
{
    int64_t count = 0;
    for (int64_t j = 0; j < g->samples->rows; j++) {
        if (count == g->neighbours && t->distances[j] >= t->distances[t->nearest[count - 1]])
            continue;
        int64_t at = count < g->neighbours ? count++ : count - 1;
        for (; at > 0 && t->distances[t->nearest[at - 1]] > t->distances[j]; at--)
            t->nearest[at] = t->nearest[at - 1];
        t->nearest[at] = j;
    }
    return count;
}

static double edge(const code_graph *g, double squares, double distance, double other)
{
    if (g->weight == ORTHANT_EDGE_HEAT)
        return distance > 0 ? exp(-distance / (2 * g->width_squared)) : 1;
    if (g->weight == ORTHANT_EDGE_COSINE)
        return squares > 0 && other > 0 ? (squares + other - distance) / 2 / sqrt(squares * other)
                                        : 0;
    return 1;
}

/* Before entries are listed: t->x is the whole sample. */
static void meet_neighbours(const code_graph *g, scratch *t, code_sample *to, double *total)
{
    const orthant_matrix *X = g->samples, *S = g->encoding;
    const kernels *ops = kernel_table(X->precision);
    if (X->sparse)
        ops->sparse_vector_product(matrix_csr(X), 0, X->rows, t->x, t->distances);
    else
        ops->vector_product(matrix_array(X), t->x, t->distances);
    for (int64_t j = 0; j < X->rows; j++)
        t->distances[j] = fmax(to->squares - 2 * t->distances[j] + g->squares[j], 0);
    const int64_t count = find_nearest(g, t);
    memset(total, 0, (size_t)to->rank * sizeof *total);
    for (int64_t e = 0; e < count; e++) {
        const int64_t j = t->nearest[e];
        const double a = edge(g, to->squares, t->distances[j], g->squares[j]);
        for (int64_t r = 0; r < to->rank && a > 0; r++) {
            const double entry = matrix_value(S, j * S->stride + r);
            total[r] += a * entry;
            to->spread += a * entry * entry;
        }
        to->degree += a > 0 ? a : 0;
    }
    to->neighbours = total;
}

/* ------------------------------------------------------------------ samples */

/* Codes of one size whose fits have the sample's sum; of squares, what each part would take alone,
 * shared. */
static void start(const work *w, const scratch *t, const descent *d)
{
    double given = 0, fitted = 0;
    for (int64_t j = 0; j < d->count && !w->squares; j++) {
        const double c = d->weights ? d->weights[j] : 1;
        given += c * d->x[j];
        fitted += c * w->sums[d->weights ? t->listed[j] : j];
    }
    for (int64_t r = 0; r < w->rank; r++)
        if (w->squares) {
            const double length = d->gram[r * (w->padded + 1)];
            d->s[r] = length > 0 ? fmax(d->cross[r], 0) / length / (double)w->rank : 0;
        } else if (w->length[r] <= 0)
            d->s[r] = 0;
        else
            d->s[r] = fitted > 0 ? given / fitted : 0;
}

static entry_rule rule_of(const work *w, double parameter)
{
    return w->loss.rule(kernel_table(ORTHANT_DOUBLE), parameter);
}

/* Weighted squares without terms: by coordinates and active sets, with columns of unit length and
 * the largest product 1, as all samples without weights have them (transform.c). */
static bool solve_squares(const work *w, const scratch *t, const descent *d)
{
    const int64_t k = w->rank, padded = w->padded;
    double *length = t->s + 3 * k, *cross = t->s + 4 * k, scale = 0;
    code c = code_new(&code_frobenius, k, t->solver, t->free);
    c.gram = (array){t->gram, k, k, padded};
    c.cross = cross;
    for (int64_t r = 0; r < k; r++) {
        length[r] = sqrt(t->gram[r * padded + r]);
        cross[r] = length[r] > 0 ? d->cross[r] / length[r] : 0;
        scale = fmax(scale, cross[r]);
    }
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            if (length[i] > 0 && length[j] > 0)
                t->gram[i * padded + j] /= length[i] * length[j];
    for (int64_t r = 0; r < k; r++) {
        cross[r] = scale > 0 ? cross[r] / scale : 0;
        c.s[r] = fmax(cross[r], 0) / (double)k;
    }
    for (int pass = 0; pass < FIRST_PASSES; pass++)
        c.loss->coordinates(&c);
    const bool solved = code_solve(&c, w->p->iterations, w->p->tolerance);
    for (int64_t r = 0; r < k; r++)
        d->s[r] = c.s[r] > 0 ? c.s[r] * scale / length[r] : 0;
    return solved;
}

/* A loss with a kink that is rounded off, in units of the sample's mean, is approached through ones
 * that are rounder: steps of Newton's from far away know nothing of a kink. */
static bool solve(const work *w, descent *d)
{
    double mean = 0;
    for (int64_t j = 0; j < d->count && w->loss.relative; j++)
        mean += d->x[j] / (double)d->count;
    const double size = w->loss.relative ? fmax(mean, FLT_MIN) : 1;
    for (double round = 0.1; w->loss.relative && round > 2 * w->loss.parameter; round /= 10) {
        d->rule = rule_of(w, round * size);
        descent_run(d, w->p->iterations, w->p->tolerance);
    }
    if (!w->squares)
        d->rule = rule_of(w, w->loss.parameter * size);
    return descent_run(d, w->p->iterations, w->p->tolerance);
}

/* What the part would take of the sample if it were alone. */
static double alone(const work *w, const descent *d, int64_t r)
{
    double given = 0, fitted = 0;
    if (w->squares) {
        const double length = d->gram[r * (w->padded + 1)];
        return length > 0 ? fmax(d->cross[r], 0) / length : 0;
    }
    for (int64_t j = 0; j < d->count; j++) {
        const double c = d->weights ? d->weights[j] : 1;
        given += c * d->x[j];
        fitted += c * d->tile[r * d->stride + j];
    }
    return fitted > 0 ? given / fitted : 0;
}

/* The code of one part that does best. */
static void start_alone(const work *w, descent *d)
{
    double least = INFINITY, size = 0;
    int64_t chosen = 0;
    memset(d->s, 0, (size_t)w->rank * sizeof *d->s);
    for (int64_t r = 0; r < w->rank; r++) {
        d->s[r] = alone(w, d, r);
        const double objective = descent_value(d);
        if (objective < least) {
            least = objective;
            size = d->s[r];
            chosen = r;
        }
        d->s[r] = 0;
    }
    d->s[chosen] = size;
}

/* Where there may be several minima, the lower one of two: from all parts, and from the one that
 * does best alone. */
static bool solve_best(const work *w, const scratch *t, descent *d)
{
    const size_t bytes = (size_t)w->rank * sizeof(double);
    double *other = t->s + 6 * w->rank;
    const bool first_solved = solve(w, d);
    if (!w->several_minima)
        return first_solved;
    const double first = descent_value(d);
    memcpy(other, d->s, bytes);
    start_alone(w, d);
    const bool solved = solve(w, d);
    if (descent_value(d) < first)
        return solved;
    memcpy(d->s, other, bytes);
    return first_solved;
}

static void finish(const work *w, const descent *d, scratch *t, int64_t i)
{
    const double most = w->encoding->precision == ORTHANT_SINGLE ? (double)FLT_MAX : DBL_MAX;
    bool fits = true;
    for (int64_t r = 0; r < w->rank; r++) {
        fits &= d->s[r] <= most;
        matrix_set_value(w->encoding, i * w->encoding->stride + r, fits ? d->s[r] : 0);
    }
    t->lost += !fits;
}

static void encode_sample(const work *w, scratch *t, strip x, int64_t i)
{
    double *cross = t->s + w->rank;
    descent d = {.rank = w->rank,
                 .terms = w->p->terms,
                 .term_count = w->p->term_count,
                 .sample = {.rank = w->rank,
                            .index = w->p->of_fit ? i : -1,
                            .cross = cross,
                            .basis_squares = w->length,
                            .scratch = t->s + 3 * w->rank},
                 .gram = w->squares ? w->gram : NULL,
                 .cross = cross,
                 .x = t->x,
                 .tile = w->columns,
                 .count = w->m,
                 .stride = w->room,
                 .entries = t->entries,
                 .panel = t->panel,
                 .s = t->s,
                 .parts = t->parts,
                 .free = t->free};
    if (w->weighted)
        take_weights(w, t, x, i);
    take_row(x.data, x.row + i - x.first, t->x, NULL);
    d.sample.squares = dot(t->x, t->x, w->m);
    kernel_table(ORTHANT_DOUBLE)
        ->vector_product((array){w->columns, w->rank, w->m, w->room}, t->x, cross);
    if (w->p->graph)
        meet_neighbours(w->p->graph, t, &d.sample, t->s + 2 * w->rank);
    if (w->weighted)
        list_entries(w, t, &d);
    if (w->weighted && w->squares)
        weigh_squares(w, t, &d, t->s + 5 * w->rank);
    d.scale = 2 / w->loss.gain;
    for (int64_t j = 0; j < d.count && w->loss.positive; j++)
        t->zeros += d.x[j] <= 0;
    const bool plain = w->weighted && w->squares && !d.term_count;
    if (!plain)
        start(w, t, &d);
    if (!(plain ? solve_squares(w, t, &d) : solve_best(w, t, &d)))
        t->missed++;
    finish(w, &d, t, i);
}

static void encode_block(void *user, strip x, block b)
{
    const work *w = user;
    for (int64_t i = b.first; i < b.first + b.rows && !w->stopped; i++)
        encode_sample(w, &w->scratch[b.thread], x, i);
}

static void strip_done(void *user, strip x)
{
    work *w = user;
    w->done += x.rows;
    w->stopped = w->stopped || !progress_tell(w->p->ctx, "transform", w->done, w->n,
                                              clock_seconds() - w->begin, NAN);
}

static orthant_status encode(work *w)
{
    const orthant_matrix *X = w->p->samples;
    int64_t missed = 0, lost = 0, zeros = 0;
    w->begin = clock_seconds();
    strips_run(&w->strips,
               &(strip_pass){.user = w, .encode = encode_block, .strip_done = strip_done});
    const orthant_status status = X->file ? row_file_status(X->file) : ORTHANT_OK;
    if (status)
        return status;
    if (w->stopped)
        return fail(w->p->ctx, ORTHANT_STOPPED, "stopped while samples were encoded");
    for (int i = 0; i < w->strips.threads; i++) {
        missed += w->scratch[i].missed;
        lost += w->scratch[i].lost;
        zeros += w->scratch[i].zeros;
    }
    if (zeros > 0)
        return fail(w->p->ctx, ORTHANT_ERROR_DATA,
                    "the loss '%s' is infinite where the data are zero, and %lld entries are",
                    w->p->loss->name, (long long)zeros);
    return transform_tell(w->p->ctx, missed, lost, w->n, w->p->iterations, w->p->tolerance);
}

orthant_status transform_general(const code_problem *p, orthant_matrix **encoding)
{
    const orthant_matrix *X = p->samples;
    work w = {.p = p,
              .loss = *p->loss,
              .weighted = p->weights != NULL,
              .squares = p->loss->quadratic,
              .n = X->rows,
              .m = X->columns,
              .rank = p->basis->columns,
              .padded = matrix_padded(ORTHANT_DOUBLE, p->basis->columns),
              .room = descent_room(X->columns) + DESCENT_MORE}; /* no columns of a power of two */
    orthant_status status;
    w.several_minima = w.loss.several_minima;
    for (int i = 0; i < p->term_count; i++)
        w.several_minima |= p->terms[i].weight > 0 && p->terms[i].kind->flags & TERM_NOT_CONVEX;
    if (w.m > INT32_MAX - 2 * KERNEL_FEATURES)
        return fail(p->ctx, ORTHANT_ERROR_ARGUMENT,
                    "codes by a loss of entries take fewer than "
                    "2^31 features");
    if (!w.squares && !w.loss.rule)
        loss_take_weights(&w.loss);
    if (!w.squares && !w.loss.rule)
        return fail(p->ctx, ORTHANT_ERROR_ARGUMENT, "loss '%s' has no rule", p->loss->name);
    if ((status = strips_setup(&w.strips, p->ctx, X, 1, BLOCK)))
        goto done;
    w.strips.row_cost = INT32_MAX; /* a code takes long: every thread is worth waking */
    w.strips.threads = transform_threads(p, scratch_bytes(&w));
    if ((status = matrix_new_factor(p->ctx, X->precision, w.n, w.rank, &w.encoding)) ||
        (status = take_basis(&w)) || (status = setup_scratch(&w)))
        goto done;
    status = encode(&w);
done:
    release(&w);
    if (status)
        orthant_matrix_free(w.encoding);
    else
        *encoding = w.encoding;
    return status;
}
