/* The mosaics of the Prague texture segmentation benchmark in the user's folder, segmented and
 * scored. */
#ifndef REPRODUCE_MOSAICS_H
#define REPRODUCE_MOSAICS_H

#include "data/label_image.h"
#include "orthant/segmentation.h"
#include "vision/segment.h"

#define MOSAICS_MOST 128

typedef struct mosaic_name {
    int set, mask, textures; /* of tmSET_MASK_TEXTURES.png */
} mosaic_name;

typedef struct mosaic_set {
    const char *name;   /* "colour" */
    const char *folder; /* below Prague: "colour", "grayscale" */
    const char *data;   /* the folder that Prague is in */
    int channels;
    int count;
    mosaic_name mosaic[MOSAICS_MOST]; /* by their numbers */
} mosaic_set;

/* Those of data/Prague/FOLDER that have a truth, there or in Prague/grayscale (the coloured ones
 * have the same masks). A folder that is not there has none. */
orthant_status mosaics_find(orthant_context *ctx, mosaic_set *set);

/* The checksum of all pictures and truths. */
orthant_status mosaics_checksum(orthant_context *ctx, const mosaic_set *set, uint64_t *checksum);

typedef struct mosaic {
    orthant_context *ctx;
    image picture;
    label_images truth;
} mosaic;

orthant_status mosaic_read(orthant_context *ctx, const mosaic_set *set, int index, mosaic *out);
void mosaic_free(mosaic *of);

/* Into as many segments as there are true ones; the segmentation comes back where `found` is not
 * NULL. */
#define MOSAIC_COUNTED                                                        \
    (-1) /* segments of the options: they are counted, not those of the truth \
          */
orthant_status mosaic_score(const mosaic *of, const segment_options *options,
                            orthant_segmentation_scores *scores, segmentation *found);

/* The picture, its true and its found regions side by side, at half size, as a PNG; a found region
 * has the colour of the true one that it is matched with. */
orthant_status mosaic_draw(const mosaic *of, const segmentation *found, const char *path);

#endif
