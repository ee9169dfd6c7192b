/** @file
 * Orthant: nonnegative factorisations for clustering and segmentation. The one header to include.
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
 * What holds for every function, and is not said again:
 *
 * **Errors.** What can fail returns an orthant_status; orthant_message() says in one line what was
 * found, what was expected and, where there is one, the way out. Results come back through
 * out-pointers, which are NULL on failure. A NULL where an object, a text or an out-pointer is
 * wanted is refused with ORTHANT_ERROR_ARGUMENT, or answered by 0, NULL, false or NaN where there
 * is no status to return; where NULL means something, that is said. ORTHANT_ERROR_MEMORY can come
 * from whatever makes something. The library never prints, exits, aborts or installs a signal
 * handler.
 *
 * **Lifetimes.** An object is freed by the _free of its kind, which takes NULL; what a function
 * gives back as `const`, and every text, belongs to the object that it was asked of. Inputs of a
 * model (graph, labels, starts, ...) are borrowed and must outlive its fits. Objects may be freed
 * in any order, and after their context: a freed context lives on inside until its last object is
 * freed. Until then objects can be read; calls that compute are refused with
 * ORTHANT_ERROR_ARGUMENT. A freed object must not be used at all.
 *
 * **Threads.** A context and the objects made in it are used by one thread at a time; different
 * contexts, by any number at once. Objects that nobody changes may be read by several threads, also
 * as inputs of fits in other contexts. A fit runs on threads of its context's own
 * (orthant_context_set_threads()), and callbacks come in the thread that made the call. Results
 * have the same bits on any number of threads. Names, texts and tables (method.h) are constant.
 *
 * **Structs** begin with their `size`, which the caller sets: fields will be added at their ends,
 * and programs compiled before that go on working. A size that was not set is refused.
 *
 * **Cost.** Where nothing is said a function takes O(1) time and no memory to speak of.
 */
#ifndef ORTHANT_H
#define ORTHANT_H

#include "bench.h"
#include "consensus.h"
#include "context.h"
#include "data.h"
#include "device.h"
#include "fit.h"
#include "graph.h"
#include "group.h"
#include "labels.h"
#include "matrix.h"
#include "method.h"
#include "program.h"
#include "ranks.h"
#include "reproduce.h"
#include "run.h"
#include "score.h"
#include "segmentation.h"
#include "study.h"
#include "trial.h"
#include "vision.h"
#include "words.h"
#include "orthant/version.h"

#endif
