/* Named parameters: defaults, what is refused and with which words, what stays after a refusal. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "core/parameter.h"

static const orthant_parameter_info rows[] = {
    PARAMETER_NUMBER("weight", "0.5", 0, 10, "how much"),
    PARAMETER_WHOLE("steps", "3", 1, 100, "how often"),
    PARAMETER_WORD("rule", "half", "half|third|halfway", "which"),
    PARAMETER_WORD("name", "", "", "anything"),
    PARAMETER_END,
};

static void expect_weight(const parameter_set *set, double number, const char *text)
{
    assert_true(parameter_number(set, "weight") == number);
    assert_string_equal(parameter_text(set, "weight"), text);
}

static void test_defaults(void **state)
{
    parameter_set set = {0};
    expect_ok(*state, parameter_add(*state, &set, rows));
    assert_int_equal(set.count, 4);
    expect_weight(&set, 0.5, "0.5");
    assert_int_equal(parameter_whole(&set, "steps"), 3);
    assert_string_equal(parameter_text(&set, "rule"), "half");
    assert_string_equal(parameter_text(&set, "name"), "");
    assert_true(parameter_has(&set, "weight") && parameter_has(&set, "name"));
    assert_false(parameter_has(&set, "weigh"));
    assert_true(parameter_number(&set, "no") == 0 && parameter_whole(&set, "no") == 0);
    assert_string_equal(parameter_text(&set, "no"), "");
    /* A row that is there keeps its value. */
    expect_ok(*state, parameter_assign(*state, &set, "test", "weight", "2"));
    expect_ok(*state, parameter_add(*state, &set, rows));
    expect_ok(*state, parameter_add(*state, &set, NULL));
    assert_int_equal(set.count, 4);
    assert_int_equal(parameter_count(rows), 4);
    assert_int_equal(parameter_count(rows + 4), 0);
    assert_int_equal(parameter_count(NULL), 0);
    expect_weight(&set, 2, "2");
}

static void test_given(void **state)
{
    parameter_set set = {0};
    expect_ok(*state, parameter_add(*state, &set, rows));
    for (int i = 0; i < 4; i++)
        assert_false(parameter_given(&set, rows[i].name));
    parameter_mark_given(&set, "steps");
    parameter_mark_given(&set, "no");
    assert_true(parameter_given(&set, "steps"));
    assert_false(parameter_given(&set, "weight"));
    assert_false(parameter_given(&set, "no"));
}

static void refuse(orthant_context *ctx, parameter_set *set, const char *name, const char *value,
                   const char *message)
{
    assert_int_equal(parameter_assign(ctx, set, "method 'm'", name, value), ORTHANT_ERROR_ARGUMENT);
    assert_string_equal(orthant_message(ctx), message);
}

static void test_refusals(void **state)
{
    orthant_context *ctx = *state;
    parameter_set set = {0};
    expect_ok(ctx, parameter_add(ctx, &set, rows));
    refuse(ctx, &set, "weight", "much", "method 'm': weight = 'much': expected a number");
    refuse(ctx, &set, "weight", "10.001", "method 'm': weight = 10.001: must be between 0 and 10");
    refuse(ctx, &set, "weight", "-1e-9", "method 'm': weight = -1e-9: must be between 0 and 10");
    refuse(ctx, &set, "steps", "2.5", "method 'm': steps = 2.5: expected a whole number");
    refuse(ctx, &set, "steps", "0", "method 'm': steps = 0: must be between 1 and 100");
    refuse(ctx, &set, "rule", "hal",
           "method 'm': rule = 'hal': expected one of half|third|halfway");
    refuse(ctx, &set, "rule", "", "method 'm': rule = '': expected one of half|third|halfway");
    refuse(ctx, &set, "rule", "half|third",
           "method 'm': rule = 'half|third': expected one of half|third|halfway");
    refuse(ctx, &set, "weigth", "1",
           "method 'm' has no parameter 'weigth'. Did you mean 'weight'?");
    refuse(ctx, &set, "colour", "1", "method 'm' has no parameter 'colour'");
    expect_weight(&set, 0.5, "0.5");
    assert_string_equal(parameter_text(&set, "rule"), "half");
    for (int i = 0; i < 2; i++)
        expect_ok(ctx, parameter_assign(ctx, &set, "m", "weight", i ? "0" : "10"));
    expect_weight(&set, 0, "0");
    expect_ok(ctx, parameter_assign(ctx, &set, "m", "steps", "100"));
    assert_int_equal(parameter_whole(&set, "steps"), 100);
    for (int i = 0; i < 3; i++) {
        static const char *const choices[] = {"halfway", "third", "half"};
        expect_ok(ctx, parameter_assign(ctx, &set, "m", "rule", choices[i]));
        assert_string_equal(parameter_text(&set, "rule"), choices[i]);
    }
}

