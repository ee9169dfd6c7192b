/* Numbers are read exactly: fast where 64 bits suffice, otherwise by the C library. */
#include "core/text.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer numbers are refused: no writer of numbers needs so many digits. */
#define LONGEST_NUMBER 800
#define LONGEST_NAME 63

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number's digits as mantissa * 10^exponent. */
typedef struct decimal {
    uint64_t mantissa;
    int exponent;
    bool negative, exact; /* exact: no digit was dropped */
} decimal;

static const char *scan_digits(const char *at, const char *end, decimal *number, bool fraction)
{
    for (; at < end && is_digit(*at); at++) {
        if (number->mantissa < UINT64_MAX / 10 - 1) {
            number->mantissa = number->mantissa * 10 + (uint64_t)(*at - '0');
            number->exponent -= fraction;
        } else {
            number->exact = false;
        }
    }
    return at;
}

/* The exponent behind e or E; an e without digits is not part of the number. */
static const char *scan_exponent(const char *at, const char *end, decimal *number)
{
    const char *digits = at + 1;
    const bool negative = digits < end && *digits == '-';
    int value = 0;
    if (digits < end && (*digits == '-' || *digits == '+'))
        digits++;
    if (digits >= end || !is_digit(*digits))
        return at;
    for (; digits < end && is_digit(*digits); digits++)
        value = value < 100000 ? value * 10 + (*digits - '0') : value;
    number->exponent += negative ? -value : value;
    return digits;
}

static const char *scan_number(const char *text, const char *end, decimal *number)
{
    const char *at = text;
    *number = (decimal){.exact = true};
    if (at < end && (*at == '-' || *at == '+'))
        number->negative = *at++ == '-';
    const char *digits = at;
    at = scan_digits(at, end, number, false);
    int64_t count = at - digits;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = scan_digits(at, end, number, true);
        count += at - fraction;
    }
    if (count == 0)
        return NULL;
    return at < end && (*at == 'e' || *at == 'E') ? scan_exponent(at, end, number) : at;
}

__extension__ typedef unsigned __int128 wide;

/* The double nearest to number * 2^exponent, ties to even; `inexact` where the value is a little
 * above the number. No result is near the ends of double's range. */
static double round_wide(wide number, bool inexact, int exponent)
{
    const uint64_t high = (uint64_t)(number >> 64);
    const int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)number),
              cut = bits - 53;
    if (cut <= 0)
        return ldexp((double)(uint64_t)number, exponent);
    const wide half = (wide)1 << (cut - 1), rest = number & (2 * half - 1);
    uint64_t kept = (uint64_t)(number >> cut);
    if (rest > half || (rest == half && (inexact || (kept & 1))))
        kept++;
    return ldexp((double)kept, exponent + cut);
}

#define MOST_FIVES 27 /* the largest power of 5 in 64 bits */

/* mantissa * 10^exponent with one rounding, in integers: 10^e = 5^e 2^e, the product with 5^e fits
 * 128 bits, and the remainder of a division tells on which side of a half it lies. */
static double convert_wide(uint64_t mantissa, int exponent)
{
    uint64_t fives = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        fives *= 5;
    if (exponent >= 0)
        return round_wide((wide)mantissa * fives, false, exponent);
    const int shift = 63 + __builtin_clzll(mantissa);
    const wide above = (wide)mantissa << shift;
    return round_wide(above / fives, above % fives != 0, exponent - shift);
}

/* strtod on a copy whose point is the locale's. */
static bool convert_slowly(const char *text, const char *end, double *value)
{
    char copy[LONGEST_NUMBER + 16];
    const char *point = nl_langinfo(RADIXCHAR);
    const size_t point_length = strlen(point);
    size_t length = 0;
    if (end - text > LONGEST_NUMBER || point_length > 8)
        return false;
    for (; text < end; text++) {
        if (*text == '.') {
            memcpy(copy + length, point, point_length);
            length += point_length;
        } else {
            copy[length++] = *text;
        }
    }
    copy[length] = '\0';
    char *rest = NULL;
    *value = strtod(copy, &rest);
    return rest == copy + length && isfinite(*value);
}

