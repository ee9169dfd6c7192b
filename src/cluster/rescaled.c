#include "cluster/rescaled.h"

#include <math.h>
#include <string.h>

bool rule_is_scaled(const char *rule)
{
    const size_t length = strcspn(rule, ":");
    return length > 7 && !strncmp(rule + length - 7, "-scaled", 7);
}

const char *rule_scaled(const char *rule)
{
    return !strcmp(rule, "kmeans:encoding")   ? "kmeans-scaled:encoding"
           : !strcmp(rule, "argmax:encoding") ? "argmax-scaled:encoding"
                                              : rule;
}

orthant_status rescaled_copy(orthant_context *ctx, const orthant_matrix *factor,
                             const double *columns, bool unit, orthant_matrix **copy)
{
    const orthant_status status =
        matrix_new_factor(ctx, factor->precision, factor->rows, factor->columns, copy);
    for (int64_t i = 0; i < factor->rows && !status; i++) {
        const int64_t from = i * factor->stride, to = i * (*copy)->stride;
        double square = 0;
        for (int64_t j = 0; j < factor->columns; j++)
            square += pow(matrix_value(factor, from + j) * (columns ? columns[j] : 1), 2);
        const double scale = !unit ? 1 : square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t j = 0; j < factor->columns; j++)
            matrix_set_value(*copy, to + j,
                             scale * matrix_value(factor, from + j) * (columns ? columns[j] : 1));
    }
    return status;
}

bool rule_is_consensus(const char *rule)
{
    const size_t length = strlen(CONSENSUS_RULE);
    return rule && !strncmp(rule, CONSENSUS_RULE, length) &&
           (!rule[length] || rule[length] == ':' || rule[length] == '-');
}
