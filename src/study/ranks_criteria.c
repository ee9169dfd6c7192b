/* The criteria of a survey of ranks: what each fits, and what it measures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "data/labels.h"
#include "study/altered.h"
#include "study/consensus.h"
#include "study/part_clusters.h"
#include "study/ranks.h"
#include "study/subset.h"
#include "study/trial.h"

#define HELD_SAMPLES 4  /* one of so many is held out */
#define HELD_FEATURES 2 /* and of these */
#define TRANSFORM_ITERATIONS 500
#define TRANSFORM_TOLERANCE 1e-6

/* ---- a fit ------------------------------------------------------------------------------------
 */

orthant_status ranks_fit(const rank_task *task, const orthant_matrix *samples,
                         const orthant_matrix *mask, setting **list, char seed[32], trial *t)
{
    const orthant_ranks *survey = task->survey;
    *t = (trial){.ctx = task->ctx};
    snprintf(seed, 32, "%lld", (long long)task->seed);
    *list = memory_new(task->ctx, survey->given.count + 1, sizeof **list, "the settings of a run");
    if (!*list)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status =
        trial_begin(task->ctx, ranks_fit_settings(survey, *list, seed), task->rank, t);
    if (!status)
        status = trial_give(t, survey->data_name, samples, NULL, NULL);
    if (!status && mask)
        status = orthant_model_set_mask(t->model, mask);
    /* solvers by coordinates take no mask */
    if (!status && (mask || survey->missing) &&
        strcmp(parameter_text(&t->model->parameters, "solver"), "mu") != 0)
        status = orthant_model_set(t->model, "solver", "emu");
    /* of many fits, whose encodings no one keeps */
    if (!status && parameter_has(&t->model->parameters, "final_encodings"))
        status = orthant_model_set(t->model, "final_encodings", "last");
    if (!status)
        status = trial_fit(t, NULL);
    return status;
}

orthant_matrix ranks_data(const rank_task *task)
{
    orthant_matrix shared = *task->survey->samples;
    shared.ctx = task->ctx;
    return shared;
}

static double row_dot(const orthant_matrix *a, int64_t i, const orthant_matrix *b, int64_t j)
{
    double sum = 0;
    for (int64_t p = 0; p < a->columns; p++)
        sum += matrix_value(a, i * a->stride + p) * matrix_value(b, j * b->stride + p);
    return sum;
}

/* <a'a, b'b> of two matrices with as many columns. */
static double gram_dot(const orthant_matrix *a, const orthant_matrix *b)
{
    double sum = 0;
    for (int64_t p = 0; p < a->columns; p++)
        for (int64_t q = 0; q <= p; q++) {
            double left = 0, right = 0;
            for (int64_t i = 0; i < a->rows; i++)
                left += matrix_value(a, i * a->stride + p) * matrix_value(a, i * a->stride + q);
            for (int64_t j = 0; j < b->rows; j++)
                right += matrix_value(b, j * b->stride + p) * matrix_value(b, j * b->stride + q);
            sum += (p == q ? 1 : 2) * left * right;
        }
    return sum;
}

/* The same of a dense X whose NaN are not known, entry by entry. */
static double known_residual_share(const orthant_matrix *x, const orthant_matrix *s,
                                   const orthant_matrix *w)
{
    double squares = 0, left = 0;
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->columns; j++) {
            const double value = matrix_value(x, i * x->stride + j);
            if (isnan(value))
                continue;
            squares += value * value;
            left += pow(value - row_dot(s, i, w, j), 2);
        }
    return squares > 0 ? left / squares : (double)NAN;
}

/* |X - S W'|^2 / |X|^2, from the entries of X that are there. */
static double residual_share(const rank_task *task, const orthant_matrix *x,
                             const orthant_matrix *s, const orthant_matrix *w)
{
    if (task->survey->missing)
        return known_residual_share(x, s, w);
    double squares = 0, product = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t begin = x->sparse ? x->row_start[i] : i * x->stride;
        const int64_t end = x->sparse ? x->row_start[i + 1] : begin + x->columns;
        for (int64_t e = begin; e < end; e++) {
            const double value = matrix_value(x, e);
            squares += value * value;
            if (value < 0 || value > 0)
                product += value * row_dot(s, i, w, x->sparse ? x->column[e] : e - begin);
        }
    }
    return squares > 0 ? fmax(0, squares - 2 * product + gram_dot(s, w)) / squares : (double)NAN;
}

