/* Summary, scores and pictures of segmentations. */
#include "report/segment_page.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/contents.h"
#include "report/html.h"
#include "report/run_page.h"
#include "report/settings.h"
#include "report/sheet.h"
#include "report/text_file.h"
#include "vision/palette.h"

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
        fputs(" points", page);
        if (record_number(record, "nodes") < json_member_number(data, "points")) {
            fputs(", ", page);
            html_count(page, record_number(record, "nodes"));
            fputs(" of them with coordinates", page);
        }
        fputs(")", page);
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
    html_seconds(page, record_number(record, "seconds"));
    fputs(".", page);
    if (json_member_truth(record->json, "stopped")) {
        fputs(" It was stopped after ", page);
        html_count(page, record_number(record, "iterations"));
        fputs(record_number(record, "iterations") == 1 ? " iteration" : " iterations", page);
        fputs(", before its last one.", page);
    }
    const bool estimated = json_member_truth(record->json, "estimated");
    const char *how = estimated ? "estimated" : "asked for";
    const double rank = record_number(record, estimated ? "estimated_segments" : "rank"),
                 segments = record_number(record, "segments");
    if (segments > rank)
        fprintf(page, " They are the connected pieces of the %.0f that were %s.", rank, how);
    else if (segments < rank)
        fprintf(page, " %.0f were %s; the others are empty.", rank, how);
    if (estimated) {
        fputs(" The number was estimated: ", page);
        html_text(page, record_text(record, "evidence"));
        fputs(".", page);
    }
    fputs("</p>\n", page);
}

/* Six criteria that say most, with one sentence each. */
static const struct {
    const char *name, *title, *sentence;
    bool percent;
} headlines[] = {
    {"covering", "Covering",
     "How much of each true region its best found region covers, weighed by size: 1 is perfect.",
     false},
    {"pri", "Rand index",
     "The share of pairs of places that both put together or both keep apart: 1 is perfect.",
     false},
    {"vi", "Variation of information",
     "What the two segmentations do not tell of each other, in bits: 0 is perfect.", false},
    {"CS", "Regions found",
     "True regions of which one found region has most, and the other way round: 100 % is perfect.",
     true},
    {"CO", "Recall", "Places that lie in the region that matches their true one: 100 % is perfect.",
     true},
    {"F", "F-measure", "Recall and precision of the places in one figure: 100 % is perfect.", true},
};

static void write_headlines(FILE *page, const run_record *record)
{
    fputs("<dl class=\"criteria\">\n", page);
    for (size_t i = 0; i < sizeof headlines / sizeof *headlines; i++) {
        const double value = record_score(record, headlines[i].name);
        if (isnan(value))
            continue;
        fprintf(page, "<div><dt>%s</dt><dd><strong>", headlines[i].title);
        html_number(page, value, headlines[i].percent ? 1 : 3);
        fprintf(page, "%s</strong> <span class=\"soft\">%s</span></dd></div>\n",
                headlines[i].percent ? " %" : "", headlines[i].sentence);
    }
    fputs("</dl>\n", page);
}

static orthant_status write_scores(orthant_context *ctx, FILE *page, const run_record *record)
{
    const double annotators = record_score(record, "annotators");
    sheet *table = run_page_scores(ctx, record);
    const orthant_status status = sheet_status(table);
    if (!status && table->rows) {
        fputs("<h2>Criteria</h2>\n", page);
        write_headlines(page, record);
        if (annotators > 1.0)
            fprintf(page, "<p class=\"soft\">Means over %.0f annotators.</p>\n", annotators);
        fputs("<details><summary>All criteria</summary>\n", page);
        sheet_write(table, SHEET_HTML, page);
        fputs("</details>\n", page);
    }
    sheet_free(table);
    return status;
}

