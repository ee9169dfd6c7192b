/* The cards of the clusters in the page. */
#include <inttypes.h>
#include <math.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "report/cluster_cards.h"
#include "report/contents.h"
#include "report/html.h"
#include "report/montage.h"
#include "report/words.h"

#define CARD_WORDS 5   /* of the strongest part */
#define CARD_PIXELS 40 /* that a sample's picture should measure on the page */

typedef struct card_page {
    chart_place *place;
    const run_record *record;
    orthant_picture_shape shape;    /* of a part; height 0: parts are no pictures */
    orthant_picture_shape portrait; /* of a sample */
    const orthant_matrix *basis;    /* or NULL */
    const orthant_matrix *sample;   /* pictures, in the order of the cards; or NULL */
    int64_t row;                    /* the next of them */
} card_page;

/* Rows of `from`, or its column, as the columns of a montage. */
static orthant_status show_pictures(const card_page *p, const orthant_matrix *from, int64_t first,
                                    int64_t count, bool column, const char *description)
{
    const orthant_picture_shape shape = column ? p->shape : p->portrait;
    orthant_context *ctx = p->place->ctx;
    const int64_t pixels = column ? from->rows : from->columns;
    orthant_matrix *tiles = NULL;
    montage made = {0};
    orthant_status status = matrix_new_dense(ctx, ORTHANT_SINGLE, pixels, count, &tiles);
    for (int64_t i = 0; i < count && !status; i++)
        for (int64_t j = 0; j < pixels; j++)
            matrix_set_value(tiles, j * tiles->stride + i,
                             column ? orthant_matrix_get(from, j, first + i)
                                    : orthant_matrix_get(from, first + i, j));
    if (!status)
        status = montage_make(ctx, tiles, shape, &made);
    if (!status && made.png)
        html_png(p->place->page, made.png, made.bytes, made.width,
                 (CARD_PIXELS + shape.width - 1) / shape.width, description);
    memory_free(ctx, made.png);
    orthant_matrix_free(tiles);
    return status;
}

static void write_names(FILE *page, const json_value *list)
{
    fputs("<ul>", page);
    for (const json_value *v = list->child; v; v = v->next) {
        const char *name = json_member_text(v, "name", ""),
                   *features = json_member_text(v, "features", "");
        fputs("<li>", page);
        if (*name)
            html_text(page, name);
        else
            fprintf(page, "sample %.0f", json_member_number(v, "sample"));
        if (*features) {
            fputs(": <span class=\"soft\">", page);
            html_text(page, features);
            fputs("</span>", page);
        }
        fputs("</li>", page);
    }
    fputs("</ul>\n", page);
}

/* Under pictures: the files' names in their order, in small. */
static void write_captions(FILE *page, const json_value *list)
{
    if (!*json_member_text(list->child, "name", ""))
        return;
    fputs("<p class=\"soft names\">", page);
    for (const json_value *v = list->child; v; v = v->next) {
        html_text(page, json_member_text(v, "name", ""));
        fputs(v->next ? ", " : "</p>\n", page);
    }
}

static orthant_status write_samples(card_page *p, const json_value *card, const char *key,
                                    const char *title)
{
    const json_value *list = json_member(card, key);
    int64_t count = 0;
    for (const json_value *v = list ? list->child : NULL; v; v = v->next)
        count++;
    if (!count)
        return ORTHANT_OK;
    fprintf(p->place->page, "<p>%s</p>\n", title);
    if (!p->sample) {
        write_names(p->place->page, list);
        return ORTHANT_OK;
    }
    if (count > p->sample->rows - p->row)
        return ORTHANT_OK; /* files that do not belong together */
    char description[120];
    snprintf(description, sizeof description, "%s of cluster %.0f", title,
             json_member_number(card, "cluster"));
    p->row += count;
    fputs("<div class=\"strip\" data-samples=\"", p->place->page);
    for (const json_value *v = list->child; v; v = v->next)
        fprintf(p->place->page, v->next ? "%.0f " : "%.0f\">\n", json_member_number(v, "sample"));
    const orthant_status status =
        show_pictures(p, p->sample, p->row - count, count, false, description);
    fputs("</div>\n", p->place->page);
    if (!status)
        write_captions(p->place->page, list);
    return status;
}

