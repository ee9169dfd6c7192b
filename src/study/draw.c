/* Chooses classes and rows by a seed and copies them. */
#include "study/draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "study/subset.h"

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
    orthant_status status = orthant_labels_create(ctx, draw->row->count, draw->row->values, drawn);
    for (int64_t i = 0; i < draw->row->count && !status; i++)
        (*drawn)->values[i] = labels->values[draw->row->values[i]];
    if (!status)
        status = names_copy(ctx, &labels->class_names, NULL, labels->class_names.count,
                            &(*drawn)->class_names);
    return status || !labels->source ? status : labels_set_source(drawn, labels->source, NULL);
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
    if (!status) {
        const subset rows = {draw->row->count, draw->row->values};
        status = draw->row->count == samples->rows
                     ? share_all(ctx, samples, draw)
                     : subset_take(ctx, samples, &rows, square ? &rows : NULL, &draw->samples);
        if (!status && !draw->whole) {
            draw->samples->origin = rows.place;
            draw->samples->origin_of_columns = square;
        }
    }
    if (!status)
        status = draw_take_labels(ctx, draw, truth, &draw->truth);
    if (status)
        draw_free(draw);
    return status;
}
