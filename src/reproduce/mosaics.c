/* Lists, reads, scores and draws the mosaics. */
#include "reproduce/mosaics.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "core/file.h"
#include "core/file_checksum.h"
#include "core/memory.h"
#include "report/draw.h"
#include "score/assignment.h"

#define SHRUNK 2   /* drawings are so many times smaller */
#define BETWEEN 12 /* pixels between the pictures of a drawing */
#define MOST_PATH 4096

/* ---- finding ---- */

static void picture_path(const mosaic_set *set, const mosaic_name *m, char path[MOST_PATH])
{
    snprintf(path, MOST_PATH, "%s/Prague/%s/tm%d_%d_%d.png", set->data, set->folder, m->set,
             m->mask, m->textures);
}

static void truth_path(const mosaic_set *set, const mosaic_name *m, char path[MOST_PATH])
{
    snprintf(path, MOST_PATH, "%s/Prague/%s/gt%d_%d.png", set->data, set->folder, m->set, m->mask);
    if (!file_exists(path))
        snprintf(path, MOST_PATH, "%s/Prague/grayscale/gt%d_%d.png", set->data, m->set, m->mask);
}

static int compare_names(const void *a, const void *b)
{
    const mosaic_name *x = a, *y = b;
    return x->set != y->set     ? x->set - y->set
           : x->mask != y->mask ? x->mask - y->mask
                                : x->textures - y->textures;
}

orthant_status mosaics_find(orthant_context *ctx, mosaic_set *set)
{
    char path[MOST_PATH], name[64];
    const struct dirent *entry;
    snprintf(path, sizeof path, "%s/Prague/%s", set->data, set->folder);
    DIR *folder = opendir(path);
    set->count = 0;
    while (folder && (entry = readdir(folder))) {
        mosaic_name m = {0, 0, 0};
        if (sscanf(entry->d_name, "tm%4d_%4d_%4d.png", &m.set, &m.mask, &m.textures) != 3)
            continue;
        snprintf(name, sizeof name, "tm%d_%d_%d.png", m.set, m.mask, m.textures);
        truth_path(set, &m, path);
        if (strcmp(name, entry->d_name) != 0 || !file_exists(path))
            continue;
        if (set->count == MOSAICS_MOST) {
            log_warning(ctx, "Prague/%s: the first %d mosaics alone are taken", set->folder,
                        MOSAICS_MOST);
            break;
        }
        set->mosaic[set->count++] = m;
    }
    if (folder)
        closedir(folder);
    qsort(set->mosaic, (size_t)set->count, sizeof *set->mosaic, compare_names);
    return ORTHANT_OK;
}

/* Files that are named by set and number: they change places with none. */
orthant_status mosaics_checksum(orthant_context *ctx, const mosaic_set *set, uint64_t *checksum)
{
    char path[MOST_PATH], digest[XXH64_DIGITS + 1];
    orthant_status status = ORTHANT_OK;
    *checksum = 0;
    for (int i = 0; i < 2 * set->count && !status; i++) {
        if (i % 2)
            truth_path(set, &set->mosaic[i / 2], path);
        else
            picture_path(set, &set->mosaic[i / 2], path);
        status = file_xxh64(ctx, path, digest);
        *checksum += checksum_bytes(digest, XXH64_DIGITS, (uint64_t)i);
    }
    return status;
}

orthant_status mosaic_read(orthant_context *ctx, const mosaic_set *set, int index, mosaic *out)
{
    char path[MOST_PATH];
    *out = (mosaic){.ctx = ctx};
    truth_path(set, &set->mosaic[index], path);
    orthant_status status = label_images_read(ctx, path, &out->truth);
    picture_path(set, &set->mosaic[index], path);
    if (!status)
        status = image_read(ctx, path, set->channels, &out->picture);
    if (!status && (out->truth.image[0].height != out->picture.height ||
                    out->truth.image[0].width != out->picture.width))
        status =
            fail(ctx, ORTHANT_ERROR_DATA, "%s is %d x %d, but its truth is %" PRId64 " x %" PRId64,
                 path, out->picture.height, out->picture.width, out->truth.image[0].height,
                 out->truth.image[0].width);
    if (status)
        mosaic_free(out);
    return status;
}

void mosaic_free(mosaic *of)
{
    label_images_free(&of->truth);
    image_free(of->ctx, &of->picture);
}

/* ---- segmenting ---- */

