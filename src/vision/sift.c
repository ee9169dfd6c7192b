/* Descriptors picture by picture, octave by octave, in batches for all threads. */
#include "vision/sift.h"

#include <math.h>
#include <vl/sift.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "vision/picture.h"
#include "vision/sift_memory.h"

#define BATCH 16                  /* pictures that are in memory at once */
#define MOST_OF_A_PICTURE 4096    /* descriptors; pictures of this size have some hundreds */
#define LEVELS_OF_AN_OCTAVE 3     /* Lowe's */
#define FEWEST_PIXELS_OF_A_SIDE 8 /* VLFeat's pyramid needs some */

typedef struct batch {
    orthant_context *ctx;
    int count;
    image picture[BATCH];
    float *plane[BATCH];       /* what VLFeat reads */
    VlSiftFilt *filter[BATCH]; /* NULL: a picture too small to have any point */
    sift_memory memory[BATCH]; /* of the filters */
    int64_t found[BATCH];      /* descriptors; -1: out of memory */
    unsigned char *values;     /* BATCH x MOST_OF_A_PICTURE x SIFT_LENGTH */
} batch;

static void put_descriptor(const float *descriptor, unsigned char *values)
{
    for (int i = 0; i < SIFT_LENGTH; i++)
        values[i] = (unsigned char)fminf(512.0f * descriptor[i], 255.0f);
}

/* All points of the octave at hand, each with up to four orientations. */
static int64_t describe_octave(VlSiftFilt *filter, int64_t found, unsigned char *values)
{
    vl_sift_detect(filter);
    const VlSiftKeypoint *points = vl_sift_get_keypoints(filter);
    for (int i = 0; i < vl_sift_get_nkeypoints(filter); i++) {
        double angles[4];
        float descriptor[SIFT_LENGTH];
        const int count = vl_sift_calc_keypoint_orientations(filter, angles, &points[i]);
        for (int j = 0; j < count && found < MOST_OF_A_PICTURE; j++) {
            vl_sift_calc_keypoint_descriptor(filter, descriptor, &points[i], angles[j]);
            put_descriptor(descriptor, values + found++ * SIFT_LENGTH);
        }
    }
    return found;
}

static void describe_picture(void *user, int64_t index, int thread)
{
    batch *b = user;
    unsigned char *values = b->values + index * MOST_OF_A_PICTURE * SIFT_LENGTH;
    (void)thread;
    b->found[index] = 0;
    if (!b->filter[index])
        return;
    sift_memory_enter(&b->memory[index]);
    if (setjmp(b->memory[index].out)) {
        b->found[index] = -1;
        return;
    }
    int ended = vl_sift_process_first_octave(b->filter[index], b->plane[index]);
    while (!ended) {
        b->found[index] = describe_octave(b->filter[index], b->found[index], values);
        ended = vl_sift_process_next_octave(b->filter[index]);
    }
    sift_memory_leave();
}

static orthant_status fail_memory(orthant_context *ctx)
{
    return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: a picture's SIFT points do not fit");
}

/* vl_sift_new fills a table that all filters share, so that threads must not call it. */
static orthant_status make_filter(batch *b, int at)
{
    sift_memory_enter(&b->memory[at]);
    if (setjmp(b->memory[at].out))
        return fail_memory(b->ctx);
    b->filter[at] =
        vl_sift_new(b->picture[at].width, b->picture[at].height, -1, LEVELS_OF_AN_OCTAVE, 0);
    sift_memory_leave();
    return ORTHANT_OK;
}

static orthant_status prepare_picture(batch *b, const char *path)
{
    const int at = b->count;
    image *picture = &b->picture[at];
    orthant_status status = picture_read(b->ctx, path, 1, picture);
    if (status)
        return status;
    b->count++;
    const int64_t pixels = (int64_t)picture->height * picture->width;
    b->plane[at] = memory_new(b->ctx, pixels, sizeof *b->plane[at], "a picture's greys");
    if (!b->plane[at])
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < pixels; i++)
        b->plane[at][i] = image_value(picture, i);
    if (picture->height < FEWEST_PIXELS_OF_A_SIDE || picture->width < FEWEST_PIXELS_OF_A_SIDE)
        return ORTHANT_OK;
    return make_filter(b, at);
}

static void empty_batch(batch *b)
{
    for (int i = 0; i < b->count; i++) {
        sift_memory_free(&b->memory[i]);
        memory_free(b->ctx, b->plane[i]);
        image_free(b->ctx, &b->picture[i]);
        b->filter[i] = NULL;
        b->plane[i] = NULL;
    }
    b->count = 0;
}

static orthant_status keep_batch(const batch *b, int64_t first, sift_set *out)
{
    for (int i = 0; i < b->count; i++) {
        if (b->found[i] < 0)
            return fail_memory(b->ctx);
        const int64_t begin = out->start[first + i], end = begin + b->found[i];
        if (end > out->capacity) {
            const int64_t capacity = 2 * end;
            unsigned char *values =
                memory_resize(out->ctx, out->values, capacity, SIFT_LENGTH, "SIFT descriptors");
            if (!values)
                return ORTHANT_ERROR_MEMORY;
            out->values = values;
            out->capacity = capacity;
        }
        const unsigned char *from = b->values + (int64_t)i * MOST_OF_A_PICTURE * SIFT_LENGTH;
        for (int64_t j = 0; j < b->found[i] * SIFT_LENGTH; j++)
            out->values[begin * SIFT_LENGTH + j] = from[j];
        out->start[first + i + 1] = end;
    }
    return ORTHANT_OK;
}

orthant_status sift_extract(const picture_list *list, sift_set *out)
{
    orthant_context *ctx = list->ctx;
    batch b = {.ctx = ctx};
    const double begin = clock_seconds();
    orthant_status status = ORTHANT_ERROR_MEMORY;
    *out = (sift_set){.ctx = ctx, .pictures = list->count};
    out->start = memory_new(ctx, list->count + 1, sizeof *out->start, "SIFT descriptors");
    b.values = memory_new(ctx, BATCH * MOST_OF_A_PICTURE, SIFT_LENGTH, "SIFT descriptors");
    if (out->start && b.values)
        status = ORTHANT_OK;
    for (int64_t first = 0; first < list->count && !status; first += BATCH) {
        const int64_t end = first + BATCH < list->count ? first + BATCH : list->count;
        for (int64_t i = first; i < end && !status; i++)
            status = prepare_picture(&b, list->paths[i]);
        if (!status) {
            parallel_for(ctx, b.count, describe_picture, &b);
            status = keep_batch(&b, first, out);
        }
        empty_batch(&b);
        if (!status &&
            !progress_tell(ctx, "features", end, list->count, clock_seconds() - begin, NAN))
            status = fail(ctx, ORTHANT_STOPPED, "stopped while looking at pictures");
    }
    memory_free(ctx, b.values);
    if (status)
        sift_free(out);
    return status;
}

void sift_free(sift_set *set)
{
    memory_free(set->ctx, set->start);
    memory_free(set->ctx, set->values);
    set->start = NULL;
    set->values = NULL;
}
