/* What a fit takes above its data and factors, as a part of these: the methods of the factor model
 * on a file, or on generated data.
 *
 *   memory [DATA RANK METHOD...] */
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"
#include "orthant/orthant.h"

#define ITERATIONS 5

static void give_up(orthant_context *ctx)
{
    fprintf(stderr, "%s\n", orthant_message(ctx));
    exit(1);
}

static void measure(orthant_context *ctx, const orthant_matrix *X, const orthant_labels *truth,
                    int64_t rank, const char *method)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    char iterations[16];
    const size_t data = orthant_context_memory(ctx);
    snprintf(iterations, sizeof iterations, "%d", ITERATIONS);
    orthant_context_reset_peak_memory(ctx);
    if (orthant_model_create(ctx, method, rank, &model) ||
        orthant_model_set(model, "iterations", iterations) ||
        orthant_model_set(model, "tolerance", "0") ||
        (truth && orthant_model_set_labels(model, truth)) || orthant_fit(model, X, &result))
        give_up(ctx);
    const double size = (double)precision_size(X->precision),
                 factors = (double)((X->rows + X->columns) * matrix_padded(X->precision, rank)),
                 whole = (double)data + factors * size;
    printf("%-9s %9.2f %9.2f %8.1f %% %9.3f\n", method, (double)data / 1e6, factors * size / 1e6,
           100 * ((double)orthant_context_peak_memory(ctx) / whole - 1),
           1e3 * orthant_result_seconds(result) / ITERATIONS);
    orthant_result_free(result);
    orthant_model_free(model);
}

static orthant_matrix *make_faces(orthant_context *ctx)
{
    orthant_matrix *X = NULL;
    if (matrix_new_dense(ctx, ORTHANT_SINGLE, 400, 1024, &X))
        give_up(ctx);
    for (int64_t e = 0; e < 400 * 1024; e++)
        matrix_set_value(X, e, random_uniform(1, RANDOM_TEST, (uint64_t)e, 0));
    return X;
}

int main(int count, char **words)
{
    static const char *const usual[] = {"nmf", "nmf-kl", "tnmf", "nlcf", "gnmf", "nlcf-g", "nnsc"};
    const orthant_read_options as_it_is = ORTHANT_READ_DEFAULTS;
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL;
    orthant_labels *truth = NULL;
    if (orthant_context_create(&ctx))
        return 1;
    if (count > 1 && orthant_matrix_read(ctx, words[1], &as_it_is, &X, &truth))
        give_up(ctx);
    if (!X)
        X = make_faces(ctx);
    const int64_t rank = count > 2 ? atoi(words[2]) : 40;
    printf("%-9s %9s %9s %10s %9s\n", "method", "data MB", "factors", "above", "ms each");
    for (int i = 3; i < count; i++)
        measure(ctx, X, truth, rank, words[i]);
    for (size_t i = 0; count <= 3 && i < sizeof usual / sizeof *usual; i++)
        measure(ctx, X, truth, rank, usual[i]);
    orthant_labels_free(truth);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
    return 0;
}
