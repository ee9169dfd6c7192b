/* Gabor moduli, Lab and spectral histograms of whole pictures. */
#include "vision/picture_features.h"

#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/sized.h"
#include "data/labels.h"
#include "orthant/vision.h"
#include "vision/bands.h"
#include "vision/colour.h"
#include "vision/gabor.h"
#include "vision/picture.h"
#include "vision/sift_words.h"

#define LAB_BINS 16
#define SPECTRAL_BINS 11

/* Features of one picture into a row of MOST_COLUMNS. */
typedef orthant_status (*feature_maker)(orthant_context *ctx, const image *picture,
                                        const picture_feature_settings *settings, double *row,
                                        int64_t *columns);
#define MOST_COLUMNS 2048

/* ---- Gabor ---- */

typedef struct gabor_row {
    int64_t pixels;
    double *row; /* mean and standard deviation of a filter's modulus, filter by filter */
} gabor_row;

static void measure_modulus(void *user, int filter, const float *modulus)
{
    const gabor_row *to = user;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < to->pixels; i++)
        sum += modulus[i];
    const double mean = sum / (double)to->pixels;
    for (int64_t i = 0; i < to->pixels; i++)
        squares += (modulus[i] - mean) * (modulus[i] - mean);
    to->row[2 * filter] = mean;
    to->row[2 * filter + 1] = sqrt(squares / (double)to->pixels);
}

static orthant_status make_gabor(orthant_context *ctx, const image *picture,
                                 const picture_feature_settings *settings, double *row,
                                 int64_t *columns)
{
    gabor_row to = {(int64_t)picture->height * picture->width, row};
    float *grey = NULL;
    orthant_status status = colour_grey(ctx, picture, &grey);
    (void)settings;
    if (!status)
        status = gabor_responses(ctx, grey, picture->height, picture->width, measure_modulus, &to);
    memory_free(ctx, grey);
    *columns = 2 * GABOR_FILTERS;
    return status;
}

/* ---- colours ---- */

static orthant_status make_lab(orthant_context *ctx, const image *picture,
                               const picture_feature_settings *settings, double *row,
                               int64_t *columns)
{
    static const double least[3] = {0, -90, -110}, largest[3] = {100, 100, 100};
    const int64_t pixels = (int64_t)picture->height * picture->width;
    float *planes = NULL;
    const orthant_status status = colour_planes(ctx, picture, &planes);
    (void)settings;
    for (int c = 0; c < 3 && !status; c++)
        for (int64_t i = 0; i < pixels; i++) {
            const double place = (planes[c * pixels + i] - least[c]) / (largest[c] - least[c]);
            const int bin = (int)(place * LAB_BINS);
            row[c * LAB_BINS + (bin < 0 ? 0 : bin >= LAB_BINS ? LAB_BINS - 1 : bin)] += 1;
        }
    for (int j = 0; j < 3 * LAB_BINS; j++)
        row[j] /= (double)pixels;
    memory_free(ctx, planes);
    *columns = (int64_t)3 * LAB_BINS;
    return status;
}

/* ---- bands ---- */

static orthant_status make_spectral(orthant_context *ctx, const image *picture,
                                    const picture_feature_settings *settings, double *row,
                                    int64_t *columns)
{
    const int64_t pixels = (int64_t)picture->height * picture->width;
    band_set bands = {0};
    orthant_status status =
        bands_create(ctx, picture, settings->bank, SPECTRAL_BINS, BANDS_EQUAL_WIDTH, &bands);
    if (status)
        return status;
    *columns = (int64_t)bands.bands * SPECTRAL_BINS;
    if (*columns > MOST_COLUMNS)
        status =
            fail(ctx, ORTHANT_ERROR_UNSUPPORTED, "a bank of %d bands is too large", bands.bands);
    for (int b = 0; b < bands.bands && !status; b++)
        for (int64_t i = 0; i < pixels; i++)
            row[b * SPECTRAL_BINS + bands.bin[b * pixels + i]] += 1 / (double)pixels;
    bands_free(&bands);
    return status;
}

/* ---- picture by picture ---- */

static orthant_status make_row(const picture_list *list, int64_t index, feature_maker make,
                               const picture_feature_settings *settings, double *row,
                               orthant_matrix **features)
{
    orthant_context *ctx = list->ctx;
    image picture;
    int64_t columns = 0;
    /* A grey picture is read as one of three equal colours, so that all have the same bands. */
    orthant_status status = picture_read(ctx, list->paths[index], 3, &picture);
    if (status)
        return status;
    memset(row, 0, MOST_COLUMNS * sizeof *row);
    status = make(ctx, &picture, settings, row, &columns);
    image_free(ctx, &picture);
    if (!status && !*features)
        status = matrix_new_dense(ctx, ctx->precision, list->count, columns, features);
    for (int64_t j = 0; j < columns && !status; j++)
        matrix_set_value(*features, index * (*features)->stride + j, row[j]);
    return status;
}

