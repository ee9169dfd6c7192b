/* Labels by the nearest of given centres. */
#include <inttypes.h>
#include <math.h>

#include "cluster/point.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "data/labels.h"

#define POINTS 64 /* of a task */

typedef struct search {
    const orthant_matrix *points;
    int64_t k;
    double *centres; /* k x m */
    double *squares; /* k */
    int64_t *label;
} search;

static void search_task(void *user, int64_t task, int thread)
{
    const search *s = user;
    const int64_t end = smaller(s->points->rows, (task + 1) * POINTS), m = s->points->columns;
    (void)thread;
    for (int64_t i = task * POINTS; i < end; i++) {
        double least = INFINITY;
        for (int64_t c = 0; c < s->k; c++) {
            const double distance = point_distance(s->points, i, s->centres + c * m, s->squares[c]);
            if (distance < least) {
                least = distance;
                s->label[i] = c;
            }
        }
    }
}

static orthant_status check(orthant_context *ctx, const orthant_matrix *points,
                            const orthant_matrix *centres)
{
    if (centres->sparse)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "centres are sparse; expected a dense matrix");
    if (centres->columns != points->columns)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "centres have %" PRId64 " columns, the points %" PRId64, centres->columns,
                    points->columns);
    const orthant_status status = matrix_check(points, false, "point", "the nearest centre");
    return status ? status : matrix_check(centres, false, "centre", "the nearest centre");
}

orthant_status orthant_labels_nearest(orthant_context *context, const orthant_matrix *points,
                                      const orthant_matrix *centres, orthant_labels **labels)
{
    if (labels)
        *labels = NULL;
    orthant_status status = entry_check(context, points && centres && labels, __func__);
    if (status || (status = check(context, points, centres)))
        return status;
    const int64_t m = points->columns;
    search s = {.points = points, .k = centres->rows};
    s.centres = memory_new(context, s.k * m, sizeof *s.centres, "centres");
    s.squares = memory_new(context, s.k, sizeof *s.squares, "centres");
    s.label = memory_new(context, points->rows, sizeof *s.label, "labels");
    if (!s.centres || !s.squares || !s.label) {
        status = ORTHANT_ERROR_MEMORY;
    } else {
        for (int64_t c = 0; c < s.k; c++) {
            point_copy(centres, c, s.centres + c * m);
            s.squares[c] = centre_square(s.centres + c * m, m);
        }
        parallel_for(context, pieces(points->rows, POINTS), search_task, &s);
        status = orthant_labels_create(context, points->rows, s.label, labels);
    }
    memory_free(context, s.centres);
    memory_free(context, s.squares);
    memory_free(context, s.label);
    return status;
}
