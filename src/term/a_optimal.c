/* A-optimality: tr((S'S + gamma I)^-1), after A-optimal nonnegative projection (ANP): the mean
 * error of a ridge regression on the encodings, so that they become a good design for one. Half its
 * gradient is -S M with M = (S'S + gamma I)^-2, split into the positive and the negative entries of
 * M: S M+ goes to the numerator, S M- to the denominator.
 *
 * S'S comes from the last sweep, and M from its eigenvectors, in double. The value is convex in
 * S'S, so no bound of the usual kind makes the multiplicative rule descend: the engine watches the
 * objective. The paper's constants were not at hand. */
#include <math.h>
#include <string.h>

#include "engine/device.h"
#include "term/gram_inverse.h"
#include "term/terms.h"

static void release(term *t)
{
    gram_inverse_free(t->ctx, t->state);
    t->state = NULL;
}

static orthant_status setup(term *t, const problem *p)
{
    gram_inverse *g = NULL;
    const orthant_status status =
        gram_inverse_new(t->ctx, p, parameter_number(p->parameters, "gamma"), &g);
    t->state = g;
    return status;
}

static void decompose(gram_inverse *g, const sweep *s)
{
    s->ops->get_values(s->sums.B, g->vectors);
    gram_inverse_decompose(g);
}

static void prepare(term *t, const sweep *s)
{
    gram_inverse *g = t->state;
    decompose(g, s);
    gram_inverse_make(g, s->ops, 2);
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    gram_inverse_add(t->state, s, b, t->gain, sweep_rows(s, s->factors.last, b), numerator,
                     denominator);
}

static double whole_value(const term *t, const sweep *s)
{
    gram_inverse *g = t->state;
    double total = 0;
    decompose(g, s);
    for (int64_t i = 0; i < g->rank; i++)
        total += 1 / g->values[i];
    return total;
}

static void describe(const term *t, device_term *to)
{
    const gram_inverse *g = t->state;
    to->constant = g->ridge;
}

/* ---- one sample ----
 *
 * A sample that joins others of the Gram matrix C - gamma I changes the value by
 * -s'C^-2 s / (1 + s'C^-1 s). Its gradient is of either sign, and concave but for what the
 * denominator takes back: it gives no curvature. */

typedef struct leverage {
    double inverse, square; /* s'C^-1 s, s'C^-2 s */
} leverage;

/* C^-p s for p = 1, 2 into two arrays; NULL: not asked for. */
static leverage code_leverage(const gram_inverse *g, const double *s, double *first, double *second)
{
    leverage found = {0, 0};
    for (int64_t e = 0; e < g->rank; e++) {
        const double *vector = g->vectors + e * g->rank;
        double along = 0;
        for (int64_t j = 0; j < g->rank; j++)
            along += vector[j] * s[j];
        const double once = along / g->values[e], twice = once / g->values[e];
        found.inverse += along * once;
        found.square += once * once;
        for (int64_t j = 0; j < g->rank && first; j++) {
            first[j] += once * vector[j];
            second[j] += twice * vector[j];
        }
    }
    return found;
}

static double code_value(const term *t, const code_sample *x, const double *s)
{
    const leverage l = code_leverage(t->state, s, NULL, NULL);
    (void)x;
    return -t->weight * l.square / (1 + l.inverse);
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    double *first = x->scratch, *second = x->scratch + x->rank;
    memset(first, 0, (size_t)(2 * x->rank) * sizeof *first);
    const leverage l = code_leverage(t->state, s, first, second);
    const double scale = 2 * t->weight / (1 + l.inverse), back = l.square / (1 + l.inverse);
    for (int64_t j = 0; j < x->rank; j++) {
        const double gain = scale * (second[j] - back * first[j]);
        (gain > 0 ? negative : positive)[j] += fabs(gain);
    }
}

static void code_prepare(term *t, const double *gram)
{
    gram_inverse *g = t->state;
    memcpy(g->vectors, gram, (size_t)(g->rank * g->rank) * sizeof *gram);
    gram_inverse_decompose(g);
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("optimality_weight", "0.01", 0, 1e12,
                     "weight of the A-optimality of the encodings"),
    PARAMETER_NUMBER("gamma", "0.01", 1e-12, 1e12, "ridge added to the encodings' Gram matrix"),
    PARAMETER_END,
};

const term_kind term_a_optimal = {
    .name = "a-optimal",
    .title = "encodings are a good design for a regression on them",
    .flags = TERM_USES_GRAM | TERM_MAY_RISE,
    .parameters = parameters,
    .setup = setup,
    .prepare = prepare,
    .encoding = encoding,
    .whole_value = whole_value,
    .release = release,
    .describe = describe,
    .code_value = code_value,
    .code_parts = code_parts,
    .code_setup = setup,
    .code_prepare = code_prepare,
};
