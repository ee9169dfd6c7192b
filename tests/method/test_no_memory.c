/* Graphs, k-means and scores with every allocation made to fail in turn: an error, nothing leaks,
 * no output. */
#include "expect.h"

#include <stdlib.h>

#include "core/random.h"
#include "orthant/orthant.h"

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

static orthant_status make_samples(orthant_context *ctx, bool sparse, orthant_matrix **samples)
{
    static double values[70 * 6];
    int64_t start[71], column[70 * 6];
    for (int64_t e = 0; e < 70 * 6; e++) {
        values[e] = random_uniform(1, RANDOM_TEST, (uint64_t)e, 0);
        column[e] = e % 6;
    }
    for (int64_t i = 0; i <= 70; i++)
        start[i] = 6 * i;
    return sparse ? orthant_matrix_create_csr(ctx, 70, 6, start, column, values, samples)
                  : orthant_matrix_create(ctx, 70, 6, values, samples);
}

/* All of it, until something fails. */
static orthant_status do_all(orthant_context *ctx, bool sparse)
{
    orthant_matrix *samples = NULL, *dense = NULL;
    orthant_graph *graph = NULL, *with_labels = NULL, *copy = NULL;
    orthant_labels *labels = NULL, *largest = NULL;
    orthant_scores scores = {.size = sizeof scores};
    const double square[] = {0, 1, 1, 0};
    orthant_status status = make_samples(ctx, sparse, &samples);
    if (!status)
        status = orthant_graph_neighbours(ctx, samples, 3, ORTHANT_EDGE_HEAT, 0.0, &graph);
    if (!status)
        status = orthant_labels_kmeans(ctx, samples, 4, 2, 0, &labels, NULL);
    if (!status)
        status = orthant_graph_with_labels(ctx, graph, labels, &with_labels);
    if (!status)
        status = orthant_labels_argmax(ctx, samples, &largest);
    if (!status)
        status = orthant_score_labels(ctx, labels, largest, &scores);
    if (!status)
        status = orthant_matrix_create(ctx, 2, 2, square, &dense);
    if (!status)
        status = orthant_graph_from_matrix(ctx, dense, &copy);
    assert_true(status == ORTHANT_OK || !copy);
    orthant_graph_free(copy);
    orthant_graph_free(with_labels);
    orthant_graph_free(graph);
    orthant_labels_free(largest);
    orthant_labels_free(labels);
    orthant_matrix_free(dense);
    orthant_matrix_free(samples);
    return status;
}

static void fail_each(bool sparse)
{
    long failures = 0;
    for (;; failures++) {
        orthant_context *ctx = NULL;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        assert_int_equal(orthant_context_set_threads(ctx, 2), ORTHANT_OK);
        assert_int_equal(orthant_context_set_allocator(ctx, allocate, release, NULL), ORTHANT_OK);
        left = failures;
        const orthant_status status = do_all(ctx, sparse);
        assert_int_equal(orthant_context_memory(ctx), 0);
        if (status == ORTHANT_OK) {
            orthant_context_free(ctx);
            break;
        }
        assert_int_equal(status, ORTHANT_ERROR_MEMORY);
        assert_non_null(strstr(orthant_message(ctx), "out of memory"));
        orthant_context_free(ctx);
    }
    assert_true(failures > 40);
}

static void test_dense(void **state)
{
    (void)state;
    fail_each(false);
}

static void test_sparse(void **state)
{
    (void)state;
    fail_each(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
