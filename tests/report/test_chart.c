/* Charts of a page: all by one gnuplot, in their places; a script that fails takes no other chart
 * with it; heat maps need no gnuplot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "report/chart.h"
#include "report/heat.h"
#include "report/text_file.h"

#include "fixture.h"

static bool has_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

static void add_chart(chart_place *place, const char *name, const char *plot)
{
    chart drawn = {.place = place, .name = name, .description = name, .caption = name};
    fprintf(place->page, "before %s\n", name);
    expect_ok(place->ctx, chart_begin(&drawn));
    fprintf(drawn.script, "plot %s\n", plot);
    expect_ok(place->ctx, chart_end(&drawn));
    fprintf(place->page, "behind %s\n", name);
}

/* The page with three charts, of which the second is drawn from `second`; `told` of them before
 * gnuplot hears that there are no more. */
static char *make_page(orthant_context *ctx, const char *folder, const char *second, int told)
{
    chart_place place;
    char *text = NULL;
    size_t length;
    const char *path = files_path("page.html");
    FILE *page = fopen(path, "w");
    assert_non_null(page);
    expect_ok(ctx, chart_place_begin(&place, ctx, page, folder));
    gnuplot_start(&place.drawer, folder);
    const char *const plots[][2] = {{"first", "x"}, {"second", second}, {"third", "x * x"}};
    for (int i = 0; i < 3; i++) {
        if (i == told)
            chart_last(&place);
        add_chart(&place, plots[i][0], plots[i][1]);
    }
    expect_ok(ctx, chart_place_end(&place, ORTHANT_OK));
    assert_int_equal(fclose(page), 0);
    expect_ok(ctx, text_file_read(ctx, path, 1 << 24, &text, &length));
    return text;
}

static bool in_order(const char *text, const char *const *pieces)
{
    for (; *pieces && text; pieces++)
        text = strstr(text, *pieces);
    return text != NULL;
}

static void test_charts_stand_in_their_places(void **state)
{
    orthant_context *ctx = *state;
    if (!has_gnuplot())
        skip();
    const char *folder = files_path("places");
    assert_int_equal(mkdir(folder, 0777), 0);
    for (int told = 0; told < 4; told++) {
        char *text = make_page(ctx, folder, "sin(x)", told);
        assert_true(
            in_order(text, (const char *[]){"before first", "<figure>", "charts/first.svg",
                                            "behind first", "before second", "<figure>",
                                            "charts/second.svg", "behind second", "<figure>",
                                            "charts/third.svg", "behind third", NULL}));
        assert_null(strstr(text, "gnuplot was not found"));
        memory_free(ctx, text);
    }
}

static void test_a_script_that_fails(void **state)
{
    orthant_context *ctx = *state;
    if (!has_gnuplot())
        skip();
    const char *folder = files_path("failing");
    assert_int_equal(mkdir(folder, 0777), 0);
    char *text = make_page(ctx, folder, "'there-is-no-such-file.csv'", 3);
    assert_true(
        in_order(text, (const char *[]){"charts/first.svg", "gnuplot was not found or failed",
                                        "charts/third.svg", NULL}));
    assert_null(strstr(text, "charts/second.svg"));
    memory_free(ctx, text);
}

static void test_without_gnuplot(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = files_path("without");
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    assert_int_equal(mkdir(folder, 0777), 0);
    setenv("PATH", "/nowhere", 1);
    char *text = make_page(ctx, folder, "x", 3);
    setenv("PATH", path, 1);
    free(path);
    assert_true(in_order(
        text, (const char *[]){"before first", "gnuplot was not found", "behind third", NULL}));
    assert_null(strstr(text, "<figure>"));
    memory_free(ctx, text);
}

