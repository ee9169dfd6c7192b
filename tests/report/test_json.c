/* The JSON that Orthant writes reads back, and its reader refuses everything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "report/json.h"

/* After the library, whose fail() it makes a macro. */
#include <cmocka.h>

static orthant_context *ctx;

static int setup(void **state)
{
    (void)state;
    return orthant_context_create(&ctx) ? -1 : 0;
}

/* Every test frees what it read. */
static int teardown(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left ? -1 : 0;
}

static json_value *parse(const char *text)
{
    json_value *value = NULL;
    assert_int_equal(json_parse(ctx, "test", text, strlen(text), &value), ORTHANT_OK);
    return value;
}

static void refused(const char *text, size_t length)
{
    json_value *value = (json_value *)1;
    assert_int_equal(json_parse(ctx, "test", text, length, &value), ORTHANT_ERROR_FORMAT);
    assert_null(value);
    assert_int_equal(strncmp(orthant_message(ctx), "test:", 5), 0);
}

static char *written(void (*write)(json_writer *), bool compact)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    json_writer json = {.file = file, .compact = compact};
    write(&json);
    fclose(file);
    return text;
}

static void write_all_kinds(json_writer *json)
{
    json_open_object(json, NULL);
    json_text(json, "text", "a \"quote\", a \\, a\nline, \x01, caf\xc3\xa9, bad \xff\xc0\x80 end");
    json_number(json, "tenth", 0.1);
    json_number(json, "third", 1.0 / 3);
    json_number(json, "nan", (double)NAN);
    json_number(json, "infinite", (double)INFINITY);
    json_integer(json, "large", INT64_MIN);
    json_truth(json, "yes", true);
    json_list(json, "list", "one,two");
    json_list(json, "none", "");
    json_number_or_text(json, "number", "1e-5");
    json_number_or_text(json, "word", "grid:3x3");
    json_close(json);
}

static void test_written_reads_back(void **state)
{
    (void)state;
    for (int compact = 0; compact < 2; compact++) {
        char *text = written(write_all_kinds, compact);
        json_value *value = parse(text);
        assert_string_equal(json_member_text(value, "text", ""),
                            "a \"quote\", a \\, a\nline, \x01, caf\xc3\xa9, bad "
                            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd end");
        assert_true(json_member_number(value, "tenth") == 0.1);
        assert_true(json_member_number(value, "third") == 1.0 / 3);
        assert_int_equal(json_member(value, "nan")->kind, JSON_NULL);
        assert_int_equal(json_member(value, "infinite")->kind, JSON_NULL);
        assert_true(json_member_number(value, "large") == (double)INT64_MIN);
        assert_true(json_member_truth(value, "yes"));
        assert_string_equal(json_member(value, "list")->child->next->text, "two");
        assert_null(json_member(value, "none")->child);
        assert_true(json_member_number(value, "number") == 1e-5);
        assert_string_equal(json_member_text(value, "word", ""), "grid:3x3");
        assert_null(strstr(text, "0.10000000000000001"));
        assert_int_equal(strchr(text, '\n') == text + strlen(text) - 1, compact);
        json_free(ctx, value);
        free(text);
    }
}

static const char *given; /* what write_given writes */

static void write_given(json_writer *json)
{
    json_text(json, NULL, given);
}

/* Characters at the ends of each length; beside them what is none: overlong, surrogates, beyond the
 * last, cut off, bytes that begin nothing. */
static void test_writes_characters_alone(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"\x7f", "\"\\u007f\""},
        {"\x1f\n \"\\", "\"\\u001f\\n \\\"\\\\\""},
        {"\xc2\x80\xdf\xbf", "\"\xc2\x80\xdf\xbf\""},
        {"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
         "\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\""},
        {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""},
        {"\xc1\xbf", "\"\\ufffd\\ufffd\""},
        {"\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xf0\x8f\xbf\xbf", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf5\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xe2\x82z", "\"\\ufffd\\ufffdz\""},
        {"\xe2z\xac", "\"\\ufffdz\\ufffd\""},
        {"\x80\xff", "\"\\ufffd\\ufffd\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        given = cases[i].text;
        char *text = written(write_given, true);
        assert_string_equal(text, cases[i].expected);
        free(text);
    }
}

