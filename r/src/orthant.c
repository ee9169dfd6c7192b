/* What R calls. An error of R jumps out of the C code: the library's objects hang on a binding,
 * which R_ExecWithCleanup ends whatever happens. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "calls.h"

/* ---- while the library works: no jump may pass through it --------------------------------------
 */

static void check_interrupt(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

static pthread_t caller; /* R's own thread: no other may ask R anything */

static bool interrupted(void)
{
    return pthread_equal(pthread_self(), caller) && !R_ToplevelExec(check_interrupt, NULL);
}

static void print_text(void *text)
{
    Rprintf("%s", (const char *)text);
    R_FlushConsole();
}

static void print(const char *text)
{
    if (pthread_equal(pthread_self(), caller))
        R_ToplevelExec(print_text, (void *)(uintptr_t)text);
}

/* ---- a call ------------------------------------------------------------------------------------
 */

void check(const call *c, orthant_status status)
{
    if (status)
        Rf_errorcall(R_NilValue, "%s", binding_refusal(&c->b));
}

/* The result, with what the library said meanwhile. */
static SEXP run_and_tell(void *user)
{
    call *c = user;
    caller = pthread_self();
    if (binding_begin(&c->b, (binding_host){interrupted, print}))
        Rf_errorcall(R_NilValue, "no memory for a context");
    SEXP result = PROTECT(c->run(c));
    list l = list_begin(4);
    SEXP texts = PROTECT(Rf_allocVector(STRSXP, c->b.message_count));
    SEXP warnings = PROTECT(Rf_allocVector(LGLSXP, c->b.message_count));
    for (int i = 0; i < c->b.message_count; i++) {
        SET_STRING_ELT(texts, i, Rf_mkCharCE(c->b.messages[i].text, CE_UTF8));
        LOGICAL(warnings)[i] = c->b.messages[i].level == ORTHANT_LOG_WARNING;
    }
    list_add(&l, "result", result);
    list_add(&l, "texts", texts);
    list_add(&l, "warnings", warnings);
    list_add(&l, "interrupted", Rf_ScalarLogical(c->b.interrupted));
    UNPROTECT(2);
    list_end(&l);
    UNPROTECT(1);
    return l.values;
}

static void end_call(void *user)
{
    binding_end(&((call *)user)->b);
}

SEXP run_call(SEXP (*run)(call *), SEXP *given)
{
    call c = {.given = given, .run = run};
    return R_ExecWithCleanup(run_and_tell, &c, end_call, &c);
}

/* ---- options -----------------------------------------------------------------------------------
 */

static void set_option(call *c, const char *name, SEXP value, int turn)
{
    if ((turn != BINDING_TURN_RANK && binding_turn(name) != turn) || value == R_NilValue)
        return;
    const binding_value given = value_of(value, name);
    check(c, turn == BINDING_TURN_RANK ? binding_rank_set(&c->b, name, &given)
                                       : binding_set(&c->b, name, &given));
}

void set_options(call *c, SEXP options, int turn)
{
    const SEXP names = Rf_getAttrib(options, R_NamesSymbol);
    for (R_xlen_t i = 0; i < XLENGTH(options); i++) {
        const char *name = CHAR(STRING_ELT(names, i));
        const SEXP value = VECTOR_ELT(options, i);
        if (TYPEOF(value) != VECSXP) {
            set_option(c, name, value, turn);
            continue;
        }
        const SEXP inner = Rf_getAttrib(value, R_NamesSymbol);
        if (inner == R_NilValue)
            Rf_errorcall(R_NilValue, "%s: expected a list with names", name);
        for (R_xlen_t j = 0; j < XLENGTH(value); j++) {
            char whole[160];
            snprintf(whole, sizeof whole, "%s.%s", name, CHAR(STRING_ELT(inner, j)));
            set_option(c, whole, VECTOR_ELT(value, j), turn);
        }
    }
}

static void take_samples(call *c, SEXP value)
{
    const binding_array samples = array_of(value, "x");
    check(c, binding_samples(&c->b, &samples));
}

int64_t whole_of(SEXP value, const char *what)
{
    const double number = number_of(value, what);
    if (!(fabs(number) < 2e9 && number == floor(number)))
        Rf_errorcall(R_NilValue, "%s: found %g, expected a whole number", what, number);
    return (int64_t)number;
}

/* ---- fit ---------------------------------------------------------------------------------------
 */

static SEXP factors_value(const orthant_result *result)
{
    const int count = orthant_result_factor_count(result);
    list l = list_begin(count);
    for (int i = 0; i < count; i++) {
        const char *name = orthant_result_factor_name(result, i);
        list_add(&l, name, matrix_value(orthant_result_factor(result, name)));
    }
    return list_end(&l);
}

static SEXP history_value(const orthant_result *result)
{
    const int columns = orthant_result_history_columns(result);
    const int64_t rows = orthant_result_history_rows(result);
    list l = list_begin(columns);
    for (int c = 0; c < columns; c++) {
        list_add(&l, orthant_result_history_column(result, c),
                 Rf_allocVector(REALSXP, (R_xlen_t)rows));
        for (int64_t i = 0; i < rows; i++)
            REAL(VECTOR_ELT(l.values, c))[i] = orthant_result_history(result, i, c);
    }
    return list_end(&l);
}

static SEXP notes_value(const orthant_result *result)
{
    const int count = orthant_result_note_count(result);
    SEXP notes = PROTECT(Rf_allocVector(STRSXP, count));
    for (int i = 0; i < count; i++)
        SET_STRING_ELT(notes, i, Rf_mkCharCE(orthant_result_note(result, i), CE_UTF8));
    UNPROTECT(1);
    return notes;
}

static SEXP parameters_in_force(const orthant_model *model)
{
    const int count = orthant_model_parameter_count(model);
    list l = list_begin(count);
    for (int i = 0; i < count; i++) {
        char text[128] = "";
        const char *name = orthant_model_parameter_name(model, i);
        orthant_model_get(model, name, text, sizeof text);
        list_add(&l, name, Rf_mkString(text));
    }
    return list_end(&l);
}

static SEXP scale_value(const orthant_result *result)
{
    const double *scale = orthant_result_labels_scale(result);
    if (!scale)
        return R_NilValue;
    const orthant_matrix *encoding = orthant_result_factor(result, "encoding");
    SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)orthant_matrix_columns(encoding)));
    memcpy(REAL(value), scale, (size_t)XLENGTH(value) * sizeof(double));
    UNPROTECT(1);
    return value;
}

