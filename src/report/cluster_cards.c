/* Chooses the samples that stand for a cluster and writes them down.
 *
 * Encodings are compared at unit length. A sample is typical where it lies near the mean of its
 * cluster, and doubtful where the mean of another one lies as near or nearer. */
#include "report/cluster_cards.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/beside.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "report/json.h"
#include "report/sample_pictures.h"
#include "report/text_file.h"

#define MOST_LOOKED_AT 100000 /* samples, at even steps */
#define MOST_PIXELS ((int64_t)1 << 22)
#define TOP_FEATURES 5

typedef struct chosen {
    int count;
    int64_t sample[CARDS_SAMPLES];
    double key[CARDS_SAMPLES]; /* rising */
} chosen;

typedef struct cards {
    orthant_context *ctx;
    const orthant_run *run;
    const orthant_matrix *encoding;
    int64_t clusters, rank;
    int64_t *cluster;           /* of each sample, -1: none */
    int64_t *size;              /* of each cluster */
    double *centre;             /* clusters x rank */
    double *unit;               /* a sample's encoding at unit length */
    chosen *typical, *doubtful; /* of each cluster */
    image sheet;                /* of pictures, where the samples are features of them */
} cards;

static void keep(chosen *c, double key, int64_t sample)
{
    int at = c->count;
    while (at > 0 && key < c->key[at - 1])
        at--;
    if (at >= CARDS_SAMPLES)
        return;
    if (c->count < CARDS_SAMPLES)
        c->count++;
    for (int i = c->count - 1; i > at; i--) {
        c->key[i] = c->key[i - 1];
        c->sample[i] = c->sample[i - 1];
    }
    c->key[at] = key;
    c->sample[at] = sample;
}

static void take_unit(const cards *c, int64_t sample)
{
    double squares = 0;
    for (int64_t k = 0; k < c->rank; k++) {
        c->unit[k] = orthant_matrix_get(c->encoding, sample, k);
        squares += c->unit[k] * c->unit[k];
    }
    for (int64_t k = 0; k < c->rank && squares > 0; k++)
        c->unit[k] /= sqrt(squares);
}

static double distance(const cards *c, int64_t cluster)
{
    double total = 0;
    for (int64_t k = 0; k < c->rank; k++) {
        const double away = c->unit[k] - c->centre[cluster * c->rank + k];
        total += away * away;
    }
    return total;
}

static void find_centres(cards *c)
{
    for (int64_t i = 0; i < c->encoding->rows; i++) {
        const int64_t own = c->cluster[i];
        if (own < 0)
            continue;
        take_unit(c, i);
        c->size[own]++;
        for (int64_t k = 0; k < c->rank; k++)
            c->centre[own * c->rank + k] += c->unit[k];
    }
    for (int64_t l = 0; l < c->clusters; l++)
        for (int64_t k = 0; k < c->rank && c->size[l]; k++)
            c->centre[l * c->rank + k] /= (double)c->size[l];
}

/* In a small cluster a sample may be both. */
static void drop_typical(chosen *doubtful, const chosen *typical)
{
    int left = 0;
    for (int i = 0; i < doubtful->count; i++) {
        bool both = false;
        for (int j = 0; j < typical->count; j++)
            both |= doubtful->sample[i] == typical->sample[j];
        if (!both)
            doubtful->sample[left++] = doubtful->sample[i];
    }
    doubtful->count = left;
}

static void choose(cards *c)
{
    const int64_t step = (c->encoding->rows + MOST_LOOKED_AT - 1) / MOST_LOOKED_AT;
    for (int64_t i = 0; i < c->encoding->rows; i += step) {
        const int64_t own = c->cluster[i];
        double nearest = INFINITY;
        if (own < 0)
            continue;
        take_unit(c, i);
        for (int64_t l = 0; l < c->clusters; l++)
            if (l != own)
                nearest = fmin(nearest, distance(c, l));
        keep(&c->typical[own], distance(c, own), i);
        keep(&c->doubtful[own], nearest - distance(c, own), i);
    }
    for (int64_t l = 0; l < c->clusters; l++)
        drop_typical(&c->doubtful[l], &c->typical[l]);
}

/* ---- what is written --------------------------------------------------------------------------
 */

