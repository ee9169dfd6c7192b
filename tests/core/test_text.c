/* Numbers as texts: the nearest double, in every locale, and back. */
#include "expect.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/text.h"
#include "files.h"

static void test_doubles(void **state)
{
    (void)state;
    static const char *const good[] = {"0",
                                       "-0",
                                       "1",
                                       "+1.5",
                                       ".5",
                                       "5.",
                                       "1e3",
                                       "1E-3",
                                       "123456789012345678901234567890",
                                       "4.9e-324",
                                       "1.7976931348623157e308",
                                       "0.1",
                                       "2.2250738585072011e-308",
                                       "9007199254740993",
                                       "1e22",
                                       "1e23",
                                       "0.000000000000000000000000000001",
                                       "1e-400"};
    static const char *const bad[] = {"",     "-",   ".",        "e5",   "1e",   "1e400", "-1e400",
                                      "nan",  "inf", "Infinity", "0x10", "1 ",   " 1",    "1,5",
                                      "1.5.", "--1", "1e5x",     "abc",  "1_000"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(text_to_double(good[i], &value));
        assert_true(value == strtod(good[i], NULL));
    }
    assert_true(text_to_double("-0", &value) && signbit(value));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (text_to_double(bad[i], &value))
            fail_msg("'%s' was taken for a number", bad[i]);
}

