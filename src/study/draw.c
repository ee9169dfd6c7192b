/* Chooses classes and rows by a seed and copies them. */
#include "study/draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"

int64_t draw_seed(int64_t study_seed, int64_t classes, int64_t repeat)
{
    return 1 + (int64_t)random_below((uint64_t)study_seed, RANDOM_STUDY, (uint64_t)classes,
                                     (uint64_t)repeat, (UINT64_C(1) << 31) - 1);
}

/* A class and its lot: the lowest are drawn. */
typedef struct lot {
    int64_t class;
    double value;
} lot;

static int by_lot(const void *left, const void *right)
{
    const lot *a = left, *b = right;
    if (a->value < b->value || a->value > b->value)
        return a->value < b->value ? -1 : 1;
    return (a->class > b->class) - (a->class < b->class);
}

static orthant_status choose_classes(orthant_context *ctx, int64_t all, int64_t classes,
                                     uint64_t seed, bool *chosen)
{
    lot *lots = memory_new(ctx, all, sizeof *lots, "the lots of classes");
    if (!lots)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t c = 0; c < all; c++)
        lots[c] = (lot){c, random_uniform(seed, RANDOM_DRAW, (uint64_t)c, 0)};
    qsort(lots, (size_t)all, sizeof *lots, by_lot);
    for (int64_t i = 0; i < classes; i++)
        chosen[lots[i].class] = true;
    memory_free(ctx, lots);
    return ORTHANT_OK;
}

/* The rows of the drawn classes, in order. */
static orthant_status choose_rows(orthant_context *ctx, const char *name,
                                  const orthant_labels *truth, int64_t classes, uint64_t seed,
                                  orthant_labels **row)
{
    int64_t all = 0, count = 0;
    bool *chosen = NULL;
    int64_t *class_of = memory_new(ctx, truth->count, sizeof *class_of, "classes of samples");
    orthant_status status =
        class_of ? labels_to_classes(ctx, truth, class_of, &all) : ORTHANT_ERROR_MEMORY;
    if (!status && (classes < 1 || classes > all))
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: %" PRId64 " classes are to be drawn, and there are %" PRId64, name,
                      classes, all);
    if (status)
        goto done;
    status = ORTHANT_ERROR_MEMORY;
    chosen = memory_new(ctx, all, sizeof *chosen, "the drawn classes");
    if (chosen)
        status = choose_classes(ctx, all, classes, seed, chosen);
    for (int64_t i = 0; i < truth->count && !status; i++)
        if (class_of[i] >= 0 && chosen[class_of[i]])
            class_of[count++] = i;
    if (!status)
        status = orthant_labels_create(ctx, count, class_of, row);
done:
    memory_free(ctx, chosen);
    memory_free(ctx, class_of);
    return status;
}

/* ---- rows and columns of a matrix -------------------------------------------------------------
 */

static orthant_status take_dense(orthant_context *ctx, const orthant_matrix *from,
                                 const orthant_labels *row, bool square, orthant_matrix **taken)
{
    const size_t size = precision_size(from->precision);
    const int64_t columns = square ? row->count : from->columns;
    const orthant_status status =
        matrix_new_dense(ctx, from->precision, row->count, columns, taken);
    for (int64_t i = 0; i < row->count && !status; i++) {
        const char *source =
            (const char *)from->values + (size_t)(row->values[i] * from->stride) * size;
        char *target = (char *)(*taken)->values + (size_t)(i * (*taken)->stride) * size;
        if (!square)
            memcpy(target, source, (size_t)columns * size);
        for (int64_t j = 0; j < columns && square; j++)
            memcpy(target + (size_t)j * size, source + (size_t)row->values[j] * size, size);
    }
    return status;
}

/* place[column]: where it goes, -1 where it is left out; NULL: as it is. */
static orthant_status take_sparse(orthant_context *ctx, const orthant_matrix *from,
                                  const orthant_labels *row, const int64_t *place,
                                  orthant_matrix **taken)
{
    const size_t size = precision_size(from->precision);
    int64_t stored = 0, at = 0;
    for (int64_t i = 0; i < row->count; i++)
        stored += from->row_start[row->values[i] + 1] - from->row_start[row->values[i]];
    const orthant_status status = matrix_new_sparse(
        ctx, from->precision, row->count, place ? row->count : from->columns, stored, taken);
    for (int64_t i = 0; i < row->count && !status; i++) {
        const int64_t r = row->values[i];
        for (int64_t e = from->row_start[r]; e < from->row_start[r + 1]; e++) {
            const int64_t column = place ? place[from->column[e]] : from->column[e];
            if (column < 0)
                continue;
            (*taken)->column[at] = (int32_t)column;
            memcpy((char *)(*taken)->values + (size_t)at * size,
                   (const char *)from->values + (size_t)e * size, size);
            at++;
        }
        (*taken)->row_start[i + 1] = at;
    }
    return status;
}

