/* The section of the map: a picture for those without scripts, and the samples' places, labels,
 * errors and encodings as packed numbers for samples.js, which draws and lists them. */
#include "report/sample_map_page.h"

#include <math.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/beside.h"
#include "data/image.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "graph/layout.h"
#include "report/contents.h"
#include "report/html.h"
#include "report/sample_map.h"
#include "report/sample_pictures.h"
#include "report/text_file.h"

#define LARGEST_PICTURES ((int64_t)1 << 24)
#define MOST_NAMED ((int64_t)1 << 22) /* bytes of all names */
#define MOST_PARTS_SHOWN ((int64_t)4000000)
#define NOTHING 65535u
#define STATIC_SIDE 480
#define STATIC_EDGE 12

typedef struct map_page {
    chart_place *place;
    const run_record *record;
    const orthant_labels *found, *truth;
    const orthant_matrix *encoding;
    json_value *names;   /* map.json */
    orthant_matrix *map; /* map.npy, or NULL */
    int64_t count, step;
    double low[MAP_COLUMNS], size[2]; /* of each layout: its corner and its larger side */
} map_page;

/* ---- numbers ----------------------------------------------------------------------------------
 */

/* As little-endian base64. */
static orthant_status write_words(map_page *p, json_writer *json, const char *key,
                                  const uint16_t *words, int64_t count)
{
    unsigned char *bytes = memory_new(p->place->ctx, count, 2, "numbers of a page");
    if (!bytes)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        bytes[2 * i] = (unsigned char)(words[i] & 255);
        bytes[2 * i + 1] = (unsigned char)(words[i] >> 8);
    }
    json_raw(json, key);
    fputc('"', json->file);
    html_base64(json->file, bytes, (size_t)count * 2);
    fputc('"', json->file);
    memory_free(p->place->ctx, bytes);
    return ORTHANT_OK;
}

static void find_sizes(map_page *p)
{
    for (int layout = 0; layout < 2; layout++) {
        p->size[layout] = 0;
        for (int c = 2 * layout; c < 2 * layout + 2; c++) {
            double low = INFINITY, high = -INFINITY;
            for (int64_t i = 0; i < p->count; i++) {
                low = fmin(low, orthant_matrix_get(p->map, i, c));
                high = fmax(high, orthant_matrix_get(p->map, i, c));
            }
            p->low[c] = low;
            p->size[layout] = fmax(p->size[layout], high - low);
        }
    }
}

/* From 0 to 1 along the larger side of its layout. */
static double place_of(const map_page *p, int64_t i, int column)
{
    const double size = p->size[column / 2];
    const double at = (orthant_matrix_get(p->map, i, column) - p->low[column]) / size;
    return at >= 0 && at <= 1 ? at : 0.5;
}

static orthant_status write_places(map_page *p, json_writer *json, uint16_t *words)
{
    for (int64_t i = 0; i < p->count; i++)
        for (int c = 0; c < 4; c++)
            words[4 * i + c] = (uint16_t)lrint(65535 * place_of(p, i, c));
    return write_words(p, json, "places", words, 4 * p->count);
}

static orthant_status write_errors(map_page *p, json_writer *json, uint16_t *words)
{
    double largest = 0;
    for (int64_t i = 0; i < p->count; i++)
        largest = fmax(largest, orthant_matrix_get(p->map, i, MAP_ERROR));
    if (!(largest > 0) || !isfinite(largest))
        return ORTHANT_OK;
    for (int64_t i = 0; i < p->count; i++) {
        const double share = orthant_matrix_get(p->map, i, MAP_ERROR) / largest;
        words[i] = share >= 0 && share <= 1 ? (uint16_t)lrint(65534 * share) : NOTHING;
    }
    json_number(json, "largestError", largest);
    return write_words(p, json, "errors", words, p->count);
}

/* Each part from 0 to its own largest entry, one part after the other. */
static orthant_status write_encodings(map_page *p, json_writer *json)
{
    const orthant_matrix *s = p->encoding;
    if (!s || !p->map || s->columns > MOST_PARTS_SHOWN / p->count)
        return ORTHANT_OK;
    unsigned char *shares =
        memory_new(p->place->ctx, p->count * s->columns, 1, "encodings of a page");
    if (!shares)
        return ORTHANT_ERROR_MEMORY;
    json_open_array(json, "largest");
    for (int64_t k = 0; k < s->columns; k++) {
        double largest = 0;
        for (int64_t i = 0; i < p->count; i++)
            largest = fmax(largest, orthant_matrix_get(s, i * p->step, k));
        json_number(json, NULL, largest);
        for (int64_t i = 0; i < p->count && largest > 0 && isfinite(largest); i++)
            shares[k * p->count + i] = (unsigned char)lrint(
                255 * fmin(1, fmax(0, orthant_matrix_get(s, i * p->step, k) / largest)));
    }
    json_close(json);
    json_raw(json, "encodings");
    fputc('"', json->file);
    html_base64(json->file, shares, (size_t)(p->count * s->columns));
    fputc('"', json->file);
    memory_free(p->place->ctx, shares);
    return ORTHANT_OK;
}

