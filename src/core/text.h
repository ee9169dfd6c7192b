/* Texts: numbers read strictly, and the nearest name for a mistyped one. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include "core/context.h"

/* The whole text must be a number; "nan", "inf" and overflow (1e400) give false. */
bool text_to_double(const char *text, double *value);
bool text_to_int64(const char *text, int64_t *value);

/* A number that starts at `text`, never read past `end`; returns where it ended, or NULL where
 * there is none or it overflows. The point is a point in every locale. */
const char *text_read_double(const char *text, const char *end, double *value);

/* The shortest of a few ways to write a number from which it is read again exactly, as a double or,
 * `single`, as a float; the point is a point in every locale. Returns its length. */
int text_write_double(char buffer[32], double value, bool single);

/* Joined into `buffer`, never past its end; returns false when it was cut. */
bool text_append(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether `name` is one of "a,b,c". */
bool text_in_list(const char *list, const char *name);

/* The candidate nearest to `name` by edit distance, or NULL when none is near (more than a third of
 * its letters differ). */
const char *text_nearest(const char *name, const char *const *candidates, int count);

#endif
