/* A study with every allocation of its context made to fail in turn: an error, nothing leaks. */
#include <stdlib.h>

#include "fixture.h"
#include "orthant/orthant.h"
#include "report/study_record.h"
#include "study/gains.h"
#include "study/summary.h"

/* Counts down to the allocation that fails. */
static long left;

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static orthant_status make_study(orthant_context *ctx, const orthant_matrix *samples,
                                 const orthant_labels *truth, orthant_study **study)
{
    static const char *const list[][2] = {{"methods", "kmeans,gnmf,cdnmf"},
                                          {"classes", "2:3"},
                                          {"repeats", "2"},
                                          {"iterations", "3"},
                                          {"scale", "none,max"},
                                          {"sweep", "tnmf.pooling_weight=1,2"}};
    orthant_status status = orthant_study_create(ctx, study);
    for (size_t i = 0; i < sizeof list / sizeof *list && !status; i++)
        status = orthant_study_set(*study, list[i][0], list[i][1]);
    return status ? status : orthant_study_add_data(*study, "a", NULL, samples, truth);
}

static orthant_status statistics(orthant_context *ctx, const study_results *results)
{
    study_summary summary = {.ctx = ctx};
    study_gains gains = {.ctx = ctx};
    study_ranking ranking = {0};
    orthant_status status = summary_make(ctx, results, &summary);
    if (!status)
        status = ranking_make(&summary, MEASURE_ACCURACY, 0.05, &ranking);
    if (!status)
        status = gains_make(ctx, results, MEASURE_ACCURACY, &gains);
    ranking_free(ctx, &ranking);
    gains_free(&gains);
    summary_free(&summary);
    return status;
}

static orthant_status do_all(orthant_context *ctx, const char *file)
{
    double values[24 * 5];
    int64_t labels[24];
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    orthant_study *study = NULL;
    plan_lines plan = {.ctx = ctx};
    study_results read = {.ctx = ctx};
    for (int i = 0; i < 24 * 5; i++)
        values[i] = 1 + (i * 7) % 5 + (i % 5 == i / 5 % 3 ? 9 : 0);
    for (int i = 0; i < 24; i++)
        labels[i] = i % 3;
    orthant_status status = orthant_matrix_create(ctx, 24, 5, values, &samples);
    if (!status)
        status = orthant_labels_create(ctx, 24, labels, &truth);
    if (!status)
        status = make_study(ctx, samples, truth, &study);
    if (!status)
        status = orthant_study_run(study, NULL);
    if (!status)
        status = study_plan_lines(study, &plan);
    if (!status)
        status = statistics(ctx, &study->results);
    if (!status)
        status = results_write(ctx, &study->results, file);
    if (!status)
        status = results_read(ctx, file, true, &read);
    results_free(&read);
    plan_lines_free(&plan);
    orthant_study_free(study);
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    return status;
}

static void test_each_allocation(void **state)
{
    const char *file = files_path("results.csv");
    long failures = 0;
    (void)state;
    for (;; failures++) {
        orthant_context *ctx = NULL;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        assert_int_equal(orthant_context_set_threads(ctx, 2), ORTHANT_OK);
        assert_int_equal(orthant_context_set_allocator(ctx, allocate, release, NULL), ORTHANT_OK);
        left = failures;
        const orthant_status status = do_all(ctx, file);
        const size_t held = orthant_context_memory(ctx);
        orthant_context_free(ctx);
        assert_int_equal(held, 0);
        if (!status)
            break;
        assert_true(failures < 100000);
    }
    /* It came to its end when none failed, so no failure went unseen. */
    assert_int_equal(left, 0);
    assert_true(failures > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
