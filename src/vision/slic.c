/* SLIC, k-means in colour and place that looks only nearby. Centres start on a grid of step s, each
 * at the least gradient of its 3 x 3 pixels. A pixel lies between two rows and two columns of the
 * grid's first places and goes to that one of these four centres which minimises
 *
 *     D = |Lab - Lab_c|^2 + (m / s)^2 |xy - xy_c|^2
 *
 * and centres move to the means of their pixels. A centre's search window is then 2s x 2s as
 * published, and the four candidates are the same for all pixels of a row between two columns, so
 * that distances are taken for many pixels at once. Last, pieces below s^2 / 4 join a region beside
 * them. */
#include "vision/slic.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"

#define COMPACTNESS 10.0f /* m */
#define SMALLEST_STEP 2
#define MOST_ROUNDS 10
/* The rounds end when one lowers the sum of D by less than this share. */
#define LEAST_GAIN 1e-3
#define CHUNK 64 /* pixels of a row that are handled together */
#define CANDIDATES 4

/* Also sums over a centre's pixels. */
typedef struct centre {
    double lab[3], y, x, pixels;
} centre;

typedef struct slic {
    orthant_context *ctx;
    const float *planes; /* L, a, b */
    int height, width, step;
    int64_t rows, columns; /* of the grid */
    float place_weight;    /* (m / s)^2 */
    centre *centres;       /* rows x columns */
    /* A band of pixels lies between two rows of the grid, or outside of the first or the last; its
     * pixels go to centres of these two rows, so that bands share no sums. (rows + 1) x 2 x
     * columns.
     */
    centre *sums;
    double *cost;   /* of each band */
    int32_t *label; /* of each pixel, the centre's number */
} slic;

/* ---- the start ---- */

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static float gradient_at(const slic *s, int y, int x)
{
    float sum = 0.0f;
    const int64_t pixels = (int64_t)s->height * s->width, row = (int64_t)y * s->width;
    const int64_t left = row + clamp(x - 1, s->width - 1), right = row + clamp(x + 1, s->width - 1);
    const int64_t up = (int64_t)clamp(y - 1, s->height - 1) * s->width + x;
    const int64_t down = (int64_t)clamp(y + 1, s->height - 1) * s->width + x;
    for (int c = 0; c < 3; c++) {
        const float *plane = s->planes + c * pixels;
        const float across = plane[right] - plane[left], along = plane[down] - plane[up];
        sum += across * across + along * along;
    }
    return sum;
}

/* Where column or row `index` of the grid has its centres. */
static int grid_place(const slic *s, int64_t index, int size)
{
    const int64_t place = (2 * index + 1) * s->step / 2;
    return place < size ? (int)place : size - 1;
}

static void place_centres(slic *s)
{
    const int64_t pixels = (int64_t)s->height * s->width;
    for (int64_t i = 0; i < s->rows * s->columns; i++) {
        const int row = grid_place(s, i / s->columns, s->height);
        const int column = grid_place(s, i % s->columns, s->width);
        int best_y = row, best_x = column;
        float least = INFINITY;
        for (int j = 0; j < 9; j++) {
            const int y = clamp(row + j / 3 - 1, s->height - 1);
            const int x = clamp(column + j % 3 - 1, s->width - 1);
            const float gradient = gradient_at(s, y, x);
            if (gradient < least) {
                least = gradient;
                best_y = y;
                best_x = x;
            }
        }
        centre *at = &s->centres[i];
        for (int c = 0; c < 3; c++)
            at->lab[c] = (double)s->planes[c * pixels + (int64_t)best_y * s->width + best_x];
        at->y = best_y;
        at->x = best_x;
    }
}

/* ---- assignment ---- */

/* A piece of a row between two columns of the grid. */
typedef struct stretch {
    const float *plane[3];
    int y, first, count; /* row, first column, pixels */
    const centre *candidate[CANDIDATES];
} stretch;

/* Squared distances of the pixels from one candidate. */
static void measure(const stretch *piece, const centre *from, float weight,
                    float *restrict distance)
{
    const float *restrict l = piece->plane[0], *restrict a = piece->plane[1],
                          *restrict b = piece->plane[2];
    const float cl = (float)from->lab[0], ca = (float)from->lab[1], cb = (float)from->lab[2];
    const float cx = (float)(from->x - piece->first), dy = (float)(from->y - piece->y);
    const float row_part = weight * dy * dy;
    const int count = piece->count;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        const float dl = l[i] - cl, da = a[i] - ca, db = b[i] - cb, dx = (float)i - cx;
        distance[i] = dl * dl + da * da + db * db + weight * dx * dx + row_part;
    }
}

