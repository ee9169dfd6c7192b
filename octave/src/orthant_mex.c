/* The one MEX function of the package; the functions of +orthant call it with what they want first:
 *
 *     [fit, labels] = orthant_mex ('fit', X, method, k, options)
 *     [encoding]    = orthant_mex ('transform', X, basis, loss, options)
 *     [encoding]    = orthant_mex ('encode', X, fit, options)
 *     [labels]      = orthant_mex ('predict', codes, encoding, labels, rule, scale)
 *     [labels]      = orthant_mex ('nearest', X, basis, options)
 *     [graph]       = orthant_mex ('graph', X, options)
 *     [scores]      = orthant_mex ('score', found, truth)
 *     [X, truth, info] = orthant_mex ('read', path, options)
 *     [labels, info] = orthant_mex ('segment', path, options)
 *     [rows, tables] = orthant_mex ('compare', X, truth, options)
 *     [survey]      = orthant_mex ('ranks', X, options)
 *     [X, words, truth] = orthant_mex ('words', path, options)
 *     [scores]      = orthant_mex ('silhouette', points, labels, options)
 *     [methods]     = orthant_mex ('methods')
 *     [parameters]  = orthant_mex ('parameters', method)
 *     [version]     = orthant_mex ('version')
 *
 * An error of the host jumps out of here. The library's objects therefore hang on `call`, which
 * stop_with ends before it jumps; what an allocation of the host left behind when it failed is
 * ended by the next call. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "host.h"
#include "values.h"

binding call;

void stop_with(const char *identifier, const char *format, ...)
{
    char text[1200], name[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(name, sizeof name, "orthant:%s", identifier);
    binding_end(&call);
    mexErrMsgIdAndTxt(name, "%s", text);
}

void check(orthant_status status)
{
    if (status)
        stop_with(orthant_status_name(status), "%s", binding_refusal(&call));
}

static void end_at_exit(void)
{
    binding_end(&call);
}

static void begin(void)
{
    binding_end(&call);
    if (binding_begin(&call, (binding_host){host_interrupted, host_print}))
        stop_with("memory", "no memory for a context");
}

/* ---- options ----------------------------------------------------------------------------------
 */

static void set_option(const char *name, const mxArray *value, int turn)
{
    if ((turn != BINDING_TURN_RANK && binding_turn(name) != turn) || mxIsEmpty(value))
        return;
    const binding_value given = value_of(value, name);
    check(turn == BINDING_TURN_RANK ? binding_rank_set(&call, name, &given)
                                    : binding_set(&call, name, &given));
}

/* Fields of a field that is a struct are start.basis, terms.graph, ... */
static void set_options(const mxArray *options, int turn)
{
    for (int f = 0; f < mxGetNumberOfFields(options); f++) {
        const char *name = mxGetFieldNameByNumber(options, f);
        const mxArray *value = mxGetFieldByNumber(options, 0, f);
        for (int g = 0; mxIsStruct(value) && g < mxGetNumberOfFields(value); g++) {
            char whole[160];
            snprintf(whole, sizeof whole, "%s.%s", name, mxGetFieldNameByNumber(value, g));
            set_option(whole, mxGetFieldByNumber(value, 0, g), turn);
        }
        if (!mxIsStruct(value))
            set_option(name, value, turn);
    }
}

void expect_options(const mxArray *options, const char *own, const char *others)
{
    for (int f = 0; f < mxGetNumberOfFields(options); f++) {
        const char *name = mxGetFieldNameByNumber(options, f);
        if (binding_one_of(name, own))
            set_option(name, mxGetFieldByNumber(options, 0, f), 0);
        else if (!binding_one_of(name, others))
            stop_with("argument", "there is no option '%s'; there are %s%s%s", name, others,
                      own[0] ? "," : "", own);
    }
}

double number_option(const mxArray *options, const char *name, double otherwise)
{
    const mxArray *value = mxGetField(options, 0, name);
    return value && !mxIsEmpty(value) ? number_of(value, name) : otherwise;
}

