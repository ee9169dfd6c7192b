/* The entries of the maps: encodings and cosines, written as data and as a picture. */
#include "report/heat.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "data/row_gram.h"
#include "kernel/kernel.h"
#include "report/heat_draw.h"
#include "report/text_file.h"

#define DATA_CHART "similarity-data"
/* Products of entries that a map of similarities may take. */
#define MOST_PRODUCTS 2e9

/* ---- data -------------------------------------------------------------------------------------
 */

/* Two decimals of a number from -1 to 1, at `text`; returns where it ends. printf takes ten times
 * as long. */
static char *put_entry(char *text, double value)
{
    const double size = fabs(value);
    const int hundredths = (int)lrint(100 * (size < 1 ? size : 1));
    if (hundredths && value < 0)
        *text++ = '-';
    *text++ = (char)('0' + hundredths / 100);
    if (hundredths) {
        *text++ = '.';
        *text++ = (char)('0' + hundredths / 10 % 10);
        *text++ = (char)('0' + hundredths % 10);
    }
    return text;
}

/* A row of them, `step` apart. */
static void write_entries(FILE *file, const double *values, int64_t step, int64_t count)
{
    char line[2048], *end = line;
    for (int64_t j = 0; j < count; j++) {
        end = put_entry(end, values[j * step]);
        *end++ = j + 1 < count ? ',' : '\n';
        if (j + 1 == count || end - line > (ptrdiff_t)sizeof line - 8) {
            fwrite(line, 1, (size_t)(end - line), file);
            end = line;
        }
    }
}

static double row_product(const orthant_matrix *m, int64_t row, const double *with)
{
    double sum = 0;
    for (int64_t p = m->row_start[row]; p < m->row_start[row + 1]; p++)
        sum += matrix_value(m, p) * with[m->column[p]];
    return sum;
}

/* Products of every two sparse samples in the order. */
static orthant_status sparse_products(const orthant_matrix *m, const sample_order *order,
                                      orthant_matrix **products)
{
    double *row = memory_new(m->ctx, m->columns, sizeof *row, "a sample");
    const orthant_status status =
        row ? matrix_new_factor(m->ctx, ORTHANT_DOUBLE, order->count, order->count, products)
            : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < order->count && !status; i++) {
        matrix_copy_row(m, order->sample[i], row);
        for (int64_t j = 0; j < order->count; j++)
            matrix_set_value(*products, i * (*products)->stride + j,
                             row_product(m, order->sample[j], row));
    }
    memory_free(m->ctx, row);
    return status;
}

/* An entry that is not known has no part in a product. */
static void clear_unknown(orthant_matrix *rows)
{
    for (int64_t p = 0; p < rows->rows * rows->stride; p++)
        if (isnan(matrix_value(rows, p)))
            matrix_set_value(rows, p, 0);
}

/* The same of dense ones, which are brought together first. */
static orthant_status dense_products(const orthant_matrix *m, const sample_order *order,
                                     orthant_matrix **products)
{
    const kernels *ops = kernel_table(m->precision);
    orthant_matrix *rows = NULL;
    orthant_status status = matrix_new_dense(m->ctx, m->precision, order->count, m->columns, &rows);
    for (int64_t i = 0; i < order->count && !status; i++)
        ops->copy_columns(array_rows(ops, matrix_array(rows), i, 1),
                          array_rows(ops, matrix_array(m), order->sample[i], 1));
    if (!status) {
        clear_unknown(rows);
        status = row_gram(m->ctx, rows, products);
    }
    orthant_matrix_free(rows);
    return status;
}

/* The cosine of every two samples in the order, rows of the map one after the other. */
static orthant_status write_cosines(orthant_context *ctx, FILE *file, const orthant_matrix *m,
                                    const sample_order *order)
{
    const int64_t count = order->count;
    orthant_matrix *products = NULL;
    double *square = memory_new(ctx, count, sizeof *square, "cosines");
    double *cosine = memory_new(ctx, count, sizeof *cosine, "cosines");
    orthant_status status = square && cosine ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status)
        status =
            m->sparse ? sparse_products(m, order, &products) : dense_products(m, order, &products);
    for (int64_t i = 0; i < count && !status; i++)
        square[i] = matrix_value(products, i * products->stride + i);
    for (int64_t i = 0; i < count && !status; i++) {
        for (int64_t j = 0; j < count; j++) {
            const double lengths = sqrt(square[i] * square[j]);
            const double product = matrix_value(products, i * products->stride + j);
            cosine[j] = lengths > 0 ? product / lengths : 0;
        }
        write_entries(file, cosine, 1, count);
    }
    orthant_matrix_free(products);
    memory_free(ctx, cosine);
    memory_free(ctx, square);
    return status;
}

/* Whether the samples are few enough for their features. */
static bool is_affordable(const orthant_matrix *m, const sample_order *order)
{
    const double entries = (double)matrix_stored(m) / (double)m->rows;
    return (double)order->count * (double)order->count * entries <= MOST_PRODUCTS;
}