static SEXP terms_value(const orthant_model *model, const orthant_result *result)
{
    const int count = orthant_model_term_count(model);
    list l = list_begin(count);
    for (int i = 0; i < count; i++)
        list_add(&l, orthant_model_term(model, i),
                 Rf_ScalarReal(orthant_result_term_weight(result, i)));
    return list_end(&l);
}

static bool has_graph(const orthant_model *model)
{
    bool found = false;
    for (int i = 0; i < orthant_model_term_count(model); i++)
        found |= !strcmp(orthant_model_term(model, i), "graph");
    return found;
}

static SEXP result_value(const binding *b)
{
    const orthant_result *result = b->result;
    list l = list_begin(28);
    list_add(&l, "method", Rf_mkString(orthant_model_method(b->model)));
    list_add(&l, "k", Rf_ScalarReal((double)orthant_model_rank(b->model)));
    list_add(&l, "rank_reasons", b->ranks ? reasons_value(b->ranks) : R_NilValue);
    list_add(&l, "factors", factors_value(result));
    list_add(&l, "cluster", labels_value(b->found, 1));
    list_add(&l, "iterations", Rf_ScalarReal((double)orthant_result_iterations(result)));
    list_add(&l, "converged", Rf_ScalarLogical(orthant_result_converged(result)));
    list_add(&l, "stopped", Rf_ScalarLogical(orthant_result_stopped(result)));
    list_add(&l, "objective", Rf_ScalarReal(orthant_result_objective(result)));
    list_add(&l, "relative_error", Rf_ScalarReal(orthant_result_relative_error(result)));
    list_add(&l, "explained_variance", Rf_ScalarReal(orthant_result_explained_variance(result)));
    list_add(&l, "missing", Rf_ScalarReal(fmax((double)orthant_result_missing(result), 0)));
    list_add(&l, "projected_gradient", Rf_ScalarReal(orthant_result_projected_gradient(result)));
    list_add(&l, "seconds", Rf_ScalarReal(orthant_result_seconds(result)));
    list_add(&l, "dead_columns", Rf_ScalarReal((double)orthant_result_dead_columns(result)));
    list_add(&l, "start_objectives", starts_value(result));
    list_add(&l, "consensus", consensus_value(result));
    list_add(&l, "history", history_value(result));
    list_add(&l, "notes", notes_value(result));
    list_add(&l, "parameters", parameters_in_force(b->model));
    list_add(&l, "terms", terms_value(b->model, result));
    list_add(&l, "feature_weights", matrix_value(b->feature_weights));
    list_add(&l, "pooling", matrix_value(b->pooling));
    list_add(&l, "training", matrix_value(has_graph(b->model) ? b->samples : NULL));
    list_add(&l, "labels_rule",
             Rf_mkString(b->rule[0] ? b->rule : orthant_result_labels_rule(result)));
    list_add(&l, "labels_scale", scale_value(result));
    list_add(&l, "scale", Rf_mkString(b->scale));
    list_add(&l, "scale_statistics", matrix_value(b->scale_statistics));
    return list_end(&l);
}

