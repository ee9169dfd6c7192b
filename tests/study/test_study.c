/* Plans, seeds, draws, and runs that are the same whatever ran them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "core/memory.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "study/draw.h"
#include "study/study.h"
#include "study/trial.h"

/* Six classes of seven samples each, the classes' features apart, in the order 0, 1, ..., 5, 0, ...
 */
#define SAMPLES 42
#define FEATURES 12
#define CLASSES 6

typedef struct blocks {
    orthant_matrix *samples;
    orthant_labels *truth;
} blocks;

static blocks make_blocks(orthant_context *ctx)
{
    double values[SAMPLES * FEATURES];
    int64_t labels[SAMPLES];
    blocks made;
    for (int i = 0; i < SAMPLES; i++) {
        labels[i] = 10 * (i % CLASSES);
        for (int j = 0; j < FEATURES; j++)
            values[i * FEATURES + j] =
                (j / 2 == i % CLASSES ? 5 : 0) + 0.1 * ((i * 7 + j * 5) % 11);
    }
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, FEATURES, values, &made.samples));
    expect_ok(ctx, orthant_labels_create(ctx, SAMPLES, labels, &made.truth));
    return made;
}

static void free_blocks(blocks made)
{
    orthant_matrix_free(made.samples);
    orthant_labels_free(made.truth);
}

static void test_class_lists(void **state)
{
    orthant_context *ctx = *state;
    static const struct {
        const char *text;
        int count;
        int64_t first, last;
    } good[] = {{"2:10", 9, 2, 10},      {"2:10:2", 5, 2, 10}, {"2:9:3", 3, 2, 8},
                {"20,5,10,5", 3, 5, 20}, {"all", 1, 0, 0},     {"5,all", 2, 0, 5},
                {"3", 1, 3, 3}};
    static const char *const bad[] = {
        "",     "0",  "-3", "2:",      ":5",        "5:2", "2:10:0",
        "a",    "5,", ",5", "2:4:1:1", "1:1000000", "2.5", "99999999999999999999",
        "all:3"};
    int64_t *list;
    int count;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        expect_ok(ctx, class_list_parse(ctx, "classes", true, good[i].text, &list, &count));
        assert_int_equal(count, good[i].count);
        assert_int_equal(list[0], good[i].first);
        assert_int_equal(list[count - 1], good[i].last);
        memory_free(ctx, list);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "classes = '",
                       class_list_parse(ctx, "classes", true, bad[i], &list, &count));
        assert_null(list);
    }
}

static void test_seeds(void **state)
{
    (void)state;
    for (int64_t classes = 1; classes < 30; classes++)
        for (int64_t repeat = 0; repeat < 30; repeat++) {
            const int64_t seed = draw_seed(1, classes, repeat);
            assert_true(seed >= 1 && seed < (INT64_C(1) << 31));
            assert_true(seed != draw_seed(1, classes, repeat + 1));
            assert_true(seed != draw_seed(1, classes + 1, repeat));
            assert_true(seed != draw_seed(2, classes, repeat));
        }
    /* Recorded seeds repeat runs: they may never change. */
    assert_int_equal(draw_seed(1, 2, 0), 1841761584);
}

static void test_draws(void **state)
{
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx);
    int drawn[CLASSES] = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        study_draw draw;
        expect_ok(ctx,
                  draw_classes(ctx, "blocks", data.samples, data.truth, 2, seed, false, &draw));
        assert_int_equal(draw.samples->rows, 14);
        assert_int_equal(orthant_labels_classes(draw.truth), 2);
        for (int64_t i = 0; i < 14; i++) {
            const int64_t row = draw.row->values[i];
            assert_true(!i || row > draw.row->values[i - 1]);
            assert_int_equal(draw.truth->values[i], data.truth->values[row]);
            assert_true(orthant_matrix_get(draw.samples, i, 3) ==
                        orthant_matrix_get(data.samples, row, 3));
        }
        drawn[draw.truth->values[0] / 10]++;
        drawn[draw.truth->values[1] / 10]++;
        draw_free(&draw);
    }
    /* A third of 200 each; five standard deviations of a draw are 33. */
    for (int c = 0; c < CLASSES; c++)
        assert_in_range(drawn[c], 67 - 33, 67 + 33);
    study_draw draw;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "7 classes are to be drawn, and there are 6",
                   draw_classes(ctx, "blocks", data.samples, data.truth, 7, 1, false, &draw));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "truth = 'FILE'",
                   draw_classes(ctx, "blocks", data.samples, NULL, 2, 1, false, &draw));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "square",
                   draw_classes(ctx, "blocks", data.samples, data.truth, 2, 1, true, &draw));
    free_blocks(data);
}