/* The features with the largest entries, by name. */
static void describe_features(const orthant_matrix *samples, int64_t row, char *text, size_t size)
{
    double key[TOP_FEATURES];
    int64_t feature[TOP_FEATURES];
    int count = 0;
    for (int64_t j = 0; j < samples->columns; j++) {
        const double value = orthant_matrix_get(samples, row, j);
        int at = count;
        while (at > 0 && value > key[at - 1])
            at--;
        if (!(value > 0) || at >= TOP_FEATURES)
            continue;
        count += count < TOP_FEATURES;
        for (int i = count - 1; i > at; i--) {
            key[i] = key[i - 1];
            feature[i] = feature[i - 1];
        }
        key[at] = value;
        feature[at] = j;
    }
    for (int i = 0; i < count; i++)
        text_append(text, size, "%s%.40s", i ? ", " : "",
                    orthant_matrix_feature_name(samples, feature[i]));
}

static void write_chosen(const cards *c, json_writer *json, const char *key, const chosen *list)
{
    const orthant_matrix *samples = c->run->samples;
    json_open_array(json, key);
    for (int i = 0; i < list->count; i++) {
        const int64_t row = list->sample[i];
        char features[64 * TOP_FEATURES] = "";
        if (!orthant_matrix_picture(samples).height && orthant_matrix_feature_name(samples, 0))
            describe_features(samples, row, features, sizeof features);
        json_open_object(json, NULL);
        json_integer(json, "sample", row);
        json_text(json, "name", orthant_matrix_sample_name(samples, row));
        if (*features)
            json_text(json, "features", features);
        json_close(json);
    }
    json_close(json);
}

/* The class that most of the cluster's samples of a known class have, and their share. */
static orthant_status write_class(const cards *c, json_writer *json, int64_t cluster)
{
    const orthant_labels *truth = c->run->truth_labels;
    int64_t *class_of = NULL, *count = NULL, classes = 0, known = 0, most = 0, label = 0;
    if (!truth || truth->count != c->encoding->rows)
        return ORTHANT_OK;
    class_of = memory_new(c->ctx, truth->count, sizeof *class_of, "classes of samples");
    orthant_status status =
        class_of ? labels_to_classes(c->ctx, truth, class_of, &classes) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        count = memory_new(c->ctx, classes + 1, sizeof *count, "classes of a cluster");
        status = count ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < truth->count && !status; i++) {
        if (c->cluster[i] != cluster || class_of[i] < 0)
            continue;
        known++;
        if (++count[class_of[i]] > most) {
            most = count[class_of[i]];
            label = truth->values[i];
        }
    }
    if (!status && known) {
        const char *name = orthant_labels_name(truth, label);
        if (name)
            json_text(json, "class", name);
        else
            json_integer(json, "class", label);
        json_number(json, "share", (double)most / (double)known);
    }
    memory_free(c->ctx, class_of);
    memory_free(c->ctx, count);
    return status;
}

static int64_t strongest_part(const cards *c, int64_t cluster)
{
    int64_t part = 0;
    for (int64_t k = 1; k < c->rank; k++)
        if (c->centre[cluster * c->rank + k] > c->centre[cluster * c->rank + part])
            part = k;
    return part;
}

