/* The number of parts: planted ranks are found, the measures are those of plain loops, and a survey
 * has the same results on any number of threads and after any stop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "core/memory.h"
#include "core/random.h"
#include "orthant/orthant.h"
#include "study/altered.h"
#include "study/consensus.h"
#include "study/part_clusters.h"
#include "study/draw.h"
#include "study/ranks.h"
#include "study/subset.h"

#define SEED 7

/* ---- generated problems -----------------------------------------------------------------------
 */

/* Half of the entries of a factor are zero, the others exponential. */
static double factor_entry(uint64_t seed, uint64_t row, uint64_t part)
{
    return random_uniform(seed, RANDOM_TEST, 2 * row, part) < 0.5
               ? -log(random_uniform(seed, RANDOM_TEST, 2 * row + 1, part))
               : 0;
}

/* n x m of `rank` parts, with normal noise of this share of the root mean square, cut off at 0. */
static orthant_matrix *planted(orthant_context *ctx, int n, int m, int rank, double noise,
                               uint64_t seed)
{
    double *x = calloc((size_t)(n * m), sizeof *x), squares = 0;
    orthant_matrix *samples;
    assert_non_null(x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            for (int p = 0; p < rank; p++)
                x[i * m + j] += factor_entry(seed, (uint64_t)i, (uint64_t)p) *
                                factor_entry(seed, 100000 + (uint64_t)j, (uint64_t)p);
            squares += x[i * m + j] * x[i * m + j];
        }
    const double size = noise * sqrt(squares / (n * m));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i * m + j] =
                fmax(0, x[i * m + j] + size * random_normal(seed, RANDOM_TEST, 200000 + (uint64_t)i,
                                                            (uint64_t)j));
    expect_ok(ctx, orthant_matrix_create(ctx, n, m, x, &samples));
    free(x);
    return samples;
}

static orthant_ranks *make_survey(orthant_context *ctx, const char *rank, const char *repeats)
{
    orthant_ranks *survey;
    expect_ok(ctx, orthant_ranks_create(ctx, &survey));
    expect_ok(ctx, orthant_ranks_set(survey, "rank", rank));
    expect_ok(ctx, orthant_ranks_set(survey, "repeats", repeats));
    return survey;
}

/* In at least 9 of 10 problems with 10 % of noise. */
static void test_planted_ranks(void **state)
{
    orthant_context *ctx = *state;
    const int last = SANITIZED ? 5 : 12;
    int found = 0;
    orthant_context_set_precision(ctx, ORTHANT_SINGLE);
    for (int rank = 3; rank <= last; rank++) {
        orthant_matrix *samples = planted(ctx, 120, 60, rank, 0.1, 100 + (uint64_t)rank);
        orthant_ranks *survey = make_survey(ctx, SANITIZED ? "2:6" : "2:15", "5");
        expect_ok(ctx, orthant_ranks_run(survey, "planted", samples, NULL));
        assert_non_null(orthant_ranks_reason(survey, 0));
        if (orthant_ranks_recommended(survey) == rank)
            found++;
        else
            printf("planted %d, recommended %lld\n", rank,
                   (long long)orthant_ranks_recommended(survey));
        orthant_ranks_free(survey);
        orthant_matrix_free(samples);
    }
    assert_true(found >= last - 3);
}

/* ---- the measures -----------------------------------------------------------------------------
 */

#define POINTS 30
#define RUNS 6

