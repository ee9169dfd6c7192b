/* The factor model against an independent reference: factors after 1, 10 and 100 iterations, and
 * the objective after each, in double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "golden_fit.h"

static void test_case(void **state)
{
    assert_true(golden_fit_check(*state, "cpu"));
}

int main(void)
{
    enum { COUNT = sizeof factor_cases / sizeof *factor_cases };
    struct CMUnitTest tests[COUNT];
    char names[COUNT][64];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%s as %s", factor_cases[i].name,
                 factor_cases[i].method);
        tests[i] = (struct CMUnitTest){names[i], test_case, NULL, NULL,
                                       (void *)(uintptr_t)&factor_cases[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
