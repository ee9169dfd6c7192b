#include "device_kernel.h"

#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "device_fit.h"

typedef enum matrix_kind { DENSE, CSR, MIXED, KINDS } matrix_kind;

typedef struct kernel_case {
    const char *method;
    const char *parameter[2]; /* NULL: the default */
    bool given;               /* a similarity; otherwise the samples alone */
    bool mixed;               /* the matrix may have both signs */
} kernel_case;

static const kernel_case cases[] = {
    {"cf", {NULL, NULL}, false, true},         {"cf", {NULL, NULL}, true, true},
    {"convex-nmf", {NULL, NULL}, false, true}, {"convex-nmf", {NULL, NULL}, true, true},
    {"snmf", {NULL, NULL}, false, false},      {"snmf", {"rule", "half"}, true, false},
    {"wnmf", {NULL, NULL}, true, false},       {"rmnd", {NULL, NULL}, true, false},
    {"cnmf", {NULL, NULL}, false, false},      {"cnmf", {"loss", "kl"}, false, false}};

typedef struct kernel_shape {
    int64_t samples, features, rank;
} kernel_shape;

/* The last ones are not for plain loops. */
#define FEW_SHAPES 2
#define MOST_RMND 64 /* parts of a method whose k x k matrices the host has */
static const kernel_shape shapes[] = {
    {61, 7, 3}, {40, 90, 5}, {130, 300, 33}, {1500, 70, 20}, {800, 900, 130}};

static const char *const kind_names[] = {"dense", "CSR", "dense of both signs"};

/* Symmetric and definite where it is a similarity; a third of it zero where it is sparse. */
static orthant_matrix *new_matrix(orthant_context *ctx, int64_t rows, int64_t columns,
                                  bool symmetric, matrix_kind kind)
{
    double *values = calloc((size_t)(rows * columns), sizeof *values);
    int64_t *start = calloc((size_t)rows + 1, sizeof *start),
            *column = calloc((size_t)(rows * columns), sizeof *column), count = 0;
    orthant_matrix *matrix = NULL;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            const int64_t a = symmetric && j < i ? j : i, b = symmetric && j < i ? i : j;
            const double value = random_uniform(9, RANDOM_TEST, (uint64_t)a, (uint64_t)b) +
                                 (symmetric && i == j ? (double)rows / 3 : 0);
            if (kind == CSR && value < 0.33)
                continue;
            values[count] = kind == MIXED ? value - 0.3 : value;
            column[count++] = j;
        }
        start[i + 1] = count;
    }
    expect_ok(ctx, kind == CSR ? orthant_matrix_create_csr(ctx, rows, columns, start, column,
                                                           values, &matrix)
                               : orthant_matrix_create(ctx, rows, columns, values, &matrix));
    free(values);
    free(start);
    free(column);
    return matrix;
}

/* Three classes, and samples of none. */
static orthant_labels *new_labels(orthant_context *ctx, int64_t count)
{
    int64_t *values = calloc((size_t)count, sizeof *values);
    orthant_labels *labels = NULL;
    for (int64_t i = 0; i < count; i++)
        values[i] = i % 2 ? i % 3 : -1;
    expect_ok(ctx, orthant_labels_create(ctx, count, values, &labels));
    free(values);
    return labels;
}

/* Both signs at once: rounding is that of the larger part. */
static double tolerance_of(bool single, matrix_kind kind)
{
    return (single ? 1e-5 : 1e-11) * (kind == MIXED ? 10 : 1);
}

static void check_case(const kernel_case *c, const kernel_shape *shape, matrix_kind kind,
                       bool single, const char *device)
{
    test_problem p = {0};
    orthant_matrix *K = NULL;
    char name[160];
    snprintf(name, sizeof name, "%s of %s, %s, %s, %d x %d, k %d", c->method,
             c->given ? "a similarity" : "samples", kind_names[kind], single ? "single" : "double",
             (int)shape->samples, (int)shape->features, (int)shape->rank);
    assert_int_equal(orthant_context_create(&p.ctx), ORTHANT_OK);
    orthant_context_set_precision(p.ctx, single ? ORTHANT_SINGLE : ORTHANT_DOUBLE);
    p.labels = new_labels(p.ctx, shape->samples);
    p.X = new_matrix(p.ctx, shape->samples, shape->features, false, c->given ? DENSE : kind);
    orthant_model *model = problem_model(&p, c->method, shape->rank, "12");
    if (c->parameter[0])
        expect_ok(p.ctx, orthant_model_set(model, c->parameter[0], c->parameter[1]));
    if (c->given) {
        K = new_matrix(p.ctx, shape->samples, shape->samples, true, kind);
        expect_ok(p.ctx, orthant_model_set_similarity(model, K));
    }
    device_check_fit(&p, model, name, device, tolerance_of(single, kind));
    orthant_model_free(model);
    orthant_matrix_free(K);
    orthant_matrix_free(p.X);
    orthant_labels_free(p.labels);
    assert_int_equal(orthant_context_memory(p.ctx), 0);
    orthant_context_free(p.ctx);
}

void device_check_kernels(const char *kind, bool large)
{
    const size_t count = large ? sizeof shapes / sizeof *shapes : FEW_SHAPES;
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int matrix = DENSE; matrix < KINDS; matrix++)
                for (int single = 0; single < 2; single++)
                    if ((matrix != MIXED || cases[c].mixed) &&
                        (shapes[i].rank <= MOST_RMND || strcmp(cases[c].method, "rmnd") != 0))
                        check_case(&cases[c], &shapes[i], (matrix_kind)matrix, single, kind);
}
