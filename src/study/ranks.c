/* A survey of ranks as its user sees it: settings, the plan made of them, and what was found. */
#include "study/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "method/factor.h"
#include "method/method.h"
#include "study/draw.h"
#include "study/study.h"
#include "study/trial.h"

#define MOST_REPEATS 10000
#define MOST_SEED ((INT64_C(1) << 31) - 1)
#define CONSENSUS_SAMPLES 1000 /* at most: the matrix has their square */

static const char setting_names[] =
    "method,rank,criteria,repeats,seed,noise,loss,iterations,tolerance,solver,init,weights,search,"
    "graph,pooling,missing,parameter,term,command";
/* Those that are not a trial's. */
static const char own_names[] = "rank,criteria,repeats,seed,noise,command";

orthant_status orthant_ranks_create(orthant_context *context, orthant_ranks **ranks)
{
    if (ranks)
        *ranks = NULL;
    const orthant_status refused = entry_check(context, ranks != NULL, __func__);
    if (refused)
        return refused;
    *ranks = memory_new(context, 1, sizeof **ranks, "a survey of ranks");
    if (!*ranks)
        return ORTHANT_ERROR_MEMORY;
    (*ranks)->ctx = context;
    return ORTHANT_OK;
}

static void forget_plan(orthant_ranks *survey)
{
    orthant_context *ctx = survey->ctx;
    for (int i = 0; i < survey->ranks * survey->criteria && survey->cell; i++) {
        rank_cell *cell = &survey->cell[i];
        for (int64_t r = 0; r < survey->repeats && cell->kept; r++)
            memory_free(ctx, cell->kept[r]);
        memory_free(ctx, cell->kept);
        memory_free(ctx, cell->value);
        memory_free(ctx, cell->done);
    }
    memory_free(ctx, survey->cell);
    memory_free(ctx, survey->rank);
    memory_free(ctx, survey->data_name);
    survey->data_name = NULL;
    setting_list_free(ctx, &survey->reasons);
    survey->reasons = (setting_list){0};
    survey->cell = NULL;
    survey->rank = NULL;
    survey->ranks = survey->criteria = 0;
    survey->recommended = 0;
}

void orthant_ranks_free(orthant_ranks *ranks)
{
    if (!ranks)
        return;
    forget_plan(ranks);
    setting_list_free(ranks->ctx, &ranks->given);
    memory_free(ranks->ctx, ranks);
}

orthant_status orthant_ranks_set(orthant_ranks *ranks, const char *name, const char *value)
{
    orthant_context *ctx = ranks ? ranks->ctx : NULL;
    if (!ranks || !name || !value)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "orthant_ranks_set: an argument is NULL");
    if (!text_in_list(setting_names, name))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a survey of ranks has no setting '%.60s'; it has %s", name, setting_names);
    forget_plan(ranks);
    return setting_list_add(ctx, &ranks->given, name, value);
}

const char *ranks_setting(const orthant_ranks *survey, const char *name)
{
    const settings given = {survey->given.count, survey->given.list};
    return settings_value(&given, name);
}

settings ranks_fit_settings(const orthant_ranks *survey, setting *list, const char *seed)
{
    int count = 0;
    for (int i = 0; i < survey->given.count; i++)
        if (!text_in_list(own_names, survey->given.list[i].name))
            list[count++] = survey->given.list[i];
    list[count++] = (setting){"seed", seed};
    return (settings){count, list};
}

/* ---- the plan ---------------------------------------------------------------------------------
 */

static orthant_status take_whole(const orthant_ranks *survey, const char *name, int64_t least,
                                 int64_t most, int64_t otherwise, int64_t *value)
{
    const char *text = ranks_setting(survey, name);
    *value = otherwise;
    if (text && (!text_to_int64(text, value) || *value < least || *value > most))
        return fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s = '%.60s': expected a whole number from %" PRId64 " to %" PRId64, name,
                    text, least, most);
    return ORTHANT_OK;
}

