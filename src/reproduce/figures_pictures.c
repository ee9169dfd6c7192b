/* Figures that are pictures of matrices: montages of samples, bases and codes; maps of
 * similarities. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "orthant/graph.h"
#include "report/heat.h"
#include "report/html.h"
#include "report/montage.h"
#include "reproduce/figures.h"

/* ---- montages ---- */

static orthant_status show_montage(chart_place *place, const orthant_matrix *columns,
                                   orthant_picture_shape shape, int zoom, const char *caption)
{
    montage made = {0};
    const orthant_status status = montage_make(place->ctx, columns, shape, &made);
    if (!status && made.png) {
        fputs("<figure>", place->page);
        html_png(place->page, made.png, made.bytes, made.width, zoom, caption);
        fputs("<figcaption>", place->page);
        html_text(place->page, caption);
        fputs("</figcaption></figure>\n", place->page);
    }
    memory_free(place->ctx, made.png);
    return status;
}

/* The first sample of each class, of `rows` (n x m) the transpose: m x classes. */
static orthant_status first_of_classes(orthant_context *ctx, const orthant_matrix *rows,
                                       const orthant_labels *truth, orthant_matrix **columns)
{
    const int64_t classes = orthant_labels_classes(truth), *label = orthant_labels_values(truth);
    const orthant_status status =
        classes < 0 ? ORTHANT_ERROR_MEMORY
                    : matrix_new_dense(ctx, ORTHANT_DOUBLE, rows->columns, classes, columns);
    int64_t found = 0;
    for (int64_t i = 0; !status && i < rows->rows && found < classes; i++) {
        bool seen = false;
        for (int64_t j = 0; j < i && !seen; j++)
            seen = label[j] == label[i];
        if (seen)
            continue;
        for (int64_t c = 0; c < rows->columns; c++)
            matrix_set_value(*columns, c * (*columns)->stride + found,
                             orthant_matrix_get(rows, i, c));
        found++;
    }
    return status;
}

static orthant_status show_method(chart_place *place, const protocol_runs *runs, const char *method)
{
    orthant_matrix *basis = NULL, *encoding = NULL, *codes = NULL;
    const int side = (int)lround(sqrt((double)runs->results.row[0].classes));
    const orthant_picture_shape square = {side, side, 1, false};
    char caption[160];
    orthant_status status = kept_matrix(runs, method, "basis.npy", &basis);
    if (!status)
        status = kept_matrix(runs, method, "encoding.npy", &encoding);
    if (!status)
        status = first_of_classes(place->ctx, encoding, runs->truth, &codes);
    snprintf(caption, sizeof caption, "%.40s: the basis.", method);
    if (!status)
        status = show_montage(place, basis, orthant_matrix_picture(runs->samples), 1, caption);
    snprintf(caption, sizeof caption,
             "%.40s: the codes of these samples, a pixel for each basis vector, white where large.",
             method);
    if (!status)
        status = show_montage(place, codes, square, 6, caption);
    orthant_matrix_free(basis);
    orthant_matrix_free(encoding);
    orthant_matrix_free(codes);
    return status;
}

orthant_status figure_bases(chart_place *place, const protocol_figure *figure,
                            const protocol_runs *runs)
{
    orthant_matrix *first = NULL;
    char method[64];
    fputs("<div class=\"parts\">\n", place->page);
    orthant_status status = first_of_classes(place->ctx, runs->samples, runs->truth, &first);
    if (!status)
        status = show_montage(place, first, orthant_matrix_picture(runs->samples), 1,
                              "The first sample of each person.");
    for (const char *list = figure->study.methods;
         !status && next_name(&list, method, sizeof method);)
        status = show_method(place, runs, method);
    fputs("</div>\n", place->page);
    orthant_matrix_free(first);
    return status;
}

/* ---- similarities ---- */

