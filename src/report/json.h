/* JSON: a writer that streams, and a strict reader for what Orthant itself wrote. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdio.h>

#include "core/context.h"

#define JSON_DEPTH 32

/* Zero-initialise and set `file`, and `compact` for one line instead of an indented text. Failures
 * to write are the file's: ask ferror. In an object every value has a key, in an array it is NULL.
 */
typedef struct json_writer {
    FILE *file;
    bool compact;
    bool in_page; /* inside of a page's <script>: no '<' */
    int depth;
    char closing[JSON_DEPTH];
    bool filled[JSON_DEPTH];
} json_writer;

void json_open_object(json_writer *json, const char *key);
void json_open_array(json_writer *json, const char *key);
void json_close(json_writer *json); /* the innermost; the outermost ends with a newline */
void json_text(json_writer *json, const char *key, const char *text); /* NULL writes null */
/* The caller writes the value himself. */
void json_raw(json_writer *json, const char *key);
void json_number(json_writer *json, const char *key, double number); /* NaN and infinities: null */
void json_integer(json_writer *json, const char *key, int64_t number);
void json_truth(json_writer *json, const char *key, bool truth);
/* "a,b,c" as an array of texts; "" is an empty array. */
void json_list(json_writer *json, const char *key, const char *commas);
/* As a number where the whole text is one, else as a text. */
void json_number_or_text(json_writer *json, const char *key, const char *text);

/* The shortest text that reads back as the same number. */
void number_to_text(double number, char text[32]);

typedef enum json_kind {
    JSON_NULL,
    JSON_TRUTH,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_value {
    json_kind kind;
    char *key;  /* of a member of an object */
    char *text; /* JSON_TEXT */
    double number;
    bool truth;
    struct json_value *child, *next; /* first child; next in the same array or object */
} json_value;

/* `name` stands for the text in messages. */
orthant_status json_parse(orthant_context *ctx, const char *name, const char *text, size_t length,
                          json_value **value);
orthant_status json_read(orthant_context *ctx, const char *path, json_value **value);
void json_free(orthant_context *ctx, json_value *value);

/* All accept NULL, so that lookups can be chained. */
const json_value *json_member(const json_value *object, const char *key);
const char *json_member_text(const json_value *object, const char *key, const char *otherwise);
double json_member_number(const json_value *object, const char *key); /* NaN where there is none */
bool json_member_truth(const json_value *object, const char *key);

#endif
