/* Pictures of clouds. An organised cloud is a picture already: each pixel shows its point. Any
 * other is projected in parallel, from obliquely above the plane in which it spreads most, and each
 * point covers a small square; the nearest point wins. */
#include "vision/cloud.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "vision/eigen3.h"
#include "vision/palette.h"

#define BACKGROUND 255
#define DEFAULT_WIDTH 800
#define MOST_SIDE 16384
#define MARGIN 0.03  /* of a side */
#define MOST_SPLAT 9 /* pixels */
#define OVERLAP 1.3  /* of neighbouring squares */
#define LEAST_CONTRAST 0.05
#define DARKEST 0.35 /* share of a label's colour that a black point keeps */

static double luminance(const unsigned char *color)
{
    return (0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]) / 255.0;
}

/* What colours the points have in the picture. */
typedef struct look {
    const cloud *points;
    const int32_t *labels; /* or NULL */
    bool by_color;         /* labels are darkened by the points' colours; else by their depth */
} look;

/* A cloud of one colour has no brightness to show its shape by. */
static bool has_contrast(const cloud *points)
{
    double least = 1.0, most = 0.0;
    for (int64_t i = 0; points->color && i < points->kept; i++) {
        const double bright = luminance(points->color + 3 * (int64_t)points->keep[i]);
        least = fmin(least, bright);
        most = fmax(most, bright);
    }
    return most - least > LEAST_CONTRAST;
}

/* `nearness` is from 0, the farthest point, to 1. */
static void color_of(const look *l, int64_t point, double nearness, unsigned char *to)
{
    const unsigned char *own = l->points->color ? l->points->color + 3 * point : NULL;
    unsigned char base[3] = {225, 225, 225};
    const double shade =
        DARKEST + (1.0 - DARKEST) * (l->by_color && own ? luminance(own) : nearness);
    if (l->labels)
        palette_color(l->labels[point], base);
    else if (own)
        memcpy(base, own, 3);
    for (int c = 0; c < 3; c++)
        to[c] = l->by_color && !l->labels ? base[c] : (unsigned char)(shade * base[c] + 0.5);
}

static orthant_status begin_picture(orthant_context *ctx, int width, int height, image *out)
{
    *out = (image){.height = height, .width = width, .channels = 3};
    out->pixels = memory_new(ctx, (int64_t)height * width, 3, "a picture");
    if (!out->pixels)
        return ORTHANT_ERROR_MEMORY;
    memset(out->pixels, BACKGROUND, (size_t)height * (size_t)width * 3);
    return ORTHANT_OK;
}

/* ---- as the sensor saw it ---- */

static orthant_status render_grid(orthant_context *ctx, const look *l, int width, int height,
                                  image *out)
{
    const cloud *points = l->points;
    const orthant_status status = begin_picture(ctx, width, height, out);
    if (status != ORTHANT_OK)
        return status;
    /* The whole grid in the middle, its pixels square. */
    const double step = fmax((double)points->width / width, (double)points->height / height);
    const double left = 0.5 * (width - (double)points->width / step);
    const double top = 0.5 * (height - (double)points->height / step);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double column = floor((x + 0.5 - left) * step);
            const double row = floor((y + 0.5 - top) * step);
            if (column < 0 || row < 0 || column >= (double)points->width ||
                row >= (double)points->height)
                continue;
            const int64_t point = (int64_t)row * points->width + (int64_t)column;
            const double *p = points->position + 3 * point;
            if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))
                color_of(l, point, 0.8, out->pixels + 3 * ((int64_t)y * width + x));
        }
    return ORTHANT_OK;
}

/* ---- obliquely ---- */

typedef struct view {
    double centre[3], right[3], up[3], towards[3]; /* towards: from the cloud to the eye */
    double least[3], most[3];                      /* of the points along these three */
} view;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double *a)
{
    const double length = sqrt(dot(a, a));
    for (int c = 0; c < 3 && length > 0.0; c++)
        a[c] /= length;
}

/* Turned towards the viewpoint or, where that is inside of the cloud, to its positive side. */
static void turn(double *axis, const double *eye, double spread)
{
    double side = dot(axis, eye);
    if (fabs(side) <= spread) {
        const int largest = fabs(axis[0]) >= fabs(axis[1])
                                ? (fabs(axis[0]) >= fabs(axis[2]) ? 0 : 2)
                                : (fabs(axis[1]) >= fabs(axis[2]) ? 1 : 2);
        side = axis[largest];
    }
    for (int c = 0; c < 3 && side < 0.0; c++)
        axis[c] = -axis[c];
}

static void principal_axes(const cloud *points, view *v, double values[3], double axes[3][3])
{
    double matrix[6] = {0.0};
    for (int64_t i = 0; i < points->kept; i++)
        for (int c = 0; c < 3; c++)
            v->centre[c] += points->position[3 * (int64_t)points->keep[i] + c];
    for (int c = 0; c < 3; c++)
        v->centre[c] /= (double)points->kept;
    for (int64_t i = 0; i < points->kept; i++) {
        const double *p = points->position + 3 * (int64_t)points->keep[i];
        const double d[3] = {p[0] - v->centre[0], p[1] - v->centre[1], p[2] - v->centre[2]};
        for (int a = 0, at = 0; a < 3; a++)
            for (int b = a; b < 3; b++)
                matrix[at++] += d[a] * d[b] / (double)points->kept;
    }
    eigen3(matrix, values, axes);
}

