/* Title, body and settings of report.html, for one run or several. */
#include "report/page.h"

#include "core/file.h"
#include "core/memory.h"
#include "core/part.h"
#include "core/text.h"
#include "orthant/run.h"
#include "report/chart.h"
#include "report/folder.h"
#include "report/html.h"
#include "report/inside.h"
#include "report/ranks_page.h"
#include "report/ranks_record.h"
#include "report/run_page.h"
#include "report/runs_page.h"
#include "report/segment_page.h"
#include "report/settings.h"
#include "report/study_book.h"
#include "report/study_page.h"
#include "report/text_file.h"

static void write_details(orthant_context *ctx, FILE *page, const run_list *list)
{
    fputs("<h2>How it was made</h2>\n", page);
    for (int i = 0; i < list->count; i++) {
        const run_record *record = &list->record[i];
        if (!list->single) {
            fputs("<details><summary>", page);
            html_text(page, record->name);
            fputs("</summary>\n", page);
        }
        settings_write(ctx, page, record);
        fputs(list->single ? "" : "</details>\n", page);
    }
}

/* " 3 runs, 1 study, 2 surveys of ranks", behind the text that is there. */
static void name_contents(const run_list *list, const char *before, char *text, size_t size)
{
    const struct {
        int count;
        const char *one, *many;
    } kinds[] = {{list->count, "run", "runs"},
                 {list->studies, "study", "studies"},
                 {list->surveys, "survey of ranks", "surveys of ranks"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].count) {
            text_append(text, size, "%s %d %s", before, kinds[i].count,
                        kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
            before = ",";
        }
}

static void write_title(FILE *page, const char *folder, const run_list *list)
{
    char title[512];
    const run_record *first = &list->record[0];
    if (list->single)
        snprintf(title, sizeof title, "%.100s on %.300s", record_text(first, "method"),
                 path_name(record_data_text(first, "path")));
    else
        snprintf(title, sizeof title, "%.100s", path_name(folder));
    if (!list->single)
        name_contents(list, ":", title, sizeof title);
    html_page_begin(page, title);
}

/* The runs that are no segmentations: they stand first. */
static run_list factorisations_of(const run_list *list)
{
    run_list others = *list;
    others.count = 0;
    while (others.count < list->count && !record_is_segmentation(&list->record[others.count]))
        others.count++;
    return others;
}

static orthant_status write_inside(chart_place *place, const run_list *list)
{
    inside found;
    orthant_status status = inside_find(place->ctx, place->folder, &found);
    if (status)
        return status;
    if (!list->count) {
        char counts[100] = "";
        name_contents(list, "", counts, sizeof counts);
        fprintf(place->page,
                "<p class=\"lead\">%s. Each stands by itself: its figures are of draws and "
                "settings of its own.</p>\n",
                counts + 1);
        html_contents(place->page);
    }
    status = inside_show(place->page, &found);
    inside_free(&found);
    return status;
}

static orthant_status write_body(chart_place *place, const run_list *list)
{
    const run_list others = factorisations_of(list);
    orthant_status status = ORTHANT_OK;
    if (list->single && !others.count)
        status = segment_page_write(place, &list->record[0]);
    else if (list->single)
        status = run_page_write(place, &list->record[0]);
    else if (others.count)
        status = runs_page_write(place, &others);
    if (!status && !list->single)
        status = segment_page_section(place->ctx, place->page, list);
    if (!status && (list->studies || list->surveys))
        status = write_inside(place, list);
    if (list->count)
        write_details(place->ctx, place->page, list);
    return status;
}

static orthant_status page_write(orthant_context *ctx, const char *folder, const run_list *list,
                                 gnuplot *drawer)
{
    file_writer writer;
    char *path = path_join(ctx, folder, "report.html");
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        chart_place place;
        writer.remade = true;
        status = chart_place_begin(&place, ctx, writer.file, folder);
        if (drawer) {
            place.drawer = *drawer;
            *drawer = (gnuplot)GNUPLOT_NONE;
        }
        if (!status) {
            write_title(place.page, folder, list);
            status = write_body(&place, list);
            html_page_end(place.page);
        }
        status = file_write_end(&writer, chart_place_end(&place, status));
    }
    memory_free(ctx, path);
    return status;
}

orthant_status page_report(orthant_context *ctx, const char *folder, gnuplot *drawer)
{
    run_list list;
    orthant_status status = run_list_read(ctx, folder, &list);
    if (!status) {
        status = page_write(ctx, folder, &list, drawer);
        run_list_free(&list);
    }
    return status;
}

orthant_status orthant_run_report(orthant_context *context, const char *folder)
{
    bool is_study = false, is_ranks;
    const orthant_status refused = entry_check(context, folder != NULL, __func__);
    if (refused)
        return refused;
    char *page = path_join(context, folder, "report.html");
    char *charts = path_join(context, folder, CHART_FOLDER);
    if (page && charts) {
        part_sweep_file(page);
        folder_sweep(context, charts, 0);
    }
    memory_free(context, charts);
    memory_free(context, page);
    orthant_status status = folder_is_ranks(context, folder, &is_ranks);
    if (!status && !is_ranks)
        status = folder_is_study(context, folder, &is_study);
    if (status)
        return status;
    if (!is_study && !is_ranks)
        return page_report(context, folder, NULL);
    folder_sweep(context, folder, 0);
    return is_ranks ? ranks_page_write(context, folder) : study_page_write(context, folder);
}
