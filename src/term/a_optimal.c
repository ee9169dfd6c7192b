/* A-optimality: tr((S'S + gamma I)^-1), after A-optimal nonnegative projection (ANP): the mean
 * error of a ridge regression on the encodings, so that they become a good design for one. Half its
 * gradient is -S M with M = (S'S + gamma I)^-2, split into the positive and the negative entries of
 * M: S M+ goes to the numerator, S M- to the denominator.
 *
 * S'S comes from the last sweep, and M from its eigenvectors, in double. The value is convex in
 * S'S, so no bound of the usual kind makes the multiplicative rule descend: the engine watches the
 * objective. The paper's constants were not at hand. */
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
};
