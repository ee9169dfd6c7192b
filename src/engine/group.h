/* A group of processes that share the samples, each with whole chunks of them (strips.h). What the
 * sweep needs of it is one call per iteration, after its pass over the strips. A problem without a
 * group is a group of one. */
#ifndef ENGINE_GROUP_H
#define ENGINE_GROUP_H

#include "engine/sums.h"

typedef struct group {
    void *state;
    /* The sums of all members, in the order of their chunks: on every member the same bits. */
    void (*sum)(void *state, const kernels *ops, sums *s);
} group;

#endif