/* which[i] becomes the nearest candidate of pixel i, of equals the first; returns the sum of the
 * least distances. Written without a branch, so that compilers take several pixels at once. */
static double find_nearest(const stretch *piece, float weight, int32_t *restrict which)
{
    float d[CANDIDATES][CHUNK], cost = 0.0f;
    const int count = piece->count;
    for (int j = 0; j < CANDIDATES; j++)
        measure(piece, piece->candidate[j], weight, d[j]);
#pragma omp simd reduction(+ : cost)
    for (int i = 0; i < count; i++) {
        const int32_t upper = d[1][i] < d[0][i], lower = 2 + (d[3][i] < d[2][i]);
        const float above = d[1][i] < d[0][i] ? d[1][i] : d[0][i];
        const float below = d[3][i] < d[2][i] ? d[3][i] : d[2][i];
        const int32_t down = below < above;
        which[i] = upper ^ ((upper ^ lower) & -down);
        cost += below < above ? below : above;
    }
    return (double)cost;
}

/* Neighbours mostly go to one centre: sums are taken over runs of them. */
static void add_up(const stretch *piece, const int32_t *which, centre *const sums[CANDIDATES])
{
    for (int first = 0, end; first < piece->count; first = end) {
        centre *sum = sums[which[first]];
        float l = 0.0f, a = 0.0f, b = 0.0f;
        for (end = first; end < piece->count && which[end] == which[first]; end++) {
            l += piece->plane[0][end];
            a += piece->plane[1][end];
            b += piece->plane[2][end];
        }
        const double pixels = end - first;
        sum->lab[0] += (double)l;
        sum->lab[1] += (double)a;
        sum->lab[2] += (double)b;
        sum->x += pixels * (piece->first + 0.5 * (first + end - 1));
        sum->y += pixels * piece->y;
        sum->pixels += pixels;
    }
}

static double assign_row(const slic *s, int64_t band, int y)
{
    const int64_t pixels = (int64_t)s->height * s->width, row = (int64_t)y * s->width;
    const int64_t above = band > 0 ? band - 1 : 0, below = band < s->rows ? band : s->rows - 1;
    double cost = 0.0;
    for (int64_t gap = 0, x = 0; gap <= s->columns; gap++) {
        const int64_t end = gap < s->columns ? grid_place(s, gap, s->width) : s->width;
        const int64_t left = gap > 0 ? gap - 1 : 0, right = gap < s->columns ? gap : s->columns - 1;
        const int64_t number[CANDIDATES] = {above * s->columns + left, above * s->columns + right,
                                            below * s->columns + left, below * s->columns + right};
        centre *upper = s->sums + 2 * band * s->columns, *lower = upper + s->columns;
        centre *const sums[CANDIDATES] = {upper + left, upper + right, lower + left, lower + right};
        while (x < end) {
            int32_t which[CHUNK];
            stretch piece = {.y = y, .first = (int)x};
            piece.count = (int)(end - x < CHUNK ? end - x : CHUNK);
            for (int c = 0; c < 3; c++)
                piece.plane[c] = s->planes + c * pixels + row + x;
            for (int j = 0; j < CANDIDATES; j++)
                piece.candidate[j] = &s->centres[number[j]];
            cost += find_nearest(&piece, s->place_weight, which);
            add_up(&piece, which, sums);
            for (int i = 0; i < piece.count; i++)
                s->label[row + x + i] = (int32_t)number[which[i]];
            x += piece.count;
        }
    }
    return cost;
}

static void assign_band(void *user, int64_t band, int thread)
{
    const slic *s = user;
    const int end = band < s->rows ? grid_place(s, band, s->height) : s->height;
    (void)thread;
    memset(s->sums + 2 * band * s->columns, 0, 2 * (size_t)s->columns * sizeof *s->sums);
    s->cost[band] = 0.0;
    for (int y = band > 0 ? grid_place(s, band - 1, s->height) : 0; y < end; y++)
        s->cost[band] += assign_row(s, band, y);
}

static void add_centre(centre *to, const centre *from)
{
    for (int c = 0; c < 3; c++)
        to->lab[c] += from->lab[c];
    to->y += from->y;
    to->x += from->x;
    to->pixels += from->pixels;
}

/* Row r of the grid gets the lower sums of the band above it and the upper ones of the band below
 * it; a centre without pixels stays. */
