/* The approximate search: how many of the nearest it finds, and that threads change nothing. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "data/matrix.h"
#include "graph/approximate.h"
#include "graph/neighbours.h"
#include "graph/rows.h"

static const search_clock no_limit = {0};

static double uniform(int64_t i, int64_t j)
{
    return random_uniform(11, RANDOM_TEST, (uint64_t)i, (uint64_t)j);
}

typedef double (*entry_function)(int64_t i, int64_t j);

static orthant_matrix *make_samples(orthant_context *ctx, entry_function entry, int64_t n,
                                    int64_t m)
{
    orthant_matrix *samples = NULL;
    expect_ok(ctx, orthant_matrix_create(ctx, n, m, NULL, &samples));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            matrix_set_value(samples, i * samples->stride + j, entry(i, j));
    return samples;
}

/* Ten classes, each of which spreads along six directions of its own, and a little noise. */
static double in_classes(int64_t i, int64_t j)
{
    const int64_t class = i % 10;
    double value = uniform(1000000 + class, j) + 0.02 * uniform(i, j);
    for (int64_t d = 0; d < 6; d++)
        value += uniform(2000000 + i, d) * uniform(3000000 + 10 * class + d, j);
    return value;
}

/* As many as are no farther away than the true last neighbour. */
static double recall(orthant_context *ctx, const orthant_matrix *samples, int64_t count,
                     const int32_t *found)
{
    const int64_t n = samples->rows;
    int32_t *nearest = malloc((size_t)(n * count) * sizeof *nearest);
    int64_t hits = 0;
    expect_ok(ctx, neighbours_find(ctx, samples, count, ORTHANT_SEARCH_EXACT, &no_limit, nearest));
    for (int64_t i = 0; i < n; i++) {
        const double last = rows_distance(samples, i, nearest[i * count + count - 1], INFINITY);
        for (int64_t e = 0; e < count; e++)
            hits += rows_distance(samples, i, found[i * count + e], INFINITY) <= last;
    }
    free(nearest);
    return (double)hits / (double)(n * count);
}

/* The sanitizers see the same loops in fewer samples, of which the recall is not what it is of
 * many. */
#define MANY(n) (SANITIZED ? (n) / 3 : (n))

/* Each list holds other samples, each once, nearest first and ties to the lower index. */
static void check_lists(const orthant_matrix *samples, int64_t count, const int32_t *found)
{
    for (int64_t i = 0; i < samples->rows; i++)
        for (int64_t e = 0; e < count; e++) {
            const int32_t j = found[i * count + e];
            assert_true(j >= 0 && j < samples->rows && j != i);
            if (e == 0)
                continue;
            const int32_t before = found[i * count + e - 1];
            const double distance = rows_distance(samples, i, j, INFINITY),
                         last = rows_distance(samples, i, before, INFINITY);
            assert_true(last < distance || (last <= distance && before < j));
        }
}

/* The same with 1, 2 and 3 threads; returns the recall. */
static double search(orthant_context *ctx, const orthant_matrix *samples, int64_t count)
{
    const size_t bytes = (size_t)(samples->rows * count) * sizeof(int32_t);
    int32_t *one = malloc(bytes), *more = malloc(bytes);
    for (int threads = 1; threads <= 3; threads++) {
        int32_t *found = threads == 1 ? one : more;
        expect_ok(ctx, orthant_context_set_threads(ctx, threads));
        expect_ok(ctx, approximate_neighbours(ctx, samples, count, &no_limit, found));
        assert_memory_equal(found, one, bytes);
    }
    check_lists(samples, count, one);
    const double share = recall(ctx, samples, count, one);
    free(one);
    free(more);
    return share;
}

static void expect_recall(orthant_context *ctx, orthant_matrix *samples, int64_t count,
                          double least)
{
    const double share = search(ctx, samples, count);
    if (share < least && !SANITIZED)
        fail_msg("%lld x %lld: %g of the %lld nearest are found, not %g", (long long)samples->rows,
                 (long long)samples->columns, share, (long long)count, least);
    orthant_matrix_free(samples);
}

