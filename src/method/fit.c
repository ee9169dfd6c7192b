/* orthant_fit: checks what the method needs, builds what can be built, runs it. */
#include "method/fit.h"

#include <stdarg.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

#include "core/checksum.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/labels.h"
#include "data/row_file.h"
#include "engine/group.h"
#include "method/method.h"
#include "method/online.h"
#include "term/terms.h"

orthant_status fit_new_factor(fit *f, const char *name, int64_t rows, int64_t columns,
                              orthant_matrix **factor)
{
    orthant_result *result = f->result;
    const orthant_status status =
        matrix_new_factor(f->ctx, f->samples->precision, rows, columns, factor);
    if (status)
        return status;
    result->factors[result->factor_count].name = name;
    result->factors[result->factor_count++].matrix = *factor;
    return ORTHANT_OK;
}

orthant_status fit_start(const fit *f, const char *name, int64_t rows, int64_t columns,
                         const orthant_matrix **start)
{
    const orthant_model *model = f->model;
    *start = NULL;
    for (int i = 0; i < model->start_count; i++)
        if (!strcmp(model->starts[i].name, name))
            *start = model->starts[i].matrix;
    if (*start && ((*start)->rows != rows || (*start)->columns != columns))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the start of '%s'%s%s%s is %lld x %lld; expected %lld x %lld", name,
                    (*start)->name ? " (" : "", (*start)->name ? (*start)->name : "",
                    (*start)->name ? ")" : "", (long long)(*start)->rows,
                    (long long)(*start)->columns, (long long)rows, (long long)columns);
    return ORTHANT_OK;
}

/* Says which file it is that cannot be used. */
static orthant_status check_start(const fit *f, const char *name, const orthant_matrix *start,
                                  const orthant_matrix *factor)
{
    const bool any_sign = f->model->method->signed_basis && !strcmp(name, "basis");
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++) {
            const double value = matrix_value(factor, i * factor->stride + j);
            if (!(any_sign || value >= 0) || !isfinite(value))
                return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                            "the start of '%s'%s%s%s: entry (%lld, %lld) is %g; '%s' needs a "
                            "finite, nonnegative start",
                            name, start->name ? " (" : "", start->name ? start->name : "",
                            start->name ? ")" : "", (long long)(factor->part.first + i) + 1,
                            (long long)j + 1, value, f->model->method->name);
        }
    return ORTHANT_OK;
}

orthant_status fit_start_given(fit *f, const char *name, orthant_matrix *factor, bool *given)
{
    const orthant_matrix *start = NULL;
    const int64_t first = factor->part.first;
    const orthant_status status = fit_start(f, name, matrix_total(factor), factor->columns, &start);
    *given = start != NULL;
    if (status || !start)
        return status;
    for (int64_t i = 0; i < factor->rows; i++)
        for (int64_t j = 0; j < factor->columns; j++)
            matrix_set_value(factor, i * factor->stride + j,
                             orthant_matrix_get(start, first + i, j));
    if (!factor->part.total)
        return check_start(f, name, start, factor);
    /* Each process sees but its own rows of it. */
    const sample_share part = samples_here(f->samples);
    return group_agree(&part, check_start(f, name, start, factor));
}

problem fit_problem(const fit *f)
{
    return (problem){.ctx = f->ctx,
                     .samples = f->samples,
                     .rank = f->model->rank,
                     .parameters = &f->model->parameters,
                     .graph = f->graph,
                     .labels = f->model->labels,
                     .pooling = f->model->pooling,
                     .weights = f->weights.given ? &f->weights.entries : NULL};
}

orthant_status fit_start_factors(fit *f, orthant_matrix *basis, orthant_matrix *encoding)
{
    const problem p = fit_problem(f);
    bool basis_given = false, encoding_given = false;
    orthant_status status;
    if (fit_resumes(f))
        return ORTHANT_OK;
    if ((status = fit_start_given(f, "basis", basis, &basis_given)) ||
        (status = fit_start_given(f, "encoding", encoding, &encoding_given)) ||
        (basis_given && encoding_given) || (status = start_factors(&p, basis, encoding)) ||
        (status = fit_start_given(f, "basis", basis, &basis_given)))
        return status;
    return fit_start_given(f, "encoding", encoding, &encoding_given);
}

static bool tell_iteration(void *user)
{
    const fit *f = user;
    return f->model->iteration(f->model->iteration_user, f->result);
}

