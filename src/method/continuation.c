/* Fits by continuation: nlcf+ and grpnmf+ are nlcf and grpnmf, of the same objective J_w with the
 * weight w of their term, from the factors that fits at other weights end with.
 *
 *   stage s = 0 ... stages - 1   weight w first_weight^(1 - s / stages), at most stage_iterations;
 *                                each but the first begins with the factors of the one before
 *   the fit                      weight w, from the factors of the last stage
 *
 * Nothing is new in an iteration: every stage runs the rule of its method, which never raises the
 * objective of its own weight (factor.c, grpnmf.c), and the last one, whose history is the
 * result's, that of w. Between two stages the factors stay, and the objective of w with them: so
 * the fit begins at J_w of what the stages found, and ends no higher. first_weight below 1 begins
 * with hardly any penalty, above 1 with little else. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "method/grpnmf.h"

#define FIRST_WEIGHT_HELP                                                                     \
    "weight of the first stage over that of the fit; between them it goes up or down by one " \
    "factor"
#define STAGES(first_weight, stages, iterations)                                            \
    PARAMETER_NUMBER("first_weight", first_weight, 1e-6, 1e6, FIRST_WEIGHT_HELP),           \
        PARAMETER_WHOLE("stages", stages, 0, 100, "fits at other weights before; 0: none"), \
        PARAMETER_WHOLE("stage_iterations", iterations, 1, 1e9, "iterations of each at most")

const orthant_parameter_info nlcf_plus_parameters[] = {STAGES("0.01", "2", "100"), PARAMETER_END};

const orthant_parameter_info grpnmf_plus_parameters[] = {
    GRPNMF_PARAMETERS, STAGES("0.001", "3", "500"),
    PARAMETER_NUMBER("stage_exponent", "1", 0.01, 1, "exponent in the stages"), PARAMETER_END};

typedef struct continuation {
    fit *f;
    orthant_model model; /* the user's, with the parameters and the starts of a stage */
    const char *weight;  /* the parameter */
    double full;
    orthant_result *before; /* the stage before: its factors are the starts */
} continuation;

static orthant_status set_number(continuation *c, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return parameter_assign(c->f->ctx, &c->model.parameters, c->model.method->name, name, text);
}

/* The factors of the stage that ended start the next one. */
static void take_starts(continuation *c, orthant_result *ended)
{
    orthant_result_free(c->before);
    c->before = ended;
    c->model.start_count = ended->factor_count;
    for (int i = 0; i < ended->factor_count; i++) {
        snprintf(c->model.starts[i].name, sizeof c->model.starts[i].name, "%s",
                 ended->factors[i].name);
        c->model.starts[i].matrix = ended->factors[i].matrix;
    }
}

/* One stage, as a fit of its own that nobody looks at. */
static orthant_status run_stage(continuation *c, double weight, orthant_status (*run)(fit *f))
{
    fit *f = c->f;
    orthant_result *const of_fit = f->result;
    orthant_status status = set_number(c, c->weight, weight);
    f->result = NULL;
    if (!status && !(status = fit_new_result(f)))
        status = run(f);
    if (!status) {
        of_fit->neighbours = f->result->neighbours;
        c->model.graph = f->graph;
        take_starts(c, f->result);
    } else {
        orthant_result_free(f->result);
    }
    f->result = of_fit;
    return status;
}

/* Before its last stage ended. */
static bool is_stopped(const continuation *c)
{
    return c->before && c->before->history.stopped;
}

static orthant_status run_stages(continuation *c, orthant_status (*run)(fit *f))
{
    fit *f = c->f;
    const parameter_set *set = &f->model->parameters;
    const int64_t stages = parameter_whole(set, "stages");
    const double first = parameter_number(set, "first_weight");
    const loop_keeper keeper = f->checkpoints.keeper;
    const orthant_model *of_user = f->model;
    orthant_status status = set_number(c, "iterations", parameter_number(set, "stage_iterations"));
    if (!status && parameter_has(set, "stage_exponent"))
        status = set_number(c, "exponent", parameter_number(set, "stage_exponent"));
    /* multiplicative updates never leave a zero, which the encodings' minimum is full of */
    if (!status && parameter_has(set, "final_encodings"))
        status =
            parameter_assign(f->ctx, &c->model.parameters, "a stage", "final_encodings", "last");
    f->model = &c->model;
    f->checkpoints.keeper = (loop_keeper){.iterations = -1};
    for (int64_t s = 0; s < stages && !status && !is_stopped(c); s++)
        status = run_stage(c, c->full * pow(first, 1 - (double)s / (double)stages), run);
    f->checkpoints.keeper = keeper;
    f->model = of_user;
    return status;
}

/* A fit that goes on from a checkpoint has its stages behind it. */
static orthant_status continue_fit(fit *f, const char *weight, orthant_status (*run)(fit *f))
{
    const parameter_set *set = &f->model->parameters;
    const orthant_model *of_user = f->model;
    continuation c = {.f = f, .model = *of_user, .weight = weight};
    c.full = parameter_number(set, weight);
    c.model.iteration = NULL;
    /* the settings of a checkpoint are the user's, not those of a stage */
    if (f->checkpoints.keeper.to && !f->checkpoints.keeper.settings(f))
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = fit_resumes(f) ? ORTHANT_OK : run_stages(&c, run);
    if (!status) {
        c.model.parameters = of_user->parameters;
        c.model.iteration = of_user->iteration;
        f->model = &c.model;
        if (is_stopped(&c)) /* nobody shall go on from there without the other stages */
            f->checkpoints.keeper.to = NULL;
        status = run(f);
        f->model = of_user;
    }
    if (!status && is_stopped(&c))
        status = fit_note(f, "stopped in a stage before the fit itself: there is no checkpoint to "
                             "go on from");
    orthant_result_free(c.before);
    return status;
}

orthant_status nlcf_plus_run(fit *f)
{
    return continue_fit(f, "local_weight", factor_run);
}

orthant_status grpnmf_plus_run(fit *f)
{
    return continue_fit(f, "graph_weight", grpnmf_run);
}
