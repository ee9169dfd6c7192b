/* The variants of a study: every method with every value of the lists, and the sweeps. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "method/fit.h"
#include "study/study.h"
#include "study/trial.h"

#define DEFAULT_FRACTION "0.1"
#define MOST_VARIANTS 100000

/* The lists that make variants, in the order of a label. */
static const char *const lists[] = {"init", "scale", "solver", "start"};
enum { LIST_INIT, LIST_SCALE, LIST_SOLVER, LIST_START, LISTS };

/* Settings that go to the methods that have the parameter; NULL: to all. */
static const struct {
    const char *name, *parameter;
} passed[] = {
    {"iterations", NULL},         {"tolerance", NULL},  {"time-limit", NULL},
    {"labels-rule", NULL},        {"restarts", NULL},   {"graph", "neighbours"},
    {"weights", "neighbours"},    {"search", "search"}, {"pooling", "pooling"},
    {"similarity", "similarity"}, {"missing", NULL},
};
#define PASSED ((int)(sizeof passed / sizeof *passed))

typedef struct maker {
    orthant_study *study;
    const orthant_model *model; /* of the method at hand, at its defaults */
    const char *method;
    settings given;
    const char *choice[LISTS]; /* NULL: not asked for */
    bool *used;                /* by some method, for each of the study's settings */
} maker;

/* The next item of "a,b,c" into the study's texts; what is left, or NULL. */
static const char *next_item(orthant_study *study, const char *list, const char **item,
                             orthant_status *status)
{
    char text[256];
    const size_t length = strcspn(list, ",");
    *item = NULL;
    if (!length || length >= sizeof text) {
        *status = fail(study->ctx, ORTHANT_ERROR_ARGUMENT,
                       "'%.200s': expected names with a comma between them", list);
        return NULL;
    }
    snprintf(text, sizeof text, "%.*s", (int)length, list);
    *item = study_text(study, text);
    if (!*item)
        *status = ORTHANT_ERROR_MEMORY;
    return list[length] ? list + length + 1 : NULL;
}

static bool has_parameter(const orthant_model *model, const char *name)
{
    char value[PARAMETER_TEXT];
    return !orthant_model_get(model, name, value, sizeof value);
}

static void mark_used(const maker *m, const char *name)
{
    for (int i = 0; i < m->given.count; i++)
        if (!strcmp(m->given.list[i].name, name))
            m->used[i] = true;
}

/* ---- the settings of one variant --------------------------------------------------------------
 */

static orthant_status add_setting(const maker *m, study_variant *variant, const char *name,
                                  const char *value)
{
    orthant_context *ctx = m->study->ctx;
    setting *list = memory_resize(ctx, variant->list, variant->count + 1, sizeof *list,
                                  "the settings of a variant");
    if (!list)
        return ORTHANT_ERROR_MEMORY;
    variant->list = list;
    variant->list[variant->count++] = (setting){name, value};
    return ORTHANT_OK;
}

/* "tnmf.pooling_weight=1": behind the point where the method is this one, else NULL. "weight=1" is
 * for every method that has it. */
static const char *parameter_for(const maker *m, const char *pair)
{
    char name[64];
    const size_t point = strcspn(pair, ".="), length = strlen(m->method);
    if (pair[point] == '.')
        return point == length && !strncmp(pair, m->method, length) ? pair + point + 1 : NULL;
    snprintf(name, sizeof name, "%.*s", (int)point, pair);
    return has_parameter(m->model, name) ? pair : NULL;
}

static orthant_status add_parameters(const maker *m, study_variant *variant)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < m->given.count && !status; i++) {
        if (strcmp(m->given.list[i].name, "parameter"))
            continue;
        const char *pair = parameter_for(m, m->given.list[i].value);
        m->used[i] = m->used[i] || pair;
        if (pair)
            status = add_setting(m, variant, "parameter", pair);
    }
    return status;
}

static orthant_status add_passed(const maker *m, study_variant *variant)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < PASSED && !status; i++) {
        const char *value = settings_value(&m->given, passed[i].name);
        /* Data that is a similarity is one for every method. */
        const bool wanted = !passed[i].parameter || has_parameter(m->model, passed[i].parameter) ||
                            (value && !strcmp(value, "given"));
        if (!value || !wanted)
            continue;
        mark_used(m, passed[i].name);
        status = add_setting(m, variant, passed[i].name, value);
    }
    return status;
}

