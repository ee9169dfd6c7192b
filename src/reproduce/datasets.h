/* The papers' data sets: where they lie in the user's folder, and what of them a paper takes. */
#ifndef REPRODUCE_DATASETS_H
#define REPRODUCE_DATASETS_H

#include "core/context.h"
#include "orthant/matrix.h"

typedef struct dataset {
    orthant_context *ctx;
    bool missing;
    char reason[512]; /* where it is missing: what was looked for */
    char *path;       /* to be read with: */
    const char *variable;
    bool transpose;
    char *truth; /* NULL: as the file says. Samples that the paper leaves out have the label -1 */
} dataset;

/* Finds the data set of that name in `folder`. `first_classes` above 0 keeps that many classes
 * alone, the first by their labels. What has to be made of it (label files, SIFT words of
 * Caltech 101) goes to `made`, a folder that is made where it is not there, and is taken from there
 * the next time. A data set that is not there is no error. */
orthant_status dataset_find(orthant_context *ctx, const char *folder, const char *made,
                            const char *name, int64_t first_classes, dataset *found);
/* Whether it is there; nothing is read or made. */
orthant_status dataset_here(orthant_context *ctx, const char *folder, const char *name, bool *here);
void dataset_free(dataset *found);

/* Its samples and labels. */
orthant_status dataset_read(const dataset *found, orthant_matrix **samples, orthant_labels **truth);

#endif
