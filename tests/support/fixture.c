/* Makes and checks the context of a test. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

int fixture_make(void **state)
{
    orthant_context *ctx = NULL;
    if (orthant_context_create(&ctx) != ORTHANT_OK)
        return 1;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    *state = ctx;
    return 0;
}

int fixture_make_confined(void **state)
{
    const int failed = fixture_make(state);
    if (!failed)
        orthant_context_set_confined(*state, true);
    return failed;
}

int fixture_clear(void **state)
{
    orthant_context *ctx = *state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    if (left)
        print_error("%zu bytes were not freed\n", left);
    return left != 0;
}

const char *fixture_path(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    const char *source = getenv("ORTHANT_SOURCE");
    snprintf(path, sizeof paths[0], "%s/%s", source ? source : ".", name);
    return path;
}

orthant_graph *ring_graph(orthant_context *ctx, int64_t n, int64_t neighbours)
{
    const int64_t edges = 2 * neighbours;
    double *values = malloc((size_t)(n * edges) * sizeof *values);
    int64_t *start = malloc((size_t)(n + 1) * sizeof *start),
            *column = malloc((size_t)(n * edges) * sizeof *column);
    orthant_matrix *matrix = NULL;
    orthant_graph *graph = NULL;
    assert_true(values && start && column);
    for (int64_t e = 0; e < n * edges; e++) {
        const int64_t step = e % edges - neighbours;
        column[e] = (e / edges + n + step + (step >= 0)) % n;
        values[e] = 1;
    }
    for (int64_t i = 0; i <= n; i++)
        start[i] = i * edges;
    expect_ok(ctx, orthant_matrix_create_csr(ctx, n, n, start, column, values, &matrix));
    expect_ok(ctx, orthant_graph_from_matrix(ctx, matrix, &graph));
    orthant_matrix_free(matrix);
    free(values);
    free(start);
    free(column);
    return graph;
}
