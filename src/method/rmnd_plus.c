/* RMND with a solver that goes on to a minimum: the objective, the constraints and the start of
 * rmnd.c, with the letters of that file,
 *
 *   D = (1/2)|K - A A'M H|^2,  A, M, H >= 0, columns of A of unit length, those of M sum to 1.
 *
 * An iteration, every part of which lowers D or leaves the factors where they are:
 *
 *   H  The columns of H are nonnegative least squares problems of their own with Z = A A'M, whose
 *      Gram matrix C'G C and products K Z = (K A) C are q wide. Each is solved to its minimum
 *      (code.h), so D cannot rise.
 *   M  D is convex and quadratic in M, with the gradient A (G C N - P) and the curvature
 *      Q -> A G A' Q N. A G A' lies below g^2, g the largest row sum of G = A'A, since the
 *      eigenvalues of A G A' are those of G^2; N lies below diag(e), e its row sums, since
 *      diag(e) - N is a graph's Laplacian. So the steps
 *
 *        M <- max(0, Y - A (G C_Y N - P) diag(g^2 e)^-1),   Y = M + b (M - M of the step before)
 *
 *      never raise D where b = 0: they minimise a quadratic majoriser. b is Nesterov's,
 *      b = (t - 1)/t', t' = (1 + sqrt(1 + 4 t^2))/2, t = 1 at first; a step that would raise D is
 *      made again with b = 0, and t begins anew. Then M <- M U^-1, H <- U H with the column sums U,
 *      which leaves D as it is.
 *   A  <- projection of Y - mu dD/dA(Y), Y = A + b (A - A of the step before): negatives to 0,
 *      columns to unit length. A step is taken where D falls. Where it does not, b is 0, and then
 *      mu is halved until it does or A is left as it is. A step that was taken makes mu larger.
 *
 * `inner_steps` of M and of A each. K is read twice per iteration, as by rmnd: the steps take
 * products of n x q factors alone. Nothing else changes D, so the history never rises. (FISTA: Beck
 * and Teboulle 2009; its restart: O'Donoghue and Candes 2015.) */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "method/code.h"
#include "method/rmnd.h"

#define CODE_PASSES 100
#define STEP_GROWS 1.5

const orthant_parameter_info rmnd_plus_parameters[] = {
    PARAMETER_WORD("start", "snmf", "snmf|random",
                   "snmf: 100 iterations of symmetric NMF; random sits on a saddle for long"),
    PARAMETER_WHOLE("inner_steps", "4", 1, 1000,
                    "steps of the distribution, and of the relation, per iteration"),
    SIMILARITY_PARAMETERS,
    PARAMETER_END,
};

/* Of the steps of A, or of M. */
typedef struct momentum {
    array last; /* the factor before the last step */
    double t, b;
} momentum;

typedef struct rmnd_plus {
    rmnd r;           /* the first: the loop's state */
    rmnd_point ahead; /* Y, and what belongs to it */
    momentum of_A, of_M;
    double *last_C;              /* A' times the last M */
    double *lengths, *quadratic; /* of the least squares: 1 / |z_j|, and Z'Z with its diagonal 1 */
    double *scratch;             /* of each thread */
    int64_t *free;
} rmnd_plus;

/* ------------------------------------------------------------------ H */

/* The rows of E of a block; K Z stands in r->gradient. */
static void encode_rows(void *user, int64_t piece, int thread)
{
    const rmnd_plus *s = user;
    const rmnd *r = &s->r;
    const int64_t q = r->p.q, first = piece * r->p.rows,
                  end = piece + 1 < r->p.blocks ? first + r->p.rows : r->p.n;
    double *numbers = s->scratch + thread * (code_numbers(q) + q),
           *cross = numbers + code_numbers(q);
    code c = code_new(&code_frobenius, q, numbers, s->free + thread * q);
    c.gram = (array){s->quadratic, q, q, q};
    c.cross = cross;
    for (int64_t i = first; i < end; i++) {
        double scale = 0;
        for (int64_t j = 0; j < q; j++) {
            cross[j] = matrix_value(r->gradient, i * r->gradient->stride + j) * s->lengths[j];
            scale = fmax(scale, cross[j]);
        }
        for (int64_t j = 0; j < q; j++) {
            const double entry = matrix_value(r->encoding, i * r->encoding->stride + j);
            const bool counts = scale > 0 && s->lengths[j] > 0;
            cross[j] = scale > 0 ? cross[j] / scale : 0;
            c.s[j] = counts ? entry / s->lengths[j] / scale : 0;
        }
        code_solve(&c, CODE_PASSES, 0);
        for (int64_t j = 0; j < q; j++)
            matrix_set_value(r->encoding, i * r->encoding->stride + j,
                             c.s[j] * scale * s->lengths[j]);
    }
}

