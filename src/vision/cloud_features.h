/* A cloud's points as samples: groups of three features each. */
#ifndef VISION_CLOUD_FEATURES_H
#define VISION_CLOUD_FEATURES_H

#include "data/matrix.h"
#include "vision/cloud.h"

typedef enum cloud_group { GROUP_COLOR, GROUP_SPACE, GROUP_NORMALS } cloud_group;
#define CLOUD_GROUPS 3

/* Which groups are taken, and with which weight. */
typedef struct cloud_groups {
    bool taken[CLOUD_GROUPS];
    double weight[CLOUD_GROUPS];
} cloud_groups;

/* From "color,space,normals" and "1,0.5,2", one weight for each named group. NULL or "": all groups
 * that the cloud has; colours and normals with weight 1, positions with 0.3: they spread evenly
 * from 0 to 1 and would cut the scene in halves by themselves. */
orthant_status cloud_groups_parse(orthant_context *ctx, const cloud *points, const char *features,
                                  const char *weights, cloud_groups *groups);

/* Each kept point is a row: colour / 255; coordinates from their least to their largest; (normal +
 * 1) / 2; each group from 0 to its weight. `normals` (kept x 3) may be NULL where they are not
 * taken. */
orthant_status cloud_features(orthant_context *ctx, const cloud *points, const cloud_groups *groups,
                              const float *normals, orthant_matrix **features);

#endif