static orthant_status take_numbers(orthant_ranks *survey)
{
    const char *noise = ranks_setting(survey, "noise");
    orthant_status status = take_whole(survey, "repeats", 2, MOST_REPEATS, 20, &survey->repeats);
    if (!status)
        status = take_whole(survey, "seed", 0, MOST_SEED, 1, &survey->seed);
    survey->noise = 0.03;
    if (!status && noise &&
        (!text_to_double(noise, &survey->noise) || survey->noise < 0 || survey->noise >= 1))
        status = fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                      "noise = '%.60s': expected a number from 0 to below 1", noise);
    return status;
}

/* Whether a criterion is among those asked for, "blocks,starts"; where none were, whether the
 * method and the data, as far as they are known, take it. */
static bool is_asked(const orthant_ranks *survey, const rank_criterion *criterion)
{
    const char *asked = ranks_setting(survey, "criteria");
    const bool sparse = survey->samples && survey->samples->sparse;
    return asked ? text_in_list(asked, criterion->name)
                 : !criterion->masks || (survey->takes_masks && !sparse);
}

static orthant_status count_criteria(orthant_ranks *survey)
{
    const char *asked = ranks_setting(survey, "criteria");
    int words = asked && *asked ? 1 : 0;
    char names[256] = "";
    survey->criteria = 0;
    for (const char *at = asked; at && *at; at++)
        words += *at == ',';
    for (int c = 0; c < rank_criterion_count; c++) {
        survey->criteria += is_asked(survey, &rank_criteria[c]);
        if (asked && rank_criteria[c].masks && !survey->takes_masks &&
            is_asked(survey, &rank_criteria[c]))
            return fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                        "criteria = '%.100s': the fits of '%s' have a mask, which models of a loss "
                        "and terms take alone, as nmf",
                        asked, rank_criteria[c].name);
        text_append(names, sizeof names, "%s%s", c ? ", " : "", rank_criteria[c].name);
    }
    if (asked && (!words || survey->criteria != words))
        return fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                    "criteria = '%.100s': expected some of %s, each once", asked, names);
    return ORTHANT_OK;
}

/* X ~ S W', both nonnegative: what held-out samples are encoded by. */
static bool has_parts(const orthant_method_info *method)
{
    return text_in_list(method->factors, "basis") && text_in_list(method->factors, "encoding") &&
           text_in_list(method->promises, "nonnegative") && strcmp(method->family, "reference");
}

/* A method that a rank can be found for. */
static orthant_status check_method(orthant_ranks *survey)
{
    orthant_context *ctx = survey->ctx;
    trial t = {.ctx = ctx};
    setting *list = memory_new(ctx, survey->given.count + 1, sizeof *list, "settings");
    orthant_status status = list ? trial_begin(ctx, ranks_fit_settings(survey, list, "1"), 2, &t)
                                 : ORTHANT_ERROR_MEMORY;
    if (!status && !has_parts(&t.method))
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "method '%s': the number of parts is found for methods with a nonnegative "
                      "basis and encoding, such as nmf, nmf-kl, gnmf or nnsc",
                      t.method.name);
    if (!status && text_in_list(t.method.needs, "labels"))
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "method '%s' is told by labels how many classes there are; find the "
                      "number of parts for a method without, such as nmf or gnmf",
                      t.method.name);
    survey->method = status ? NULL : t.model->method;
    survey->takes_masks = !status && t.model->method->run == factor_run;
    trial_free(&t);
    memory_free(ctx, list);
    return status;
}

static orthant_status take_missing(orthant_ranks *survey)
{
    const char *missing = ranks_setting(survey, "missing");
    survey->missing = missing && !strcmp(missing, "nan");
    return missing && !strcmp(missing, "zeros")
               ? fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                      "missing = 'zeros': a survey of ranks holds entries out of dense data; give "
                      "the known entries as a dense table with NaN elsewhere, and missing = 'nan'")
               : ORTHANT_OK;
}

static orthant_status take_ranks(orthant_ranks *survey)
{
    const char *text = ranks_setting(survey, "rank");
    return class_list_parse(survey->ctx, "rank", false, text ? text : "2:12", &survey->rank,
                            &survey->ranks);
}

