/** @file
 * Criteria of a segmentation beside the true regions: those of the Prague texture segmentation
 * benchmark (Haindl and Mikes 2008), and those used with the Berkeley pictures (Arbelaez, Maire,
 * Fowlkes and Malik 2011). docs/segmentation.md defines each. */
#ifndef ORTHANT_SEGMENTATION_H
#define ORTHANT_SEGMENTATION_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Criteria of a segmentation; in percent, lower better, where nothing else is said. */
typedef struct orthant_segmentation_scores {
    size_t size; /**< set it to sizeof(orthant_segmentation_scores) before the call */
    /* Whole regions, at the threshold. */
    double cs;     /**< correctly found; higher better */
    double os;     /**< split into several found regions */
    double us;     /**< found regions that merge several true ones */
    double me;     /**< missed */
    double ne;     /**< found regions that are noise */
    double cs_bar; /**< mean of cs over all thresholds between 0.5 and 1; higher better */
    double os_bar; /**< mean of os */
    double us_bar; /**< mean of us */
    double me_bar; /**< mean of me */
    double ne_bar; /**< mean of ne */
    /* Pixels, each found region matched with at most one true region. */
    double o;          /**< omission: median over true regions */
    double c;          /**< commission: median over found regions */
    double o_weighted; /**< omission as a share of all pixels, as in tables before 2009 */
    double c_weighted; /**< commission as a share of all pixels */
    double ca;         /**< class accuracy (Jaccard); higher better */
    double co;         /**< correct assignment, recall; higher better */
    double cc;         /**< object accuracy, precision; higher better */
    double i;          /**< error of type I */
    double ii;         /**< error of type II */
    double ea;         /**< mean class accuracy estimate; higher better */
    double ms;         /**< mapping score, from -50 to 100; higher better */
    double rm;         /**< root mean square of the errors of the regions' sizes */
    double ci;         /**< comparison index; higher better */
    double f;          /**< harmonic mean of cc and co; higher better */
    double f_bar;      /**< mean of the F-measure over its curve; higher better */
    /* Partitions, without a matching. */
    double gce;      /**< global consistency error */
    double lce;      /**< local consistency error */
    double dm;       /**< Mirkin */
    double dd;       /**< van Dongen */
    double dvi;      /**< variation of information over the logarithm of the number of pixels */
    double vi;       /**< variation of information in bits, not in percent */
    double vi_nats;  /**< the same in nats */
    double covering; /**< of the true regions by the found ones, from 0 to 1; higher better */
    double pri;      /**< Rand index (its mean over annotators is the PRI), 0 to 1; higher better */
    double regions_found; /**< a mean where several truths were averaged */
    double regions_true;  /**< the same */
    int64_t pixels;       /**< that were compared */
} orthant_segmentation_scores;

/** What counts as a region, and as a correct one. */
typedef struct orthant_segmentation_options {
    size_t size;      /**< set it to sizeof(orthant_segmentation_options) */
    double threshold; /**< of a correct region, 0.5 < threshold <= 1; 0 stands for 0.75 */
    bool components;  /**< every 4-connected piece of a label is a region; needs height and width */
} orthant_segmentation_options;

/** Scores label images of height x width pixels, row by row (for points: their number and 1). Every
 * different value is a region, whatever its value. `options` may be NULL. */
ORTHANT_API orthant_status orthant_score_segmentation(orthant_context *context,
                                                      const int32_t *found, const int32_t *truth,
                                                      int64_t height, int64_t width,
                                                      const orthant_segmentation_options *options,
                                                      orthant_segmentation_scores *scores);

/** Means of every criterion over `count` truths (annotators) or pictures; all 0 where there are
 * none. mean->size is set before the call, as that of each. */
ORTHANT_API void orthant_segmentation_mean(const orthant_segmentation_scores *scores, int64_t count,
                                           orthant_segmentation_scores *mean);

/** F(alpha) = P R / (alpha R + (1 - alpha) P) of precision P = cc and recall R = co, in percent:
 * recall at 0, precision at 1, `f` at 1/2. */
ORTHANT_API double orthant_segmentation_f(const orthant_segmentation_scores *scores, double alpha);

/** Label images, one whole number per pixel, from the files that people keep them in: several where
 * a file holds the regions that several people saw; opaque. */
typedef struct orthant_label_images orthant_label_images;

/** Reads PNG (grey of 1 to 16 bits, palette by its index, colours as labels), PGM, PPM, .npy, .npz,
 * .mat (a matrix; a cell array of matrices or of structures with a field `Segmentation`, as the
 * Berkeley pictures' `groundTruth`), CSV or HDF5. The labels are numbered 0, 1, ... in the order of
 * their first pixels.
 * @param path may name a variable: "file.mat:labels"
 * @param images to be freed by orthant_label_images_free, before the context; NULL on failure */
ORTHANT_API orthant_status orthant_label_images_read(orthant_context *context, const char *path,
                                                     orthant_label_images **images);
/** NULL is fine. */
ORTHANT_API void orthant_label_images_free(orthant_label_images *images);
/** How many there are; 0 of NULL. */
ORTHANT_API int64_t orthant_label_images_count(const orthant_label_images *images);
/** Height and width of one, through pointers that may be NULL, and its labels, row by row, which
 * are the images'. NULL past the end. */
ORTHANT_API const int32_t *orthant_label_images_at(const orthant_label_images *images,
                                                   int64_t index, int64_t *height, int64_t *width);

/** A criterion by name, in the order in which they are told. */
typedef struct orthant_criterion_info {
    size_t size;           /**< set it to sizeof(orthant_criterion_info) before the call */
    const char *name;      /**< "CS", "OS_bar", "covering", ... */
    const char *title;     /**< a few words */
    bool percent;          /**< told in percent */
    bool higher_is_better; /**< otherwise lower */
} orthant_criterion_info;

/** How many criteria there are. */
ORTHANT_API int orthant_criterion_count(void);
/** A criterion by its place, from 0; ORTHANT_ERROR_ARGUMENT past the end. */
ORTHANT_API orthant_status orthant_criterion_at(int index, orthant_criterion_info *info);
/** The value of a criterion by its place; 0 past the end. */
ORTHANT_API double orthant_criterion_value(const orthant_segmentation_scores *scores, int index);

#ifdef __cplusplus
}
#endif
#endif