static orthant_status write_map(chart_place *place, const char *name, const orthant_matrix *m,
                                const sample_order *order)
{
    file_writer writer;
    const orthant_status status = chart_data_begin(place, name, &writer);
    return status ? status
                  : file_write_end(&writer, write_cosines(place->ctx, writer.file, m, order));
}

/* Of samples in a file those in the order are read, and are in order then. */
static orthant_status write_streamed(chart_place *place, const orthant_matrix *samples,
                                     const sample_order *order)
{
    orthant_matrix *rows = NULL;
    sample_order read = *order;
    orthant_status status = matrix_read_rows(samples, order->sample, order->count, &rows);
    read.sample = memory_new(place->ctx, order->count, sizeof *read.sample, "an order of samples");
    if (!status && !read.sample)
        status = ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < order->count && !status; i++)
        read.sample[i] = i;
    if (!status)
        status = write_map(place, DATA_CHART, rows, &read);
    memory_free(place->ctx, read.sample);
    orthant_matrix_free(rows);
    return status;
}

orthant_status heat_write_data(orthant_context *ctx, const char *folder,
                               const orthant_matrix *samples, const sample_order *order)
{
    chart_place place = {.ctx = ctx, .folder = folder};
    if (!order->count || !is_affordable(samples, order))
        return ORTHANT_OK;
    if (orthant_matrix_is_streamed(samples))
        return write_streamed(&place, samples, order);
    return write_map(&place, DATA_CHART, samples, order);
}

/* ---- maps -------------------------------------------------------------------------------------
 */

/* Where a cluster ends and the next begins. */
static void write_borders(FILE *script, const sample_order *order, bool both)
{
    if (order->clusters > HEAT_MOST_LINES)
        return;
    for (int64_t i = 1; i < order->count; i++) {
        if (order->cluster[i] == order->cluster[i - 1])
            continue;
        const double at = (double)i - 0.5;
        fprintf(script,
                "set arrow from %g, graph 0 to %g, graph 1 nohead front lc rgb '#ffffff' lw 0.6\n",
                at, at);
        if (both)
            fprintf(script,
                    "set arrow from graph 0, first %g to graph 1, first %g nohead front lc rgb "
                    "'#ffffff' lw 0.6\n",
                    at, at);
    }
}

static void write_map_head(FILE *script, double lowest)
{
    heat_write_palette(script);
    fprintf(script,
            "set cbrange [%g:1]\n"
            "unset key\nunset border\nset tics scale 0 textcolor rgb '#808080'\n"
            "set cbtics scale 0\n"
            "set yrange [] reverse\nset autoscale xfix\nset autoscale yfix\n",
            lowest);
}

/* The picture is drawn here; gnuplot draws what it cannot read. */
static orthant_status end_map(chart *drawn, const heat_map *map)
{
    bool done = false;
    const orthant_status status =
        heat_draw(drawn->place, drawn->name, map, drawn->width, drawn->height, &done);
    if (status) {
        chart_drop(drawn);
        return status;
    }
    return done ? chart_end_drawn(drawn) : chart_end(drawn);
}

orthant_status heat_square(chart_place *place, const char *name, const char *caption, bool negative,
                           const sample_order *order)
{
    chart drawn = {.place = place,
                   .name = name,
                   .description = caption,
                   .caption = caption,
                   .width = 440,
                   .height = 380,
                   .heat = true};
    const orthant_status status = chart_begin(&drawn);
    if (status)
        return status;
    write_map_head(drawn.script, negative ? -1 : 0);
    fputs("set size square\nset tmargin 0.5\nset bmargin 0.5\nset lmargin 1\nunset xtics\nunset "
          "ytics\n",
          drawn.script);
    write_borders(drawn.script, order, true);
    fprintf(drawn.script, "plot '%s.csv' matrix with image\n", name);
    return end_map(&drawn, &(heat_map){.rows = order->count,
                                       .columns = order->count,
                                       .lowest = negative ? -1 : 0,
                                       .order = order,
                                       .both = true});
}

static bool has_negative(const orthant_matrix *m)
{
    const int64_t entries = m->sparse ? m->row_start[m->rows] : m->rows * m->stride;
    for (int64_t i = 0; i < entries; i++)
        if (matrix_value(m, i) < 0)
            return true;
    return false;
}

/* A cosine below 0 has a minus sign. */
static orthant_status data_has_negative(orthant_context *ctx, const char *path, bool *negative)
{
    char *text = NULL;
    size_t length;
    const orthant_status status = text_file_read(ctx, path, (int64_t)1 << 24, &text, &length);
    *negative = !status && strchr(text, '-');
    memory_free(ctx, text);
    return status;
}

