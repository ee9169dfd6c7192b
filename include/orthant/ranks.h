/** @file
 * How many parts: a method over several ranks, judged by what each rank predicts, by how far
 * repeated runs agree, and by how stable the parts are.
 *
 *     orthant_ranks_create(ctx, &survey);
 *     orthant_ranks_set(survey, "method", "nmf");
 *     orthant_ranks_set(survey, "rank", "2:12");
 *     orthant_ranks_run(survey, "digits.npy", samples, "runs/ranks");
 *     k = orthant_ranks_recommended(survey);
 */
#ifndef ORTHANT_RANKS_H
#define ORTHANT_RANKS_H

#include "context.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A survey of ranks; opaque. Belongs to one context and is used by one thread at a time. */
typedef struct orthant_ranks orthant_ranks;

/** A survey with the defaults below. Free it with orthant_ranks_free, before the context. */
ORTHANT_API orthant_status orthant_ranks_create(orthant_context *context, orthant_ranks **ranks);
/** NULL is fine. Texts of the survey go with it. */
ORTHANT_API void orthant_ranks_free(orthant_ranks *ranks);

/** A setting by name, as text; of one that is set twice the last counts.
 *   - method: "nmf" unless given; one whose factors are a basis and an encoding, and that needs no
 *     labels
 *   - rank: "2:12" (the default), "5:60:5", "3,5,8"; where it was not given, as far as the data go
 *   - criteria: some of "blocks,speckled,starts,perturbed,permuted"; unless given all but for
 *     speckled, whose fits have a mask, of sparse data and of methods that take none;
 *     orthant_ranks_criterion tells them
 *   - repeats: runs of each criterion for each rank, 20 unless given, at least 2
 *   - seed: 1 unless given
 *   - noise: the largest relative change of an entry of perturbed data, 0.03 unless given
 *   - missing: "none" (the default), or "nan": NaN of dense data are not known, to any criterion
 *   - loss, iterations, tolerance, solver, init, weights, search, graph ("knn:N"), pooling,
 *     parameter, term: as orthant_trial_set() has them
 *   - command: for the record alone
 *
 * Copies both texts. @return ORTHANT_ERROR_ARGUMENT for a name that is none of these. */
ORTHANT_API orthant_status orthant_ranks_set(orthant_ranks *ranks, const char *name,
                                             const char *value);
/** Refuses everything that can be refused before there are data: unknown methods, parameters and
 * criteria, numbers out of range. */
ORTHANT_API orthant_status orthant_ranks_check(orthant_ranks *ranks);

/** Makes all runs, side by side on the context's threads; no result depends on how many there are.
 * With a folder: results.csv grows as runs end, a survey that was interrupted goes on where it
 * stopped, a folder with another survey is refused, and at the end there are ranks.json, ranks.csv
 * and report.html. Without (NULL) nothing is kept. ORTHANT_STOPPED where the progress callback asks
 * for it. Cost: ranks x criteria x repeats fits.
 * @param name of the data in messages: its file
 * @param samples borrowed for the call; in memory */
ORTHANT_API orthant_status orthant_ranks_run(orthant_ranks *ranks, const char *name,
                                             const orthant_matrix *samples, const char *folder);

/** The rank that the criteria speak for; 0 before the run. */
ORTHANT_API int64_t orthant_ranks_recommended(const orthant_ranks *ranks);
/** Why, a sentence each; NULL past the end. */
ORTHANT_API const char *orthant_ranks_reason(const orthant_ranks *ranks, int index);

/** How many ranks there are; 0 before the run. */
ORTHANT_API int64_t orthant_ranks_count(const orthant_ranks *ranks);
/** A rank by its place, rising; 0 past the end. */
ORTHANT_API int64_t orthant_ranks_rank(const orthant_ranks *ranks, int64_t index);
/** What a criterion found for a rank by its place: the mean over the repeats, or what all repeats
 * gave together. NaN where there is none: another place or name, or a criterion that was left out.
 * @param measure its name: "error", "cophenetic", ... (orthant_ranks_measure())
 * @param deviation may be NULL: the standard deviation over the repeats, NaN where there is none */
ORTHANT_API double orthant_ranks_value(const orthant_ranks *ranks, int64_t index,
                                       const char *measure, double *deviation);

/** The name of a criterion by its place, from 0; NULL past the end. */
ORTHANT_API const char *orthant_ranks_criterion(int index);
/** What a criterion does, a sentence; NULL past the end. */
ORTHANT_API const char *orthant_ranks_criterion_help(int index);
/** The name of a measure by its place, from 0, over all criteria; NULL past the end. */
ORTHANT_API const char *orthant_ranks_measure(int index);
/** What a measure is, in a few words; NULL past the end. */
ORTHANT_API const char *orthant_ranks_measure_title(int index);

/** What was found, as one JSON object with its newline: data, settings, a row for each rank, and
 * the recommended rank with the reasons. As ranks.json, on one line.
 * @param text to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_ranks_describe(const orthant_ranks *ranks, char **text);
/** The same as a table.
 * @param format "text" (80 columns, with the reasons), "md", "tex", "csv" or "json"
 * @param text to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_ranks_tables(const orthant_ranks *ranks, const char *format,
                                                char **text);

#ifdef __cplusplus
}
#endif
#endif
