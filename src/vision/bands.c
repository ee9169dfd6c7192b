/* Makes the bands and quantises each to bins. */
#include "vision/bands.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "vision/colour.h"
#include "vision/filters.h"

/* Quantiles are taken on so many steps between the least and the largest value: sorting would be
 * exact but slow, and this leaves out what no eye can tell. */
#define LEVELS 8192

static void find_range(const float *values, int64_t count, float *least, float *largest)
{
    float low = values[0], high = values[0];
    for (int64_t i = 1; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    *least = low;
    *largest = high;
}

static int step_of(float value, float least, float scale, int steps)
{
    const int step = (int)((value - least) * scale);
    return step < steps ? step : steps - 1;
}

/* A level goes where the middle of its values falls among all values in order, so that equal values
 * stay together. */
static void quantise_population(const float *values, int64_t count, int bins, float least,
                                float scale, uint8_t *bin)
{
    int64_t population[LEVELS] = {0}, before = 0;
    uint8_t bin_of[LEVELS];
    for (int64_t i = 0; i < count; i++)
        population[step_of(values[i], least, scale, LEVELS)]++;
    for (int level = 0; level < LEVELS; level++) {
        bin_of[level] = (uint8_t)((2 * before + population[level]) * bins / (2 * count));
        if (bin_of[level] == bins)
            bin_of[level]--;
        before += population[level];
    }
    for (int64_t i = 0; i < count; i++)
        bin[i] = bin_of[step_of(values[i], least, scale, LEVELS)];
}

void bands_quantise(const float *values, int64_t count, int bins, band_binning binning,
                    uint8_t *bin)
{
    float least, largest;
    find_range(values, count, &least, &largest);
    /* Filters answer to a constant plane with rounding alone, which is no texture. */
    if (!(largest - least > 1e-5f)) {
        memset(bin, 0, (size_t)count);
        return;
    }
    if (binning == BANDS_EQUAL_POPULATION) {
        quantise_population(values, count, bins, least, (float)LEVELS / (largest - least), bin);
        return;
    }
    const float scale = (float)bins / (largest - least);
    for (int64_t i = 0; i < count; i++)
        bin[i] = (uint8_t)step_of(values[i], least, scale, bins);
}

typedef struct making {
    band_set *out;
    const filter_bank *bank;
    band_binning binning;
    const float *colours; /* planes, `planes` of them */
    int planes;
    padded_plane grey;
    float *response; /* one plane a thread */
} making;

static void make_band(void *user, int64_t band, int thread)
{
    const making *m = user;
    const int64_t pixels = (int64_t)m->out->height * m->out->width;
    const float *values = m->colours + band * pixels;
    if (band >= m->planes) {
        float *response = m->response + thread * pixels;
        filter_apply(&m->bank->filters[band - m->planes], &m->grey, response);
        values = response;
    }
    bands_quantise(values, pixels, m->out->bins, m->binning, m->out->bin + band * pixels);
}

/* Red, green and blue, or the grey of a grey picture, in 0 .. 1. */
static orthant_status plain_planes(orthant_context *ctx, const image *picture, float **planes)
{
    const int64_t pixels = (int64_t)picture->height * picture->width;
    *planes = memory_new(ctx, picture->channels * pixels, sizeof **planes, "a picture's colours");
    if (!*planes)
        return ORTHANT_ERROR_MEMORY;
    for (int c = 0; c < picture->channels; c++)
        for (int64_t i = 0; i < pixels; i++)
            (*planes)[c * pixels + i] = image_value(picture, i * picture->channels + c) / 255.0f;
    return ORTHANT_OK;
}

static orthant_status check_picture(orthant_context *ctx, const image *picture, int bins)
{
    const int64_t pixels = (int64_t)picture->height * picture->width;
    if (picture->height < 1 || picture->width < 1 || !picture->pixels)
        return fail(ctx, ORTHANT_ERROR_DATA, "the picture has no pixels");
    if (pixels > BANDS_MOST_PIXELS)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "the picture has %d x %d pixels; at most %" PRId64
                    " are segmented at once. Shrink it or cut it into parts",
                    picture->height, picture->width, BANDS_MOST_PIXELS);
    if (bins < 2 || bins > BANDS_MOST_BINS)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%d bins: expected 2 to %d", bins,
                    BANDS_MOST_BINS);
    return ORTHANT_OK;
}

orthant_status bands_create(orthant_context *ctx, const image *picture, const char *bank_name,
                            int bins, band_binning binning, band_set *out)
{
    const bool coloured = picture->channels == 3;
    const int64_t pixels = (int64_t)picture->height * picture->width;
    filter_bank bank = {0};
    making m = {.out = out, .bank = &bank, .binning = binning, .planes = coloured ? 3 : 1};
    float *colours = NULL, *grey = NULL;
    *out = (band_set){ctx, picture->height, picture->width, 0, bins, NULL};
    orthant_status status = check_picture(ctx, picture, bins);
    if (status || (status = filter_bank_create(ctx, bank_name, &bank)))
        return status;
    out->bands = m.planes + bank.count;
    if ((status = coloured && bank.lab ? colour_planes(ctx, picture, &colours)
                                       : plain_planes(ctx, picture, &colours)) ||
        (status = colour_grey(ctx, picture, &grey)) ||
        (status =
             padded_plane_create(ctx, grey, picture->height, picture->width, bank.radius, &m.grey)))
        goto done;
    const int threads = parallel_threads(ctx) < out->bands ? parallel_threads(ctx) : out->bands;
    status = ORTHANT_ERROR_MEMORY;
    m.colours = colours;
    m.response = memory_new(ctx, threads * pixels, sizeof *m.response, "filter responses");
    out->bin = memory_new(ctx, out->bands * pixels, sizeof *out->bin, "a picture's bands");
    if (!m.response || !out->bin)
        goto done;
    parallel_for(ctx, out->bands, make_band, &m);
    status = ORTHANT_OK;
done:
    filter_bank_free(ctx, &bank);
    memory_free(ctx, colours);
    memory_free(ctx, grey);
    memory_free(ctx, m.grey.values);
    memory_free(ctx, m.response);
    if (status)
        bands_free(out);
    return status;
}

void bands_free(band_set *bands)
{
    if (bands->ctx)
        memory_free(bands->ctx, bands->bin);
    *bands = (band_set){0};
}
