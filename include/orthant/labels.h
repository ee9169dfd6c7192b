/** @file
 * Labels: one integer per sample; -1 stands for 'not known'. */
#ifndef ORTHANT_LABELS_H
#define ORTHANT_LABELS_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Labels; opaque. */
typedef struct orthant_labels orthant_labels;
struct orthant_matrix;

/** Labels as a copy of `values`, of which there are `count`, at least one. */
ORTHANT_API orthant_status orthant_labels_create(orthant_context *context, int64_t count,
                                                 const int64_t *values, orthant_labels **labels);
/** Frees labels. */
ORTHANT_API void orthant_labels_free(orthant_labels *labels);
/** How many there are. */
ORTHANT_API int64_t orthant_labels_count(const orthant_labels *labels);
/** All of them as an array, which belongs to the labels: no binding needs to copy one by one. */
ORTHANT_API const int64_t *orthant_labels_values(const orthant_labels *labels);
/** The number of different labels, -1 left out; -1 where there is no memory to count them, and the
 * message says so. O(n) on average. */
ORTHANT_API int64_t orthant_labels_classes(const orthant_labels *labels);
/** How many samples have each label, in rising order of the labels, -1 left out: the first `most`
 * of orthant_labels_classes(). */
ORTHANT_API orthant_status orthant_labels_sizes(const orthant_labels *labels, int64_t most,
                                                int64_t *sizes);

/** The name of a class where the labels were read from names, or a subfolder's; NULL where they are
 * numbers. The labels' memory. */
ORTHANT_API const char *orthant_labels_name(const orthant_labels *labels, int64_t label);

/** Where the labels came from, as orthant_labels_read() would take it: a file, "faces.mat:gnd" a
 * variable, "table.csv:class" a column; "photos/" with a slash for the subfolders of a folder. ""
 * where they were made of values. The labels' memory; "" for NULL. */
ORTHANT_API const char *orthant_labels_source(const orthant_labels *labels);

/** Reads one integer per line, `.npy`, `file.mat` or `file.mat:gnd`, IDX, `file.csv` or
 * `file.csv:column` (a name or a number from 1). Text may have names in place of integers: they are
 * numbered from 0 in their order, and a missing one is -1.
 * @return ORTHANT_ERROR_IO, or ORTHANT_ERROR_FORMAT for what are no labels. */
ORTHANT_API orthant_status orthant_labels_read(orthant_context *context, const char *path,
                                               orthant_labels **labels);
/** Writes `.csv` or `.txt`, one integer per line, or `.npy`, by the name's ending. The file is
 * written beside its name and renamed. */
ORTHANT_API orthant_status orthant_labels_write(orthant_context *context,
                                                const orthant_labels *labels, const char *path);

/** Keeps a fraction of each class's labels, rounded up, chosen by the seed; the others become -1.
 * O(n log n).
 * @return ORTHANT_ERROR_ARGUMENT where the fraction is not within 0 and 1. */
ORTHANT_API orthant_status orthant_labels_keep_fraction(orthant_context *context,
                                                        const orthant_labels *truth,
                                                        double fraction, uint64_t seed,
                                                        orthant_labels **kept);

/** The same with a number of labels per class; a smaller class keeps all of its own. */
ORTHANT_API orthant_status orthant_labels_keep_count(orthant_context *context,
                                                     const orthant_labels *truth, int64_t count,
                                                     uint64_t seed, orthant_labels **kept);

/** The column of the largest entry of each row; ties to the lower column. One read of the matrix.
 * @return ORTHANT_ERROR_DATA for an entry that is not finite. */
ORTHANT_API orthant_status orthant_labels_argmax(orthant_context *context,
                                                 const struct orthant_matrix *encoding,
                                                 orthant_labels **labels);
/** k-means on the rows, on the context's threads: k-means++ starts, best inertia of `restarts`.
 * O(n m k) per iteration at most, 300 iterations per start at most; tells its progress.
 * @param inertia the sum of squared distances to the centres; may be NULL.
 * @return ORTHANT_STOPPED where the progress callback asked for it. */
ORTHANT_API orthant_status orthant_labels_kmeans(orthant_context *context,
                                                 const struct orthant_matrix *points,
                                                 int64_t clusters, int restarts, uint64_t seed,
                                                 orthant_labels **labels, double *inertia);
/** The nearest row of `centres` (dense, clusters x m) for each row of `points`, by Euclidean
 * distances in double; ties to the lower one. O(n m k) on the context's threads.
 * @return ORTHANT_ERROR_ARGUMENT where the two have different numbers of columns. */
ORTHANT_API orthant_status orthant_labels_nearest(orthant_context *context,
                                                  const struct orthant_matrix *points,
                                                  const struct orthant_matrix *centres,
                                                  orthant_labels **labels);
/** The clusters of new samples, by their codes under a fit's basis (orthant_transform()). A rule
 * argmax:encoding: the largest entry of a code; a rule that took the fit's clusters from the rows
 * of the encoding otherwise: the cluster with the nearest mean row, at unit length where the rule
 * takes them so.
 * @param codes of the new samples, dense, n x k.
 * @param encoding of the fit, dense; may be NULL with argmax:encoding.
 * @param found the clusters of the fit's samples, -1 none; may be NULL with argmax:encoding.
 * @param rule by which they were found, as orthant_result_labels_rule() tells it.
 * @param scale k numbers, orthant_result_labels_scale(), that a scaled rule multiplies columns by;
 * others leave them alone, and NULL will do.
 * @return ORTHANT_ERROR_ARGUMENT for a rule that takes clusters from another factor. */
ORTHANT_API orthant_status orthant_labels_predict(orthant_context *context,
                                                  const struct orthant_matrix *codes,
                                                  const struct orthant_matrix *encoding,
                                                  const orthant_labels *found, const char *rule,
                                                  const double *scale, orthant_labels **labels);

#ifdef __cplusplus
}
#endif
#endif
