/* Labels that several starts agree on. */
#ifndef METHOD_ENSEMBLE_H
#define METHOD_ENSEMBLE_H

#include "method/starts.h"

/* The labels of each start. */
typedef struct ensemble {
    orthant_context *ctx;
    int64_t starts, samples;
    int64_t most;   /* the largest label of all, and 1 */
    int32_t *label; /* starts x samples */
} ensemble;
void ensemble_free(ensemble *e);

/* orthant_fit_ensemble() with `before` (NULL: nothing) called before each start. */
orthant_status fit_ensemble(orthant_model *model, const orthant_matrix *samples, int64_t starts,
                            const char *rule, int64_t clusters, int restarts,
                            const start_watch *before, orthant_result **result);

/* The labels that they agree on. */
orthant_status ensemble_labels(const ensemble *e, int64_t clusters, int restarts, uint64_t seed,
                               orthant_labels **labels);

#endif
