/* Projective, orthogonal, concept and convex factorisations against an independent reference, in
 * double precision: factors after 1, 10 and 100 iterations and the objective after each through the
 * library, the factors after 100 through the command. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "files.h"
#include "golden.h"
#include "golden_gram.h"
#include "orthant/orthant.h"
#include "problem.h"

static void must(orthant_context *ctx, const gram_case *row, orthant_status status)
{
    if (status)
        fail_msg("%s: %s", row->name, orthant_message(ctx));
}

static orthant_context *new_context(void)
{
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return ctx;
}

static void test_library(void **state)
{
    assert_true(golden_gram_check(*state, "cpu"));
}

/* ------------------------------------------------------------------ through the command */

static void append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
    assert_true(strlen(text) + 1 < size);
}

/* Writes a matrix as .npy in the folder. */
static void put(orthant_context *ctx, orthant_matrix *matrix, const char *as)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.npy", files_folder(), as);
    if (orthant_matrix_write(ctx, matrix, path))
        fail_msg("%s", orthant_message(ctx));
    orthant_matrix_free(matrix);
}

static void prepare(orthant_context *ctx, const gram_case *row, char *command, size_t size)
{
    orthant_matrix *first = gram_case_factor(ctx, row, "init", 0);
    snprintf(command, size, "%s fit %s/X.npy -m %s -k %d", getenv("ORTHANT_COMMAND"),
             files_folder(), row->method, (int)orthant_matrix_columns(first));
    orthant_matrix_free(first);
    put(ctx, golden_matrix(ctx, row->name, "X.csv", true), "X");
    for (int i = 0; i < gram_case_factors(row); i++) {
        put(ctx, gram_case_factor(ctx, row, "init", i), row->factors[i][1]);
        append(command, size, " --start %s=%s/%s.npy", row->factors[i][1], files_folder(),
               row->factors[i][1]);
    }
    for (int i = 0; i < 3 && row->parameters[i][0]; i++)
        append(command, size, " -p %s=%s", row->parameters[i][0], row->parameters[i][1]);
    if (row->graph) {
        put(ctx, golden_matrix(ctx, row->name, "S.csv", false), "G");
        append(command, size, " --graph %s/G.npy", files_folder());
    }
    append(command, size,
           " --iterations 100 --tolerance 0 --precision double --quiet --force -o %s/run",
           files_folder());
    append(command, size, " > /dev/null");
}

static void test_command(void **state)
{
    const gram_case *row = *state;
    char command[4096], path[512];
    orthant_context *ctx = new_context();
    prepare(ctx, row, command, sizeof command);
    const int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s: exit %d", command, status);
    for (int i = 0; i < gram_case_factors(row); i++) {
        orthant_matrix *found = NULL, *expected = gram_case_factor(ctx, row, "iter100", i);
        snprintf(path, sizeof path, "%s/run/%s.npy", files_folder(), row->factors[i][1]);
        must(ctx, row, orthant_matrix_read(ctx, path, NULL, &found, NULL));
        const double difference = factor_difference(found, expected);
        if (!(difference <= 1e-9 * fmax(1, golden_amplification(row->name, "100"))))
            fail_msg("%s: %s differs by %g", row->name, row->factors[i][1], difference);
        orthant_matrix_free(found);
        orthant_matrix_free(expected);
    }
    orthant_context_free(ctx);
}

int main(void)
{
    struct CMUnitTest tests[2 * GRAM_CASES];
    char names[2 * GRAM_CASES][64];
    for (int i = 0; i < 2 * GRAM_CASES; i++) {
        const gram_case *row = &gram_cases[i / 2];
        snprintf(names[i], sizeof names[i], "%s through the %s", row->name,
                 i % 2 ? "command" : "library");
        tests[i] = (struct CMUnitTest){names[i], i % 2 ? test_command : test_library, NULL, NULL,
                                       (void *)(uintptr_t)row};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
