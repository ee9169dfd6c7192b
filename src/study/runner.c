/* The runs of a study, side by side: each on a context of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "study/crew.h"
#include "study/study.h"
#include "study/trial.h"

typedef struct worker {
    struct runner *runner;
    orthant_context *ctx;
    study_draw draw; /* of the last run, for others on the same */
    const study_job *drawn_for;
    kept_graph graph; /* of the last run's samples, for others that build the same */
    setting *list;    /* for a variant's settings and the seed */
} worker;

typedef struct runner {
    orthant_study *study;
    study_sink sink;
    worker *workers;
    int64_t *order; /* the jobs to do, the first first */
    int64_t count;
    crew crew;
    pthread_mutex_t reading; /* files may be HDF5, whose library is for one thread at a time */
} runner;

/* ---- order ------------------------------------------------------------------------------------
 */

/* Repeat by repeat, so that what is there after an interruption is whole and the time left is known
 * early; the most classes first, so that no long run comes last. */
static bool comes_before(const study_job *a, const study_job *b)
{
    if (a->repeat != b->repeat)
        return a->repeat < b->repeat;
    if (a->classes != b->classes)
        return a->classes > b->classes;
    return a->dataset < b->dataset;
}

/* A stable merge sort: equal jobs stay in the order of the plan. */
static void sort_jobs(const study_job *jobs, int64_t *order, int64_t *spare, int64_t count)
{
    const int64_t half = count / 2;
    if (count < 2)
        return;
    sort_jobs(jobs, order, spare, half);
    sort_jobs(jobs, order + half, spare, count - half);
    memcpy(spare, order, (size_t)half * sizeof *order);
    for (int64_t left = 0, right = half, at = 0; left < half; at++)
        order[at] = right < count && comes_before(&jobs[order[right]], &jobs[spare[left]])
                        ? order[right++]
                        : spare[left++];
}