const char *text_read_double(const char *text, const char *end, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal number;
    const char *stop = scan_number(text, end, &number);
    if (!stop)
        return NULL;
    /* Both the mantissa and the power of ten are exact in double, so one operation rounds once: the
     * nearest double. */
    if (number.exact && number.mantissa <= (UINT64_C(1) << 53) && number.exponent >= -22 &&
        number.exponent <= 22) {
        const double mantissa = (double)number.mantissa;
        const double size = number.exponent < 0 ? mantissa / powers[-number.exponent]
                                                : mantissa * powers[number.exponent];
        *value = number.negative ? -size : size;
        return stop;
    }
    if (number.exact && number.mantissa && number.exponent >= -MOST_FIVES &&
        number.exponent <= MOST_FIVES) {
        const double size = convert_wide(number.mantissa, number.exponent);
        *value = number.negative ? -size : size;
        return stop;
    }
    return convert_slowly(text, stop, value) ? stop : NULL;
}

bool text_to_double(const char *text, double *value)
{
    const char *end = text + strlen(text);
    return text_read_double(text, end, value) == end;
}

bool text_to_int64(const char *text, int64_t *value)
{
    const bool negative = *text == '-';
    int64_t number = 0;
    if (*text == '-' || *text == '+')
        text++;
    if (!is_digit(*text))
        return false;
    for (; is_digit(*text); text++) {
        const int digit = *text - '0';
        if (__builtin_mul_overflow(number, (int64_t)10, &number) ||
            __builtin_add_overflow(number, negative ? -digit : digit, &number))
            return false;
    }
    if (*text)
        return false;
    *value = number;
    return true;
}

/* printf's %g with the locale's point made a point. */
static int print_double(char buffer[32], double value, int digits)
{
    const char *point = nl_langinfo(RADIXCHAR);
    const size_t point_length = strlen(point);
    int length = snprintf(buffer, 32, "%.*g", digits, value);
    char *found = strcmp(point, ".") != 0 && point_length > 0 ? strstr(buffer, point) : NULL;
    if (found) {
        *found = '.';
        memmove(found + 1, found + point_length, strlen(found + point_length) + 1);
        length -= (int)point_length - 1;
    }
    return length;
}

int text_write_double(char buffer[32], double value, bool single)
{
    int length = 0;
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits += 1) {
        double again;
        length = print_double(buffer, value, digits);
        if (!text_read_double(buffer, buffer + length, &again))
            continue;
        if (single ? (float)again == (float)value : again == value)
            break;
    }
    return length;
}

bool text_append(char *buffer, size_t size, const char *format, ...)
{
    const size_t used = strlen(buffer);
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(buffer + used, size - used, format, arguments);
    va_end(arguments);
    return wanted >= 0 && (size_t)wanted < size - used;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours that turn one into the other; names longer
 * than LONGEST_NAME are nowhere near anything. */
static int edit_distance(const char *a, const char *b)
{
    int rows[3][LONGEST_NAME + 1];
    const int length_a = (int)strnlen(a, LONGEST_NAME + 1),
              length_b = (int)strnlen(b, LONGEST_NAME + 1);
    if (length_a > LONGEST_NAME || length_b > LONGEST_NAME)
        return LONGEST_NAME;
    for (int j = 0; j <= length_b; j++)
        rows[0][j] = j;
    for (int i = 1; i <= length_a; i++) {
        int *now = rows[i % 3];
        const int *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        const int here = tolower((unsigned char)a[i - 1]);
        now[0] = i;
        for (int j = 1; j <= length_b; j++) {
            const int there = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (here != there));
            if (i > 1 && j > 1 && here == tolower((unsigned char)b[j - 2]) &&
                there == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return rows[length_a % 3][length_b];
}

const char *text_nearest(const char *name, const char *const *candidates, int count)
{
    const char *nearest = NULL;
    int nearest_distance = LONGEST_NAME;
    for (int i = 0; i < count; i++) {
        const int distance = edit_distance(name, candidates[i]);
        if (distance < nearest_distance) {
            nearest = candidates[i];
            nearest_distance = distance;
        }
    }
    return nearest && (size_t)nearest_distance * 3 <= strlen(name) ? nearest : NULL;
}

bool text_in_list(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at && length; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return true;
    }
    return false;
}