static SEXP run_fit(call *c)
{
    const SEXP options = c->given[3];
    const char *method = text_of(c->given[1], "method");
    if (TYPEOF(c->given[2]) == STRSXP) {
        const binding_array samples = array_of(c->given[0], "x");
        set_options(c, options, BINDING_TURN_RANK);
        check(c, binding_find_rank(&c->b, method, text_of(c->given[2], "k"), &samples));
    } else {
        check(c, binding_model(&c->b, method, number_of(c->given[2], "k")));
    }
    set_options(c, options, 0);
    if (!c->b.samples)
        take_samples(c, c->given[0]);
    set_options(c, options, 1);
    check(c, binding_scale(&c->b));
    check(c, binding_fit(&c->b));
    if (Rf_asLogical(c->given[4]) && !c->b.interrupted)
        check(c, binding_labels(&c->b));
    return result_value(&c->b);
}

static SEXP orthant_r_fit(SEXP x, SEXP method, SEXP k, SEXP options, SEXP labels)
{
    SEXP given[] = {x, method, k, options, labels};
    return run_call(run_fit, given);
}

/* ---- others ------------------------------------------------------------------------------------
 */

/* Samples to be scaled as those of a fit were (binding_scale). */
static void take_new_samples(call *c, SEXP samples, SEXP options, SEXP statistics)
{
    set_options(c, options, 0);
    if (statistics != R_NilValue) {
        const binding_array array = array_of(statistics, "scale_statistics");
        check(c, binding_take(&c->b, &array, false, &c->b.scale_statistics));
    }
    take_samples(c, samples);
}

static SEXP run_transform(call *c)
{
    take_new_samples(c, c->given[0], c->given[5], c->given[6]);
    check(c, binding_scale(&c->b));
    const binding_array basis = array_of(c->given[1], "basis");
    check(c, binding_take(&c->b, &basis, false, &c->b.given[0]));
    c->b.given_count = 1;
    check(c, orthant_transform(c->b.context, c->b.given[0], text_of(c->given[2], "loss"),
                               c->b.samples, whole_of(c->given[3], "iterations"),
                               number_of(c->given[4], "tolerance"), &c->b.made));
    return matrix_value(c->b.made);
}

static SEXP orthant_r_transform(SEXP x, SEXP basis, SEXP loss, SEXP iterations, SEXP tolerance,
                                SEXP options, SEXP statistics)
{
    SEXP given[] = {x, basis, loss, iterations, tolerance, options, statistics};
    return run_call(run_transform, given);
}

/* The model of a fit again: its terms, its parameters as texts, and weights. */
static void take_model(call *c, SEXP method, SEXP k, SEXP terms, SEXP parameters, SEXP weights)
{
    const SEXP names = Rf_getAttrib(parameters, R_NamesSymbol);
    check(c, binding_model(&c->b, text_of(method, "method"), number_of(k, "k")));
    set_options(c, terms, 0);
    for (R_xlen_t i = 0; i < XLENGTH(parameters); i++) {
        const char *name = CHAR(STRING_ELT(names, i));
        check(c, orthant_model_set(c->b.model, name, text_of(VECTOR_ELT(parameters, i), name)));
    }
    set_options(c, terms,
                0); /* weights in force, where a parameter says that they follow the data */
    set_options(c, weights, 1);
}

/* Given: x, list(method, k, list(terms), parameters, weights), list(basis, encoding, training),
 * iterations, tolerance, options, statistics. */
