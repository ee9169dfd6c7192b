/* Inside of a stored run. */
#ifndef REPORT_SAVED_RUN_H
#define REPORT_SAVED_RUN_H

#include "orthant/run.h"
#include "report/contents.h"

#define SAVED_MOST_FACTORS 16

struct orthant_saved_run {
    orthant_context *ctx;
    char *folder;
    json_value *json;
    struct {
        char name[32];
        orthant_matrix *matrix;
    } factor[SAVED_MOST_FACTORS]; /* that were read */
    int factors;
};

orthant_status saved_run_refuse_null(const orthant_saved_run *saved, const char *function);
/* A matrix of the run's folder; NULL, and no error, where the run has no such file. */
orthant_status saved_run_matrix(const orthant_saved_run *saved, const char *name,
                                orthant_matrix **matrix);
/* Refuses samples whose features have other names than the run's, or the same in another order;
 * samples and runs without names are taken as they are. */
orthant_status saved_run_check_names(const orthant_saved_run *saved, const orthant_matrix *samples);

#endif
