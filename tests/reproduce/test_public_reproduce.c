/* Reproductions and the benchmark through the public headers: the list of papers, and what is
 * refused before anything runs. */
#include <math.h>
#include <string.h>

#include "orthant/orthant.h"

#include "fixture.h"

static void test_papers(void **state)
{
    orthant_paper_info info = {.size = sizeof info};
    bool found = false;
    (void)state;
    for (int i = 0; i < orthant_paper_count(); i++) {
        assert_int_equal(orthant_paper_at(i, &info), ORTHANT_OK);
        assert_true(*info.title && *info.tables);
        found = found || !strcmp(info.name, "tnmf");
    }
    assert_true(found);
    assert_int_equal(orthant_paper_at(orthant_paper_count(), &info), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_paper_at(-1, &info), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_paper_at(0, NULL), ORTHANT_ERROR_ARGUMENT);
}

static void test_refusals(void **state)
{
    orthant_context *ctx = *state;
    orthant_reproduction *made = NULL;
    orthant_reproduce_options options = {.size = sizeof options, .output = files_path("out")};
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no paper 'tnfm'; known are",
                   orthant_reproduce(ctx, "tnfm", &options, &made));
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "folder with the data sets",
                   orthant_reproduce(ctx, "tnmf", &options, &made));
    options.data = "no such folder";
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such folder",
                   orthant_reproduce(ctx, "tnmf", &options, &made));
    options.seed = -1;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "seed -1",
                   orthant_reproduce(ctx, "tnmf", &options, &made));
    options.size = 3;
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "size is 3",
                   orthant_reproduce(ctx, "tnmf", &options, &made));
    assert_null(made);
}

/* Every item has a state, and every row of a protocol makes an item. */
static void test_items(void **state)
{
    orthant_context *ctx = *state;
    orthant_paper_info info = {.size = sizeof info};
    for (int i = 0; !orthant_paper_at(i, &info); i++) {
        char *text = NULL;
        expect_ok(ctx,
                  orthant_paper_items(ctx, info.name, files_path("none"), NULL, "json", &text));
        assert_non_null(strstr(text, "\"kind\": \"table\""));
        assert_non_null(strstr(text, "\"state\": \"data not here\""));
        orthant_text_free(ctx, text);
        expect_ok(ctx, orthant_paper_items(ctx, info.name, NULL, NULL, "csv", &text));
        assert_null(strstr(text, "data not here"));
        assert_non_null(strstr(text, "not run"));
        orthant_text_free(ctx, text);
    }
    char *text = "";
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "no paper 'tnfm'",
                   orthant_paper_items(ctx, "tnfm", NULL, NULL, "json", &text));
    assert_null(text);
    expect_failure(ctx, ORTHANT_ERROR_ARGUMENT, "pdf",
                   orthant_paper_items(ctx, "tnmf", NULL, NULL, "pdf", &text));
    assert_int_equal(orthant_paper_items(ctx, NULL, NULL, NULL, "json", &text),
                     ORTHANT_ERROR_ARGUMENT);
}

static void never(void *user, const orthant_bench_row *row)
{
    (void)user;
    (void)row;
    fail_msg("nothing is to be measured");
}

static void test_null(void **state)
{
    orthant_context *ctx = *state;
    char *text = "";
    orthant_reproduction *made = NULL;
    const orthant_bench_options nowhere = {.size = sizeof nowhere, .data = "no such folder"};
    assert_int_equal(orthant_reproduce(ctx, NULL, NULL, &made), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_reproduce(NULL, "tnmf", NULL, NULL), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_reproduction_tables(NULL, "md", &text), ORTHANT_ERROR_ARGUMENT);
    assert_null(text);
    assert_int_equal(orthant_reproduction_run_count(NULL), 0);
    assert_int_equal(orthant_reproduction_failure_count(NULL), 0);
    assert_string_equal(orthant_reproduction_failure(NULL), "");
    orthant_reproduction_free(NULL);
    assert_int_equal(orthant_bench_run(NULL, NULL, never, NULL), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_bench_run(ctx, NULL, NULL, NULL), ORTHANT_ERROR_ARGUMENT);
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such folder",
                   orthant_bench_run(ctx, &nowhere, never, NULL));
    assert_true(isnan(orthant_bench_peak(NULL, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_papers),
        fixture_test(test_refusals),
        fixture_test(test_items),
        fixture_test(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
