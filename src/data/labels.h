/* Inside of labels: as classes, from a matrix, and the file beside a matrix that keeps them. */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "core/context.h"
#include "data/names.h"
#include "orthant/labels.h"

struct orthant_labels {
    orthant_context *ctx;
    int64_t count;
    int64_t *values;
    name_list class_names; /* of the labels 0, 1, ...; none where they are numbers */
    char *source;          /* see orthant_labels_source; NULL: "" */
};

/* Where they came from: `path`, or "path:inside" where that is not NULL. Labels that have a source
 * keep it. On failure they are freed. */
orthant_status labels_set_source(orthant_labels **labels, const char *path, const char *inside);

/* Classes numbered 0, 1, ... in the order of their values: class_of[i] (-1 for 'not known');
 * returns how many there are through *classes. */
orthant_status labels_to_classes(orthant_context *ctx, const orthant_labels *labels,
                                 int64_t *class_of, int64_t *classes);

/* From a matrix with one column or one row whose entries are all whole numbers; `name` is its name
 * in messages. */
struct orthant_matrix;
orthant_status labels_from_matrix(orthant_context *ctx, const char *name,
                                  const struct orthant_matrix *matrix, orthant_labels **labels);

/* "words.npy" gives "words.labels.csv" (memory_free): where labels of a file that cannot hold them
 * are kept. */
orthant_status labels_path_beside(orthant_context *ctx, const char *path, char **beside);

/* From a .mat file; `variable` NULL finds it (gnd, y, labels, ...). */
orthant_status labels_read_mat(orthant_context *ctx, const char *path, const char *variable,
                               orthant_labels **labels);

#endif
