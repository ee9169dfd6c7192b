/** @file
 * Pictures and point clouds: read or taken from arrays, cut into superpixels, segmented, and whole
 * pictures as rows of features.
 *
 *     orthant_segment_options options = ORTHANT_SEGMENT_DEFAULTS;
 *     options.segments = 4;
 *     orthant_image_read(ctx, "photo.jpg", &image);
 *     orthant_segment_image(ctx, image, &options, &segmentation);
 *     const int32_t *label = orthant_segmentation_labels(segmentation);
 *
 * Images, clouds and segmentations belong to one context and are used by one thread at a time; each
 * is freed by its own function, before the context, and none needs another one to live. In a build
 * without pictures these functions return ORTHANT_ERROR_UNSUPPORTED. */
#ifndef ORTHANT_VISION_H
#define ORTHANT_VISION_H

#include "context.h"
#include "graph.h"
#include "labels.h"
#include "matrix.h"
#include "segmentation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A picture, grey or red, green and blue; opaque. */
typedef struct orthant_image orthant_image;
/** Points in space, some with colours and normals; opaque. */
typedef struct orthant_cloud orthant_cloud;
/** Labels of pixels or points, and how they were found; opaque. */
typedef struct orthant_segmentation orthant_segmentation;

/** Whether a file is a picture (PNG, JPEG, TIFF, PGM, PPM), by its ending or its first bytes. */
ORTHANT_API bool orthant_file_is_image(const char *path);
/** Whether a file is a cloud (PCD, PLY), by its ending or its first bytes. */
ORTHANT_API bool orthant_file_is_cloud(const char *path);

/* ---- pictures and clouds ----------------------------------------------------------------------
 */

/** Reads PNG, JPEG, TIFF, PGM or PPM, upright, with more than 8 bits per sample where the file has
 * them; one channel where no pixel has a colour, else three. A picture of more than 2^26 pixels is
 * refused before it is read, with ORTHANT_ERROR_UNSUPPORTED. */
ORTHANT_API orthant_status orthant_image_read(orthant_context *context, const char *path,
                                              orthant_image **image);
/** A picture from an array, which is copied: height x width x channels samples, row by row from the
 * top, without gaps.
 * @param channels 1 (grey) or 3 (red, green, blue)
 * @param bits 8: samples are unsigned char; 16: samples are uint16_t from 0 to 65535 */
ORTHANT_API orthant_status orthant_image_create(orthant_context *context, int height, int width,
                                                int channels, int bits, const void *samples,
                                                orthant_image **image);
/** NULL is fine. */
ORTHANT_API void orthant_image_free(orthant_image *image);
/** Rows of pixels; 0 of NULL. */
ORTHANT_API int orthant_image_height(const orthant_image *image);
/** Pixels of a row; 0 of NULL. */
ORTHANT_API int orthant_image_width(const orthant_image *image);
/** 1 or 3; 0 of NULL. */
ORTHANT_API int orthant_image_channels(const orthant_image *image);
/** height x width x channels samples, row by row, brought to 8 bits; the image's. NULL of NULL. */
ORTHANT_API const unsigned char *orthant_image_pixels(const orthant_image *image);

/** Reads PCD 0.7 or PLY, ascii or binary. */
ORTHANT_API orthant_status orthant_cloud_read(orthant_context *context, const char *path,
                                              orthant_cloud **cloud);
/** A cloud from arrays, which are copied.
 * @param positions count x 3; a point with a coordinate that is not finite is missing: its label
 * will be -1
 * @param colors count x 3, red, green, blue; or NULL
 * @param normals count x 3; or NULL, and they are found from the neighbours where they are needed
 */
ORTHANT_API orthant_status orthant_cloud_create(orthant_context *context, int64_t count,
                                                const double *positions,
                                                const unsigned char *colors, const float *normals,
                                                orthant_cloud **cloud);
/** NULL is fine. */
ORTHANT_API void orthant_cloud_free(orthant_cloud *cloud);
/** Points, missing ones too; 0 of NULL. */
ORTHANT_API int64_t orthant_cloud_count(const orthant_cloud *cloud);
/** count x 3; the cloud's. NULL of NULL. */
ORTHANT_API const double *orthant_cloud_positions(const orthant_cloud *cloud);
/** The labels that the cloud's file has for its points, as a truth for
 * orthant_segmentation_score().
 * @param truth to be freed by orthant_label_images_free, before the context; NULL where the cloud
 * has none, and on failure */
ORTHANT_API orthant_status orthant_cloud_truth(const orthant_cloud *cloud,
                                               orthant_label_images **truth);

/* ---- segmentation -----------------------------------------------------------------------------
 */