static orthant_status make_rows(const picture_list *list, feature_maker make,
                                const picture_feature_settings *settings, orthant_matrix **features)
{
    orthant_context *ctx = list->ctx;
    const double begin = clock_seconds();
    double *row = memory_new(ctx, MOST_COLUMNS, sizeof *row, "features of a picture");
    orthant_status status = row ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < list->count && !status; i++) {
        status = make_row(list, i, make, settings, row, features);
        if (!status &&
            !progress_tell(ctx, "features", i + 1, list->count, clock_seconds() - begin, NAN))
            status = fail(ctx, ORTHANT_STOPPED, "stopped while looking at pictures");
    }
    memory_free(ctx, row);
    return status;
}

orthant_status picture_features(const picture_list *list, const picture_feature_settings *settings,
                                orthant_matrix **features)
{
    static const struct {
        const char *name;
        feature_maker make;
    } kinds[] = {{"gabor", make_gabor}, {"lab", make_lab}, {"spectral-histogram", make_spectral}};
    orthant_status status = ORTHANT_OK;
    *features = NULL;
    if (list->count == 0)
        return fail(list->ctx, ORTHANT_ERROR_DATA, "no pictures to take features of");
    if (strcmp(settings->kind, "sift-words") == 0)
        return sift_words(list, settings->words, settings->seed, features);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(settings->kind, kinds[i].name) == 0) {
            status = make_rows(list, kinds[i].make, settings, features);
            if (status) {
                orthant_matrix_free(*features);
                *features = NULL;
            }
            return status;
        }
    return fail(list->ctx, ORTHANT_ERROR_ARGUMENT, "features of kind '%s': expected %s",
                settings->kind, PICTURE_FEATURE_KINDS);
}

/* ---- as their user sees them ------------------------------------------------------------------
 */

#define DEFAULT_WORDS 500
#define MOST_WORDS 1000000

static orthant_status list_pictures(picture_list *list, const char *const *paths, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        file_presence there;
        if (!paths[i])
            return fail(list->ctx, ORTHANT_ERROR_ARGUMENT,
                        "orthant_image_features: an argument is NULL");
        const orthant_status status = file_look(list->ctx, paths[i], &there);
        if (status)
            return status;
        if (there == FILE_FOLDER && count == 1)
            return picture_list_folder(list, paths[0]);
        if (there == FILE_FOLDER)
            return fail(list->ctx, ORTHANT_ERROR_ARGUMENT,
                        "%s is a folder: give one folder, or pictures alone", paths[i]);
        if (there == FILE_MISSING)
            return fail(list->ctx, ORTHANT_ERROR_IO, "%s: there is no such file or folder",
                        paths[i]);
        char *path = memory_text(list->ctx, paths[i]);
        if (!path || picture_list_add(list, path, -1))
            return ORTHANT_ERROR_MEMORY;
    }
    return ORTHANT_OK;
}

static orthant_status take_options(orthant_context *ctx, const orthant_feature_options *given,
                                   picture_feature_settings *settings)
{
    orthant_feature_options own;
    const orthant_status status =
        sized_take(ctx, "orthant_image_features", given, &own, sizeof own);
    if (status)
        return status;
    if (own.words < 0 || own.words > MOST_WORDS)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "words %lld: expected a number from 1 to %d",
                    (long long)own.words, MOST_WORDS);
    *settings = (picture_feature_settings){.kind = own.kind ? own.kind : "sift-words",
                                           .words = own.words ? own.words : DEFAULT_WORDS,
                                           .seed = given ? own.seed : 1,
                                           .bank = own.bank};
    return ORTHANT_OK;
}

/* Samples are named as their files, classes as their subfolders. */
static orthant_status take_names(picture_list *list, orthant_matrix *features,
                                 orthant_labels *labels)
{
    orthant_status status = ORTHANT_OK;
    for (int64_t i = 0; i < list->count && !status; i++) {
        status = names_add(list->ctx, &features->sample_names, picture_list_name(list, i));
        if (!status)
            status = names_add(list->ctx, &features->picture_files, list->paths[i]);
    }
    if (!status && labels) {
        labels->class_names = list->class_names;
        list->class_names = (name_list){0};
    }
    return status;
}

orthant_status orthant_image_features(orthant_context *context, const char *const *paths,
                                      int64_t count, const orthant_feature_options *options,
                                      orthant_matrix **features, orthant_labels **labels)
{
    picture_feature_settings settings;
    picture_list list = {.ctx = context};
    if (features)
        *features = NULL;
    if (labels)
        *labels = NULL;
    if (!context || !paths || !features || count < 1)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "orthant_image_features: an argument is NULL, or there are no pictures");
    orthant_status status = take_options(context, options, &settings);
    if (!status)
        status = list_pictures(&list, paths, count);
    if (!status)
        status = picture_features(&list, &settings, features);
    if (!status && labels && list.classes)
        status = orthant_labels_create(context, list.count, list.labels, labels);
    if (!status)
        status = take_names(&list, *features, labels ? *labels : NULL);
    if (status && labels) {
        orthant_labels_free(*labels);
        *labels = NULL;
    }
    if (status) {
        orthant_matrix_free(*features);
        *features = NULL;
    }
    picture_list_free(&list);
    return status;
}