orthant_status orthant_ranks_check(orthant_ranks *ranks)
{
    if (!ranks)
        return ORTHANT_ERROR_ARGUMENT;
    forget_plan(ranks);
    orthant_status status = take_numbers(ranks);
    if (!status)
        status = take_missing(ranks);
    if (!status)
        status = check_method(ranks);
    if (!status)
        status = count_criteria(ranks);
    if (!status)
        status = take_ranks(ranks);
    if (status)
        forget_plan(ranks);
    return status;
}

/* Ranks that the data have no use for; where none were given, those are left out. */
static orthant_status fit_to_data(orthant_ranks *survey)
{
    const int64_t n = survey->rows - survey->rows / 4, m = survey->columns - survey->columns / 2;
    const int64_t most = n < m ? n : m;
    if (survey->rows < 4 || survey->columns < 2)
        return fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%.200s: %" PRId64 " samples and %" PRId64
                    " features are too few to hold some out",
                    survey->data_name, survey->rows, survey->columns);
    while (!ranks_setting(survey, "rank") && survey->ranks > 1 &&
           survey->rank[survey->ranks - 1] > most)
        survey->ranks--;
    if (survey->rank[survey->ranks - 1] <= most)
        return ORTHANT_OK;
    return fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                "rank %" PRId64 " of %.200s: expected at most %" PRId64
                ", as a quarter of the samples and half of the features are held out",
                survey->rank[survey->ranks - 1], survey->data_name, most);
}

