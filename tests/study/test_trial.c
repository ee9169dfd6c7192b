/* A trial is what its settings say: beside the same model, fit and labels by hand. */
#include "fixture.h"
#include "pinned.h"

#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "problem.h"
#include "study/trial.h"

static test_problem p;

static int setup(void **state)
{
    (void)state;
    problem_make(&p, (problem_shape){40, 13, ORTHANT_DOUBLE, false, 3, 0.8});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    problem_free(&p);
    return 0;
}

static void run(trial *t, const setting *list, int count, int64_t rank)
{
    expect_ok(p.ctx, trial_begin(p.ctx, (settings){count, list}, rank, t));
    expect_ok(p.ctx, trial_give(t, "data", p.X, p.labels, NULL));
    expect_ok(p.ctx, trial_fit(t, NULL));
    expect_ok(p.ctx, trial_label(t));
}

static orthant_result *by_hand(const char *seed, const char *iterations, int64_t rank)
{
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    expect_ok(p.ctx, orthant_model_create(p.ctx, "nmf", rank, &model));
    expect_ok(p.ctx, orthant_model_set(model, "iterations", iterations));
    expect_ok(p.ctx, orthant_model_set(model, "seed", seed));
    expect_ok(p.ctx, orthant_fit(model, p.X, &result));
    orthant_model_free(model);
    return result;
}

static void same_labels(const orthant_labels *a, const orthant_labels *b, bool expected)
{
    bool same = orthant_labels_count(a) == orthant_labels_count(b);
    for (int64_t i = 0; same && i < orthant_labels_count(a); i++)
        same = orthant_labels_values(a)[i] == orthant_labels_values(b)[i];
    assert_int_equal(same, expected);
}

static void one_start_is_the_fit(void **state)
{
    const setting list[] = {{"method", "nmf"}, {"iterations", "7"}, {"seed", "12"}};
    trial t;
    (void)state;
    run(&t, list, 3, 4);
    assert_int_equal(t.seed, 12);
    assert_string_equal(t.rule, "kmeans-scaled:encoding");
    orthant_result *result = by_hand("12", "7", 4);
    assert_true(factors_identical(t.result, result));
    assert_true(t.seconds == orthant_result_seconds(t.result));
    orthant_result_free(result);
    trial_free(&t);
}

/* The lowest objective of the trial's own seed and those drawn from it. */
static void the_best_of_starts(void **state)
{
    const setting list[] = {
        {"method", "nmf"}, {"iterations", "3"}, {"seed", "12"}, {"start", "best-of:5"}};
    trial t;
    orthant_result *best = NULL;
    int64_t which = 0;
    (void)state;
    run(&t, list, 4, 4);
    for (int64_t start = 0; start < 5; start++) {
        char seed[32] = "12";
        if (start)
            snprintf(seed, sizeof seed, "%llu",
                     1 + (unsigned long long)random_below(12, RANDOM_START, (uint64_t)start, 0,
                                                          (UINT64_C(1) << 31) - 1));
        orthant_result *result = by_hand(seed, "3", 4);
        const bool better =
            !best || orthant_result_objective(result) < orthant_result_objective(best);
        which = better ? start : which;
        orthant_result_free(better ? best : result);
        best = better ? result : best;
    }
    assert_true(which > 0); /* else it tells nothing */
    assert_true(factors_identical(t.result, best));
    orthant_result_free(best);
    trial_free(&t);
}

/* Ten starts of k-means where none are asked for: not nine, not eleven. */
static void starts_of_labels(void **state)
{
    int told = 0;
    (void)state;
    for (int seed = 1; seed < 60 && told != 3; seed++) {
        char text[16];
        trial t;
        orthant_labels *nine = NULL, *ten = NULL, *eleven = NULL;
        snprintf(text, sizeof text, "%d", seed);
        const setting list[] = {
            {"method", "nmf"}, {"iterations", "2"}, {"seed", text}, {"clusters", "9"}};
        run(&t, list, 4, 3);
        expect_ok(p.ctx, orthant_result_labels(t.result, t.rule, 9, 9, (uint64_t)seed, &nine));
        expect_ok(p.ctx, orthant_result_labels(t.result, t.rule, 9, 10, (uint64_t)seed, &ten));
        expect_ok(p.ctx, orthant_result_labels(t.result, t.rule, 9, 11, (uint64_t)seed, &eleven));
        same_labels(t.found, ten, true);
        const size_t size = 40 * sizeof(int64_t);
        told |= memcmp(orthant_labels_values(nine), orthant_labels_values(ten), size) ? 1 : 0;
        told |= memcmp(orthant_labels_values(eleven), orthant_labels_values(ten), size) ? 2 : 0;
        orthant_labels_free(nine);
        orthant_labels_free(ten);
        orthant_labels_free(eleven);
        trial_free(&t);
    }
    assert_int_equal(told, 3);
}

