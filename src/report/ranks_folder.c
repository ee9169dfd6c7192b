/* A survey of ranks on disk: its plan, what the fits gave as it comes, and what follows from it. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/lines.h"
#include "orthant/run.h"
#include "report/experiment_folder.h"
#include "report/folder.h"
#include "report/ranks_record.h"
#include "report/text_file.h"

#define FITS_HEADER "criterion,k,repeat,measure,value"
#define FITS_ALL "all" /* in place of a repeat: of all of them together */

typedef struct ranks_folder {
    orthant_ranks *survey;
    const char *path;
    int lock;
    plan_lines plan;
    char *record, *fits_path;
    FILE *fits; /* open for appending */
} ranks_folder;

/* ---- fits.csv ---------------------------------------------------------------------------------
 */

static void print_line(FILE *file, const rank_cell *cell, int64_t repeat, const char *measure,
                       double value)
{
    char text[32] = "", number[32] = FITS_ALL;
    if (isfinite(value))
        text_write_double(text, value, false);
    if (repeat != RANKS_ALL_REPEATS)
        snprintf(number, sizeof number, "%" PRId64, repeat);
    fprintf(file, "%s,%" PRId64 ",%s,%s,%s\n", cell->criterion->name, cell->rank, number, measure,
            text);
}

static orthant_status take_line(void *user, const rank_cell *cell, int64_t repeat,
                                const char *measure, double value)
{
    const ranks_folder *folder = user;
    print_line(folder->fits, cell, repeat, measure, value);
    return ORTHANT_OK;
}

static orthant_status flush_lines(void *user)
{
    const ranks_folder *folder = user;
    return fflush(folder->fits) || ferror(folder->fits)
               ? file_fail_write(folder->survey->ctx, folder->fits_path, errno)
               : ORTHANT_OK;
}

/* One field of a line into `field`; false where it is too long or the last was taken. */
static bool take_field(const char **at, const char *end, char field[64])
{
    const char *comma = *at;
    if (!comma)
        return false;
    while (comma < end && *comma != ',')
        comma++;
    const size_t length = (size_t)(comma - *at);
    if (length >= 64)
        return false;
    memcpy(field, *at, length);
    field[length] = '\0';
    *at = comma < end ? comma + 1 : NULL;
    return true;
}

static rank_cell *find_cell(const orthant_ranks *survey, const char *criterion, int64_t rank)
{
    for (int i = 0; i < survey->ranks * survey->criteria; i++)
        if (survey->cell[i].rank == rank && !strcmp(survey->cell[i].criterion->name, criterion))
            return &survey->cell[i];
    return NULL;
}

static int find_measure(const rank_criterion *criterion, const char *name)
{
    for (int m = 0; m < rank_all_measures(criterion); m++)
        if (!strcmp(criterion->measure[m].name, name))
            return m;
    return -1;
}

/* A line of an earlier start: its value to its place. A repeat is done with its last measure, what
 * is joined with the last joint one. */
static bool take_earlier(const orthant_ranks *survey, piece line)
{
    char field[5][64];
    const char *at = line.begin;
    int64_t rank, repeat = RANKS_ALL_REPEATS;
    double value = (double)NAN;
    for (int f = 0; f < 5; f++)
        if (!take_field(&at, line.end, field[f]))
            return false;
    const bool all = !strcmp(field[2], FITS_ALL);
    if (at || !text_to_int64(field[1], &rank) ||
        (!all && (!text_to_int64(field[2], &repeat) || repeat < 0 || repeat >= survey->repeats)) ||
        (*field[4] && !text_to_double(field[4], &value)))
        return false;
    rank_cell *cell = find_cell(survey, field[0], rank);
    const int measure = cell ? find_measure(cell->criterion, field[3]) : -1;
    const int repeated = cell ? rank_repeat_measures(cell->criterion) : 0;
    if (measure < 0 || cell->criterion->measure[measure].joint != all)
        return false;
    if (!all)
        cell->value[repeat * RANK_MEASURES + measure] = value;
    else
        cell->joint[measure - repeated] = value;
    if (!all && measure == repeated - 1 && !cell->criterion->join)
        cell->done[repeat] = true;
    if (all && measure == rank_all_measures(cell->criterion) - 1)
        cell->joined = true;
    return true;
}

static orthant_status read_earlier(const ranks_folder *folder)
{
    orthant_context *ctx = folder->survey->ctx;
    lines text;
    piece line;
    if (!file_exists(folder->fits_path))
        return ORTHANT_OK;
    orthant_status status = lines_open(ctx, folder->fits_path, &text);
    if (status)
        return status;
    /* A line that was cut off when its writer was killed does not count. */
    while (text.end > text.at && text.end[-1] != '\n')
        text.end--;
    while (!status && lines_next(&text, &line))
        if (text.number == 1 ? !piece_equals(line, FITS_HEADER)
                             : !take_earlier(folder->survey, line))
            status = fail(ctx, ORTHANT_ERROR_FORMAT, "%.400s:%" PRId64 ": found '%s', expected %s",
                          folder->fits_path, text.number, piece_show(line).text,
                          text.number == 1 ? "the header '" FITS_HEADER "'"
                                           : "a measure of this survey");
    lines_close(&text);
    return status;
}

