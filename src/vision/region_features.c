/* Groups of columns (colour, space, Gabor, histograms), each scaled by its weight. */
#include "vision/region_features.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "vision/bands.h"
#include "vision/colour.h"
#include "vision/gabor.h"

#define MOST_GROUPS 8
#define LAB_SCALE 100.0
#define HISTOGRAM_BINS 11

typedef struct table {
    const superpixels *set;
    const segment_options *options;
    band_set bands; /* of the group `histogram` */
    int64_t columns;
    double *values; /* regions x columns */
} table;

typedef struct group {
    const char *name;
    int64_t (*columns)(const table *t);
    orthant_status (*fill)(const table *t, int64_t first);
} group;

static int64_t pixels_of(const table *t)
{
    return (int64_t)t->set->picture->height * t->set->picture->width;
}

/* ---- the groups -------------------------------------------------------------------------------
 */

static int64_t two_columns(const table *t)
{
    (void)t;
    return 2;
}

static int64_t three_columns(const table *t)
{
    (void)t;
    return 3;
}

static int64_t gabor_columns(const table *t)
{
    (void)t;
    return GABOR_FILTERS;
}

static int64_t histogram_columns(const table *t)
{
    return (int64_t)t->bands.bands * t->bands.bins;
}

static orthant_status fill_lab(const table *t, int64_t first)
{
    const int64_t count = t->set->count;
    double least = 0.0;
    for (int64_t i = 0; i < 3 * count; i++)
        least = fmin(least, t->set->lab[i]);
    for (int64_t r = 0; r < count; r++)
        for (int c = 0; c < 3; c++)
            t->values[r * t->columns + first + c] = (t->set->lab[3 * r + c] - least) / LAB_SCALE;
    return ORTHANT_OK;
}

static orthant_status fill_rgb(const table *t, int64_t first)
{
    const image *picture = t->set->picture;
    float *plane = memory_new(t->set->ctx, pixels_of(t), sizeof *plane, "a colour plane");
    if (!plane)
        return ORTHANT_ERROR_MEMORY;
    for (int c = 0; c < 3; c++) {
        const int channel = picture->channels == 3 ? c : 0;
        for (int64_t p = 0; p < pixels_of(t); p++)
            plane[p] = image_value(picture, p * picture->channels + channel) / 255.0f;
        superpixels_mean(t->set, plane, t->values + first + c, t->columns);
    }
    memory_free(t->set->ctx, plane);
    return ORTHANT_OK;
}

static orthant_status fill_space(const table *t, int64_t first)
{
    const image *picture = t->set->picture;
    const double side = picture->height > picture->width ? picture->height : picture->width;
    for (int64_t r = 0; r < t->set->count; r++)
        for (int c = 0; c < 2; c++)
            t->values[r * t->columns + first + c] = t->set->position[2 * r + c] / side;
    return ORTHANT_OK;
}

typedef struct gabor_columns_work {
    const table *t;
    int64_t first;
} gabor_columns_work;

static void take_response(void *user, int filter, const float *modulus)
{
    const gabor_columns_work *w = user;
    superpixels_mean(w->t->set, modulus, w->t->values + w->first + filter, w->t->columns);
}

/* A column that is the same for all regions becomes 0. */
static void stretch_column(const table *t, int64_t column)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t r = 0; r < t->set->count; r++) {
        least = fmin(least, t->values[r * t->columns + column]);
        most = fmax(most, t->values[r * t->columns + column]);
    }
    const double scale = most > least ? 1.0 / (most - least) : 0.0;
    for (int64_t r = 0; r < t->set->count; r++)
        t->values[r * t->columns + column] = scale * (t->values[r * t->columns + column] - least);
}

static orthant_status fill_gabor(const table *t, int64_t first)
{
    const image *picture = t->set->picture;
    gabor_columns_work w = {t, first};
    float *grey = NULL;
    orthant_status status = colour_grey(t->set->ctx, picture, &grey);
    if (!status)
        status =
            gabor_responses(t->set->ctx, grey, picture->height, picture->width, take_response, &w);
    for (int filter = 0; filter < GABOR_FILTERS && !status; filter++)
        stretch_column(t, first + filter);
    memory_free(t->set->ctx, grey);
    return status;
}

static orthant_status fill_histogram(const table *t, int64_t first)
{
    const band_set *b = &t->bands;
    for (int band = 0; band < b->bands; band++)
        for (int64_t p = 0; p < pixels_of(t); p++)
            if (t->set->region_of[p] >= 0)
                t->values[t->set->region_of[p] * t->columns + first + (int64_t)band * b->bins +
                          b->bin[band * pixels_of(t) + p]] += 1.0;
    for (int64_t r = 0; r < t->set->count; r++)
        for (int64_t c = 0; c < histogram_columns(t); c++)
            t->values[r * t->columns + first + c] /= (double)t->set->size[r];
    return ORTHANT_OK;
}