/* Against the C library on numbers of every size and length. */
static void test_doubles_are_the_nearest(void **state)
{
    (void)state;
    char text[64];
    double value;
    for (uint64_t i = 0; i < 20000; i++) {
        const double u = random_uniform(1, RANDOM_TEST, i, 0);
        const int digits = (int)random_below(1, RANDOM_TEST, i, 1, 20),
                  exponent = (int)random_below(1, RANDOM_TEST, i, 2, 600) - 300;
        snprintf(text, sizeof text, "%.*fe%d", digits, u * 1000, exponent);
        assert_true(text_to_double(text, &value));
        assert_true(value == strtod(text, NULL));
    }
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Numbers as tables hold them: up to 21 digits with a point among them, and now and then an
 * exponent. */
static size_t write_number(uint64_t *state, char *text)
{
    const uint64_t how = next(state);
    const int digits = 1 + (int)(how % 21), point = (int)(how >> 8 & 31);
    size_t length = 0;
    uint64_t source = next(state);
    if (how >> 16 & 1)
        text[length++] = '-';
    for (int i = 0; i < digits; i++, source = i == 15 ? next(state) : source / 10) {
        if (i == point)
            text[length++] = '.';
        text[length++] = (char)('0' + source % 10);
    }
    if ((how >> 17 & 3) == 0)
        length += (size_t)sprintf(text + length, "e%d", (int)(how >> 20 & 127) - 64);
    text[length] = '\0';
    return length;
}

static void test_a_million_numbers(void **state)
{
    (void)state;
    uint64_t random = 1;
    char text[64];
    for (int i = 0; i < 1000000; i++) {
        double value = NAN;
        const size_t length = write_number(&random, text);
        const double expected = strtod(text, NULL);
        if (text_read_double(text, text + length, &value) != text + length ||
            memcmp(&value, &expected, sizeof value) != 0)
            fail_msg("'%s' was read as %.17g, expected %.17g", text, value, expected);
    }
}

/* Halfway between two doubles, a little above and a little below: 2^53 + 1 and its like, divided by
 * powers of ten and multiplied by them. */
static void test_numbers_halfway(void **state)
{
    (void)state;
    char text[64];
    double value;
    for (uint64_t odd = 1; odd < 2000; odd += 2)
        for (int exponent = -27; exponent <= 27; exponent++)
            for (int side = -1; side <= 1; side++) {
                const uint64_t digits = (UINT64_C(1) << 53) + odd, scaled = 1000 * digits;
                snprintf(text, sizeof text, "%llue%d",
                         (unsigned long long)(scaled + (uint64_t)side), exponent);
                assert_true(text_to_double(text, &value));
                assert_true(value == strtod(text, NULL));
            }
}

static void test_reading_stops_where_the_number_does(void **state)
{
    (void)state;
    static const char line[] = "12.5,7";
    double value;
    assert_ptr_equal(text_read_double(line, line + 6, &value), line + 4);
    assert_true(value == 12.5);
    assert_ptr_equal(text_read_double(line, line + 2, &value), line + 2);
    assert_true(value == 12);
    assert_null(text_read_double(line, line, &value));
    static const char half[] = "1e+";
    assert_ptr_equal(text_read_double(half, half + 3, &value), half + 1);
}

static void test_integers(void **state)
{
    (void)state;
    int64_t value;
    assert_true(text_to_int64("9223372036854775807", &value) && value == INT64_MAX);
    assert_true(text_to_int64("-9223372036854775808", &value) && value == INT64_MIN);
    assert_true(text_to_int64("+7", &value) && value == 7);
    static const char *const bad[] = {
        "", "-", "9223372036854775808", "-9223372036854775809", "1.0", "1 ", "0x1", "one"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(text_to_int64(bad[i], &value));
}

static void check_round_trip(double value)
{
    char text[32];
    double again;
    const int length = text_write_double(text, value, false);
    assert_int_equal(length, strlen(text));
    assert_true(text_to_double(text, &again) && again == value);
    const float narrow = (float)value;
    if (isfinite(narrow)) {
        text_write_double(text, (double)narrow, true);
        assert_true(text_to_double(text, &again) && (float)again == narrow);
        assert_true(strlen(text) <= 15);
    }
}

static void test_written_numbers_are_read_again(void **state)
{
    (void)state;
    char text[32];
    for (uint64_t i = 0; i < 5000; i++)
        check_round_trip(random_normal(2, RANDOM_TEST, i, 0) *
                         pow(10, (double)random_below(2, RANDOM_TEST, i, 1, 600) - 300));
    check_round_trip(1.7976931348623157e308);
    check_round_trip(4.9e-324);
    check_round_trip(0);
    text_write_double(text, 0.1, false);
    assert_string_equal(text, "0.1");
    text_write_double(text, (double)0.1f, true);
    assert_string_equal(text, "0.1");
    text_write_double(text, 255, true);
    assert_string_equal(text, "255");
}

/* A locale with nothing but this decimal point (a symbol or <Uxxxx>), made by the C library's own
 * compiler; false where there is none. */
static bool take_locale(const char *name, const char *point)
{
    char source[256], command[1024];
    snprintf(source, sizeof source,
             "LC_NUMERIC\ndecimal_point \"%s\"\nthousands_sep \"\"\ngrouping -1\n"
             "END LC_NUMERIC\n",
             point);
    snprintf(command, sizeof command, "localedef -c -f UTF-8 -i '%s' '%s/%s.utf8' >/dev/null 2>&1",
             files_write_text(name, source), files_folder(), name);
    if (system(command) == -1)
        return false;
    setenv("LOCPATH", files_folder(), 1);
    snprintf(source, sizeof source, "%s.utf8", name);
    return setlocale(LC_NUMERIC, source) != NULL;
}

/* A program in another language must not change what a file means. */
static void test_locales_with_another_point(void **state)
{
    (void)state;
    /* A comma, and the Arabic decimal separator, which takes two bytes. */
    static const char *const points[][2] = {{"comma", ","}, {"arabic", "<U066B>"}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        if (!take_locale(points[i][0], points[i][1])) {
            print_message("skipped: no localedef with UTF-8 on this machine\n");
            skip();
        }
        char text[32], printed[32], other[32];
        double value = 0;
        snprintf(printed, sizeof printed, "%.1f", 0.5);
        const bool read = text_to_double("0.12345678901234567890", &value);
        const bool read_other = text_to_double(printed, &(double){0});
        const int length = text_write_double(text, 0.5, false);
        const int longer = text_write_double(other, -1.25e-300, false);
        setlocale(LC_NUMERIC, "C");
        assert_string_not_equal(printed, "0.5");
        assert_true(read && fabs(value - 0.12345678901234567890) < 1e-15);
        assert_false(read_other);
        assert_string_equal(text, "0.5");
        assert_int_equal(length, 3);
        assert_string_equal(other, "-1.25e-300");
        assert_int_equal(longer, 10);
    }
}

static void test_appending_never_overruns(void **state)
{
    (void)state;
    char buffer[8] = "ab";
    assert_true(text_append(buffer, sizeof buffer, "%d", 123));
    assert_string_equal(buffer, "ab123");
    assert_false(text_append(buffer, sizeof buffer, "%s", "xyz"));
    assert_string_equal(buffer, "ab123xy");
    assert_false(text_append(buffer, sizeof buffer, "%s", "more"));
    assert_string_equal(buffer, "ab123xy");
}

static void test_nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = {"nmf", "gnmf", "tnmf", "cdnmf-kl", "nlcf", "kmeans"};
    assert_string_equal(text_nearest("gnmv", names, 6), "gnmf");
    assert_string_equal(text_nearest("k-means", names, 6), "kmeans");
    assert_string_equal(text_nearest("KMEANS", names, 6), "kmeans");
    assert_string_equal(text_nearest("cdnmfkl", names, 6), "cdnmf-kl");
    assert_string_equal(text_nearest("nfm", names, 6), "nmf");
    assert_null(text_nearest("spectral", names, 6));
    assert_null(text_nearest("", names, 6));
    assert_null(text_nearest("x", names, 6));
    char endless[200];
    memset(endless, 'k', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(text_nearest(endless, names, 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_doubles_are_the_nearest),
        cmocka_unit_test(test_a_million_numbers),
        cmocka_unit_test(test_numbers_halfway),
        cmocka_unit_test(test_reading_stops_where_the_number_does),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_written_numbers_are_read_again),
        cmocka_unit_test(test_locales_with_another_point),
        cmocka_unit_test(test_appending_never_overruns),
        cmocka_unit_test(test_nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
