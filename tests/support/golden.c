#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "golden.h"

static FILE *open_case(const char *case_name, const char *file)
{
    char path[4096];
    const char *source = getenv("ORTHANT_SOURCE");
    snprintf(path, sizeof path, "%s/tests/golden/%s/%s", source ? source : ".", case_name, file);
    FILE *stream = fopen(path, "r");
    if (!stream)
        fail_msg("%s cannot be opened; is ORTHANT_SOURCE the source folder?", path);
    return stream;
}

double *golden_read(const char *case_name, const char *file, int64_t *rows, int64_t *columns)
{
    FILE *stream = open_case(case_name, file);
    int64_t count = 0, room = 256;
    double *values = malloc((size_t)room * sizeof *values);
    double value;
    *rows = 0;
    while (values && fscanf(stream, "%lf", &value) == 1) {
        if (count == room) {
            room *= 2;
            values = realloc(values, (size_t)room * sizeof *values);
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

orthant_matrix *golden_matrix(orthant_context *ctx, const char *case_name, const char *file,
                              bool transposed)
{
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
    char path[1024], text[8192], key[32];
    snprintf(path, sizeof path, "%s/tests/golden/%s/case.json", getenv("ORTHANT_SOURCE"),
             case_name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    snprintf(key, sizeof key, "\"%s\":", iterations);
    const char *at = strstr(text, "\"amplification\"");
    at = at ? strstr(at, key) : NULL;
    if (!at)
        fail_msg("%s: no amplification after %s iterations", path, iterations);
    return atof(at + strlen(key));
}