/* Rows and columns of a similarity, dense and sparse. */
static void test_square_draw(void **state)
{
    orthant_context *ctx = *state;
    double values[SAMPLES * SAMPLES];
    int64_t starts[SAMPLES + 1] = {0}, columns[SAMPLES * SAMPLES];
    double stored[SAMPLES * SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        starts[i + 1] = starts[i];
        for (int j = 0; j < SAMPLES; j++) {
            values[i * SAMPLES + j] = (i + j) % 3 ? 1 + i * j : 0;
            if ((i + j) % 3) {
                columns[starts[i + 1]] = j;
                stored[starts[i + 1]++] = 1 + i * j;
            }
        }
    }
    const blocks data = make_blocks(ctx);
    orthant_matrix *dense, *sparse;
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, SAMPLES, values, &dense));
    expect_ok(ctx,
              orthant_matrix_create_csr(ctx, SAMPLES, SAMPLES, starts, columns, stored, &sparse));
    study_draw a, b;
    expect_ok(ctx, draw_classes(ctx, "k", dense, data.truth, 3, 5, true, &a));
    expect_ok(ctx, draw_classes(ctx, "k", sparse, data.truth, 3, 5, true, &b));
    assert_true(a.samples->rows == 21 && a.samples->columns == 21 && b.samples->columns == 21);
    for (int64_t i = 0; i < 21; i++)
        for (int64_t j = 0; j < 21; j++) {
            const double wanted = values[a.row->values[i] * SAMPLES + a.row->values[j]];
            assert_true(orthant_matrix_get(a.samples, i, j) == wanted);
            assert_true(orthant_matrix_get(b.samples, i, j) == wanted);
        }
    draw_free(&a);
    draw_free(&b);
    orthant_matrix_free(dense);
    orthant_matrix_free(sparse);
    free_blocks(data);
}

static void test_labels_kept(void **state)
{
    orthant_context *ctx = *state;
    int64_t values[33], counts[3] = {0};
    orthant_labels *truth, *kept;
    for (int i = 0; i < 33; i++)
        values[i] = i < 1 ? 0 : i < 12 ? 1 : 2;
    expect_ok(ctx, orthant_labels_create(ctx, 33, values, &truth));
    expect_ok(ctx, orthant_labels_keep_count(ctx, truth, 2, 7, &kept));
    for (int i = 0; i < 33; i++)
        if (kept->values[i] >= 0)
            counts[kept->values[i]]++;
    assert_true(counts[0] == 1 && counts[1] == 2 && counts[2] == 2);
    orthant_labels_free(kept);
    /* A tenth of 11 is 2. */
    expect_ok(ctx, orthant_labels_keep_fraction(ctx, truth, 0.1, 7, &kept));
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < 33; i++)
        if (kept->values[i] >= 0)
            counts[kept->values[i]]++;
    assert_true(counts[0] == 1 && counts[1] == 2 && counts[2] == 3);
    orthant_labels_free(kept);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "at least 1",
                   orthant_labels_keep_count(ctx, truth, 0, 7, &kept));
    orthant_labels_free(truth);
}

static orthant_study *make_study(orthant_context *ctx, blocks data, const setting *list)
{
    orthant_study *study;
    expect_ok(ctx, orthant_study_create(ctx, &study));
    expect_ok(ctx, orthant_study_add_data(study, "blocks", NULL, data.samples, data.truth));
    for (; list->name; list++)
        expect_ok(ctx, orthant_study_set(study, list->name, list->value));
    return study;
}