orthant_status mosaic_score(const mosaic *of, const segment_options *options,
                            orthant_segmentation_scores *scores, segmentation *found)
{
    segment_options with_number = *options;
    segmentation own = {0};
    segmentation *s = found ? found : &own;
    with_number.segments = options->segments == MOSAIC_COUNTED ? 0 : of->truth.image[0].regions;
    orthant_status status = segment_pixels(of->ctx, &of->picture, &with_number, s);
    if (status)
        return status;
    scores->size = sizeof *scores;
    status = orthant_score_segmentation(of->ctx, s->labels, of->truth.image[0].labels, s->height,
                                        s->width, NULL, scores);
    if (status || !found)
        segmentation_free(s);
    return status;
}

/* ---- drawing ---- */

/* number[i] of the found region i: that of its true region, or the next ones where it has none. */
static orthant_status match(const mosaic *of, const segmentation *found, int32_t *number)
{
    const label_image *truth = &of->truth.image[0];
    const int64_t rows = found->segments, columns = truth->regions;
    int64_t pairs = 0, next = columns;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t *table = memory_new(of->ctx, rows * columns, sizeof *table, "shared pixels");
    int64_t *column_of = memory_new(of->ctx, rows, sizeof *column_of, "matched regions");
    assignment_pair *pair = memory_new(of->ctx, rows * columns, sizeof *pair, "matched regions");
    if (!table || !column_of || !pair)
        goto done;
    for (int64_t p = 0; p < found->count; p++)
        table[found->labels[p] * columns + truth->labels[p]]++;
    for (int64_t i = 0; i < rows * columns; i++)
        if (table[i])
            pair[pairs++] = (assignment_pair){i / columns, i % columns, (double)table[i]};
    if ((status = assignment_largest(of->ctx, rows, columns, pair, pairs, column_of)))
        goto done;
    for (int64_t i = 0; i < rows; i++)
        number[i] = (int32_t)(column_of[i] >= 0 ? column_of[i] : next++);
done:
    memory_free(of->ctx, table);
    memory_free(of->ctx, column_of);
    memory_free(of->ctx, pair);
    return status;
}

/* Shrinks `part` into its place on the strip and frees it. */
static orthant_status put(orthant_context *ctx, image *part, int place, image *strip)
{
    image small = {0};
    const int width = (strip->width - 2 * BETWEEN) / 3;
    const orthant_status status = image_resize(ctx, part, strip->height, width, &small);
    for (int y = 0; y < strip->height && !status; y++) {
        unsigned char *to =
            strip->pixels + 3 * ((int64_t)y * strip->width + (int64_t)place * (width + BETWEEN));
        memcpy(to, small.pixels + 3 * (int64_t)y * width, 3 * (size_t)width);
    }
    image_free(ctx, &small);
    image_free(ctx, part);
    return status;
}

static orthant_status draw_strip(const mosaic *of, const int32_t *matched, image *strip)
{
    orthant_context *ctx = of->ctx;
    image part = {0};
    const int width = (of->picture.width + SHRUNK - 1) / SHRUNK;
    *strip = (image){.height = (of->picture.height + SHRUNK - 1) / SHRUNK,
                     .width = 3 * width + 2 * BETWEEN,
                     .channels = 3};
    strip->pixels = memory_new(ctx, (int64_t)strip->height * strip->width, 3, "a drawing");
    if (!strip->pixels)
        return ORTHANT_ERROR_MEMORY;
    memset(strip->pixels, 255, 3 * (size_t)strip->height * (size_t)strip->width);
    /* Borders of no labels are none: the picture alone, in three channels. */
    int32_t *none =
        memory_new(ctx, (int64_t)of->picture.height * of->picture.width, sizeof *none, "a drawing");
    orthant_status status =
        none ? draw_borders(ctx, &of->picture, none, &part) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, none);
    if (!status && !(status = put(ctx, &part, 0, strip)) &&
        !(status = draw_overlay(ctx, &of->picture, of->truth.image[0].labels, &part)) &&
        !(status = put(ctx, &part, 1, strip)) &&
        !(status = draw_overlay(ctx, &of->picture, matched, &part)))
        status = put(ctx, &part, 2, strip);
    return status;
}

orthant_status mosaic_draw(const mosaic *of, const segmentation *found, const char *path)
{
    orthant_context *ctx = of->ctx;
    image strip = {0};
    int32_t *number = memory_new(ctx, found->segments, sizeof *number, "matched regions");
    int32_t *matched = memory_new(ctx, found->count, sizeof *matched, "matched regions");
    orthant_status status = number && matched ? match(of, found, number) : ORTHANT_ERROR_MEMORY;
    for (int64_t p = 0; p < found->count && !status; p++)
        matched[p] = number[found->labels[p]];
    if (!status)
        status = draw_strip(of, matched, &strip);
    if (!status)
        status = image_write_png(ctx, &strip, path);
    image_free(ctx, &strip);
    memory_free(ctx, number);
    memory_free(ctx, matched);
    return status;
}
