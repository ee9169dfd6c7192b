/* Labels by the largest entry of each sample's encoding. */
#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "data/labels.h"
#include "data/matrix.h"

#define TASK_ROWS 4096

/* Entries that a sparse row does not store are zeros. */
static int64_t sparse_argmax(const orthant_matrix *encoding, int64_t i)
{
    const int64_t first = encoding->row_start[i], end = encoding->row_start[i + 1];
    int64_t hole = 0, best = -1;
    double largest = 0.0;
    for (int64_t e = first; e < end; e++) {
        const double value = matrix_value(encoding, e);
        hole += encoding->column[e] == hole;
        if (best < 0 || value > largest) {
            best = encoding->column[e];
            largest = value;
        }
    }
    const bool has_hole = hole < encoding->columns;
    if (best < 0 || (has_hole && (largest < 0.0 || (largest <= 0.0 && hole < best))))
        return hole;
    return best;
}

static int64_t dense_argmax(const orthant_matrix *encoding, int64_t i)
{
    const int64_t row = i * encoding->stride;
    int64_t best = 0;
    for (int64_t j = 1; j < encoding->columns; j++)
        if (matrix_value(encoding, row + j) > matrix_value(encoding, row + best))
            best = j;
    return best;
}

typedef struct argmax_of {
    const orthant_matrix *encoding;
    int64_t *values;
} argmax_of;

static void label_rows(void *user, int64_t task, int thread)
{
    const argmax_of *a = user;
    const int64_t end = smaller((task + 1) * TASK_ROWS, a->encoding->rows);
    (void)thread;
    for (int64_t i = task * TASK_ROWS; i < end; i++)
        a->values[i] =
            a->encoding->sparse ? sparse_argmax(a->encoding, i) : dense_argmax(a->encoding, i);
}

orthant_status orthant_labels_argmax(orthant_context *context, const orthant_matrix *encoding,
                                     orthant_labels **labels)
{
    if (labels)
        *labels = NULL;
    const orthant_status refused = entry_check(context, encoding && labels, __func__);
    if (refused)
        return refused;
    const orthant_status here = matrix_check_here(encoding, __func__);
    if (here)
        return here;
    if (encoding->rows < 1 || encoding->columns < 1)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "an empty encoding has no labels");
    orthant_status status = matrix_check(encoding, false, "encoding", "argmax");
    if (status != ORTHANT_OK)
        return status;
    int64_t *values = memory_new(context, encoding->rows, sizeof *values, "labels");
    if (!values)
        return ORTHANT_ERROR_MEMORY;
    argmax_of a = {encoding, values};
    parallel_for(context, pieces(encoding->rows, TASK_ROWS), label_rows, &a);
    status = orthant_labels_create(context, encoding->rows, values, labels);
    memory_free(context, values);
    return status;
}
