/* The parts that starts agree on, beside plain loops over the bases of the same starts. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "data/matrix.h"
#include "method/starts.h"
#include "problem.h"

enum { SAMPLES = 60, FEATURES = 21, RANK = 3, STARTS = 12, MEMBERS = STARTS * RANK };

#define expect_near(found, expected, by)                                      \
    do {                                                                      \
        if (!(fabs((found) - (expected)) <= (by)))                            \
            fail_msg("%s is %.17g, expected %.17g", #found, found, expected); \
    } while (0)

static orthant_model *make_model(const test_problem *p, const char *method)
{
    return problem_model(p, method, RANK, "6");
}

/* The parts of all starts at unit length, by fits with the seeds of the starts. */
static void fit_parts(const test_problem *p, orthant_model *model, double part[MEMBERS][FEATURES])
{
    for (int s = 0; s < STARTS; s++) {
        expect_ok(p->ctx, start_set_seed(model, 1, s));
        orthant_result *one = problem_fit(p, model);
        const orthant_matrix *basis = orthant_result_factor(one, "basis");
        for (int q = 0; q < RANK; q++) {
            double square = 0;
            for (int j = 0; j < FEATURES; j++)
                square += pow(orthant_matrix_get(basis, j, q), 2);
            for (int j = 0; j < FEATURES; j++)
                part[s * RANK + q][j] = orthant_matrix_get(basis, j, q) / sqrt(square);
        }
        orthant_result_free(one);
    }
    expect_ok(p->ctx, start_set_seed(model, 1, 0));
}