static orthant_status take_rows(orthant_context *ctx, const orthant_matrix *from,
                                const orthant_labels *row, bool square, orthant_matrix **taken)
{
    int64_t *place = NULL;
    *taken = NULL;
    orthant_status status = matrix_check_here(from, "a draw of classes");
    if (status)
        return status;
    if (from->sparse && square) {
        place = memory_new(ctx, from->columns, sizeof *place, "the drawn columns");
        status = place ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
        for (int64_t j = 0; j < from->columns && place; j++)
            place[j] = -1;
        for (int64_t i = 0; i < row->count && place; i++)
            place[row->values[i]] = i;
    }
    if (!status)
        status = from->sparse ? take_sparse(ctx, from, row, place, taken)
                              : take_dense(ctx, from, row, square, taken);
    memory_free(ctx, place);
    if (!status && !square)
        status =
            names_copy(ctx, &from->feature_names, NULL, from->columns, &(*taken)->feature_names);
    if (!status)
        status =
            names_copy(ctx, &from->sample_names, row->values, row->count, &(*taken)->sample_names);
    if (!status) {
        (*taken)->picture = from->picture;
        (*taken)->name = from->name ? memory_text(ctx, from->name) : NULL;
        if (from->name && !(*taken)->name)
            status = ORTHANT_ERROR_MEMORY;
    }
    if (status) {
        orthant_matrix_free(*taken);
        *taken = NULL;
    }
    return status;
}

/* ---- the draw ---------------------------------------------------------------------------------
 */

/* The data under this context: what is refused is told there. */
static orthant_status share_all(orthant_context *ctx, const orthant_matrix *from, study_draw *draw)
{
    draw->samples = memory_new(ctx, 1, sizeof *draw->samples, "the drawn samples");
    if (!draw->samples)
        return ORTHANT_ERROR_MEMORY;
    *draw->samples = *from;
    draw->samples->ctx = ctx;
    draw->whole = true;
    return ORTHANT_OK;
}

void draw_free(study_draw *draw)
{
    if (draw->whole)
        memory_free(draw->ctx, draw->samples);
    else
        orthant_matrix_free(draw->samples);
    orthant_labels_free(draw->truth);
    orthant_labels_free(draw->row);
    *draw = (study_draw){.ctx = draw->ctx};
}

orthant_status draw_take_labels(orthant_context *ctx, const study_draw *draw,
                                const orthant_labels *labels, orthant_labels **drawn)
{
    const orthant_status status =
        orthant_labels_create(ctx, draw->row->count, draw->row->values, drawn);
    for (int64_t i = 0; i < draw->row->count && !status; i++)
        (*drawn)->values[i] = labels->values[draw->row->values[i]];
    return status ? status
                  : names_copy(ctx, &labels->class_names, NULL, labels->class_names.count,
                               &(*drawn)->class_names);
}

orthant_status draw_classes(orthant_context *ctx, const char *name, const orthant_matrix *samples,
                            const orthant_labels *truth, int64_t classes, uint64_t seed,
                            bool square, study_draw *draw)
{
    *draw = (study_draw){.ctx = ctx, .all = samples->rows};
    orthant_status status = ORTHANT_OK;
    if (!truth)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: classes cannot be drawn where the true labels are not known; give "
                      "truth = 'FILE'",
                      name);
    if (!status && square && samples->rows != samples->columns)
        status = fail(ctx, ORTHANT_ERROR_ARGUMENT,
                      "%s: a similarity of %" PRId64 " x %" PRId64 ", expected a square one", name,
                      samples->rows, samples->columns);
    if (!status)
        status = choose_rows(ctx, name, truth, classes, seed, &draw->row);
    if (!status)
        status = draw->row->count == samples->rows
                     ? share_all(ctx, samples, draw)
                     : take_rows(ctx, samples, draw->row, square, &draw->samples);
    if (!status)
        status = draw_take_labels(ctx, draw, truth, &draw->truth);
    if (status)
        draw_free(draw);
    return status;
}