/* The heaviest features of a part, with bars for their weights. */
static orthant_status write_words(const card_page *p, int64_t part)
{
    FILE *page = p->place->page;
    weighed_word word[CARD_WORDS];
    int count;
    const orthant_status status =
        words_of_part(p->place->ctx, p->record, p->basis, part, CARD_WORDS, word, &count);
    if (status || !count || !(word[0].weight > 0))
        return status;
    fprintf(page, "<p>Strongest part: %" PRId64 "</p>\n<ul class=\"bars\">", part);
    for (int i = 0; i < count; i++) {
        fputs("<li><span>", page);
        html_text(page, word[i].word);
        fprintf(page, "</span><i style=\"width:%.0f%%\"></i></li>",
                100 * fmax(0, fmin(1, word[i].weight / word[0].weight)));
    }
    fputs("</ul>\n", page);
    return ORTHANT_OK;
}

static orthant_status write_part(const card_page *p, const json_value *card)
{
    const double part = json_member_number(card, "part");
    char description[80];
    if (!p->basis || !(part >= 0 && part < (double)p->basis->columns))
        return ORTHANT_OK;
    if (!p->shape.height)
        return write_words(p, (int64_t)part);
    snprintf(description, sizeof description, "Part %.0f", part);
    fprintf(p->place->page, "<p>Strongest part: %.0f</p>\n", part);
    return show_pictures(p, p->basis, (int64_t)part, 1, true, description);
}

static orthant_status write_card(card_page *p, const json_value *card)
{
    FILE *page = p->place->page;
    const json_value *class = json_member(card, "class");
    const double share = json_member_number(card, "share");
    const double cluster = json_member_number(card, "cluster");
    fprintf(
        page,
        "<section class=\"card\" data-cluster=\"%.0f\"><h3>Cluster %.0f</h3>\n<p class=\"soft\">",
        cluster, cluster);
    html_count(page, json_member_number(card, "size"));
    fputs(json_member_number(card, "size") == 1 ? " sample" : " samples", page);
    if (class && !isnan(share)) {
        fprintf(page, ", %.0f&nbsp;%% of class ", 100 * share);
        html_value(page, class);
    }
    fputs("</p>\n", page);
    orthant_status status = write_part(p, card);
    if (!status)
        status = write_samples(p, card, "typical", "Typical samples");
    if (!status)
        status = write_samples(p, card, "doubtful", "Doubtful samples");
    fputs("</section>\n", page);
    return status;
}

orthant_status cluster_cards_show(chart_place *place, const run_record *record,
                                  const orthant_matrix *basis)
{
    card_page p = {
        .place = place, .record = record, .shape = record_picture(record), .basis = basis};
    json_value *cards = NULL;
    orthant_matrix *samples = NULL;
    char *path = NULL;
    orthant_status status =
        contents_find(place->ctx, record->folder, record->json, "clusters.json", &path);
    if (!status && path)
        status = json_read(place->ctx, path, &cards);
    memory_free(place->ctx, path);
    if (!status && cards)
        status = record_matrix(place->ctx, record, "clusters", &samples);
    const double side = status ? NAN : json_member_number(cards, "picture_side");
    p.sample = samples;
    p.portrait = p.shape;
    if (side >= 1 && side <= 1000)
        p.portrait =
            (orthant_picture_shape){.height = (int)side, .width = (int)side, .channels = 3};
    if (samples &&
        (int64_t)p.portrait.height * p.portrait.width * p.portrait.channels != samples->columns)
        p.sample = NULL; /* files that do not belong together */
    const json_value *list = status ? NULL : json_member(cards, "clusters");
    if (list && list->child) {
        fputs("<h2>Clusters</h2>\n<p class=\"soft\">A sample is typical where its encoding lies "
              "near the mean of its cluster, and doubtful where it lies nearly as near to another "
              "one's.</p>\n<div class=\"cards\">\n",
              place->page);
        for (const json_value *card = list->child; card && !status; card = card->next)
            status = write_card(&p, card);
        fputs("</div>\n", place->page);
    }
    orthant_matrix_free(samples);
    json_free(place->ctx, cards);
    return status;
}