int64_t whole_option(const mxArray *options, const char *name, int64_t otherwise)
{
    const double number = number_option(options, name, (double)otherwise);
    if (!(fabs(number) < 2e9 && number == floor(number)))
        stop_with("argument", "%s: found %g, expected a whole number", name, number);
    return (int64_t)number;
}

const char *text_option(const mxArray *options, const char *name, const char *otherwise)
{
    const mxArray *value = mxGetField(options, 0, name);
    return value && !mxIsEmpty(value) ? text_of(value, name) : otherwise;
}

static void take_samples(const mxArray *value)
{
    const binding_array samples = array_of(value, "X");
    check(binding_samples(&call, &samples));
}

/* ---- fit --------------------------------------------------------------------------------------
 */

/* Names with a hyphen become fields with an underscore. */
static void set_named(mxArray *record, const char *name, mxArray *value)
{
    char field[64];
    snprintf(field, sizeof field, "%s", name);
    for (char *c = field; *c; c++)
        *c = *c == '-' ? '_' : *c;
    set_field(record, field, value);
}

static mxArray *history_value(const orthant_result *result)
{
    mxArray *history = new_struct();
    const int64_t rows = orthant_result_history_rows(result);
    for (int c = 0; c < orthant_result_history_columns(result); c++) {
        mxArray *column = mxCreateDoubleMatrix((mwSize)rows, 1, mxREAL);
        for (int64_t i = 0; i < rows; i++)
            mxGetPr(column)[i] = orthant_result_history(result, i, c);
        set_named(history, orthant_result_history_column(result, c), column);
    }
    return history;
}

static mxArray *parameters_in_force(const orthant_model *model)
{
    mxArray *parameters = new_struct();
    for (int i = 0; i < orthant_model_parameter_count(model); i++) {
        char text[128];
        const char *name = orthant_model_parameter_name(model, i);
        if (!orthant_model_get(model, name, text, sizeof text))
            set_named(parameters, name, mxCreateString(text));
    }
    return parameters;
}

static mxArray *notes_value(const orthant_result *result)
{
    const int count = orthant_result_note_count(result);
    mxArray *notes = mxCreateCellMatrix((mwSize)count, 1);
    for (int i = 0; i < count; i++)
        mxSetCell(notes, (mwIndex)i, mxCreateString(orthant_result_note(result, i)));
    return notes;
}

static mxArray *scale_value(const orthant_result *result)
{
    const double *scale = orthant_result_labels_scale(result);
    const int64_t rank =
        scale ? orthant_matrix_columns(orthant_result_factor(result, "encoding")) : 0;
    mxArray *value = mxCreateDoubleMatrix(rank ? 1 : 0, (mwSize)rank, mxREAL);
    if (rank)
        memcpy(mxGetPr(value), scale, (size_t)rank * sizeof(double));
    return value;
}

/* The terms of a model and their weights; '_' for '-'. */
static mxArray *terms_value(const orthant_model *model, const orthant_result *result)
{
    mxArray *terms = new_struct();
    for (int i = 0; i < orthant_model_term_count(model); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", orthant_model_term(model, i));
        for (char *at = name; *at; at++)
            *at = (char)(*at == '-' ? '_' : *at);
        set_number(terms, name, orthant_result_term_weight(result, i));
    }
    return terms;
}

/* What encodings of new samples take beside the factors: weights, pools, and where there is a graph
 * the samples as they were scaled. */
static void set_inputs(mxArray *fit, const binding *b)
{
    bool graph = false;
    for (int i = 0; i < orthant_model_term_count(b->model); i++)
        graph |= !strcmp(orthant_model_term(b->model, i), "graph");
    set_field(fit, "feature_weights", matrix_value(b->feature_weights));
    set_field(fit, "pooling", matrix_value(b->pooling));
    set_field(fit, "training", matrix_value(graph ? b->samples : NULL));
}

