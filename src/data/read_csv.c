#include <float.h>
#include <math.h>

#include "core/text.h"
#include "data/csv.h"
#include "data/read.h"

static orthant_status read_row(const csv_table *table, piece row, int64_t first,
                               orthant_matrix *matrix)
{
    piece field;
    double value;
    for (int64_t j = 0; csv_field(table, &row, &field); j++) {
        if (text_read_double(field.begin, field.end, &value) != field.end)
            return csv_refuse(table, j + 1, field, "a finite number");
        if (matrix->precision == ORTHANT_SINGLE && fabs(value) > (double)FLT_MAX)
            return csv_refuse(table, j + 1, field,
                              "a number that single precision can hold; use --precision double");
        matrix_set_value(matrix, first + j, value);
    }
    return ORTHANT_OK;
}

orthant_status read_csv(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    csv_table table;
    orthant_matrix *matrix = NULL;
    piece row;
    (void)options;
    *found = NULL;
    *truth = NULL;
    orthant_status status = csv_open(ctx, path, &table);
    if (status != ORTHANT_OK)
        return status;
    status = matrix_new_dense(ctx, ctx->precision, table.rows, table.columns, &matrix);
    for (int64_t i = 0; status == ORTHANT_OK && csv_row(&table, &row); i++)
        status = read_row(&table, row, i * table.columns, matrix);
    csv_close(&table);
    if (status != ORTHANT_OK)
        orthant_matrix_free(matrix);
    else
        *found = matrix;
    return status;
}