/* Nothing that was made of samples that could not be read goes on, in any process. */
static orthant_status check_file(void *user)
{
    const fit *f = user;
    if (!f->samples->file)
        return ORTHANT_OK;
    const sample_share part = samples_here(f->samples);
    return group_agree(&part, row_file_status(f->samples->file));
}

orthant_status fit_loop(fit *f, loop_steps steps)
{
    const sample_share part = samples_here(f->samples);
    const loop_watch watch = {f->model->iteration ? tell_iteration : NULL,
                              f,
                              f->begun,
                              &f->checkpoints.keeper,
                              part.shared ? &part : NULL,
                              check_file};
    return loop_run(&f->result->history, &f->model->parameters, steps, watch);
}

orthant_status fit_note(fit *f, const char *format, ...)
{
    char text[512];
    va_list arguments;
    orthant_result *result = f->result;
    if (result->note_count == FIT_MOST_NOTES)
        return ORTHANT_OK;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *note = memory_text(f->ctx, text);
    if (!note)
        return ORTHANT_ERROR_MEMORY;
    result->notes[result->note_count++] = note;
    log_note(f->ctx, "%s", text);
    return ORTHANT_OK;
}

static bool column_lives(const orthant_matrix *factor, int64_t column)
{
    for (int64_t i = 0; i < factor->rows; i++)
        if (matrix_value(factor, i * factor->stride + column) != 0)
            return true;
    return false;
}

/* In any of the processes that have rows of it. */
static bool column_lives_anywhere(const fit *f, const orthant_matrix *factor, int64_t column)
{
    const bool here = column_lives(factor, column);
    if (!factor->part.total)
        return here;
    const sample_share part = samples_here(f->samples);
    return group_any(&part, here);
}

orthant_status fit_tell_dead_columns(fit *f)
{
    orthant_result *result = f->result;
    int64_t dead[FIT_MOST_FACTORS] = {0};
    char parts[160] = "";
    const char *collapsed = NULL;
    for (int64_t j = 0; j < result->rank; j++) {
        bool died = false;
        for (int i = 0; i < result->factor_count; i++) {
            const orthant_matrix *factor = result->factors[i].matrix;
            const bool zero =
                factor->columns == result->rank && !column_lives_anywhere(f, factor, j);
            dead[i] += zero;
            died |= zero;
        }
        result->dead_columns += died;
    }
    for (int i = 0; i < result->factor_count; i++) {
        if (dead[i] > 0)
            text_append(parts, sizeof parts, "%s %lld of the %s", parts[0] ? "," : "",
                        (long long)dead[i], result->factors[i].name);
        if (dead[i] == result->rank)
            collapsed = result->factors[i].name;
    }
    if (collapsed) {
        result->history.converged = false;
        return fit_note(f,
                        "the fit collapsed: every entry of the %s is zero, which no step can "
                        "leave; try smaller weights, another seed or another init",
                        collapsed);
    }
    return result->dead_columns
               ? fit_note(f, "%lld of %lld columns died (all zero):%s",
                          (long long)result->dead_columns, (long long)result->rank, parts)
               : ORTHANT_OK;
}

bool model_has_term(const orthant_model *model, int flag)
{
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i]->flags & flag)
            return true;
    return false;
}

bool model_uses_labels(const orthant_model *model)
{
    return model_has_term(model, TERM_NEEDS_LABELS) || model->method->labels_in_graph ||
           model->method->needs_labels;
}

bool model_uses_graph(const orthant_model *model)
{
    return model_has_term(model, TERM_NEEDS_GRAPH) || model->method->needs_graph ||
           !strcmp(parameter_text(&model->parameters, "similarity"), "graph");
}

/* Products of the data with themselves and with the factors must neither overflow nor come near the
 * floor of the multiplicative rule's denominators in the precision at hand. */
static orthant_status check_range(const fit *f)
{
    const bool single = f->samples->precision == ORTHANT_SINGLE;
    const sample_share part = samples_here(f->samples);
    const double largest = group_largest(&part, matrix_largest(f->samples)),
                 most = single ? 1e12 : 1e30;
    const double least = 1 / most;
    const orthant_status together = group_check(f->ctx);
    if (together)
        return together;
    if (largest == 0)
        return fail(f->ctx, ORTHANT_ERROR_DATA,
                    "every entry of the data is zero: there is nothing to fit");
    if (largest < least || largest > most)
        return fail(f->ctx, ORTHANT_ERROR_DATA,
                    "the largest entry of the data is %g, outside %g to %g where %s precision "
                    "works: scale the data by max%s",
                    largest, least, most, single ? "single" : "double",
                    single ? ", or use precision double" : "");
    return ORTHANT_OK;
}

