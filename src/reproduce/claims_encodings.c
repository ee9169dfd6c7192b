/* Claims about encodings, from the factors that a study kept and the samples that it fitted. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "orthant/run.h"
#include "reproduce/claims.h"
#include "reproduce/figures.h"

#define SMALL 0.01 /* of the largest entry of an encoding: below it an entry counts as zero */

static orthant_status open_kept(const protocol_runs *runs, const char *method,
                                orthant_saved_run **saved)
{
    char *folder = runs_kept(runs, method, runs->results.row[0].classes);
    const orthant_status status =
        folder ? orthant_saved_run_open(runs->ctx, folder, saved) : ORTHANT_ERROR_MEMORY;
    memory_free(runs->ctx, folder);
    return status;
}

/* A copy of the samples, scaled as the run's were. */
static orthant_status scaled_samples(const protocol_runs *runs, orthant_saved_run *saved,
                                     orthant_matrix **samples)
{
    orthant_status status = runs->samples ? ORTHANT_OK
                                          : fail(runs->ctx, ORTHANT_ERROR_DATA,
                                                 "%s: its samples are not at hand", runs->folder);
    if (!status)
        status = matrix_copy(runs->ctx, runs->samples, runs->samples->precision, samples);
    if (!status)
        status = orthant_saved_run_scale(saved, NULL, *samples);
    if (status) {
        orthant_matrix_free(*samples);
        *samples = NULL;
    }
    return status;
}

/* The only entry of row i that is not small; -1 where there are more, or none. */
static int64_t only_entry(const orthant_matrix *encoding, int64_t i)
{
    int64_t largest = 0;
    for (int64_t k = 1; k < encoding->columns; k++)
        if (orthant_matrix_get(encoding, i, k) > orthant_matrix_get(encoding, i, largest))
            largest = k;
    const double limit = SMALL * orthant_matrix_get(encoding, i, largest);
    for (int64_t k = 0; k < encoding->columns; k++)
        if (k != largest && orthant_matrix_get(encoding, i, k) >= limit)
            return -1;
    return largest;
}

/* The column of the basis that is nearest to row i of the samples. */
static int64_t nearest_vector(const orthant_matrix *samples, int64_t i, const orthant_matrix *basis)
{
    int64_t nearest = 0;
    double least = INFINITY;
    for (int64_t k = 0; k < basis->columns; k++) {
        double distance = 0;
        for (int64_t f = 0; f < basis->rows; f++) {
            const double gap = orthant_matrix_get(samples, i, f) - orthant_matrix_get(basis, f, k);
            distance += gap * gap;
        }
        if (distance < least) {
            least = distance;
            nearest = k;
        }
    }
    return nearest;
}

orthant_status encodings_one_nonzero(const protocol_runs *runs, const char *method, double *one,
                                     double *nearest)
{
    orthant_saved_run *saved = NULL;
    orthant_matrix *samples = NULL;
    const orthant_matrix *encoding = NULL, *basis = NULL;
    int64_t single = 0, agree = 0;
    orthant_status status = open_kept(runs, method, &saved);
    if (!status)
        status = orthant_saved_run_factor(saved, "encoding", &encoding);
    if (!status)
        status = orthant_saved_run_factor(saved, "basis", &basis);
    if (!status)
        status = scaled_samples(runs, saved, &samples);
    if (!status && (samples->rows != encoding->rows || samples->columns != basis->rows))
        status = fail(runs->ctx, ORTHANT_ERROR_FORMAT, "%s: not the factors of these samples",
                      runs->folder);
    for (int64_t i = 0; !status && i < encoding->rows; i++) {
        const int64_t entry = only_entry(encoding, i);
        single += entry >= 0;
        agree += entry >= 0 && entry == nearest_vector(samples, i, basis);
    }
    if (!status) {
        *one = (double)single / (double)encoding->rows;
        *nearest = single ? (double)agree / (double)single : (double)NAN;
    }
    orthant_matrix_free(samples);
    orthant_saved_run_free(saved);
    return status;
}

/* ---- pictures that are moved ---- */

/* Every picture by (down, right) pixels; what comes in at an edge repeats it. */
static orthant_status shift_pictures(const orthant_matrix *from, orthant_picture_shape shape,
                                     int down, int right, orthant_matrix **moved)
{
    const int64_t pixels = (int64_t)shape.height * shape.width;
    const orthant_status status =
        matrix_new_dense(from->ctx, ORTHANT_DOUBLE, from->rows, from->columns, moved);
    for (int64_t i = 0; !status && i < from->rows; i++)
        for (int64_t p = 0; p < pixels; p++) {
            const int64_t y = shape.column_major ? p % shape.height : p / shape.width;
            const int64_t x = shape.column_major ? p / shape.height : p % shape.width;
            const int64_t from_y = y - down < 0               ? 0
                                   : y - down >= shape.height ? shape.height - 1
                                                              : y - down;
            const int64_t from_x = x - right < 0              ? 0
                                   : x - right >= shape.width ? shape.width - 1
                                                              : x - right;
            const int64_t at =
                shape.column_major ? from_x * shape.height + from_y : from_y * shape.width + from_x;
            matrix_set_value(*moved, i * (*moved)->stride + p, orthant_matrix_get(from, i, at));
        }
    return status;
}

static double mean_cosine(const orthant_matrix *a, const orthant_matrix *b)
{
    double sum = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        double product = 0, of_a = 0, of_b = 0;
        for (int64_t k = 0; k < a->columns; k++) {
            const double x = orthant_matrix_get(a, i, k), y = orthant_matrix_get(b, i, k);
            product += x * y;
            of_a += x * x;
            of_b += y * y;
        }
        sum += of_a > 0 && of_b > 0 ? product / sqrt(of_a * of_b) : of_a == of_b;
    }
    return sum / (double)a->rows;
}

static orthant_status moved_cosine(orthant_saved_run *saved, const orthant_matrix *samples,
                                   orthant_picture_shape shape, const orthant_matrix *encoding,
                                   int down, int right, double *cosine)
{
    orthant_matrix *moved = NULL, *codes = NULL;
    orthant_status status = shift_pictures(samples, shape, down, right, &moved);
    if (!status)
        status = orthant_saved_run_encode(saved, moved, NULL, &codes);
    if (!status)
        *cosine = mean_cosine(encoding, codes);
    orthant_matrix_free(codes);
    orthant_matrix_free(moved);
    return status;
}

orthant_status encodings_shifted(const protocol_runs *runs, const char *method, double *cosine)
{
    static const int moves[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    const orthant_picture_shape shape = orthant_matrix_picture(runs->samples);
    orthant_saved_run *saved = NULL;
    orthant_matrix *samples = NULL, *encoding = NULL;
    double sum = 0;
    *cosine = NAN;
    if (shape.channels > 1 ||
        (int64_t)shape.height * shape.width != orthant_matrix_columns(runs->samples))
        return ORTHANT_OK;
    orthant_status status = open_kept(runs, method, &saved);
    if (!status)
        status = scaled_samples(runs, saved, &samples);
    if (!status)
        status = orthant_saved_run_encode(saved, samples, NULL, &encoding);
    for (int i = 0; i < 4 && !status; i++) {
        double found = 0;
        status = moved_cosine(saved, samples, shape, encoding, moves[i][0], moves[i][1], &found);
        sum += found;
    }
    if (!status)
        *cosine = sum / 4;
    orthant_matrix_free(encoding);
    orthant_matrix_free(samples);
    orthant_saved_run_free(saved);
    return status;
}
