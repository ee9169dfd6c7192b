/* What a fit takes above its data and factors, as a part of these: the methods of the factor model
 * on a file, or on generated data. The graph of a method that has one is no factor; a second share
 * counts it as data, which it is where it comes from a file.
 *
 *   memory [--threads N] [DATA RANK METHOD[:SOLVER]...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "method/fit.h"
#include "orthant/orthant.h"

#define ITERATIONS 5

static void give_up(orthant_context *ctx)
{
    fprintf(stderr, "%s\n", orthant_message(ctx));
    exit(1);
}

static void measure(orthant_context *ctx, const orthant_matrix *X, const orthant_labels *known,
                    int64_t rank, const char *title)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    char iterations[16], method[64];
    const char *solver = strchr(title, ':');
    snprintf(method, sizeof method, "%.*s", solver ? (int)(solver - title) : 63, title);
    const size_t data = orthant_context_memory(ctx);
    snprintf(iterations, sizeof iterations, "%d", ITERATIONS);
    orthant_context_reset_peak_memory(ctx);
    if (orthant_model_create(ctx, method, rank, &model) ||
        orthant_model_set(model, "iterations", iterations) ||
        orthant_model_set(model, "tolerance", "0") || orthant_model_set_labels(model, known) ||
        (solver && orthant_model_set(model, "solver", solver + 1)) ||
        orthant_fit(model, X, &result))
        give_up(ctx);
    const double factors = (double)((X->rows + X->columns) * matrix_padded(X->precision, rank)) *
                           (double)precision_size(X->precision),
                 graph = (double)result->graph_bytes, whole = (double)data + factors,
                 peak = (double)orthant_context_peak_memory(ctx);
    printf("%-13s %9.2f %9.2f %8.1f %% %9.3f", title, (double)data / 1e6, factors / 1e6,
           100 * (peak / whole - 1), 1e3 * orthant_result_seconds(result) / ITERATIONS);
    if (graph > 0)
        printf(" %9.2f %8.1f %%", graph / 1e6, 100 * (peak / (whole + graph) - 1));
    printf("\n");
    orthant_result_free(result);
    orthant_model_free(model);
}

/* Some methods want a column for each known class: of more classes than columns the last are not
 * told. Data without labels get ten classes. */
static orthant_labels *known_labels(orthant_context *ctx, const orthant_matrix *X,
                                    const orthant_labels *truth, int64_t rank)
{
    orthant_labels *known = NULL;
    int64_t classes, *class_of = memory_new(ctx, X->rows, sizeof *class_of, "labels");
    if (!class_of || (truth && labels_to_classes(ctx, truth, class_of, &classes)))
        give_up(ctx);
    for (int64_t i = 0; i < X->rows; i++)
        class_of[i] = truth ? class_of[i] < rank ? class_of[i] : -1 : i % 10;
    if (orthant_labels_create(ctx, X->rows, class_of, &known))
        give_up(ctx);
    memory_free(ctx, class_of);
    return known;
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
    static const char *const usual[] = {"nmf",  "nmf-kl", "tnmf", "cdnmf", "cdnmf-kl",
                                        "nlcf", "nlcf-g", "gnmf", "sgnmf", "nnsc"};
    const orthant_read_options as_it_is = ORTHANT_READ_DEFAULTS;
    orthant_context *ctx = NULL;
    orthant_matrix *X = NULL;
    orthant_labels *truth = NULL;
    if (orthant_context_create(&ctx))
        return 1;
    if (count > 2 && strcmp(words[1], "--threads") == 0) {
        if (orthant_context_set_threads(ctx, atoi(words[2])))
            give_up(ctx);
        words += 2;
        count -= 2;
    }
    if (count > 1 && orthant_matrix_read(ctx, words[1], &as_it_is, &X, &truth))
        give_up(ctx);
    if (!X)
        X = make_faces(ctx);
    const int64_t rank = count > 2 ? atoi(words[2]) : 40;
    orthant_labels *known = known_labels(ctx, X, truth, rank);
    orthant_labels_free(truth);
    printf("%-13s %9s %9s %10s %9s %9s %10s\n", "method", "data MB", "factors", "above", "ms each",
           "graph MB", "above all");
    for (int i = 3; i < count; i++)
        measure(ctx, X, known, rank, words[i]);
    for (size_t i = 0; count <= 3 && i < sizeof usual / sizeof *usual; i++)
        measure(ctx, X, known, rank, usual[i]);
    orthant_labels_free(known);
    orthant_matrix_free(X);
    orthant_context_free(ctx);
    return 0;
}
