/* The fitted matrix of a stored run, some rows at a time: whole, in the places of missing entries,
 * or at chosen entries. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "data/row_sink.h"
#include "kernel/kernel.h"
#include "method/method.h"
#include "orthant/data.h"
#include "report/saved_run.h"

#define METHOD(saved) json_member_text((saved)->json, "method", "?")
#define ROWS_OF_A_TASK 16

/* What is written. */
typedef struct fitted {
    orthant_saved_run *saved;
    const orthant_matrix *basis, *encoding;
    bool given; /* the encodings are not the run's */
    /* entries that are known, and stay; NULL: none */
    const orthant_matrix *samples, *mask;
    bool missing_zeros, missing_nan;
    orthant_matrix *rows; /* a piece of it, from this sample on */
    int64_t first;
    double *scratch; /* k + m of each thread */
} fitted;

/* ------------------------------------------------------------------ checks */

/* Models of a loss, and those whose squared error is |X - S W'|^2. */
static orthant_status take_factors(fitted *f, const orthant_matrix *encoding)
{
    orthant_saved_run *saved = f->saved;
    const method_row *row = method_find(METHOD(saved));
    const bool product = row && (row->loss || row->squared_error) &&
                         strstr(row->factors, "basis") && strstr(row->factors, "encoding");
    if (!product)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: a run of method '%s' has no fitted matrix of basis and encodings",
                    saved->folder, METHOD(saved));
    orthant_status status = orthant_saved_run_factor(saved, "basis", &f->basis);
    f->encoding = encoding;
    f->given = encoding != NULL;
    if (!status && !encoding)
        status = orthant_saved_run_factor(saved, "encoding", &f->encoding);
    if (status)
        return status;
    if (f->basis->sparse || f->encoding->sparse || f->encoding->columns != f->basis->columns)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the basis has %" PRId64 " parts, the encodings %" PRId64, saved->folder,
                    f->basis->columns, f->encoding->columns);
    const orthant_status here = matrix_check_here(f->encoding, "the fitted matrix");
    if (here)
        return here;
    return matrix_check(f->encoding, false, f->encoding->name ? f->encoding->name : "the encodings",
                        "inverse");
}

static orthant_status take_known(fitted *f, const orthant_matrix *samples,
                                 const orthant_matrix *mask)
{
    orthant_saved_run *saved = f->saved;
    const char *missing =
        json_member_text(json_member(saved->json, "parameters"), "missing", "none");
    f->missing_nan = !strcmp(missing, "nan");
    f->missing_zeros = !strcmp(missing, "zeros");
    f->samples = samples;
    f->mask = mask;
    const char *file = json_member_text(saved->json, "mask", "");
    if (!f->missing_nan && !f->missing_zeros && !mask && *file)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the run has no missing entries but by its mask, which is not given: %s",
                    saved->folder, file);
    if (!f->missing_nan && !f->missing_zeros && !mask)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the run has no missing entries; its fitted matrix is S W'", saved->folder);
    for (int i = 0; i < 2; i++) {
        const orthant_matrix *given = i ? mask : samples;
        const orthant_status here = given ? matrix_check_here(given, "complete") : ORTHANT_OK;
        if (here)
            return here;
        if (given && (given->rows != f->encoding->rows || given->columns != f->basis->rows))
            return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                        "%s: the %s %" PRId64 " x %" PRId64 ", the run's samples %" PRId64
                        " x %" PRId64,
                        saved->folder, i ? "mask is" : "samples are", given->rows, given->columns,
                        f->encoding->rows, f->basis->rows);
    }
    if (f->missing_zeros && !samples->sparse)
        return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the run's samples were sparse, these are dense", saved->folder);
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ rows */

static double product_of(const fitted *f, int64_t i, int64_t j)
{
    const orthant_matrix *S = f->encoding, *W = f->basis;
    double total = 0;
    for (int64_t r = 0; r < W->columns; r++)
        total += matrix_value(S, i * S->stride + r) * matrix_value(W, j * W->stride + r);
    return total;
}

