/* Orthant: nonnegative factorisations for clustering and segmentation. The one header to include.
 *
 *     orthant_context *ctx = NULL;
 *     orthant_matrix *X = NULL;
 *     orthant_model *model = NULL;
 *     orthant_result *result = NULL;
 *     if (orthant_context_create(&ctx) || orthant_matrix_read(ctx, "faces.mat", NULL, &X, NULL) ||
 *         orthant_model_create(ctx, "gnmf", 40, &model) ||
 *         orthant_model_set(model, "graph_weight", "10") || orthant_fit(model, X, &result))
 *         fprintf(stderr, "%s\n", orthant_message(ctx));
 *
 * Every function that can fail returns an orthant_status; results come back through out-pointers,
 * which are NULL on failure. The library never prints, exits, aborts or installs a signal handler.
 */
#ifndef ORTHANT_H
#define ORTHANT_H

#include "bench.h"
#include "context.h"
#include "data.h"
#include "fit.h"
#include "graph.h"
#include "labels.h"
#include "matrix.h"
#include "method.h"
#include "program.h"
#include "reproduce.h"
#include "run.h"
#include "score.h"
#include "segmentation.h"
#include "study.h"
#include "trial.h"
#include "vision.h"
#include "orthant/version.h"

#endif