static void test_reads_escapes(void **state)
{
    (void)state;
    json_value *value =
        parse(" [ \"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\/\\b\\f\\r\\t\" , -0.5e+2, {} ] ");
    assert_string_equal(value->child->text, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80/\b\f\r\t");
    assert_true(value->child->next->number == -50);
    assert_int_equal(value->child->next->next->kind, JSON_OBJECT);
    json_free(ctx, value);
}

static void test_lookups_accept_anything(void **state)
{
    (void)state;
    json_value *value = parse("{\"a\": {\"b\": 3}, \"c\": \"d\"}");
    assert_true(json_member_number(json_member(value, "a"), "b") == 3);
    assert_true(isnan(json_member_number(json_member(value, "x"), "b")));
    assert_true(isnan(json_member_number(value, "c")));
    assert_string_equal(json_member_text(value, "a", "other"), "other");
    assert_null(json_member(json_member(value, "c"), "b"));
    assert_false(json_member_truth(NULL, "c"));
    json_free(ctx, value);
}

static void test_refuses_what_is_not_json(void **state)
{
    static const char *const texts[] = {
        "",         " ",       "{",           "[",           "[1,",         "[1,]",
        "[,1]",     "[1 2]",   "{\"a\"}",     "{\"a\":}",    "{a:1}",       "{\"a\":1,}",
        "nul",      "truex",   "01",          "-",           "1.",          ".5",
        "1e",       "1e400",   "+1",          "NaN",         "\"",          "\"\\",
        "\"\\x\"",  "\"\\u12", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\u0000\"",
        "\"a\nb\"", "[1]]",    "{} {}",       "'a'",         "[\"a\":1]",   "\"\\ud800\\u0041\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refused(texts[i], strlen(texts[i]));
    refused("\"a\0b\"", 5);
    refused("1\0", 2);
}

static void test_refuses_deep_nesting(void **state)
{
    char text[2001];
    (void)state;
    memset(text, '[', 2000);
    text[2000] = '\0';
    refused(text, 2000);
    memset(text, '[', 30);
    memset(text + 30, ']', 30);
    json_value *value = NULL;
    assert_int_equal(json_parse(ctx, "test", text, 60, &value), ORTHANT_OK);
    json_free(ctx, value);
}

/* Every prefix of a good text, and every byte of it changed, is read or refused, never more. */
static void test_damaged_texts(void **state)
{
    char *text = written(write_all_kinds, true);
    const size_t length = strlen(text);
    (void)state;
    for (size_t i = 0; i < length; i++) {
        json_value *value = NULL;
        char *copy = malloc(length);
        assert_non_null(copy);
        memcpy(copy, text, length);
        if (i + 1 < length)
            refused(copy, i);
        for (int flip = 1; flip < 256; flip *= 2) {
            copy[i] = (char)(text[i] ^ flip);
            json_parse(ctx, "test", copy, length, &value);
            json_free(ctx, value);
        }
        free(copy);
    }
    free(text);
}

static void test_names_the_line(void **state)
{
    json_value *value = NULL;
    const char text[] = "{\n\"a\": 1,\n\"b\": ?\n}";
    (void)state;
    assert_int_equal(json_parse(ctx, "run.json", text, strlen(text), &value), ORTHANT_ERROR_FORMAT);
    assert_string_equal(orthant_message(ctx), "run.json:3: found byte 0x3f, expected a value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_written_reads_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_writes_characters_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reads_escapes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lookups_accept_anything, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refuses_what_is_not_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refuses_deep_nesting, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_the_line, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