/* A sample's entries that are known, in the place of fitted ones. */
static void keep_known(const fitted *f, int64_t i, int64_t at)
{
    const orthant_matrix *X = f->samples;
    const int64_t begin = X->sparse ? X->row_start[i] : i * X->stride,
                  end = X->sparse ? X->row_start[i + 1] : begin + X->columns;
    int64_t next = begin;
    for (int64_t j = 0; j < X->columns; j++) {
        const bool stored = !X->sparse || (next < end && X->column[next] == j);
        const double value = stored ? matrix_value(X, X->sparse ? next : begin + j) : 0;
        next += X->sparse && stored;
        const bool known = (stored || !f->missing_zeros) && !isnan(value) &&
                           (!f->mask || orthant_matrix_get(f->mask, i, j) > 0);
        if (known)
            matrix_set_value(f->rows, at * f->rows->stride + j, value);
    }
}

static void make_rows(void *user, int64_t task, int thread)
{
    const fitted *f = user;
    const int64_t begin = task * ROWS_OF_A_TASK, end = begin + ROWS_OF_A_TASK < f->rows->rows
                                                           ? begin + ROWS_OF_A_TASK
                                                           : f->rows->rows;
    const orthant_matrix *S = f->encoding, *W = f->basis;
    double *s = f->scratch + thread * (W->columns + W->rows), *line = s + W->columns;
    for (int64_t at = begin; at < end; at++) {
        const int64_t i = f->first + at;
        for (int64_t r = 0; r < W->columns; r++)
            s[r] = matrix_value(S, i * S->stride + r);
        kernel_table(W->precision)->vector_product(matrix_array(W), s, line);
        for (int64_t j = 0; j < W->rows; j++)
            matrix_set_value(f->rows, at * f->rows->stride + j, line[j]);
        if (f->samples)
            keep_known(f, i, at);
    }
}