/* Average linkage by looking at all pairs of clusters before each merge. */
static double plain_cophenetic(const int32_t *label)
{
    double distance[POINTS][POINTS], height[POINTS][POINTS] = {{0}};
    int cluster[POINTS];
    for (int i = 0; i < POINTS; i++) {
        cluster[i] = i;
        for (int j = 0; j < POINTS; j++) {
            int together = 0;
            for (int r = 0; r < RUNS; r++)
                together += label[r * POINTS + i] == label[r * POINTS + j];
            distance[i][j] = 1 - (double)together / RUNS;
        }
    }
    for (int merges = 0; merges < POINTS - 1; merges++) {
        double nearest = INFINITY;
        int a = -1, b = -1;
        for (int p = 0; p < POINTS; p++)
            for (int q = p + 1; q < POINTS; q++) {
                double sum = 0;
                int count = 0;
                for (int i = 0; i < POINTS; i++)
                    for (int j = 0; j < POINTS; j++)
                        if (cluster[i] == p && cluster[j] == q) {
                            sum += distance[i][j];
                            count++;
                        }
                if (count && sum / count < nearest - 1e-12) {
                    nearest = sum / count;
                    a = p;
                    b = q;
                }
            }
        for (int i = 0; i < POINTS; i++)
            for (int j = 0; j < POINTS; j++)
                if (cluster[i] == a && cluster[j] == b)
                    height[i][j] = height[j][i] = nearest;
        for (int i = 0; i < POINTS; i++)
            cluster[i] = cluster[i] == b ? a : cluster[i];
    }
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0, n = 0;
    for (int i = 0; i < POINTS; i++)
        for (int j = i + 1; j < POINTS; j++) {
            n++;
            x += distance[i][j];
            y += height[i][j];
            xx += distance[i][j] * distance[i][j];
            yy += height[i][j] * height[i][j];
            xy += distance[i][j] * height[i][j];
        }
    return (xy - x * y / n) / sqrt((xx - x * x / n) * (yy - y * y / n));
}

static void test_consensus(void **state)
{
    orthant_context *ctx = *state;
    int32_t label[RUNS * POINTS];
    consensus_agreement found;
    double dispersion = 0;
    /* Three clusters; in each run some samples are elsewhere. Distances between clusters differ, so
     * that the tree is the only one. */
    for (int r = 0; r < RUNS; r++)
        for (int i = 0; i < POINTS; i++)
            label[r * POINTS + i] =
                random_uniform(SEED, RANDOM_TEST, (uint64_t)r, (uint64_t)i) < 0.2 ? (i + r) % 3
                                                                                  : i / 10;
    expect_ok(ctx, consensus_agree(ctx, label, RUNS, POINTS, &found));
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++) {
            double share = 0;
            for (int r = 0; r < RUNS; r++)
                share += (label[r * POINTS + i] == label[r * POINTS + j]) / (double)RUNS;
            dispersion += 4 * (share - 0.5) * (share - 0.5) / (POINTS * POINTS);
        }
    assert_true(fabs(found.dispersion - dispersion) < 1e-6);
    /* Equal distances can be joined in another order. */
    assert_true(fabs(found.cophenetic - plain_cophenetic(label)) < 0.02);
    for (int i = 0; i < RUNS * POINTS; i++)
        label[i] = i % POINTS / 10;
    expect_ok(ctx, consensus_agree(ctx, label, RUNS, POINTS, &found));
    assert_true(fabs(found.dispersion - 1) < 1e-12 && fabs(found.cophenetic - 1) < 1e-6);
    memset(label, 0, sizeof label);
    expect_ok(ctx, consensus_agree(ctx, label, RUNS, POINTS, &found));
    assert_true(found.dispersion >= 1 && found.cophenetic >= 1);
}

#define PARTS 4
#define FEATURES 9

/* The mean silhouette from all distances, for clusters that are known. */
static void plain_silhouettes(float part[RUNS][PARTS][FEATURES], const int order[RUNS][PARTS],
                              part_stability *found)
{
    *found = (part_stability){0, INFINITY};
    for (int c = 0; c < PARTS; c++) {
        double cluster = 0;
        for (int r = 0; r < RUNS; r++) {
            double within = 0, beside = INFINITY;
            for (int other = 0; other < PARTS; other++) {
                double sum = 0;
                for (int s = 0; s < RUNS; s++) {
                    double dot = 0;
                    for (int j = 0; j < FEATURES; j++)
                        dot +=
                            (double)part[r][order[r][c]][j] * (double)part[s][order[s][other]][j];
                    sum += other == c && s == r ? 0 : 1 - dot;
                }
                if (other == c)
                    within = sum / (RUNS - 1);
                else
                    beside = fmin(beside, sum / RUNS);
            }
            cluster += (beside - within) / fmax(beside, within) / RUNS;
        }
        found->silhouette += cluster / PARTS;
        found->least_silhouette = fmin(found->least_silhouette, cluster);
    }
}

