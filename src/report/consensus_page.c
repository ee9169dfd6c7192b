/* The consensus of a run, from the fit to its folder and from there to the page. */
#include "report/consensus_page.h"

#include <inttypes.h>
#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "report/heat.h"
#include "report/html.h"
#include "report/text_file.h"

#define CHART "consensus"

/* ---- what is stored ---------------------------------------------------------------------------
 */

void consensus_describe(json_writer *json, const consensus *c)
{
    json_open_object(json, "consensus");
    json_integer(json, "starts", c->info.starts);
    json_integer(json, "members", c->info.members);
    json_integer(json, "kept", c->info.kept);
    json_integer(json, "left_out", c->info.members - c->info.kept);
    json_number(json, "threshold", c->info.threshold);
    json_number(json, "neighbourhood", c->info.neighbourhood);
    json_integer(json, "neighbours", c->info.neighbours);
    json_number(json, "silhouette", c->info.silhouette);
    if (c->info.fixed)
        json_integer(json, "fixed", c->info.fixed);
    json_open_array(json, "parts");
    for (int64_t q = 0; q < c->info.fixed + c->rank; q++) {
        json_open_object(json, NULL);
        json_integer(json, "members", c->part[q].members);
        json_integer(json, "starts", c->part[q].starts);
        json_number(json, "silhouette", c->part[q].silhouette);
        json_number(json, "cosine", c->part[q].cosine);
        json_close(json);
    }
    json_close(json);
    json_open_array(json, "shown_clusters");
    for (int64_t i = 0; i < c->shown; i++)
        json_integer(json, NULL, c->member[c->shown_member[i]].cluster);
    json_close(json);
    json_close(json);
}

static void print_number(FILE *file, double number)
{
    char text[32] = "";
    if (isfinite(number))
        text_write_double(text, number, false);
    fprintf(file, ",%s", text);
}

