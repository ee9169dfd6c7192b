/* The fits of a survey of ranks, side by side; the repeats of a rank are joined by the thread that
 * makes the last of them. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "study/crew.h"
#include "study/draw.h"
#include "study/ranks.h"

typedef struct job {
    rank_cell *cell;
    int64_t repeat; /* from 0 */
} job;

typedef struct runner {
    orthant_ranks *survey;
    rank_sink sink;
    crew crew;
    job *job;
} runner;

/* The largest rank first, so that no long fit comes last, and rank by rank, so that what is kept
 * of one is joined and let go. */
static orthant_status make_jobs(runner *r, int64_t *count)
{
    orthant_ranks *survey = r->survey;
    r->job = memory_new(survey->ctx, (int64_t)survey->ranks * survey->criteria * survey->repeats,
                        sizeof *r->job, "the order of runs");
    *count = 0;
    if (!r->job)
        return ORTHANT_ERROR_MEMORY;
    for (int k = survey->ranks - 1; k >= 0; k--)
        for (int c = 0; c < survey->criteria; c++) {
            rank_cell *cell = ranks_cell(survey, k, c);
            for (int64_t repeat = 0; repeat < survey->repeats; repeat++)
                if (!cell->done[repeat])
                    r->job[(*count)++] = (job){cell, repeat};
        }
    return ORTHANT_OK;
}

/* With the lock held. What is still to be joined is written with what it is joined to. */
static orthant_status write_repeat(const runner *r, const rank_cell *cell, int64_t repeat)
{
    const int measures = rank_repeat_measures(cell->criterion);
    orthant_status status = ORTHANT_OK;
    for (int m = 0; m < measures && r->sink.line && !status; m++)
        status = r->sink.line(r->sink.user, cell, repeat, cell->criterion->measure[m].name,
                              cell->value[repeat * RANK_MEASURES + m]);
    return status;
}

static orthant_status flush(const runner *r, orthant_status status)
{
    return status || !r->sink.flush ? status : r->sink.flush(r->sink.user);
}

/* With the lock held. */
static orthant_status write_joint(const runner *r, const rank_cell *cell)
{
    const rank_criterion *criterion = cell->criterion;
    const int repeated = rank_repeat_measures(criterion);
    orthant_status status = ORTHANT_OK;
    for (int64_t repeat = 0; repeat < r->survey->repeats && !status; repeat++)
        status = write_repeat(r, cell, repeat);
    for (int m = repeated; m < rank_all_measures(criterion) && r->sink.line && !status; m++)
        status = r->sink.line(r->sink.user, cell, RANKS_ALL_REPEATS, criterion->measure[m].name,
                              cell->joint[m - repeated]);
    return flush(r, status);
}

/* With the lock held: what the thread kept goes over into the survey's memory. */
static orthant_status take_kept(const runner *r, rank_cell *cell, int64_t repeat,
                                const rank_task *task)
{
    if (!task->kept)
        return ORTHANT_OK;
    cell->kept[repeat] =
        memory_new(r->survey->ctx, (int64_t)task->kept_bytes, 1, "what a run left to be joined");
    if (!cell->kept[repeat])
        return ORTHANT_ERROR_MEMORY;
    memcpy(cell->kept[repeat], task->kept, task->kept_bytes);
    return ORTHANT_OK;
}

static orthant_status refuse(const runner *r, const rank_task *task, orthant_status status)
{
    const char *message = orthant_message(task->ctx);
    return fail(r->survey->ctx, status, "rank %lld, repeat %lld: %.900s", (long long)task->rank,
                (long long)task->repeat + 1, *message ? message : orthant_status_name(status));
}

/* The first half of the end of a job; *last where it was the last of its cell. */
static orthant_status take_repeat(const runner *r, const job *j, const rank_task *task, bool *last)
{
    rank_cell *cell = j->cell;
    orthant_status status = take_kept(r, cell, j->repeat, task);
    if (status)
        return status;
    cell->done[j->repeat] = true;
    *last = --cell->left == 0;
    return cell->criterion->join ? ORTHANT_OK : flush(r, write_repeat(r, cell, j->repeat));
}

static void join_cell(runner *r, rank_cell *cell, rank_task *task)
{
    const orthant_status status =
        cell->criterion->join(task->ctx, r->survey, cell->rank, cell->kept, cell->joint);
    orthant_status ends = ORTHANT_OK;
    if (crew_enter(&r->crew)) {
        cell->joined = !status;
        ends = status ? refuse(r, task, status) : write_joint(r, cell);
        for (int64_t i = 0; i < r->survey->repeats; i++) {
            memory_free(r->survey->ctx, cell->kept[i]);
            cell->kept[i] = NULL;
        }
    }
    crew_leave(&r->crew, false, ends);
}

static void run_job(void *user, int64_t index, int thread)
{
    runner *r = user;
    const job *j = &r->job[index];
    rank_cell *cell = j->cell;
    orthant_status ends = ORTHANT_OK;
    bool last = false;
    if (crew_stopped(&r->crew))
        return;
    rank_task task = {.ctx = r->crew.worker[thread],
                      .survey = r->survey,
                      .rank = cell->rank,
                      .repeat = j->repeat,
                      .seed = draw_seed(r->survey->seed, 0, j->repeat)};
    const orthant_status status =
        cell->criterion->run(&task, cell->value + j->repeat * RANK_MEASURES);
    if (crew_enter(&r->crew))
        ends = status ? refuse(r, &task, status) : take_repeat(r, j, &task, &last);
    crew_leave(&r->crew, true, ends);
    memory_free(task.ctx, task.kept);
    if (last && !ends && cell->criterion->join)
        join_cell(r, cell, &task);
}

orthant_status ranks_run_jobs(orthant_ranks *survey, rank_sink sink)
{
    runner r = {.survey = survey, .sink = sink};
    int64_t count = 0;
    orthant_status status = make_jobs(&r, &count);
    const orthant_status begun = crew_begin(survey->ctx, "runs", count, &r.crew);
    if (!status)
        status = begun;
    if (!status)
        status = crew_run(&r.crew, run_job, &r);
    const int64_t all = (int64_t)survey->ranks * survey->criteria * survey->repeats;
    if (status == ORTHANT_STOPPED)
        status = fail(survey->ctx, ORTHANT_STOPPED, "stopped after %lld of %lld runs",
                      (long long)(all - count + r.crew.finished), (long long)all);
    crew_end(&r.crew);
    memory_free(survey->ctx, r.job);
    return status;
}
