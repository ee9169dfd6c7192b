/* Scores against the golden cases, against values worked out by hand, and under new names. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "golden.h"
#include "orthant/score.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    if (orthant_context_create(&ctx))
        return 1;
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

static orthant_status try_score(int64_t n, const int64_t *found, int64_t m, const int64_t *truth,
                                orthant_scores *scores)
{
    orthant_labels *a = NULL, *b = NULL;
    expect_ok(ctx, orthant_labels_create(ctx, n, found, &a));
    expect_ok(ctx, orthant_labels_create(ctx, m, truth, &b));
    const orthant_status status = orthant_score_labels(ctx, a, b, scores);
    orthant_labels_free(a);
    orthant_labels_free(b);
    return status;
}

static orthant_scores score(int64_t n, const int64_t *found, const int64_t *truth)
{
    orthant_scores scores = {.size = sizeof scores};
    expect_ok(ctx, try_score(n, found, n, truth, &scores));
    return scores;
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-14)

static void test_golden_metrics(void **state)
{
    (void)state;
    int64_t cases, n, rows, columns;
    double *truth = golden_read("metrics", "truth.csv", &cases, &n);
    double *cluster = golden_read("metrics", "cluster.csv", &cases, &n);
    double *accuracy = golden_read("metrics", "out_ac.csv", &rows, &columns);
    double *nmi = golden_read("metrics", "out_nmi.csv", &rows, &columns);
    assert_int_equal(cases, 4);
    assert_int_equal(columns, cases);
    for (int64_t c = 0; c < cases; c++) {
        int64_t a[128], b[128];
        assert_true(n <= 128);
        for (int64_t i = 0; i < n; i++) {
            a[i] = (int64_t)cluster[c * n + i];
            b[i] = (int64_t)truth[c * n + i];
        }
        const orthant_scores scores = score(n, a, b);
        assert_near(scores.accuracy, accuracy[c]);
        assert_near(scores.nmi, nmi[c]);
        assert_int_equal(scores.samples, n);
    }
    free(truth);
    free(cluster);
    free(accuracy);
    free(nmi);
}

static void test_a_table_by_hand(void **state)
{
    (void)state;
    /* Table {{2, 1}, {0, 1}, {0, 2}}: pairs together 2, clusters 4, classes 7, of 15. */
    const int64_t found[] = {0, 0, 0, 1, 2, 2}, truth[] = {8, 8, 9, 9, 9, 9};
    const orthant_scores scores = score(6, found, truth);
    assert_int_equal(scores.clusters, 3);
    assert_int_equal(scores.classes, 2);
    assert_near(scores.accuracy, 4.0 / 6.0);
    assert_near(scores.purity, 5.0 / 6.0);
    const double expected = 4.0 * 7.0 / 15.0;
    assert_near(scores.ari, (2.0 - expected) / (5.5 - expected));
    const double larger = 0.5 * log(2.0) + log(6.0) / 6.0 + log(3.0) / 3.0;
    const double information =
        log(2.0 * 6 / (3 * 2)) / 3 + log(6.0 / (3 * 4)) / 6 + log(6.0 / 4) / 6 + log(12.0 / 8) / 3;
    assert_near(scores.nmi, information / larger);
}

/* scikit-learn 1.9.1: normalized_mutual_info_score (max, arithmetic, geometric, min),
 * adjusted_mutual_info_score, homogeneity_score, completeness_score, v_measure_score. */
static void test_what_scikit_learn_finds(void **state)
{
    (void)state;
    static const double expected[][8] = {
        {0.05663238660069443, 0.06147653426475383, 0.06170267332014498, 0.06722690183792901,
         -0.07004748325456826, 0.05663238660069443, 0.06722690183792901, 0.06147653426475383},
        {0.018811767389371636, 0.020576691894695128, 0.020667854626252143, 0.02270707509881454,
         -0.2515459928765629, 0.02270707509881454, 0.018811767389371636, 0.020576691894695128}};
    for (int c = 0; c < 2; c++) {
        int64_t found[40], truth[40];
        for (int64_t i = 0; i < 40; i++) {
            found[i] = c ? i % 7 : (i * i + i / 7) % 4;
            truth[i] = c ? i / 8 : i % 5;
        }
        const orthant_scores s = score(40, found, truth);
        const double values[] = {s.nmi, s.nmi_arithmetic, s.nmi_geometric, s.nmi_min,
                                 s.ami, s.homogeneity,    s.completeness,  s.v_measure};
        for (int i = 0; i < 8; i++)
            assert_true(fabs(values[i] - expected[c][i]) < 1e-13);
    }
}

