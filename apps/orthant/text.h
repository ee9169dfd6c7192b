/* Texts: numbers read strictly, texts that grow, and the nearest name for a mistyped one. */
#ifndef APP_TEXT_H
#define APP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text must be a number; "nan", "inf", hexadecimal and overflow (1e400) give false. */
bool parse_double(const char *text, double *value);
bool parse_int64(const char *text, int64_t *value);
/* The shortest text that reads back as the same number. */
void format_double(double number, char text[32]);

/* Joined into `buffer`, never past its end. */
void append_text(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The candidate nearest to `name` by edit distance, or NULL when none is near (more than a third of
 * its letters differ). */
const char *nearest_name(const char *name, const char *const *candidates, int count);

/* What stands at a path. */
bool path_exists(const char *path);
bool path_is_folder(const char *path);
/* Its size; -1 where it is no plain file. */
int64_t path_bytes(const char *path);
/* Whether both names lead to one file. */
bool path_same(const char *path, const char *other);

#endif
