/* The command never sets a locale: the point is a point. */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LONGEST_NAME 63

bool parse_double(const char *text, double *value)
{
    char *end = NULL;
    if (!*text || text[strspn(text, "0123456789+-.eE")])
        return false;
    const double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool parse_int64(const char *text, int64_t *value)
{
    char *end = NULL;
    if (!*text || text[strspn(text, "0123456789+-")])
        return false;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return false;
    *value = number;
    return true;
}

void format_double(double number, char text[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
}

void append_text(char *buffer, size_t size, const char *format, ...)
{
    const size_t used = strlen(buffer);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer + used, size - used, format, arguments);
    va_end(arguments);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours that turn one into the other. */
static int edit_distance(const char *a, const char *b)
{
    int rows[LONGEST_NAME + 1][LONGEST_NAME + 1];
    const int length_a = (int)strnlen(a, LONGEST_NAME + 1),
              length_b = (int)strnlen(b, LONGEST_NAME + 1);
    if (length_a > LONGEST_NAME || length_b > LONGEST_NAME)
        return LONGEST_NAME;
    for (int i = 0; i <= length_a; i++)
        for (int j = 0; j <= length_b; j++) {
            const int x = i ? tolower((unsigned char)a[i - 1]) : 0;
            const int y = j ? tolower((unsigned char)b[j - 1]) : 0;
            rows[i][j] = i && j ? least(least(rows[i - 1][j], rows[i][j - 1]) + 1,
                                        rows[i - 1][j - 1] + (x != y))
                                : i + j;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                rows[i][j] = least(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    return rows[length_a][length_b];
}

const char *nearest_name(const char *name, const char *const *candidates, int count)
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

bool path_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

bool path_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int64_t path_bytes(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (int64_t)about.st_size : -1;
}

bool path_same(const char *path, const char *other)
{
    struct stat one, two;
    return !stat(path, &one) && !stat(other, &two) && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}
