/* Parses the list of groups with their weights and fills the columns. */
#include "vision/cloud_features.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

static const char *const group_names[CLOUD_GROUPS] = {"color", "space", "normals"};

/* The next word of a list with commas; false at its end. */
static bool next_word(const char **list, char word[32])
{
    if (!**list)
        return false;
    const size_t length = strcspn(*list, ",");
    snprintf(word, 32, "%.*s", (int)(length < 31 ? length : 31), *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

static orthant_status find_group(orthant_context *ctx, const cloud *points, const char *word,
                                 int *group)
{
    const char *name = strcmp(word, "colour") == 0 ? "color" : word;
    for (*group = 0; *group < CLOUD_GROUPS; ++*group)
        if (strcmp(name, group_names[*group]) == 0)
            break;
    if (*group == GROUP_COLOR && !points->color)
        return fail(ctx, ORTHANT_ERROR_DATA,
                    "%s: the points have no colours; use features = 'space,normals'", points->name);
    if (*group < CLOUD_GROUPS)
        return ORTHANT_OK;
    const char *nearest = text_nearest(word, group_names, CLOUD_GROUPS);
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "no feature '%s' of points%s%s%s; there are color, space and normals", word,
                nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

static orthant_status take_weight(orthant_context *ctx, const char **weights, const char *name,
                                  double *weight)
{
    char word[32];
    if (!next_word(weights, word))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "no weight for the feature '%s'; give one for each feature", name);
    if (!text_to_double(word, weight) || *weight < 0.0 || *weight > 1e6)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "feature weight '%s' of '%s': expected a number from 0 to 1e6", word, name);
    return ORTHANT_OK;
}

orthant_status cloud_groups_parse(orthant_context *ctx, const cloud *points, const char *features,
                                  const char *weights, cloud_groups *groups)
{
    char word[32];
    const bool weighted = weights && *weights;
    *groups = (cloud_groups){.weight = {1.0, 0.3, 1.0}};
    if (!features || !*features)
        features = points->color ? "color,space,normals" : "space,normals";
    while (next_word(&features, word)) {
        int group;
        orthant_status status = find_group(ctx, points, word, &group);
        if (status != ORTHANT_OK)
            return status;
        if (groups->taken[group])
            return fail(ctx, ORTHANT_ERROR_ARGUMENT, "the feature '%s' stands twice", word);
        groups->taken[group] = true;
        if (weighted && (status = take_weight(ctx, &weights, word, &groups->weight[group])))
            return status;
    }
    if (weighted && *weights)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "feature weights '%s' are left over; give one for each feature", weights);
    double total = 0.0;
    for (int g = 0; g < CLOUD_GROUPS; g++)
        total += groups->taken[g] ? groups->weight[g] : 0.0;
    if (!(total > 0.0))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "all feature weights are 0; one must be positive");
    return ORTHANT_OK;
}

static void put(orthant_matrix *to, int64_t row, int column, double value)
{
    matrix_set_value(to, row * to->stride + column, value);
}

static void put_colors(const cloud *points, double weight, orthant_matrix *to, int column)
{
    for (int64_t i = 0; i < points->kept; i++)
        for (int c = 0; c < 3; c++)
            put(to, i, column + c,
                weight * points->color[3 * (int64_t)points->keep[i] + c] / 255.0);
}

static void put_space(const cloud *points, double weight, orthant_matrix *to, int column)
{
    for (int c = 0; c < 3; c++) {
        double least = INFINITY, most = -INFINITY;
        for (int64_t i = 0; i < points->kept; i++) {
            const double value = points->position[3 * (int64_t)points->keep[i] + c];
            least = fmin(least, value);
            most = fmax(most, value);
        }
        const double scale = most > least ? weight / (most - least) : 0.0;
        for (int64_t i = 0; i < points->kept; i++)
            put(to, i, column + c,
                scale * (points->position[3 * (int64_t)points->keep[i] + c] - least));
    }
}

static void put_normals(const cloud *points, const float *normals, double weight,
                        orthant_matrix *to, int column)
{
    for (int64_t i = 0; i < points->kept; i++)
        for (int c = 0; c < 3; c++) {
            const double value = 0.5 * ((double)normals[3 * i + c] + 1.0);
            put(to, i, column + c, weight * fmin(fmax(value, 0.0), 1.0));
        }
}

orthant_status cloud_features(orthant_context *ctx, const cloud *points, const cloud_groups *groups,
                              const float *normals, orthant_matrix **features)
{
    int columns = 0, column = 0;
    for (int g = 0; g < CLOUD_GROUPS; g++)
        columns += groups->taken[g] ? 3 : 0;
    const orthant_status status =
        matrix_new_dense(ctx, ctx->precision, points->kept, columns, features);
    if (status != ORTHANT_OK)
        return status;
    for (int g = 0; g < CLOUD_GROUPS; g++) {
        if (!groups->taken[g])
            continue;
        if (g == GROUP_COLOR)
            put_colors(points, groups->weight[g], *features, column);
        else if (g == GROUP_SPACE)
            put_space(points, groups->weight[g], *features, column);
        else
            put_normals(points, normals, groups->weight[g], *features, column);
        column += 3;
    }
    return ORTHANT_OK;
}