static void move_centres(slic *s)
{
    for (int64_t i = 0; i < s->rows * s->columns; i++) {
        const int64_t r = i / s->columns, column = i % s->columns;
        centre sum = {{0}, 0, 0, 0};
        /* Outside of the first and the last row both halves belong to the one row there is. */
        if (r == 0)
            add_centre(&sum, &s->sums[column]);
        add_centre(&sum, &s->sums[(2 * r + 1) * s->columns + column]);
        add_centre(&sum, &s->sums[2 * (r + 1) * s->columns + column]);
        if (r == s->rows - 1)
            add_centre(&sum, &s->sums[(2 * (r + 1) + 1) * s->columns + column]);
        if (!(sum.pixels > 0.0))
            continue;
        for (int c = 0; c < 3; c++)
            s->centres[i].lab[c] = sum.lab[c] / sum.pixels;
        s->centres[i].y = sum.y / sum.pixels;
        s->centres[i].x = sum.x / sum.pixels;
    }
}

static void iterate(slic *s)
{
    double before = INFINITY;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double cost = 0.0;
        parallel_for(s->ctx, s->rows + 1, assign_band, s);
        for (int64_t band = 0; band <= s->rows; band++)
            cost += s->cost[band];
        if (before - cost <= LEAST_GAIN * cost)
            break;
        before = cost;
        move_centres(s);
    }
}

/* ---- connected regions ---- */

/* Puts the pixels that hang together with `first` and have its label into `pixel`, numbered;
 * returns how many. *beside becomes a region that one of them touches and that was numbered before,
 * or stays. */
static int64_t flood(const slic *s, int64_t first, int32_t number, int32_t *region_of,
                     int32_t *pixel, int32_t *beside)
{
    const int64_t width = s->width, last_row = (int64_t)(s->height - 1) * width;
    const int32_t label = s->label[first];
    int64_t count = 1;
    pixel[0] = (int32_t)first;
    region_of[first] = number;
    for (int64_t done = 0; done < count; done++) {
        const int64_t p = pixel[done], x = p % width;
        const int64_t near[4] = {p >= width ? p - width : p, x > 0 ? p - 1 : p,
                                 x < width - 1 ? p + 1 : p, p < last_row ? p + width : p};
        for (int j = 0; j < 4; j++) {
            const int32_t region = region_of[near[j]];
            if (region >= 0) {
                *beside = region != number ? region : *beside;
            } else if (s->label[near[j]] == label) {
                region_of[near[j]] = number;
                pixel[count++] = (int32_t)near[j];
            }
        }
    }
    return count;
}

/* Numbers the 4-connected pieces in the order of their first pixels. A piece that is too small
 * becomes part of one that was numbered before: all but the first touch one. */
static int64_t connect(const slic *s, int32_t *region_of, int32_t *pixel)
{
    const int64_t pixels = (int64_t)s->height * s->width;
    const int64_t smallest = (int64_t)s->step * s->step / 4;
    int64_t regions = 0;
    memset(region_of, -1, (size_t)pixels * sizeof *region_of);
    for (int64_t first = 0; first < pixels; first++) {
        int32_t beside = -1;
        if (region_of[first] >= 0)
            continue;
        const int64_t count = flood(s, first, (int32_t)regions, region_of, pixel, &beside);
        if (count >= smallest || beside < 0)
            regions++;
        else
            for (int64_t i = 0; i < count; i++)
                region_of[pixel[i]] = beside;
    }
    return regions;
}

orthant_status slic_segment(orthant_context *ctx, const float *planes, int height, int width,
                            int64_t count, int32_t *region_of, int64_t *regions)
{
    const int64_t pixels = (int64_t)height * width;
    const double step = round(sqrt((double)pixels / (double)count));
    slic s = {.ctx = ctx, .planes = planes, .height = height, .width = width};
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int32_t *pixel = NULL;
    s.step = step < SMALLEST_STEP ? SMALLEST_STEP : (int)step;
    s.place_weight = COMPACTNESS * COMPACTNESS / ((float)s.step * (float)s.step);
    s.rows = ((int64_t)height + s.step - 1) / s.step;
    s.columns = ((int64_t)width + s.step - 1) / s.step;
    s.centres = memory_new(ctx, s.rows * s.columns, sizeof *s.centres, "superpixels");
    s.sums = memory_new(ctx, 2 * (s.rows + 1) * s.columns, sizeof *s.sums, "superpixels");
    s.cost = memory_new(ctx, s.rows + 1, sizeof *s.cost, "superpixels");
    s.label = memory_new(ctx, pixels, sizeof *s.label, "superpixels");
    pixel = memory_new(ctx, pixels, sizeof *pixel, "superpixels");
    if (s.centres && s.sums && s.cost && s.label && pixel) {
        place_centres(&s);
        iterate(&s);
        *regions = connect(&s, region_of, pixel);
        status = ORTHANT_OK;
    }
    memory_free(ctx, pixel);
    memory_free(ctx, s.label);
    memory_free(ctx, s.cost);
    memory_free(ctx, s.sums);
    memory_free(ctx, s.centres);
    return status;
}
