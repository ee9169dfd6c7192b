/* A paper's theorems and claims, judged by runs. */
#ifndef REPRODUCE_CLAIMS_H
#define REPRODUCE_CLAIMS_H

#include "core/text.h"
#include "report/sheet.h"
#include "reproduce/runs.h"

typedef enum claim_verdict {
    VERDICT_HOLDS,
    VERDICT_FAILS,
    VERDICT_UNDECIDED, /* within two standard errors, or too few runs */
    VERDICT_NO_DATA
} claim_verdict;

#define CLAIM_TEXT 600

typedef struct claim_finding {
    claim_verdict verdict;
    char measured[CLAIM_TEXT]; /* in words, with the criterion */
} claim_finding;

orthant_status claim_judge(const protocol_claim *claim, const protocol_runs *runs,
                           claim_finding *found);
const char *claim_verdict_name(claim_verdict verdict);

/* An empty sheet, and one row of it. */
sheet *claims_sheet(orthant_context *ctx);
void claims_add(sheet *table, const protocol_claim *claim, const claim_finding *found);

/* ---- between its files ---- */

#define CLAIM_SAY(found, ...) text_append((found)->measured, CLAIM_TEXT, __VA_ARGS__)
#define CLAIM_METHODS 16

/* The methods of "nmf,tnmf", and the one that the claim is about. */
typedef struct claim_methods {
    int count;
    char name[CLAIM_METHODS][64];
} claim_methods;
claim_methods claim_methods_of(const char *list);
const char *claim_last(const claim_methods *methods);

/* ---- those that look at the values of a parameter ---- */

orthant_status claim_judge_sweep(const protocol_claim *claim, const protocol_runs *runs,
                                 claim_finding *found);
orthant_status claim_judge_lead(const protocol_claim *claim, const protocol_runs *runs,
                                claim_finding *found);
orthant_status claim_judge_chosen(const protocol_claim *claim, const protocol_runs *runs,
                                  claim_finding *found);

/* ---- those that read the kept encodings ---- */

/* What share of the encodings has one entry of at least a hundredth of its largest, and for what
 * share of these it is that of the nearest basis vector. */
orthant_status encodings_one_nonzero(const protocol_runs *runs, const char *method, double *one,
                                     double *nearest);
/* The mean cosine between encodings of pictures and of the same moved by one pixel, in each of four
 * directions. NaN where the samples are no pictures. */
orthant_status encodings_shifted(const protocol_runs *runs, const char *method, double *cosine);

#endif
