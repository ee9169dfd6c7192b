/* Reads golden cases and compares within their tolerance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "golden.h"

void golden_path(const char *case_name, const char *file, char *path, size_t size)
{
    const char *source = getenv("ORTHANT_SOURCE");
    snprintf(path, size, "%s/tests/golden/%s/%s", source ? source : ".", case_name, file);
}

static FILE *open_case(const char *case_name, const char *file)
{
    char path[4096];
    golden_path(case_name, file, path, sizeof path);
    FILE *stream = fopen(path, "r");
    if (!stream)
        fail_msg("%s cannot be opened; is ORTHANT_SOURCE the source folder?", path);
    return stream;
}

double *golden_read(const char *case_name, const char *file, int64_t *rows, int64_t *columns)
{
    FILE *stream = open_case(case_name, file);
    int64_t count = 0, capacity = 256;
    double *values = malloc((size_t)capacity * sizeof *values);
    double value;
    *rows = 0;
    while (values && fscanf(stream, "%lf", &value) == 1) {
        if (count == capacity) {
            capacity *= 2;
            values = realloc(values, (size_t)capacity * sizeof *values);
            if (!values)
                break;
        }
        values[count++] = value;
        const int next = fgetc(stream);
        if (next != ',')
            (*rows)++;
    }
    const int complete = feof(stream);
    fclose(stream);
    if (!values || !complete || *rows == 0 || count % *rows != 0)
        fail_msg("%s/%s: number %lld is not one, or the rows differ in length", case_name, file,
                 (long long)count + 1);
    *columns = count / *rows;
    return values;
}

double *golden_read_transposed(const char *case_name, const char *file, int64_t *rows,
                               int64_t *columns)
{
    double *values = golden_read(case_name, file, columns, rows);
    double *transposed = malloc((size_t)(*rows * *columns) * sizeof *transposed);
    if (!transposed)
        fail_msg("no memory for %s/%s", case_name, file);
    for (int64_t i = 0; i < *rows; i++)
        for (int64_t j = 0; j < *columns; j++)
            transposed[i * *columns + j] = values[j * *rows + i];
    free(values);
    return transposed;
}

static orthant_matrix *read_npy(orthant_context *ctx, const char *case_name, const char *file,
                                bool transposed)
{
    char path[4096];
    const orthant_read_options options = {
        .size = sizeof options, .truth = "none", .transpose = transposed};
    orthant_matrix *matrix = NULL;
    golden_path(case_name, file, path, sizeof path);
    if (orthant_matrix_read(ctx, path, &options, &matrix, NULL))
        fail_msg("%s", orthant_message(ctx));
    return matrix;
}

orthant_matrix *golden_matrix(orthant_context *ctx, const char *case_name, const char *file,
                              bool transposed)
{
    if (!strcmp(file + strlen(file) - 4, ".npy"))
        return read_npy(ctx, case_name, file, transposed);
    int64_t rows, columns;
    double *values = transposed ? golden_read_transposed(case_name, file, &rows, &columns)
                                : golden_read(case_name, file, &rows, &columns);
    orthant_matrix *matrix = NULL;
    const orthant_status status = orthant_matrix_create(ctx, rows, columns, values, &matrix);
    free(values);
    if (status)
        fail_msg("%s/%s: %s", case_name, file, orthant_message(ctx));
    return matrix;
}

double golden_amplification(const char *case_name, const char *iterations)
{
    char text[8192], key[32];
    FILE *file = open_case(case_name, "case.json");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    snprintf(key, sizeof key, "\"%s\":", iterations);
    const char *at = strstr(text, "\"amplification\"");
    at = at ? strstr(at, key) : NULL;
    if (!at)
        fail_msg("%s: no amplification after %s iterations", case_name, iterations);
    return atof(at + strlen(key));
}

void golden_check_objective(const char *case_name, const orthant_result *result, int iterations)
{
    int64_t rows, columns;
    double *expected = golden_read(case_name, "obj.csv", &rows, &columns);
    assert_int_equal(rows * columns, 101);
    assert_int_equal(orthant_result_history_rows(result), iterations + 1);
    for (int64_t i = 0; i <= iterations; i++) {
        const double found = orthant_result_history(result, i, 2);
        /* Sums of the size of the first objective are what rounding is relative to. */
        const double allowed = 1e-9 * fabs(expected[i]) + 1e-13 * fabs(expected[0]);
        if (!(fabs(found - expected[i]) <= allowed))
            fail_msg("%s: objective %.17g after %d iterations, expected %.17g", case_name, found,
                     (int)i, expected[i]);
    }
    free(expected);
}
