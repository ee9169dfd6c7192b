/* Claims about a parameter: what its values do to accuracy and sparseness. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/claims.h"

#define MOST_VALUES 32

/* Mean of a measure at each value of the swept parameter, in percent; `half` 0 or 1 takes the even
 * or the odd repeats alone, below 0 all. Returns how many values there are. */
static int sweep_means(const protocol_claim *claim, const protocol_runs *runs, const char *method,
                       study_measure measure, int half, double *values, double *means)
{
    int count = 0;
    int64_t runs_of[MOST_VALUES] = {0};
    const size_t length = strlen(method), of_name = strlen(claim->parameter);
    for (int64_t i = 0; i < runs->results.count; i++) {
        const study_row *row = &runs->results.row[i];
        const char *at = row->method + length;
        int v = 0;
        if (strncmp(row->method, method, length) || *at != ' ' ||
            strncmp(at + 1, claim->parameter, of_name) || at[1 + of_name] != '=' ||
            (half >= 0 && row->repeat % 2 != half) || isnan(row->value[measure]))
            continue;
        const double value = strtod(at + 2 + of_name, NULL);
        while (v < count && values[v] != value)
            v++;
        if (v == MOST_VALUES)
            continue;
        if (v == count) {
            values[count] = value;
            means[count++] = 0;
        }
        means[v] += 100 * row->value[measure];
        runs_of[v]++;
    }
    for (int v = 0; v < count; v++)
        means[v] /= (double)runs_of[v];
    return count;
}

static int best_place(const double *means, int count)
{
    int best = 0;
    for (int v = 1; v < count; v++)
        if (means[v] > means[best])
            best = v;
    return best;
}

/* "0.1: 51.2, 1: 53.0" */
static void say_values(claim_finding *found, const double *values, const double *means, int count)
{
    for (int v = 0; v < count; v++)
        CLAIM_SAY(found, "%s%g: %.1f", v ? ", " : " ", values[v], means[v]);
}

/* Half a point is what draws alone move a sparseness by. */
static bool rises(const double *means, int count)
{
    for (int v = 1; v < count; v++)
        if (means[v] <= means[v - 1] - 0.5)
            return false;
    return true;
}

static double range_of(const double *means, int count)
{
    double lowest = INFINITY, highest = -INFINITY;
    for (int v = 0; v < count; v++) {
        lowest = fmin(lowest, means[v]);
        highest = fmax(highest, means[v]);
    }
    return highest - lowest;
}

orthant_status claim_judge_sweep(const protocol_claim *claim, const protocol_runs *runs,
                                 claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    const study_measure measure =
        claim->kind == CLAIM_RISES ? MEASURE_SPARSENESS : MEASURE_ACCURACY;
    found->verdict = VERDICT_HOLDS;
    for (int m = 0; m < methods.count; m++) {
        double values[MOST_VALUES], means[MOST_VALUES];
        const int count = sweep_means(claim, runs, methods.name[m], measure, -1, values, means);
        CLAIM_SAY(found, "%s%s of %s at", m ? "; " : "", measure_name(measure), methods.name[m]);
        say_values(found, values, means, count);
        const bool holds = claim->kind == CLAIM_RISES   ? rises(means, count)
                           : claim->kind == CLAIM_FALLS ? means[count - 1] < means[0]
                                                        : range_of(means, count) <= claim->number;
        if (count < 2)
            found->verdict = VERDICT_UNDECIDED;
        else if (!holds)
            found->verdict = VERDICT_FAILS;
    }
    if (claim->kind == CLAIM_STABLE)
        CLAIM_SAY(found, " (stable: within %g points)", claim->number);
    return ORTHANT_OK;
}

/* The mean over all values of the parameter. */
orthant_status claim_judge_lead(const protocol_claim *claim, const protocol_runs *runs,
                                claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    double best = -INFINITY, mean = NAN;
    for (int m = 0; m < methods.count; m++) {
        double values[MOST_VALUES], means[MOST_VALUES];
        const int count =
            sweep_means(claim, runs, methods.name[m], MEASURE_ACCURACY, -1, values, means);
        mean = 0;
        for (int v = 0; v < count; v++)
            mean += means[v] / count;
        if (m + 1 < methods.count)
            best = fmax(best, mean);
        CLAIM_SAY(found, "%s%s %.1f", m ? ", " : "accuracy over all values: ", methods.name[m],
                  mean);
    }
    found->verdict = mean > best ? VERDICT_HOLDS : VERDICT_FAILS;
    return ORTHANT_OK;
}

/* The value that is best on one half of the draws, and what it has on the other. */
orthant_status claim_judge_chosen(const protocol_claim *claim, const protocol_runs *runs,
                                  claim_finding *found)
{
    const claim_methods methods = claim_methods_of(claim->methods);
    found->verdict = VERDICT_HOLDS;
    for (int m = 0; m < methods.count; m++)
        for (int half = 0; half < 2; half++) {
            double values[MOST_VALUES], means[MOST_VALUES], others[MOST_VALUES];
            const int count =
                sweep_means(claim, runs, methods.name[m], MEASURE_ACCURACY, half, values, means);
            const int known = sweep_means(claim, runs, methods.name[m], MEASURE_ACCURACY, 1 - half,
                                          values, others);
            if (!count || known != count) {
                CLAIM_SAY(found, "%s: too few draws; ", methods.name[m]);
                found->verdict = VERDICT_UNDECIDED;
                continue;
            }
            const int chosen = best_place(means, count), best = best_place(others, known);
            CLAIM_SAY(found, "%s: %g chosen on %s draws has %.1f on the others (best %.1f); ",
                      methods.name[m], values[chosen], half ? "odd" : "even", others[chosen],
                      others[best]);
            if (others[best] - others[chosen] > claim->number && found->verdict == VERDICT_HOLDS)
                found->verdict = VERDICT_FAILS;
        }
    CLAIM_SAY(found, "holds where less than %g is lost", claim->number);
    return ORTHANT_OK;
}
