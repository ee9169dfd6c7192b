/* What the command prints with --json is JSON, with the keys that programs rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orthant/orthant.h"
#include "report/json.h"

/* After the library, whose fail() it makes a macro. */
#include <cmocka.h>

static orthant_context *ctx;

static int setup(void **state)
{
    (void)state;
    return orthant_context_create(&ctx) ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    orthant_context_free(ctx);
    return 0;
}

/* The output of the command with these arguments, read. */
static json_value *output(const char *arguments)
{
    char line[1024];
    size_t capacity = 1 << 20;
    char *text = malloc(capacity);
    json_value *value = NULL;
    const char *command = getenv("ORTHANT_COMMAND");
    assert_non_null(command);
    assert_non_null(text);
    snprintf(line, sizeof line, "'%s' %s", command, arguments);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    const size_t length = fread(text, 1, capacity, pipe);
    assert_true(length < capacity);
    assert_int_equal(pclose(pipe), 0);
    if (json_parse(ctx, arguments, text, length, &value))
        fail_msg("%s", orthant_message(ctx));
    free(text);
    return value;
}

static void expect_keys(const json_value *object, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!json_member(object, keys[i]))
            fail_msg("no key '%s'", keys[i]);
}

static void test_methods(void **state)
{
    static const char *const keys[] = {"name",   "title",    "family",     "loss",
                                       "terms",  "needs",    "parameters", "factors",
                                       "labels", "promises", "reference"};
    static const char *const parameter_keys[] = {"name", "default", "minimum", "maximum", "help"};
    static const char *const lists[] = {"terms", "needs", "factors", "promises", "parameters"};
    int count = 0;
    (void)state;
    json_value *methods = output("methods --json");
    assert_int_equal(methods->kind, JSON_ARRAY);
    for (const json_value *method = methods->child; method; method = method->next, count++) {
        expect_keys(method, keys, sizeof keys / sizeof *keys);
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            assert_int_equal(json_member(method, lists[i])->kind, JSON_ARRAY);
        for (const json_value *p = json_member(method, "parameters")->child; p; p = p->next)
            expect_keys(p, parameter_keys, sizeof parameter_keys / sizeof *parameter_keys);
    }
    assert_int_equal(count, orthant_method_count());
    json_free(ctx, methods);

    json_value *one = output("methods gnmf --json");
    const json_value *weight = json_member(one, "parameters")->child;
    while (weight && strcmp(json_member_text(weight, "name", ""), "graph_weight"))
        weight = weight->next;
    assert_string_equal(json_member_text(weight, "default", ""), "auto");
    assert_true(json_member_number(weight, "minimum") == 0);
    assert_string_equal(json_member(one, "terms")->child->text, "graph");
    json_free(ctx, one);
}

static void test_cluster(void **state)
{
    static const char *const keys[] = {"method",     "loss",    "terms",       "parameters",
                                       "rank",       "seed",    "precision",   "threads",
                                       "iterations", "seconds", "objective",   "converged",
                                       "data",       "scores",  "labels_rule", "version"};
    const char *source = getenv("ORTHANT_SOURCE");
    char arguments[512];
    (void)state;
    assert_non_null(source);
    snprintf(arguments, sizeof arguments,
             "cluster '%s/data/digits/digits-images-idx3-ubyte.gz' -m tnmf -k 10 --iterations 30 "
             "--scale unit "
             "--pooling grid:2x5 --json --quiet",
             source);
    json_value *run = output(arguments);
    const json_value *scores = json_member(run, "scores"), *data = json_member(run, "data");
    expect_keys(run, keys, sizeof keys / sizeof *keys);
    assert_string_equal(json_member_text(run, "method", ""), "tnmf");
    assert_true(json_member_number(run, "iterations") == 30);
    assert_true(json_member_number(data, "samples") == 1797);
    assert_true(json_member_number(data, "features") == 64);
    assert_int_equal(strlen(json_member_text(data, "xxh64", "")), 16);
    const double accuracy = json_member_number(scores, "accuracy");
    assert_true(accuracy > 0.3 && accuracy <= 1);
    assert_true(json_member_number(scores, "classes") == 10);
    assert_string_equal(json_member_text(json_member(run, "parameters"), "pooling", ""),
                        "grid:2x5");
    json_free(ctx, run);
}

static void test_info(void **state)
{
    (void)state;
    json_value *info = output("info --json --quiet");
    assert_string_equal(json_member_text(info, "version", ""), orthant_version());
    assert_true(json_member_number(info, "threads") >= 1);
    json_free(ctx, info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_methods, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cluster, setup, teardown),
        cmocka_unit_test_setup_teardown(test_info, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