static void test_variants(void **state)
{
    static const setting list[] = {{"methods", "kmeans,nmf,cdnmf"},
                                   {"init", "random,nndsvd"},
                                   {"scale", "unit,none"},
                                   {"sweep", "tnmf.pooling_weight=1,2"},
                                   {"parameter", "cdnmf.class_weight=3"},
                                   {"classes", "2,all"},
                                   {"repeats", "3"},
                                   {NULL, NULL}};
    static const char *const labels[] = {"kmeans",
                                         "kmeans scale=none",
                                         "nmf",
                                         "nmf scale=none",
                                         "nmf init=nndsvd",
                                         "nmf init=nndsvd scale=none",
                                         "cdnmf",
                                         "cdnmf scale=none",
                                         "cdnmf init=nndsvd",
                                         "cdnmf init=nndsvd scale=none",
                                         "tnmf",
                                         "tnmf scale=none",
                                         "tnmf init=nndsvd",
                                         "tnmf init=nndsvd scale=none",
                                         "tnmf pooling_weight=1",
                                         "tnmf pooling_weight=2"};
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx);
    orthant_study *study = make_study(ctx, data, list);
    expect_ok(ctx, study_plan(study));
    assert_int_equal(study->variants, 16);
    for (int i = 0; i < 16; i++)
        assert_string_equal(study->variant[i].label, labels[i]);
    assert_string_equal(study->variant[0].scale, "unit");
    const settings cdnmf = {study->variant[6].count, study->variant[6].list};
    assert_string_equal(settings_value(&cdnmf, "labelled-fraction"), "0.1");
    assert_string_equal(settings_value(&cdnmf, "parameter"), "class_weight=3");
    const settings nmf = {study->variant[4].count, study->variant[4].list};
    assert_null(settings_value(&nmf, "labelled-fraction"));
    assert_string_equal(settings_value(&nmf, "init"), "nndsvd");
    /* The plain method's choice is passed on too: a method's own default may be another. */
    const settings plain = {study->variant[2].count, study->variant[2].list};
    assert_string_equal(settings_value(&plain, "init"), "random");
    assert_int_equal(study->jobs, 16 * 2 * 3);
    assert_true(study->job[0].classes == 2 && study->job[3].classes == CLASSES);
    assert_true(!study->job[0].kept && study->job[3].kept && !study->job[4].kept);
    /* The same draw for every method. */
    assert_int_equal(study->job[0].seed, study->job[6].seed);
    orthant_study_free(study);
    free_blocks(data);
}

static void refuse(orthant_context *ctx, blocks data, const char *words, const setting *list)
{
    orthant_study *study = make_study(ctx, data, list);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, words, orthant_study_run(study, NULL));
    orthant_study_free(study);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *words;
        setting list[3];
    } cases[] = {
        {"no methods to compare", {{NULL, NULL}}},
        {"no method 'nfm'", {{"methods", "nmf,nfm"}}},
        {"'nmf' is asked for twice", {{"methods", "nmf,nmf"}}},
        {"with a comma", {{"methods", "nmf,,gnmf"}}},
        {"METHOD.PARAMETER=VALUE", {{"sweep", "pooling_weight=1"}}},
        {"no method 'tnfm'", {{"sweep", "tnfm.pooling_weight=1"}}},
        {"no parameter 'pool'", {{"sweep", "tnmf.pool=1"}}},
        {"pooling_weight", {{"sweep", "tnmf.pooling_weight=1,x"}}},
        {"7 classes cannot be drawn from blocks, which has 6",
         {{"methods", "nmf"}, {"classes", "7"}}},
        {"repeats = '0'", {{"methods", "nmf"}, {"repeats", "0"}}},
        {"seed = '-1'", {{"methods", "nmf"}, {"seed", "-1"}}},
        {"labelled-fraction = '0.1': none of the methods compared has a use for it",
         {{"methods", "nmf"}, {"labelled-fraction", "0.1"}}},
        {"parameter = 'graph_weight=1': none of the methods compared has a use for it",
         {{"methods", "nmf"}, {"parameter", "graph_weight=1"}}},
        {"parameter = 'gnmf.graph_weight=1': none of the methods compared has a use for it",
         {{"methods", "nmf"}, {"parameter", "gnmf.graph_weight=1"}}},
        {"labelled-fraction = '2'", {{"methods", "cdnmf"}, {"labelled-fraction", "2"}}},
        {"best-of", {{"methods", "nmf"}, {"start", "random,best-of:0"}}},
        {"expected one of", {{"methods", "nmf"}, {"init", "random,nonsense"}}},
    };
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx);
    orthant_study *study;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(ctx, data, cases[i].words, cases[i].list);
    expect_ok(ctx, orthant_study_create(ctx, &study));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no setting 'method'",
                   orthant_study_set(study, "method", "nmf"));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "the true labels are not known",
                   orthant_study_add_data(study, "a", NULL, data.samples, NULL));
    expect_ok(ctx, orthant_study_add_data(study, "a", NULL, data.samples, data.truth));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "two data sets",
                   orthant_study_add_data(study, "a", NULL, data.samples, data.truth));
    orthant_study_free(study);
    free_blocks(data);
}

