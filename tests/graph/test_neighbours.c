/* Nearest neighbours against a comparison of every sample with every other. */
#include "fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "data/matrix.h"
#include "graph/kdtree.h"
#include "graph/neighbours.h"
#include "graph/pruning.h"

static orthant_context *ctx;
static const search_clock no_limit = {0};

static int make(void **state)
{
    (void)state;
    return orthant_context_create(&ctx) != ORTHANT_OK;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

typedef struct other {
    double distance;
    int32_t index;
} other;

static int by_distance(const void *left, const void *right)
{
    const other *a = left, *b = right;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Sums in the features' order; ties of the tests are exact in any order. */
static void compare_all(const orthant_matrix *samples, int64_t count, int32_t *nearest)
{
    const int64_t n = samples->rows, m = samples->columns;
    double *x = malloc((size_t)(n * m) * sizeof *x);
    other *list = malloc((size_t)n * sizeof *list);
    assert_non_null(x);
    assert_non_null(list);
    orthant_matrix_copy_values(samples, x);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            list[j] = (other){i == j ? INFINITY : 0.0, (int32_t)j};
            for (int64_t l = 0; l < m && i != j; l++)
                list[j].distance += (x[i * m + l] - x[j * m + l]) * (x[i * m + l] - x[j * m + l]);
        }
        qsort(list, (size_t)n, sizeof *list, by_distance);
        for (int64_t c = 0; c < count; c++)
            nearest[i * count + c] = list[c].index;
    }
    free(x);
    free(list);
}

static void check(const orthant_matrix *samples, int64_t count)
{
    const int64_t n = samples->rows;
    int32_t *found = malloc((size_t)(n * count) * sizeof *found);
    int32_t *expected = malloc((size_t)(n * count) * sizeof *expected);
    assert_non_null(found);
    assert_non_null(expected);
    compare_all(samples, count, expected);
    for (int threads = 1; threads <= 3; threads++) {
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        expect_ok(ctx,
                  neighbours_find(ctx, samples, count, ORTHANT_SEARCH_EXACT, &no_limit, found));
        for (int64_t e = 0; e < n * count; e++)
            if (found[e] != expected[e])
                fail_msg("%d threads: neighbour %d of sample %d is %d, not %d", threads,
                         (int)(e % count), (int)(e / count), found[e], expected[e]);
    }
    free(found);
    free(expected);
}

typedef double (*entry_function)(int64_t i, int64_t j);