static void test_classes(void **state)
{
    for (int precision = 0; precision < 2; precision++) {
        orthant_context_set_precision(*state, precision ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
        expect_recall(*state, make_samples(*state, in_classes, MANY(6000), 300), 5, 0.95);
    }
    expect_recall(*state, make_samples(*state, in_classes, MANY(6000), 40), 5, 0.95);
    expect_recall(*state, make_samples(*state, in_classes, MANY(3000), 40), 30, 0.95);
    expect_recall(*state, make_samples(*state, in_classes, MANY(3000), 300), 30, 0.95);
}

/* One feature so large that nothing is left of the others in products in single precision. */
static double beside_a_large_one(int64_t i, int64_t j)
{
    return j == 0 ? 1e7 * (double)(i % 3) : in_classes(i, j);
}

static double beside_constants(int64_t i, int64_t j)
{
    return j % 2 ? 5000 : in_classes(i, j / 2);
}

static double all_directions(int64_t i, int64_t j)
{
    return uniform(i, j) + (j % 10 == i % 10 ? 4 : 0);
}

/* Where points and codes do not tell how far samples are apart, samples are compared. */
static void test_without_estimates(void **state)
{
    expect_recall(*state, make_samples(*state, beside_a_large_one, MANY(4000), 250), 5, 0.95);
    expect_recall(*state, make_samples(*state, beside_constants, MANY(4000), 400), 5, 0.95);
    expect_recall(*state, make_samples(*state, all_directions, MANY(2000), 300), 5, 0.95);
}

/* Where all fit into one leaf every pair is compared: nothing is missed. */
static void test_few_samples(void **state)
{
    expect_recall(*state, make_samples(*state, uniform, 2, 7), 1, 1);
    expect_recall(*state, make_samples(*state, uniform, 30, 7), 29, 1);
    expect_recall(*state, make_samples(*state, uniform, 60, 250), 5, 1);
    expect_recall(*state, make_samples(*state, uniform, 300, 12), 200, 1);
}

static double repeated(int64_t i, int64_t j)
{
    return uniform(i % 700, j);
}

static double same(int64_t i, int64_t j)
{
    (void)i;
    return uniform(0, j);
}

static double whole_numbers(int64_t i, int64_t j)
{
    return floor(3 * uniform(i, j));
}

static void test_duplicates_and_ties(void **state)
{
    expect_recall(*state, make_samples(*state, repeated, MANY(2800), 200), 3, 0.95);
    expect_recall(*state, make_samples(*state, repeated, MANY(2800), 20), 3, 0.95);
    expect_recall(*state, make_samples(*state, same, 1000, 20), 5, 1);
    expect_recall(*state, make_samples(*state, whole_numbers, MANY(3000), 6), 5, 0.95);
}

static orthant_matrix *make_text(orthant_context *ctx, int64_t n, int64_t m)
{
    int64_t *start = calloc((size_t)n + 1, sizeof *start);
    int64_t *column = malloc((size_t)(n * 20) * sizeof *column);
    double *values = malloc((size_t)(n * 20) * sizeof *values);
    orthant_matrix *samples = NULL;
    for (int64_t i = 0; i < n; i++) {
        start[i + 1] = start[i] + 8 + i % 12;
        for (int64_t e = start[i]; e < start[i + 1]; e++) {
            const double u = uniform(i, e - start[i]);
            column[e] = (int64_t)((double)m * u * u * u * 0.5) + (e % 2 ? i % 25 * (m / 50) : 0);
            values[e] = 1 + floor(2 * uniform(i, 100 + e - start[i]));
        }
    }
    expect_ok(ctx, orthant_matrix_create_csr(ctx, n, m, start, column, values, &samples));
    free(start);
    free(column);
    free(values);
    return samples;
}

static void test_sparse(void **state)
{
    expect_recall(*state, make_text(*state, MANY(4000), 2000), 5, 0.95);
    expect_recall(*state, make_text(*state, 50, 2000), 5, 1);
}

/* A search that takes the approximate way by itself says so. */
static void note(void *user, orthant_log_level level, const char *text)
{
    (void)level;
    *(int *)user += strstr(text, "approximate") != NULL;
}

static void test_by_itself(void **state)
{
    enum { N = NEIGHBOURS_MOST_EXACT + 1 };
    int32_t *nearest = malloc((size_t)N * sizeof *nearest);
    int notes = 0;
    orthant_matrix *samples = make_samples(*state, uniform, N, 17);
    orthant_context_set_log(*state, note, &notes);
    expect_ok(*state, neighbours_find(*state, samples, 1, ORTHANT_SEARCH_AUTO, &no_limit, nearest));
    assert_int_equal(notes, 1);
    orthant_matrix_free(samples);
    samples = make_samples(*state, uniform, N, 3);
    expect_ok(*state, neighbours_find(*state, samples, 1, ORTHANT_SEARCH_AUTO, &no_limit, nearest));
    assert_int_equal(notes, 1);
    orthant_matrix_free(samples);
    free(nearest);
}

static void check_data_set(orthant_context *ctx, const char *name)
{
    orthant_matrix *samples = NULL;
    const char *folder = getenv("ORTHANT_DATA");
    char path[512];
    if (SANITIZED) {
        print_message("skipped: the recall is that of the release build, which runs it\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
    FILE *file = folder ? fopen(path, "rb") : NULL;
    if (!file) {
        print_message("skipped: the research data are not here; ORTHANT_DATA names their folder\n");
        skip();
        return;
    }
    fclose(file);
    expect_ok_or_left_out(ctx, orthant_matrix_read(ctx, path, NULL, &samples, NULL));
    expect_recall(ctx, samples, 5, 0.95);
}

static void test_digits(void **state)
{
    check_data_set(*state, "MNIST/t10k-images-idx3-ubyte.gz");
}

static void test_documents(void **state)
{
    check_data_set(*state, "Reuters21578/Reuters21578.mat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_classes),     fixture_test(test_without_estimates),
        fixture_test(test_few_samples), fixture_test(test_duplicates_and_ties),
        fixture_test(test_sparse),      fixture_test(test_by_itself),
        fixture_test(test_digits),      fixture_test(test_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