static void solve_encoding(rmnd_plus *s)
{
    rmnd *r = &s->r;
    const int64_t q = r->p.q;
    rmnd_make_CGC(r, r->now.C, r->now.G);
    for (int64_t j = 0; j < q; j++)
        s->lengths[j] = r->CGC[j * q + j] > 0 ? 1 / sqrt(r->CGC[j * q + j]) : 0;
    for (int64_t e = 0; e < q * q; e++)
        s->quadratic[e] = r->CGC[e] * s->lengths[e / q] * s->lengths[e % q];
    panels_product(&r->p, r->gradients, r->KA, r->now.C, false);
    parallel_for(r->p.ctx, r->p.blocks, encode_rows, s);
    panels_gram(&r->p, r->E, r->E, r->N);
    panels_gram(&r->p, r->KA, r->E, r->now.P);
    r->now.D = rmnd_distance(r, r->now.P, r->now.C, r->now.G);
}

/* ------------------------------------------------------------------ momentum */

/* t of the next step, and b of this one; `again`: from the beginning. */
static void next_momentum(momentum *m, bool again)
{
    const double t = again ? 1 : m->t;
    m->t = (1 + sqrt(1 + 4 * t * t)) / 2;
    m->b = (t - 1) / m->t;
}

static void extrapolate(const kernels *ops, const momentum *m, array to, array now, int64_t first,
                        int64_t rows)
{
    const array y = array_rows(ops, to, first, rows), x = array_rows(ops, now, first, rows);
    ops->copy(y, x);
    ops->add(y, m->b, x);
    ops->add(y, -m->b, array_rows(ops, m->last, first, rows));
}

/* ------------------------------------------------------------------ M */

/* The trial of M: its descent from Y, whose factor of A is r->terms[0]. */
static void descend_task(void *user, int64_t piece, int64_t first, int64_t rows)
{
    const rmnd_plus *s = user;
    const rmnd *r = &s->r;
    const kernels *ops = r->p.k;
    const array to = array_rows(ops, r->trial.a, first, rows);
    (void)piece;
    extrapolate(ops, &s->of_M, r->trial.a, r->M, first, rows);
    ops->product(to, array_rows(ops, r->now.a, first, rows), r->terms[0], true);
    ops->positive_part(to);
}

/* -(G C_Y N - P) diag(g^2 e)^-1 */
static void make_descent(rmnd_plus *s)
{
    rmnd *r = &s->r;
    const int64_t q = r->p.q;
    double largest = 0, *C = s->ahead.C;
    memset(r->columns, 0, (size_t)q * sizeof *r->columns);
    for (int64_t i = 0; i < q; i++) {
        double sum = 0;
        for (int64_t j = 0; j < q; j++) {
            sum += r->now.G[i * q + j];
            r->columns[j] += r->N[i * q + j];
            C[i * q + j] =
                r->now.C[i * q + j] + s->of_M.b * (r->now.C[i * q + j] - s->last_C[i * q + j]);
        }
        largest = fmax(largest, sum);
    }
    small_product(q, r->now.G, false, C, r->first);
    small_product(q, r->first, false, r->N, r->second);
    for (int64_t e = 0; e < q * q; e++) {
        const double curvature = largest * largest * r->columns[e % q];
        r->second[e] = curvature > 0 ? (r->now.P[e] - r->second[e]) / curvature : 0;
    }
    r->p.k->set_values(r->terms[0], r->second);
}

/* False where nothing is gained. */
static bool step_distribution(rmnd_plus *s)
{
    rmnd *r = &s->r;
    const panels_pair pair = {r->now.a, r->trial.a, r->trial.C};
    next_momentum(&s->of_M, false);
    for (;;) {
        make_descent(s);
        panels_grams(&r->p, 1, &pair, descend_task, s);
        const double D = rmnd_distance(r, r->now.P, r->trial.C, r->now.G);
        if (D < r->now.D) {
            r->now.D = D;
            break;
        }
        if (!(s->of_M.b > 0))
            return false;
        next_momentum(&s->of_M, true);
    }
    r->p.k->copy(s->of_M.last, r->M);
    r->p.k->copy(r->M, r->trial.a);
    memcpy(s->last_C, r->now.C, (size_t)(r->p.q * r->p.q) * sizeof *s->last_C);
    rmnd_swap(&r->now.C, &r->trial.C);
    return true;
}

static void solve_distribution(rmnd_plus *s)
{
    rmnd *r = &s->r;
    panels_gram(&r->p, r->now.a, s->of_M.last, s->last_C);
    for (int64_t i = 0; i < r->inner_steps && step_distribution(s); i++)
        ;
    rmnd_normalise_distribution(r);
    panels_scale_columns(&r->p, s->of_M.last, r->columns);
}

