/* Which printed accuracies can be means: against every multiple, written out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#include "orthant/orthant.h"
#include "reproduce/digits.h"

/* Every mean of `runs` runs of `samples` samples, printed with two digits, rounded and cut off. */
static bool is_printed(int hundredths, int runs, int samples)
{
    for (int count = 0; count <= runs * samples; count++) {
        const double mean = 10000.0 * count / (runs * samples);
        if ((int)floor(mean + 0.5) == hundredths || (int)floor(mean + 1e-6) == hundredths)
            return true;
    }
    return false;
}

static void test_multiples(void **state)
{
    static const int shapes[][2] = {{1, 20}, {10, 50}, {10, 22}, {7, 33}, {3, 100}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int hundredths = 0; hundredths <= 10000; hundredths++) {
            const int runs = shapes[i][0], samples = shapes[i][1];
            const bool expected = is_printed(hundredths, runs, samples),
                       found = digits_allow(hundredths / 100.0, 0.01, 100.0 / (runs * samples));
            if (found != expected)
                fail_msg("%d runs of %d samples: %.2f is %spossible", runs, samples,
                         hundredths / 100.0, expected ? "" : "not ");
        }
}

/* 88.25 is no multiple of 0.2, 79.80 is one. */
static void test_paper(void **state)
{
    char *text = NULL;
    expect_ok(*state, orthant_paper_digits(*state, "tnmf", "csv", &text));
    assert_non_null(strstr(text, "88.25 (5)"));
    assert_null(strstr(text, "79.80 (5)"));
    orthant_text_free(*state, text);
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "prints no accuracies",
                   orthant_paper_digits(*state, "grpnmf", "text", &text));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "there is no paper",
                   orthant_paper_digits(*state, "tnmg", "text", &text));
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "pdf",
                   orthant_paper_digits(*state, "tnmf", "pdf", &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiples),
        fixture_test(test_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
