/* Makes the places of the samples, their errors, and the files. */
#include "report/sample_map.h"

#include <math.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "graph/layout.h"
#include "kernel/eigen.h"
#include "method/fit.h"
#include "report/json.h"
#include "report/sample_pictures.h"
#include "report/text_file.h"

#define MOST_PARTS 1000
#define MOST_PRODUCTS 1e10 /* of entries, for the errors */
#define SAME_ERROR 1e-3    /* relative: the model is S W' itself */

typedef struct sample_map {
    orthant_context *ctx;
    const orthant_run *run;
    const orthant_matrix *encoding;
    int64_t count, step, rank;
    orthant_matrix *points; /* count x rank: encodings at unit length */
    double *mean;           /* rank */
    double *covariance;     /* rank x rank */
    double *basis, *gram;   /* features x rank, rank x rank */
    double *left, *whole;   /* count: |x - W s|^2 and |x|^2 */
    orthant_matrix *map;    /* count x MAP_COLUMNS */
} sample_map;

/* ---- principal components ---------------------------------------------------------------------
 */

static const float *point(const sample_map *m, int64_t i)
{
    return (const float *)m->points->values + i * m->points->stride;
}

static orthant_status make_points(sample_map *m)
{
    const orthant_status status =
        matrix_new_dense(m->ctx, ORTHANT_SINGLE, m->count, m->rank, &m->points);
    for (int64_t i = 0; i < m->count && !status; i++) {
        double squares = 0;
        for (int64_t k = 0; k < m->rank; k++) {
            const double value = orthant_matrix_get(m->encoding, i * m->step, k);
            squares += value * value;
        }
        for (int64_t k = 0; k < m->rank; k++) {
            const double value = orthant_matrix_get(m->encoding, i * m->step, k);
            matrix_set_value(m->points, i * m->points->stride + k,
                             squares > 0 ? value / sqrt(squares) : 0);
        }
    }
    return status;
}

/* A row of the covariance, up to its diagonal. */
static void covariance_row(void *user, int64_t a, int thread)
{
    const sample_map *m = user;
    double *row = m->covariance + a * m->rank;
    (void)thread;
    for (int64_t i = 0; i < m->count; i++) {
        const float *x = point(m, i);
        const double own = (double)x[a] - m->mean[a];
        for (int64_t b = 0; b <= a; b++)
            row[b] += own * ((double)x[b] - m->mean[b]);
    }
}

static orthant_status principal_axes(sample_map *m, int64_t wanted, double *axes)
{
    double values[2];
    m->mean = memory_new(m->ctx, m->rank, sizeof *m->mean, "the mean of encodings");
    m->covariance =
        memory_new(m->ctx, m->rank * m->rank, sizeof *m->covariance, "the encodings' covariance");
    if (!m->mean || !m->covariance)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < m->count; i++)
        for (int64_t k = 0; k < m->rank; k++)
            m->mean[k] += (double)point(m, i)[k] / (double)m->count;
    parallel_for(m->ctx, m->rank, covariance_row, m);
    for (int64_t a = 0; a < m->rank; a++)
        for (int64_t b = 0; b < a; b++)
            m->covariance[b * m->rank + a] = m->covariance[a * m->rank + b];
    const orthant_status status =
        eigen_dense(m->ctx, m->covariance, m->rank, m->rank, wanted, values, axes);
    /* The sign of an eigenvector is anybody's: its largest entry shall be positive. */
    for (int64_t c = 0; c < wanted && !status; c++) {
        double largest = 0;
        for (int64_t k = 0; k < m->rank; k++)
            if (fabs(axes[c * m->rank + k]) > fabs(largest) * (1 + 1e-9))
                largest = axes[c * m->rank + k];
        for (int64_t k = 0; k < m->rank && largest < 0; k++)
            axes[c * m->rank + k] = -axes[c * m->rank + k];
    }
    return status;
}

static orthant_status place_points(sample_map *m, float *place)
{
    const int64_t wanted = m->rank < 2 ? 1 : 2;
    double *axes = memory_new(m->ctx, wanted * m->rank, sizeof *axes, "principal axes");
    const orthant_status status = axes ? principal_axes(m, wanted, axes) : ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < m->count && !status; i++)
        for (int64_t c = 0; c < 2; c++) {
            double along = 0;
            for (int64_t k = 0; k < m->rank && c < wanted; k++)
                along += ((double)point(m, i)[k] - m->mean[k]) * axes[c * m->rank + k];
            place[2 * i + c] = (float)along;
        }
    memory_free(m->ctx, axes);
    return status;
}

