/* Processes that share the samples write one folder, with the bytes of that of one process. */
#define _GNU_SOURCE
#include "fixture.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "problem.h"
#include "thread_group.h"

#define SAMPLES 9000
#define RANK 20

typedef struct written {
    const char *folder, *rule;
    bool elsewhere;    /* the second member does not see the folder */
    double sparseness; /* as the first member finds it */
    orthant_cluster_scores clusters;
    bool noted;
} written;

static void look_for_note(void *user, orthant_log_level level, const char *message)
{
    written *w = user;
    (void)level;
    if (strstr(message, "not all processes see its folder"))
        w->noted = true;
}

static orthant_trial *trial_of(const test_problem *p, const written *w)
{
    orthant_trial *trial;
    expect_ok(p->ctx, orthant_trial_create(p->ctx, RANK, &trial));
    expect_ok(p->ctx, orthant_trial_set(trial, "iterations", "2"));
    expect_ok(p->ctx, orthant_trial_set(trial, "restarts", "1"));
    expect_ok(p->ctx, orthant_trial_set(trial, "labels-rule", w->rule));
    if (!strcmp(w->rule, "argmax")) /* of what is sent, the encodings would be the larger part */
        expect_ok(p->ctx, orthant_trial_set(trial, "parameter", "final_encodings=last"));
    expect_ok(p->ctx, orthant_trial_set_data(trial, "made", p->X, p->labels));
    expect_ok(p->ctx, orthant_trial_fit(trial));
    return trial;
}

static void write_member(void *user, const orthant_group *group)
{
    written *w = user;
    test_problem p;
    orthant_run run = {.size = sizeof run};
    char *text = NULL;
    const bool first = !group || group->rank == 0;
    problem_make(&p, (problem_shape){SAMPLES, 130, ORTHANT_DOUBLE, false, 6, 0.3});
    expect_ok(p.ctx, orthant_context_set_threads(p.ctx, 1));
    if (first)
        orthant_context_set_log(p.ctx, look_for_note, w);
    if (group) {
        expect_ok(p.ctx, orthant_context_set_group(p.ctx, group));
        expect_ok(p.ctx, orthant_matrix_share(p.X));
    }
    orthant_trial *trial = trial_of(&p, w);
    expect_ok(p.ctx, orthant_trial_label(trial));
    assert_int_equal(orthant_labels_count(orthant_trial_labels(trial)), first ? SAMPLES : 0);
    expect_ok(p.ctx, orthant_trial_label(trial)); /* again: there is nothing to do */
    expect_ok(p.ctx, orthant_trial_run(trial, &run));
    run.without_report = true;
    if (w->elsewhere && group->rank == 1) /* a working folder of its own */
        assert_true(!unshare(CLONE_FS) && !chdir("/"));
    expect_ok(p.ctx, orthant_run_write(p.ctx, &run, w->folder));
    expect_ok(p.ctx, orthant_run_describe(p.ctx, &run, &text));
    const double sparseness =
        orthant_score_sparseness(orthant_result_factor(run.result, "encoding"));
    if (first) {
        w->clusters.size = sizeof w->clusters;
        expect_ok(p.ctx, orthant_trial_cluster_scores(trial, &w->clusters));
        const char *key = strstr(text, "\"sparseness\":");
        w->sparseness = sparseness;
        assert_non_null(key);
        assert_true(strtod(key + strlen("\"sparseness\":"), NULL) == sparseness);
    }
    orthant_text_free(p.ctx, text);
    orthant_trial_free(trial);
    problem_free(&p);
}

static void expect_same(const char *folder, const char *other, const char *name)
{
    char path[2][300];
    size_t size[2];
    snprintf(path[0], sizeof path[0], "%s/%s", folder, name);
    snprintf(path[1], sizeof path[1], "%s/%s", other, name);
    unsigned char *bytes = files_read(path[0], &size[0]), *others = files_read(path[1], &size[1]);
    if (size[0] != size[1] || memcmp(bytes, others, size[0]) != 0)
        fail_msg("%s is not %s", path[1], path[0]);
    free(bytes);
    free(others);
}

static void compare(const written *alone, const written *shared)
{
    static const char *const names[] = {"basis.npy", "encoding.npy", "labels.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_same(alone->folder, shared->folder, names[i]);
    assert_memory_equal(&alone->sparseness, &shared->sparseness, sizeof alone->sparseness);
    assert_memory_equal(&alone->clusters.silhouette, &shared->clusters.silhouette, sizeof(double));
    assert_memory_equal(&alone->clusters.cohesion, &shared->clusters.cohesion, sizeof(double));
    assert_int_equal(alone->clusters.clusters, shared->clusters.clusters);
    assert_int_equal(files_count(alone->folder), files_count(shared->folder));
}

/* With labels by the largest entry the encodings stay where they are. */
static void test_same_folder(void **state)
{
    (void)state;
    static const char *const rules[] = {"kmeans", "argmax"};
    char folder[2][32];
    assert_false(chdir(files_folder()));
    for (int i = 0; i < 2; i++) {
        snprintf(folder[0], sizeof folder[0], "alone-%d", i);
        written alone = {.folder = folder[0], .rule = rules[i]};
        write_member(&alone, NULL);
        for (int ranks = 3; ranks <= 5; ranks += 2) { /* of four chunks: some have none */
            snprintf(folder[1], sizeof folder[1], "shared-%d-%d", i, ranks);
            written shared = {.folder = folder[1], .rule = rules[i]};
            const int64_t sent = thread_group_run(ranks, 0, write_member, &shared);
            compare(&alone, &shared);
            assert_false(shared.noted);
            if (i)
                assert_true(sent < SAMPLES * 3 / 5 * RANK * (int64_t)sizeof(double));
        }
    }
}

static void test_folder_that_one_does_not_see(void **state)
{
    (void)state;
    written alone = {.folder = "alone", .rule = "argmax"},
            shared = {.folder = "shared", .rule = "argmax", .elsewhere = true};
    assert_false(chdir(files_folder()));
    write_member(&alone, NULL);
    thread_group_run(3, 0, write_member, &shared);
    assert_true(shared.noted);
    compare(&alone, &shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_folder),
        cmocka_unit_test(test_folder_that_one_does_not_see),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
