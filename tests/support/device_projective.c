#include "device_projective.h"

#include "fixture.h"

#include <stdio.h>

#include "device_fit.h"

typedef struct projective_case {
    const char *method, *weight, *exponent; /* NULL: the default */
} projective_case;

static const projective_case cases[] = {{"grpnmf", NULL, NULL},
                                        {"grpnmf", "0", NULL},
                                        {"grpnmf", "100", "1"},
                                        {"cluster-nmf", NULL, NULL},
                                        {"cluster-nmf", NULL, "1"}};

typedef struct projective_shape {
    int64_t samples, features, rank;
} projective_shape;

/* The last ones are not for plain loops. */
#define FEW_SHAPES 3
static const projective_shape shapes[] = {{61, 7, 3},   {130, 30, 5},  {9, 4, 1},     {1000, 3, 12},
                                          {700, 5, 25}, {14459, 3, 5}, {40000, 17, 8}};

static const char *name_of(const projective_case *c, const projective_shape *shape, bool single)
{
    static char text[160];
    snprintf(text, sizeof text, "%s, graph_weight %s, exponent %s, %s, %d x %d, k %d", c->method,
             c->weight ? c->weight : "10", c->exponent ? c->exponent : "0.25",
             single ? "single" : "double", (int)shape->samples, (int)shape->features,
             (int)shape->rank);
    return text;
}

static void check_case(const projective_case *c, const projective_shape *shape, bool single,
                       const char *kind)
{
    test_problem p;
    const char *name = name_of(c, shape, single);
    problem_make(&p, (problem_shape){.samples = shape->samples,
                                     .features = shape->features,
                                     .precision = single ? ORTHANT_SINGLE : ORTHANT_DOUBLE,
                                     .seed = 11});
    /* With exponent 1 steps that raise the objective are taken again, and close to the end rounding
     * decides which these are. */
    orthant_model *model = problem_model(&p, c->method, shape->rank, c->exponent ? "12" : "25");
    if (c->weight)
        expect_ok(p.ctx, orthant_model_set(model, "graph_weight", c->weight));
    if (c->exponent)
        expect_ok(p.ctx, orthant_model_set(model, "exponent", c->exponent));
    device_check_fit(&p, model, name, kind, single ? 1e-5 : 1e-11);
    orthant_model_free(model);
    problem_free(&p);
}

void device_check_projective(const char *kind, bool large)
{
    const size_t count = large ? sizeof shapes / sizeof *shapes : FEW_SHAPES;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int single = 0; single < 2 && (!cases[c].exponent || shapes[i].rank > 1); single++)
                check_case(&cases[c], &shapes[i], single, kind);
}