static mxArray *result_value(const binding *b)
{
    mxArray *fit = new_struct();
    const orthant_result *result = b->result;
    set_text(fit, "method", orthant_model_method(b->model));
    set_number(fit, "rank", (double)orthant_model_rank(b->model));
    set_field(fit, "rank_reasons", reasons_value(b->ranks));
    for (int i = 0; i < orthant_result_factor_count(result); i++) {
        const char *name = orthant_result_factor_name(result, i);
        set_named(fit, name, matrix_value(orthant_result_factor(result, name)));
    }
    set_number(fit, "iterations", (double)orthant_result_iterations(result));
    set_field(fit, "converged", mxCreateLogicalScalar(orthant_result_converged(result)));
    set_field(fit, "stopped", mxCreateLogicalScalar(orthant_result_stopped(result)));
    set_number(fit, "objective", orthant_result_objective(result));
    set_number(fit, "relative_error", orthant_result_relative_error(result));
    set_number(fit, "explained_variance", orthant_result_explained_variance(result));
    set_number(fit, "missing", fmax((double)orthant_result_missing(result), 0));
    set_number(fit, "projected_gradient", orthant_result_projected_gradient(result));
    set_number(fit, "seconds", orthant_result_seconds(result));
    set_number(fit, "dead_columns", (double)orthant_result_dead_columns(result));
    set_field(fit, "start_objectives", starts_value(result));
    set_field(fit, "consensus", consensus_value(result));
    set_field(fit, "history", history_value(result));
    set_field(fit, "notes", notes_value(result));
    set_field(fit, "parameters", parameters_in_force(b->model));
    set_field(fit, "terms", terms_value(b->model, result));
    set_inputs(fit, b);
    set_text(fit, "labels_rule", b->rule[0] ? b->rule : orthant_result_labels_rule(result));
    set_field(fit, "labels_scale", scale_value(result));
    set_text(fit, "scale", b->scale);
    set_field(fit, "scale_statistics", matrix_value(b->scale_statistics));
    return fit;
}

static void run_fit(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *options = prhs[3];
    const char *method = text_of(prhs[1], "method");
    if (mxIsChar(prhs[2])) {
        const binding_array samples = array_of(prhs[0], "X");
        set_options(options, BINDING_TURN_RANK);
        check(binding_find_rank(&call, method, text_of(prhs[2], "k"), &samples));
    } else {
        check(binding_model(&call, method, number_of(prhs[2], "k")));
    }
    set_options(options, 0);
    if (!call.samples)
        take_samples(prhs[0]);
    set_options(options, 1);
    check(binding_scale(&call));
    check(binding_fit(&call));
    if (nlhs > 1 && !call.interrupted)
        check(binding_labels(&call));
    plhs[0] = result_value(&call);
    if (nlhs > 1)
        plhs[1] = call.found ? labels_value(call.found, 1) : mxCreateDoubleMatrix(0, 0, mxREAL);
}

/* ---- others -----------------------------------------------------------------------------------
 */

/* Samples to be scaled as those of a fit were (binding_scale). */
static void take_new_samples(const mxArray *samples, const mxArray *options)
{
    const mxArray *statistics = mxGetField(options, 0, "scale_statistics");
    expect_options(options, "threads,memory,precision,transpose,verbose,scale",
                   "loss,iterations,tolerance,scale_statistics,mask,sample_weights");
    if (statistics && !mxIsEmpty(statistics)) {
        const binding_array array = array_of(statistics, "scale_statistics");
        check(binding_take(&call, &array, false, &call.scale_statistics));
    }
    take_samples(samples);
}

static void run_transform(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *options = prhs[3];
    (void)nlhs;
    take_new_samples(prhs[0], options);
    check(binding_scale(&call));
    const binding_array basis = array_of(prhs[1], "basis");
    check(binding_take(&call, &basis, false, &call.given[0]));
    call.given_count = 1;
    check(orthant_transform(call.context, call.given[0], text_of(prhs[2], "loss"), call.samples,
                            whole_option(options, "iterations", 500),
                            number_option(options, "tolerance", 1e-10), &call.made));
    plhs[0] = matrix_value(call.made);
}

/* A field of a fit, unless it is empty. */
static const binding_array *array_field(const mxArray *fit, const char *name, binding_array *to)
{
    const mxArray *value = mxGetField(fit, 0, name);
    if (!value || mxIsEmpty(value))
        return NULL;
    *to = array_of(value, name);
    return to;
}