static double distance(const double *a, const double *b)
{
    double square = 0;
    for (int j = 0; j < FEATURES; j++)
        square += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(square);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double density_of(double part[MEMBERS][FEATURES], int i, int neighbours)
{
    double other[MEMBERS], sum = 0;
    int count = 0;
    for (int j = 0; j < MEMBERS; j++)
        if (j != i)
            other[count++] = distance(part[i], part[j]);
    qsort(other, (size_t)count, sizeof *other, by_value);
    for (int n = 0; n < neighbours; n++)
        sum += other[n];
    return sum / neighbours;
}

static double silhouette_of(double part[MEMBERS][FEATURES], const int64_t *cluster, int i)
{
    double mean[RANK], beside = INFINITY;
    for (int q = 0; q < RANK; q++) {
        double sum = 0;
        int count = 0;
        for (int j = 0; j < MEMBERS; j++)
            if (j != i && cluster[j] == q) {
                sum += distance(part[i], part[j]);
                count++;
            }
        if (!count && q == cluster[i])
            return 0;
        mean[q] = sum / count;
        if (q != cluster[i])
            beside = fmin(beside, mean[q]);
    }
    const double within = mean[cluster[i]];
    return (beside - within) / fmax(beside, within);
}

static void median_of(double part[MEMBERS][FEATURES], const int64_t *cluster, int q,
                      double median[FEATURES])
{
    double square = 0;
    for (int j = 0; j < FEATURES; j++) {
        double values[MEMBERS];
        int count = 0;
        for (int i = 0; i < MEMBERS; i++)
            if (cluster[i] == q)
                values[count++] = part[i][j];
        qsort(values, (size_t)count, sizeof *values, by_value);
        median[j] = (values[(count - 1) / 2] + values[count / 2]) / 2;
        square += median[j] * median[j];
    }
    for (int j = 0; j < FEATURES; j++)
        median[j] /= sqrt(square);
}

/* Each member is with the mean that is nearest: k-means has ended. */
static void expect_clusters(double part[MEMBERS][FEATURES], const int64_t *cluster)
{
    double mean[RANK][FEATURES] = {{0}}, count[RANK] = {0};
    for (int i = 0; i < MEMBERS; i++)
        for (int j = 0; j < FEATURES && cluster[i] >= 0; j++)
            mean[cluster[i]][j] += part[i][j];
    for (int i = 0; i < MEMBERS; i++)
        if (cluster[i] >= 0)
            count[cluster[i]]++;
    for (int q = 0; q < RANK; q++)
        for (int j = 0; j < FEATURES; j++)
            mean[q][j] /= count[q];
    for (int i = 0; i < MEMBERS; i++)
        for (int q = 0; q < RANK && cluster[i] >= 0; q++)
            assert_true(distance(part[i], mean[cluster[i]]) <= distance(part[i], mean[q]) + 1e-9);
}

static void expect_reference(const test_problem *p, orthant_model *model, double threshold)
{
    static double part[MEMBERS][FEATURES];
    orthant_consensus_options options = ORTHANT_CONSENSUS_DEFAULTS;
    orthant_consensus_info info = {.size = sizeof info};
    orthant_result *result = NULL;
    int64_t cluster[MEMBERS], kept = 0;
    double silhouettes = 0, last = INFINITY;
    options.starts = STARTS;
    options.threshold = threshold;
    expect_ok(p->ctx, orthant_fit_consensus(model, p->X, &options, &result));
    expect_ok(p->ctx, orthant_result_consensus(result, &info));
    assert_int_equal(info.starts, STARTS);
    assert_int_equal(info.members, MEMBERS);
    assert_int_equal(info.neighbours, 3);
    fit_parts(p, model, part);
    for (int i = 0; i < MEMBERS; i++) {
        orthant_consensus_member member = {.size = sizeof member};
        expect_ok(p->ctx, orthant_result_consensus_member(result, i, &member));
        assert_int_equal(member.start, i / RANK);
        assert_int_equal(member.part, i % RANK);
        expect_near(member.density, density_of(part, i, 3), 1e-6);
        assert_int_equal(member.cluster<0, member.density> threshold);
        cluster[i] = member.cluster;
        kept += member.cluster >= 0;
    }
    assert_int_equal(info.kept, kept);
    assert_int_equal(kept < MEMBERS, threshold < 2);
    expect_clusters(part, cluster);
    for (int i = 0; i < MEMBERS; i++) {
        orthant_consensus_member member = {.size = sizeof member};
        expect_ok(p->ctx, orthant_result_consensus_member(result, i, &member));
        assert_int_equal(isnan(member.silhouette), cluster[i] < 0);
        if (cluster[i] < 0)
            continue;
        expect_near(member.silhouette, silhouette_of(part, cluster, i), 1e-6);
        silhouettes += member.silhouette / (double)kept;
    }
    expect_near(info.silhouette, silhouettes, 1e-12);
    const orthant_matrix *basis = orthant_result_factor(result, "basis");
    for (int q = 0; q < RANK; q++) {
        orthant_consensus_part told = {.size = sizeof told};
        double median[FEATURES], mean = 0, cosine = 0;
        int64_t members = 0, starts = 0, before = -1;
        expect_ok(p->ctx, orthant_result_consensus_part(result, q, &told));
        median_of(part, cluster, q, median);
        for (int j = 0; j < FEATURES; j++)
            expect_near(orthant_matrix_get(basis, j, q), median[j], 1e-12);
        for (int i = 0; i < MEMBERS; i++)
            if (cluster[i] == q) {
                members++;
                starts += i / RANK != before;
                before = i / RANK;
                mean += silhouette_of(part, cluster, i);
                for (int j = 0; j < FEATURES; j++)
                    cosine += part[i][j] * median[j];
            }
        assert_int_equal(told.members, members);
        assert_int_equal(told.starts, starts);
        expect_near(told.silhouette, mean / (double)members, 1e-6);
        expect_near(told.cosine, cosine / (double)members, 1e-9);
        assert_true(told.silhouette <= last);
        last = told.silhouette;
    }
    assert_int_equal(orthant_result_start_count(result), STARTS);
    orthant_result_free(result);
}

/* With all kept, and with some left out; of a loss other than squares too. */
static void test_reference(void **state)
{
    test_problem p;
    (void)state;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, false, 5, 0.4});
    orthant_model *model = make_model(&p, "nmf"), *kl = make_model(&p, "nmf-kl"),
                  *unit = make_model(&p, "tnmf+");
    expect_reference(&p, model, 2);
    expect_reference(&p, model, 0.4);
    expect_reference(&p, kl, 2);
    expect_reference(&p, unit, 2);
    orthant_model_free(unit);
    orthant_model_free(kl);
    orthant_model_free(model);
    problem_free(&p);
}

