/* Fits of the golden cases of methods on a similarity. */
#ifndef SUPPORT_GOLDEN_SIMILARITY_H
#define SUPPORT_GOLDEN_SIMILARITY_H

#include "similarity_cases.h"

/* Fails the test where the factors after 1, 10 and 100 iterations, or the objective after each, are
 * not the reference's; K dense or sparse. */
void golden_similarity_check(const similarity_case *row, bool sparse, const char *device);

#endif
