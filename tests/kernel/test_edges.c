/* Sums over the edges of a graph, by every instruction set that this machine has, in both
 * precisions, against plain loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernel_case.h"

#include "data/matrix.h"

#include <cmocka.h>

static void test_edge_energy(void **state)
{
    const table *t = *state;
    sparse_case graph = make_sparse(t, 20, 20);
    array s = make(t, 20, 3, 0, 0);
    double expected = 0;
    for (int64_t i = 4; i < 13; i++)
        for (int64_t j = 0; j < 20; j++)
            for (int64_t c = 0; c < 3; c++)
                expected +=
                    0.5 * get(t, graph.dense, i, j) * pow(get(t, s, i, c) - get(t, s, j, c), 2);
    near(t, t->ops->edge_energy(graph.view, 4, 9, s), expected, 0);
    free(s.data);
    free_sparse(&graph);
}

/* Entries without values are ones, to the bit. */
static void test_entries_of_one(void **state)
{
    const table *t = *state;
    for (int64_t rank = 1; rank < 140; rank += rank < 17 ? 1 : 15) {
        sparse_case ones = make_sparse(t, 60, 60);
        const csr weighted = ones.view, bare = {weighted.row_start, weighted.column, NULL, 60, 60};
        array s = make(t, 60, rank, 0, 0), c = make(t, 50, rank, 0, 0), d = make(t, 50, rank, 0, 0);
        for (int64_t e = 0; e < weighted.row_start[60]; e++)
            matrix_set_value(ones.matrix, e, 1);
        for (int add = 0; add < 2; add++) {
            t->ops->sparse_product(c, weighted, 7, s, add);
            t->ops->sparse_product(d, bare, 7, s, add);
            assert_memory_equal(c.data, d.data, (size_t)(c.rows * c.stride) * t->ops->size);
        }
        assert_true(get(t, c, 3, 0) > 0);
        assert_true(t->ops->edge_energy(bare, 7, 50, s) == t->ops->edge_energy(weighted, 7, 50, s));
        free(s.data);
        free(c.data);
        free(d.data);
        free_sparse(&ones);
    }
}

static const kernel_test functions[] = {{"edge energy", test_edge_energy},
                                        {"entries of one", test_entries_of_one}};

int main(void)
{
    return run_kernel_tests("edges", functions, (int)(sizeof functions / sizeof *functions));
}