static const group groups[] = {
    {"lab", three_columns, fill_lab},
    {"rgb", three_columns, fill_rgb},
    {"space", two_columns, fill_space},
    {"gabor", gabor_columns, fill_gabor},
    {"histogram", histogram_columns, fill_histogram},
};
#define GROUP_COUNT (sizeof groups / sizeof *groups)

/* ---- the list ---------------------------------------------------------------------------------
 */

typedef struct choice {
    int count;
    const group *group[MOST_GROUPS];
    double weight[MOST_GROUPS];
} choice;

static orthant_status add_group(orthant_context *ctx, choice *chosen, const char *name)
{
    if (chosen->count == MOST_GROUPS)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "more than %d groups of features", MOST_GROUPS);
    for (size_t i = 0; i < GROUP_COUNT; i++)
        if (strcmp(name, groups[i].name) == 0) {
            chosen->group[chosen->count] = &groups[i];
            chosen->weight[chosen->count++] = 1.0;
            return ORTHANT_OK;
        }
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "features '%s' are not known for regions; these are: lab, rgb, gabor, space, "
                "histogram",
                name);
}

static orthant_status set_weight(orthant_context *ctx, choice *chosen, int index, const char *text)
{
    double weight;
    if (index >= chosen->count)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "feature weights: more than the %d groups of features", chosen->count);
    if (!text_to_double(text, &weight) || !(weight >= 0.0) || weight > 1e6)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "feature weight '%s': expected a number from 0 to 1e6", text);
    chosen->weight[index] = weight;
    return ORTHANT_OK;
}

/* The words of "a,b,c", each given to add_group or, `weights`, to set_weight. */
static orthant_status read_list(orthant_context *ctx, const char *list, bool weights,
                                choice *chosen)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; *list && !status; i++) {
        char word[32];
        const size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 31, list);
        status = weights ? set_weight(ctx, chosen, i, word) : add_group(ctx, chosen, word);
        list += length + (list[length] == ',');
    }
    return status;
}

/* ---- the table --------------------------------------------------------------------------------
 */

static bool wants(const choice *chosen, const char *name)
{
    for (int i = 0; i < chosen->count; i++)
        if (strcmp(chosen->group[i]->name, name) == 0)
            return true;
    return false;
}

static orthant_status make_bands(table *t)
{
    const segment_options *o = t->options;
    const bool width = o->binning && strcmp(o->binning, "width") == 0;
    return bands_create(t->set->ctx, t->set->picture, o->bank,
                        o->bins > 0 ? o->bins : HISTOGRAM_BINS,
                        width ? BANDS_EQUAL_WIDTH : BANDS_EQUAL_POPULATION, &t->bands);
}

static orthant_status fill_groups(table *t, const choice *chosen)
{
    orthant_status status = ORTHANT_OK;
    int64_t first = 0;
    for (int i = 0; i < chosen->count && !status; i++) {
        const int64_t columns = chosen->group[i]->columns(t);
        status = chosen->group[i]->fill(t, first);
        for (int64_t r = 0; r < t->set->count; r++)
            for (int64_t c = first; c < first + columns; c++)
                t->values[r * t->columns + c] *= chosen->weight[i];
        first += columns;
    }
    return status;
}

static orthant_status table_to_matrix(const table *t, orthant_matrix **features)
{
    orthant_context *ctx = t->set->ctx;
    const orthant_status status =
        matrix_new_dense(ctx, ctx->precision, t->set->count, t->columns, features);
    for (int64_t r = 0; r < t->set->count && !status; r++)
        for (int64_t c = 0; c < t->columns; c++)
            matrix_set_value(*features, r * (*features)->stride + c, t->values[r * t->columns + c]);
    return status;
}

orthant_status region_features(const superpixels *set, const segment_options *options,
                               orthant_matrix **features)
{
    table t = {.set = set, .options = options};
    choice chosen = {0};
    int64_t entries = 0;
    *features = NULL;
    const char *list = options->features ? options->features : REGION_FEATURES_DEFAULT;
    orthant_status status = read_list(set->ctx, list, false, &chosen);
    if (!status && options->feature_weights)
        status = read_list(set->ctx, options->feature_weights, true, &chosen);
    if (!status && wants(&chosen, "histogram"))
        status = make_bands(&t);
    if (status)
        goto done;
    for (int i = 0; i < chosen.count; i++)
        t.columns += chosen.group[i]->columns(&t);
    if (!size_multiply(set->count, t.columns, &entries)) {
        status = fail(set->ctx, ORTHANT_ERROR_MEMORY, "out of memory: features of regions");
        goto done;
    }
    t.values = memory_new(set->ctx, entries, sizeof *t.values, "features of regions");
    status = t.values ? fill_groups(&t, &chosen) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = table_to_matrix(&t, features);
done:
    memory_free(set->ctx, t.values);
    bands_free(&t.bands);
    return status;
}