static void test_parts(void **state)
{
    orthant_context *ctx = *state;
    static float part[RUNS][PARTS][FEATURES];
    static const int order[RUNS][PARTS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2},
                                           {2, 3, 0, 1}, {1, 2, 3, 0}, {0, 2, 1, 3}};
    float *run[RUNS];
    part_stability found, plain;
    for (int r = 0; r < RUNS; r++) {
        run[r] = &part[r][0][0];
        for (int c = 0; c < PARTS; c++) {
            orthant_matrix *basis;
            double values[FEATURES];
            for (int j = 0; j < FEATURES; j++)
                values[j] =
                    (j / 2 == c ? 2 : 0.1) +
                    0.4 * random_uniform(SEED, RANDOM_TEST, (uint64_t)(r * PARTS + c), (uint64_t)j);
            expect_ok(ctx, orthant_matrix_create(ctx, FEATURES, 1, values, &basis));
            parts_of_basis(basis, part[r][order[r][c]]);
            orthant_matrix_free(basis);
        }
    }
    expect_ok(ctx, part_clusters_judge(ctx, run, RUNS, PARTS, FEATURES, &found));
    plain_silhouettes(part, order, &plain);
    assert_true(fabs(found.silhouette - plain.silhouette) < 1e-5);
    assert_true(fabs(found.least_silhouette - plain.least_silhouette) < 1e-5);
    assert_true(found.silhouette > 0.5);
    expect_ok(ctx, part_clusters_judge(ctx, run, RUNS, 1, FEATURES, &found));
    assert_true(isnan(found.silhouette));
}

/* ---- altered data -----------------------------------------------------------------------------
 */

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static orthant_matrix *sparse_copy(orthant_context *ctx, const orthant_matrix *dense)
{
    const int64_t n = orthant_matrix_rows(dense), m = orthant_matrix_columns(dense);
    int64_t *start = calloc((size_t)(n + 1), sizeof *start), *column, at = 0;
    double *value = calloc((size_t)(n * m), sizeof *value);
    orthant_matrix *made;
    column = calloc((size_t)(n * m), sizeof *column);
    assert_true(start && value && column);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++)
            if (orthant_matrix_get(dense, i, j) > 0) {
                column[at] = j;
                value[at++] = orthant_matrix_get(dense, i, j);
            }
        start[i + 1] = at;
    }
    expect_ok(ctx, orthant_matrix_create_csr(ctx, n, m, start, column, value, &made));
    free(column);
    free(value);
    free(start);
    return made;
}

static void expect_permuted(const orthant_matrix *before, const orthant_matrix *after)
{
    const int64_t n = orthant_matrix_rows(before), m = orthant_matrix_columns(before);
    double a[64], b[64];
    int moved = 0;
    assert_true(n <= 64 && n == orthant_matrix_rows(after) && m == orthant_matrix_columns(after));
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < n; i++) {
            a[i] = orthant_matrix_get(before, i, j);
            b[i] = orthant_matrix_get(after, i, j);
            moved += a[i] < b[i] || a[i] > b[i];
        }
        qsort(a, (size_t)n, sizeof *a, by_value);
        qsort(b, (size_t)n, sizeof *b, by_value);
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
    }
    assert_true(moved > n * m / 4);
}

static void test_altered(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *dense = planted(ctx, 40, 12, 3, 0, SEED), *sparse = sparse_copy(ctx, dense);
    const orthant_matrix *const both[] = {dense, sparse};
    for (int s = 0; s < 2; s++) {
        orthant_matrix *permuted, *noisy;
        double largest = 0;
        expect_ok(ctx, altered_by_permutation(ctx, both[s], SEED, &permuted));
        expect_permuted(both[s], permuted);
        assert_true(orthant_matrix_is_sparse(permuted) == orthant_matrix_is_sparse(both[s]));
        expect_ok(ctx, altered_by_noise(ctx, both[s], 0.1, SEED, &noisy));
        for (int64_t i = 0; i < 40; i++)
            for (int64_t j = 0; j < 12; j++) {
                const double x = orthant_matrix_get(dense, i, j);
                largest = fmax(largest, fabs(orthant_matrix_get(noisy, i, j) - x) / fmax(x, 1e-9));
            }
        assert_true(largest > 0.08 && largest <= 0.1 + 1e-9);
        orthant_matrix_free(noisy);
        orthant_matrix_free(permuted);
    }
    orthant_matrix_free(sparse);
    orthant_matrix_free(dense);
}

