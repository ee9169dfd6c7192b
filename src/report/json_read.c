/* A strict recursive reader (RFC 8259). Nesting is limited, every byte is looked at once, and what
 * is allocated is in proportion to the text. */
#include "report/json.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "report/text_file.h"

/* A run.json has a few kilobytes. */
#define JSON_LARGEST_FILE (1 << 20)

typedef struct reader {
    orthant_context *ctx;
    const char *name;
    const char *start, *at, *end;
    int depth;
} reader;

static orthant_status refuse(reader *in, const char *expected)
{
    int line = 1;
    for (const char *c = in->start; c < in->at; c++)
        line += *c == '\n';
    if (in->at >= in->end)
        return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s:%d: the text ends, expected %s", in->name,
                    line, expected);
    return fail(in->ctx, ORTHANT_ERROR_FORMAT, "%s:%d: found byte 0x%02x, expected %s", in->name,
                line, (unsigned)(unsigned char)*in->at, expected);
}

static void skip_space(reader *in)
{
    while (in->at < in->end && *in->at && strchr(" \t\r\n", *in->at))
        in->at++;
}

static bool take(reader *in, char wanted)
{
    if (in->at >= in->end || *in->at != wanted)
        return false;
    in->at++;
    return true;
}

static bool take_word(reader *in, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length))
        return false;
    in->at += length;
    return true;
}