/* Objective and explained share. */
static void measure_fit(const rank_task *task, const orthant_matrix *samples, const trial *t,
                        double *value)
{
    value[0] = orthant_result_objective(t->result);
    value[1] = 1 - residual_share(task, samples, orthant_result_factor(t->result, "encoding"),
                                  orthant_result_factor(t->result, "basis"));
}

/* ---- blocks: Owen & Perry 2009 ----------------------------------------------------------------
 */

typedef struct held_block {
    int64_t *sample, *feature; /* those held out come first */
    subset held_samples, kept_samples, held_features, kept_features;
} held_block;

static orthant_status draw_block(const rank_task *task, held_block *b)
{
    const orthant_ranks *survey = task->survey;
    const int64_t n = survey->rows, m = survey->columns;
    const int64_t samples = n / HELD_SAMPLES, features = m / HELD_FEATURES;
    *b = (held_block){memory_new(task->ctx, n, sizeof *b->sample, "held-out samples"),
                      memory_new(task->ctx, m, sizeof *b->feature, "held-out features"),
                      {0},
                      {0},
                      {0},
                      {0}};
    if (!b->sample || !b->feature)
        return ORTHANT_ERROR_MEMORY;
    subset_draw((uint64_t)task->seed, RANDOM_BLOCK_SAMPLES, n, samples, b->sample);
    subset_draw((uint64_t)task->seed, RANDOM_BLOCK_FEATURES, m, features, b->feature);
    b->held_samples = (subset){samples, b->sample};
    b->kept_samples = (subset){n - samples, b->sample + samples};
    b->held_features = (subset){features, b->feature};
    b->kept_features = (subset){m - features, b->feature + features};
    return ORTHANT_OK;
}

/* By the loss alone: terms are of all features. */
static orthant_status encode(const rank_task *task, const trial *t, const orthant_matrix *basis,
                             const orthant_matrix *samples, orthant_matrix **encoding)
{
    const orthant_transform_options options = {.size = sizeof options,
                                               .iterations = TRANSFORM_ITERATIONS,
                                               .tolerance = TRANSFORM_TOLERANCE};
    orthant_model *plain = NULL;
    char loss[64];
    /* Methods without losses to choose from have the squares. */
    if (orthant_model_get(t->model, "loss", loss, sizeof loss))
        snprintf(loss, sizeof loss, "frobenius");
    if (!task->survey->missing)
        return orthant_transform(task->ctx, basis, loss, samples, options.iterations,
                                 options.tolerance, encoding);
    orthant_status status = orthant_model_create(task->ctx, "nmf", task->rank, &plain);
    if (!status)
        status = orthant_model_set(plain, "loss", loss);
    if (!status)
        status = orthant_model_set(plain, "missing", "nan");
    if (!status)
        status = orthant_model_transform(plain, basis, samples, &options, encoding);
    orthant_model_free(plain);
    return status;
}

/* The held-out samples are encoded on the kept features; the held-out ones are predicted. */
static orthant_status predict(const rank_task *task, const held_block *b, const trial *t,
                              double *error)
{
    const orthant_matrix *basis = orthant_result_factor(t->result, "basis");
    orthant_context *ctx = task->ctx;
    const orthant_matrix data = ranks_data(task);
    orthant_matrix *seen = NULL, *hidden = NULL, *seen_basis = NULL, *hidden_basis = NULL;
    orthant_matrix *encoding = NULL;
    orthant_status status = subset_take(ctx, &data, &b->held_samples, &b->kept_features, &seen);
    if (!status)
        status = subset_take(ctx, &data, &b->held_samples, &b->held_features, &hidden);
    if (!status)
        status = subset_take(ctx, basis, &b->kept_features, NULL, &seen_basis);
    if (!status)
        status = subset_take(ctx, basis, &b->held_features, NULL, &hidden_basis);
    if (!status)
        status = encode(task, t, seen_basis, seen, &encoding);
    if (!status)
        *error = residual_share(task, hidden, encoding, hidden_basis);
    orthant_matrix_free(encoding);
    orthant_matrix_free(hidden_basis);
    orthant_matrix_free(seen_basis);
    orthant_matrix_free(hidden);
    orthant_matrix_free(seen);
    return status;
}