static void test_subsets(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *dense = planted(ctx, 20, 10, 3, 0, SEED), *sparse = sparse_copy(ctx, dense);
    const orthant_matrix *const both[] = {dense, sparse};
    int64_t row[20], column[10];
    subset_draw(SEED, RANDOM_BLOCK_SAMPLES, 20, 7, row);
    subset_draw(SEED, RANDOM_BLOCK_FEATURES, 10, 4, column);
    int64_t seen = 0;
    for (int i = 0; i < 20; i++) {
        seen |= INT64_C(1) << row[i];
        assert_true(i == 0 || i == 7 || row[i] > row[i - 1]);
    }
    assert_int_equal(seen, (1 << 20) - 1);
    for (int s = 0; s < 2; s++) {
        orthant_matrix *taken;
        const subset rows = {7, row}, columns = {4, column};
        expect_ok(ctx, subset_take(ctx, both[s], &rows, &columns, &taken));
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 4; j++)
                assert_true(fabs(orthant_matrix_get(taken, i, j) -
                                 orthant_matrix_get(dense, row[i], column[j])) < 1e-12);
        orthant_matrix_free(taken);
    }
    orthant_matrix_free(sparse);
    orthant_matrix_free(dense);
}

/* ---- a survey ---------------------------------------------------------------------------------
 */

static void expect_same(const orthant_ranks *a, const orthant_ranks *b)
{
    const char *measure;
    assert_int_equal(orthant_ranks_count(a), orthant_ranks_count(b));
    assert_int_equal(orthant_ranks_recommended(a), orthant_ranks_recommended(b));
    for (int64_t k = 0; k < orthant_ranks_count(a); k++)
        for (int m = 0; (measure = orthant_ranks_measure(m)); m++) {
            double one[2], other[2];
            one[0] = orthant_ranks_value(a, k, measure, &one[1]);
            other[0] = orthant_ranks_value(b, k, measure, &other[1]);
            assert_true(isnan(one[0]) == isnan(other[0]) && isnan(one[1]) == isnan(other[1]));
            assert_false(one[0] < other[0] || one[0] > other[0]);
            assert_false(one[1] < other[1] || one[1] > other[1]);
        }
}

static orthant_ranks *survey_with(orthant_context *ctx, const orthant_matrix *samples, int threads,
                                  const char *method, const char *folder)
{
    orthant_ranks *survey = make_survey(ctx, "2:4", "3");
    expect_ok(ctx, orthant_ranks_set(survey, "method", method));
    expect_ok(ctx, orthant_ranks_set(survey, "iterations", "60"));
    orthant_context_set_threads(ctx, threads);
    expect_ok(ctx, orthant_ranks_run(survey, "planted", samples, folder));
    return survey;
}

static void test_threads(void **state)
{
    orthant_context *ctx = *state;
    static const char *const method[] = {"nmf", "nmf-kl", "gnmf"};
    orthant_matrix *dense = planted(ctx, 40, 20, 3, 0.1, SEED), *sparse = sparse_copy(ctx, dense);
    for (int i = 0; i < 3; i++) {
        const orthant_matrix *samples = i ? sparse : dense;
        orthant_ranks *one = survey_with(ctx, samples, 1, method[i], NULL);
        orthant_ranks *three = survey_with(ctx, samples, 3, method[i], NULL);
        expect_same(one, three);
        assert_true(orthant_ranks_value(one, 0, "error", NULL) > 0);
        orthant_ranks_free(three);
        orthant_ranks_free(one);
    }
    orthant_matrix_free(sparse);
    orthant_matrix_free(dense);
}

/* New samples are encoded by any loss; methods without a loss to choose have the squares. */
static void test_losses(void **state)
{
    orthant_context *ctx = *state;
    static const char *const given[][2] = {
        {"loss", "beta:1.5"}, {"loss", "huber:1"}, {"method", "pnmf"}};
    orthant_matrix *samples = planted(ctx, 40, 20, 3, 0.1, SEED);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        orthant_ranks *survey = make_survey(ctx, "2:3", "2");
        expect_ok(ctx, orthant_ranks_set(survey, given[i][0], given[i][1]));
        expect_ok(ctx, orthant_ranks_set(survey, "iterations", "100"));
        expect_ok(ctx, orthant_ranks_run(survey, "planted", samples, NULL));
        assert_true(orthant_ranks_value(survey, 1, "error", NULL) < 0.5);
        orthant_ranks_free(survey);
    }
    orthant_matrix_free(samples);
}

/* Asks for a stop after so many fits. */
static bool stop_after(void *user, const orthant_progress *progress)
{
    return progress->done < *(const int64_t *)user;
}

