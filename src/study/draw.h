/* Some classes of the data, drawn by a seed. */
#ifndef STUDY_DRAW_H
#define STUDY_DRAW_H

#include "data/labels.h"
#include "data/matrix.h"

typedef struct study_draw {
    orthant_context *ctx;
    orthant_matrix *samples; /* the drawn classes' samples, in the order of the data */
    orthant_labels *truth;
    orthant_labels *row; /* of each in the data, from 0 */
    int64_t all;         /* samples of the data */
    bool whole;          /* all of them: `samples` shares the data's entries */
} study_draw;

/* The seed of a repeat; the same for every dataset and method. At least 1 and below 2^31. */
int64_t draw_seed(int64_t study_seed, int64_t classes, int64_t repeat);

/* `name` stands for the data in messages. Samples without a known class are never drawn. `square`:
 * the data is a similarity of the samples, so columns are drawn as well. */
orthant_status draw_classes(orthant_context *ctx, const char *name, const orthant_matrix *samples,
                            const orthant_labels *truth, int64_t classes, uint64_t seed,
                            bool square, study_draw *draw);
void draw_free(study_draw *draw);
/* The labels of the drawn samples. */
orthant_status draw_take_labels(orthant_context *ctx, const study_draw *draw,
                                const orthant_labels *labels, orthant_labels **drawn);

#endif
