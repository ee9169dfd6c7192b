/* The features that weigh most in each part: words where their names are known. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "orthant/matrix.h"
#include "report/record.h"
#include "report/sheet.h"

/* FOLDER/words.csv: part, place, feature, word, weight. `names` is the file of words;
 * NULL: they are the names of the samples' features. */
orthant_status words_write(orthant_context *ctx, const orthant_matrix *basis, const char *names,
                           const orthant_matrix *samples, const char *folder);

/* A row for each part, from words.csv; without it from the basis, with the features' numbers. The
 * table is NULL where there is neither. */
orthant_status words_table(orthant_context *ctx, const run_record *record,
                           const orthant_matrix *basis, sheet **table);

/* The heaviest words of a part, at most `most`, from words.csv; where there is no such file,
 * "feature 17" and so on from the basis. */
typedef struct weighed_word {
    char word[80];
    double weight;
} weighed_word;
orthant_status words_of_part(orthant_context *ctx, const run_record *record,
                             const orthant_matrix *basis, int64_t part, int most,
                             weighed_word *found, int *count);

#endif