orthant_status fit_check_entries(const method_row *method, const orthant_matrix *samples)
{
    orthant_context *ctx = samples->ctx;
    const char *name = samples->name ? samples->name : "the data";
    const orthant_status status = matrix_check(samples, !method->mixed_signs, name, method->name);
    if (!status || method->mixed_signs)
        return status;
    char refusal[sizeof ctx->message], others[256] = "";
    memcpy(refusal, ctx->message, sizeof refusal);
    if (!matrix_check(samples, false, name, method->name)) {
        orthant_method_info info = {.size = sizeof info};
        for (int i = 0; !orthant_method_info_at(i, &info); i++)
            if (info.mixed_signs)
                text_append(others, sizeof others, "%s%s", others[0] ? ", " : "", info.name);
        fail(ctx, status, "%s. Methods that take mixed signs: %s", refusal, others);
    }
    return status;
}

/* Only models of a loss and terms know how to share samples. */
static orthant_status check_share(const fit *f)
{
    const orthant_model *model = f->model;
    if (!f->samples->part.total)
        return ORTHANT_OK;
    if (!model->method->loss)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' needs all samples in one process; processes can share those of "
                    "models of a loss and terms: nmf, nmf-kl, gnmf, ...",
                    model->method->name);
    return share_check(f->samples);
}

/* What the device cannot do, before anything is read or built. */
static orthant_status check_device(fit *f)
{
    orthant_context *ctx = f->ctx;
    const method_row *method = f->model->method;
    char text[512] = "";
    if (!ctx->device)
        return ORTHANT_OK;
    if (!method->check_device) {
        orthant_method_info info = {.size = sizeof info};
        for (int i = 0; !orthant_method_info_at(i, &info); i++)
            if (info.on_device)
                text_append(text, sizeof text, "%s%s", text[0] ? ", " : "", info.name);
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "method '%s' does not run on the device '%s', as %s do; it runs on the CPU",
                    method->name, ctx->device_name, text);
    }
    if (f->samples->part.total)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "samples that processes share are not fitted on the device '%s'; such a fit "
                    "runs on the CPU",
                    ctx->device_name);
    snprintf(text, sizeof text, "the device '%s'", ctx->device_name);
    const orthant_status here = matrix_check_here(f->samples, text);
    return here ? here : method->check_device(f);
}

static orthant_status check(const fit *f)
{
    const orthant_model *model = f->model;
    const int64_t n = matrix_total(f->samples);
    orthant_status refused = check_share(f);
    char who[64];
    snprintf(who, sizeof who, "method '%s'", model->method->name);
    if (!refused && !model->method->streams)
        refused = matrix_check_here(f->samples, who);
    if (refused)
        return refused;
    if (model->rank > n && !online_is_partial(model))
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "rank %lld is larger than the number of samples, %lld", (long long)model->rank,
                    (long long)n);
    if (model_uses_labels(model) && !model->labels)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "method '%s' needs labels, at least of some samples", model->method->name);
    if (model->labels && model->labels->count != n)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT, "there are %lld labels for %lld samples",
                    (long long)model->labels->count, (long long)n);
    return fit_check_entries(model->method, f->samples);
}

