/* Label images: one whole number per pixel, from the files that people keep them in. */
#ifndef DATA_LABEL_IMAGE_H
#define DATA_LABEL_IMAGE_H

#include "core/numbering.h"
#include "data/matrix.h"
#include "orthant/segmentation.h"

/* The file's own labels matter no more: they are numbered 0, 1, ... in the order of their first
 * pixels. */
typedef struct label_image {
    int64_t height, width;
    int32_t *labels; /* height x width, row by row */
    int64_t regions; /* how many different ones */
} label_image;

/* Several where a file holds the regions that several people saw. */
typedef struct label_images {
    orthant_context *ctx;
    int64_t count;
    label_image *image;
} label_images;

struct orthant_label_images {
    char *name; /* the file, for messages */
    label_images inner;
};

/* PNG (grey of 1 to 16 bits, palette by its index, colours as labels; alpha does not count), PGM,
 * PPM, .npy, .npz, .mat (a matrix; a cell array of matrices or of structures with a field
 * `Segmentation`, as the Berkeley pictures' `groundTruth`), CSV, HDF5. `path` may name a variable:
 * "file.mat:labels". */
orthant_status label_images_read(orthant_context *ctx, const char *path, label_images *found);
void label_images_free(label_images *images);

/* ---- between its files ---------------------------------------------------------------------- */

/* Room for one more image, its labels all 0; `added` is good until the next one. */
orthant_status label_images_add(label_images *images, int64_t height, int64_t width,
                                const char *name, label_image **added);

/* Numbers the labels of an image as they are put into their places; `last` and its number save
 * looking up runs. */
typedef struct label_writer {
    label_image *image;
    numbering seen;
    int64_t last, number;
} label_writer;
void label_writer_begin(orthant_context *ctx, label_image *into, label_writer *writer);
orthant_status label_writer_put(label_writer *writer, int64_t place, int64_t label);
void label_writer_end(label_writer *writer);

/* A matrix of whole numbers as one more image. */
orthant_status label_images_add_matrix(label_images *images, const char *name,
                                       const orthant_matrix *matrix);
orthant_status label_images_read_mat(const char *path, const char *variable, label_images *found);

#endif