/* The same for many samples, where the probabilities of a cell range over hundreds of counts. */
static void test_chance_among_many_samples(void **state)
{
    (void)state;
    int64_t *found = malloc(20000 * sizeof *found), *truth = malloc(20000 * sizeof *truth);
    assert_true(found && truth);
    for (int64_t i = 0; i < 20000; i++) {
        found[i] = i * 7919 % 20000 / 700;
        truth[i] = i / 1500;
    }
    assert_true(fabs(score(20000, found, truth).ami - -0.0030050110171209146) < 1e-10);
    for (int64_t i = 0; i < 20000; i++)
        found[i] = i % 3 ? i * 31 % 17 : truth[i];
    assert_true(fabs(score(20000, found, truth).ami - 0.15218055509176284) < 1e-10);
    free(found);
    free(truth);
}

static void test_agreement_is_one_whatever_the_names(void **state)
{
    (void)state;
    const int64_t found[] = {7, 7, INT64_MIN, INT64_MAX, INT64_MAX, 0};
    const int64_t truth[] = {1, 1, 2, 3, 3, -5};
    const orthant_scores scores = score(6, found, truth);
    assert_near(scores.accuracy, 1.0);
    assert_near(scores.nmi, 1.0);
    assert_near(scores.ari, 1.0);
    assert_near(scores.purity, 1.0);
    assert_near(scores.ami, 1.0);
    assert_near(scores.v_measure, 1.0);
    assert_int_equal(scores.clusters, 4);
    assert_int_equal(scores.classes, 4);
}

static void test_new_names_change_nothing(void **state)
{
    (void)state;
    int64_t found[300], truth[300], renamed[300];
    for (uint64_t i = 0; i < 300; i++) {
        truth[i] = (int64_t)random_below(1, RANDOM_TEST, i, 0, 6);
        found[i] = random_uniform(1, RANDOM_TEST, i, 1) < 0.6
                       ? truth[i]
                       : (int64_t)random_below(1, RANDOM_TEST, i, 2, 9);
        renamed[i] = (found[i] * 7 + 3) % 11 * 1000 - 20;
    }
    const orthant_scores scores = score(300, found, truth), again = score(300, renamed, truth);
    const orthant_scores back = score(300, truth, found);
    assert_true(scores.accuracy > 0.5 && scores.accuracy < 0.8);
    assert_near(scores.accuracy, again.accuracy);
    assert_near(scores.nmi, again.nmi);
    assert_near(scores.ari, again.ari);
    assert_near(scores.purity, again.purity);
    assert_near(scores.accuracy, back.accuracy);
    assert_near(scores.nmi, back.nmi);
    assert_near(scores.ari, back.ari);
}

static void test_single_blocks_and_single_samples(void **state)
{
    (void)state;
    const int64_t one[] = {4, 4, 4, 4}, each[] = {1, 2, 3, 4}, two[] = {0, 0, 1, 1};
    orthant_scores scores = score(4, one, one);
    assert_near(scores.nmi, 1.0);
    assert_near(scores.ari, 1.0);
    assert_near(scores.accuracy, 1.0);
    scores = score(4, one, two);
    assert_near(scores.nmi, 0.0);
    assert_near(scores.nmi_min, 0.0);
    assert_near(scores.nmi_geometric, 0.0);
    assert_near(scores.ami, 0.0);
    assert_near(scores.homogeneity, 0.0);
    assert_near(scores.completeness, 1.0);
    assert_near(scores.ari, 0.0);
    assert_near(scores.accuracy, 0.5);
    scores = score(4, each, two);
    assert_near(scores.accuracy, 0.5);
    assert_near(scores.purity, 1.0);
    assert_near(scores.nmi, 0.5);
    assert_near(score(4, each, each).ari, 1.0);
    assert_near(score(4, each, each).ami, 1.0);
    assert_near(score(1, one, two).ari, 1.0);
}