/* The encodings are those of a fit in which the same parts are fixed. */
static void check_held(const char *method, const char *normalise)
{
    test_problem p;
    orthant_result *result = NULL;
    orthant_consensus_options options = ORTHANT_CONSENSUS_DEFAULTS;
    char kept[16];
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_SINGLE, true, 6, 0});
    orthant_model *model = make_model(&p, method);
    options.starts = 5;
    options.threshold = 2;
    expect_ok(p.ctx, orthant_fit_consensus(model, p.X, &options, &result));
    expect_ok(p.ctx, orthant_model_get(model, "normalise", kept, sizeof kept));
    assert_string_equal(kept, normalise);
    expect_ok(p.ctx, orthant_model_set(model, "normalise", "none"));
    expect_ok(p.ctx,
              orthant_model_set_fixed(model, "basis", orthant_result_factor(result, "basis")));
    orthant_result *held = problem_fit(&p, model);
    assert_true(factors_identical(result, held));
    orthant_result_free(held);
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

/* Of a basis of unit columns too: the parts have unit length. */
static void test_held(void **state)
{
    (void)state;
    check_held("gnmf", "none");
    check_held("tnmf+", "basis");
}

/* A fixed part is the first of the basis, in every start and in the end; the others alone are
 * members, and their medians follow it. */
static void test_fixed(void **state)
{
    enum { FREE = RANK - 1, FREE_MEMBERS = STARTS * FREE };
    test_problem p;
    static double part[MEMBERS][FEATURES];
    orthant_consensus_options options = ORTHANT_CONSENSUS_DEFAULTS;
    orthant_consensus_info info = {.size = sizeof info};
    orthant_consensus_part told = {.size = sizeof told};
    orthant_result *result = NULL;
    orthant_matrix *fixed = NULL;
    int64_t cluster[MEMBERS];
    double known[FEATURES];
    (void)state;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, false, 5, 0.4});
    orthant_model *model = make_model(&p, "nmf");
    for (int j = 0; j < FEATURES; j++)
        known[j] = 0.5 + j % 4;
    expect_ok(p.ctx, orthant_matrix_create(p.ctx, FEATURES, 1, known, &fixed));
    expect_ok(p.ctx, orthant_model_set_fixed(model, "basis", fixed));
    options.starts = STARTS;
    options.threshold = 2;
    expect_ok(p.ctx, orthant_fit_consensus(model, p.X, &options, &result));
    expect_ok(p.ctx, orthant_result_consensus(result, &info));
    assert_int_equal(info.fixed, 1);
    assert_int_equal(info.members, FREE_MEMBERS);
    fit_parts(&p, model, part); /* the fixed one is still fixed */
    for (int i = 0; i < MEMBERS; i++)
        cluster[i] = -1;
    for (int i = 0; i < FREE_MEMBERS; i++) {
        orthant_consensus_member member = {.size = sizeof member};
        expect_ok(p.ctx, orthant_result_consensus_member(result, i, &member));
        assert_int_equal(member.start, i / FREE);
        assert_int_equal(member.part, 1 + i % FREE);
        assert_true(member.cluster >= 1 && member.cluster < RANK);
        cluster[member.start * RANK + member.part] = member.cluster;
    }
    expect_ok(p.ctx, orthant_result_consensus_part(result, 0, &told));
    assert_int_equal(told.members, 0);
    assert_true(isnan(told.silhouette) && isnan(told.cosine));
    const orthant_matrix *basis = orthant_result_factor(result, "basis");
    for (int j = 0; j < FEATURES; j++)
        expect_near(orthant_matrix_get(basis, j, 0), known[j], 0);
    for (int q = 1; q < RANK; q++) {
        double median[FEATURES];
        int64_t members = 0;
        median_of(part, cluster, q, median);
        for (int i = 0; i < MEMBERS; i++)
            members += cluster[i] == q;
        expect_ok(p.ctx, orthant_result_consensus_part(result, q, &told));
        assert_int_equal(told.members, members);
        for (int j = 0; j < FEATURES; j++)
            expect_near(orthant_matrix_get(basis, j, q), median[j], 1e-12);
    }
    assert_int_equal(orthant_result_consensus_part(result, RANK, &told), ORTHANT_ERROR_ARGUMENT);
    orthant_result_free(result);
    orthant_matrix_free(fixed);
    orthant_model_free(model);
    problem_free(&p);
}

