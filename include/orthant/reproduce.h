/** @file
 * A paper's experiments again: its tables with ours beside theirs, and its figures. */
#ifndef ORTHANT_REPRODUCE_H
#define ORTHANT_REPRODUCE_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A paper that can be reproduced; texts are never to be freed. */
typedef struct orthant_paper_info {
    size_t size;        /**< set it to sizeof(orthant_paper_info) before the call */
    const char *name;   /**< "tnmf" */
    const char *title;  /**< of the paper */
    const char *tables; /**< that there are: "I,II,III,IV" */
} orthant_paper_info;

/** How many papers there are. */
ORTHANT_API int orthant_paper_count(void);
/** One of them. @return ORTHANT_ERROR_ARGUMENT past the end. */
ORTHANT_API orthant_status orthant_paper_at(int index, orthant_paper_info *info);

/** What the digits that a paper prints allow: the accuracy of a mean of R runs of n samples is a
 * multiple of 1 / (R n), so that some figures cannot be means of the runs that the paper states.
 * Needs no data and takes milliseconds.
 * @param paper a name of orthant_paper_info
 * @param format "text" or "md", "tex", "csv", "json" (orthant_run_tables())
 * @param text to be freed by orthant_text_free; NULL on failure
 * @return ORTHANT_ERROR_ARGUMENT for a paper without accuracies (grpnmf) */
ORTHANT_API orthant_status orthant_paper_digits(orthant_context *context, const char *paper,
                                                const char *format, char **text);

/** Every table, figure, theorem and claim of a paper: what it is, the command that makes it, the
 * data that it needs and its state: "done" where all of its runs are in the folder with the
 * settings of the protocol (by a quick run too, then it says so), "not finished", "other settings"
 * where the runs are of other repeats, methods or an earlier protocol, "not run", "data not here",
 * "not built", or "nothing to run" where the paper only defines something. Takes milliseconds.
 * @param paper a name of orthant_paper_info
 * @param data the folder with the data sets; NULL: none is looked for
 * @param output the folder of a reproduction; NULL: nothing is done
 * @param format "text", "json" (a list of objects), "md", "tex" or "csv"
 * @param text to be freed by orthant_text_free; NULL on failure */
ORTHANT_API orthant_status orthant_paper_items(orthant_context *context, const char *paper,
                                               const char *data, const char *output,
                                               const char *format, char **text);

/** What is asked for; pointers are borrowed for the call. */
typedef struct orthant_reproduce_options {
    size_t size;         /**< set it to sizeof(orthant_reproduce_options) */
    const char *data;    /**< the folder with the data sets */
    const char *output;  /**< the folder for everything that comes out */
    const char *tables;  /**< "II,III" or "all": see `claims` */
    int64_t repeats;     /**< 0: as the paper */
    bool quick;          /**< few classes, repeats and iterations: to see that all works */
    int64_t seed;        /**< of all draws and starts, from 0 to 2^31 - 1 */
    const char *command; /**< for the report; may be NULL */
    const char *figures; /**< "1,7" or "all" */
    const char *claims;  /**< theorems and claims: "theorem-1,cost" or "all". Where tables, figures
                          *   and claims are all NULL everything is made, else what they name */
} orthant_reproduce_options;

/** What came out; opaque. Belongs to one context and is used by one thread at a time. */
typedef struct orthant_reproduction orthant_reproduction;

/** Runs a paper's experiments (hours; quick: minutes) and writes tables, figures and report.html
 * into the output folder. Runs that are in it already are not done again.
 * @param paper a name of orthant_paper_info
 * @param reproduction to be freed by orthant_reproduction_free, before the context; NULL on failure
 * @return ORTHANT_STOPPED where the progress callback asked for it: the same call goes on from
 * there.
 */
ORTHANT_API orthant_status orthant_reproduce(orthant_context *context, const char *paper,
                                             const orthant_reproduce_options *options,
                                             orthant_reproduction **reproduction);
/** NULL is fine. */
ORTHANT_API void orthant_reproduction_free(orthant_reproduction *reproduction);

/** Its tables.
 * @param format "text" (the averages in 80 columns), "md", "tex", "csv" or "json" (all tables)
 * @param text to be freed by orthant_text_free; NULL on failure. */
ORTHANT_API orthant_status orthant_reproduction_tables(const orthant_reproduction *reproduction,
                                                       const char *format, char **text);
/** How many runs there were. */
ORTHANT_API int64_t orthant_reproduction_run_count(const orthant_reproduction *reproduction);
/** How many of them could not be done: their cells are empty. */
ORTHANT_API int64_t orthant_reproduction_failure_count(const orthant_reproduction *reproduction);
/** Why the first of these could not; "" where there is none. The reproduction's. */
ORTHANT_API const char *orthant_reproduction_failure(const orthant_reproduction *reproduction);

#ifdef __cplusplus
}
#endif
#endif