/* A row of the study beside a trial of our own. */
static void expect_same_alone(orthant_context *ctx, blocks data, const orthant_study *study,
                              int64_t index)
{
    const study_job *job = &study->job[index];
    const study_variant *variant = &study->variant[job->variant];
    setting list[32];
    char seed[32];
    trial t;
    study_draw draw;
    memcpy(list, variant->list, (size_t)variant->count * sizeof *list);
    snprintf(seed, sizeof seed, "%lld", (long long)job->seed);
    list[variant->count] = (setting){"seed", seed};
    expect_ok(ctx, trial_begin(ctx, (settings){variant->count + 1, list}, job->classes, &t));
    expect_ok(ctx, draw_classes(ctx, "blocks", data.samples, data.truth, job->classes,
                                (uint64_t)job->seed, false, &draw));
    expect_ok(ctx, trial_give(&t, "blocks", draw.samples, draw.truth, &draw));
    expect_ok(ctx, trial_fit(&t, NULL));
    expect_ok(ctx, trial_label(&t));
    assert_true(t.scores.accuracy == job->value[MEASURE_ACCURACY]);
    assert_true(t.scores.nmi == job->value[MEASURE_NMI]);
    assert_true(orthant_result_objective(t.result) == job->value[MEASURE_OBJECTIVE]);
    trial_free(&t);
    draw_free(&draw);
}

/* A trial of its own, with the graph that others keep; returns its objective. */
static double fit_with_kept(orthant_context *ctx, blocks data, const char *method,
                            const char *graph, kept_graph *kept)
{
    const setting list[] = {
        {"method", method}, {"graph", graph}, {"iterations", "5"}, {"labelled-fraction", "0.3"}};
    const int count = strcmp(method, "sgnmf") ? 3 : 4;
    trial t;
    expect_ok(ctx, trial_begin(ctx, (settings){count, list}, CLASSES, &t));
    expect_ok(ctx, trial_give(&t, "blocks", data.samples, data.truth, NULL));
    expect_ok(ctx, trial_fit(&t, kept));
    const double objective = orthant_result_objective(t.result);
    assert_int_equal(t.result->neighbours, atoi(graph + strlen("knn:")));
    trial_free(&t);
    return objective;
}

static void test_kept_graph(void **state)
{
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx), again = make_blocks(ctx);
    const struct {
        blocks data;
        const char *method, *graph;
        int64_t built; /* so far */
    } cases[] = {{data, "gnmf", "knn:3", 1},  {data, "gnmf", "knn:3", 1},
                 {data, "sgnmf", "knn:3", 1}, {data, "nlcf-g", "knn:3", 1},
                 {data, "gnmf", "knn:4", 2},  {again, "gnmf", "knn:4", 3}};
    kept_graph kept = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double alone =
            fit_with_kept(ctx, cases[c].data, cases[c].method, cases[c].graph, NULL);
        const double shared =
            fit_with_kept(ctx, cases[c].data, cases[c].method, cases[c].graph, &kept);
        assert_true(alone == shared);
        assert_int_equal(kept.built, cases[c].built);
    }
    kept_graph_release(&kept);
    free_blocks(data);
    free_blocks(again);
}

static double fit_with_similarity(orthant_context *ctx, blocks data, const char *method,
                                  const char *similarity, const char *scale, kept_graph *kept)
{
    const setting list[] = {
        {"method", method}, {"similarity", similarity}, {"parameter", scale}, {"iterations", "5"}};
    trial t;
    expect_ok(ctx, trial_begin(ctx, (settings){4, list}, CLASSES, &t));
    expect_ok(ctx, trial_give(&t, "blocks", data.samples, data.truth, NULL));
    expect_ok(ctx, trial_fit(&t, kept));
    const double objective = orthant_result_objective(t.result);
    trial_free(&t);
    return objective;
}

