/* The model of fit and cluster from the options. */
#ifndef APP_MODEL_H
#define APP_MODEL_H

#include "pipeline.h"

/* Method, loss, terms and parameters: what can be checked before the data is read. */
int model_make(pipeline *line);
/* Graph, labels, pooling and starting factors. */
int model_give_inputs(pipeline *line);
/* The seed in force, for labels too. */
uint64_t model_seed(const pipeline *line);
/* The number of clusters that the rank stands for. */
int64_t model_clusters(const pipeline *line);

#endif