/* ------------------------------------------------------------------ A */

static void ahead_task(void *user, int64_t piece, int64_t first, int64_t rows)
{
    const rmnd_plus *s = user;
    (void)piece;
    extrapolate(s->r.p.k, &s->of_A, s->ahead.a, s->r.now.a, first, rows);
}

/* What the gradient at Y takes. */
static void look_ahead(rmnd_plus *s)
{
    rmnd *r = &s->r;
    rmnd_point *y = &s->ahead;
    const panels_pair pairs[] = {{y->a, y->a, y->G}, {y->a, r->M, y->C}, {y->a, r->KE, y->P}};
    panels_grams(&r->p, 3, pairs, ahead_task, s);
}

/* False where no mu lets D fall. */
static bool step_relation(rmnd_plus *s)
{
    rmnd *r = &s->r;
    double mu = STEP_GROWS * r->mu;
    bool first = true;
    next_momentum(&s->of_A, false);
    if (s->of_A.b > 0)
        look_ahead(s);
    for (int i = 0; i <= RMND_MOST_HALVINGS; i++) {
        rmnd_make_trial(r, s->of_A.b > 0 ? &s->ahead : &r->now, mu, first);
        const double D = rmnd_distance(r, r->trial.P, r->trial.C, r->trial.G);
        if (D < r->now.D) {
            r->p.k->copy(s->of_A.last, r->now.a);
            rmnd_accept_trial(r, D);
            r->mu = mu;
            return true;
        }
        if ((first = s->of_A.b > 0))
            next_momentum(&s->of_A, true);
        else
            mu *= 0.5;
    }
    return false;
}

static void step(void *state)
{
    rmnd_plus *s = state;
    rmnd *r = &s->r;
    view_product(&r->view, &r->p, r->now.a, r->KA);
    solve_encoding(s);
    solve_distribution(s);
    rmnd_encoding_changed(r);
    for (int64_t i = 0; i < r->inner_steps && step_relation(s); i++)
        ;
}

static void parts(void *state, checkpoint_parts *parts)
{
    rmnd_plus *s = state;
    rmnd_parts(&s->r, parts);
    parts_add_array(parts, "last relation", s->r.p.k, s->of_A.last);
    parts_add_array(parts, "last distribution", s->r.p.k, s->of_M.last);
    parts_add_field(parts, "momentum of the relation", &s->of_A.t, sizeof s->of_A.t);
    parts_add_field(parts, "momentum of the distribution", &s->of_M.t, sizeof s->of_M.t);
}

/* ------------------------------------------------------------------ setup */

static orthant_status setup(fit *f, rmnd_plus *s)
{
    const int64_t q = f->model->rank, threads = parallel_threads(f->ctx);
    const struct {
        double **to;
        int64_t count;
    } all[] = {{&s->ahead.G, q * q},
               {&s->ahead.C, q * q},
               {&s->ahead.P, q * q},
               {&s->last_C, q * q},
               {&s->quadratic, q * q},
               {&s->lengths, q},
               {&s->scratch, threads * (code_numbers(q) + q)}};
    orthant_status status = rmnd_setup(f, &s->r);
    if (!status)
        status =
            matrix_new_factor(f->ctx, f->samples->precision, f->samples->rows, q, &s->ahead.matrix);
    if (!status)
        status = panels_new_array(&s->r.p, &s->of_A.last);
    if (!status)
        status = panels_new_array(&s->r.p, &s->of_M.last);
    if (status)
        return status;
    s->ahead.a = matrix_array(s->ahead.matrix);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].to = memory_new(f->ctx, all[i].count, sizeof(double), "a small matrix")))
            return ORTHANT_ERROR_MEMORY;
    s->free = memory_new(f->ctx, threads * q, sizeof *s->free, "scratch");
    return s->free ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static void release(fit *f, rmnd_plus *s)
{
    void *held[] = {s->ahead.G, s->ahead.C, s->ahead.P, s->last_C,         s->quadratic,
                    s->lengths, s->scratch, s->free,    s->of_A.last.data, s->of_M.last.data};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        memory_free(f->ctx, held[i]);
    orthant_matrix_free(s->ahead.matrix);
    rmnd_release(f, &s->r);
}

orthant_status rmnd_plus_run(fit *f)
{
    rmnd_plus s = {.of_A.t = 1, .of_M.t = 1};
    orthant_status status = setup(f, &s);
    if (!status)
        status = rmnd_iterate(f, &s.r, (loop_steps){.step = step, .parts = parts});
    release(f, &s);
    return status;
}
