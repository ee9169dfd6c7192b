/* Fit arrays of one's own, dense and CSR, without a copy; watch the factors; read them by pointer.
 */
#include <orthant/orthant.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 200, FEATURES = 30, ROW = 32, RANK = 4 };

/* Samples of four kinds, in rows of ROW floats of which FEATURES count. */
static float *make_samples(void)
{
    float *values = calloc((size_t)SAMPLES * ROW, sizeof *values);
    for (int i = 0; values && i < SAMPLES; i++)
        for (int j = 0; j < FEATURES; j++)
            values[i * ROW + j] = (j % RANK == i % RANK ? 3.0f : 0.2f) + (float)(i * j % 7) / 20.0f;
    return values;
}

static void forget(void *user)
{
    free(user);
}

/* Stops when an iteration lowers the objective by less than a thousandth. */
static bool watch(void *user, const orthant_result *result)
{
    double *last = user;
    const double now = orthant_result_objective(result);
    const bool go_on = !(*last - now < 1e-3 * *last);
    *last = now;
    return go_on;
}

static void print_first_encoding(const orthant_result *result)
{
    orthant_array view = {.size = sizeof view};
    if (orthant_matrix_view(orthant_result_factor(result, "encoding"), &view))
        return;
    const float *encoding = view.values; /* in the data's precision */
    for (int64_t j = 0; j < view.columns; j++)
        printf("%s%.3f", j ? " " : "first sample: ", (double)encoding[0 * view.row_stride + j]);
    printf("\n");
}

static orthant_status fit_dense(orthant_context *ctx)
{
    float *values = make_samples();
    orthant_array samples = {
        .size = sizeof samples,
        .precision = ORTHANT_SINGLE,
        .rows = SAMPLES,
        .columns = FEATURES,
        .values = values,
        .row_stride = ROW, /* elements, not bytes */
        .column_stride = 1,
    };
    orthant_matrix *X = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    double last = 1e300;
    orthant_status status = orthant_matrix_wrap(ctx, &samples, forget, values, &X);
    if (status)
        free(values); /* what failed has borrowed nothing */
    if (!status)
        status = orthant_model_create(ctx, "nmf", RANK, &model);
    if (!status)
        status = orthant_model_set(model, "seed", "7");
    if (!status)
        status = orthant_model_set_iteration(model, watch, &last);
    if (!status)
        status = orthant_fit(model, X, &result);
    if (!status) {
        printf("dense, %s: %lld iterations\n",
               orthant_matrix_is_borrowed(X) ? "borrowed" : "copied",
               (long long)orthant_result_iterations(result));
        print_first_encoding(result);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X); /* calls forget */
    return status;
}

static orthant_status fit_csr(orthant_context *ctx)
{
    static const int32_t row_start[] = {0, 2, 4, 6, 8}, column[] = {0, 1, 0, 1, 2, 3, 2, 3};
    static const double values[] = {1, 2, 2, 4, 3, 1, 6, 2};
    const orthant_array samples = {
        .size = sizeof samples,
        .precision = ORTHANT_DOUBLE,
        .sparse = true,
        .rows = 4,
        .columns = 4,
        .values = values,
        .stored = 8,
        .row_start = row_start,
        .column = column,
        .row_start_bits = 32,
        .column_bits = 32,
    };
    orthant_matrix *X = NULL;
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    orthant_labels *labels = NULL;
    orthant_status status = orthant_matrix_wrap(ctx, &samples, NULL, NULL, &X);
    if (!status)
        status = orthant_model_create(ctx, "nmf", 2, &model);
    if (!status)
        status = orthant_fit(model, X, &result);
    if (!status)
        status = orthant_result_labels(result, "argmax:encoding", 2, 1, 1, &labels);
    if (!status) {
        const int64_t *label = orthant_labels_values(labels);
        printf("CSR: the first two samples %s, the last two %s\n",
               label[0] == label[1] ? "together" : "apart",
               label[2] == label[3] ? "together" : "apart");
    }
    orthant_labels_free(labels);
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(X);
    return status;
}

int main(void)
{
    orthant_context *ctx = NULL;
    orthant_status status = orthant_context_create(&ctx);
    if (!status)
        status = fit_dense(ctx);
    if (!status)
        status = fit_csr(ctx);
    if (status)
        fprintf(stderr, "%s: %s\n", orthant_status_name(status), orthant_message(ctx));
    orthant_context_free(ctx);
    return status ? 1 : 0;
}