static char *heat_page(orthant_context *ctx, const char *folder, const char *table)
{
    chart_place place;
    file_writer writer;
    char *text = NULL;
    size_t length;
    int64_t sample[] = {0, 1, 2}, cluster[] = {0, 0, 1};
    const sample_order order = {
        .ctx = ctx, .count = 3, .sample = sample, .cluster = cluster, .clusters = 2};
    const char *path = files_path("heat.html");
    FILE *page = fopen(path, "w");
    assert_non_null(page);
    expect_ok(ctx, chart_place_begin(&place, ctx, page, folder));
    expect_ok(ctx, chart_data_begin(&place, "map", &writer));
    fputs(table, writer.file);
    expect_ok(ctx, file_write_end(&writer, ORTHANT_OK));
    expect_ok(ctx, heat_square(&place, "map", "a map", false, &order));
    expect_ok(ctx, chart_place_end(&place, ORTHANT_OK));
    assert_int_equal(fclose(page), 0);
    expect_ok(ctx, text_file_read(ctx, path, 1 << 24, &text, &length));
    return text;
}

/* One line each way between the second sample and the third; a table of another shape is left to
 * gnuplot, which is not there. */
static void test_heat_maps_need_no_gnuplot(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = files_path("heat");
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    assert_int_equal(mkdir(folder, 0777), 0);
    setenv("PATH", "/nowhere", 1);
    char *good = heat_page(ctx, folder, "1.00,0.5,0\n0.5,1.00,0.25\n0,0.25,1.00\n");
    char *bad = heat_page(ctx, folder, "1.00,0.5,0\n0.5,1.00\n0,0.25,1.00\n");
    setenv("PATH", path, 1);
    free(path);
    assert_non_null(strstr(good, "data:image/png;base64,"));
    assert_non_null(strstr(good, "charts/map.gp"));
    const char *lines = strstr(good, " d=\"M");
    assert_non_null(lines);
    assert_non_null(strstr(lines, " v"));
    assert_null(strstr(good, "gnuplot was not found"));
    assert_non_null(strstr(bad, "gnuplot was not found"));
    memory_free(ctx, good);
    memory_free(ctx, bad);
}

/* Two decimals, which are read in a way of their own, or any other notation: the same picture. */
static void test_notations_of_a_heat_map(void **state)
{
    orthant_context *ctx = *state;
    const char *folder = files_path("notations");
    assert_int_equal(mkdir(folder, 0777), 0);
    char *text = heat_page(ctx, folder, "1,0.50,0\n0.07,0.99,-0.30\n0,1.00,0.10\n");
    char *same = heat_page(ctx, folder, "1.0,5e-1,0.000\n.07,0.9900,-0.3\n0e0,1,1e-1\n");
    char *other = heat_page(ctx, folder, "1,0.50,0\n0.08,0.99,-0.30\n0,1.00,0.10\n");
    assert_non_null(strstr(text, "<figure>"));
    assert_string_equal(text, same);
    assert_string_not_equal(text, other);
    memory_free(ctx, text);
    memory_free(ctx, same);
    memory_free(ctx, other);
}

/* What a page can be made of again need not wait for the disk. */
static void test_files_of_charts_do_not_wait(void **state)
{
    orthant_context *ctx = *state;
    chart_place place;
    file_writer data = {0}, picture = {0};
    FILE *page = fopen(files_path("quick.html"), "w");
    assert_non_null(page);
    expect_ok(ctx, chart_place_begin(&place, ctx, page, files_folder()));
    expect_ok(ctx, chart_data_begin(&place, "quick", &data));
    expect_ok(ctx, chart_picture_begin(&place, "quick", &picture));
    assert_true(data.remade && picture.remade);
    expect_ok(ctx, file_write_end(&data, ORTHANT_OK));
    expect_ok(ctx, file_write_end(&picture, ORTHANT_OK));
    expect_ok(ctx, chart_place_end(&place, ORTHANT_OK));
    assert_int_equal(fclose(page), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_files_of_charts_do_not_wait),
                                       fixture_test(test_charts_stand_in_their_places),
                                       fixture_test(test_a_script_that_fails),
                                       fixture_test(test_without_gnuplot),
                                       fixture_test(test_heat_maps_need_no_gnuplot),
                                       fixture_test(test_notations_of_a_heat_map)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
