/* Filters and the published banks (J. Yuan, D. Wang, A. M. Cheriyadat, Factorization-based texture
 * segmentation, TIP 2015, and the code released with it). Kernels are small, so sums over shifted
 * rows are faster than Fourier transforms. */
#include "vision/filters.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

#define PI 3.14159265358979323846

/* How a bank is written down: Laplacians as (sigma, size), Gabor filters as sigmas, each of them
 * at four angles. */
typedef struct bank_recipe {
    const char *name;
    bool lab;
    int laplacians;
    struct {
        double sigma;
        int size;
    } laplacian[4];
    int gabors;
    double gabor[4];
} bank_recipe;

static const bank_recipe recipes[] = {
    {"texture", true, 2, {{0.8, 5}, {1.2, 7}}, 2, {1.5, 2.5}},
    {"demo", false, 3, {{0.5, 3}, {0.8, 5}, {1.2, 7}}, 0, {0.0}},
    {"a", false, 2, {{0.5, 3}, {1.0, 5}}, 2, {1.5, 2.5}},
    {"b", true, 3, {{0.8, 5}, {1.2, 7}, {1.8, 9}}, 2, {3.5, 2.5}},
};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static const double angles[] = {0.0, PI / 2.0, PI / 4.0, -PI / 4.0};
enum { ANGLES = sizeof angles / sizeof angles[0] };

/* A constant plane must give nothing but rounding. */
static void remove_mean(float *weights, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += (double)weights[i];
    for (int i = 0; i < count; i++)
        weights[i] = (float)((double)weights[i] - sum / count);
}

void filter_laplacian(double sigma, int size, float *weights)
{
    const int radius = size / 2;
    const double square = sigma * sigma;
    double sum = 0.0;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            sum += exp(-(x * x + y * y) / (2.0 * square));
    float *to = weights;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++) {
            const double r = x * x + y * y;
            *to++ =
                (float)(exp(-r / (2.0 * square)) / sum * (r - 2.0 * square) / (square * square));
        }
    remove_mean(weights, size * size);
}

static int gabor_radius(double sigma)
{
    return (int)floor(2.0 * sigma);
}

void filter_gabor(double sigma, double angle, float *weights)
{
    const int radius = gabor_radius(sigma), size = 2 * radius + 1;
    const double square = sigma * sigma;
    float *to = weights;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++) {
            const double along = x * cos(angle) + y * sin(angle);
            *to++ = (float)(exp(-(x * x + y * y) / (2.0 * square)) / (2.0 * PI * square) *
                            cos(2.0 * PI * along / (2.0 * sigma)));
        }
    remove_mean(weights, size * size);
}

/* Room for the next filter of the bank; NULL where there is no memory. */
static float *add_filter(orthant_context *ctx, filter_bank *bank, int radius)
{
    filter *f = &bank->filters[bank->count];
    f->radius = radius;
    f->weights =
        memory_new(ctx, (2 * radius + 1) * (2 * radius + 1), sizeof *f->weights, "a filter");
    if (f->weights) {
        bank->count++;
        bank->radius = radius > bank->radius ? radius : bank->radius;
    }
    return f->weights;
}

static orthant_status refuse_bank(orthant_context *ctx, const char *name)
{
    const char *names[RECIPES];
    for (int i = 0; i < RECIPES; i++)
        names[i] = recipes[i].name;
    const char *near = text_nearest(name, names, RECIPES);
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "filter bank '%s' is not known; there are texture, demo, a and b%s%s%s", name,
                near ? ". Did you mean '" : "", near ? near : "", near ? "'?" : "");
}

orthant_status filter_bank_create(orthant_context *ctx, const char *name, filter_bank *bank)
{
    const bank_recipe *recipe = &recipes[0];
    *bank = (filter_bank){0};
    if (name) {
        int i = 0;
        while (i < RECIPES && strcmp(recipes[i].name, name) != 0)
            i++;
        if (i == RECIPES)
            return refuse_bank(ctx, name);
        recipe = &recipes[i];
    }
    bank->name = recipe->name;
    bank->lab = recipe->lab;
    for (int i = 0; i < recipe->laplacians; i++) {
        float *weights = add_filter(ctx, bank, recipe->laplacian[i].size / 2);
        if (!weights)
            goto failed;
        filter_laplacian(recipe->laplacian[i].sigma, recipe->laplacian[i].size, weights);
    }
    for (int i = 0; i < recipe->gabors; i++)
        for (int a = 0; a < ANGLES; a++) {
            float *weights = add_filter(ctx, bank, gabor_radius(recipe->gabor[i]));
            if (!weights)
                goto failed;
            filter_gabor(recipe->gabor[i], angles[a], weights);
        }
    return ORTHANT_OK;
failed:
    filter_bank_free(ctx, bank);
    return ORTHANT_ERROR_MEMORY;
}

void filter_bank_free(orthant_context *ctx, filter_bank *bank)
{
    for (int i = 0; i < bank->count; i++)
        memory_free(ctx, bank->filters[i].weights);
    *bank = (filter_bank){0};
}

/* Where a place outside of 0 .. count - 1 is found in the mirror: ... 1 0 | 0 1 2 ... */
static int mirrored(int place, int count)
{
    const int period = 2 * count;
    const int within = ((place % period) + period) % period;
    return within < count ? within : period - 1 - within;
}

orthant_status padded_plane_create(orthant_context *ctx, const float *plane, int height, int width,
                                   int margin, padded_plane *out)
{
    const int64_t across = (int64_t)width + 2 * margin;
    *out = (padded_plane){height, width, margin, NULL};
    out->values = memory_new(ctx, ((int64_t)height + 2 * margin) * across, sizeof *out->values,
                             "a picture with its margin");
    if (!out->values)
        return ORTHANT_ERROR_MEMORY;
    for (int y = -margin; y < height + margin; y++) {
        const float *from = plane + (int64_t)mirrored(y, height) * width;
        float *to = out->values + (y + margin) * across;
        for (int x = -margin; x < 0; x++)
            to[x + margin] = from[mirrored(x, width)];
        memcpy(to + margin, from, (size_t)width * sizeof *to);
        for (int x = width; x < width + margin; x++)
            to[x + margin] = from[mirrored(x, width)];
    }
    return ORTHANT_OK;
}

/* Convolution turns the kernel round; all kernels here are the same when turned by half a circle.
 */
void filter_apply(const filter *f, const padded_plane *plane, float *response)
{
    const int size = 2 * f->radius + 1, width = plane->width;
    const int64_t across = (int64_t)width + 2 * plane->margin;
    for (int y = 0; y < plane->height; y++) {
        float *to = response + (int64_t)y * width;
        memset(to, 0, (size_t)width * sizeof *to);
        for (int i = 0; i < size; i++) {
            const float *row = plane->values + (y + plane->margin - f->radius + i) * across +
                               plane->margin - f->radius;
            for (int j = 0; j < size; j++) {
                const float weight = f->weights[i * size + j];
                const float *from = row + j;
#pragma omp simd
                for (int x = 0; x < width; x++)
                    to[x] += weight * from[x];
            }
        }
    }
}