static void test_kept_similarity(void **state)
{
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx), again = make_blocks(ctx);
    const struct {
        blocks data;
        const char *method, *similarity, *scale;
        int64_t built; /* so far */
    } cases[] = {
        {data, "snmf", "gaussian", "scale=1", 1}, {data, "rmnd", "gaussian", "scale=1", 1},
        {data, "cf", "gaussian", "scale=1", 1},   {data, "wnmf", "knn:4", "scale=1", 2},
        {data, "cf", "knn:4", "scale=1", 2},      {data, "wnmf", "knn:4", "scale=2", 3},
        {again, "wnmf", "knn:4", "scale=2", 4},
    };
    kept_graph kept = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double alone = fit_with_similarity(ctx, cases[c].data, cases[c].method,
                                                 cases[c].similarity, cases[c].scale, NULL);
        const double shared = fit_with_similarity(ctx, cases[c].data, cases[c].method,
                                                  cases[c].similarity, cases[c].scale, &kept);
        assert_true(alone == shared);
        assert_int_equal(kept.similarities, cases[c].built);
    }
    /* A graph that is built in between leaves it. */
    fit_with_kept(ctx, again, "gnmf", "knn:3", &kept);
    fit_with_similarity(ctx, again, "wnmf", "knn:4", "scale=2", &kept);
    assert_int_equal(kept.similarities, 4);
    kept_graph_release(&kept);
    free_blocks(data);
    free_blocks(again);
}

static void test_threads(void **state)
{
    static const setting list[] = {{"methods", "kmeans,nmf,gnmf,cdnmf-kl"},
                                   {"classes", "2:4"},
                                   {"repeats", "3"},
                                   {"iterations", "30"},
                                   {"start", "random,best-of:3"},
                                   {NULL, NULL}};
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx);
    orthant_study *one = make_study(ctx, data, list), *three = make_study(ctx, data, list);
    orthant_context_set_threads(ctx, 1);
    expect_ok(ctx, orthant_study_run(one, NULL));
    orthant_context_set_threads(ctx, 3);
    expect_ok(ctx, orthant_study_run(three, NULL));
    assert_int_equal(orthant_study_row_count(one), 8 * 3 * 3);
    assert_int_equal(orthant_study_failure_count(one), 0);
    for (int64_t i = 0; i < orthant_study_row_count(one); i++) {
        orthant_study_row a = {.size = sizeof a}, b = {.size = sizeof b};
        expect_ok(ctx, orthant_study_row_at(one, i, &a));
        expect_ok(ctx, orthant_study_row_at(three, i, &b));
        assert_string_equal(a.method, b.method);
        assert_true(a.seed == b.seed && a.found.accuracy == b.found.accuracy &&
                    a.found.objective == b.found.objective &&
                    a.found.iterations == b.found.iterations &&
                    a.found.sparseness == b.found.sparseness);
        if (i % 7 == 0)
            expect_same_alone(ctx, data, three, i);
    }
    /* The best of three starts is never worse, and somewhere better. */
    int better = 0;
    for (int64_t i = 0; i < three->jobs; i++)
        for (int64_t j = 0; j < three->jobs; j++)
            if (three->job[i].variant == 2 && three->job[j].variant == 3 &&
                three->job[i].seed == three->job[j].seed) {
                const double plain = three->job[i].value[MEASURE_OBJECTIVE];
                const double best = three->job[j].value[MEASURE_OBJECTIVE];
                assert_true(best <= plain);
                better += best < plain;
            }
    assert_true(better > 0);
    orthant_study_free(one);
    orthant_study_free(three);
    free_blocks(data);
}

/* Two data sets at one scale: each job has the samples of its own. */
static void test_two_data_sets(void **state)
{
    static const setting list[] = {{"methods", "nmf,kmeans"},
                                   {"scale", "max"},
                                   {"classes", "2"},
                                   {"repeats", "1"},
                                   {NULL, NULL}};
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx);
    double values[SAMPLES * FEATURES];
    orthant_matrix *other = NULL;
    orthant_matrix_copy_values(data.samples, values);
    for (int e = 0; e < SAMPLES * FEATURES; e++)
        values[e] = 6 - values[e];
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, FEATURES, values, &other));
    orthant_study *study = make_study(ctx, data, list);
    expect_ok(ctx, orthant_study_add_data(study, "other", NULL, other, data.truth));
    expect_ok(ctx, study_plan(study));
    assert_int_equal(study->jobs, 2 * 2);
    assert_int_equal(study->scaled_count, 2);
    for (int64_t i = 0; i < study->jobs; i++) {
        const study_job *job = &study->job[i];
        const orthant_matrix *from = job->dataset ? other : data.samples,
                             *to = study->scaled[job->scaled].samples;
        const double scale = orthant_matrix_get(to, 0, 0) / orthant_matrix_get(from, 0, 0);
        for (int64_t e = 0; e < SAMPLES * FEATURES; e++)
            assert_true(fabs(orthant_matrix_get(to, e / FEATURES, e % FEATURES) -
                             scale * orthant_matrix_get(from, e / FEATURES, e % FEATURES)) < 1e-12);
    }
    orthant_study_free(study);
    orthant_matrix_free(other);
    free_blocks(data);
}

