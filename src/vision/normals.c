/* The eigenvector of the smallest eigenvalue of each neighbourhood's covariance. */
#include "vision/normals.h"

#include <math.h>

#include "core/parallel.h"
#include "vision/eigen3.h"

#define POINTS_OF_A_TASK 1024

typedef struct surface {
    const double *points;
    int64_t n;
    const int32_t *nearest;
    int64_t count, used;
    const double *viewpoint;
    float *normals, *curvature;
} surface;

/* The covariance about the mean, from differences to the point itself, which are small. */
static void covariance(const surface *s, int64_t i, double matrix[6])
{
    const double *p = s->points + 3 * i;
    double sum[3] = {0.0, 0.0, 0.0}, product[6] = {0.0};
    for (int64_t e = 0; e < s->used; e++) {
        const double *q = s->points + 3 * (int64_t)s->nearest[i * s->count + e];
        const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
        sum[0] += x;
        sum[1] += y;
        sum[2] += z;
        product[0] += x * x;
        product[1] += x * y;
        product[2] += x * z;
        product[3] += y * y;
        product[4] += y * z;
        product[5] += z * z;
    }
    const double share = 1.0 / (double)(s->used + 1);
    for (int a = 0, at = 0; a < 3; a++)
        for (int b = a; b < 3; b++, at++)
            matrix[at] = share * (product[at] - share * sum[a] * sum[b]);
}

static void find_normal(const surface *s, int64_t i)
{
    const double *p = s->points + 3 * i;
    double matrix[6], values[3], vectors[3][3], towards = 0.0, length = 0.0, view[3];
    covariance(s, i, matrix);
    eigen3(matrix, values, vectors);
    const double *normal = vectors[0];
    for (int a = 0; a < 3; a++) {
        view[a] = s->viewpoint[a] - p[a];
        towards += view[a] * normal[a];
        length += view[a] * view[a];
    }
    const double spread = values[0] + values[1] + values[2];
    if (!(spread > 0.0) && length > 0.0) {
        for (int a = 0; a < 3; a++)
            vectors[0][a] = view[a] / sqrt(length);
        towards = 1.0;
    }
    for (int a = 0; a < 3; a++)
        s->normals[3 * i + a] = (float)(towards < 0.0 ? -normal[a] : normal[a]);
    if (s->curvature)
        s->curvature[i] = (float)(spread > 0.0 ? fmax(values[0], 0.0) / spread : 0.0);
}

static void find_normals(void *user, int64_t task, int thread)
{
    const surface *s = user;
    const int64_t first = task * POINTS_OF_A_TASK, left = s->n - first;
    const int64_t end = first + (left < POINTS_OF_A_TASK ? left : POINTS_OF_A_TASK);
    (void)thread;
    for (int64_t i = first; i < end; i++)
        find_normal(s, i);
}

void normals_find(orthant_context *ctx, const double *points, int64_t n, const int32_t *nearest,
                  int64_t count, int64_t used, const double viewpoint[3], float *normals,
                  float *curvature)
{
    surface s = {points, n, nearest, count, used, viewpoint, normals, curvature};
    parallel_for(ctx, (n + POINTS_OF_A_TASK - 1) / POINTS_OF_A_TASK, find_normals, &s);
}

void normals_take(const float *given, const int32_t *keep, int64_t kept, float *normals)
{
    for (int64_t i = 0; i < kept; i++) {
        const float *g = given + 3 * (int64_t)keep[i];
        const double x = (double)g[0], y = (double)g[1], z = (double)g[2];
        const double length = sqrt(x * x + y * y + z * z);
        if (length > 0.0 && isfinite(length))
            for (int a = 0; a < 3; a++)
                normals[3 * i + a] = (float)((double)g[a] / length);
    }
}