static orthant_status add_labelled(const maker *m, study_variant *variant)
{
    const char *fraction = settings_value(&m->given, "labelled-fraction");
    const char *count = settings_value(&m->given, "labelled-per-class");
    orthant_status status = ORTHANT_OK;
    if (!model_uses_labels(m->model))
        return ORTHANT_OK;
    mark_used(m, "labelled-fraction");
    mark_used(m, "labelled-per-class");
    if (count)
        status = add_setting(m, variant, "labelled-per-class", count);
    if (!status && (fraction || !count))
        status =
            add_setting(m, variant, "labelled-fraction", fraction ? fraction : DEFAULT_FRACTION);
    return status;
}

/* The choices of the lists; the scale is the data's, not the trial's. */
static orthant_status add_choices(const maker *m, study_variant *variant)
{
    orthant_status status = ORTHANT_OK;
    for (int l = 0; l < LISTS && !status; l++)
        if (m->choice[l] && l != LIST_SCALE)
            status = add_setting(m, variant, lists[l], m->choice[l]);
    return status;
}

/* What a trial refuses is refused now. */
static orthant_status check_variant(const maker *m, study_variant *variant)
{
    trial t;
    const orthant_status status =
        trial_begin(m->study->ctx, (settings){variant->count, variant->list}, 1, &t);
    if (!status)
        variant->columns_per_class = trial_columns_per_class(&t);
    trial_free(&t);
    return status;
}

/* `suffix` is what the label has behind the method; `pair` the value of a sweep, or NULL. */
static orthant_status add_variant(const maker *m, const char *suffix, const char *pair)
{
    orthant_study *study = m->study;
    char label[512];
    if (study->variants == study->variant_capacity) {
        const int capacity = study->variant_capacity ? 2 * study->variant_capacity : 16;
        study_variant *list =
            capacity > MOST_VARIANTS
                ? NULL
                : memory_resize(study->ctx, study->variant, capacity, sizeof *list, "variants");
        if (!list)
            return ORTHANT_ERROR_MEMORY;
        study->variant = list;
        study->variant_capacity = capacity;
    }
    study_variant *variant = &study->variant[study->variants++];
    *variant = (study_variant){.method = m->method,
                               .scale = m->choice[LIST_SCALE] ? m->choice[LIST_SCALE] : "none"};
    snprintf(label, sizeof label, "%s%s%s%s", m->method, suffix, pair ? " " : "", pair ? pair : "");
    variant->label = study_text(study, label);
    orthant_status status = variant->label ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int i = 0; i + 1 < study->variants && !status; i++)
        if (!strcmp(study->variant[i].label, label))
            status = fail(study->ctx, ORTHANT_ERROR_ARGUMENT, "'%.200s' is asked for twice", label);
    if (!status)
        status = add_setting(m, variant, "method", m->method);
    if (!status)
        status = add_passed(m, variant);
    if (!status)
        status = add_labelled(m, variant);
    if (!status)
        status = add_choices(m, variant);
    if (!status)
        status = add_parameters(m, variant);
    if (!status && pair)
        status = add_setting(m, variant, "parameter", pair);
    return status ? status : check_variant(m, variant);
}

/* ---- lists and sweeps -------------------------------------------------------------------------
 */

static bool takes_list(const maker *m, int list)
{
    return list == LIST_SCALE || list == LIST_START || has_parameter(m->model, lists[list]);
}

/* Every combination of the lists from `list` on; the first of each is the plain method and stays
 * out of the label. A method that does not have the parameter takes no part in its list. */
static orthant_status add_combinations(maker *m, int list, const char *suffix)
{
    if (list == LISTS)
        return add_variant(m, suffix, NULL);
    const char *values = settings_value(&m->given, lists[list]);
    orthant_status status = ORTHANT_OK;
    if (!values || !takes_list(m, list))
        return add_combinations(m, list + 1, suffix);
    mark_used(m, lists[list]);
    for (const char *at = values; at && !status;) {
        char longer[400];
        const bool plain = at == values;
        at = next_item(m->study, at, &m->choice[list], &status);
        if (status)
            break;
        snprintf(longer, sizeof longer, "%s%s%s%s%s", suffix, plain ? "" : " ",
                 plain ? "" : lists[list], plain ? "" : "=", plain ? "" : m->choice[list]);
        status = add_combinations(m, list + 1, longer);
    }
    m->choice[list] = NULL;
    return status;
}

/* The first item of each list: what sweeps start from. */
static orthant_status choose_plain(maker *m)
{
    orthant_status status = ORTHANT_OK;
    for (int l = 0; l < LISTS && !status; l++) {
        const char *values = settings_value(&m->given, lists[l]);
        m->choice[l] = NULL;
        if (values && takes_list(m, l))
            next_item(m->study, values, &m->choice[l], &status);
    }
    return status;
}