static const mxArray *field_of(const mxArray *fit, const char *name)
{
    const mxArray *value = mxIsStruct(fit) ? mxGetField(fit, 0, name) : NULL;
    if (!value)
        stop_with("argument", "the fit has no '%s'; expected what orthant.fit gave", name);
    return value;
}

static void take_terms(const mxArray *terms)
{
    for (int f = 0; mxIsStruct(terms) && f < mxGetNumberOfFields(terms); f++) {
        char name[96];
        snprintf(name, sizeof name, "terms.%s", mxGetFieldNameByNumber(terms, f));
        set_option(name, mxGetFieldByNumber(terms, 0, f), 0);
    }
}

/* The model of a fit again: its terms, then its parameters. */
static void take_model(const mxArray *fit)
{
    static const char *const matrices[] = {"feature_weights", "pooling"};
    const mxArray *terms = field_of(fit, "terms"), *parameters = field_of(fit, "parameters");
    check(binding_model(&call, text_of(field_of(fit, "method"), "method"),
                        number_of(field_of(fit, "rank"), "rank")));
    take_terms(terms);
    for (int f = 0; mxIsStruct(parameters) && f < mxGetNumberOfFields(parameters); f++) {
        const char *name = mxGetFieldNameByNumber(parameters, f);
        check(orthant_model_set(call.model, name,
                                text_of(mxGetFieldByNumber(parameters, 0, f), name)));
    }
    take_terms(terms); /* weights in force, where a parameter says that they follow the data */
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const mxArray *value = mxGetField(fit, 0, matrices[i]);
        if (value)
            set_option(matrices[i], value, 1);
    }
}

static void run_encode(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    static const char *const weights[] = {"mask", "sample_weights"};
    const mxArray *fit = prhs[1], *options = prhs[2];
    binding_array encoding, training;
    (void)nlhs;
    take_new_samples(prhs[0], options);
    take_model(fit);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        const mxArray *value = mxGetField(options, 0, weights[i]);
        if (value)
            set_option(weights[i], value, 1);
    }
    check(binding_scale(&call));
    const binding_codes given = {.basis = array_of(field_of(fit, "basis"), "basis"),
                                 .encoding = array_field(fit, "encoding", &encoding),
                                 .training = array_field(fit, "training", &training),
                                 .iterations = whole_option(options, "iterations", 500),
                                 .tolerance = number_option(options, "tolerance", 1e-10)};
    check(binding_encode(&call, &given));
    plhs[0] = matrix_value(call.made);
}

static void run_nearest(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    (void)nlhs;
    take_new_samples(prhs[0], prhs[2]);
    check(binding_scale(&call));
    const binding_array basis = array_of(prhs[1], "basis");
    check(binding_nearest(&call, &basis));
    plhs[0] = labels_value(call.found, 1);
}

static void run_predict(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    binding_array clusters, scale;
    binding_prediction given = {.codes = array_of(prhs[0], "codes"),
                                .encoding = array_of(prhs[1], "encoding"),
                                .rule = text_of(prhs[3], "labels_rule")};
    (void)nlhs;
    if (!mxIsEmpty(prhs[2])) {
        clusters = array_of(prhs[2], "labels");
        given.clusters = &clusters;
    }
    if (!mxIsEmpty(prhs[4])) {
        scale = array_of(prhs[4], "labels_scale");
        given.scale = &scale;
    }
    check(binding_predict(&call, &given));
    plhs[0] = labels_value(call.found, 1);
}

static void run_graph(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *options = prhs[1], *labels = mxGetField(options, 0, "labels");
    const bool labelled = labels && !mxIsEmpty(labels);
    (void)nlhs;
    expect_options(options, "threads,memory,transpose,verbose",
                   "neighbours,weights,heat_width,search,missing,labels");
    take_samples(prhs[0]);
    const binding_array array = labelled ? array_of(labels, "labels") : (binding_array){0};
    const binding_graph_options given = {.neighbours = whole_option(options, "neighbours", 5),
                                         .weights = text_option(options, "weights", "binary"),
                                         .search = text_option(options, "search", "auto"),
                                         .missing = text_option(options, "missing", "none"),
                                         .heat_width = number_option(options, "heat_width", 0),
                                         .labels = labelled ? &array : NULL};
    check(binding_graph(&call, &given));
    plhs[0] = graph_value(call.graph);
}

