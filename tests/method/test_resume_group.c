/* Processes that share the samples write one checkpoint, and any number of them goes on from it, to
 * the bits of one process that was never stopped. */
#include "fixture.h"

#include <stdio.h>

#include "problem.h"
#include "thread_group.h"

#define ITERATIONS 8
#define STOPPED_AFTER 3

typedef struct shared_fit {
    const char *method, *parameter[2];
    problem_shape shape;
    const char *path;
    bool resumes;
    const orthant_result *alone; /* never stopped; NULL: this one stops */
    const char *refusal;
    int *calls; /* iterations that the first member made */
} shared_fit;

static bool stop(void *user, const orthant_result *result)
{
    const shared_fit *s = user;
    ++*s->calls;
    return s->alone || orthant_result_iterations(result) != STOPPED_AFTER;
}

/* Only the first member looks: the others stop with it. */
static orthant_model *model_of(const test_problem *p, const shared_fit *s, bool first)
{
    orthant_model *model = problem_model(p, s->method, 5, "8");
    if (s->parameter[0])
        expect_ok(p->ctx, orthant_model_set(model, s->parameter[0], s->parameter[1]));
    if (s->path)
        expect_ok(p->ctx, orthant_model_set_checkpoint(model, s->path, 1e9));
    if (s->resumes)
        expect_ok(p->ctx, orthant_model_set_resume(model, s->path));
    if (first)
        expect_ok(p->ctx, orthant_model_set_iteration(model, stop, (void *)(uintptr_t)s));
    return model;
}

static void compare(const shared_fit *s, const orthant_result *result)
{
    if (!factors_identical(result, s->alone))
        fail_msg("%s: the factors differ", s->method);
    assert_int_equal(orthant_result_history_rows(result), orthant_result_history_rows(s->alone));
    for (int64_t i = 0; i < orthant_result_history_rows(result); i++)
        for (int j = 2; j < orthant_result_history_columns(result); j++) {
            const double ours = orthant_result_history(result, i, j),
                         theirs = orthant_result_history(s->alone, i, j);
            assert_memory_equal(&ours, &theirs, sizeof ours);
        }
}

static void fit_member(void *user, const orthant_group *group)
{
    const shared_fit *s = user;
    test_problem p;
    orthant_result *result = NULL;
    problem_make(&p, s->shape);
    expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
    if (group) {
        expect_ok(p.ctx, orthant_context_set_group(p.ctx, group));
        expect_ok(p.ctx, orthant_matrix_share(p.X));
    }
    const bool first = !group || group->rank == 0;
    orthant_model *model = model_of(&p, s, first);
    if (s->refusal) {
        expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, s->refusal, orthant_fit(model, p.X, &result));
    } else {
        expect_ok(p.ctx, orthant_fit(model, p.X, &result));
        if (group)
            expect_ok(p.ctx, orthant_result_gather(result));
        if (!s->alone)
            assert_int_equal(orthant_result_iterations(result), STOPPED_AFTER);
        else if (first)
            compare(s, result);
    }
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

static void run(int ranks, shared_fit s)
{
    if (ranks == 1)
        fit_member(&s, NULL);
    else
        thread_group_run(ranks, 0, fit_member, &s);
}

static const shared_fit cases[] = {
    {.method = "nmf"},
    {.method = "nmf", .parameter = {"solver", "emu"}},
    {.method = "nmf-kl", .parameter = {"solver", "emu"}},
    {.method = "tnmf"},
    {.method = "cdnmf"},
    {.method = "nnsc"},
};

/* Stopped with so many, gone on with so many. */
static const int numbers[][2] = {{3, 2}, {2, 1}, {1, 3}, {5, 4}};

static void test_other_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        shared_fit s = cases[i / 2];
        int calls;
        test_problem p;
        s.shape = i % 2 ? (problem_shape){9000, 260, ORTHANT_SINGLE, true, 5, 0.05}
                        : (problem_shape){9000, 130, ORTHANT_DOUBLE, false, 6, 0.3};
        problem_make(&p, s.shape);
        orthant_model *model = problem_model(&p, s.method, 5, "8");
        if (s.parameter[0])
            expect_ok(p.ctx, orthant_model_set(model, s.parameter[0], s.parameter[1]));
        orthant_result *alone = problem_fit(&p, model);
        const int *number = numbers[i % 4];
        s.path = files_path("group.checkpoint");
        s.calls = &calls;
        run(number[0], s);
        s.resumes = true;
        s.alone = alone;
        calls = 0;
        run(number[1], s);
        assert_int_equal(calls, ITERATIONS - STOPPED_AFTER);
        expect_ok(p.ctx, orthant_checkpoint_remove(p.ctx, s.path));
        orthant_result_free(alone);
        orthant_model_free(model);
        problem_free(&p);
    }
}

/* All members refuse it alike. */
static void test_other_data(void **state)
{
    (void)state;
    int calls;
    shared_fit s = {.method = "nmf",
                    .calls = &calls,
                    .path = files_path("other.checkpoint"),
                    .shape = {9000, 130, ORTHANT_SINGLE, false, 6, 0.3}};
    run(3, s);
    s.resumes = true;
    s.shape.seed++;
    s.refusal = "data was 9000 x 130 single dense, checksum";
    run(3, s);
    s.shape.seed--;
    s.method = "nmf-kl";
    s.refusal = "method was nmf, is nmf-kl";
    run(2, s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_numbers),
        cmocka_unit_test(test_other_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