static orthant_status read_hex(reader *in, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = in->at < in->end ? *in->at : '\0';
        if (c >= '0' && c <= '9')
            *code = *code * 16 + (unsigned)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            *code = *code * 16 + (unsigned)((c | 32) - 'a') + 10;
        else
            return refuse(in, "four hexadecimal digits");
        in->at++;
    }
    return ORTHANT_OK;
}

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* \uXXXX, and the second half of a surrogate pair where the first needs one. */
static orthant_status read_code(reader *in, char **out)
{
    unsigned code, low;
    orthant_status status = read_hex(in, &code);
    if (status)
        return status;
    if (code >= 0xd800 && code < 0xdc00) {
        if (!take_word(in, "\\u"))
            return refuse(in, "the second half of a surrogate pair");
        status = read_hex(in, &low);
        if (status)
            return status;
        if (low < 0xdc00 || low > 0xdfff)
            return refuse(in, "the second half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (!code || (code >= 0xdc00 && code < 0xe000)) {
        return refuse(in, "a character");
    }
    *out = put_utf8(*out, code);
    return ORTHANT_OK;
}

static orthant_status read_escape(reader *in, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (take(in, 'u'))
        return read_code(in, out);
    const char *found = in->at < in->end && *in->at ? strchr(from, *in->at) : NULL;
    if (!found)
        return refuse(in, "an escape");
    *(*out)++ = to[found - from];
    in->at++;
    return ORTHANT_OK;
}

static orthant_status read_text(reader *in, char **text)
{
    orthant_status status = ORTHANT_OK;
    if (!take(in, '"'))
        return refuse(in, "a text in quotes");
    const char *close = in->at;
    while (close < in->end && *close != '"')
        close += *close == '\\' && close + 1 < in->end ? 2 : 1;
    /* Escapes only get shorter. */
    char *out = *text = memory_new(in->ctx, close - in->at + 1, 1, "a JSON text");
    if (!out)
        return ORTHANT_ERROR_MEMORY;
    while (!status && !take(in, '"')) {
        if (in->at >= in->end || (unsigned char)*in->at < 0x20)
            status = refuse(in, "a text without control characters and a closing quote");
        else if (take(in, '\\'))
            status = read_escape(in, &out);
        else
            *out++ = *in->at++;
    }
    return status;
}

static void skip_digits(reader *in)
{
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9')
        in->at++;
}

static orthant_status read_number(reader *in, double *number)
{
    const char *start = in->at;
    char text[64];
    take(in, '-');
    const char *digits = in->at;
    skip_digits(in);
    if (in->at == digits || (*digits == '0' && in->at - digits > 1))
        return refuse(in, "a value");
    if (take(in, '.')) {
        digits = in->at;
        skip_digits(in);
        if (in->at == digits)
            return refuse(in, "a digit");
    }
    if (take(in, 'e') || take(in, 'E')) {
        if (!take(in, '-'))
            take(in, '+');
        digits = in->at;
        skip_digits(in);
        if (in->at == digits)
            return refuse(in, "a digit");
    }
    const size_t length = (size_t)(in->at - start);
    if (length >= sizeof text)
        return refuse(in, "a number of fewer digits");
    memcpy(text, start, length);
    text[length] = '\0';
    return text_to_double(text, number) ? ORTHANT_OK : refuse(in, "a number that fits");
}

static orthant_status read_value(reader *in, json_value **value);

static orthant_status read_children(reader *in, json_value *parent, char closing)
{
    json_value **last = &parent->child;
    if (++in->depth > JSON_DEPTH)
        return refuse(in, "less nesting");
    skip_space(in);
    bool more = !take(in, closing);
    while (more) {
        char *key = NULL;
        skip_space(in);
        if (parent->kind == JSON_OBJECT) {
            orthant_status status = read_text(in, &key);
            skip_space(in);
            if (!status && !take(in, ':'))
                status = refuse(in, "a colon");
            if (status) {
                memory_free(in->ctx, key);
                return status;
            }
        }
        const orthant_status status = read_value(in, last);
        if (*last)
            (*last)->key = key;
        else
            memory_free(in->ctx, key);
        if (status)
            return status;
        last = &(*last)->next;
        skip_space(in);
        more = take(in, ',');
        if (!more && !take(in, closing))
            return refuse(in, "a comma or the end of the list");
    }
    in->depth--;
    return ORTHANT_OK;
}

/* On failure *value may hold a part; the caller frees the whole tree. */
static orthant_status read_value(reader *in, json_value **value)
{
    json_value *v = *value = memory_new(in->ctx, 1, sizeof *v, "a JSON value");
    if (!v)
        return ORTHANT_ERROR_MEMORY;
    skip_space(in);
    if (take(in, '{')) {
        v->kind = JSON_OBJECT;
        return read_children(in, v, '}');
    }
    if (take(in, '[')) {
        v->kind = JSON_ARRAY;
        return read_children(in, v, ']');
    }
    if (in->at < in->end && *in->at == '"') {
        v->kind = JSON_TEXT;
        return read_text(in, &v->text);
    }
    if (take_word(in, "null"))
        return ORTHANT_OK;
    v->kind = JSON_TRUTH;
    if (take_word(in, "true")) {
        v->truth = true;
        return ORTHANT_OK;
    }
    if (take_word(in, "false"))
        return ORTHANT_OK;
    v->kind = JSON_NUMBER;
    return read_number(in, &v->number);
}

orthant_status json_parse(orthant_context *ctx, const char *name, const char *text, size_t length,
                          json_value **value)
{
    reader in = {.ctx = ctx, .name = name, .start = text, .at = text, .end = text + length};
    *value = NULL;
    orthant_status status = read_value(&in, value);
    skip_space(&in);
    if (!status && in.at < in.end)
        status = refuse(&in, "nothing more");
    if (status) {
        json_free(ctx, *value);
        *value = NULL;
    }
    return status;
}

orthant_status json_read(orthant_context *ctx, const char *path, json_value **value)
{
    char *text = NULL;
    size_t length = 0;
    *value = NULL;
    orthant_status status = text_file_read(ctx, path, JSON_LARGEST_FILE, &text, &length);
    if (!status)
        status = json_parse(ctx, path, text, length, value);
    memory_free(ctx, text);
    return status;
}

void json_free(orthant_context *ctx, json_value *value)
{
    while (value) {
        json_value *next = value->next;
        json_free(ctx, value->child);
        memory_free(ctx, value->key);
        memory_free(ctx, value->text);
        memory_free(ctx, value);
        value = next;
    }
}

const json_value *json_member(const json_value *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const json_value *member = object->child; member; member = member->next)
        if (!strcmp(member->key, key))
            return member;
    return NULL;
}

const char *json_member_text(const json_value *object, const char *key, const char *otherwise)
{
    const json_value *member = json_member(object, key);
    return member && member->kind == JSON_TEXT ? member->text : otherwise;
}

double json_member_number(const json_value *object, const char *key)
{
    const json_value *member = json_member(object, key);
    return member && member->kind == JSON_NUMBER ? member->number : (double)NAN;
}

bool json_member_truth(const json_value *object, const char *key)
{
    const json_value *member = json_member(object, key);
    return member && member->kind == JSON_TRUTH && member->truth;
}
