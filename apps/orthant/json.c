/* Levels, commas and escapes; what is no UTF-8 is replaced. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "text.h"

/* Bytes of the UTF-8 character at `text`, or 0 where it is none. */
static int character_length(const unsigned char *text)
{
    const int length = text[0] < 0x80             ? 1
                       : (text[0] & 0xe0) == 0xc0 ? 2
                       : (text[0] & 0xf0) == 0xe0 ? 3
                       : (text[0] & 0xf8) == 0xf0 ? 4
                                                  : 0;
    uint32_t code = length > 1 ? text[0] & (0x7fu >> length) : text[0];
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    /* Longer than it need be, half of a pair of UTF-16, or beyond the last character. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0
                                                                                        : length;
}

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int length = character_length(at);
        if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at == '\n')
            fputs("\\n", file);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(file, "\\u%04x", *at);
        else if (!length)
            fputs("\\ufffd", file);
        else
            fwrite(at, 1, (size_t)length, file);
        at += length ? length : 1;
    }
    fputc('"', file);
}

static void indent(json_printer *json)
{
    if (!json->compact)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
}

/* What stands before a value: the comma, the new line, the key. */
static void begin_value(json_printer *json, const char *key)
{
    if (json->depth) {
        if (json->filled[json->depth - 1])
            fputs(json->compact ? ", " : ",", json->file);
        json->filled[json->depth - 1] = true;
        indent(json);
    }
    if (key) {
        write_text(json->file, key);
        fputs(": ", json->file);
    }
}

static void open_level(json_printer *json, const char *key, char opening, char closing)
{
    begin_value(json, key);
    fputc(opening, json->file);
    json->closing[json->depth] = closing;
    json->filled[json->depth++] = false;
}

void json_begin_object(json_printer *json, const char *key)
{
    open_level(json, key, '{', '}');
}

void json_begin_array(json_printer *json, const char *key)
{
    open_level(json, key, '[', ']');
}

void json_end(json_printer *json)
{
    json->depth--;
    if (json->filled[json->depth])
        indent(json);
    fputc(json->closing[json->depth], json->file);
    if (!json->depth)
        fputc('\n', json->file);
}

void json_put_text(json_printer *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        write_text(json->file, text);
    else
        fputs("null", json->file);
}

void json_put_number(json_printer *json, const char *key, double number)
{
    char text[32] = "null";
    if (isfinite(number))
        format_double(number, text);
    begin_value(json, key);
    fputs(text, json->file);
}

void json_put_integer(json_printer *json, const char *key, int64_t number)
{
    begin_value(json, key);
    fprintf(json->file, "%" PRId64, number);
}

void json_put_truth(json_printer *json, const char *key, bool truth)
{
    begin_value(json, key);
    fputs(truth ? "true" : "false", json->file);
}

void json_put_list(json_printer *json, const char *key, const char *words, char separator)
{
    const char separators[] = {separator, '\0'};
    json_begin_array(json, key);
    while (*words) {
        char word[128];
        const size_t length = strcspn(words, separators);
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        json_put_text(json, NULL, word);
        words += length + (words[length] == separator);
    }
    json_end(json);
}

void json_put_json(json_printer *json, const char *key, const char *value)
{
    begin_value(json, key);
    fwrite(value, 1, strcspn(value, "\n"), json->file);
}

void json_put_number_or_text(json_printer *json, const char *key, const char *text)
{
    int64_t whole;
    double number;
    if (parse_int64(text, &whole))
        json_put_integer(json, key, whole);
    else if (parse_double(text, &number))
        json_put_number(json, key, number);
    else
        json_put_text(json, key, text);
}
