/* Golden cases: small problems with known answers in tests/golden/CASE/FILE, CSV without a header.
 */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

#include "orthant/fit.h"
#include "orthant/matrix.h"

/* All numbers of a file such as golden_read("pos_nmf_f", "X.csv", &rows, &columns), row-major and
 * malloc'ed; the test fails where the file cannot be read. */
double *golden_read(const char *case_name, const char *file, int64_t *rows, int64_t *columns);
/* The same with rows and columns exchanged: the cases hold X as features x samples. */
double *golden_read_transposed(const char *case_name, const char *file, int64_t *rows,
                               int64_t *columns);
/* The same as a dense matrix of the context, transposed where asked for; the file may be .npy. */
orthant_matrix *golden_matrix(orthant_context *ctx, const char *case_name, const char *file,
                              bool transposed);

/* Where a file of a case is. */
void golden_path(const char *case_name, const char *file, char *path, size_t size);

/* How much a relative change of the start grows over so many iterations, from case.json. */
double golden_amplification(const char *case_name, const char *iterations);

/* Fails the test where the objective is not that of obj.csv after each iteration, 100 at most. */
void golden_check_objective(const char *case_name, const orthant_result *result, int iterations);

#endif