static void test_goes_on(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *samples = planted(ctx, 40, 20, 3, 0.1, SEED);
    orthant_matrix *others = planted(ctx, 40, 20, 3, 0.1, SEED + 1);
    orthant_ranks *whole = survey_with(ctx, samples, 2, "nmf", NULL);
    const char *folder = files_path("ranks");
    char copy[512];
    snprintf(copy, sizeof copy, "%s", folder);
    for (int64_t fits = 5; fits < 36; fits += 10) {
        orthant_ranks *survey = make_survey(ctx, "2:4", "3");
        expect_ok(ctx, orthant_ranks_set(survey, "method", "nmf"));
        expect_ok(ctx, orthant_ranks_set(survey, "iterations", "60"));
        orthant_context_set_progress(ctx, stop_after, &fits);
        const orthant_status status = orthant_ranks_run(survey, "planted", samples, copy);
        assert_true(status == ORTHANT_STOPPED || status == ORTHANT_OK);
        assert_true(fits > 5 || status == ORTHANT_STOPPED);
        orthant_context_set_progress(ctx, NULL, NULL);
        orthant_ranks_free(survey);
    }
    orthant_ranks *rest = survey_with(ctx, samples, 1, "nmf", copy);
    expect_same(whole, rest);
    /* Once more: nothing is left to do. Then other data. */
    orthant_ranks *again = survey_with(ctx, samples, 1, "nmf", copy);
    expect_same(whole, again);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "plan of another survey of ranks",
                   orthant_ranks_run(again, "planted", others, copy));
    orthant_ranks_free(again);
    orthant_ranks_free(rest);
    orthant_ranks_free(whole);
    orthant_matrix_free(others);
    orthant_matrix_free(samples);
}

static void test_texts(void **state)
{
    orthant_context *ctx = *state;
    static const char *const format[] = {"text", "md", "tex", "csv"};
    orthant_matrix *samples = planted(ctx, 40, 20, 3, 0.1, SEED);
    orthant_ranks *survey = make_survey(ctx, "2:4", "3");
    char *text;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "was not run",
                   orthant_ranks_describe(survey, &text));
    assert_null(text);
    expect_ok(ctx, orthant_ranks_set(survey, "criteria", "blocks,perturbed"));
    expect_ok(ctx, orthant_ranks_run(survey, "planted", samples, NULL));
    assert_true(isnan(orthant_ranks_value(survey, 0, "cophenetic", NULL)));
    assert_true(isnan(orthant_ranks_value(survey, 3, "error", NULL)));
    assert_true(orthant_ranks_value(survey, 1, "error", NULL) < 0.1);
    assert_int_equal(orthant_ranks_rank(survey, 2), 4);
    assert_int_equal(orthant_ranks_rank(survey, 3), 0);
    for (int i = 0; i < 4; i++) {
        expect_ok(ctx, orthant_ranks_tables(survey, format[i], &text));
        assert_true(strlen(text) > 40);
        orthant_text_free(ctx, text);
    }
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "format 'html'",
                   orthant_ranks_tables(survey, "html", &text));
    expect_ok(ctx, orthant_ranks_describe(survey, &text));
    assert_non_null(strstr(text, "\"recommended\": {\"k\": 3"));
    orthant_text_free(ctx, text);
    orthant_ranks_free(survey);
    orthant_matrix_free(samples);
}

/* ---- held-out entries --------------------------------------------------------------------------
 */

