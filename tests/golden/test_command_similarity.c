/* The command, given a golden similarity as DATA, writes the golden factors. */
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "golden.h"
#include "problem.h"
#include "similarity_cases.h"

static void put(orthant_context *ctx, const char *name, const char *file, bool transposed,
                const char *as)
{
    char path[512];
    orthant_matrix *matrix = golden_matrix(ctx, name, file, transposed);
    snprintf(path, sizeof path, "%s/%s", files_folder(), as);
    expect_ok(ctx, orthant_matrix_write(ctx, matrix, path));
    orthant_matrix_free(matrix);
}

/* Factors are written as factor.npy, so that `start` names the files that `run` will hold. */
static void run_command(orthant_context *ctx, const similarity_case *row)
{
    char command[4096], file[64], as[64];
    int at = snprintf(command, sizeof command,
                      "%s fit %s/K.npy --similarity given -m %s -k 4 --iterations 100 "
                      "--tolerance 0 --precision double --quiet --force -o %s/run",
                      getenv("ORTHANT_COMMAND"), files_folder(), row->method, files_folder());
    put(ctx, row->name, "X.csv", false, "K.npy");
    for (int i = 0; i < 2 && row->parameters[i][0]; i++)
        at += snprintf(command + at, sizeof command - (size_t)at, " -p %s=%s",
                       row->parameters[i][0], row->parameters[i][1]);
    for (int i = 0; i < SIMILARITY_FACTORS && row->factors[i].name; i++) {
        snprintf(file, sizeof file, "init_%s.csv", row->factors[i].letter);
        snprintf(as, sizeof as, "%s.npy", row->factors[i].name);
        put(ctx, row->name, file, row->factors[i].transposed, as);
        at += snprintf(command + at, sizeof command - (size_t)at, " --start %s=%s/%s",
                       row->factors[i].name, files_folder(), as);
    }
    snprintf(command + at, sizeof command - (size_t)at, " > /dev/null");
    const int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s: exit %d", command, status);
}

static void test_case(void **state)
{
    const similarity_case *row = *state;
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    run_command(ctx, row);
    for (int i = 0; i < SIMILARITY_FACTORS && row->factors[i].name && !row->objective_only; i++) {
        char path[512], file[64];
        orthant_matrix *found = NULL;
        snprintf(path, sizeof path, "%s/run/%s.npy", files_folder(), row->factors[i].name);
        snprintf(file, sizeof file, "iter100_%s.csv", row->factors[i].letter);
        orthant_matrix *expected = golden_matrix(ctx, row->name, file, row->factors[i].transposed);
        expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &found, NULL));
        const double difference = factor_difference(found, expected),
                     allowed = 1e-9 * fmax(1, golden_amplification(row->name, "100"));
        if (!(difference <= allowed))
            fail_msg("%s: %s differs by %g, allowed %g", row->name, row->factors[i].name,
                     difference, allowed);
        orthant_matrix_free(found);
        orthant_matrix_free(expected);
    }
    orthant_context_free(ctx);
}

/* The similarity that `orthant graph` writes is the golden one. */
static void test_graph_command(void **state)
{
    (void)state;
    char command[1024], path[512];
    orthant_context *ctx = NULL;
    orthant_matrix *found = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    put(ctx, "pos_graph", "X.csv", true, "X.npy");
    snprintf(command, sizeof command,
             "%s graph %s/X.npy --similarity gaussian --graph knn:8 --precision double --quiet "
             "-o %s/G.mtx > /dev/null",
             getenv("ORTHANT_COMMAND"), files_folder(), files_folder());
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/G.mtx", files_folder());
    expect_ok(ctx, orthant_matrix_read(ctx, path, NULL, &found, NULL));
    orthant_matrix *expected = golden_matrix(ctx, "pos_graph", "out_gaussian_knn8.csv", false);
    assert_true(orthant_matrix_is_sparse(found));
    assert_true(factor_difference(found, expected) < 1e-13);
    orthant_matrix_free(expected);
    orthant_matrix_free(found);
    orthant_context_free(ctx);
}

int main(void)
{
    enum { COUNT = sizeof similarity_cases / sizeof *similarity_cases };
    struct CMUnitTest tests[COUNT + 1];
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){similarity_cases[i].name, test_case, NULL, NULL,
                                       (void *)(uintptr_t)&similarity_cases[i]};
    tests[COUNT] = (struct CMUnitTest){"orthant graph", test_graph_command, NULL, NULL, NULL};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
