/* Claims judged by made-up runs whose verdicts are plain. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/claims.h"

enum { REPEATS = 4 };

/* Four repeats of each method at two numbers of classes: `level` with a little spread. */
static void add_method(study_results *results, const char *method, double level, double seconds)
{
    for (int64_t classes = 2; classes <= 3; classes++)
        for (int64_t repeat = 0; repeat < REPEATS; repeat++) {
            study_row row = {
                .dataset = "made", .method = method, .classes = classes, .repeat = repeat};
            for (int m = 0; m < MEASURE_COUNT; m++)
                row.value[m] = NAN;
            row.value[MEASURE_ACCURACY] = level + 0.01 * (double)(repeat % 2);
            row.value[MEASURE_SPARSENESS] = level;
            row.value[MEASURE_SECONDS] = seconds;
            row.value[MEASURE_OBJECTIVE] = 10 * level;
            assert_int_equal(results_add(results, &row), ORTHANT_OK);
        }
}

static void expect_verdict(const protocol_runs *runs, protocol_claim claim, claim_verdict verdict,
                           const char *measured)
{
    claim_finding found;
    assert_int_equal(claim_judge(&claim, runs, &found), ORTHANT_OK);
    if (found.verdict != verdict || !strstr(found.measured, measured))
        fail_msg("%s: %s", claim_verdict_name(found.verdict), found.measured);
}

static void scores(void **state)
{
    protocol_runs runs = {.ctx = *state};
    results_begin(*state, &runs.results);
    add_method(&runs.results, "low", 0.5, 1);
    add_method(&runs.results, "same", 0.5, 1.2);
    add_method(&runs.results, "high", 0.8, 3);
    expect_verdict(&runs, (protocol_claim){.kind = CLAIM_ABOVE, .methods = "low,high"},
                   VERDICT_HOLDS, "+30.0 +- 0.0 (8)");
    expect_verdict(&runs, (protocol_claim){.kind = CLAIM_ABOVE, .methods = "high,low"},
                   VERDICT_FAILS, "-30.0");
    expect_verdict(&runs, (protocol_claim){.kind = CLAIM_ABOVE, .methods = "low,same"},
                   VERDICT_UNDECIDED, "+0.0");
    expect_verdict(&runs,
                   (protocol_claim){.kind = CLAIM_GAIN, .methods = "low,same,high", .number = 2},
                   VERDICT_HOLDS, "+30.0 +- 0.3; the paper +2.00");
    expect_verdict(&runs, (protocol_claim){.kind = CLAIM_GAIN, .methods = "high,low"},
                   VERDICT_FAILS, "best other (high) 80.5");
    expect_verdict(&runs,
                   (protocol_claim){.kind = CLAIM_SECONDS, .methods = "low,same", .number = 1.3},
                   VERDICT_HOLDS, "low 1, same 1.2");
    expect_verdict(&runs,
                   (protocol_claim){.kind = CLAIM_SECONDS, .methods = "low,high", .number = 1.3},
                   VERDICT_FAILS, "high 3");
    expect_verdict(&runs, (protocol_claim){.kind = CLAIM_LOWEST, .methods = "high,low"},
                   VERDICT_HOLDS, "low 5");
    expect_verdict(&runs,
                   (protocol_claim){.kind = CLAIM_SPARSENESS, .methods = "high", .number = 79},
                   VERDICT_HOLDS, "80.0");
    runs.missing = true;
    snprintf(runs.reason, sizeof runs.reason, "nothing there");
    expect_verdict(&runs, (protocol_claim){.kind = CLAIM_ABOVE, .methods = "low,high"},
                   VERDICT_NO_DATA, "nothing there");
    results_free(&runs.results);
}

static void sweeps(void **state)
{
    protocol_runs runs = {.ctx = *state};
    protocol_claim claim = {.kind = CLAIM_STABLE, .methods = "a", .parameter = "w", .number = 5};
    results_begin(*state, &runs.results);
    add_method(&runs.results, "a w=0.1", 0.5, 1);
    expect_verdict(&runs, claim, VERDICT_UNDECIDED, "accuracy of a at 0.1: 50.5");
    add_method(&runs.results, "a w=1", 0.54, 1);
    add_method(&runs.results, "ab w=10", 0.9, 1);
    add_method(&runs.results, "a ww=10", 0.9, 1);
    expect_verdict(&runs, claim, VERDICT_HOLDS, "accuracy of a at 0.1: 50.5, 1: 54.5");
    claim.number = 3;
    expect_verdict(&runs, claim, VERDICT_FAILS, "within 3 points");
    claim.kind = CLAIM_RISES;
    expect_verdict(&runs, claim, VERDICT_HOLDS, "sparseness of a at 0.1: 50.0, 1: 54.0");
    claim.kind = CLAIM_CHOSEN;
    expect_verdict(&runs, claim, VERDICT_HOLDS, "1 chosen on even draws has 55.0 on the others");
    add_method(&runs.results, "a w=10", 0.3, 1);
    claim.kind = CLAIM_RISES;
    expect_verdict(&runs, claim, VERDICT_FAILS, "1: 54.0, 10: 30.0");
    claim.kind = CLAIM_FALLS;
    expect_verdict(&runs, claim, VERDICT_HOLDS, "10: 30.5");
    add_method(&runs.results, "b", 0.3, 1);
    add_method(&runs.results, "b scale=max", 0.302, 1);
    add_method(&runs.results, "c", 0.3, 1);
    add_method(&runs.results, "c scale=max", 0.4, 1);
    const protocol_claim same = {.kind = CLAIM_SAME, .methods = "b", .parameter = "scale"},
                         differs = {.kind = CLAIM_SAME, .methods = "b,c", .parameter = "scale"};
    expect_verdict(&runs, same, VERDICT_HOLDS, "b +0.2 +- 0.0");
    expect_verdict(&runs, differs, VERDICT_FAILS, "c +10.0 +- 0.0");
    claim.kind = CLAIM_LEADS;
    claim.methods = "a,ab";
    expect_verdict(&runs, claim, VERDICT_HOLDS, "a 45.2, ab 90.5");
    claim.methods = "ab,a";
    expect_verdict(&runs, claim, VERDICT_FAILS, "ab 90.5, a 45.2");
    results_free(&runs.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(scores),
        fixture_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