static void put_places(const sample_map *m, int column, const float *place)
{
    for (int64_t i = 0; i < m->count; i++)
        for (int c = 0; c < 2; c++)
            matrix_set_value(m->map, i * m->map->stride + column + c, (double)place[2 * i + c]);
}

static orthant_status make_places(sample_map *m)
{
    float *place = memory_new(m->ctx, 2 * m->count, sizeof *place, "places of samples");
    orthant_status status = place ? place_points(m, place) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        put_places(m, MAP_PCA, place);
        status = layout_neighbours(m->ctx, m->points, 0, place);
    }
    if (!status)
        put_places(m, MAP_NEAR, place);
    memory_free(m->ctx, place);
    return status;
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static double fitted(const sample_map *m, int64_t feature, const double *encoding)
{
    double sum = 0;
    for (int64_t k = 0; k < m->rank; k++)
        sum += m->basis[feature * m->rank + k] * encoding[k];
    return sum;
}

/* Of a sparse sample the entries that are zero leave y^2 each: |y|^2 = s'W'W s, less y^2 of the
 * others. */
static void sample_error(void *user, int64_t i, int thread)
{
    const sample_map *m = user;
    const orthant_matrix *x = m->run->samples;
    const int64_t sample = i * m->step;
    const int64_t first = x->sparse ? x->row_start[sample] : sample * x->stride;
    const int64_t entries = x->sparse ? x->row_start[sample + 1] - first : x->columns;
    double left = 0, whole = 0, encoding[MOST_PARTS];
    (void)thread;
    for (int64_t k = 0; k < m->rank; k++)
        encoding[k] = orthant_matrix_get(m->encoding, sample, k);
    for (int64_t e = 0; e < entries; e++) {
        const double value = matrix_value(x, first + e);
        const double y = fitted(m, x->sparse ? x->column[first + e] : e, encoding);
        left += (value - y) * (value - y) - (x->sparse ? y * y : 0);
        whole += value * value;
    }
    for (int64_t a = 0; a < m->rank && x->sparse; a++)
        for (int64_t b = 0; b < m->rank; b++)
            left += encoding[a] * encoding[b] * m->gram[a * m->rank + b];
    m->left[i] = left > 0 ? left : 0;
    m->whole[i] = whole;
}

static void take_basis(const sample_map *m, const orthant_matrix *basis)
{
    for (int64_t f = 0; f < basis->rows; f++)
        for (int64_t k = 0; k < m->rank; k++)
            m->basis[f * m->rank + k] = orthant_matrix_get(basis, f, k);
    for (int64_t f = 0; f < basis->rows; f++)
        for (int64_t a = 0; a < m->rank; a++)
            for (int64_t b = 0; b < m->rank && m->gram; b++)
                m->gram[a * m->rank + b] += m->basis[f * m->rank + a] * m->basis[f * m->rank + b];
}

/* Whether the errors together are the run's: otherwise it models the samples in another way. Of
 * some of the samples that cannot be told. */
static bool is_models_error(const sample_map *m)
{
    double left = 0, whole = 0;
    for (int64_t i = 0; i < m->count; i++) {
        left += m->left[i];
        whole += m->whole[i];
    }
    const double told = orthant_result_relative_error(m->run->result);
    return whole > 0 && fabs(sqrt(left / whole) - told) <= SAME_ERROR * (told + SAME_ERROR);
}

static orthant_status find_errors(sample_map *m, const orthant_matrix *basis)
{
    const int64_t rank = m->rank;
    m->basis = memory_new(m->ctx, basis->rows * rank, sizeof *m->basis, "a basis");
    m->left = memory_new(m->ctx, m->count, sizeof *m->left, "errors of samples");
    m->whole = memory_new(m->ctx, m->count, sizeof *m->whole, "squares of samples");
    if (m->run->samples->sparse)
        m->gram = memory_new(m->ctx, rank * rank, sizeof *m->gram, "a Gram matrix");
    if (!m->basis || !m->left || !m->whole || (m->run->samples->sparse && !m->gram))
        return ORTHANT_ERROR_MEMORY;
    take_basis(m, basis);
    parallel_for(m->ctx, m->count, sample_error, m);
    if (!is_models_error(m))
        return ORTHANT_OK;
    for (int64_t i = 0; i < m->count; i++)
        if (m->whole[i] > 0)
            matrix_set_value(m->map, i * m->map->stride + MAP_ERROR,
                             sqrt(m->left[i] / m->whole[i]));
    return ORTHANT_OK;
}

