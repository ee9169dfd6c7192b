/* Reads a stored study, averages its rows, ranks its methods and finds its kept runs. */
#include "report/study_book.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/folder.h"
#include "report/text_file.h"

orthant_status folder_is_study(orthant_context *ctx, const char *folder, bool *is_study)
{
    return folder_has(ctx, folder, "results.csv", is_study);
}

/* The plain methods where there are two, else all: others are settings to be compared with them. */
static orthant_status choose_shown(study_book *book)
{
    const study_summary *s = &book->summary;
    int64_t plain = 0;
    book->shown_method = memory_new(book->ctx, s->methods, sizeof *book->shown_method, "methods");
    if (!book->shown_method)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t m = 0; m < s->methods; m++)
        plain += method_is_plain(s->method[m]);
    for (int64_t m = 0; m < s->methods; m++)
        if (plain < 2 || method_is_plain(s->method[m]))
            book->shown_method[book->shown++] = m;
    return ORTHANT_OK;
}

/* Too few methods or rows are no failure. */
static orthant_status make_ranking(study_book *book)
{
    const orthant_status status =
        ranking_make(&book->summary, MEASURE_ACCURACY, STUDY_ALPHA, &book->ranking);
    book->ranked = !status;
    return status == ORTHANT_ERROR_ARGUMENT ? ORTHANT_OK : status;
}

static orthant_status read_json(study_book *book)
{
    file_presence there = FILE_MISSING;
    char *path = path_join(book->ctx, book->folder, "study.json");
    orthant_status status = path ? file_look(book->ctx, path, &there) : ORTHANT_ERROR_MEMORY;
    if (!status && there == FILE_PLAIN)
        status = json_read(book->ctx, path, &book->json);
    memory_free(book->ctx, path);
    return status;
}

/* What follows from the results. */
static orthant_status conclude(study_book *book)
{
    orthant_status status = summary_make(book->ctx, &book->results, &book->summary);
    if (!status)
        status = gains_make(book->ctx, &book->results, MEASURE_ACCURACY, &book->gains);
    if (!status)
        status = choose_shown(book);
    return status ? status : make_ranking(book);
}

orthant_status study_book_of(orthant_context *ctx, const study_results *results, study_book *book)
{
    *book = (study_book){.ctx = ctx, .results = *results, .borrowed = true};
    const orthant_status status = conclude(book);
    if (status)
        study_book_free(book);
    return status;
}

orthant_status study_book_read(orthant_context *ctx, const char *folder, study_book *book)
{
    *book = (study_book){.ctx = ctx, .folder = folder};
    char *path = path_join(ctx, folder, "results.csv");
    orthant_status status =
        path ? results_read(ctx, path, true, &book->results) : ORTHANT_ERROR_MEMORY;
    if (!status && !book->results.count)
        status = fail(ctx, ORTHANT_ERROR_DATA, "%s: holds no run yet", path);
    if (!status)
        status = conclude(book);
    if (!status)
        status = read_json(book);
    memory_free(ctx, path);
    if (status)
        study_book_free(book);
    return status;
}

void study_book_free(study_book *book)
{
    if (!book->ctx)
        return;
    json_free(book->ctx, book->json);
    if (book->ranked)
        ranking_free(book->ctx, &book->ranking);
    memory_free(book->ctx, book->shown_method);
    if (book->gains.ctx)
        gains_free(&book->gains);
    if (book->summary.ctx)
        summary_free(&book->summary);
    if (book->results.ctx && !book->borrowed)
        results_free(&book->results);
    *book = (study_book){0};
}

double study_average(const study_book *book, int64_t dataset, int64_t method, study_measure measure)
{
    const study_summary *s = &book->summary;
    double sum = 0, count = 0;
    if (dataset >= 0)
        return summary_average(s, dataset, method, measure);
    for (int64_t d = 0; d < s->datasets; d++) {
        /* An average over fewer rows than the others' would stand beside theirs and not be like it.
         */
        if (isnan(summary_average(s, d, method, measure)))
            return NAN;
        for (int64_t c = 0; c < s->class_counts; c++) {
            const study_cell *cell = summary_cell(s, d, method, c);
            sum += cell ? cell->mean[measure] : 0;
            count += cell != NULL;
        }
    }
    return count > 0 ? sum / count : (double)NAN;
}

bool study_has(const study_book *book, study_measure measure)
{
    for (int64_t i = 0; i < book->shown; i++)
        if (!isnan(study_average(book, -1, book->shown_method[i], measure)))
            return true;
    return false;
}

void study_order(const study_book *book, int64_t *order)
{
    for (int64_t i = 0; i < book->shown; i++) {
        const int64_t method = book->shown_method[i];
        const double average = study_average(book, -1, method, MEASURE_ACCURACY);
        int64_t at = i;
        while (at > 0 && !isnan(average) &&
               !(study_average(book, -1, order[at - 1], MEASURE_ACCURACY) >= average))
            at--;
        memmove(order + at + 1, order + at, (size_t)(i - at) * sizeof *order);
        order[at] = method;
    }
}

/* ---- kept runs --------------------------------------------------------------------------------
 */

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A folder is named after a dataset or a variant, with other characters where it has to be. */
static bool is_named_after(const char *folder, const char *name)
{
    for (; *folder && *name; folder++, name++)
        if (*folder != *name && (is_letter_or_digit(*folder) || is_letter_or_digit(*name)))
            return false;
    return !*folder && !*name;
}

/* The folder in `folder` that is named after `name`: to be freed; NULL, and no error, where there
 * is none. */
static orthant_status find_folder(orthant_context *ctx, const char *folder, const char *name,
                                  char **found)
{
    DIR *open = opendir(folder);
    orthant_status status = ORTHANT_OK;
    *found = NULL;
    if (!open && errno != ENOENT && errno != ENOTDIR)
        return file_fail_read(ctx, folder, errno);
    errno = 0;
    for (struct dirent *entry; open && !*found && !status && (entry = readdir(open));)
        if (entry->d_name[0] != '.' && is_named_after(entry->d_name, name)) {
            *found = path_join(ctx, folder, entry->d_name);
            status = *found ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
        }
    if (open && !*found && !status && errno)
        status = file_fail_read(ctx, folder, errno);
    if (open)
        closedir(open);
    return status;
}

static orthant_status add_variant(const study_book *book, const char *folder, const char *variant,
                                  int64_t classes, run_list *list)
{
    char number[32], *inside = NULL, *path = NULL;
    bool is_run = false;
    snprintf(number, sizeof number, "%" PRId64, classes);
    orthant_status status = find_folder(book->ctx, folder, variant, &inside);
    if (!status && inside) {
        path = path_join(book->ctx, inside, number);
        status = path ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    if (!status && path)
        status = folder_is_run(book->ctx, path, &is_run);
    if (!status && is_run)
        status = run_list_add(list, path, variant);
    memory_free(book->ctx, path);
    memory_free(book->ctx, inside);
    return status;
}

orthant_status study_runs(const study_book *book, int64_t dataset, int64_t classes, run_list *list)
{
    const study_summary *s = &book->summary;
    char *runs = path_join(book->ctx, book->folder, "runs"), *folder = NULL;
    orthant_status status = run_list_begin(book->ctx, list);
    if (!status)
        status = runs ? find_folder(book->ctx, runs, s->dataset[dataset], &folder)
                      : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < book->shown && folder && !status; i++)
        status = add_variant(book, folder, s->method[book->shown_method[i]], classes, list);
    memory_free(book->ctx, folder);
    memory_free(book->ctx, runs);
    if (status)
        run_list_free(list);
    return status;
}