static SEXP run_encode(call *c)
{
    const SEXP model = c->given[1], factors = c->given[2];
    binding_array encoding, training;
    take_new_samples(c, c->given[0], c->given[5], c->given[6]);
    take_model(c, VECTOR_ELT(model, 0), VECTOR_ELT(model, 1), VECTOR_ELT(model, 2),
               VECTOR_ELT(model, 3), VECTOR_ELT(model, 4));
    check(c, binding_scale(&c->b));
    binding_codes given = {.basis = array_of(VECTOR_ELT(factors, 0), "basis"),
                           .iterations = whole_of(c->given[3], "iterations"),
                           .tolerance = number_of(c->given[4], "tolerance")};
    encoding = array_of(VECTOR_ELT(factors, 1), "encoding");
    given.encoding = &encoding;
    if (VECTOR_ELT(factors, 2) != R_NilValue) {
        training = array_of(VECTOR_ELT(factors, 2), "training");
        given.training = &training;
    }
    check(c, binding_encode(&c->b, &given));
    return matrix_value(c->b.made);
}

static SEXP orthant_r_encode(SEXP x, SEXP model, SEXP factors, SEXP iterations, SEXP tolerance,
                             SEXP options, SEXP statistics)
{
    SEXP given[] = {x, model, factors, iterations, tolerance, options, statistics};
    return run_call(run_encode, given);
}

static SEXP run_nearest(call *c)
{
    take_new_samples(c, c->given[0], c->given[2], c->given[3]);
    check(c, binding_scale(&c->b));
    const binding_array basis = array_of(c->given[1], "basis");
    check(c, binding_nearest(&c->b, &basis));
    return labels_value(c->b.found, 1);
}

static SEXP orthant_r_nearest(SEXP x, SEXP basis, SEXP options, SEXP statistics)
{
    SEXP given[] = {x, basis, options, statistics};
    return run_call(run_nearest, given);
}

static SEXP run_predict(call *c)
{
    binding_array clusters, scale;
    binding_prediction given = {.codes = array_of(c->given[0], "codes"),
                                .encoding = array_of(c->given[1], "encoding"),
                                .rule = text_of(c->given[3], "labels_rule")};
    if (c->given[2] != R_NilValue) {
        clusters = array_of(c->given[2], "cluster");
        given.clusters = &clusters;
    }
    if (c->given[4] != R_NilValue) {
        scale = array_of(c->given[4], "labels_scale");
        given.scale = &scale;
    }
    check(c, binding_predict(&c->b, &given));
    return labels_value(c->b.found, 1);
}

static SEXP orthant_r_predict(SEXP codes, SEXP encoding, SEXP clusters, SEXP rule, SEXP scale)
{
    SEXP given[] = {codes, encoding, clusters, rule, scale};
    return run_call(run_predict, given);
}

static SEXP run_graph(call *c)
{
    const bool labelled = c->given[5] != R_NilValue;
    set_options(c, c->given[6], 0);
    take_samples(c, c->given[0]);
    const binding_array labels = labelled ? array_of(c->given[5], "labels") : (binding_array){0};
    const binding_graph_options given = {.neighbours = whole_of(c->given[1], "neighbours"),
                                         .weights = text_of(c->given[2], "weights"),
                                         .heat_width = number_of(c->given[3], "heat_width"),
                                         .search = text_of(c->given[4], "search"),
                                         .missing = text_of(c->given[7], "missing"),
                                         .labels = labelled ? &labels : NULL};
    check(c, binding_graph(&c->b, &given));
    return graph_value(c->b.graph);
}

static SEXP orthant_r_graph(SEXP x, SEXP neighbours, SEXP weights, SEXP heat_width, SEXP search,
                            SEXP labels, SEXP options, SEXP missing)
{
    SEXP given[] = {x, neighbours, weights, heat_width, search, labels, options, missing};
    return run_call(run_graph, given);
}

static SEXP run_scores(call *c)
{
    orthant_scores scores = {.size = sizeof scores};
    const char *name;
    double value;
    binding *b = &c->b;
    const binding_array found = array_of(c->given[0], "found"),
                        truth = array_of(c->given[1], "truth");
    check(c, binding_take_labels(b, &found, "found", &b->found));
    check(c, binding_take_labels(b, &truth, "truth", &b->known));
    check(c, orthant_score_labels(b->context, b->found, b->known, &scores));
    list l = list_begin(BINDING_SCORES);
    for (int i = 0; binding_score(&scores, i, &name, &value); i++)
        list_add(&l, name, Rf_ScalarReal(value));
    return list_end(&l);
}

static SEXP orthant_r_scores(SEXP found, SEXP truth)
{
    SEXP given[] = {found, truth};
    return run_call(run_scores, given);
}

