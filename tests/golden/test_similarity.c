/* Methods on a similarity against an independent reference: every factor after 1, 10 and 100
 * iterations, and the objective after each, in double precision, with K dense and sparse. */
#include "expect.h"

#include <stdint.h>

#include "golden_similarity.h"

static void test_case(void **state)
{
    golden_similarity_check(*state, false, "cpu");
    golden_similarity_check(*state, true, "cpu");
}

int main(void)
{
    enum { COUNT = sizeof similarity_cases / sizeof *similarity_cases };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){similarity_cases[i].name, test_case, NULL, NULL,
                                       (void *)(uintptr_t)&similarity_cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