static orthant_status run_block(rank_task *task, double *value)
{
    const orthant_matrix data = ranks_data(task);
    orthant_matrix *kept = NULL;
    setting *list = NULL;
    char seed[32];
    trial t = {.ctx = task->ctx};
    held_block b;
    orthant_status status = draw_block(task, &b);
    if (!status)
        status = subset_take(task->ctx, &data, &b.kept_samples, NULL, &kept);
    if (!status)
        status = ranks_fit(task, kept, NULL, &list, seed, &t);
    if (!status)
        status = predict(task, &b, &t, &value[0]);
    trial_free(&t);
    memory_free(task->ctx, list);
    orthant_matrix_free(kept);
    memory_free(task->ctx, b.feature);
    memory_free(task->ctx, b.sample);
    return status;
}

/* ---- starts: Brunet et al. 2004, Kim & Park 2007 ----------------------------------------------
 */

/* Of the samples that the consensus is of, the part that each has the most of. */
static orthant_status keep_labels(rank_task *task, const trial *t)
{
    const int64_t count = ranks_consensus_samples(task->survey), n = task->survey->rows;
    orthant_labels *labels = NULL;
    int64_t *place = memory_new(task->ctx, n, sizeof *place, "samples of a consensus matrix");
    int32_t *kept = memory_new(task->ctx, count, sizeof *kept, "labels of a start");
    orthant_status status = place && kept ? orthant_result_labels(t->result, "argmax:encoding",
                                                                  task->rank, 1, 1, &labels)
                                          : ORTHANT_ERROR_MEMORY;
    if (!status) {
        subset_draw((uint64_t)task->survey->seed, RANDOM_CONSENSUS, n, count, place);
        for (int64_t i = 0; i < count; i++)
            kept[i] = (int32_t)labels->values[place[i]];
        task->kept = kept;
        task->kept_bytes = (size_t)count * sizeof *kept;
    } else {
        memory_free(task->ctx, kept);
    }
    orthant_labels_free(labels);
    memory_free(task->ctx, place);
    return status;
}

/* A fit of `samples` with what it measures; `keep`, which may be NULL, keeps something of it. */
static orthant_status run_fit(rank_task *task, const orthant_matrix *samples, double *value,
                              orthant_status (*keep)(rank_task *task, const trial *t))
{
    setting *list = NULL;
    char seed[32];
    trial t;
    orthant_status status = ranks_fit(task, samples, NULL, &list, seed, &t);
    if (!status)
        measure_fit(task, samples, &t, value);
    if (!status && keep)
        status = keep(task, &t);
    trial_free(&t);
    memory_free(task->ctx, list);
    return status;
}

static orthant_status run_start(rank_task *task, double *value)
{
    const orthant_matrix data = ranks_data(task);
    return run_fit(task, &data, value, keep_labels);
}

static orthant_status join_starts(orthant_context *ctx, const orthant_ranks *survey, int64_t rank,
                                  void *const *kept, double *value)
{
    const int64_t samples = ranks_consensus_samples(survey);
    int32_t *label =
        memory_new(ctx, survey->repeats * samples, sizeof *label, "labels of all starts");
    consensus_agreement agreement = {(double)NAN, (double)NAN};
    orthant_status status = label ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t r = 0; r < survey->repeats && !status; r++)
        memcpy(label + r * samples, kept[r], (size_t)samples * sizeof *label);
    if (!status && rank > 1)
        status = consensus_agree(ctx, label, survey->repeats, samples, &agreement);
    value[0] = agreement.cophenetic;
    value[1] = agreement.dispersion;
    memory_free(ctx, label);
    return status;
}