const char *text_or_null(SEXP options, const char *name)
{
    const SEXP value = element(options, name);
    return value == R_NilValue ? NULL : text_of(value, name);
}

int64_t whole_or_zero(SEXP options, const char *name)
{
    const SEXP value = element(options, name);
    return value == R_NilValue ? 0 : whole_of(value, name);
}

/* ---- the table of methods ----------------------------------------------------------------------
 */

static void put(const list *columns, int column, int row, const char *text)
{
    SET_STRING_ELT(VECTOR_ELT(columns->values, column), row,
                   Rf_mkCharCE(text ? text : "", CE_UTF8));
}

static list table_begin(const char *const *names, int columns, int rows)
{
    list l = list_begin(columns);
    for (int i = 0; i < columns; i++)
        list_add(&l, names[i], Rf_allocVector(STRSXP, rows));
    return l;
}

static SEXP orthant_r_methods(void)
{
    static const char *const names[] = {"name",     "title", "family",    "loss",
                                        "terms",    "needs", "factors",   "labels",
                                        "promises", "signs", "reference", "description"};
    const int count = orthant_method_count();
    const list l = table_begin(names, 12, count);
    for (int i = 0; i < count; i++) {
        orthant_method_info info = {.size = sizeof info};
        if (orthant_method_info_at(i, &info))
            Rf_errorcall(R_NilValue, "there is no method %d", i);
        const char *texts[] = {info.name,      info.title,
                               info.family,    info.loss,
                               info.terms,     info.needs,
                               info.factors,   info.labels,
                               info.promises,  info.mixed_signs ? "mixed" : "nonnegative",
                               info.reference, info.description};
        for (int t = 0; t < 12; t++)
            put(&l, t, i, texts[t]);
    }
    return list_end(&l);
}

static void put_parameter(const list *l, int row, const orthant_parameter_info *info)
{
    char range[2][32] = {"", ""};
    if (!info->choices) {
        snprintf(range[0], sizeof range[0], "%.17g", info->minimum);
        snprintf(range[1], sizeof range[1], "%.17g", info->maximum);
    }
    put(l, 0, row, info->name);
    put(l, 1, row, info->default_text);
    put(l, 2, row, info->choices);
    put(l, 3, row, range[0]);
    put(l, 4, row, range[1]);
    put(l, 5, row, info->help);
}

static SEXP run_parameters(call *c)
{
    static const char *const names[] = {"name", "default", "choices", "minimum", "maximum", "help"};
    const char *method = text_of(c->given[0], "method");
    orthant_method_info info = {.size = sizeof info};
    check(c, orthant_method_info_by_name(c->b.context, method, &info));
    const int own = info.parameters, common = orthant_common_parameter_count();
    const list l = table_begin(names, 6, own + common);
    for (int i = 0; i < own + common; i++) {
        orthant_parameter_info parameter = {.size = sizeof parameter};
        if (orthant_method_parameter(method, i, &parameter))
            Rf_errorcall(R_NilValue, "'%s' has no parameter %d", method, i);
        put_parameter(&l, i, &parameter);
    }
    return list_end(&l);
}

static SEXP orthant_r_parameters(SEXP method)
{
    SEXP given[] = {method};
    return run_call(run_parameters, given);
}

static SEXP orthant_r_version(void)
{
    list l = list_begin(3);
    list_add(&l, "version", Rf_mkString(orthant_version()));
    list_add(&l, "kernels", Rf_mkString(orthant_cpu_kernels()));
    list_add(&l, "blas", Rf_mkString(orthant_blas_description()));
    return list_end(&l);
}

/* ---- what R finds ------------------------------------------------------------------------------
 */

#define ENTRY(name, arguments)                              \
    {                                                       \
        "C_" #name, (DL_FUNC)&orthant_r_##name, (arguments) \
    }

static const R_CallMethodDef entries[] = {
    ENTRY(fit, 5),     ENTRY(transform, 7),  ENTRY(encode, 7),  ENTRY(graph, 8),
    ENTRY(scores, 2),  ENTRY(read, 2),       ENTRY(methods, 0), ENTRY(parameters, 1),
    ENTRY(version, 0), ENTRY(nearest, 4),    ENTRY(predict, 5), ENTRY(ranks, 3),
    ENTRY(words, 2),   ENTRY(silhouette, 3), {NULL, NULL, 0},
};

void attribute_visible R_init_orthant(DllInfo *info)
{
    R_registerRoutines(info, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
