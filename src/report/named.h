/* Files of a run for which names are known. */
#ifndef REPORT_NAMED_H
#define REPORT_NAMED_H

#include "orthant/run.h"

/* FOLDER/samples.csv: sample (its row in the data, from 0), name, class and cluster, where the
 * samples have names. Samples without names that were drawn have their rows alone. */
orthant_status named_write_samples(orthant_context *ctx, const orthant_run *run,
                                   const char *folder);
/* Whether features have names that stand for more than pixels. */
bool named_features(const orthant_run *run, const orthant_matrix *basis);
/* FOLDER/basis.csv: a row for each feature, its name and its weight in each part. */
orthant_status named_write_basis(orthant_context *ctx, const orthant_run *run,
                                 const orthant_matrix *basis, const char *folder);

#endif