/* ---- perturbed: Alexandrov et al. 2013 --------------------------------------------------------
 */

static orthant_status keep_parts(rank_task *task, const trial *t)
{
    const orthant_matrix *basis = orthant_result_factor(t->result, "basis");
    const int64_t count = basis->rows * basis->columns;
    task->kept = memory_new(task->ctx, count, sizeof(float), "the parts of a run");
    if (!task->kept)
        return ORTHANT_ERROR_MEMORY;
    task->kept_bytes = (size_t)count * sizeof(float);
    parts_of_basis(basis, task->kept);
    return ORTHANT_OK;
}

static orthant_status run_perturbed(rank_task *task, double *value)
{
    const orthant_matrix data = ranks_data(task);
    orthant_matrix *altered = NULL;
    double unused[2];
    (void)value;
    orthant_status status =
        altered_by_noise(task->ctx, &data, task->survey->noise, (uint64_t)task->seed, &altered);
    if (!status)
        status = run_fit(task, altered, unused, keep_parts);
    orthant_matrix_free(altered);
    return status;
}

static orthant_status join_perturbed(orthant_context *ctx, const orthant_ranks *survey,
                                     int64_t rank, void *const *kept, double *value)
{
    part_stability stability;
    const orthant_status status = part_clusters_judge(ctx, (float *const *)kept, survey->repeats,
                                                      rank, survey->columns, &stability);
    value[0] = stability.silhouette;
    value[1] = stability.least_silhouette;
    return status;
}

/* ---- permuted: Frigyesi & Hoglund 2008 --------------------------------------------------------
 */

static orthant_status run_permuted(rank_task *task, double *value)
{
    const orthant_matrix data = ranks_data(task);
    orthant_matrix *altered = NULL;
    orthant_status status =
        altered_by_permutation(task->ctx, &data, (uint64_t)task->seed, &altered);
    if (!status)
        status = run_fit(task, altered, value, NULL);
    orthant_matrix_free(altered);
    return status;
}

/* ---- the table --------------------------------------------------------------------------------
 */

const rank_criterion rank_criteria[] = {
    {"blocks",
     "held-out blocks: a quarter of the samples is left out of the fit, encoded on half of the "
     "features, and the other half is predicted",
     {{"error", "held-out error", false}},
     false,
     run_block,
     NULL,
     ranks_vote_error},
    {"speckled",
     "held-out entries: a tenth of the entries, drawn one by one, is masked in the fit and "
     "predicted by it",
     {{"entry_error", "error of held-out entries", false}},
     true,
     ranks_run_speckles,
     NULL,
     ranks_vote_error},
    {"starts",
     "random starts: objective, explained share, and how far the clusters of the starts agree",
     {{"objective", "objective", false},
      {"explained", "explained share", false},
      {"cophenetic", "cophenetic correlation", true},
      {"dispersion", "dispersion", true}},
     false,
     run_start,
     join_starts,
     NULL},
    {"perturbed",
     "perturbed data: whether the parts come back when every entry is changed a little",
     {{"silhouette", "mean silhouette of parts", true},
      {"least_silhouette", "smallest silhouette of parts", true}},
     false,
     run_perturbed,
     join_perturbed,
     ranks_vote_stable},
    {"permuted",
     "permuted data: what is explained where the features have nothing in common",
     {{"permuted_objective", "objective of permuted data", false},
      {"permuted_explained", "explained share of permuted data", false}},
     false,
     run_permuted,
     NULL,
     ranks_vote_permuted},
};
const int rank_criterion_count = (int)(sizeof rank_criteria / sizeof *rank_criteria);

int rank_repeat_measures(const rank_criterion *criterion)
{
    int count = 0;
    while (count < RANK_MEASURES && criterion->measure[count].name &&
           !criterion->measure[count].joint)
        count++;
    return count;
}

int rank_all_measures(const rank_criterion *criterion)
{
    int count = 0;
    while (count < RANK_MEASURES && criterion->measure[count].name)
        count++;
    return count;
}