static orthant_status write_members(const consensus *c, const char *folder)
{
    file_writer writer;
    char *path = path_join(c->ctx, folder, "consensus.csv");
    orthant_status status = path ? file_write_begin(c->ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    memory_free(c->ctx, path);
    if (status)
        return status;
    fputs("start,part,consensus_part,density,silhouette\n", writer.file);
    for (int64_t i = 0; i < c->info.members; i++) {
        const orthant_consensus_member *m = &c->member[i];
        fprintf(writer.file, "%" PRId64 ",%" PRId64 ",", m->start, m->part);
        if (m->cluster >= 0)
            fprintf(writer.file, "%" PRId64, m->cluster);
        print_number(writer.file, m->density);
        print_number(writer.file, m->silhouette);
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

static orthant_status write_map(const consensus *c, const char *folder)
{
    chart_place place = {.ctx = c->ctx, .folder = folder};
    file_writer writer;
    const orthant_status status = chart_data_begin(&place, CHART, &writer);
    if (status)
        return status;
    for (int64_t i = 0; i < c->shown; i++)
        for (int64_t j = 0; j < c->shown; j++)
            fprintf(writer.file, "%.2f%c", (double)c->shown_cosine[i * c->shown + j],
                    j + 1 < c->shown ? ',' : '\n');
    return file_write_end(&writer, ORTHANT_OK);
}

orthant_status consensus_write(const consensus *c, const char *folder, bool picture)
{
    const orthant_status status = write_members(c, folder);
    return status || !picture ? status : write_map(c, folder);
}

/* ---- what is shown ----------------------------------------------------------------------------
 */

sheet *consensus_table(orthant_context *ctx, const run_record *record)
{
    const json_value *parts = json_member(json_member(record->json, "consensus"), "parts");
    sheet *table = sheet_new(ctx, "consensus",
                             "Parts of the consensus, the most stable first: the parts of starts "
                             "whose median each is, the starts that have one, their mean "
                             "silhouette, and their mean cosine with the median.");
    int64_t number = 0;
    sheet_add_counts(table, "part");
    sheet_add_counts(table, "members");
    sheet_add_counts(table, "starts");
    sheet_add_column(table, "silhouette", 3);
    sheet_add_column(table, "cosine", 3);
    for (const json_value *p = parts ? parts->child : NULL; p; p = p->next) {
        sheet_add_row(table, false);
        sheet_add_number(table, (double)number++);
        sheet_add_number(table, json_member_number(p, "members"));
        sheet_add_number(table, json_member_number(p, "starts"));
        sheet_add_number(table, json_member_number(p, "silhouette"));
        sheet_add_number(table, json_member_number(p, "cosine"));
    }
    return table;
}

/* The clusters of the parts in the picture; none where run.json does not hold them. */
static orthant_status read_order(orthant_context *ctx, const json_value *found, sample_order *order)
{
    const json_value *shown = json_member(found, "shown_clusters");
    *order = (sample_order){.ctx = ctx};
    order->sample = memory_new(ctx, CONSENSUS_SHOWN, sizeof *order->sample, "an order of parts");
    order->cluster = memory_new(ctx, CONSENSUS_SHOWN, sizeof *order->cluster, "an order of parts");
    if (!order->sample || !order->cluster)
        return ORTHANT_ERROR_MEMORY;
    for (const json_value *v = shown ? shown->child : NULL; v; v = v->next) {
        if (order->count == CONSENSUS_SHOWN || !(v->number >= 0 && v->number < 1e6)) {
            order->count = 0;
            return ORTHANT_OK;
        }
        const int64_t cluster = (int64_t)v->number, count = order->count++;
        order->sample[count] = count;
        order->cluster[count] = cluster;
        order->clusters += !count || order->cluster[count - 1] != cluster;
    }
    return ORTHANT_OK;
}

static orthant_status show_map(chart_place *place, const json_value *found)
{
    sample_order order;
    file_presence there = FILE_MISSING;
    char caption[200];
    orthant_status status = read_order(place->ctx, found, &order);
    char *path = path_join(place->ctx, place->folder, CHART_FOLDER "/" CHART ".csv");
    if (!status)
        status = path ? file_look(place->ctx, path, &there) : ORTHANT_ERROR_MEMORY;
    snprintf(caption, sizeof caption,
             "The cosine of every two of %" PRId64
             " kept parts, ordered by the part of the consensus that they belong to.",
             order.count);
    if (!status && order.count && there == FILE_PLAIN)
        status = heat_square(place, CHART, caption, false, &order);
    memory_free(place->ctx, path);
    sample_order_free(&order);
    return status;
}

orthant_status consensus_page_write(chart_place *place, const run_record *record)
{
    const json_value *found = json_member(record->json, "consensus");
    const double fixed = json_member_number(found, "fixed");
    sheet *table = consensus_table(place->ctx, record);
    orthant_status status = sheet_status(table);
    if (!status && table->rows) {
        fputs("<h2>Consensus</h2>\n<p>Of ", place->page);
        html_count(place->page, json_member_number(found, "members"));
        fputs(" parts of ", place->page);
        html_count(place->page, json_member_number(found, "starts"));
        fputs(" starts ", place->page);
        html_count(place->page, json_member_number(found, "kept"));
        fputs(" were kept, and ", place->page);
        html_count(place->page, json_member_number(found, "left_out"));
        fputs(" left out, whose mean distance to their ", place->page);
        html_count(place->page, json_member_number(found, "neighbours"));
        fputs(" nearest neighbours is above ", place->page);
        html_number(place->page, json_member_number(found, "threshold"), 2);
        fputs(". The silhouette of the kept parts is ", place->page);
        html_number(place->page, json_member_number(found, "silhouette"), 3);
        fputs(" (1: the starts agree).", place->page);
        if (fixed > 0) {
            fputs(" Fixed parts were given and are none of these: ", place->page);
            html_count(place->page, fixed);
            fputs(fixed > 1 ? ", the first ones." : ", the first one.", place->page);
        }
        fputs("</p>\n", place->page);
        sheet_write(table, SHEET_HTML, place->page);
        status = show_map(place, found);
    }
    sheet_free(table);
    return status;
}
