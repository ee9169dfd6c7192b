/* Finds studies and surveys below a folder, and shows the table of each. */
#include "report/inside.h"

#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/folder.h"
#include "report/html.h"
#include "report/ranks_page.h"
#include "report/ranks_record.h"
#include "report/screen.h"
#include "report/settings.h"
#include "report/study_book.h"
#include "report/study_page.h"
#include "report/study_tables.h"
#include "report/text_file.h"

#define MOST_INSIDE 1000

/* ---- finding ----------------------------------------------------------------------------------
 */

/* A results.csv alone may be anybody's. */
orthant_status inside_is(orthant_context *ctx, const char *folder, bool *is_study, bool *is_ranks)
{
    bool results = false;
    *is_study = *is_ranks = false;
    orthant_status status = folder_is_ranks(ctx, folder, is_ranks);
    if (!status && !*is_ranks)
        status = folder_is_study(ctx, folder, &results);
    if (!status && results)
        status = folder_has(ctx, folder, "study.json", is_study);
    return status;
}

static orthant_status grow(inside *list)
{
    if (list->count < list->capacity)
        return ORTHANT_OK;
    const int capacity = list->capacity ? 2 * list->capacity : 16;
    char **path = memory_resize(list->ctx, list->path, capacity, sizeof *path, "studies");
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    list->path = path;
    list->capacity = capacity;
    return ORTHANT_OK;
}

static orthant_status take(void *user, const char *folder, const char *name)
{
    inside *list = user;
    bool is_study = false, is_ranks = false;
    char *path = path_join(list->ctx, folder, name);
    orthant_status status =
        path ? inside_is(list->ctx, path, &is_study, &is_ranks) : ORTHANT_ERROR_MEMORY;
    const bool is = is_study || is_ranks;
    if (!status && is && list->count == MOST_INSIDE)
        status = fail(list->ctx, ORTHANT_ERROR_DATA, "%s: is one of more than %d studies", path,
                      MOST_INSIDE);
    if (!status && is && !(status = grow(list))) {
        list->path[list->count++] = path;
        path = NULL;
    }
    memory_free(list->ctx, path);
    return status;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

orthant_status inside_find(orthant_context *ctx, const char *folder, inside *list)
{
    *list = (inside){.ctx = ctx};
    const orthant_status status = folder_each(ctx, folder, take, list);
    if (status)
        inside_free(list);
    else if (list->count)
        qsort(list->path, (size_t)list->count, sizeof *list->path, by_name);
    return status;
}

void inside_free(inside *list)
{
    for (int i = 0; i < list->count; i++)
        memory_free(list->ctx, list->path[i]);
    memory_free(list->ctx, list->path);
    *list = (inside){.ctx = list->ctx};
}

/* One that another process is still at work on, or that was stopped: it is told, and the others are
 * shown. */
static bool is_unfinished(orthant_status status)
{
    return status == ORTHANT_ERROR_DATA || status == ORTHANT_ERROR_ARGUMENT;
}

/* ---- tables -----------------------------------------------------------------------------------
 */

/* "study-NAME" and "Study NAME. ..." */
static void name_table(sheet *table, const char *kind, const char *name)
{
    char label[160], caption[800];
    if (!table || sheet_status(table))
        return;
    snprintf(label, sizeof label, "%s-%.100s", strcmp(kind, "Study") ? "survey" : "study", name);
    snprintf(caption, sizeof caption, "%s %.200s. %.500s", kind, name, table->caption);
    sheet_rename(table, label, caption);
}

static orthant_status add_table(const char *folder, sheet_list *tables, bool is_ranks)
{
    orthant_context *ctx = tables->ctx;
    sheet *table = NULL;
    orthant_status status;
    if (is_ranks) {
        json_value *json = NULL;
        status = ranks_record_read(ctx, folder, &json);
        table = status ? NULL : ranks_sheet(ctx, json);
        json_free(ctx, json);
    } else {
        study_book book;
        status = study_book_read(ctx, folder, &book);
        table = status ? NULL : study_table_methods(&book);
        if (!status)
            study_book_free(&book);
    }
    if (status)
        return status;
    name_table(table, is_ranks ? "Survey" : "Study", path_name(folder));
    return sheet_list_add(tables, table);
}

orthant_status inside_tables(const inside *list, sheet_list *tables)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < list->count && !status; i++) {
        bool is_ranks;
        status = folder_is_ranks(list->ctx, list->path[i], &is_ranks);
        if (!status)
            status = add_table(list->path[i], tables, is_ranks);
        if (is_unfinished(status))
            status = ORTHANT_OK;
    }
    return status;
}

orthant_status inside_print(const inside *list, FILE *out)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < list->count && !status; i++) {
        fprintf(out, "\n%s\n", path_name(list->path[i]));
        status = screen_folder(list->ctx, list->path[i], out);
        if (is_unfinished(status)) {
            fprintf(out, "%s\n", orthant_message(list->ctx));
            status = ORTHANT_OK;
        }
    }
    return status;
}

/* ---- on the page ------------------------------------------------------------------------------
 */

static orthant_status write_link(orthant_context *ctx, FILE *page, const char *folder)
{
    bool there;
    const orthant_status status = folder_has(ctx, folder, "report.html", &there);
    if (status || !there)
        return status;
    fputs("<p><a href=\"", page);
    html_address(page, path_name(folder));
    fputs("/report.html\">The whole report of ", page);
    html_text(page, path_name(folder));
    fputs("</a></p>\n", page);
    return ORTHANT_OK;
}

static orthant_status show_study(orthant_context *ctx, FILE *page, const char *folder)
{
    study_book book;
    orthant_status status = study_book_read(ctx, folder, &book);
    if (status)
        return status;
    sheet *table = study_table_methods(&book);
    status = sheet_status(table);
    if (!status)
        status = study_page_summary(page, &book, "<p>");
    if (!status)
        sheet_write(table, SHEET_HTML, page);
    sheet_free(table);
    study_book_free(&book);
    return status;
}

static orthant_status show_ranks(orthant_context *ctx, FILE *page, const char *folder)
{
    json_value *json = NULL;
    orthant_status status = ranks_record_read(ctx, folder, &json);
    sheet *table = status ? NULL : ranks_sheet(ctx, json);
    if (!status)
        status = sheet_status(table);
    if (!status)
        sheet_write(table, SHEET_HTML, page);
    sheet_free(table);
    json_free(ctx, json);
    return status;
}

static orthant_status show_one(orthant_context *ctx, FILE *page, const char *folder)
{
    bool is_ranks;
    orthant_status status = folder_is_ranks(ctx, folder, &is_ranks);
    if (status)
        return status;
    fputs(is_ranks ? "<h2>Survey of ranks: " : "<h2>Study: ", page);
    html_text(page, path_name(folder));
    fputs("</h2>\n", page);
    status = write_link(ctx, page, folder);
    if (!status)
        status = is_ranks ? show_ranks(ctx, page, folder) : show_study(ctx, page, folder);
    if (is_unfinished(status)) {
        fputs("<p class=\"note\">", page);
        html_text(page, orthant_message(ctx));
        fputs("</p>\n", page);
        return ORTHANT_OK;
    }
    return status;
}

orthant_status inside_show(FILE *page, const inside *list)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < list->count && !status; i++)
        status = show_one(list->ctx, page, list->path[i]);
    return status;
}