static orthant_status make_cell(const orthant_ranks *survey, rank_cell *cell)
{
    cell->done = memory_new(survey->ctx, survey->repeats, sizeof *cell->done, "repeats");
    cell->value =
        memory_new(survey->ctx, survey->repeats * RANK_MEASURES, sizeof *cell->value, "measures");
    cell->kept = memory_new(survey->ctx, survey->repeats, sizeof *cell->kept, "repeats");
    cell->left = survey->repeats;
    for (int i = 0; i < RANK_MEASURES; i++)
        cell->joint[i] = (double)NAN;
    return cell->done && cell->value && cell->kept ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status make_cells(orthant_ranks *survey)
{
    orthant_status status = ORTHANT_OK;
    survey->cell = memory_new(survey->ctx, (int64_t)survey->ranks * survey->criteria,
                              sizeof *survey->cell, "a survey of ranks");
    if (!survey->cell)
        return ORTHANT_ERROR_MEMORY;
    for (int k = 0; k < survey->ranks && !status; k++)
        for (int c = 0, at = 0; c < rank_criterion_count && !status; c++) {
            if (!is_asked(survey, &rank_criteria[c]))
                continue;
            rank_cell *cell = ranks_cell(survey, k, at++);
            cell->criterion = &rank_criteria[c];
            cell->rank = survey->rank[k];
            status = make_cell(survey, cell);
        }
    return status;
}

/* All entries, before they are drawn and permuted: a refusal tells where they stand in the data. */
static orthant_status check_data(const orthant_ranks *survey)
{
    const orthant_matrix *samples = survey->samples;
    orthant_matrix *known = NULL;
    if (!survey->missing || samples->sparse) /* that is refused by the fits */
        return fit_check_entries(survey->method, samples);
    orthant_status status = matrix_copy(survey->ctx, samples, samples->precision, &known);
    for (int64_t e = 0; !status && e < known->rows * known->stride; e++)
        if (isnan(matrix_value(known, e)))
            matrix_set_value(known, e, 0);
    if (!status && samples->name && !(known->name = memory_text(survey->ctx, samples->name)))
        status = ORTHANT_ERROR_MEMORY;
    if (!status) {
        known->summary.known = false;
        status = fit_check_entries(survey->method, known);
    }
    orthant_matrix_free(known);
    return status;
}

orthant_status ranks_plan(orthant_ranks *survey, const char *name, const orthant_matrix *samples)
{
    survey->samples = samples;
    orthant_status status = orthant_ranks_check(survey);
    if (!status)
        status = matrix_check_here(samples, "a survey of ranks");
    if (!status && samples->part.total)
        status = fail(survey->ctx, ORTHANT_ERROR_ARGUMENT,
                      "a survey of ranks takes all samples in one process");
    if (status)
        return status;
    survey->data_name = memory_text(survey->ctx, name);
    if (!survey->data_name)
        return ORTHANT_ERROR_MEMORY;
    survey->rows = samples->rows;
    survey->columns = samples->columns;
    status = fit_to_data(survey);
    if (!status)
        status = check_data(survey);
    return status ? status : make_cells(survey);
}

/* ---- what was found ---------------------------------------------------------------------------
 */

rank_cell *ranks_cell(const orthant_ranks *survey, int rank, int criterion)
{
    return &survey->cell[rank * survey->criteria + criterion];
}

int64_t ranks_consensus_samples(const orthant_ranks *survey)
{
    return survey->rows < CONSENSUS_SAMPLES ? survey->rows : CONSENSUS_SAMPLES;
}

double ranks_cell_value(const orthant_ranks *survey, const rank_cell *cell, int measure,
                        double *deviation)
{
    const int repeated = rank_repeat_measures(cell->criterion);
    const double count = (double)survey->repeats;
    double mean = 0, squares = 0;
    *deviation = (double)NAN;
    if (measure >= repeated)
        return cell->joint[measure - repeated];
    if (cell->left)
        return (double)NAN;
    for (int64_t r = 0; r < survey->repeats; r++)
        mean += cell->value[r * RANK_MEASURES + measure] / count;
    for (int64_t r = 0; r < survey->repeats; r++) {
        const double difference = cell->value[r * RANK_MEASURES + measure] - mean;
        squares += difference * difference;
    }
    *deviation = sqrt(squares / (count - 1));
    return mean;
}

int64_t orthant_ranks_recommended(const orthant_ranks *ranks)
{
    return ranks ? ranks->recommended : 0;
}

const char *orthant_ranks_reason(const orthant_ranks *ranks, int index)
{
    return ranks && index >= 0 && index < ranks->reasons.count ? ranks->reasons.list[index].value
                                                               : NULL;
}

int64_t orthant_ranks_count(const orthant_ranks *ranks)
{
    return ranks && ranks->cell ? ranks->ranks : 0;
}

int64_t orthant_ranks_rank(const orthant_ranks *ranks, int64_t index)
{
    return index >= 0 && index < orthant_ranks_count(ranks) ? ranks->rank[index] : 0;
}

double orthant_ranks_value(const orthant_ranks *ranks, int64_t index, const char *measure,
                           double *deviation)
{
    double spread = (double)NAN, found = (double)NAN;
    if (measure && index >= 0 && index < orthant_ranks_count(ranks))
        for (int c = 0; c < ranks->criteria; c++) {
            const rank_cell *cell = ranks_cell(ranks, (int)index, c);
            for (int m = 0; m < rank_all_measures(cell->criterion); m++)
                if (!strcmp(cell->criterion->measure[m].name, measure))
                    found = ranks_cell_value(ranks, cell, m, &spread);
        }
    if (deviation)
        *deviation = spread;
    return found;
}

const char *orthant_ranks_criterion(int index)
{
    return index >= 0 && index < rank_criterion_count ? rank_criteria[index].name : NULL;
}

const char *orthant_ranks_criterion_help(int index)
{
    return index >= 0 && index < rank_criterion_count ? rank_criteria[index].help : NULL;
}

static const rank_measure *find_measure(int index)
{
    for (int c = 0; c < rank_criterion_count && index >= 0; c++) {
        const int count = rank_all_measures(&rank_criteria[c]);
        if (index < count)
            return &rank_criteria[c].measure[index];
        index -= count;
    }
    return NULL;
}

const char *orthant_ranks_measure(int index)
{
    const rank_measure *measure = find_measure(index);
    return measure ? measure->name : NULL;
}

const char *orthant_ranks_measure_title(int index)
{
    const rank_measure *measure = find_measure(index);
    return measure ? measure->title : NULL;
}