static void run_score(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    orthant_scores scores = {.size = sizeof scores};
    const char *name;
    double value;
    const binding_array found = array_of(prhs[0], "found"), truth = array_of(prhs[1], "truth");
    (void)nlhs;
    check(binding_take_labels(&call, &found, "found", &call.found));
    check(binding_take_labels(&call, &truth, "truth", &call.known));
    check(orthant_score_labels(call.context, call.found, call.known, &scores));
    plhs[0] = new_struct();
    for (int i = 0; binding_score(&scores, i, &name, &value); i++)
        set_number(plhs[0], name, value);
}

static mxArray *segments_value(const orthant_segmentation *found,
                               const orthant_segmentation_info *info)
{
    const bool picture = info->height > 0;
    const int64_t rows = picture ? info->height : info->count, columns = picture ? info->width : 1;
    const int32_t *labels = orthant_segmentation_labels(found);
    mxArray *value = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            mxGetPr(value)[i + j * rows] =
                labels[i * columns + j] < 0 ? (double)NAN : labels[i * columns + j] + 1.0;
    return value;
}

static void run_segment(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    const mxArray *given = prhs[1];
    orthant_segment_options options = ORTHANT_SEGMENT_DEFAULTS;
    orthant_segmentation_info info = {.size = sizeof info};
    (void)nlhs;
    for (int f = 0; f < mxGetNumberOfFields(given); f++) {
        const char *name = mxGetFieldNameByNumber(given, f);
        const binding_value value = value_of(mxGetFieldByNumber(given, 0, f), name);
        check(binding_segment_set(&call, &options, name, &value));
    }
    check(binding_segment(&call, text_of(prhs[0], "path"), &options));
    check(orthant_segmentation_describe(call.segmentation, &info));
    plhs[0] = segments_value(call.segmentation, &info);
    plhs[1] = new_struct();
    set_number(plhs[1], "segments", (double)info.segments);
    set_field(plhs[1], "estimated", mxCreateLogicalScalar(info.estimated));
    set_number(plhs[1], "wanted", (double)info.wanted);
    set_text(plhs[1], "evidence", info.evidence);
    set_number(plhs[1], "nodes", (double)info.nodes);
    set_number(plhs[1], "edges", (double)info.edges);
    set_number(plhs[1], "iterations", (double)info.iterations);
    set_number(plhs[1], "objective", info.objective);
    set_number(plhs[1], "graph_weight", info.graph_weight);
    set_number(plhs[1], "seconds", info.total_seconds);
}

static void run_methods(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    static const char *fields[] = {"name",     "title",     "family",      "loss",
                                   "terms",    "needs",     "factors",     "labels",
                                   "promises", "reference", "description", "mixed_signs"};
    const int count = orthant_method_count();
    (void)nlhs, (void)prhs;
    plhs[0] = mxCreateStructMatrix((mwSize)count, 1, sizeof fields / sizeof *fields, fields);
    for (int i = 0; i < count; i++) {
        orthant_method_info info = {.size = sizeof info};
        if (orthant_method_info_at(i, &info))
            stop_with("argument", "there is no method %d", i);
        const char *texts[] = {info.name,     info.title,     info.family,     info.loss,
                               info.terms,    info.needs,     info.factors,    info.labels,
                               info.promises, info.reference, info.description};
        for (int f = 0; f < 11; f++)
            mxSetFieldByNumber(plhs[0], (mwIndex)i, f, mxCreateString(texts[f] ? texts[f] : ""));
        mxSetFieldByNumber(plhs[0], (mwIndex)i, 11, mxCreateLogicalScalar(info.mixed_signs));
    }
}