static orthant_status make_errors(sample_map *m)
{
    const orthant_matrix *x = m->run->samples;
    const orthant_matrix *basis = orthant_result_factor(m->run->result, "basis");
    for (int64_t i = 0; i < m->count; i++)
        matrix_set_value(m->map, i * m->map->stride + MAP_ERROR, (double)NAN);
    if (!basis || basis->columns != m->rank || basis->rows != x->columns || m->step > 1 ||
        orthant_matrix_is_streamed(x) || matrix_file(x))
        return ORTHANT_OK;
    const double entries = (double)orthant_matrix_nonzeros(x);
    const double cost = (x->sparse ? entries : (double)x->rows * (double)x->columns) +
                        (double)basis->rows * (double)m->rank;
    return cost * (double)m->rank > MOST_PRODUCTS ? ORTHANT_OK : find_errors(m, basis);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static orthant_status write_places(sample_map *m, const char *folder)
{
    char *path = NULL;
    orthant_status status = make_points(m);
    if (!status)
        status = matrix_new_dense(m->ctx, ORTHANT_SINGLE, m->count, MAP_COLUMNS, &m->map);
    if (!status)
        status = make_places(m);
    if (!status)
        status = make_errors(m);
    if (!status) {
        path = path_join(m->ctx, folder, "map.npy");
        status = path ? orthant_matrix_write(m->ctx, m->map, path) : ORTHANT_ERROR_MEMORY;
    }
    memory_free(m->ctx, path);
    return status;
}

/* The names of the classes that have one. */
static void write_classes(const sample_map *m, json_writer *json)
{
    const orthant_labels *truth = m->run->truth_labels;
    json_open_array(json, "classes");
    for (int64_t label = 0; truth && label < truth->count; label++) {
        const char *name = orthant_labels_name(truth, label);
        if (!name)
            break;
        json_text(json, NULL, name);
    }
    json_close(json);
}

static orthant_status write_names(const sample_map *m, int height, int width, const char *folder)
{
    file_writer writer;
    const orthant_matrix *x = m->run->samples;
    const orthant_labels *rows = m->run->sample_rows;
    char *path = path_join(m->ctx, folder, "map.json");
    orthant_status status = path ? file_write_begin(m->ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    memory_free(m->ctx, path);
    if (status)
        return status;
    json_writer json = {.file = writer.file, .compact = true};
    json_open_object(&json, NULL);
    json_integer(&json, "samples", x->rows);
    json_integer(&json, "picture_height", height);
    json_integer(&json, "picture_width", width);
    write_classes(m, &json);
    json_open_array(&json, "names");
    for (int64_t i = 0; i < m->count && orthant_matrix_sample_name(x, 0); i++)
        json_text(&json, NULL, orthant_matrix_sample_name(x, i * m->step));
    json_close(&json);
    json_open_array(&json, "rows");
    for (int64_t i = 0; i < m->count && rows && rows->count == x->rows; i++)
        json_integer(&json, NULL, rows->values[i * m->step]);
    json_close(&json);
    json_close(&json);
    return file_write_end(&writer, ORTHANT_OK);
}

orthant_status sample_map_write(orthant_context *ctx, const orthant_run *run, const char *folder)
{
    const int64_t rows = run->samples->rows;
    sample_map m = {.ctx = ctx,
                    .run = run,
                    .encoding = orthant_result_factor(run->result, "encoding"),
                    .step = sample_map_step(rows),
                    .count = sample_map_count(rows)};
    if (!run->labels || run->labels->count != rows)
        return ORTHANT_OK;
    int height, width;
    orthant_status status =
        sample_pictures_write(ctx, run->samples, m.count, m.step, folder, &height, &width);
    if (!status)
        status = write_names(&m, height, width, folder);
    m.rank = m.encoding ? m.encoding->columns : 0;
    if (!status && m.rank > 0 && m.rank <= MOST_PARTS && m.encoding->rows == rows &&
        m.count >= LAYOUT_LEAST)
        status = write_places(&m, folder);
    orthant_matrix_free(m.points);
    orthant_matrix_free(m.map);
    double *const owned[] = {m.mean, m.covariance, m.basis, m.gram, m.left, m.whole};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(ctx, owned[i]);
    return status;
}
