/* run.json of a run: any bytes give a result or an error. */
#include <stdlib.h>

#include "input.h"
#include "orthant/matrix.h"

static void write_matrix(const char *name, int64_t rows, int64_t columns)
{
    static const double values[] = {.1, .9, 0, .3, 1, 2, 0, .5, .7, .2, 4, 8, .25, 3, 0, 1};
    orthant_matrix *matrix = NULL;
    if (orthant_matrix_create(fuzz_context(), rows, columns, values, &matrix) ||
        orthant_matrix_write(fuzz_context(), matrix, fuzz_file(name, "", 0)))
        abort();
    orthant_matrix_free(matrix);
}

/* Four samples of four features (a picture of 2 x 2), two parts. */
static void write_others(void)
{
    write_matrix("basis.npy", 4, 2);
    write_matrix("encoding.npy", 4, 2);
    fuzz_text_file("labels.csv", "0\n0\n1\n1\n");
    fuzz_text_file("truth.csv", "1\n1\n2\n2\n");
    fuzz_text_file("history.csv",
                   "iteration,seconds,objective,loss\n0,0,9.5,9.5\n1,0.1,4.25,4.25\n2,0.2,4,4\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_report("run.json", write_others, data, size);
    return 0;
}
