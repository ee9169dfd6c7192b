/* Summary, scores and pictures of segmentations. */
#include "report/segment_page.h"

#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/contents.h"
#include "report/html.h"
#include "report/run_page.h"
#include "report/settings.h"
#include "report/text_file.h"

#define LARGEST_PICTURE_FILE ((int64_t)1 << 26)
#define SHOWN_WIDTH 640 /* pixels on the page */

static void write_summary(FILE *page, const run_record *record)
{
    const json_value *data = json_member(record->json, "data");
    const char *nodes = json_member_text(json_member(record->json, "parameters"), "nodes", "");
    const bool points = strcmp(nodes, "points") == 0;
    fputs("<p class=\"lead\"><strong>", page);
    html_text(page, record_text(record, "method"));
    fputs("</strong> cut ", page);
    html_text(page, path_name(record_data_text(record, "path")));
    if (points) {
        fputs(" (", page);
        html_count(page, json_member_number(data, "points"));
        fputs(" points)", page);
    } else {
        fprintf(page, " (%.0f &times; %.0f pixels", json_member_number(data, "width"),
                json_member_number(data, "height"));
        if (strcmp(nodes, "pixels") != 0) {
            fputs(", ", page);
            html_count(page, record_number(record, "nodes"));
            fputs(strcmp(nodes, "slic") == 0 ? " superpixels" : " regions of a watershed", page);
        }
        fputs(")", page);
    }
    fputs(" into ", page);
    html_count(page, record_number(record, "segments"));
    fputs(" segments in ", page);
    html_number(page, record_number(record, "seconds"), 2);
    fputs(" s.", page);
    if (json_member_truth(record->json, "estimated")) {
        fputs(" The number was estimated: ", page);
        html_text(page, record_text(record, "evidence"));
        fputs(".", page);
    }
    fputs("</p>\n", page);
}

static orthant_status write_scores(orthant_context *ctx, FILE *page, const run_record *record)
{
    const double annotators = record_score(record, "annotators");
    sheet *table = run_page_scores(ctx, record);
    const orthant_status status = sheet_status(table);
    if (!status && table->rows) {
        fputs("<h2>Criteria</h2>\n", page);
        sheet_write(table, SHEET_HTML, page);
        if (annotators > 1.0)
            fprintf(page, "<p class=\"soft\">Means over %.0f annotators.</p>\n", annotators);
    }
    sheet_free(table);
    return status;
}

/* ---- pictures ---------------------------------------------------------------------------------
 */

static const char *caption_of(const char *name)
{
    static const struct {
        const char *name, *caption;
    } captions[] = {
        {"overlay.png", "The segments over the picture."},
        {"view.png", "The segments of the cloud."},
        {"boundaries.png", "The borders of the segments."},
        {"graph.png", "The graph of neighbouring regions; a node has its segment's colour."},
        {"labels.png", "Label values as grey (labels.png)."},
    };
    for (size_t i = 0; i < sizeof captions / sizeof *captions; i++)
        if (strcmp(name, captions[i].name) == 0)
            return captions[i].caption;
    return NULL;
}

static bool is_plain_name(const char *name)
{
    return *name && strlen(name) <= 40 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == strlen(name) && *name != '.';
}

/* The width that a PNG says it has; 0 where it is no PNG. */
static int png_width(const unsigned char *png, size_t bytes)
{
    static const unsigned char head[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (bytes < 24 || memcmp(png, head, sizeof head) != 0)
        return 0;
    const uint32_t width =
        (uint32_t)png[16] << 24 | (uint32_t)png[17] << 16 | (uint32_t)png[18] << 8 | png[19];
    return width > SHOWN_WIDTH ? SHOWN_WIDTH : (int)width;
}

static orthant_status write_picture(orthant_context *ctx, FILE *page, const run_record *record,
                                    const char *name)
{
    char *path = NULL, *bytes = NULL;
    char caption[96];
    size_t length = 0;
    long long iteration;
    orthant_status status = contents_find(ctx, record->folder, record->json, name, &path);
    if (status || !path)
        return status;
    status = text_file_read(ctx, path, LARGEST_PICTURE_FILE, &bytes, &length);
    const int width = status ? 0 : png_width((const unsigned char *)bytes, length);
    if (width) {
        if (sscanf(name, "snapshot-%lld.png", &iteration) == 1)
            snprintf(caption, sizeof caption, "After %lld iteration%s.", iteration,
                     iteration == 1 ? "" : "s");
        else
            snprintf(caption, sizeof caption, "%s", caption_of(name) ? caption_of(name) : name);
        fputs("<figure>", page);
        html_png(page, (const unsigned char *)bytes, length, width,
                 2 * width <= SHOWN_WIDTH ? 2 : 1, caption);
        fputs("<figcaption>", page);
        html_text(page, caption);
        fputs("</figcaption></figure>\n", page);
    }
    memory_free(ctx, bytes);
    memory_free(ctx, path);
    return status;
}

/* labels.png is for programs, too dark for an eye. */
static orthant_status write_pictures(orthant_context *ctx, FILE *page, const run_record *record,
                                     int most)
{
    orthant_status status = ORTHANT_OK;
    const json_value *files = json_member(record->json, "files");
    for (const json_value *f = files ? files->child : NULL; f && most && !status; f = f->next) {
        char ending[16];
        if (f->kind != JSON_TEXT || !is_plain_name(f->text) || strcmp(f->text, "labels.png") == 0)
            continue;
        file_ending(f->text, ending);
        if (strcmp(ending, "png") != 0)
            continue;
        status = write_picture(ctx, page, record, f->text);
        most--;
    }
    return status;
}

orthant_status segment_page_write(chart_place *place, const run_record *record)
{
    FILE *page = place->page;
    write_summary(page, record);
    fputs("<h2>Pictures</h2>\n<div class=\"parts\">\n", page);
    const orthant_status status = write_pictures(place->ctx, page, record, 64);
    fputs("</div>\n", page);
    return status ? status : write_scores(place->ctx, page, record);
}

void segment_page_settings(FILE *page, const run_record *record)
{
    static const char *const keys[] = {
        "seed",      "precision",   "threads",   "nodes",   "edges",           "segments",
        "estimated", "iterations",  "objective", "seconds", "feature_seconds", "fit_seconds",
        "version",   "cpu_kernels", "blas"};
    static const char *const data[] = {"path", "sha256"};
    const json_value *parameters = json_member(record->json, "parameters");
    fputs("<table class=\"settings\">\n", page);
    html_row(page, "method", json_member(record->json, "method"));
    for (const json_value *p = parameters ? parameters->child : NULL; p; p = p->next)
        if (p->key)
            html_row(page, p->key, p);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_member(record->json, keys[i]))
            html_row(page, keys[i], json_member(record->json, keys[i]));
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        char name[32];
        snprintf(name, sizeof name, "data: %s", data[i]);
        html_row(page, name, json_member(json_member(record->json, "data"), data[i]));
    }
    fputs("</table>\n", page);
}

orthant_status segment_page_section(orthant_context *ctx, FILE *page, const run_list *list)
{
    orthant_status status = ORTHANT_OK;
    bool any = false;
    for (int i = 0; i < list->count && !status; i++) {
        const run_record *record = &list->record[i];
        if (!record_is_segmentation(record))
            continue;
        fputs(any ? "" : "<h2>Segmentation</h2>\n", page);
        any = true;
        write_summary(page, record);
        fputs("<div class=\"parts\">\n", page);
        status = write_pictures(ctx, page, record, 2);
        fputs("</div>\n", page);
    }
    return status;
}