/** What may be chosen; begin with ORTHANT_SEGMENT_DEFAULTS and set what differs. NULL or 0 stands
 * for the default unless another one is said. docs/segmentation.md explains each. Further fields
 * will be added at the end. */
typedef struct orthant_segment_options {
    size_t size;          /**< sizeof(orthant_segment_options) */
    double graph_weight;  /**< how much the graph counts; negative: the nodes' default */
    double smallest;      /**< regions: smaller pieces (share of the picture) join what is around
                             them; negative: 0.01 */
    uint64_t seed;        /**< of all starts; 1 */
    const char *nodes;    /**< pictures: "slic" (default), "watershed" or "pixels" */
    const char *method;   /**< "grpnmf" (default), "gnmf", "nmf", "kmeans"; pixels: also "fseg",
                             "onmf", "convex-nmf" */
    int64_t segments;     /**< 0: estimated from the data */
    int64_t iterations;   /**< of the factorisation */
    const char *features; /**< regions: of "lab,rgb,gabor,space,histogram"; points: of
                             "color,space,normals" */
    const char *feature_weights; /**< "1,0.5,2", one for each of the features */
    const char *bank;            /**< of filters: "texture", "demo", "a", "b" */
    int window;                  /**< pixels: side of the histogram's window */
    int bins;                    /**< of a histogram, 2 to 64 */
    const char *binning;         /**< "population" or "width" */
    const char *finish;          /**< "regions", "textures", "pieces" (not of pixels) or "none" */
    int64_t superpixels;         /**< slic: about how many */
    const char *edge_weights;    /**< regions: "color" or "binary" */
    double smoothing;      /**< watershed: pixels of the Gaussian before the gradient, up to 20 */
    const char *init;      /**< of grpnmf on regions: "kmeans" or "random" */
    const char *snapshots; /**< "2,450,1000": iterations whose labels are kept too */
    const char *const *parameters; /**< "name=value" of the method's parameters */
    int parameter_count;           /**< how many */
    int64_t neighbours;            /**< of a point, 1 to 1000 */
} orthant_segment_options;

/** The defaults of orthant_segment_options. */
#define ORTHANT_SEGMENT_DEFAULTS                                                                  \
    {                                                                                             \
        sizeof(orthant_segment_options), -1.0, -1.0, 1, NULL, NULL, 0, 0, NULL, NULL, NULL, 0, 0, \
            NULL, NULL, 0, NULL, 0.0, NULL, NULL, NULL, 0, 0                                      \
    }

/** Segments a picture: its pixels or its superpixels become nodes with features and a graph, a
 * factorisation labels the nodes, and the labels go back to the pixels. The progress callback hears
 * of the fit and can stop it; the labels are then those of the last iteration.
 * @param options NULL: the defaults
 * @param segmentation to be freed by orthant_segmentation_free; NULL on failure */
ORTHANT_API orthant_status orthant_segment_image(orthant_context *context,
                                                 const orthant_image *image,
                                                 const orthant_segment_options *options,
                                                 orthant_segmentation **segmentation);
/** The same for the points of a cloud. */
ORTHANT_API orthant_status orthant_segment_cloud(orthant_context *context,
                                                 const orthant_cloud *cloud,
                                                 const orthant_segment_options *options,
                                                 orthant_segmentation **segmentation);
/** NULL is fine. */
ORTHANT_API void orthant_segmentation_free(orthant_segmentation *segmentation);

/** How a segmentation was found. Further fields will be added at the end. */
typedef struct orthant_segmentation_info {
    size_t size;            /**< set it to sizeof(orthant_segmentation_info) before the call */
    int64_t count;          /**< pixels or points */
    int height;             /**< of a picture; 0 of a cloud */
    int width;              /**< of a picture; 0 of a cloud */
    int64_t segments;       /**< how many there are */
    bool estimated;         /**< whether their number was estimated ... */
    const char *evidence;   /**< ... from this, or ""; the segmentation's */
    int64_t nodes;          /**< of the graph */
    int64_t edges;          /**< of the graph */
    int64_t iterations;     /**< of the fit */
    double objective;       /**< after the last of them */
    double graph_weight;    /**< in force; 0 where there is no graph */
    double feature_seconds; /**< for features and graph */
    double fit_seconds;     /**< for the fit */
    double total_seconds;   /**< for all */
    int snapshots;          /**< how many were kept */
    int64_t wanted;   /**< segments that were asked for or estimated; where `segments` is more they
                       * are the connected pieces of these, where it is fewer the others are empty */
    bool interrupted; /**< the progress callback ended the fit before its last iteration */
} orthant_segmentation_info;

/** Fills `info`. */
ORTHANT_API orthant_status orthant_segmentation_describe(const orthant_segmentation *segmentation,
                                                         orthant_segmentation_info *info);
