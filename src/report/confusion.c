/* Counts, matches clusters to classes, and writes table and data. */
#include "report/confusion.h"

#include <inttypes.h>

#include "core/memory.h"
#include "data/labels.h"
#include "score/table.h"

#define MOST_SHOWN 100

typedef struct confusion {
    orthant_context *ctx;
    table counts;
    int64_t *square;  /* classes x clusters, columns as shown */
    int64_t *cluster; /* that stands in column j */
    int64_t *matched; /* the class that it is matched with; -1: none */
    int64_t *class_name, *cluster_name;
} confusion;

static void confusion_free(confusion *c)
{
    memory_free(c->ctx, c->square);
    memory_free(c->ctx, c->cluster);
    memory_free(c->ctx, c->matched);
    memory_free(c->ctx, c->class_name);
    memory_free(c->ctx, c->cluster_name);
    table_free(c->ctx, &c->counts);
}

/* Inserts a value into a rising list of at most `capacity`, once. */
static void insert_once(int64_t *list, int64_t *count, int64_t capacity, int64_t value)
{
    int64_t at = *count;
    while (at > 0 && list[at - 1] > value)
        at--;
    if ((at > 0 && list[at - 1] == value) || *count == capacity)
        return;
    for (int64_t i = *count; i > at; i--)
        list[i] = list[i - 1];
    list[at] = value;
    ++*count;
}

/* The labels' own values, in the order in which the table numbers them. */
static void name_labels(confusion *c, const orthant_labels *found, const orthant_labels *truth)
{
    int64_t classes = 0, clusters = 0;
    for (int64_t i = 0; i < found->count; i++) {
        if (found->values[i] == -1 || truth->values[i] == -1)
            continue;
        insert_once(c->cluster_name, &clusters, c->counts.clusters, found->values[i]);
        insert_once(c->class_name, &classes, c->counts.classes, truth->values[i]);
    }
}

/* The first column that no cluster stands in. */
static int64_t free_column(const confusion *c)
{
    int64_t column = 0;
    while (column < c->counts.clusters && c->cluster[column] >= 0)
        column++;
    return column;
}

/* A cluster stands in the column of its class where there is such a column; the others fill what
 * is left. */
static void place_clusters(confusion *c, const int64_t *class_of, int64_t *column_of)
{
    const int64_t clusters = c->counts.clusters;
    for (int64_t j = 0; j < clusters; j++)
        c->cluster[j] = -1;
    for (int64_t k = 0; k < clusters; k++) {
        column_of[k] = -1;
        if (class_of[k] >= 0 && class_of[k] < clusters) {
            column_of[k] = class_of[k];
            c->cluster[class_of[k]] = k;
        }
    }
    for (int64_t k = 0; k < clusters; k++)
        if (column_of[k] < 0) {
            column_of[k] = free_column(c);
            c->cluster[column_of[k]] = k;
        }
    for (int64_t j = 0; j < clusters; j++)
        c->matched[j] = class_of[c->cluster[j]];
}

static orthant_status align(confusion *c)
{
    const table *t = &c->counts;
    int64_t *class_of = memory_new(c->ctx, t->clusters, sizeof *class_of, "a matching");
    int64_t *column_of = memory_new(c->ctx, t->clusters, sizeof *column_of, "a matching");
    orthant_status status = ORTHANT_ERROR_MEMORY;
    if (class_of && column_of)
        status = table_match(c->ctx, t, class_of);
    if (!status)
        place_clusters(c, class_of, column_of);
    for (int64_t e = 0; e < t->cells && !status; e++)
        c->square[t->cell[e].class * t->clusters + column_of[t->cell[e].cluster]] =
            t->cell[e].count;
    memory_free(c->ctx, column_of);
    memory_free(c->ctx, class_of);
    return status;
}