static void test_unknown_samples_are_left_out(void **state)
{
    (void)state;
    const int64_t found[] = {0, 0, -1, 1, 1, 2}, truth[] = {5, 5, 5, 6, -1, -1};
    const orthant_scores scores = score(6, found, truth);
    assert_int_equal(scores.samples, 3);
    assert_int_equal(scores.clusters, 2);
    assert_int_equal(scores.classes, 2);
    assert_near(scores.accuracy, 1.0);
}

static void test_thousands_of_clusters(void **state)
{
    (void)state;
    const int64_t n = 20000;
    int64_t *found = malloc((size_t)n * sizeof *found), *truth = malloc((size_t)n * sizeof *truth);
    assert_true(found && truth);
    for (int64_t i = 0; i < n; i++) {
        found[i] = i;
        truth[i] = i % 10;
    }
    const orthant_scores scores = score(n, found, truth);
    assert_near(scores.accuracy, 10.0 / (double)n);
    assert_near(scores.purity, 1.0);
    free(found);
    free(truth);
}

static void test_what_cannot_be_scored(void **state)
{
    (void)state;
    const int64_t found[] = {0, 1, -1}, truth[] = {-1, -1, 2};
    orthant_scores scores = {.size = sizeof scores};
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "3 found labels, but 2 true",
                   try_score(3, found, 2, truth, &scores));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "nothing to score",
                   try_score(3, found, 3, truth, &scores));
    assert_int_equal(scores.samples, 0);
}

static void test_golden_sparseness(void **state)
{
    (void)state;
    int64_t rows, columns, one, samples;
    double *V = golden_read_transposed("sparseness", "V.csv", &rows, &columns);
    double *expected = golden_read("sparseness", "out_sp.csv", &one, &samples);
    double mean = 0.0;
    assert_int_equal(rows, samples);
    for (int64_t i = 0; i < rows; i++) {
        orthant_matrix *row = NULL;
        expect_ok(ctx, orthant_matrix_create(ctx, 1, columns, V + i * columns, &row));
        assert_true(fabs(orthant_score_sparseness(row) - expected[i]) < 1e-13);
        orthant_matrix_free(row);
        mean += expected[i] / (double)rows;
    }
    orthant_matrix *all = golden_matrix(ctx, "sparseness", "V.csv", true);
    assert_true(fabs(orthant_score_sparseness(all) - mean) < 1e-13);
    orthant_matrix_free(all);
    free(V);
    free(expected);
}

static void test_undefined_sparseness_is_left_out(void **state)
{
    (void)state;
    const double values[] = {0, 0, 0, 1e-200, 0, 0, 2, 2, 2};
    const int64_t start[] = {0, 0, 1, 2}, column[] = {2, 0};
    orthant_matrix *encoding = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 3, values, &encoding));
    assert_true(fabs(orthant_score_sparseness(encoding) - 0.5) < 1e-14);
    orthant_matrix_free(encoding);
    expect_ok(ctx, orthant_matrix_create(ctx, 1, 3, values, &encoding));
    assert_true(isnan(orthant_score_sparseness(encoding)));
    orthant_matrix_free(encoding);
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 1, values + 6, &encoding));
    assert_true(isnan(orthant_score_sparseness(encoding)));
    orthant_matrix_free(encoding);
    expect_ok(ctx, orthant_matrix_create_csr(ctx, 3, 4, start, column, values + 6, &encoding));
    assert_near(orthant_score_sparseness(encoding), 1.0);
    orthant_matrix_free(encoding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_golden_metrics, make, clear),
        cmocka_unit_test_setup_teardown(test_a_table_by_hand, make, clear),
        cmocka_unit_test_setup_teardown(test_what_scikit_learn_finds, make, clear),
        cmocka_unit_test_setup_teardown(test_chance_among_many_samples, make, clear),
        cmocka_unit_test_setup_teardown(test_agreement_is_one_whatever_the_names, make, clear),
        cmocka_unit_test_setup_teardown(test_new_names_change_nothing, make, clear),
        cmocka_unit_test_setup_teardown(test_single_blocks_and_single_samples, make, clear),
        cmocka_unit_test_setup_teardown(test_unknown_samples_are_left_out, make, clear),
        cmocka_unit_test_setup_teardown(test_thousands_of_clusters, make, clear),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_scored, make, clear),
        cmocka_unit_test_setup_teardown(test_golden_sparseness, make, clear),
        cmocka_unit_test_setup_teardown(test_undefined_sparseness_is_left_out, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
