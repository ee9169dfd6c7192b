/* The points that clusters are taken from: rows of an encoding, on one scale. */
#ifndef CLUSTER_RESCALED_H
#define CLUSTER_RESCALED_H

#include "data/matrix.h"

/* Whether a rule for labels ("kmeans-scaled:encoding") multiplies the columns before. */
bool rule_is_scaled(const char *rule);
/* Whether it is of labels that several starts agree on: "consensus:encoding",
 * "consensus-argmax:encoding". */
#define CONSENSUS_RULE "consensus"
bool rule_is_consensus(const char *rule);
/* The rule that does so and is the same otherwise; the rule itself where there is none. */
const char *rule_scaled(const char *rule);

/* A copy of a dense matrix with its columns scaled (where `columns` is not NULL), then where asked
 * its rows to unit length; a zero row stays zero. */
orthant_status rescaled_copy(orthant_context *ctx, const orthant_matrix *factor,
                             const double *columns, bool unit, orthant_matrix **copy);

#endif
