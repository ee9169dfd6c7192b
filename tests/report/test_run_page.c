/* What the page of a run is made of: the order of samples, the confusion matrix, words, and a
 * drawing's colours. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "orthant/labels.h"
#include "orthant/matrix.h"
#include "orthant/run.h"
#include "report/confusion.h"
#include "report/heat.h"
#include "report/html.h"
#include "report/sample_order.h"
#include "report/words.h"

#include "fixture.h"

static orthant_labels *labels_of(orthant_context *ctx, int64_t count, const int64_t *values)
{
    orthant_labels *labels = NULL;
    expect_ok(ctx, orthant_labels_create(ctx, count, values, &labels));
    return labels;
}

static const char *text_of(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void test_samples_are_ordered_by_cluster(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t values[] = {5, 2, 5, 2, 9, 5};
    static const int64_t expected[] = {1, 3, 0, 2, 5, 4}, clusters[] = {0, 0, 1, 1, 1, 2};
    orthant_labels *labels = labels_of(ctx, 6, values);
    sample_order order;
    expect_ok(ctx, sample_order_make(ctx, labels, NULL, 100, &order));
    assert_int_equal(order.count, 6);
    assert_int_equal(order.clusters, 3);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(order.sample[i], expected[i]);
        assert_int_equal(order.cluster[i], clusters[i]);
    }
    sample_order_free(&order);
    /* Every second one: 0, 2, 4. */
    expect_ok(ctx, sample_order_make(ctx, labels, NULL, 3, &order));
    assert_int_equal(order.count, 3);
    assert_int_equal(order.sample[0], 0);
    assert_int_equal(order.sample[1], 2);
    assert_int_equal(order.sample[2], 4);
    sample_order_free(&order);
    orthant_labels_free(labels);
}

/* Clusters 7 and 3 against classes 1 and 2: the columns follow the classes. */
static void test_confusion_is_aligned(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t found_values[] = {7, 7, 7, 3, 3, 7, -1};
    static const int64_t true_values[] = {1, 1, 1, 2, 2, 2, 1};
    orthant_labels *found = labels_of(ctx, 7, found_values),
                   *truth = labels_of(ctx, 7, true_values);
    char page[256];
    snprintf(page, sizeof page, "%s", files_path("page.html"));
    chart_place place = {.ctx = ctx, .page = fopen(page, "w"), .folder = files_folder()};
    assert_non_null(place.page);
    expect_ok(ctx, confusion_show(&place, "confusion", "<h2>C</h2>", found, truth));
    fclose(place.page);
    assert_string_equal(text_of(files_path("charts/confusion.csv")), "class,cluster 7,cluster 3\n"
                                                                     "1,3,0\n"
                                                                     "2,1,2\n");
    assert_non_null(strstr(
        text_of(page), "<tr><th scope=\"row\" data-label=\"2\">2</th><td style=\"--d:0.33\">1</td>"
                       "<td class=\"own\" style=\"--d:0.67\">2</td></tr>"));
    orthant_labels_free(found);
    orthant_labels_free(truth);
}

/* A class that no cluster is matched with keeps its column free of an outline. */
static void test_confusion_with_a_class_left_over(void **state)
{
    orthant_context *ctx = *state;
    static const int64_t found_values[] = {0, 0, 0, 1, 1, 2};
    static const int64_t true_values[] = {0, 0, 1, 2, 2, 2};
    orthant_labels *found = labels_of(ctx, 6, found_values),
                   *truth = labels_of(ctx, 6, true_values);
    chart_place place = {.ctx = ctx, .page = tmpfile(), .folder = files_folder()};
    assert_non_null(place.page);
    expect_ok(ctx, confusion_show(&place, "confusion", "", found, truth));
    fclose(place.page);
    assert_string_equal(text_of(files_path("charts/confusion.csv")),
                        "class,cluster 0,cluster 2,cluster 1\n"
                        "0,2,0,0\n"
                        "1,1,0,0\n"
                        "2,0,1,2\n");
    orthant_labels_free(found);
    orthant_labels_free(truth);
}