/* Sizes of the segments, the largest first where the reader sorts. */
static orthant_status write_sizes(orthant_context *ctx, FILE *page, const run_record *record,
                                  const char *unit)
{
    const json_value *sizes = json_member(record->json, "sizes");
    double all = 0;
    int64_t number = 0;
    for (const json_value *s = sizes ? sizes->child : NULL; s; s = s->next)
        all += s->kind == JSON_NUMBER && s->number > 0 ? s->number : 0;
    if (!(all > 0))
        return ORTHANT_OK;
    sheet *table = sheet_new(ctx, "segments", "The segments and their sizes.");
    sheet_add_column(table, "segment", 0);
    sheet_add_column(table, unit, 0);
    sheet_add_column(table, "% of all", 2);
    for (const json_value *s = sizes->child; s; s = s->next, number++) {
        const double size = s->kind == JSON_NUMBER && s->number > 0 ? s->number : 0;
        sheet_add_row(table, false);
        sheet_add_number(table, (double)number);
        sheet_add_number(table, size);
        sheet_add_number(table, 100 * size / all);
    }
    const orthant_status status = sheet_status(table);
    if (!status) {
        fputs("<h2>Segments</h2>\n", page);
        sheet_write(table, SHEET_HTML, page);
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
        {"labels.png", "The segments (labels.png)."},
        {"picture.png", "The picture."},
        {"truth.png", "The truth, one of them where there are several."},
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

/* `layer` is the name that the viewer gives the picture; NULL: it stands alone. */
static orthant_status write_picture(orthant_context *ctx, FILE *page, const run_record *record,
                                    const char *name, const char *layer)
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
        if (layer)
            fprintf(page, "<figure data-layer=\"%s\">", layer);
        else
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

/* Shown by the viewer, and for programs. */
static bool is_layer(const char *name)
{
    return !strcmp(name, "labels.png") || !strcmp(name, "picture.png") ||
           !strcmp(name, "truth.png");
}

static orthant_status write_pictures(orthant_context *ctx, FILE *page, const run_record *record,
                                     int most, bool snapshots)
{
    orthant_status status = ORTHANT_OK;
    const json_value *files = json_member(record->json, "files");
    for (const json_value *f = files ? files->child : NULL; f && most && !status; f = f->next) {
        char ending[16];
        if (f->kind != JSON_TEXT || !is_plain_name(f->text) || is_layer(f->text) ||
            (!snapshots && !strncmp(f->text, "snapshot-", 9)))
            continue;
        file_ending(f->text, ending);
        if (strcmp(ending, "png") != 0)
            continue;
        status = write_picture(ctx, page, record, f->text, NULL);
        most--;
    }
    return status;
}

/* The palette as hexadecimal digits, for a script. */
static void write_colours(FILE *page)
{
    fputs(" data-colours=\"", page);
    for (int i = 0; i < 256; i++) {
        unsigned char c[3];
        palette_color(i, c);
        fprintf(page, "%02x%02x%02x", c[0], c[1], c[2]);
    }
    fputs("\">\n", page);
}

/* Without a script the layers stand side by side; with one they are a viewer. */
static orthant_status write_viewer(orthant_context *ctx, FILE *page, const run_record *record)
{
    static const struct {
        const char *file, *layer;
    } layers[] = {{"picture.png", "original"}, {"labels.png", "found"}, {"truth.png", "truth"}};
    orthant_status status = ORTHANT_OK;
    const json_value *files = json_member(record->json, "files");
    fputs("<h2>Segments over the picture</h2>\n<div class=\"viewer\"", page);
    write_colours(page);
    fputs("<div class=\"parts\">\n", page);
    for (size_t i = 0; i < sizeof layers / sizeof *layers && !status; i++)
        if (contents_has(record->json, layers[i].file))
            status = write_picture(ctx, page, record, layers[i].file, layers[i].layer);
    int frames = 0;
    for (const json_value *f = files ? files->child : NULL; f && !status && frames < 32;
         f = f->next)
        if (f->kind == JSON_TEXT && is_plain_name(f->text) && !strncmp(f->text, "snapshot-", 9)) {
            status = write_picture(ctx, page, record, f->text, "frame");
            frames++;
        }
    fputs("</div>\n</div>\n", page);
    return status;
}

/* The points that a script turns; without one the picture of the cloud is all. */
static orthant_status write_cloud(orthant_context *ctx, FILE *page, const run_record *record)
{
    char *path = NULL, *bytes = NULL;
    size_t length = 0;
    orthant_status status = contents_find(ctx, record->folder, record->json, "points.npy", &path);
    if (status || !path)
        return status;
    status = text_file_read(ctx, path, LARGEST_PICTURE_FILE, &bytes, &length);
    if (!status) {
        fputs("<div class=\"cloud\" data-points=\"", page);
        html_base64(page, (const unsigned char *)bytes, length);
        fputs("\"", page);
        /* A sensor's rows come from the top, and so does its y. */
        if (json_member_truth(json_member(record->json, "data"), "organised"))
            fputs(" data-up=\"y, downwards\"", page);
        write_colours(page);
        fputs("</div>\n", page);
    }
    memory_free(ctx, bytes);
    memory_free(ctx, path);
    return status;
}

orthant_status segment_page_write(chart_place *place, const run_record *record)
{
    FILE *page = place->page;
    const bool layered =
        contents_has(record->json, "picture.png") && contents_has(record->json, "labels.png");
    const bool points = contents_has(record->json, "points.npy");
    orthant_status status = ORTHANT_OK;
    write_summary(page, record);
    if (layered)
        status = write_viewer(place->ctx, page, record);
    if (!status && points) {
        fputs("<h2>The cloud</h2>\n", page);
        status = write_cloud(place->ctx, page, record);
    }
    if (!status)
        status = write_scores(place->ctx, page, record);
    if (!status)
        status = write_sizes(place->ctx, page, record, points ? "points" : "pixels");
    fputs("<h2>Pictures</h2>\n<div class=\"parts\">\n", page);
    if (!status)
        status = write_pictures(place->ctx, page, record, 64, !layered);
    fputs("</div>\n", page);
    return status;
}

static void write_members(FILE *page, const json_value *json, const char *const *keys,
                          const char *before)
{
    for (; *keys; keys++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", before, *keys);
        if (json_member(json, *keys))
            html_row(page, name, json_member(json, *keys));
    }
}

void segment_page_settings(FILE *page, const run_record *record)
{
    static const char *const found[] = {"seed",       "segments",  "estimated",
                                        "iterations", "objective", NULL};
    static const char *const machine[] = {
        "edges",       "precision", "threads",     "seconds", "feature_seconds",
        "fit_seconds", "version",   "cpu_kernels", "blas",    NULL};
    static const char *const file[] = {"path", "sha256", NULL};
    const json_value *parameters = json_member(record->json, "parameters");
    fputs("<table class=\"settings\">\n", page);
    html_row(page, "method", json_member(record->json, "method"));
    for (const json_value *p = parameters ? parameters->child : NULL; p; p = p->next)
        if (p->key)
            html_row(page, p->key, p);
    /* "nodes" among the parameters is their kind. */
    if (json_member(record->json, "nodes"))
        html_row(page, "number of nodes", json_member(record->json, "nodes"));
    write_members(page, record->json, found, "");
    write_members(page, json_member(record->json, "data"), file, "data: ");
    fputs("</table>\n<details><summary>Times and versions</summary>\n<table class=\"settings\">\n",
          page);
    write_members(page, record->json, machine, "");
    fputs("</table></details>\n", page);
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
        status = write_pictures(ctx, page, record, 2, true);
        fputs("</div>\n", page);
    }
    return status;
}