/* "tnmf.pooling_weight=0.1,1": a variant for each value. */
static orthant_status add_sweep(maker *m, const char *swept)
{
    char name[64];
    const char *rest = swept + strlen(m->method) + 1;
    const size_t length = strcspn(rest, "=");
    orthant_status status = ORTHANT_OK;
    snprintf(name, sizeof name, "%.*s", (int)length, rest);
    for (const char *at = rest + length + 1; at && !status;) {
        char pair[400];
        const char *value;
        at = next_item(m->study, at, &value, &status);
        if (status)
            break;
        snprintf(pair, sizeof pair, "%s=%s", name, value);
        const char *kept = study_text(m->study, pair);
        status = kept ? add_variant(m, "", kept) : ORTHANT_ERROR_MEMORY;
    }
    return status;
}

static bool sweep_is_of(const char *swept, const char *method)
{
    const size_t length = strlen(method);
    return !strncmp(swept, method, length) && swept[length] == '.';
}

static orthant_status add_method(maker *m, const char *method)
{
    orthant_model *model = NULL;
    const char *swept;
    orthant_status status = orthant_model_create(m->study->ctx, method, 1, &model);
    m->method = method;
    m->model = model;
    /* The choices of the method before are not this one's. */
    memset(m->choice, 0, sizeof m->choice);
    if (!status)
        status = add_combinations(m, 0, "");
    if (!status)
        status = choose_plain(m);
    for (int i = 0; !status && (swept = settings_nth(&m->given, "sweep", i)); i++)
        if (sweep_is_of(swept, method))
            status = add_sweep(m, swept);
    orthant_model_free(model);
    m->model = NULL;
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static orthant_status check_sweep(const maker *m, const char *swept, char *method, size_t size)
{
    orthant_method_info info = {.size = sizeof info};
    const size_t point = strcspn(swept, ".="), equals = strcspn(swept, "=");
    if (swept[point] != '.' || point >= size || equals <= point + 1 || !swept[equals] ||
        !swept[equals + 1])
        return fail(m->study->ctx, ORTHANT_ERROR_ARGUMENT,
                    "sweep = '%.200s': expected METHOD.PARAMETER=VALUE,VALUE,..., as in "
                    "tnmf.pooling_weight=0.1,1,10",
                    swept);
    snprintf(method, size, "%.*s", (int)point, swept);
    return orthant_method_info_by_name(m->study->ctx, method, &info);
}

/* A sweep's method takes part whether or not it is listed. */
static orthant_status add_swept_methods(maker *m)
{
    const char *swept;
    orthant_status status = ORTHANT_OK;
    for (int i = 0; !status && (swept = settings_nth(&m->given, "sweep", i)); i++) {
        char method[64];
        bool there = false;
        status = check_sweep(m, swept, method, sizeof method);
        for (int v = 0; v < m->study->variants && !status; v++)
            there = there || !strcmp(m->study->variant[v].method, method);
        const char *kept = status || there ? NULL : study_text(m->study, method);
        if (!status && !there)
            status = kept ? add_method(m, kept) : ORTHANT_ERROR_MEMORY;
    }
    return status;
}

/* A prefix that is no method, or something that no method here takes. */
static orthant_status refuse_unused(const maker *m)
{
    static const char recorded[] =
        "methods,classes,repeats,seed,scale,start,sweep,variable,truth,"
        "label-column,id-column,drop,size,order,transpose,map,color,command";
    for (int i = 0; i < m->given.count; i++) {
        const setting *s = &m->given.list[i];
        if (m->used[i] || text_in_list(recorded, s->name))
            continue;
        return fail(m->study->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s = '%.200s': none of the methods compared has a use for it", s->name,
                    s->value);
    }
    return ORTHANT_OK;
}

orthant_status study_make_variants(orthant_study *study)
{
    maker m = {.study = study, .given = {study->given_count, study->given}};
    const char *methods = settings_value(&m.given, "methods"), *swept;
    orthant_status status = ORTHANT_OK;
    if (!methods && !settings_value(&m.given, "sweep"))
        return fail(study->ctx, ORTHANT_ERROR_ARGUMENT,
                    "no methods to compare: give methods = 'A,B,...'");
    m.used = memory_new(study->ctx, study->given_count, sizeof *m.used, "settings in use");
    if (!m.used)
        return ORTHANT_ERROR_MEMORY;
    for (int i = 0; !status && (swept = settings_nth(&m.given, "sweep", i)); i++) {
        char method[64];
        status = check_sweep(&m, swept, method, sizeof method);
    }
    for (const char *at = methods; at && !status;) {
        const char *method;
        at = next_item(study, at, &method, &status);
        if (!status)
            status = add_method(&m, method);
    }
    if (!status)
        status = add_swept_methods(&m);
    if (!status)
        status = refuse_unused(&m);
    memory_free(study->ctx, m.used);
    return status;
}
