#include "term/pooling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/problem.h"

/* A grid for any number of units: `grid` alone takes the squarest shape; a last row may be short,
 * its missing cells pool nothing. */
static orthant_status grid_shape(orthant_context *ctx, const char *text, int64_t rank,
                                 int64_t *rows, int64_t *columns)
{
    long long height = 0, width = 0;
    char rest;
    if (!strcmp(text, "grid")) {
        *columns = (int64_t)ceil(sqrt((double)rank));
        *rows = (rank + *columns - 1) / *columns;
        return ORTHANT_OK;
    }
    if (sscanf(text, "grid:%lldx%lld%c", &height, &width, &rest) != 2 || height < 1 || width < 1 ||
        height > rank || width > rank)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "pooling = '%s': expected all, grid, or grid:ROWSxCOLUMNS", text);
    if (height * width < rank || (height - 1) * width >= rank)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "pooling = '%s': a grid of %lld x %lld does not hold rank %lld", text, height,
                    width, (long long)rank);
    *rows = height;
    *columns = width;
    return ORTHANT_OK;
}

static int64_t around(int64_t a, int64_t b, int64_t length)
{
    const int64_t apart = a > b ? a - b : b - a;
    return apart < length - apart ? apart : length - apart;
}

static orthant_status fill_grid(const problem *p, orthant_matrix *H)
{
    const parameter_set *set = p->parameters;
    const int64_t radius = parameter_whole(set, "pooling_radius"), rank = p->rank;
    int64_t rows = 0, columns = 0;
    const orthant_status status =
        grid_shape(p->ctx, parameter_text(set, "pooling"), rank, &rows, &columns);
    if (status)
        return status;
    for (int64_t l = 0; l < rank; l++)
        for (int64_t k = 0; k < rank; k++)
            if (around(l / columns, k / columns, rows) <= radius &&
                around(l % columns, k % columns, columns) <= radius)
                matrix_set_value(H, l * H->stride + k, 1);
    return ORTHANT_OK;
}

/* The pooling matrix: the user's, all ones, or a grid. */
static orthant_status fill_pooling(const problem *p, orthant_matrix *H)
{
    const orthant_matrix *given = p->pooling;
    if (given) {
        for (int64_t l = 0; l < H->rows; l++)
            for (int64_t k = 0; k < H->columns; k++)
                matrix_set_value(H, l * H->stride + k, orthant_matrix_get(given, l, k));
        return ORTHANT_OK;
    }
    if (strcmp(parameter_text(p->parameters, "pooling"), "all"))
        return fill_grid(p, H);
    for (int64_t l = 0; l < H->rows; l++)
        for (int64_t k = 0; k < H->columns; k++)
            matrix_set_value(H, l * H->stride + k, 1);
    return ORTHANT_OK;
}

static orthant_status check_given(const problem *p)
{
    const orthant_matrix *given = p->pooling;
    if (!given)
        return ORTHANT_OK;
    if (given->columns != p->rank)
        return fail(p->ctx, ORTHANT_ERROR_ARGUMENT,
                    "the pooling matrix has %lld columns, the rank is %lld",
                    (long long)given->columns, (long long)p->rank);
    return matrix_check(given, true, "the pooling matrix", "pooling");
}

orthant_status pooling_make(const problem *p, orthant_matrix **rows, orthant_matrix **transposed)
{
    const orthant_precision precision = p->samples->precision;
    const int64_t rank = p->rank, units = p->pooling ? p->pooling->rows : rank;
    *rows = *transposed = NULL;
    orthant_status status;
    if ((status = check_given(p)) ||
        (status = matrix_new_factor(p->ctx, precision, units, rank, rows)) ||
        (status = matrix_new_factor(p->ctx, precision, rank, units, transposed)) ||
        (status = fill_pooling(p, *rows))) {
        orthant_matrix_free(*rows);
        orthant_matrix_free(*transposed);
        *rows = *transposed = NULL;
        return status;
    }
    for (int64_t l = 0; l < units; l++)
        for (int64_t k = 0; k < rank; k++)
            matrix_set_value(*transposed, k * (*transposed)->stride + l,
                             matrix_value(*rows, l * (*rows)->stride + k));
    return ORTHANT_OK;
}