static double uniform(int64_t i, int64_t j)
{
    return random_uniform(7, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

/* Ten different samples, each many times. */
static double repeated(int64_t i, int64_t j)
{
    return uniform(i % 10, j);
}

/* Far from the origin and near to each other: |x|^2 has no digit left for the distances. */
static double far_away(int64_t i, int64_t j)
{
    return 10000.0 + 0.125 * floor(8.0 * uniform(i, j));
}

/* Pairs that differ in one entry by less than single precision shows in a product. */
static double nearly_repeated(int64_t i, int64_t j)
{
    return uniform(i / 40, j) + (j == i % 5 ? 0x1p-20 * (double)(i % 7) : 0.0);
}

/* Distances are small whole numbers: ties everywhere. */
static double zero_or_one(int64_t i, int64_t j)
{
    return uniform(i, j) < 0.2 ? 1.0 : 0.0;
}

static double tiny(int64_t i, int64_t j)
{
    return 1e-30 * uniform(i, j);
}

static double huge(int64_t i, int64_t j)
{
    return (j % 2 ? 3e38 : -3e38) * uniform(i, j);
}

/* One sample is far longer than all others together. */
static double outlier(int64_t i, int64_t j)
{
    return uniform(i, j) * (i == 17 ? 1e6 : 1.0);
}

/* Every third sample is zero. */
static double often_zero(int64_t i, int64_t j)
{
    return i % 3 == 0 ? 0.0 : floor(4.0 * zero_or_one(i, j) * uniform(j, i));
}

static double same(int64_t i, int64_t j)
{
    (void)i;
    return uniform(0, j);
}

static orthant_matrix *make_samples(entry_function entry, int64_t n, int64_t m, bool sparse)
{
    double *values = malloc((size_t)(n * m) * sizeof *values);
    int64_t *start = malloc((size_t)(n + 1) * sizeof *start);
    int64_t *column = malloc((size_t)(n * m) * sizeof *column);
    orthant_matrix *samples = NULL;
    assert_true(values && start && column);
    int64_t stored = 0;
    for (int64_t i = 0; i < n; i++) {
        start[i] = stored;
        for (int64_t j = 0; j < m; j++) {
            const double value = entry(i, j);
            if (sparse && fabs(value) <= 0.0)
                continue;
            column[stored] = j;
            values[stored++] = value;
        }
    }
    start[n] = stored;
    if (sparse)
        expect_ok(ctx, orthant_matrix_create_csr(ctx, n, m, start, column, values, &samples));
    else
        expect_ok(ctx, orthant_matrix_create(ctx, n, m, values, &samples));
    free(values);
    free(start);
    free(column);
    return samples;
}

static void check_all_kinds(entry_function entry, int64_t n, int64_t m, int64_t count)
{
    for (int kind = 0; kind < 4; kind++) {
        orthant_context_set_precision(ctx, kind % 2 ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        orthant_matrix *samples = make_samples(entry, n, m, kind / 2);
        check(samples, count);
        orthant_matrix_free(samples);
    }
}

static void test_random_samples(void **state)
{
    (void)state;
    check_all_kinds(uniform, 700, 20, 5);
    check_all_kinds(uniform, 65, 300, 7);
    check_all_kinds(uniform, 130, 1, 3);
}

static void test_more_features_than_a_piece(void **state)
{
    (void)state;
    check_all_kinds(uniform, 80, 1100, 4);
}

static void test_duplicates(void **state)
{
    (void)state;
    check_all_kinds(repeated, 400, 30, 5);
    check_all_kinds(same, 150, 9, 6);
}

static void test_samples_nearer_than_rounding(void **state)
{
    (void)state;
    check_all_kinds(nearly_repeated, 400, 30, 6);
    check_all_kinds(far_away, 300, 12, 5);
}

static void test_ties(void **state)
{
    (void)state;
    check_all_kinds(zero_or_one, 500, 16, 5);
    check_all_kinds(often_zero, 300, 40, 4);
}

static void test_extreme_scales(void **state)
{
    (void)state;
    check_all_kinds(tiny, 200, 10, 5);
    check_all_kinds(huge, 200, 10, 5);
    check_all_kinds(outlier, 200, 10, 5);
}

static void test_every_other_sample(void **state)
{
    (void)state;
    check_all_kinds(uniform, 40, 6, 39);
    check_all_kinds(zero_or_one, 3, 6, 2);
    check_all_kinds(uniform, 2, 6, 1);
    check_all_kinds(uniform, 300, 6, 250);
}

/* Enough samples for the kd-tree, which has to prune: the results are those of all pairs, ties and
 * duplicates too. */
static void test_few_features(void **state)
{
    static const struct {
        entry_function entry;
        int64_t features, count;
    } cases[] = {{uniform, 1, 3}, {uniform, 3, 5}, {zero_or_one, 4, 5}, {repeated, 6, 4}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int precision = 0; precision < 2; precision++) {
            bool prunes = false;
            kdtree tree;
            orthant_context_set_precision(ctx, precision ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
            orthant_matrix *samples = make_samples(cases[c].entry, 2100, cases[c].features, false);
            expect_ok(ctx, kdtree_of_samples(ctx, samples, &tree));
            expect_ok(ctx, kdtree_prunes(&tree, cases[c].count, &prunes));
            assert_true(prunes || cases[c].entry != uniform);
            kdtree_free(&tree);
            check(samples, cases[c].count);
            orthant_matrix_free(samples);
        }
}

/* The kd-tree itself, also where the search would not choose it. */
static void test_tree_of_many_features(void **state)
{
    enum { N = 500, COUNT = 6 };
    static int32_t found[N * COUNT], expected[N * COUNT];
    const entry_function entries[] = {uniform, zero_or_one, repeated, nearly_repeated};
    (void)state;
    for (int e = 0; e < 4; e++)
        for (int64_t features = 5; features <= KDTREE_MOST_AXES; features += 5) {
            kdtree tree;
            orthant_matrix *samples = make_samples(entries[e], N, features, false);
            compare_all(samples, COUNT, expected);
            expect_ok(ctx, kdtree_of_samples(ctx, samples, &tree));
            expect_ok(ctx, kdtree_neighbours(&tree, COUNT, &no_limit, found));
            assert_memory_equal(found, expected, sizeof found);
            kdtree_free(&tree);
            orthant_matrix_free(samples);
        }
}

static void test_time_limit(void **state)
{
    (void)state;
    const search_clock passed = {.begun = clock_seconds() - 10, .time_limit_s = 5};
    static int32_t nearest[2 * 2100];
    for (int64_t features = 3; features <= 20; features += 17)
        for (int kind = 0; kind < 3; kind++) {
            orthant_matrix *samples = make_samples(uniform, 2100, features, false);
            expect_failure(
                ctx, ORTHANT_STOPPED, "the time limit of 5 s passed",
                neighbours_find(ctx, samples, 2, (orthant_search)kind, &passed, nearest));
            orthant_matrix_free(samples);
        }
}

static double two_hundred_orders(int64_t i, int64_t j)
{
    return 1e200 * uniform(i, j);
}

static void test_squares_that_overflow_are_refused(void **state)
{
    (void)state;
    int32_t nearest[20];
    orthant_context_set_precision(ctx, ORTHANT_DOUBLE);
    orthant_matrix *samples = make_samples(two_hundred_orders, 10, 3, false);
    expect_failure(ctx, ORTHANT_ERROR_DATA, "scale the data",
                   neighbours_find(ctx, samples, 2, ORTHANT_SEARCH_EXACT, &no_limit, nearest));
    orthant_matrix_free(samples);
}

static bool stop_at_third(void *user, const orthant_progress *progress)
{
    int *calls = user;
    assert_string_equal(progress->phase, "neighbours");
    assert_true(progress->done <= progress->total);
    return ++*calls < 3;
}

static void test_stops_when_asked(void **state)
{
    (void)state;
    int calls = 0;
    int32_t nearest[1400];
    orthant_matrix *samples = make_samples(uniform, 700, 4, false);
    orthant_context_set_progress(ctx, stop_at_third, &calls);
    expect_failure(ctx, ORTHANT_STOPPED, "stopped",
                   neighbours_find(ctx, samples, 2, ORTHANT_SEARCH_EXACT, &no_limit, nearest));
    assert_int_equal(calls, 3);
    orthant_matrix_free(samples);
}

static size_t memory_taken(int64_t n, int64_t features)
{
    int32_t *nearest = malloc((size_t)(n * 5) * sizeof *nearest);
    orthant_matrix *samples = make_samples(uniform, n, features, false);
    expect_ok(ctx, orthant_context_set_threads(ctx, 2));
    const size_t before = orthant_context_memory(ctx);
    orthant_context_reset_peak_memory(ctx);
    expect_ok(ctx, neighbours_find(ctx, samples, 5, ORTHANT_SEARCH_EXACT, &no_limit, nearest));
    assert_int_equal(orthant_context_memory(ctx), before);
    orthant_matrix_free(samples);
    free(nearest);
    return orthant_context_peak_memory(ctx) - before;
}

/* All distances would take 36 MB. Where there are lower bounds, they and the scratch of the search
 * are less than a fifth of the samples. */
static void test_memory_stays_at_a_few_blocks(void **state)
{
    (void)state;
    assert_true(memory_taken(3000, 300) < 1200000);
    if (!SANITIZED) /* the library counts alike under them */
        assert_true(memory_taken(4200, 600) < 4200 * 600 * 4 / 5);
}

/* Threads with scratch of their own must not outgrow small data: faces, and text of few words each.
 */
static void test_scratch_of_many_threads(void **state)
{
    (void)state;
    enum { FEW = 400 };
    for (int sparse = 0; sparse < 2; sparse++) {
        orthant_matrix *samples = make_samples(sparse ? zero_or_one : uniform, FEW, 1024, sparse);
        const size_t held = orthant_context_memory(ctx);
        int32_t found[5 * FEW], expected[5 * FEW];
        compare_all(samples, 5, expected);
        for (int threads = 1; threads <= 64; threads *= 4) {
            expect_ok(ctx, orthant_context_set_threads(ctx, threads));
            orthant_context_reset_peak_memory(ctx);
            expect_ok(ctx,
                      neighbours_find(ctx, samples, 5, ORTHANT_SEARCH_EXACT, &no_limit, found));
            assert_memory_equal(found, expected, sizeof found);
            const size_t taken = orthant_context_peak_memory(ctx) - held;
            if (taken > held / 6)
                fail_msg("%d threads: %zu bytes beside samples of %zu", threads, taken, held);
        }
        orthant_matrix_free(samples);
    }
}

/* Samples near a few directions: lower bounds come close to their distances. Every seventh is the
 * one before it again, or almost. */
static double near_directions(int64_t i, int64_t j)
{
    const int64_t twin = i % 7 == 3 ? i - 1 : i;
    double value = 0.01 * uniform(i % 14 == 3 ? twin : i, j);
    for (int64_t c = 0; c < 5; c++)
        value += uniform(twin, 1000 + c) * uniform(100000 + c, j);
    return value;
}

/* Whether enough pairs are pruned; the neighbours are right in any case. */
static bool check_pruning(entry_function entry, int64_t n, int64_t m, int64_t count)
{
    bool prune = false;
    for (int precision = 0; precision < 2; precision++) {
        orthant_context_set_precision(ctx, precision ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        orthant_matrix *samples = make_samples(entry, n, m, false);
        int32_t *found = malloc((size_t)(n * count) * sizeof *found);
        int32_t *expected = malloc((size_t)(n * count) * sizeof *expected);
        lower_bounds bounds;
        expect_ok(ctx, lower_bounds_make(ctx, samples, true, NULL, &bounds));
        assert_non_null(bounds.points);
        expect_ok(ctx, lower_bounds_prune(&bounds, samples, count, &prune));
        expect_ok(ctx, pruned_neighbours(ctx, samples, &bounds, count, &no_limit, found));
        compare_all(samples, count, expected);
        assert_memory_equal(found, expected, (size_t)(n * count) * sizeof *found);
        lower_bounds_free(&bounds);
        orthant_matrix_free(samples);
        free(found);
        free(expected);
    }
    return prune;
}

static void test_pruning(void **state)
{
    (void)state;
    assert_true(check_pruning(near_directions, 700, 90, 5));
    check_pruning(near_directions, 300, 300, 1);
    check_pruning(same, 200, 70, 3);
    check_pruning(zero_or_one, 400, 40, 6);
    check_pruning(outlier, 300, 60, 12);
    check_pruning(uniform, 130, 5, 40);
    check_pruning(nearly_repeated, 700, 80, 4);
    /* No direction prunes more than any other. */
    assert_false(check_pruning(uniform, 700, 300, 5));
}

/* The first and the last of 90 features are a thousand times as large as the others. */
static double along_the_ends(int64_t i, int64_t j)
{
    return uniform(i, j) * (j == 0 || j == 89 ? 1000 : 1);
}

/* The tighter lower bound, by the codes, of the squared distance of two samples, in the samples'
 * own scale; the slacks are not in it. */
static double by_codes(const lower_bounds *bounds, int64_t i, int64_t j, double near)
{
    const double residual = orthant_matrix_get(bounds->points, i, BOUND_COORDINATES - 1) -
                            orthant_matrix_get(bounds->points, j, BOUND_COORDINATES - 1);
    double steps = 0;
    for (int64_t l = 0; l < BOUND_CODES; l++)
        steps += pow(bounds->codes[i * BOUND_CODES + l] - bounds->codes[j * BOUND_CODES + l], 2);
    const double apart =
        sqrt(steps) - (double)bounds->code_error[i] - (double)bounds->code_error[j];
    return near - residual * residual + pow(bounds->step * fmax(apart, 0), 2);
}

/* Neither bound is above the distance but for the slack. */
static void check_bounds(entry_function entry, int64_t n, int64_t m, double least,
                         double least_coded)
{
    orthant_matrix *samples = make_samples(entry, n, m, false);
    lower_bounds bounds;
    double all_near = 0, all_far = 0, all_coded = 0, *x = malloc((size_t)(n * m) * sizeof *x);
    orthant_matrix_copy_values(samples, x);
    expect_ok(ctx, lower_bounds_make(ctx, samples, true, NULL, &bounds));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double far = 0, near = 0;
            for (int64_t l = 0; l < m; l++)
                far += (x[i * m + l] - x[j * m + l]) * (x[i * m + l] - x[j * m + l]);
            for (int64_t l = 0; l < BOUND_COORDINATES; l++)
                near += pow(orthant_matrix_get(bounds.points, i, l) -
                                orthant_matrix_get(bounds.points, j, l),
                            2);
            const double coded = by_codes(&bounds, i, j, near),
                         slack = bounds.slack[i] + bounds.slack[j];
            assert_true(sqrt(near) <= sqrt(far) + slack);
            assert_true(coded <= pow(sqrt(far) + slack, 2));
            all_near += near;
            all_far += far;
            all_coded += coded;
        }
    assert_true(all_near > least * all_far);
    assert_true(all_coded > least_coded * all_far);
    assert_true(bounds.most_slack < 3e-4 * sqrt(2 * all_far / (double)(n * (n - 1))));
    lower_bounds_free(&bounds);
    orthant_matrix_free(samples);
    free(x);
}

static void test_bounds_are_below_the_distances(void **state)
{
    (void)state;
    /* 18 of 150 directions, as many as there are samples to learn from, and the length of the
     * residual: no codes. */
    check_bounds(uniform, 200, 150, 0.12, 0.12);
    /* 47 and 63 of 250. */
    check_bounds(uniform, 1200, 250, 0.18, 0.4);
    /* Nearly all of the distances lies along two features. */
    check_bounds(along_the_ends, 300, 90, 0.999, 0.999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_samples, make, clear),
        cmocka_unit_test_setup_teardown(test_more_features_than_a_piece, make, clear),
        cmocka_unit_test_setup_teardown(test_duplicates, make, clear),
        cmocka_unit_test_setup_teardown(test_samples_nearer_than_rounding, make, clear),
        cmocka_unit_test_setup_teardown(test_ties, make, clear),
        cmocka_unit_test_setup_teardown(test_extreme_scales, make, clear),
        cmocka_unit_test_setup_teardown(test_every_other_sample, make, clear),
        cmocka_unit_test_setup_teardown(test_few_features, make, clear),
        cmocka_unit_test_setup_teardown(test_tree_of_many_features, make, clear),
        cmocka_unit_test_setup_teardown(test_time_limit, make, clear),
        cmocka_unit_test_setup_teardown(test_squares_that_overflow_are_refused, make, clear),
        cmocka_unit_test_setup_teardown(test_stops_when_asked, make, clear),
        cmocka_unit_test_setup_teardown(test_memory_stays_at_a_few_blocks, make, clear),
        cmocka_unit_test_setup_teardown(test_scratch_of_many_threads, make, clear),
        cmocka_unit_test_setup_teardown(test_pruning, make, clear),
        cmocka_unit_test_setup_teardown(test_bounds_are_below_the_distances, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
