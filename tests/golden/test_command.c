/* The command, given the golden inputs as files, writes the golden factors. */
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

#include "factor_cases.h"
#include "files.h"
#include "golden.h"
#include "orthant/orthant.h"
#include "problem.h"

static void append(char *text, size_t size, const char *format, const char *a, const char *b)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, format, a, b);
    assert_true(strlen(text) + 1 < size);
}

/* Writes a file of the case as .npy in the folder. */
static orthant_matrix *put(orthant_context *ctx, const golden_case *row, const char *file,
                           bool transposed, const char *as)
{
    char path[512];
    orthant_matrix *matrix = golden_matrix(ctx, row->name, file, transposed);
    snprintf(path, sizeof path, "%s/%s", files_folder(), as);
    if (orthant_matrix_write(ctx, matrix, path))
        fail_msg("%s", orthant_message(ctx));
    return matrix;
}

static void letters(const golden_case *row, const char *when, char basis[64], char encoding[64])
{
    snprintf(basis, 64, "%s_%s.csv", when, row->basis ? row->basis : "W");
    snprintf(encoding, 64, "%s_%s.csv", when, row->encoding ? row->encoding : "S");
}

static void put_labels(const golden_case *row)
{
    int64_t rows, columns;
    char path[512];
    double *values = golden_read(row->name, "labels.csv", &rows, &columns);
    snprintf(path, sizeof path, "%s/labels.txt", files_folder());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int64_t i = 0; i < rows * columns; i++)
        fprintf(file, "%d\n", (int)values[i]);
    assert_int_equal(fclose(file), 0);
    free(values);
}

static const char *encoding_factor(const golden_case *row)
{
    return row->encoding_factor ? row->encoding_factor : "encoding";
}

/* The case as files, and the command line for it. */
static void prepare(orthant_context *ctx, const golden_case *row, char *command, size_t size)
{
    char basis[64], encoding[64], rank[24];
    letters(row, "init", basis, encoding);
    orthant_matrix *X = put(ctx, row, "X.csv", true, "X.npy"),
                   *W = put(ctx, row, basis, false, "W.npy");
    orthant_matrix *S = put(ctx, row, encoding, row->encoding_transposed, "S.npy");
    snprintf(rank, sizeof rank, "%d", (int)orthant_matrix_columns(W));
    snprintf(command, size, "%s fit", getenv("ORTHANT_COMMAND"));
    append(command, size, " %s/X.npy -m %s", files_folder(), row->method);
    append(command, size, " -k %s --start basis=%s/W.npy", rank, files_folder());
    append(command, size, " --start %s=%s/S.npy", encoding_factor(row), files_folder());
    append(command, size, " --iterations %s --tolerance 0 --precision %s", "100", "double");
    for (int i = 0; i < 3 && row->parameters[i][0]; i++)
        append(command, size, " -p %s=%s", row->parameters[i][0], row->parameters[i][1]);
    if (row->pooling) {
        orthant_matrix_free(put(ctx, row, row->pooling, false, "H.npy"));
        append(command, size, " --pooling %s/%s", files_folder(), "H.npy");
    }
    if (row->graph) {
        orthant_matrix_free(put(ctx, row, row->graph, false, "G.npy"));
        append(command, size, " --graph %s/%s", files_folder(), "G.npy");
    }
    if (row->labels) {
        put_labels(row);
        append(command, size, " --labels %s/%s", files_folder(), "labels.txt");
    }
    append(command, size, " --quiet --force -o %s/%s > /dev/null", files_folder(), "run");
    orthant_matrix_free(X);
    orthant_matrix_free(W);
    orthant_matrix_free(S);
}

static void check(orthant_context *ctx, const golden_case *row, const char *written,
                  const char *file, bool transposed)
{
    char path[512];
    orthant_matrix *found = NULL, *expected = golden_matrix(ctx, row->name, file, transposed);
    snprintf(path, sizeof path, "%s/run/%s", files_folder(), written);
    if (orthant_matrix_read(ctx, path, NULL, &found, NULL))
        fail_msg("%s", orthant_message(ctx));
    const double difference = factor_difference(found, expected);
    const double allowed = 1e-9 * fmax(1, golden_amplification(row->name, "100"));
    if (!(difference <= allowed))
        fail_msg("%s as %s: %s differs by %g, allowed %g", row->name, row->method, written,
                 difference, allowed);
    orthant_matrix_free(found);
    orthant_matrix_free(expected);
}