static void project(const view *v, const double *point, double to[3])
{
    const double d[3] = {point[0] - v->centre[0], point[1] - v->centre[1], point[2] - v->centre[2]};
    to[0] = dot(d, v->right);
    to[1] = dot(d, v->up);
    to[2] = dot(d, v->towards);
}

static void choose_view(const cloud *points, view *v)
{
    double values[3], axes[3][3], eye[3], seen[3];
    *v = (view){.centre = {0.0}};
    principal_axes(points, v, values, axes);
    for (int c = 0; c < 3; c++)
        eye[c] = points->viewpoint[c] - v->centre[c];
    for (int a = 0; a < 3; a++)
        turn(axes[a], eye, 2.0 * sqrt(fmax(values[a], 0.0)));
    for (int c = 0; c < 3; c++)
        v->towards[c] = 0.75 * axes[0][c] + 0.6 * axes[1][c] + 0.25 * axes[2][c];
    normalise(v->towards);
    cross(axes[0], v->towards, v->right);
    normalise(v->right);
    cross(v->towards, v->right, v->up);
    for (int c = 0; c < 3; c++) {
        v->least[c] = INFINITY;
        v->most[c] = -INFINITY;
    }
    for (int64_t i = 0; i < points->kept; i++) {
        project(v, points->position + 3 * (int64_t)points->keep[i], seen);
        for (int c = 0; c < 3; c++) {
            v->least[c] = fmin(v->least[c], seen[c]);
            v->most[c] = fmax(v->most[c], seen[c]);
        }
    }
}

/* Where the depth is the nearest so far, its square takes the point's colour. */
static void splat(image *out, double *depth, const double seen[3], int side,
                  const unsigned char *color)
{
    const int left = (int)floor(seen[0]) - side / 2, top = (int)floor(seen[1]) - side / 2;
    for (int y = top < 0 ? 0 : top; y < top + side && y < out->height; y++)
        for (int x = left < 0 ? 0 : left; x < left + side && x < out->width; x++) {
            const int64_t pixel = (int64_t)y * out->width + x;
            if (seen[2] <= depth[pixel])
                continue;
            depth[pixel] = seen[2];
            memcpy(out->pixels + 3 * pixel, color, 3);
        }
}

static orthant_status render_splats(orthant_context *ctx, const look *l, const view *v, int width,
                                    int height, image *out)
{
    const cloud *points = l->points;
    const int64_t pixels = (int64_t)width * height;
    double *depth = memory_new(ctx, pixels, sizeof *depth, "depths of a picture");
    orthant_status status = depth ? begin_picture(ctx, width, height, out) : ORTHANT_ERROR_MEMORY;
    if (status != ORTHANT_OK)
        goto done;
    for (int64_t i = 0; i < pixels; i++)
        depth[i] = -INFINITY;
    const double across = v->most[0] - v->least[0], along = v->most[1] - v->least[1];
    double scale = fmin((1.0 - 2.0 * MARGIN) * width / fmax(across, 1e-300),
                        (1.0 - 2.0 * MARGIN) * height / fmax(along, 1e-300));
    if (!isfinite(scale))
        scale = 1.0; /* all points are one */
    const double covered = fmax(across * scale, 1.0) * fmax(along * scale, 1.0);
    const double wanted = OVERLAP * sqrt(covered / (double)points->kept);
    const int side = wanted < 1.0 ? 1 : wanted < MOST_SPLAT ? (int)(wanted + 0.5) : MOST_SPLAT;
    const double depths = fmax(v->most[2] - v->least[2], 1e-300);
    for (int64_t i = 0; i < points->kept; i++) {
        double seen[3];
        unsigned char color[3];
        project(v, points->position + 3 * (int64_t)points->keep[i], seen);
        seen[0] = 0.5 * width + scale * (seen[0] - 0.5 * (v->least[0] + v->most[0]));
        seen[1] = 0.5 * height - scale * (seen[1] - 0.5 * (v->least[1] + v->most[1]));
        color_of(l, points->keep[i], (seen[2] - v->least[2]) / depths, color);
        splat(out, depth, seen, side, color);
    }
done:
    memory_free(ctx, depth);
    return status;
}

orthant_status cloud_render(orthant_context *ctx, const cloud *points, const int32_t *labels,
                            int width, int height, image *out)
{
    const bool organised = points->width > 1 && points->height > 1;
    const look l = {points, labels, has_contrast(points)};
    view v;
    *out = (image){0};
    if (points->kept == 0)
        return fail(ctx, ORTHANT_ERROR_DATA,
                    "%s: none of its %" PRId64
                    " points has finite coordinates; there is nothing to draw",
                    points->name, points->count);
    if (!organised)
        choose_view(points, &v);
    double shape = organised ? (double)points->height / (double)points->width
                             : (v.most[1] - v.least[1]) / (v.most[0] - v.least[0]);
    shape = isfinite(shape) ? fmin(fmax(shape, 0.1), 10.0) : 1.0;
    if (width <= 0)
        width = organised && points->width <= MOST_SIDE ? (int)points->width : DEFAULT_WIDTH;
    if (height <= 0)
        height = (int)fmin(fmax(shape * width + 0.5, 1.0), MOST_SIDE);
    if (width > MOST_SIDE || height > MOST_SIDE)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "a picture of %d x %d pixels, expected at most %d",
                    width, height, MOST_SIDE);
    return organised ? render_grid(ctx, &l, width, height, out)
                     : render_splats(ctx, &l, &v, width, height, out);
}
