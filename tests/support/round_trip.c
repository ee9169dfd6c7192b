#include "round_trip.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "expect.h"

static double draw(uint64_t stream, int64_t i, int64_t j)
{
    return random_uniform(stream, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

/* Four parts with some noise, so that fits end where they are stationary. */
orthant_matrix *planted_samples(orthant_context *ctx, int64_t n, int64_t m)
{
    double *values = calloc((size_t)(n * m), sizeof *values);
    orthant_matrix *X = NULL;
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            values[i * m + j] = 0.02 + 0.05 * draw(11, i, j);
            for (int r = 0; r < 4; r++)
                values[i * m + j] += pow(draw(12, i, r), 2) * pow(draw(13, j, r), 3);
        }
    expect_ok(ctx, orthant_matrix_create(ctx, n, m, values, &X));
    free(values);
    return X;
}

/* The distance of the codes from the encodings, of the samples without a label, over their length.
 */
double round_trip_error(const orthant_matrix *codes, const orthant_matrix *encoding,
                        const orthant_labels *labels)
{
    double away = 0, length = 0;
    for (int64_t i = 0; i < orthant_matrix_rows(codes); i++)
        for (int64_t r = 0; r < orthant_matrix_columns(codes); r++) {
            const double s = orthant_matrix_get(encoding, i, r);
            if (labels && orthant_labels_values(labels)[i] >= 0)
                continue;
            away += pow(orthant_matrix_get(codes, i, r) - s, 2);
            length += s * s;
        }
    return sqrt(away / length);
}