/* The error of a fit with the drawn entries masked, by plain loops. */
static double speckled_error(orthant_context *ctx, const orthant_matrix *x, int64_t rank,
                             int64_t seed)
{
    const int64_t n = orthant_matrix_rows(x), m = orthant_matrix_columns(x);
    double *mask = calloc((size_t)(n * m), sizeof *mask), squares = 0, left = 0;
    orthant_matrix *weights;
    orthant_model *model;
    orthant_result *result;
    char text[32];
    assert_non_null(mask);
    for (int64_t i = 0; i < n * m; i++)
        mask[i] = random_uniform((uint64_t)seed, RANDOM_SPECKLES, (uint64_t)(i / m),
                                 (uint64_t)(i % m)) < 0.1
                      ? 0
                      : 1;
    snprintf(text, sizeof text, "%lld", (long long)seed);
    expect_ok(ctx, orthant_matrix_create(ctx, n, m, mask, &weights));
    expect_ok(ctx, orthant_model_create(ctx, "nmf", rank, &model));
    expect_ok(ctx, orthant_model_set(model, "seed", text));
    expect_ok(ctx, orthant_model_set(model, "solver", "emu"));
    expect_ok(ctx, orthant_model_set(model, "iterations", "60"));
    expect_ok(ctx, orthant_model_set(model, "final_encodings", "last"));
    expect_ok(ctx, orthant_model_set_mask(model, weights));
    expect_ok(ctx, orthant_fit(model, x, &result));
    const orthant_matrix *s = orthant_result_factor(result, "encoding"),
                         *w = orthant_result_factor(result, "basis");
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double fitted = 0;
            for (int64_t p = 0; p < rank; p++)
                fitted += orthant_matrix_get(s, i, p) * orthant_matrix_get(w, j, p);
            squares += mask[i * m + j] > 0 ? 0 : pow(orthant_matrix_get(x, i, j), 2);
            left += mask[i * m + j] > 0 ? 0 : pow(orthant_matrix_get(x, i, j) - fitted, 2);
        }
    orthant_result_free(result);
    orthant_model_free(model);
    orthant_matrix_free(weights);
    free(mask);
    return left / squares;
}

static void test_speckles(void **state)
{
    orthant_context *ctx = *state;
    orthant_matrix *samples = planted(ctx, 50, 24, 3, 0.1, SEED);
    orthant_ranks *survey = survey_with(ctx, samples, 2, "nmf", NULL);
    for (int64_t k = 0; k < 3; k++) {
        double mean = 0;
        for (int64_t repeat = 0; repeat < 3; repeat++)
            mean += speckled_error(ctx, samples, k + 2, draw_seed(1, 0, repeat)) / 3;
        assert_true(fabs(orthant_ranks_value(survey, k, "entry_error", NULL) - mean) < 1e-6 * mean);
    }
    orthant_ranks_free(survey);
    /* a method that takes no mask leaves the criterion out, and refuses it where it is asked for */
    survey = survey_with(ctx, samples, 2, "pnmf", NULL);
    assert_true(isnan(orthant_ranks_value(survey, 0, "entry_error", NULL)));
    expect_ok(ctx, orthant_ranks_set(survey, "criteria", "speckled"));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "have a mask", orthant_ranks_check(survey));
    orthant_ranks_free(survey);
    orthant_matrix_free(samples);
}

static void test_refusals(void **state)
{
    orthant_context *ctx = *state;
    static const char *const bad[][3] = {
        {"rank", "all", "rank = 'all': expected numbers"},
        {"rank", "0:3", "rank = '0:3': expected numbers"},
        {"rank", "2:40", "rank 40 of planted: expected at most 10"},
        {"repeats", "1", "repeats = '1': expected a whole number from 2"},
        {"seed", "-1", "seed = '-1'"},
        {"noise", "1", "noise = '1': expected a number from 0 to below 1"},
        {"criteria", "blocks,blocks",
         "criteria = 'blocks,blocks': expected some of blocks, speckled, starts"},
        {"criteria", "", "criteria = ''"},
        {"method", "kmeans", "methods with a nonnegative basis"},
        {"method", "cdnmf", "is told by labels"},
        {"method", "nfm", "no method 'nfm'"},
        {"parameter", "a=1", "'a'"},
    };
    orthant_matrix *samples = planted(ctx, 40, 20, 3, 0.1, SEED);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        orthant_ranks *survey;
        expect_ok(ctx, orthant_ranks_create(ctx, &survey));
        expect_ok(ctx, orthant_ranks_set(survey, bad[i][0], bad[i][1]));
        expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, bad[i][2],
                       orthant_ranks_run(survey, "planted", samples, NULL));
        assert_int_equal(orthant_ranks_recommended(survey), 0);
        expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "has no setting 'ranks'",
                       orthant_ranks_set(survey, "ranks", "2"));
        orthant_ranks_free(survey);
    }
    orthant_matrix_free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_planted_ranks), fixture_test(test_consensus), fixture_test(test_parts),
        fixture_test(test_altered),       fixture_test(test_subsets),   fixture_test(test_threads),
        fixture_test(test_losses),        fixture_test(test_goes_on),   fixture_test(test_texts),
        fixture_test(test_speckles),      fixture_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