static bool stop(void *user, const orthant_progress *progress)
{
    (void)user;
    return progress->done < 3;
}

static void test_refusals(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    orthant_consensus_info info = {.size = sizeof info};
    orthant_consensus_part part = {.size = sizeof part};
    orthant_consensus_member member = {.size = sizeof member};
    (void)state;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, false, 5, 0});
    orthant_model *model = make_model(&p, "nmf"), *other = make_model(&p, "pca");
    const struct {
        orthant_consensus_options options;
        const char *message;
    } refused[] = {
        {{sizeof(orthant_consensus_options), 1, 0.5, 0.3, 1}, "1 starts: expected 2 to 10000"},
        {{sizeof(orthant_consensus_options), 5, 0, 0.3, 1}, "the threshold 0"},
        {{sizeof(orthant_consensus_options), 5, 2.5, 0.3, 1}, "the threshold 2.5"},
        {{sizeof(orthant_consensus_options), 5, (double)NAN, 0.3, 1}, "the threshold nan"},
        {{sizeof(orthant_consensus_options), 5, 1, 0, 1}, "the neighbourhood 0"},
        {{sizeof(orthant_consensus_options), 5, 1, 1.1, 1}, "the neighbourhood 1.1"},
        {{sizeof(orthant_consensus_options), 5, 1, 1, 0}, "0 restarts"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, refused[i].message,
                       orthant_fit_consensus(model, p.X, &refused[i].options, &result));
    orthant_consensus_options options = {sizeof options, 4, 1e-9, 0.5, 1};
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "method 'pca' has no consensus",
                   orthant_fit_consensus(other, p.X, &options, &result));
    expect_failure(p.ctx, ORTHANT_ERROR_NUMERIC, "too few for 3 parts",
                   orthant_fit_consensus(model, p.X, &options, &result));
    assert_null(result);
    expect_ok(p.ctx, orthant_model_set(model, "init", "nndsvd"));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "makes them all the same",
                   orthant_fit_consensus(model, p.X, &options, &result));
    expect_ok(p.ctx, orthant_model_set(model, "init", "random"));
    orthant_context_set_progress(p.ctx, stop, NULL);
    expect_failure(p.ctx, ORTHANT_STOPPED, "stopped in start 1 of 4",
                   orthant_fit_consensus(model, p.X, &options, &result));
    orthant_context_set_progress(p.ctx, NULL, NULL);
    orthant_result *plain = problem_fit(&p, model);
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "no consensus",
                   orthant_result_consensus(plain, &info));
    orthant_result_free(plain);
    options.threshold = 2;
    expect_ok(p.ctx, orthant_fit_consensus(model, p.X, &options, &result));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "has 3 parts",
                   orthant_result_consensus_part(result, RANK, &part));
    expect_failure(p.ctx, ORTHANT_ERROR_ARGUMENT, "is of 12 parts",
                   orthant_result_consensus_member(result, 12, &member));
    orthant_result_free(result);
    orthant_model_free(other);
    orthant_model_free(model);
    problem_free(&p);
}

/* One part: there is nothing to be apart from. */
static void test_one_part(void **state)
{
    test_problem p;
    orthant_result *result = NULL;
    orthant_consensus_info info = {.size = sizeof info};
    (void)state;
    problem_make(&p, (problem_shape){SAMPLES, FEATURES, ORTHANT_DOUBLE, false, 5, 0});
    orthant_model *model = problem_model(&p, "nmf", 1, "200");
    expect_ok(p.ctx, orthant_fit_consensus(model, p.X, NULL, &result));
    expect_ok(p.ctx, orthant_result_consensus(result, &info));
    assert_int_equal(info.kept, 100);
    assert_true(isnan(info.silhouette));
    orthant_result_free(result);
    orthant_model_free(model);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference), cmocka_unit_test(test_held), cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_one_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