/* The cells as the lines left them; returns how many fits are there. */
static int64_t count_earlier(const orthant_ranks *survey)
{
    int64_t there = 0;
    for (int i = 0; i < survey->ranks * survey->criteria; i++) {
        rank_cell *cell = &survey->cell[i];
        cell->left = 0;
        for (int64_t r = 0; r < survey->repeats; r++) {
            if (cell->criterion->join)
                cell->done[r] = cell->joined;
            cell->left += !cell->done[r];
        }
        there += survey->repeats - cell->left;
    }
    return there;
}

/* What is there, written anew in the order of the plan. */
static orthant_status write_fits(const ranks_folder *folder)
{
    const orthant_ranks *survey = folder->survey;
    file_writer writer;
    const orthant_status status = file_write_begin(survey->ctx, folder->fits_path, &writer);
    if (status)
        return status;
    fputs(FITS_HEADER "\n", writer.file);
    for (int i = 0; i < survey->ranks * survey->criteria; i++) {
        const rank_cell *cell = &survey->cell[i];
        const int repeated = rank_repeat_measures(cell->criterion);
        for (int64_t r = 0; r < survey->repeats; r++)
            for (int m = 0; m < repeated && cell->done[r]; m++)
                print_line(writer.file, cell, r, cell->criterion->measure[m].name,
                           cell->value[r * RANK_MEASURES + m]);
        for (int m = repeated; m < rank_all_measures(cell->criterion) && cell->joined; m++)
            print_line(writer.file, cell, RANKS_ALL_REPEATS, cell->criterion->measure[m].name,
                       cell->joint[m - repeated]);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

/* ---- the folder -------------------------------------------------------------------------------
 */

static orthant_status folder_open(ranks_folder *folder)
{
    orthant_ranks *survey = folder->survey;
    orthant_context *ctx = survey->ctx;
    folder->record = path_join(ctx, folder->path, RANKS_FILE);
    folder->fits_path = path_join(ctx, folder->path, "fits.csv");
    orthant_status status = folder->record && folder->fits_path
                                ? experiment_folder_open(ctx, folder->path, "survey of ranks",
                                                         RANKS_FILE, &folder->lock)
                                : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = ranks_plan_lines(survey, &folder->plan);
    if (!status) {
        folder_sweep(ctx, folder->path, 0);
        status = file_exists(folder->record)
                     ? plan_lines_check(&folder->plan, "survey of ranks", folder->record)
                     : ranks_record_write(survey, &folder->plan, folder->record);
    }
    if (!status)
        status = read_earlier(folder);
    const int64_t there = status ? 0 : count_earlier(survey);
    if (there)
        log_note(ctx, "%s: %" PRId64 " of %" PRId64 " fits are there", folder->path, there,
                 (int64_t)survey->ranks * survey->criteria * survey->repeats);
    if (!status)
        status = write_fits(folder);
    if (!status && !(folder->fits = fopen(folder->fits_path, "ab")))
        status = file_fail_write(ctx, folder->fits_path, errno);
    return status;
}

static void folder_close(ranks_folder *folder)
{
    orthant_context *ctx = folder->survey->ctx;
    if (folder->fits)
        fclose(folder->fits);
    if (folder->lock >= 0)
        close(folder->lock);
    plan_lines_free(&folder->plan);
    memory_free(ctx, folder->fits_path);
    memory_free(ctx, folder->record);
}

static orthant_status finish(const ranks_folder *folder)
{
    orthant_context *ctx = folder->survey->ctx;
    char *table = path_join(ctx, folder->path, "ranks.csv");
    orthant_status status = table ? write_fits(folder) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = ranks_table_write(folder->survey, table);
    if (!status)
        status = ranks_record_write(folder->survey, &folder->plan, folder->record);
    if (!status)
        status = orthant_run_report(ctx, folder->path);
    memory_free(ctx, table);
    return status;
}

orthant_status orthant_ranks_run(orthant_ranks *ranks, const char *name,
                                 const orthant_matrix *samples, const char *folder)
{
    if (!ranks || !name || !samples)
        return fail(ranks ? ranks->ctx : NULL, ORTHANT_ERROR_ARGUMENT,
                    "orthant_ranks_run: an argument is NULL");
    ranks_folder at = {.survey = ranks, .path = folder, .lock = -1, .plan = {.ctx = ranks->ctx}};
    const rank_sink sink = {&at, take_line, flush_lines};
    orthant_status status = ranks_plan(ranks, name, samples);
    if (!status && folder)
        status = folder_open(&at);
    if (!status)
        status = ranks_run_jobs(ranks, folder ? sink : (rank_sink){0});
    if (!status)
        status = ranks_choose(ranks);
    if (!status && folder)
        status = finish(&at);
    folder_close(&at);
    ranks->samples = NULL;
    return status;
}