static void factors_to_start_from(void **state)
{
    orthant_result *earlier = by_hand("5", "4", 4);
    orthant_model *model = NULL;
    orthant_result *result = NULL;
    char basis[300], encoding[300];
    trial t;
    (void)state;
    snprintf(basis, sizeof basis, "basis=%s", files_path("basis.npy"));
    snprintf(encoding, sizeof encoding, "encoding=%s", files_path("encoding.npy"));
    expect_ok(p.ctx, orthant_matrix_write(p.ctx, orthant_result_factor(earlier, "basis"),
                                          files_path("basis.npy")));
    expect_ok(p.ctx, orthant_matrix_write(p.ctx, orthant_result_factor(earlier, "encoding"),
                                          files_path("encoding.npy")));
    const setting list[] = {
        {"method", "nmf"}, {"iterations", "3"}, {"start", basis}, {"start", encoding}};
    run(&t, list, 4, 4);
    expect_ok(p.ctx, orthant_model_create(p.ctx, "nmf", 4, &model));
    expect_ok(p.ctx, orthant_model_set(model, "iterations", "3"));
    expect_ok(p.ctx,
              orthant_model_set_start(model, "basis", orthant_result_factor(earlier, "basis")));
    expect_ok(p.ctx, orthant_model_set_start(model, "encoding",
                                             orthant_result_factor(earlier, "encoding")));
    expect_ok(p.ctx, orthant_fit(model, p.X, &result));
    assert_true(factors_identical(t.result, result));
    orthant_result_free(result);
    orthant_result_free(earlier);
    orthant_model_free(model);
    trial_free(&t);
}

/* Every refusal word by word, as someone last read them (ORTHANT_PIN=1 writes them again). */
/* What is no "knn:" is a file, and gives 0 whatever was there before. */
static void words_of_graphs(void **state)
{
    (void)state;
    int64_t neighbours = 7;
    expect_ok(p.ctx, graph_word(p.ctx, "graph.mtx", &neighbours));
    assert_int_equal(neighbours, 0);
    expect_ok(p.ctx, graph_word(p.ctx, "knn:12", &neighbours));
    assert_int_equal(neighbours, 12);
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT,
                   "graph = 'knn:0': expected knn: and a number of neighbours",
                   graph_word(p.ctx, "knn:0", &neighbours));
}

static void refusals(void **state)
{
    static const char *const cases[][5] = {
        /* method, then names and values */
        {"nmf", "graph", "knn:3"},
        {"kmeans", "graph", "knn:3"},
        {"spectral", "graph", "graph.mtx"},
        {"gnmf", "graph", "knn:x"},
        {"gnmf", "graph", "knn:0"},
        {"nmf", "labels", "labels.csv"},
        {"pca", "labelled-fraction", "0.5"},
        {"cdnmf", "labelled-fraction", "0.5", "labelled-per-class", "2"},
        {"cdnmf", "labelled-fraction", "half"},
        {"cdnmf", "labelled-fraction", "1.5"},
        {"cdnmf", "labelled-fraction", "0"},
        {"cdnmf", "labelled-per-class", "0"},
        {"cdnmf", "labelled-per-class", "two"},
        {"nmf", "start", "best-of"},
        {"nmf", "start", "best-of:0"},
        {"nmf", "start", "best-of:10001"},
        {"nmf", "start", "best-of:2", "start", "random"},
        {"nmf", "start", "basis=a.npy", "start", "basis=b.npy"},
        {"nmf", "start", "weights=a.npy"},
        {"nmf", "restarts", "0"},
        {"nmf", "restarts", "1.5"},
        {"nmf", "clusters", "0"},
        {"nmf", "labels-rule", "mean"},
        {"nmf", "labels-rule", "best-of"},
        {"nmf", "labels-rule", "kmeans:basis"},
        {"rmnd", "labels-rule", "argmax:core"},
        {"nmf", "parameter", "graph_weight=1"},
        {"nmf", "parameter", "tolerance"},
        {"nmf", "term", "graph"},
        {"nmf", "term", "grpah=1"},
        {"pca", "term", "graph=1"},
        {"nmf", "loss", "l3"},
        {"nmf", "iterations", "-1"},
        {"nmf", "solver", "fast"},
        {"nfm", "seed", "1"},
    };
    FILE *out = fopen(files_path("refusals.txt"), "w");
    (void)state;
    assert_non_null(out);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *c = cases[i];
        const setting list[] = {{"method", c[0]}, {c[1], c[2]}, {c[3], c[4]}};
        trial t;
        const orthant_status status = trial_begin(p.ctx, (settings){c[3] ? 3 : 2, list}, 4, &t);
        fprintf(out, "%s %s %s: %s\n", c[0], c[1], c[2],
                status ? orthant_message(p.ctx) : "accepted");
        trial_free(&t);
    }
    assert_int_equal(fclose(out), 0);
    expect_pinned(files_folder(), "tests/study/whole/refusals.txt", "refusals.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_start_is_the_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(the_best_of_starts, setup, teardown),
        cmocka_unit_test_setup_teardown(starts_of_labels, setup, teardown),
        cmocka_unit_test_setup_teardown(factors_to_start_from, setup, teardown),
        cmocka_unit_test_setup_teardown(words_of_graphs, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