/* Rows [first, first + count) into f->rows. */
static orthant_status make_piece(fitted *f, int64_t first, int64_t count)
{
    orthant_context *ctx = f->saved->ctx;
    orthant_matrix_free(f->rows);
    f->rows = NULL;
    f->first = first;
    const orthant_status status =
        matrix_new_dense(ctx, orthant_context_precision(ctx), count, f->basis->rows, &f->rows);
    if (!status)
        parallel_for(ctx, (count + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK, make_rows, f);
    return status;
}

static bool is_written_by_rows(const char *path)
{
    char ending[16];
    file_ending(path, ending);
    return !strcmp(ending, "npy") || !strcmp(ending, "h5") || !strcmp(ending, "hdf5") ||
           !strcmp(ending, "csr");
}

static orthant_status write_pieces(fitted *f, const char *path)
{
    orthant_context *ctx = f->saved->ctx;
    const int64_t n = f->encoding->rows, m = f->basis->rows;
    const size_t entry = precision_size(orthant_context_precision(ctx));
    if (m > INT64_MAX / (int64_t)entry)
        return fail(ctx, ORTHANT_ERROR_MEMORY, "a row of %" PRId64 " entries does not fit", m);
    const int64_t step = row_sink_step(ctx, m * (int64_t)entry);
    row_sink sink;
    orthant_status status = row_sink_open(ctx, path, &sink);
    if (status)
        return status;
    status = row_sink_begin(&sink, n, m, false);
    for (int64_t first = 0; first < n && !status; first += step) {
        status = make_piece(f, first, n - first < step ? n - first : step);
        if (!status)
            status = row_sink_add(&sink, f->rows);
        if (!status && !progress_tell(ctx, "write", first, n, clock_seconds() - sink.started, NAN))
            status = fail(ctx, ORTHANT_STOPPED, "stopped while rows were written");
    }
    return row_sink_end(&sink, status);
}

/* Names of a table that the run wrote, from the column `ids`; none where there is no such file, or
 * it is a plain list. */
static orthant_status read_names(const fitted *f, const char *file, const char *ids,
                                 const char *drop, int64_t count, name_list *to)
{
    orthant_context *ctx = f->saved->ctx;
    const orthant_read_options options = {
        .size = sizeof options, .truth = "none", .id_column = ids, .drop = drop};
    orthant_matrix *table = NULL;
    char *path = NULL;
    orthant_status status = contents_find(ctx, f->saved->folder, f->saved->json, file, &path);
    if (!status && path)
        status = orthant_matrix_read(ctx, path, &options, &table, NULL);
    if (!status && table && table->sample_names.count == count) {
        *to = table->sample_names;
        table->sample_names = (name_list){0};
    }
    orthant_matrix_free(table);
    memory_free(ctx, path);
    return status == ORTHANT_ERROR_MEMORY ? status : ORTHANT_OK;
}

/* Those of the samples that are completed, of the encodings that are given, or of the run. */
static orthant_status give_names(const fitted *f)
{
    const orthant_matrix *X = f->samples;
    orthant_matrix *rows = f->rows;
    orthant_status status = ORTHANT_OK;
    if (X && X->feature_names.count)
        status =
            names_copy(f->saved->ctx, &X->feature_names, NULL, rows->columns, &rows->feature_names);
    else
        status = read_names(f, "basis.csv", "feature", NULL, rows->columns, &rows->feature_names);
    const name_list *ids = X ? &X->sample_names : &f->encoding->sample_names;
    if (!status && ids->count)
        status = names_copy(f->saved->ctx, ids, NULL, rows->rows, &rows->sample_names);
    else if (!status && !f->given)
        status =
            read_names(f, "samples.csv", "name", "class,cluster", rows->rows, &rows->sample_names);
    return status;
}

static orthant_status write_fitted(fitted *f, const char *path)
{
    orthant_context *ctx = f->saved->ctx;
    int64_t size;
    orthant_status status = orthant_matrix_write_check(ctx, path);
    if (status)
        return status;
    if (!size_multiply(f->basis->rows + f->basis->columns, parallel_threads(ctx), &size))
        return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: rows do not fit");
    if (!(f->scratch = memory_new(ctx, size, sizeof *f->scratch, "rows")))
        return ORTHANT_ERROR_MEMORY;
    if (!status && is_written_by_rows(path)) {
        status = write_pieces(f, path);
    } else if (!status) {
        status = make_piece(f, 0, f->encoding->rows);
        if (!status)
            status = give_names(f);
        if (!status)
            status = orthant_matrix_write(ctx, f->rows, path);
    }
    orthant_matrix_free(f->rows);
    memory_free(ctx, f->scratch);
    return status;
}

/* ------------------------------------------------------------------ entries */

orthant_status orthant_saved_run_inverse(orthant_saved_run *saved, const orthant_matrix *encoding,
                                         const char *path)
{
    fitted f = {.saved = saved};
    if (!saved || !path)
        return saved_run_refuse_null(saved, __func__);
    const orthant_status status = take_factors(&f, encoding);
    return status ? status : write_fitted(&f, path);
}

orthant_status orthant_saved_run_complete(orthant_saved_run *saved, const orthant_matrix *samples,
                                          const orthant_matrix *mask, const char *path)
{
    fitted f = {.saved = saved};
    if (!saved || !samples || !path)
        return saved_run_refuse_null(saved, __func__);
    orthant_status status = take_factors(&f, NULL);
    if (!status)
        status = take_known(&f, samples, mask);
    return status ? status : write_fitted(&f, path);
}

orthant_status orthant_saved_run_entries(orthant_saved_run *saved, int64_t count,
                                         const int64_t *rows, const int64_t *columns,
                                         double *values)
{
    fitted f = {.saved = saved};
    if (!saved || !rows || !columns || !values)
        return saved_run_refuse_null(saved, __func__);
    const orthant_status status = take_factors(&f, NULL);
    if (status)
        return status;
    for (int64_t e = 0; e < count; e++) {
        if (rows[e] < 0 || rows[e] >= f.encoding->rows || columns[e] < 0 ||
            columns[e] >= f.basis->rows)
            return fail(saved->ctx, ORTHANT_ERROR_ARGUMENT,
                        "there is no entry (%" PRId64 ", %" PRId64
                        "): the run's samples are %" PRId64 " x %" PRId64,
                        rows[e], columns[e], f.encoding->rows, f.basis->rows);
        values[e] = product_of(&f, rows[e], columns[e]);
    }
    return ORTHANT_OK;
}
