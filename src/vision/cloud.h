/* Point clouds: points in space, some with colour, normal and label, as PCD and PLY files hold
 * them. */
#ifndef VISION_CLOUD_H
#define VISION_CLOUD_H

#include "core/context.h"
#include "data/image.h"

/* All arrays are in the file's order, missing points too, so that labels and pixels keep their
 * places; `keep` lists the points that have a position. Freed by cloud_free. */
typedef struct cloud {
    orthant_context *ctx;
    char *name;            /* the file, for messages */
    int64_t count;         /* points of the file, fewer than 2^31 */
    int64_t width, height; /* height > 1: organised, row by row from the top as the sensor saw it */
    double *position;      /* count x 3; not finite where a point is missing */
    unsigned char *color;  /* count x 3; or NULL */
    float *normal;         /* count x 3; or NULL */
    int32_t *label;        /* or NULL */
    int64_t kept;
    int32_t *keep;       /* kept: the points with three finite coordinates, in order */
    double viewpoint[3]; /* where the sensor stood; the origin where the file does not say */
} cloud;

/* Files of points by their first bytes: PCD 0.7 (ascii, binary, binary_compressed) or PLY (ascii,
 * binary of both byte orders). */
orthant_status cloud_read(orthant_context *ctx, const char *path, cloud *out);
/* By its ending or its first bytes. */
bool cloud_is_cloud(const char *path);
void cloud_free(cloud *of);

/* The points that have a position as a binary PLY, coloured by their labels (a label below 0 is
 * grey) or, `labels` NULL, as they are. `labels` has one entry a point of the file. */
orthant_status cloud_write_ply(orthant_context *ctx, const cloud *points, const int32_t *labels,
                               const char *path);

/* A picture: organised clouds as the sensor saw them, others obliquely from above their widest
 * plane, from the viewpoint's side. Colours as in cloud_write_ply, darkened by the points' own
 * brightness or depth. A height of 0 follows from the width, a width of 0 from the cloud. */
orthant_status cloud_render(orthant_context *ctx, const cloud *points, const int32_t *labels,
                            int width, int height, image *out);

/* ---- between cloud.c and the readers ------------------------------------------------------ */

enum { CLOUD_COLOR = 1, CLOUD_NORMAL = 2, CLOUD_LABEL = 4 };

/* What a column of a file means. */
typedef enum cloud_role {
    CLOUD_X,
    CLOUD_Y,
    CLOUD_Z,
    CLOUD_NX,
    CLOUD_NY,
    CLOUD_NZ,
    CLOUD_RED,
    CLOUD_GREEN,
    CLOUD_BLUE,
    CLOUD_PACKED, /* 0x00RRGGBB */
    CLOUD_CLASS,  /* a label */
    CLOUD_OTHER
} cloud_role;
cloud_role cloud_role_of(const char *name);

/* Leaves only what a cloud can use: a role that comes again or lacks its kin (green without blue)
 * becomes CLOUD_OTHER. Returns what there is beside positions, or -1 where x, y or z is missing. */
int cloud_settle_roles(cloud_role *roles, int count);

/* Room for `count` points; `with` says what they have beside positions. */
orthant_status cloud_begin(orthant_context *ctx, const char *path, int64_t count, int with,
                           cloud *out);
/* Colours: 0 to 255, packed ones as the number that the bits are. */
void cloud_put(cloud *to, int64_t point, cloud_role role, double value);
/* A number from text as the float of `size` bytes that the header says it is: text and bytes then
 * give the same cloud. */
double cloud_as_declared(double value, int size);
/* Finds the points to keep. */
orthant_status cloud_end(cloud *of);

orthant_status cloud_read_pcd(orthant_context *ctx, const char *path, cloud *out);
orthant_status cloud_read_ply(orthant_context *ctx, const char *path, cloud *out);

#endif
