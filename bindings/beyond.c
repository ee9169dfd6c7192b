/* Beyond a fit: segments of pictures and clouds, and studies. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

static orthant_status refuse_option(binding *b, const char *name, const char *expected)
{
    snprintf(b->refusal, sizeof b->refusal, "%s: expected %s", name, expected);
    return ORTHANT_ERROR_ARGUMENT;
}

/* ---- segments ----------------------------------------------------------------------------------
 */

typedef enum field_kind { FIELD_TEXT, FIELD_DOUBLE, FIELD_INT, FIELD_INT64, FIELD_SEED } field_kind;

static const struct {
    const char *name;
    field_kind kind;
    size_t offset;
} fields[] = {
    {"nodes", FIELD_TEXT, offsetof(orthant_segment_options, nodes)},
    {"method", FIELD_TEXT, offsetof(orthant_segment_options, method)},
    {"segments", FIELD_INT64, offsetof(orthant_segment_options, segments)},
    {"iterations", FIELD_INT64, offsetof(orthant_segment_options, iterations)},
    {"graph_weight", FIELD_DOUBLE, offsetof(orthant_segment_options, graph_weight)},
    {"smallest", FIELD_DOUBLE, offsetof(orthant_segment_options, smallest)},
    {"smoothing", FIELD_DOUBLE, offsetof(orthant_segment_options, smoothing)},
    {"seed", FIELD_SEED, offsetof(orthant_segment_options, seed)},
    {"features", FIELD_TEXT, offsetof(orthant_segment_options, features)},
    {"feature_weights", FIELD_TEXT, offsetof(orthant_segment_options, feature_weights)},
    {"bank", FIELD_TEXT, offsetof(orthant_segment_options, bank)},
    {"window", FIELD_INT, offsetof(orthant_segment_options, window)},
    {"bins", FIELD_INT, offsetof(orthant_segment_options, bins)},
    {"binning", FIELD_TEXT, offsetof(orthant_segment_options, binning)},
    {"finish", FIELD_TEXT, offsetof(orthant_segment_options, finish)},
    {"superpixels", FIELD_INT64, offsetof(orthant_segment_options, superpixels)},
    {"edge_weights", FIELD_TEXT, offsetof(orthant_segment_options, edge_weights)},
    {"init", FIELD_TEXT, offsetof(orthant_segment_options, init)},
    {"neighbours", FIELD_INT64, offsetof(orthant_segment_options, neighbours)},
};

static orthant_status set_field_to(binding *b, const char *name, field_kind kind,
                                   const binding_value *value, void *field)
{
    if (kind == FIELD_TEXT) {
        if (value->kind != BINDING_TEXT)
            return refuse_option(b, name, "a text");
        *(const char **)field = value->text;
        return ORTHANT_OK;
    }
    if (value->kind != BINDING_NUMBER)
        return refuse_option(b, name, "a number");
    if (kind == FIELD_DOUBLE) {
        *(double *)field = value->number;
        return ORTHANT_OK;
    }
    if (!(value->number >= 0 && value->number < 2e9 && value->number == floor(value->number)))
        return refuse_option(b, name, "a whole number that is not negative");
    if (kind == FIELD_INT)
        *(int *)field = (int)value->number;
    else if (kind == FIELD_SEED)
        *(uint64_t *)field = (uint64_t)value->number;
    else
        *(int64_t *)field = (int64_t)value->number;
    return ORTHANT_OK;
}

orthant_status binding_segment_set(binding *b, orthant_segment_options *options, const char *name,
                                   const binding_value *value)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(name, fields[i].name))
            return set_field_to(b, name, fields[i].kind, value, (char *)options + fields[i].offset);
    return binding_one_of(name, "threads,memory,verbose")
               ? binding_set(b, name, value)
               : refuse_option(b, name, "an option of a segmentation, which this is not");
}

orthant_status binding_segment(binding *b, const char *path, const orthant_segment_options *options)
{
    orthant_status status;
    if (orthant_file_is_cloud(path))
        return (status = orthant_cloud_read(b->context, path, &b->cloud))
                   ? status
                   : orthant_segment_cloud(b->context, b->cloud, options, &b->segmentation);
    return (status = orthant_image_read(b->context, path, &b->image))
               ? status
               : orthant_segment_image(b->context, b->image, options, &b->segmentation);
}

/* ---- studies -----------------------------------------------------------------------------------
 */

static orthant_status make_study(binding *b)
{
    return b->study ? ORTHANT_OK : orthant_study_create(b->context, &b->study);
}

orthant_status binding_study_set(binding *b, const char *name, const binding_value *value)
{
    char setting[64], text[64];
    if (binding_one_of(name, "threads,memory,verbose,transpose,precision"))
        return binding_set(b, name, value);
    if (value->kind == BINDING_ARRAY)
        return refuse_option(b, name, "a text or a number");
    snprintf(setting, sizeof setting, "%s", name);
    for (char *c = setting; *c; c++)
        *c = *c == '_' ? '-' : *c;
    snprintf(text, sizeof text, "%.17g", value->number);
    const orthant_status status = make_study(b);
    return status ? status
                  : orthant_study_set(b->study, setting,
                                      value->kind == BINDING_TEXT ? value->text : text);
}

orthant_status binding_compare(binding *b, const binding_array *samples, const binding_array *truth,
                               const char *folder)
{
    orthant_status status = make_study(b);
    if (status || (status = binding_samples(b, samples)) || (status = binding_scale(b)) ||
        (status = binding_take_labels(b, truth, "truth", &b->known)) ||
        (status = orthant_study_add_data(b->study, "data", NULL, b->samples, b->known)))
        return status;
    return orthant_study_run(b->study, folder);
}