/* A rank of whole classes is read out in as many clusters, another in as many as it has columns. */
static void test_clusters_of_a_rank(void **state)
{
    static const struct {
        const char *per_class;
        int64_t rank, clusters;
    } cases[] = {{"2", 12, 6}, {"3", 18, 6}, {"2", 13, 13}, {"1", 12, 12}};
    orthant_context *ctx = *state;
    const blocks data = make_blocks(ctx);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char parameter[64];
        trial t;
        snprintf(parameter, sizeof parameter, "basis_per_class=%s", cases[c].per_class);
        const setting list[] = {{"method", "cdnmf"},
                                {"parameter", parameter},
                                {"labelled-fraction", "0.3"},
                                {"iterations", "5"}};
        expect_ok(ctx, trial_begin(ctx, (settings){4, list}, cases[c].rank, &t));
        expect_ok(ctx, trial_give(&t, "blocks", data.samples, data.truth, NULL));
        expect_ok(ctx, trial_fit(&t, NULL));
        expect_ok(ctx, trial_label(&t));
        assert_int_equal(orthant_labels_classes(t.found), cases[c].clusters);
        trial_free(&t);
    }
    free_blocks(data);
}

static bool stop_at_once(void *user, const orthant_progress *progress)
{
    int *told = user;
    ++*told;
    return progress->done < 5;
}

/* Data that one method cannot take: the others go on. And a stop. */
static void test_failures(void **state)
{
    static const setting list[] = {{"methods", "nmf,kmeans"},
                                   {"classes", "2,3"},
                                   {"repeats", "4"},
                                   {"iterations", "10"},
                                   {NULL, NULL}};
    orthant_context *ctx = *state;
    double values[SAMPLES * FEATURES];
    blocks data = make_blocks(ctx);
    orthant_matrix_copy_values(data.samples, values);
    for (int i = 0; i < SAMPLES; i++)
        values[i * FEATURES] = -1;
    orthant_matrix_free(data.samples);
    expect_ok(ctx, orthant_matrix_create(ctx, SAMPLES, FEATURES, values, &data.samples));
    orthant_context_set_threads(ctx, 2);
    orthant_study *study = make_study(ctx, data, list);
    expect_ok(ctx, orthant_study_run(study, NULL));
    assert_int_equal(orthant_study_row_count(study), 8);
    assert_int_equal(orthant_study_failure_count(study), 8);
    /* told by its place in the data, not among those that were drawn */
    study_draw draw;
    char place[128];
    expect_ok(ctx, draw_classes(ctx, "blocks", data.samples, data.truth, 2,
                                (uint64_t)draw_seed(1, 2, 0), false, &draw));
    snprintf(place, sizeof place,
             "blocks, nmf, 2 classes, repeat 0: the data: entry (%lld, 1) is -1",
             (long long)draw.row->values[0] + 1);
    draw_free(&draw);
    assert_non_null(strstr(orthant_study_failure(study, 0), place));
    assert_null(orthant_study_failure(study, 8));
    int told = 0;
    orthant_context_set_progress(ctx, stop_at_once, &told);
    expect_failure(ctx, ORTHANT_STOPPED, "of 16 runs", orthant_study_run(study, NULL));
    assert_true(told > 0 && orthant_study_row_count(study) < 8);
    orthant_context_set_progress(ctx, NULL, NULL);
    orthant_study_free(study);
    free_blocks(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_class_lists),     fixture_test(test_seeds),
        fixture_test(test_draws),           fixture_test(test_square_draw),
        fixture_test(test_labels_kept),     fixture_test(test_variants),
        fixture_test(test_refusals),        fixture_test(test_kept_graph),
        fixture_test(test_kept_similarity), fixture_test(test_threads),
        fixture_test(test_failures),        fixture_test(test_two_data_sets),
        fixture_test(test_failures),        fixture_test(test_clusters_of_a_rank),
        fixture_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