static orthant_status confusion_make(confusion *c, const orthant_labels *found,
                                     const orthant_labels *truth)
{
    orthant_context *ctx = c->ctx;
    const table *t = &c->counts;
    c->square = memory_new(ctx, t->classes * t->clusters, sizeof *c->square, "a confusion matrix");
    c->cluster = memory_new(ctx, t->clusters, sizeof *c->cluster, "a confusion matrix");
    c->matched = memory_new(ctx, t->clusters, sizeof *c->matched, "a confusion matrix");
    c->cluster_name = memory_new(ctx, t->clusters, sizeof *c->cluster_name, "names of clusters");
    c->class_name = memory_new(ctx, t->classes, sizeof *c->class_name, "names of classes");
    if (!c->square || !c->cluster || !c->matched || !c->cluster_name || !c->class_name)
        return ORTHANT_ERROR_MEMORY;
    name_labels(c, found, truth);
    return align(c);
}

static orthant_status write_data(chart_place *place, const char *name, const confusion *c)
{
    file_writer writer;
    const table *t = &c->counts;
    const orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    fputs("class", writer.file);
    for (int64_t j = 0; j < t->clusters; j++)
        fprintf(writer.file, ",cluster %" PRId64, c->cluster_name[c->cluster[j]]);
    fputc('\n', writer.file);
    for (int64_t i = 0; i < t->classes; i++) {
        fprintf(writer.file, "%" PRId64, c->class_name[i]);
        for (int64_t j = 0; j < t->clusters; j++)
            fprintf(writer.file, ",%" PRId64, c->square[i * t->clusters + j]);
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

static void write_row(FILE *page, const confusion *c, int64_t i)
{
    const table *t = &c->counts;
    fprintf(page, "<tr><th scope=\"row\" data-label=\"%" PRId64 "\">%" PRId64 "</th>",
            c->class_name[i], c->class_name[i]);
    for (int64_t j = 0; j < t->clusters; j++) {
        const int64_t count = c->square[i * t->clusters + j];
        fprintf(page, "<td%s style=\"--d:%.2f\">", c->matched[j] == i ? " class=\"own\"" : "",
                (double)count / (double)t->class_size[i]);
        if (count)
            fprintf(page, "%" PRId64, count);
        fputs("</td>", page);
    }
    fputs("</tr>\n", page);
}

static void write_table(FILE *page, const char *name, const confusion *c)
{
    const table *t = &c->counts;
    fputs("<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion "
          "matrix\">\n<table class=\"confusion\">\n<thead><tr><td></td>",
          page);
    fprintf(page,
            "<th scope=\"colgroup\" class=\"axis\" colspan=\"%" PRId64 "\">cluster</th></tr>\n",
            t->clusters);
    fputs("<tr><th scope=\"col\" class=\"axis\">class</th>", page);
    for (int64_t j = 0; j < t->clusters; j++)
        fprintf(page, "<th scope=\"col\" data-label=\"%" PRId64 "\">%" PRId64 "</th>",
                c->cluster_name[c->cluster[j]], c->cluster_name[c->cluster[j]]);
    fputs("</tr></thead>\n<tbody>\n", page);
    for (int64_t i = 0; i < t->classes; i++)
        write_row(page, c, i);
    fprintf(page,
            "</tbody></table></div>\n<figcaption>Samples of each class (down) in each cluster "
            "(across); a cluster stands in the column of the class that it is matched with "
            "(outlined). Colour: share of the class. <a href=\"" CHART_FOLDER
            "/%s.csv\">data</a></figcaption></figure>\n",
            name);
}

orthant_status confusion_show(chart_place *place, const char *name, const char *heading,
                              const orthant_labels *found, const orthant_labels *truth)
{
    confusion c = {.ctx = place->ctx};
    const int64_t classes = orthant_labels_classes(truth);
    const int64_t clusters = classes < 0 ? -1 : orthant_labels_classes(found);
    if (clusters < 0)
        return ORTHANT_ERROR_MEMORY;
    if (found->count != truth->count || !classes || !clusters)
        return ORTHANT_OK;
    orthant_status status = table_make(place->ctx, found, truth, &c.counts);
    if (status)
        return status;
    if (c.counts.classes <= MOST_SHOWN && c.counts.clusters <= MOST_SHOWN) {
        status = confusion_make(&c, found, truth);
        if (!status)
            status = write_data(place, name, &c);
        if (!status) {
            fputs(heading, place->page);
            write_table(place->page, name, &c);
        }
    }
    confusion_free(&c);
    return status;
}