static void test_case(void **state)
{
    const golden_case *row = *state;
    char command[4096], basis[64], encoding[64], written[64];
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    prepare(ctx, row, command, sizeof command);
    const int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s: exit %d", command, status);
    letters(row, "iter100", basis, encoding);
    check(ctx, row, "basis.npy", basis, false);
    snprintf(written, sizeof written, "%s.npy", encoding_factor(row));
    check(ctx, row, written, encoding, row->encoding_transposed);
    orthant_context_free(ctx);
}

/* Runs `orthant fit X.npy` with the options in double precision, into the folder's run. */
static void run_fit(const char *options)
{
    char command[4096];
    snprintf(command, sizeof command,
             "%s fit %s/X.npy %s --precision double --quiet --force -o %s/run > /dev/null",
             getenv("ORTHANT_COMMAND"), files_folder(), options, files_folder());
    const int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("%s: exit %d", command, status);
}

static orthant_context *double_context(void)
{
    orthant_context *ctx = NULL;
    assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return ctx;
}

static void test_pca(void **state)
{
    static const char *const names[][2] = {{"basis.npy", "out_basis.csv"},
                                           {"encoding.npy", "out_scores.csv"}};
    const golden_case row = {.name = "pos_pca", .method = "pca"};
    orthant_context *ctx = double_context();
    (void)state;
    orthant_matrix_free(put(ctx, &row, "X.csv", true, "X.npy"));
    run_fit("-m pca -k 4");
    for (int i = 0; i < 2; i++) {
        char path[512];
        orthant_matrix *found = NULL, *expected = golden_matrix(ctx, "pos_pca", names[i][1], false);
        snprintf(path, sizeof path, "%s/run/%s", files_folder(), names[i][0]);
        assert_int_equal(orthant_matrix_read(ctx, path, NULL, &found, NULL), ORTHANT_OK);
        assert_true(factor_difference(found, expected) <= 1e-9);
        orthant_matrix_free(found);
        orthant_matrix_free(expected);
    }
    orthant_context_free(ctx);
}

/* The last objective of the run's history. */
static double last_objective(void)
{
    char path[512], line[512];
    double objective = NAN, found;
    snprintf(path, sizeof path, "%s/run/history.csv", files_folder());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%*[^,],%*[^,],%lf", &found) == 1)
            objective = found;
    fclose(file);
    return objective;
}

/* L-BFGS takes other steps than the reference: it must end no higher. */
static void test_rica(void **state)
{
    const golden_case row = {.name = "pos_rica", .method = "rica"};
    char options[1024];
    int64_t rows, columns;
    orthant_context *ctx = double_context();
    double *objective = golden_read("pos_rica", "obj.csv", &rows, &columns);
    (void)state;
    orthant_matrix_free(put(ctx, &row, "X.csv", true, "X.npy"));
    orthant_matrix_free(put(ctx, &row, "H.csv", false, "H.npy"));
    orthant_matrix_free(put(ctx, &row, "init_W.csv", false, "W.npy"));
    snprintf(options, sizeof options,
             "-m rica -k 4 -p pooling_weight=0.1 -p epsilon=0.01 -p whiten=no --iterations 100 "
             "--tolerance 0 --pooling %s/H.npy --start basis=%s/W.npy",
             files_folder(), files_folder());
    run_fit(options);
    assert_true(last_objective() <= objective[100]);
    free(objective);
    orthant_context_free(ctx);
}

int main(void)
{
    enum { COUNT = sizeof factor_cases / sizeof *factor_cases };
    struct CMUnitTest tests[COUNT + 2] = {[COUNT] = cmocka_unit_test(test_pca),
                                          [COUNT + 1] = cmocka_unit_test(test_rica)};
    char names[COUNT][64];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%s as %s", factor_cases[i].name,
                 factor_cases[i].method);
        tests[i] = (struct CMUnitTest){names[i], test_case, NULL, NULL,
                                       (void *)(uintptr_t)&factor_cases[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