orthant_status heat_of_similarity(chart_place *place, const orthant_matrix *encoding,
                                  const sample_order *order)
{
    orthant_status status = ORTHANT_OK;
    file_presence data;
    bool negative = false;
    if (!order->count)
        return ORTHANT_OK;
    char *path = path_join(place->ctx, place->folder, CHART_FOLDER "/" DATA_CHART ".csv");
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    fputs("<h2>Similarity of samples</h2>\n<div class=\"charts\">\n", place->page);
    status = file_look(place->ctx, path, &data);
    if (!status && data == FILE_PLAIN) {
        status = data_has_negative(place->ctx, path, &negative);
        if (!status)
            status = heat_square(place, DATA_CHART,
                                 "Before: the cosine of every two samples, ordered by cluster.",
                                 negative, order);
    }
    memory_free(place->ctx, path);
    if (!status && encoding && is_affordable(encoding, order)) {
        status = write_map(place, "similarity-encoding", encoding, order);
        if (!status)
            status = heat_square(place, "similarity-encoding",
                                 "After: the cosine of their encodings, in the same order.",
                                 has_negative(encoding), order);
    }
    fputs("</div>\n", place->page);
    return status;
}

/* ---- coefficients -----------------------------------------------------------------------------
 */

typedef struct part_place {
    int64_t part;
    double cluster; /* the mean place of the samples that it serves */
} part_place;

static int by_place(const void *a, const void *b)
{
    const part_place *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

/* values: samples x parts, each sample scaled to its largest modulus. */
static void scale_samples(const orthant_matrix *encoding, const sample_order *order, double *values)
{
    for (int64_t i = 0; i < order->count; i++) {
        double *row = values + i * encoding->columns, largest = 0;
        matrix_copy_row(encoding, order->sample[i], row);
        for (int64_t c = 0; c < encoding->columns; c++)
            largest = fmax(largest, fabs(row[c]));
        for (int64_t c = 0; c < encoding->columns && largest > 0; c++)
            row[c] /= largest;
    }
}

/* A part stands where the cluster is that has most of it. */
static void place_parts(const double *values, int64_t parts, const sample_order *order,
                        part_place *place)
{
    for (int64_t c = 0; c < parts; c++) {
        double most = -1;
        place[c] = (part_place){.part = c};
        for (int64_t i = 0; i < order->count;) {
            const int64_t cluster = order->cluster[i];
            double sum = 0, count = 0;
            for (; i < order->count && order->cluster[i] == cluster; i++, count++)
                sum += fabs(values[i * parts + c]);
            if (sum / count > most) {
                most = sum / count;
                place[c].cluster = (double)cluster;
            }
        }
    }
    qsort(place, (size_t)parts, sizeof *place, by_place);
}

static orthant_status write_coefficients(chart_place *where, const orthant_matrix *encoding,
                                         const sample_order *order)
{
    orthant_context *ctx = where->ctx;
    file_writer writer;
    const int64_t parts = encoding->columns;
    int64_t size = 0;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    double *values = NULL;
    part_place *place = memory_new(ctx, parts, sizeof *place, "an order of parts");
    if (size_multiply(order->count, parts, &size))
        values = memory_new(ctx, size, sizeof *values, "coefficients");
    if (place && values)
        status = chart_data_begin(where, "coefficients", &writer);
    if (!status) {
        scale_samples(encoding, order, values);
        place_parts(values, parts, order, place);
        for (int64_t r = 0; r < parts; r++)
            write_entries(writer.file, values + place[r].part, parts, order->count);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, values);
    memory_free(ctx, place);
    return status;
}

orthant_status heat_of_coefficients(chart_place *place, const orthant_matrix *encoding,
                                    const sample_order *order)
{
    char caption[300];
    chart drawn = {.place = place,
                   .name = "coefficients",
                   .description = caption,
                   .caption = caption,
                   .width = 720,
                   .height = 260,
                   .heat = true};
    if (!encoding || !order->count || encoding->columns > 2000)
        return ORTHANT_OK;
    snprintf(caption, sizeof caption,
             "Coefficients of %" PRId64 " samples (across, ordered by cluster) on the %" PRId64
             " parts (down, in the order of the clusters that have most of them), each sample "
             "scaled to its largest.",
             order->count, encoding->columns);
    orthant_status status = write_coefficients(place, encoding, order);
    if (!status)
        status = chart_begin(&drawn);
    if (status)
        return status;
    fputs("<h2>Coefficients</h2>\n", place->page);
    write_map_head(drawn.script, has_negative(encoding) ? -1 : 0);
    fputs("set tmargin 0.5\nset xlabel 'samples' textcolor rgb '#808080'\nset ylabel 'parts' "
          "textcolor rgb "
          "'#808080'\nunset xtics\nunset ytics\n",
          drawn.script);
    write_borders(drawn.script, order, false);
    fputs("plot 'coefficients.csv' matrix with image\n", drawn.script);
    return end_map(&drawn, &(heat_map){.rows = encoding->columns,
                                       .columns = order->count,
                                       .lowest = has_negative(encoding) ? -1 : 0,
                                       .order = order,
                                       .below = "samples",
                                       .beside = "parts"});
}
