#include "device_fit.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>

#include "orthant/device.h"

static orthant_result *fit_on(const test_problem *p, const orthant_model *model, const char *device)
{
    expect_ok(p->ctx, orthant_context_set_device(p->ctx, device));
    return problem_fit(p, model);
}

static void compare(const char *name, const orthant_result *host, const orthant_result *device,
                    double tolerance)
{
    const double first = orthant_result_history(host, 0, 2);
    assert_int_equal(orthant_result_history_columns(host), orthant_result_history_columns(device));
    assert_int_equal(orthant_result_history_rows(host), orthant_result_history_rows(device));
    for (int64_t row = 0; row < orthant_result_history_rows(host); row++)
        for (int column = 2; column < orthant_result_history_columns(host); column++) {
            const double here = orthant_result_history(host, row, column),
                         there = orthant_result_history(device, row, column);
            if (!(fabs(here - there) <= tolerance * first))
                fail_msg("%s, iteration %d, %s: %.12g on the host, %.12g on the device", name,
                         (int)row, orthant_result_history_column(host, column), here, there);
        }
    for (int f = 0; f < orthant_result_factor_count(host); f++) {
        const char *factor = orthant_result_factor_name(host, f);
        const double apart = factor_difference(orthant_result_factor(device, factor),
                                               orthant_result_factor(host, factor));
        if (!(apart <= 100 * tolerance))
            fail_msg("%s: '%s' differs by %g", name, factor, apart);
    }
}

static bool stop_after_seven(void *user, const orthant_result *result)
{
    int *calls = user;
    (*calls)++;
    return orthant_result_iterations(result) != 7;
}

static void check_resumed(const test_problem *p, orthant_model *model, const char *name,
                          const orthant_result *whole)
{
    const char *path = files_path("device_fit.checkpoint");
    orthant_result *stopped = NULL, *resumed = NULL;
    int calls = 0;
    expect_ok(p->ctx, orthant_model_set_checkpoint(model, path, 1e9));
    expect_ok(p->ctx, orthant_model_set_iteration(model, stop_after_seven, &calls));
    expect_ok(p->ctx, orthant_fit(model, p->X, &stopped));
    assert_int_equal(calls, 7);
    expect_ok(p->ctx, orthant_model_set_iteration(model, NULL, NULL));
    expect_ok(p->ctx, orthant_model_set_resume(model, path));
    expect_ok(p->ctx, orthant_fit(model, p->X, &resumed));
    if (!factors_identical(whole, resumed))
        fail_msg("%s: a fit that goes on from its checkpoint differs", name);
    orthant_result_free(stopped);
    orthant_result_free(resumed);
    expect_ok(p->ctx, orthant_checkpoint_remove(p->ctx, path));
}

void device_check_fit(const test_problem *p, orthant_model *model, const char *name,
                      const char *kind, double tolerance)
{
    orthant_result *host = fit_on(p, model, "cpu"), *device = fit_on(p, model, kind),
                   *again = fit_on(p, model, kind);
    assert_int_equal(strncmp(orthant_result_device(device), kind, strlen(kind)), 0);
    compare(name, host, device, tolerance);
    if (!factors_identical(device, again))
        fail_msg("%s: two runs on the device differ", name);
    check_resumed(p, model, name, device);
    orthant_result_free(host);
    orthant_result_free(device);
    orthant_result_free(again);
}