/* ---- labels -----------------------------------------------------------------------------------
 */

/* The number of each sample's class, and the classes' own labels. */
static orthant_status write_labels(map_page *p, json_writer *json, const char *key,
                                   const char *names, const orthant_labels *labels, uint16_t *words)
{
    int64_t classes = 0, shown = 0;
    if (!labels || labels->count != (int64_t)json_member_number(p->names, "samples"))
        return ORTHANT_OK;
    orthant_context *ctx = p->place->ctx;
    int64_t *class_of = memory_new(ctx, labels->count, sizeof *class_of, "classes of samples");
    int64_t *label = memory_new(ctx, NOTHING, sizeof *label, "labels of classes");
    orthant_status status = class_of && label ? labels_to_classes(ctx, labels, class_of, &classes)
                                              : ORTHANT_ERROR_MEMORY;
    if (!status && classes < (int64_t)NOTHING) {
        for (int64_t i = 0; i < labels->count; i++)
            if (class_of[i] >= 0)
                label[class_of[i]] = labels->values[i];
        for (int64_t i = 0; i < p->count; i++)
            words[i] =
                (uint16_t)(class_of[i * p->step] < 0 ? (int64_t)NOTHING : class_of[i * p->step]);
        json_open_array(json, names);
        for (; shown < classes; shown++)
            json_integer(json, NULL, label[shown]);
        json_close(json);
        status = write_words(p, json, key, words, p->count);
    }
    memory_free(ctx, label);
    memory_free(ctx, class_of);
    return status;
}

/* Texts or numbers as they stand in map.json. */
static void write_list(const map_page *p, json_writer *json, const char *key)
{
    const json_value *list = json_member(p->names, key);
    int64_t bytes = 0;
    for (const json_value *v = list ? list->child : NULL; v; v = v->next)
        for (const char *c = v->kind == JSON_TEXT ? v->text : ""; *c; c++)
            bytes++;
    json_open_array(json, key);
    for (const json_value *v = list ? list->child : NULL; v && bytes <= MOST_NAMED; v = v->next)
        if (v->kind == JSON_TEXT)
            json_text(json, NULL, v->text);
        else
            json_number(json, NULL, v->number);
    json_close(json);
}

/* ---- pictures ---------------------------------------------------------------------------------
 */

/* map.png as it is. */
static orthant_status write_pictures(map_page *p, json_writer *json)
{
    orthant_context *ctx = p->place->ctx;
    char *path = NULL, *bytes = NULL;
    size_t length = 0;
    orthant_status status =
        contents_find(ctx, p->record->folder, p->record->json, "map.png", &path);
    if (!status && path)
        status = text_file_read(ctx, path, LARGEST_PICTURES, &bytes, &length);
    if (!status && bytes) {
        json_integer(json, "across", thumbnails_across(p->count));
        json_number(json, "width", json_member_number(p->names, "picture_width"));
        json_number(json, "height", json_member_number(p->names, "picture_height"));
        json_raw(json, "pictures");
        fputs("\"data:image/png;base64,", json->file);
        html_base64(json->file, (const unsigned char *)bytes, length);
        fputc('"', json->file);
    }
    memory_free(ctx, bytes);
    memory_free(ctx, path);
    return status;
}

static void put_point(image *canvas, int x, int y, const unsigned char colour[3])
{
    for (int row = y - 1; row <= y + 1; row++)
        for (int column = x - 1; column <= x + 1; column++)
            for (int c = 0; c < 3; c++)
                canvas->pixels[(row * STATIC_SIDE + column) * 3 + c] = colour[c];
}

