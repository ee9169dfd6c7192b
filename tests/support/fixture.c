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