/* L C R' of the rows in the order, brought to at most 1; C is the identity where it is NULL. */
static orthant_status product_map(orthant_context *ctx, const orthant_matrix *factor,
                                  const orthant_matrix *core, const sample_order *order,
                                  double *map)
{
    const int64_t k = factor->columns;
    double *row = memory_new(ctx, 2 * k, sizeof *row, "a row of a factor"), largest = 0;
    if (!row)
        return ORTHANT_ERROR_MEMORY;
    double *weighed = row + k;
    for (int64_t i = 0; i < order->count; i++) {
        matrix_copy_row(factor, order->sample[i], row);
        for (int64_t c = 0; c < k; c++) {
            weighed[c] = core ? 0 : row[c];
            for (int64_t r = 0; core && r < k; r++)
                weighed[c] += row[r] * orthant_matrix_get(core, r, c);
        }
        for (int64_t j = 0; j < order->count; j++) {
            double sum = 0;
            for (int64_t c = 0; c < k; c++)
                sum += weighed[c] * orthant_matrix_get(factor, order->sample[j], c);
            map[i * order->count + j] = sum;
            largest = fmax(largest, sum);
        }
    }
    for (int64_t i = 0; largest > 0 && i < order->count * order->count; i++)
        map[i] /= largest;
    memory_free(ctx, row);
    return ORTHANT_OK;
}

static orthant_status draw_map(chart_place *place, const char *name, const char *caption,
                               const double *map, const sample_order *order)
{
    file_writer writer;
    orthant_status status = chart_data_begin(place, name, &writer);
    if (status)
        return status;
    for (int64_t i = 0; i < order->count * order->count; i++)
        fprintf(writer.file, "%.3g%c", map[i], (i + 1) % order->count ? ',' : '\n');
    status = file_write_end(&writer, ORTHANT_OK);
    return status ? status : heat_square(place, name, caption, false, order);
}

/* A for SNMF, A with its core for WNMF, A with rows of unit length for RMND. */
static orthant_status method_map(const protocol_runs *runs, const char *method,
                                 const sample_order *order, double *map)
{
    orthant_matrix *factor = NULL, *core = NULL;
    const bool rmnd = !strcmp(method, "rmnd");
    orthant_status status =
        kept_matrix(runs, method, rmnd ? "relation.npy" : "encoding.npy", &factor);
    if (!status && !strcmp(method, "wnmf"))
        status = kept_matrix(runs, method, "core.npy", &core);
    if (!status && rmnd)
        status = orthant_matrix_scale(factor, ORTHANT_SCALE_UNIT);
    if (!status)
        status = product_map(runs->ctx, factor, core, order, map);
    orthant_matrix_free(factor);
    orthant_matrix_free(core);
    return status;
}

static orthant_status data_map(const protocol_runs *runs, const sample_order *order, double *map)
{
    orthant_matrix *similarity = NULL;
    const orthant_status status =
        orthant_similarity_gaussian(runs->ctx, runs->samples, 0, 1, &similarity);
    for (int64_t i = 0; !status && i < order->count; i++)
        for (int64_t j = 0; j < order->count; j++)
            map[i * order->count + j] =
                orthant_matrix_get(similarity, order->sample[i], order->sample[j]);
    orthant_matrix_free(similarity);
    return status;
}

orthant_status figure_similarity(chart_place *place, const protocol_figure *figure,
                                 const protocol_runs *runs)
{
    char name[100], method[64], caption[160];
    sample_order order = {0};
    double *map = NULL;
    orthant_status status = sample_order_make(place->ctx, runs->truth, NULL, HEAT_SAMPLES, &order);
    if (!status) {
        map = memory_new(place->ctx, order.count * order.count, sizeof *map, "a map");
        status = map ? data_map(runs, &order, map) : ORTHANT_ERROR_MEMORY;
    }
    figure_name(figure, "data", name, sizeof name);
    if (!status)
        status = draw_map(place, name, "The Gaussian similarity, people one after the other.", map,
                          &order);
    for (const char *list = figure->study.methods;
         !status && next_name(&list, method, sizeof method);) {
        status = method_map(runs, method, &order, map);
        figure_name(figure, method, name, sizeof name);
        snprintf(caption, sizeof caption, "What %.20s makes of it: %s, over its largest entry.",
                 method,
                 !strcmp(method, "rmnd")   ? "A A' with rows of unit length"
                 : !strcmp(method, "wnmf") ? "A S A'"
                                           : "A A'");
        if (!status)
            status = draw_map(place, name, caption, map, &order);
    }
    memory_free(place->ctx, map);
    sample_order_free(&order);
    return status;
}