static orthant_status write_json(const cards *c, const char *folder)
{
    file_writer writer;
    char *path = path_join(c->ctx, folder, "clusters.json");
    orthant_status status = path ? file_write_begin(c->ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    memory_free(c->ctx, path);
    if (status)
        return status;
    json_writer json = {.file = writer.file};
    json_open_object(&json, NULL);
    if (c->sheet.pixels)
        json_integer(&json, "picture_side", thumbnails_side(&c->sheet, c->encoding->rows));
    json_open_array(&json, "clusters");
    for (int64_t l = 0; l < c->clusters && !status; l++) {
        const chosen *typical = &c->typical[l];
        if (!typical->count)
            continue;
        json_open_object(&json, NULL);
        json_integer(&json, "cluster", c->run->labels->values[typical->sample[0]]);
        json_integer(&json, "size", c->size[l]);
        status = write_class(c, &json, l);
        json_integer(&json, "part", strongest_part(c, l));
        write_chosen(c, &json, "typical", typical);
        write_chosen(c, &json, "doubtful", &c->doubtful[l]);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    return file_write_end(&writer, status);
}

/* A row of clusters.npy: the sample itself, or the picture that it has the features of. */
static void put_picture(const cards *c, int64_t sample, unsigned char *tile, orthant_matrix *rows,
                        int64_t at)
{
    if (tile)
        thumbnails_take(&c->sheet, c->encoding->rows, sample, tile);
    for (int64_t j = 0; j < rows->columns; j++)
        matrix_set_value(rows, at * rows->stride + j,
                         tile ? tile[j] : orthant_matrix_get(c->run->samples, sample, j));
}

static orthant_status fill_pictures(const cards *c, orthant_matrix *rows)
{
    unsigned char *tile = NULL;
    int64_t at = 0;
    if (c->sheet.pixels && !(tile = memory_new(c->ctx, rows->columns, 1, "a sample's picture")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t l = 0; l < c->clusters; l++)
        for (int kind = 0; kind < 2; kind++) {
            const chosen *list = kind ? &c->doubtful[l] : &c->typical[l];
            for (int i = 0; i < list->count; i++)
                put_picture(c, list->sample[i], tile, rows, at++);
        }
    memory_free(c->ctx, tile);
    return ORTHANT_OK;
}

/* The pictures, a row for each sample in the order of clusters.json. */
static orthant_status write_pictures(const cards *c, const char *folder)
{
    const orthant_matrix *samples = c->run->samples;
    const int64_t side = c->sheet.pixels ? thumbnails_side(&c->sheet, samples->rows) : 0;
    const int64_t pixels = side ? side * side * 3 : samples->columns;
    orthant_matrix *rows = NULL;
    int64_t count = 0;
    for (int64_t l = 0; l < c->clusters; l++)
        count += c->typical[l].count + c->doubtful[l].count;
    if ((!side && !orthant_matrix_picture(samples).height) || !count ||
        pixels > MOST_PIXELS / count)
        return ORTHANT_OK;
    orthant_status status = matrix_new_dense(c->ctx, ORTHANT_SINGLE, count, pixels, &rows);
    if (!status)
        status = fill_pictures(c, rows);
    char *path = status ? NULL : path_join(c->ctx, folder, "clusters.npy");
    if (!status)
        status = path ? orthant_matrix_write(c->ctx, rows, path) : ORTHANT_ERROR_MEMORY;
    memory_free(c->ctx, path);
    orthant_matrix_free(rows);
    return status;
}

static orthant_status make_cards(cards *c, const char *folder)
{
    orthant_context *ctx = c->ctx;
    const orthant_labels *labels = c->run->labels;
    c->cluster = memory_new(ctx, labels->count, sizeof *c->cluster, "clusters of samples");
    if (!c->cluster)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = labels_to_classes(ctx, labels, c->cluster, &c->clusters);
    if (status || c->clusters < 1 || c->clusters > CARDS_MOST)
        return status;
    c->size = memory_new(ctx, c->clusters, sizeof *c->size, "clusters' sizes");
    c->centre = memory_new(ctx, c->clusters * c->rank, sizeof *c->centre, "clusters' centres");
    c->unit = memory_new(ctx, c->rank, sizeof *c->unit, "an encoding");
    c->typical = memory_new(ctx, c->clusters, sizeof *c->typical, "typical samples");
    c->doubtful = memory_new(ctx, c->clusters, sizeof *c->doubtful, "doubtful samples");
    if (!c->size || !c->centre || !c->unit || !c->typical || !c->doubtful)
        return ORTHANT_ERROR_MEMORY;
    find_centres(c);
    choose(c);
    status = sample_pictures_open(ctx, c->run->samples, &c->sheet);
    if (!status)
        status = write_json(c, folder);
    return status ? status : write_pictures(c, folder);
}

orthant_status cluster_cards_write(orthant_context *ctx, const orthant_run *run, const char *folder)
{
    cards c = {.ctx = ctx, .run = run, .encoding = orthant_result_factor(run->result, "encoding")};
    if (!run->labels || !c.encoding || !c.encoding->columns ||
        orthant_matrix_is_streamed(run->samples) || run->labels->count != c.encoding->rows ||
        run->samples->rows != c.encoding->rows)
        return ORTHANT_OK;
    c.rank = c.encoding->columns;
    const orthant_status status = make_cards(&c, folder);
    memory_free(ctx, c.cluster);
    memory_free(ctx, c.size);
    memory_free(ctx, c.centre);
    memory_free(ctx, c.unit);
    memory_free(ctx, c.typical);
    memory_free(ctx, c.doubtful);
    image_free(ctx, &c.sheet);
    return status;
}