static void put_parameter(mxArray *list, int at, const orthant_parameter_info *info)
{
    const bool number = !info->choices;
    mxSetFieldByNumber(list, (mwIndex)at, 0, mxCreateString(info->name));
    mxSetFieldByNumber(list, (mwIndex)at, 1, mxCreateString(info->default_text));
    mxSetFieldByNumber(list, (mwIndex)at, 2, mxCreateString(number ? "" : info->choices));
    mxSetFieldByNumber(list, (mwIndex)at, 3,
                       mxCreateDoubleScalar(number ? info->minimum : (double)NAN));
    mxSetFieldByNumber(list, (mwIndex)at, 4,
                       mxCreateDoubleScalar(number ? info->maximum : (double)NAN));
    mxSetFieldByNumber(list, (mwIndex)at, 5, mxCreateString(info->help));
}

static void run_parameters(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    static const char *fields[] = {"name", "default", "choices", "minimum", "maximum", "help"};
    const char *method = text_of(prhs[0], "method");
    orthant_method_info method_info = {.size = sizeof method_info};
    (void)nlhs;
    check(orthant_method_info_by_name(call.context, method, &method_info));
    const int own = method_info.parameters, common = orthant_common_parameter_count();
    plhs[0] = mxCreateStructMatrix((mwSize)(own + common), 1, 6, fields);
    for (int i = 0; i < own + common; i++) {
        orthant_parameter_info info = {.size = sizeof info};
        if (orthant_method_parameter(method, i, &info))
            stop_with("argument", "'%s' has no parameter %d", method, i);
        put_parameter(plhs[0], i, &info);
    }
}

static void run_version(int nlhs, mxArray **plhs, const mxArray **prhs)
{
    (void)nlhs, (void)prhs;
    plhs[0] = new_struct();
    set_text(plhs[0], "version", orthant_version());
    set_text(plhs[0], "kernels", orthant_cpu_kernels());
    set_text(plhs[0], "blas", orthant_blas_description());
}

/* ---- what is wanted ---------------------------------------------------------------------------
 */

typedef struct action {
    const char *name;
    int given, options; /* arguments after the name; the last one is a struct where `options` */
    void (*run)(int nlhs, mxArray **plhs, const mxArray **prhs);
} action;

static const action actions[] = {
    {"fit", 4, 1, run_fit},         {"transform", 4, 1, run_transform},
    {"graph", 2, 1, run_graph},     {"score", 2, 0, run_score},
    {"read", 2, 1, run_read},       {"methods", 0, 0, run_methods},
    {"version", 0, 0, run_version}, {"parameters", 1, 0, run_parameters},
    {"nearest", 3, 1, run_nearest}, {"encode", 3, 1, run_encode},
    {"predict", 5, 0, run_predict}, {"segment", 2, 1, run_segment},
    {"compare", 3, 1, run_compare}, {"ranks", 2, 1, run_ranks},
    {"words", 2, 1, run_words},     {"silhouette", 3, 1, run_silhouette},
};

/* Warnings can be errors, which jump: the library's objects are gone by now. */
static void tell(const binding_message *messages, int count)
{
    for (int i = 0; i < count; i++)
        if (messages[i].level == ORTHANT_LOG_WARNING)
            mexWarnMsgIdAndTxt("orthant:warning", "%s", messages[i].text);
        else
            mexPrintf("%s\n", messages[i].text);
}

void mexFunction(int nlhs, mxArray **plhs, int nrhs, const mxArray **prhs)
{
    static binding_message messages[BINDING_MOST_MESSAGES];
    const action *wanted = NULL;
    mexAtExit(end_at_exit);
    begin();
    const char *name = nrhs > 0 ? text_of(prhs[0], "action") : "";
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(name, actions[i].name))
            wanted = &actions[i];
    if (!wanted || nrhs - 1 != wanted->given ||
        (wanted->options &&
         (!mxIsStruct(prhs[nrhs - 1]) || mxGetNumberOfElements(prhs[nrhs - 1]) != 1)))
        stop_with("argument", "orthant_mex is called by the functions of +orthant alone");
    wanted->run(nlhs, plhs, prhs + 1);
    const int count = call.message_count;
    memcpy(messages, call.messages, sizeof messages);
    binding_end(&call);
    tell(messages, count);
}
