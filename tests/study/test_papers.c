/* The papers' figures: averages that follow from their cells, misprints marked, cells by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "study/papers.h"

#include <cmocka.h>

/* The mean of the cells that the average stands for, and how many there are. */
static double mean_of_cells(const paper_figure *average, int64_t *cells)
{
    double sum = 0;
    *cells = 0;
    const paper_figure *cell;
    for (int64_t i = 0; (cell = paper_figure_at(i)); i++)
        if (strcmp(cell->paper, average->paper) == 0 && strcmp(cell->table, average->table) == 0 &&
            strcmp(cell->dataset, average->dataset) == 0 &&
            strcmp(cell->method, average->method) == 0 &&
            strcmp(cell->measure, average->measure) == 0 && cell->classes[0] >= '0' &&
            cell->classes[0] <= '9') {
            sum += paper_figure_value(cell);
            ++*cells;
        }
    return sum / (double)*cells;
}

/* The papers round and cut: an average may be off by one in its last digit. A marked one must be
 * off, unless what is wrong is one of its cells. */
static void test_averages(void **state)
{
    int64_t checked = 0, marked = 0;
    const paper_figure *average;
    (void)state;
    for (int64_t i = 0; (average = paper_figure_at(i)); i++) {
        int64_t cells;
        if (strcmp(average->classes, "average") != 0)
            continue;
        const double mean = mean_of_cells(average, &cells);
        if (cells == 0)
            continue;
        const double off = fabs(mean - paper_figure_value(average));
        const bool agrees = off <= 1.001 * paper_figure_digit(average);
        if (paper_figure_misprinted(average)) {
            marked++;
            if (agrees && !strstr(average->note, "counts"))
                fail_msg("%s table %s, %s, %s: marked, but the cells give %g", average->paper,
                         average->table, average->method, average->measure, mean);
        } else if (!agrees) {
            fail_msg("%s table %s, %s, %s: %s, but the cells give %g", average->paper,
                     average->table, average->method, average->measure, average->value, mean);
        }
        checked++;
    }
    /* TNMF 2 x 18, cdNMF 3 x 16, NLCF 3 x 10, RMND 3 x 10. */
    assert_int_equal(checked, 144);
    assert_int_equal(marked, 9);
}

static void check(const char *paper, const char *table, const char *dataset, int64_t classes,
                  const char *method, const char *measure, double value)
{
    const paper_figure *found = paper_figure_find(paper, table, dataset, classes, method, measure);
    if (!found)
        fail_msg("%s table %s: no %s of %s", paper, table, measure, method);
    assert_true(fabs(paper_figure_value(found) - value) < 1e-9);
}

static void test_cells(void **state)
{
    (void)state;
    check("tnmf", "I", "ORL", 5, "tnmf", "accuracy", 88.25);
    check("tnmf", "I", "ORL", 20, "kmeans", "nmi", 74.61);
    check("tnmf", "II", "Caltech101", 10, "anp", "accuracy", 57.63);
    check("tnmf", "IV", "ORL", 15, "rica", "seconds", 13.68);
    check("cdnmf", "1", "Yale", 6, "cdnmf-kl", "nmi", 62.12);
    check("cdnmf", "2", "Caltech101", 3, "cdnmf", "nmi", 22.82);
    check("cdnmf", "3", "ORL", 0, "cf", "nmi", 70.58);
    check("nlcf", "V", "ORL", 40, "nlcf", "accuracy", 61.8);
    check("nlcf", "VII", "Yale", 13, "nmf-sc", "nmi", 48.3);
    check("nlcf", "VIII", "MNIST", 0, "nlcf", "sparseness", 96.5);
    check("rmnd", "2", "COIL20", 8, "spectral", "accuracy", 54.12);
    check("rmnd", "3", "Reuters21578", 5, "wnmf", "nmi", 29.50);
    check("rmnd", "4", "USPS", 9, "spectral", "nmi", 64.06);
    check("grpnmf", "I", "Prague", -1, "convex-nmf", "O", 36.81);
    assert_null(paper_figure_find("tnmf", "I", "ORL", 11, "tnmf", "accuracy"));
    assert_null(paper_figure_find("tnmf", "I", "Yale", 5, "tnmf", "accuracy"));
}

static void test_spread_and_misprint(void **state)
{
    const paper_figure *found = paper_figure_find("tnmf", "I", "ORL", 0, "rica", "accuracy");
    (void)state;
    assert_non_null(found);
    assert_true(paper_figure_misprinted(found));
    assert_true(fabs(paper_figure_spread(found) - 0.68) < 1e-12);
    found = paper_figure_find("rmnd", "4", "USPS", 2, "rmnd", "nmi");
    assert_non_null(found);
    assert_true(paper_figure_misprinted(found));
    assert_true(isnan(paper_figure_spread(found)));
    assert_true(fabs(paper_figure_digit(found) - 0.01) < 1e-12);
    assert_null(paper_figure_at(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_averages),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_spread_and_misprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