static orthant_status order_jobs(runner *r)
{
    const orthant_study *study = r->study;
    int64_t *spare = memory_new(study->ctx, study->jobs, sizeof *spare, "the order of runs");
    r->order = memory_new(study->ctx, study->jobs, sizeof *r->order, "the order of runs");
    if (spare && r->order) {
        for (int64_t i = 0; i < study->jobs; i++)
            if (!study->job[i].done)
                r->order[r->count++] = i;
        sort_jobs(study->job, r->order, spare, r->count);
    }
    memory_free(study->ctx, spare);
    return spare && r->order ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* ---- one run ----------------------------------------------------------------------------------
 */

/* The classes of the run; those of the run before where they are the same. */
static orthant_status draw_for(worker *w, const study_job *job, bool square)
{
    const orthant_study *study = w->runner->study;
    const study_job *last = w->drawn_for;
    const study_scaled *data = &study->scaled[job->scaled];
    /* All classes are the same for any seed. */
    const bool all = job->classes == study->dataset[job->dataset].classes;
    if (last && last->scaled == job->scaled && last->classes == job->classes &&
        (all || last->seed == job->seed))
        return ORTHANT_OK;
    kept_graph_release(&w->graph);
    draw_free(&w->draw);
    w->drawn_for = NULL;
    const orthant_status status = draw_classes(w->ctx, study->dataset[job->dataset].name,
                                               data->samples, study->dataset[job->dataset].truth,
                                               job->classes, (uint64_t)job->seed, square, &w->draw);
    w->drawn_for = status ? NULL : job;
    return status;
}

static void measure(const trial *t, double value[MEASURE_COUNT])
{
    const orthant_matrix *encoding = orthant_result_factor(t->result, "encoding");
    value[MEASURE_ACCURACY] = t->scores.accuracy;
    value[MEASURE_NMI] = t->scores.nmi;
    value[MEASURE_ARI] = t->scores.ari;
    value[MEASURE_PURITY] = t->scores.purity;
    value[MEASURE_SPARSENESS] = encoding ? orthant_score_sparseness(encoding) : (double)NAN;
    value[MEASURE_OBJECTIVE] = orthant_result_objective(t->result);
    value[MEASURE_ITERATIONS] = (double)orthant_result_iterations(t->result);
    value[MEASURE_SECONDS] = t->seconds;
}

static orthant_status keep_run(const worker *w, const study_job *job, const trial *t)
{
    const study_sink *sink = &w->runner->sink;
    orthant_run run = trial_run(t);
    run.truth_labels = t->truth;
    run.sample_rows = w->draw.row;
    return job->kept && sink->keep ? sink->keep(sink->user, w->ctx, job, &run) : ORTHANT_OK;
}

/* *kept: a failure behind this point is the folder's, not the method's. */
static orthant_status run_trial(worker *w, const study_job *job, double value[MEASURE_COUNT],
                                bool *kept)
{
    const study_variant *variant = &w->runner->study->variant[job->variant];
    char seed[32];
    trial t;
    memcpy(w->list, variant->list, (size_t)variant->count * sizeof *w->list);
    snprintf(seed, sizeof seed, "%lld", (long long)job->seed);
    w->list[variant->count] = (setting){"seed", seed};
    const settings given = {variant->count + 1, w->list};
    const char *similarity = settings_value(&given, "similarity");
    orthant_status status =
        trial_begin(w->ctx, given, job->classes * variant->columns_per_class, &t);
    if (!status)
        status = draw_for(w, job, similarity && !strcmp(similarity, "given"));
    if (!status) {
        pthread_mutex_lock(&w->runner->reading);
        status = trial_give(&t, w->runner->study->dataset[job->dataset].name, w->draw.samples,
                            w->draw.truth, &w->draw);
        pthread_mutex_unlock(&w->runner->reading);
    }
    if (!status)
        status = trial_fit(&t, &w->graph);
    if (!status)
        status = trial_label(&t);
    if (!status)
        measure(&t, value);
    if (!status && !crew_stopped(&w->runner->crew)) {
        *kept = true;
        status = keep_run(w, job, &t);
    }
    trial_free(&t);
    return status;
}

/* With the lock held: the study's context is nobody else's now. */
static orthant_status record_failure(runner *r, study_job *job, const char *reason,
                                     orthant_status status)
{
    const orthant_study *study = r->study;
    char text[1400];
    snprintf(text, sizeof text, "%.200s, %.200s, %lld classes, repeat %lld: %.900s",
             study->dataset[job->dataset].name, study->variant[job->variant].label,
             (long long)job->classes, (long long)job->repeat,
             *reason ? reason : orthant_status_name(status));
    job->failure = memory_text(study->ctx, text);
    log_warning(study->ctx, "%s", text);
    return job->failure ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static void run_job(void *user, int64_t index, int thread)
{
    runner *r = user;
    worker *w = &r->workers[thread];
    study_job *job = &r->study->job[r->order[index]];
    orthant_status ends = ORTHANT_OK;
    bool kept = false;
    if (crew_stopped(&r->crew))
        return;
    const orthant_status status = run_trial(w, job, job->value, &kept);
    if (crew_enter(&r->crew)) {
        job->done = !status;
        if (!status && r->sink.row) {
            const study_row row = study_job_row(r->study, job);
            ends = r->sink.row(r->sink.user, &row);
        } else if (status && kept) {
            ends = fail(r->study->ctx, status, "%s", orthant_message(w->ctx));
        } else if (status) {
            ends = record_failure(r, job, orthant_message(w->ctx), status);
        }
    }
    crew_leave(&r->crew, true, ends);
}

/* ---- all runs ---------------------------------------------------------------------------------
 */

static void end_workers(runner *r)
{
    for (int i = 0; i < r->crew.workers && r->workers; i++) {
        kept_graph_release(&r->workers[i].graph);
        draw_free(&r->workers[i].draw);
        memory_free(r->study->ctx, r->workers[i].list);
    }
    memory_free(r->study->ctx, r->workers);
}

static orthant_status begin_workers(runner *r)
{
    orthant_context *ctx = r->study->ctx;
    int longest = 0;
    for (int v = 0; v < r->study->variants; v++)
        longest = r->study->variant[v].count > longest ? r->study->variant[v].count : longest;
    r->workers = memory_new(ctx, r->crew.workers, sizeof *r->workers, "the threads of a study");
    if (!r->workers)
        return ORTHANT_ERROR_MEMORY;
    for (int i = 0; i < r->crew.workers; i++) {
        worker *w = &r->workers[i];
        w->runner = r;
        w->ctx = r->crew.worker[i];
        w->list = memory_new(ctx, longest + 1, sizeof *w->list, "the settings of a run");
        if (!w->list)
            return ORTHANT_ERROR_MEMORY;
    }
    return ORTHANT_OK;
}

orthant_status study_run_jobs(orthant_study *study, study_sink sink)
{
    runner r = {.study = study, .sink = sink};
    pthread_mutex_init(&r.reading, NULL);
    orthant_status status = order_jobs(&r);
    const orthant_status begun = crew_begin(study->ctx, "runs", r.count, &r.crew);
    if (!status)
        status = begun;
    if (!status)
        status = begin_workers(&r);
    if (!status)
        status = crew_run(&r.crew, run_job, &r);
    if (status == ORTHANT_STOPPED)
        status = fail(study->ctx, ORTHANT_STOPPED, "stopped after %lld of %lld runs",
                      (long long)(study->jobs - r.count + r.crew.finished), (long long)study->jobs);
    end_workers(&r);
    crew_end(&r.crew);
    memory_free(study->ctx, r.order);
    pthread_mutex_destroy(&r.reading);
    return status;
}