static void test_numbered_choice(void **state)
{
    static const orthant_parameter_info numbered[] = {
        PARAMETER_WORD("kind", "auto", "auto|knn:P|all", "how"), PARAMETER_END};
    static const char *const refused[] = {"knn",   "knn:",   "knn:P",  "knn:0",
                                          "knn:x", "knn:-3", "knn:2x", "kn:2"};
    orthant_context *ctx = *state;
    parameter_set set = {0};
    expect_ok(ctx, parameter_add(ctx, &set, numbered));
    expect_ok(ctx, parameter_assign(ctx, &set, "m", "kind", "all"));
    expect_ok(ctx, parameter_assign(ctx, &set, "m", "kind", "knn:20"));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(parameter_assign(ctx, &set, "m", "kind", refused[i]),
                         ORTHANT_ERROR_ARGUMENT);
        assert_non_null(strstr(orthant_message(ctx), "expected one of auto|knn:P|all"));
    }
    assert_string_equal(parameter_text(&set, "kind"), "knn:20");
}

static void test_long_texts(void **state)
{
    orthant_context *ctx = *state;
    parameter_set set = {0};
    char text[PARAMETER_TEXT + 1];
    expect_ok(ctx, parameter_add(ctx, &set, rows));
    memset(text, 'a', sizeof text);
    text[PARAMETER_TEXT] = '\0';
    refuse(ctx, &set, "name", text, "method 'm': the value of name is longer than 63 characters");
    text[PARAMETER_TEXT - 1] = '\0';
    expect_ok(ctx, parameter_assign(ctx, &set, "m", "name", text));
    assert_string_equal(parameter_text(&set, "name"), text);
}

static void test_as_many_as_fit(void **state)
{
    parameter_set set = {0};
    static char names[PARAMETER_MOST + 1][16];
    orthant_parameter_info many[PARAMETER_MOST + 2] = {0};
    for (int i = 0; i <= PARAMETER_MOST; i++) {
        snprintf(names[i], sizeof names[i], "p%d", i);
        many[i] = (orthant_parameter_info)PARAMETER_NUMBER(names[i], "1", 0, 2, "");
    }
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "more than 48 parameters",
                   parameter_add(*state, &set, many));
    assert_int_equal(set.count, PARAMETER_MOST);
    assert_true(parameter_has(&set, "p47"));
    /* A default that its own row refuses is told. */
    parameter_set none = {0};
    const orthant_parameter_info wrong[] = {PARAMETER_NUMBER("wrong", "3", 0, 2, ""),
                                            PARAMETER_END};
    expect_failure(*state, ORTHANT_ERROR_ARGUMENT, "defaults: wrong = 3: must be between 0 and 2",
                   parameter_add(*state, &none, wrong));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_defaults),   fixture_test(test_given),
        fixture_test(test_refusals),   fixture_test(test_numbered_choice),
        fixture_test(test_long_texts), fixture_test(test_as_many_as_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
