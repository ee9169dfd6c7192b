/* The paper's way to labels where a method has several: all are tried. */
#ifndef APP_BEST_OF_H
#define APP_BEST_OF_H

#include "pipeline.h"

/* Every read-out of the method into the pipeline. The labels are those of the best accuracy where
 * the truth is known, as in the paper, else those of the smallest spread; the rule names it. */
orthant_status best_of(pipeline *line, int64_t clusters, int restarts);

#endif
