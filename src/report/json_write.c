/* The writer: levels, commas and escapes; what is no UTF-8 is replaced. */
#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* Bytes of the UTF-8 character at `text`, or 0 where it is none. */
static int character_length(const unsigned char *text)
{
    const int length = text[0] < 0x80             ? 1
                       : (text[0] & 0xe0) == 0xc0 ? 2
                       : (text[0] & 0xf0) == 0xe0 ? 3
                       : (text[0] & 0xf8) == 0xf0 ? 4
                                                  : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (length == 2 && text[0] < 0xc2) ||
                          (length == 3 && text[0] == 0xe0 && text[1] < 0xa0) ||
                          (length == 4 && text[0] == 0xf0 && text[1] < 0x90);
    const bool surrogate = length == 3 && text[0] == 0xed && text[1] >= 0xa0;
    const bool beyond = length == 4 && (text[0] > 0xf4 || (text[0] == 0xf4 && text[1] >= 0x90));
    return overlong || surrogate || beyond ? 0 : length;
}

/* Paths are bytes and need not be UTF-8; what is not becomes the replacement character. */
static void write_text(const json_writer *json, const char *text)
{
    FILE *file = json->file;
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int length = character_length(at);
        if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at == '\n')
            fputs("\\n", file);
        else if (*at < 0x20 || *at == 0x7f || (*at == '<' && json->in_page))
            fprintf(file, "\\u%04x", *at);
        else if (!length)
            fputs("\\ufffd", file);
        else
            fwrite(at, 1, (size_t)length, file);
        at += length ? length : 1;
    }
    fputc('"', file);
}

static void indent(json_writer *json)
{
    if (json->compact)
        return;
    fputc('\n', json->file);
    for (int i = 0; i < json->depth; i++)
        fputs("  ", json->file);
}

/* What stands before a value: the comma, the new line, the key. */
static void begin_value(json_writer *json, const char *key)
{
    if (json->depth) {
        if (json->filled[json->depth - 1])
            fputs(json->compact ? ", " : ",", json->file);
        json->filled[json->depth - 1] = true;
        indent(json);
    }
    if (key) {
        write_text(json, key);
        fputs(": ", json->file);
    }
}

static void open_level(json_writer *json, const char *key, char opening, char closing)
{
    begin_value(json, key);
    fputc(opening, json->file);
    json->closing[json->depth] = closing;
    json->filled[json->depth] = false;
    json->depth++;
}

void json_open_object(json_writer *json, const char *key)
{
    open_level(json, key, '{', '}');
}

void json_open_array(json_writer *json, const char *key)
{
    open_level(json, key, '[', ']');
}

void json_close(json_writer *json)
{
    json->depth--;
    if (json->filled[json->depth])
        indent(json);
    fputc(json->closing[json->depth], json->file);
    if (!json->depth)
        fputc('\n', json->file);
}

void json_raw(json_writer *json, const char *key)
{
    begin_value(json, key);
}

void json_text(json_writer *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        write_text(json, text);
    else
        fputs("null", json->file);
}

void number_to_text(double number, char text[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    /* A program around the library may have set a locale with a decimal comma. */
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
}

void json_number(json_writer *json, const char *key, double number)
{
    char text[32] = "null";
    if (isfinite(number))
        number_to_text(number, text);
    begin_value(json, key);
    fputs(text, json->file);
}

void json_integer(json_writer *json, const char *key, int64_t number)
{
    begin_value(json, key);
    fprintf(json->file, "%" PRId64, number);
}

void json_truth(json_writer *json, const char *key, bool truth)
{
    begin_value(json, key);
    fputs(truth ? "true" : "false", json->file);
}

void json_list(json_writer *json, const char *key, const char *commas)
{
    json_open_array(json, key);
    while (*commas) {
        char word[128];
        const size_t length = strcspn(commas, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, commas);
        json_text(json, NULL, word);
        commas += length + (commas[length] == ',');
    }
    json_close(json);
}

void json_number_or_text(json_writer *json, const char *key, const char *text)
{
    int64_t whole;
    double number;
    if (text_to_int64(text, &whole))
        json_integer(json, key, whole);
    else if (text_to_double(text, &number))
        json_number(json, key, number);
    else
        json_text(json, key, text);
}