static void test_cosines(void **state)
{
    orthant_context *ctx = *state;
    static const double values[] = {1, 0, 1, 1, 0, 0};
    static const int64_t clusters[] = {1, 0, 0};
    orthant_matrix *samples = NULL;
    orthant_labels *labels = labels_of(ctx, 3, clusters);
    sample_order order;
    expect_ok(ctx, orthant_matrix_create(ctx, 3, 2, values, &samples));
    expect_ok(ctx, sample_order_make(ctx, labels, NULL, 10, &order));
    expect_ok(ctx, heat_write_data(ctx, files_folder(), samples, &order));
    /* (1, 1), (0, 0), (1, 0): a sample of zeros is like none, not even itself. */
    assert_string_equal(text_of(files_path("charts/similarity-data.csv")), "1.00,0,0.71\n"
                                                                           "0,0,0\n"
                                                                           "0.71,0,1.00\n");
    sample_order_free(&order);
    orthant_labels_free(labels);
    orthant_matrix_free(samples);
}

static void test_words(void **state)
{
    orthant_context *ctx = *state;
    static const double values[] = {0.5, 0, 3, 0.25, 0, 1, 2, 2};
    orthant_matrix *basis = NULL;
    sheet *table = NULL;
    run_record record = {.folder = (char *)files_folder()};
    expect_ok(ctx, orthant_matrix_create(ctx, 4, 2, values, &basis));
    expect_ok(ctx, words_table(ctx, &record, basis, &table));
    assert_string_equal(table->cell[1].text, "1, 3, 0");
    assert_string_equal(table->cell[3].text, "3, 2, 1");
    sheet_free(table);
    const char *names = files_write_text("names.txt", "apple\nbe,e\n\n\"c\"\n=d<\n");
    expect_ok(ctx, words_write(ctx, basis, names, NULL, files_folder()));
    expect_ok(ctx, words_table(ctx, &record, NULL, &table));
    assert_int_equal(table->rows, 2);
    assert_string_equal(table->cell[1].text, "be,e, =d<, apple");
    assert_string_equal(table->cell[3].text, "=d<, \"c\", be,e");
    sheet_free(table);
    size_t size;
    char text[1024];
    unsigned char *bytes = files_read(files_path("words.csv"), &size);
    snprintf(text, sizeof text, "%.*s", (int)size, bytes);
    free(bytes);
    assert_non_null(strstr(text, ",'=d<,"));
    assert_non_null(strstr(text, ",\"\"\"c\"\"\","));
    names = files_write_text("few.txt", "apple\n");
    assert_int_equal(orthant_run_check_words(ctx, names, 4), ORTHANT_ERROR_FORMAT);
    assert_non_null(
        strstr(orthant_message(ctx), "found 1 words, expected one per line for each of"));
    files_write_text("words.csv", "part,place,feature,word,weight\nx,1,1,a,1\n");
    assert_int_equal(words_table(ctx, &record, NULL, &table), ORTHANT_ERROR_FORMAT);
    assert_null(table);
    remove(files_path("words.csv"));
    orthant_matrix_free(basis);
}

static void test_drawings_take_the_colours_of_the_page(void **state)
{
    static char text[2048];
    (void)state;
    FILE *page = tmpfile();
    assert_non_null(page);
    html_svg(page,
             "<?xml?><svg \n viewBox=\"0 0 480 330\"\n xmlns=\"http://www.w3.org/2000/svg\">"
             "<title>Gnuplot</title><desc>x</desc>"
             "<g fill=\"none\">\n</g>\n"
             "<path id='gpPt0' stroke='rgb(  0, 114, 178)'/><use xlink:href='#gpPt0'/>"
             "<text fill=\"black\">r</text><path stroke='rgb(1,2,3)' fill='white'/></svg>",
             "ranks", "A \"chart\"");
    rewind(page);
    text[fread(text, 1, sizeof text - 1, page)] = '\0';
    fclose(page);
    assert_string_equal(
        text,
        "<div class=\"chart\"><svg viewBox=\"0 0 480 330\" "
        "style=\"max-width:552px;min-width:288px\" role=\"img\" "
        "aria-label=\"A &quot;chart&quot;\">"
        "<path id='ranks-gpPt0' stroke='var(--c1)'/><use xlink:href='#ranks-gpPt0'/>"
        "<text fill=\"currentColor\">r</text><path stroke='rgb(1,2,3)' fill=\"var(--page)\"/></svg>"
        "</div>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_samples_are_ordered_by_cluster),
        fixture_test(test_confusion_is_aligned),
        fixture_test(test_confusion_with_a_class_left_over),
        fixture_test(test_cosines),
        fixture_test(test_words),
        fixture_test(test_drawings_take_the_colours_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