/* The neighbour layout in the clusters' colours, which are the charts' (html_svg). */
static orthant_status write_static(map_page *p)
{
    static const unsigned char colours[][3] = {
        {0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73}, {0xcc, 0x79, 0xa7},
        {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9}, {0x7f, 0x7f, 0x7f}, {0x33, 0x22, 0x88},
        {0x88, 0x22, 0x55}, {0x99, 0x99, 0x33}};
    const int64_t colour_count = sizeof colours / sizeof *colours;
    orthant_context *ctx = p->place->ctx;
    unsigned char *png = NULL;
    size_t bytes = 0;
    image canvas = {.height = STATIC_SIDE, .width = STATIC_SIDE, .channels = 3};
    canvas.pixels = memory_new(ctx, STATIC_SIDE * STATIC_SIDE * 3, 1, "a map");
    if (!canvas.pixels)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < STATIC_SIDE * STATIC_SIDE * 3; i++)
        canvas.pixels[i] = 255;
    const int inner = STATIC_SIDE - 2 * STATIC_EDGE;
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t label = p->found ? p->found->values[i * p->step] : 0;
        put_point(&canvas, STATIC_EDGE + (int)lrint(inner * place_of(p, i, MAP_NEAR)),
                  STATIC_SIDE - 1 - STATIC_EDGE - (int)lrint(inner * place_of(p, i, MAP_NEAR + 1)),
                  colours[label > 0 ? label % colour_count : 0]);
    }
    const orthant_status status = image_encode_png(ctx, &canvas, NULL, &png, &bytes);
    if (!status)
        html_png(
            p->place->page, png, bytes, STATIC_SIDE, 1,
            "Map of the samples: each is a point in the colour of its cluster, near those with "
            "similar encodings");
    memory_free(ctx, png);
    memory_free(ctx, canvas.pixels);
    return status;
}

/* ---- the section ------------------------------------------------------------------------------
 */

static orthant_status write_data(map_page *p)
{
    json_writer json = {.file = p->place->page, .compact = true, .in_page = true};
    orthant_status status = ORTHANT_OK;
    uint16_t *words = memory_new(p->place->ctx, 4 * p->count, sizeof *words, "numbers of a page");
    if (!words)
        return ORTHANT_ERROR_MEMORY;
    fputs("<script type=\"application/json\" id=\"samples\">", p->place->page);
    json_open_object(&json, NULL);
    json_integer(&json, "count", p->count);
    json_integer(&json, "step", p->step);
    if (p->map) {
        status = write_places(p, &json, words);
        if (!status)
            status = write_errors(p, &json, words);
    }
    if (!status)
        status = write_labels(p, &json, "found", "clusters", p->found, words);
    if (!status)
        status = write_labels(p, &json, "truth", "labels", p->truth, words);
    if (!status)
        status = write_encodings(p, &json);
    write_list(p, &json, "classes");
    write_list(p, &json, "names");
    write_list(p, &json, "rows");
    if (!status)
        status = write_pictures(p, &json);
    json_close(&json);
    fputs("</script>\n", p->place->page);
    memory_free(p->place->ctx, words);
    return status;
}

static orthant_status write_section(map_page *p)
{
    FILE *page = p->place->page;
    orthant_status status = ORTHANT_OK;
    if (p->map) {
        fputs("<h2>Map of the samples</h2>\n<figure class=\"map\" id=\"map\">\n", page);
        status = write_static(p);
        fputs("<figcaption>Each point is a sample; those with similar encodings lie together. "
              "Neighbours: a layout that keeps each sample beside its nearest ones, in which "
              "distances between groups say little. Principal components: the two directions in "
              "which the encodings, at unit length, spread most.",
              page);
        if (p->count > LAYOUT_EXACT)
            fputs(" The nearest of so many samples are found approximately.", page);
        if (p->step > 1) {
            fputs(" Of ", page);
            html_count(page, json_member_number(p->names, "samples"));
            fputs(" samples ", page);
            html_count(page, (double)p->count);
            fputs(" are shown, taken evenly.", page);
        }
        fputs("</figcaption></figure>\n", page);
    }
    return status ? status : write_data(p);
}

/* Files that do not belong together are not shown together. */
static bool fits(const map_page *p, double samples)
{
    const bool labels = !p->found || (double)p->found->count == samples;
    return samples >= 1 && samples < 1e15 && labels &&
           (!p->map || (p->map->rows == p->count && p->map->columns == MAP_COLUMNS));
}

orthant_status sample_map_show(chart_place *place, const run_record *record,
                               const orthant_labels *found, const orthant_labels *truth,
                               const orthant_matrix *encoding)
{
    map_page p = {
        .place = place, .record = record, .found = found, .truth = truth, .encoding = encoding};
    char *path = NULL;
    orthant_status status =
        contents_find(place->ctx, record->folder, record->json, "map.json", &path);
    if (!status && path)
        status = json_read(place->ctx, path, &p.names);
    memory_free(place->ctx, path);
    if (!status && p.names)
        status = record_matrix(place->ctx, record, "map", &p.map);
    const double samples = json_member_number(p.names, "samples");
    if (samples >= 1 && samples < 1e15) {
        p.count = sample_map_count((int64_t)samples);
        p.step = sample_map_step((int64_t)samples);
    }
    if (encoding && (double)encoding->rows != samples)
        p.encoding = NULL;
    if (!status && p.names && fits(&p, samples)) {
        if (p.map)
            find_sizes(&p);
        status = write_section(&p);
    }
    orthant_matrix_free(p.map);
    json_free(place->ctx, p.names);
    return status;
}
