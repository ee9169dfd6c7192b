/* JSON on standard output, as it comes. */
#ifndef APP_JSON_H
#define APP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 8

/* Zero-initialise and set `file`, and `compact` for one line instead of an indented text. Failures
 * to write are the file's: ask ferror. In an object every value has a key, in an array it is NULL.
 */
typedef struct json_printer {
    FILE *file;
    bool compact;
    int depth;
    char closing[JSON_DEPTH];
    bool filled[JSON_DEPTH];
} json_printer;

void json_begin_object(json_printer *json, const char *key);
void json_begin_array(json_printer *json, const char *key);
void json_end(json_printer *json); /* the innermost; the outermost ends with a newline */
void json_put_text(json_printer *json, const char *key, const char *text); /* NULL writes null */
void json_put_number(json_printer *json, const char *key,
                     double number); /* NaN and infinities: null */
void json_put_integer(json_printer *json, const char *key, int64_t number);
void json_put_truth(json_printer *json, const char *key, bool truth);
/* "a,b,c" as an array of texts, with the separator ','; "" is an empty array. */
void json_put_list(json_printer *json, const char *key, const char *words, char separator);
/* A value that is JSON already, without the newline at its end. */
void json_put_json(json_printer *json, const char *key, const char *value);
/* As a number where the whole text is one, else as a text. */
void json_put_number_or_text(json_printer *json, const char *key, const char *text);

#endif
