/** @file
 * Documents to counts of their words. */
#ifndef ORTHANT_WORDS_H
#define ORTHANT_WORDS_H

#include "context.h"
#include "labels.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which words are counted. */
typedef struct orthant_words_options {
    size_t size;              /**< sizeof(orthant_words_options) */
    const char *stop_words;   /**< left out: "english", a file with a word per line; NULL, "none" */
    int64_t fewest_counts;    /**< words that occur less often in all are left out; 0: none */
    int64_t fewest_documents; /**< words that fewer documents have are left out; 0: none */
    int64_t most_words;       /**< of those left, the most frequent; 0: all */
} orthant_words_options;

/** Counts the words of documents. A word is a run of two or more letters, digits and underscores;
 * letters of ASCII in lower case, other bytes of UTF-8 are letters as they are. The words are the
 * features, in the order of their bytes, and their names (orthant_matrix_feature_name()); samples
 * are named as their files, or by the number of their line.
 * @param path a folder, in which each file is a document and each subfolder a class; or a file (.gz
 * too), in which each line that is not empty is a document.
 * @param options may be NULL: all words.
 * @param counts documents x words, sparse, in the context's precision.
 * @param classes may be NULL; *classes is NULL where there are none.
 * @return ORTHANT_ERROR_DATA where no word is left. */
ORTHANT_API orthant_status orthant_words_count(orthant_context *context, const char *path,
                                               const orthant_words_options *options,
                                               orthant_matrix **counts, orthant_labels **classes);
/** Writes the names of the features, one per line: what orthant_run_check_words() and
 * orthant_run.words take. Written beside its name and renamed.
 * @return ORTHANT_ERROR_ARGUMENT where the features have no names. */
ORTHANT_API orthant_status orthant_words_write(orthant_context *context,
                                               const orthant_matrix *counts, const char *path);

#ifdef __cplusplus
}
#endif
#endif