/** A label for each pixel, row by row, or each point: 0 to segments - 1, or -1 for a missing point.
 * The segmentation's; NULL of NULL. */
ORTHANT_API const int32_t *orthant_segmentation_labels(const orthant_segmentation *segmentation);
/** The labels after an iteration that was to be kept, which is told through `iteration` (may be
 * NULL); NULL past the end. */
ORTHANT_API const int32_t *orthant_segmentation_snapshot(const orthant_segmentation *segmentation,
                                                         int index, int64_t *iteration);
/** The graph of the regions or points; the segmentation's. NULL where there is none. */
ORTHANT_API const orthant_graph *orthant_segmentation_graph(
    const orthant_segmentation *segmentation);

/** The mean of each criterion over all truths; of a cloud over the points that are not missing.
 * @param options NULL: the defaults
 * @return ORTHANT_ERROR_DATA where a truth has another size. */
ORTHANT_API orthant_status orthant_segmentation_score(const orthant_segmentation *segmentation,
                                                      const orthant_label_images *truth,
                                                      const orthant_segmentation_options *options,
                                                      orthant_segmentation_scores *mean);

/** What a segmentation's folder is made of; pointers are borrowed for the call. */
typedef struct orthant_segment_run {
    size_t size;           /**< set it to sizeof(orthant_segment_run) */
    const char *command;   /**< the command line, or NULL */
    const char *data_path; /**< the picture's or cloud's file, whose checksum is taken; or NULL */
    const orthant_segment_options *options;   /**< that it was made with; NULL: the defaults */
    const orthant_segmentation *segmentation; /**< what was found */
    const orthant_image *image;               /**< the picture, or NULL */
    const orthant_cloud *cloud;               /**< the cloud, or NULL; one of both is needed */
    const char *draw;       /**< over a picture: of "overlay,boundaries,graph"; NULL: overlay */
    const char *truth_path; /**< of the scores; or NULL */
    int64_t annotators;     /**< how many truths they are means of */
    const orthant_segmentation_scores *scores; /**< or NULL */
    /** Shown beside what was found: the first of them; or NULL. */
    const orthant_label_images *truth;
} orthant_segment_run;

/** Writes FOLDER/labels.png (its palette's indices are the labels) and labels.npy, picture.png,
 * truth.png where there is one, overlay.png and what else is to be drawn, a
 * snapshot-N.png for each snapshot; of a cloud labels.npy, segments.ply, view.png and points.npy
 * (at most 20,000 points: x, y, z, red, green, blue, label, true label); run.json and report.html.
 * The folder is treated as by orthant_run_write. */
ORTHANT_API orthant_status orthant_segment_run_write(orthant_context *context,
                                                     const orthant_segment_run *run,
                                                     const char *folder);
/** What its run.json would say, as one line of JSON with its newline.
 * @param text to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_segment_run_describe(orthant_context *context,
                                                        const orthant_segment_run *run,
                                                        char **text);

/** Cuts a picture into superpixels, by the options' nodes ("slic" or "watershed"), superpixels and
 * smoothing.
 * @param options NULL: the defaults
 * @param labels height x width numbers of regions, row by row, are written to it; -1 on the lines
 * between the regions of a watershed
 * @param count how many regions there are */
ORTHANT_API orthant_status orthant_image_superpixels(orthant_context *context,
                                                     const orthant_image *image,
                                                     const orthant_segment_options *options,
                                                     int32_t *labels, int64_t *count);

/* ---- whole pictures as features ---------------------------------------------------------------
 */

/** Which features; zero or NULL is the default. */
typedef struct orthant_feature_options {
    size_t size; /**< set it to sizeof(orthant_feature_options) */
    const char
        *kind;     /**< "sift-words" (default): counts of visual words; "gabor": mean and deviation
                      of each filter's modulus, 80 columns; "lab": shares of 16 bins of L, a and
                      b, 48 columns; "spectral-histogram": shares of 11 bins of each band */
    int64_t words; /**< sift-words: size of the vocabulary; 500 */
    uint64_t seed; /**< sift-words: of the vocabulary; 1 where there are no options */
    const char *bank; /**< spectral-histogram: of filters; "texture" */
} orthant_feature_options;

/** A row of nonnegative features for each picture; the samples have the names of its files.
 * @param paths files, or one folder: its pictures, or a subfolder per class
 * @param options NULL: the defaults
 * @param labels may be NULL; the classes where a folder has subfolders, else NULL */
ORTHANT_API orthant_status orthant_image_features(orthant_context *context,
                                                  const char *const *paths, int64_t count,
                                                  const orthant_feature_options *options,
                                                  orthant_matrix **features,
                                                  orthant_labels **labels);

#ifdef __cplusplus
}
#endif
#endif
