/* Class: sum_jk d_jk s_jk, where a labelled sample has d = 1 outside its class's block of columns
 * and 0 inside, an unlabelled one 0 throughout (cdNMF, eq. 14; with the KL loss eq. 23). D is never
 * formed: the block's number of each sample is enough. Half the gradient is D / 2.
 *
 * The printed KL objective (21) counts this sum once for each feature; the updates (23) minimise
 * the one counted once, which is ours. */
#include "core/memory.h"
#include "data/labels.h"
#include "engine/device.h"
#include "term/terms.h"

typedef struct class_state {
    int64_t *classes;     /* of all samples: the class, -1: not known */
    const int64_t *block; /* from the first sample of this process on */
    int64_t width;        /* columns of a class */
} class_state;

static void release(term *t)
{
    class_state *state = t->state;
    if (state)
        memory_free(t->ctx, state->classes);
    memory_free(t->ctx, state);
    t->state = NULL;
}

static orthant_status setup(term *t, const problem *p)
{
    const orthant_labels *labels = p->labels;
    int64_t classes = 0;
    class_state *state = t->state = memory_new(t->ctx, 1, sizeof *state, "the class term");
    if (!state || !(state->classes = memory_new(t->ctx, labels->count, sizeof *state->classes,
                                                "classes of samples")))
        return ORTHANT_ERROR_MEMORY;
    state->block = state->classes + p->samples->part.first;
    state->width = parameter_whole(p->parameters, "basis_per_class");
    const orthant_status status = labels_to_classes(t->ctx, labels, state->classes, &classes);
    if (status)
        return status;
    if (classes == 0)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT, "no sample has a label: every one is -1");
    if (classes > p->rank / state->width)
        return fail(t->ctx, ORTHANT_ERROR_ARGUMENT,
                    "rank %lld is too small for %lld classes with %lld column%s each: take rank "
                    "%lld%s",
                    (long long)p->rank, (long long)classes, (long long)state->width,
                    state->width > 1 ? "s" : "", (long long)(classes * state->width),
                    state->width > 1 ? ", or basis_per_class=1" : "");
    return ORTHANT_OK;
}

static void encoding(const term *t, const sweep *s, block b, array numerator, array denominator)
{
    const class_state *state = t->state;
    (void)numerator;
    s->ops->add_outside(denominator, 0.5 * t->gain, state->block + b.first, state->width);
}

static void majorise(const term *t, const sweep *s, block b, array numerator, array curvature)
{
    const class_state *state = t->state;
    (void)curvature;
    s->ops->add_outside(numerator, -0.5 * t->gain, state->block + b.first, state->width);
}

static double rows_value(const term *t, const sweep *s, block b)
{
    const class_state *state = t->state;
    return s->ops->sum_outside(sweep_rows(s, s->factors.S, b), state->block + b.first,
                               state->width);
}

/* Whether the column is outside the class of a sample of the fit; of a new one the class is not
 * known. */
static bool is_outside(const term *t, const code_sample *x, int64_t column)
{
    const class_state *state = t->state;
    const int64_t own = x->index < 0 ? -1 : state->block[x->index];
    return own >= 0 && column / state->width != own;
}

static double code_value(const term *t, const code_sample *x, const double *s)
{
    double total = 0;
    for (int64_t r = 0; r < x->rank; r++)
        total += is_outside(t, x, r) ? s[r] : 0;
    return t->weight * total;
}

static void code_parts(const term *t, const code_sample *x, const double *s, double *positive,
                       double *negative)
{
    (void)s;
    (void)negative;
    for (int64_t r = 0; r < x->rank; r++)
        positive[r] += is_outside(t, x, r) ? t->weight : 0;
}

static void describe(const term *t, device_term *to)
{
    const class_state *state = t->state;
    to->classes = state->block;
    to->class_width = state->width;
}

static const orthant_parameter_info parameters[] = {
    PARAMETER_NUMBER("class_weight", "1", 0, 1e12,
                     "weight of encodings outside a labelled sample's class"),
    PARAMETER_WHOLE("basis_per_class", "1", 1, 1e6,
                    "columns of the basis for each class: rank = this times the classes"),
    PARAMETER_END,
};

const term_kind term_class = {
    .name = "class",
    .title = "labelled samples use the columns of their class",
    .flags = TERM_NEEDS_LABELS | TERM_DESCENDS_WITH_KL | TERM_LETS_SCALE_DRIFT,
    .parameters = parameters,
    .setup = setup,
    .encoding = encoding,
    .majorise = majorise,
    .rows_value = rows_value,
    .release = release,
    .describe = describe,
    .code_value = code_value,
    .code_parts = code_parts,
};