/* Processes that were asked for different things would wait for each other for ever. */
static orthant_status check_same(const fit *f, const sample_share *part)
{
    const parameter_set *set = &f->model->parameters;
    const char *method = f->model->method->name;
    const int64_t sizes[] = {f->model->rank,        f->samples->columns, matrix_total(f->samples),
                             f->samples->precision, f->samples->sparse,  f->model->term_count};
    uint64_t sum = checksum_bytes(sizes, sizeof sizes, checksum_bytes(method, strlen(method), 0));
    if (!part->shared)
        return ORTHANT_OK;
    for (int i = 0; i < f->model->term_count; i++)
        sum = checksum_bytes(f->model->terms[i]->name, strlen(f->model->terms[i]->name), sum);
    for (int i = 0; i < set->count; i++)
        sum = checksum_bytes(set->text[i], strlen(set->text[i]), sum);
    const double own = (double)(sum >> 12), /* whole numbers that a double holds */
        span = group_largest(part, own) + group_largest(part, -own);
    const orthant_status together = group_check(f->ctx);
    if (!together && span > 0)
        return fail(f->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the processes were not given the same method, parameters and data");
    return together;
}

orthant_status fit_new_result(fit *f)
{
    const sample_share part = samples_here(f->samples);
    f->result = memory_new(f->ctx, 1, sizeof *f->result, "a result");
    if (!f->result)
        return ORTHANT_ERROR_MEMORY;
    f->result->ctx = f->result->history.ctx = f->ctx;
    f->result->method = f->model->method;
    f->result->projected_gradient = f->result->squared_error = NAN;
    if (f->ctx->device)
        snprintf(f->result->device, sizeof f->result->device, "%s", f->ctx->device_name);
    f->result->rank = f->model->rank;
    f->result->samples = f->samples->rows;
    f->result->features = f->samples->columns;
    if (f->samples->part.total)
        f->result->nonzeros = group_total(&part, orthant_matrix_nonzeros(f->samples));
    f->result->best_of = !strcmp(parameter_text(&f->model->parameters, "labels"), "best-of");
    return ORTHANT_OK;
}

orthant_status fit_begin(fit *f, const orthant_model *model, const orthant_matrix *samples)
{
    *f = (fit){.ctx = model->ctx, .model = model, .samples = samples, .begun = clock_seconds()};
    const sample_share part = samples_here(samples);
    orthant_status status = fit_weigh(f);
    if (!status && f->weights.given)
        status = fit_count_known(f);
    if (!status)
        status = check_device(f);
    if (!status)
        status = group_agree(&part, check(f));
    if (status || (status = check_same(f, &part)) || (status = check_range(f)))
        return status;
    status = fit_new_result(f);
    return status ? status : fit_tell_unknown(f);
}

void fit_end(fit *f)
{
    orthant_graph_free(f->built_graph);
    orthant_matrix_free(f->built_similarity);
    fit_weights_release(f);
    orthant_result_free(f->result);
}

double fit_last_loss(const fit *f)
{
    return orthant_result_history(f->result, orthant_result_history_rows(f->result) - 1, 3);
}

/* Of methods whose loss is the squared error, but for what a similarity does not tell of X. */
static void tell_error(fit *f)
{
    double sum;
    if (!f->model->method->squared_error || f->similarity)
        return;
    share_data_sums(f->samples, &sum, &f->result->data_squares);
    f->result->squared_error = fit_last_loss(f);
}

/* Where memory fails, it does in this process alone, and others wait for it. Refusals come to all
 * alike. */
static orthant_status fit_abandon(const fit *f, orthant_status status)
{
    const sample_share part = samples_here(f->samples);
    return status == ORTHANT_ERROR_MEMORY ? group_abandon(&part, status, f->ctx->message) : status;
}

/* The lengths of the basis vectors, where the method did not say what puts encodings on one scale.
 */
static orthant_status set_label_scale(fit *f)
{
    const orthant_matrix *basis = orthant_result_factor(f->result, "basis"),
                         *encoding = orthant_result_factor(f->result, "encoding");
    if (f->result->label_scale || !basis || !encoding || basis->sparse ||
        basis->columns != encoding->columns)
        return ORTHANT_OK;
    double *scale = memory_new(f->ctx, basis->columns, sizeof *scale, "scales of labels");
    if (!scale)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < basis->rows; i++)
        for (int64_t j = 0; j < basis->columns; j++)
            scale[j] += pow(matrix_value(basis, i * basis->stride + j), 2);
    for (int64_t j = 0; j < basis->columns; j++)
        scale[j] = sqrt(scale[j]);
    f->result->label_scale = scale;
    return ORTHANT_OK;
}

orthant_status orthant_fit(const orthant_model *model, const orthant_matrix *samples,
                           orthant_result **result)
{
    fit f;
    fit_limit limit;
    if (result)
        *result = NULL;
    const orthant_status refused =
        entry_check(model ? model->ctx : NULL, samples && result, __func__);
    if (refused)
        return refused;
    orthant_status status = fit_begin(&f, model, samples);
    fit_limit_begin(&f, &limit);
    if (!status)
        status = fit_begin_checkpoints(&f);
    if (!status)
        status = fit_prepare_graph(&f, fit_graph);
    if (!status)
        status = fit_similarity(&f);
    if (!status)
        status = model->method->run(&f);
    if (!status)
        tell_error(&f);
    if (!status)
        status = set_label_scale(&f);
    if (!status)
        status = check_file(&f);
    status = fit_limit_end(&f, &limit, fit_end_checkpoints(&f, status));
    if (status && samples->part.total)
        status = fit_abandon(&f, status);
    if (!status) {
        *result = f.result;
        f.result = NULL;
    }
    fit_end(&f);
    return status;
}
