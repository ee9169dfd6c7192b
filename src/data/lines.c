/* The whole text is in memory; lines and words are pieces of it. */
#include "data/lines.h"

#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "data/stream.h"

orthant_status lines_open(orthant_context *ctx, const char *path, lines *text)
{
    stream in;
    *text = (lines){.ctx = ctx, .path = path};
    orthant_status status = stream_open(ctx, path, &in);
    if (status != ORTHANT_OK)
        return status;
    status = stream_read_text(&in, &text->text, &text->length);
    stream_close(&in);
    if (status != ORTHANT_OK)
        return status;
    status = lines_begin(text);
    if (status != ORTHANT_OK)
        lines_close(text);
    return status;
}

orthant_status lines_begin(lines *text)
{
    text->at = text->text;
    text->end = text->text + text->length;
    if (text->length >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0)
        text->at += 3;
    if (text->length >= 2 &&
        (memcmp(text->at, "\xff\xfe", 2) == 0 || memcmp(text->at, "\xfe\xff", 2) == 0))
        return fail(text->ctx, ORTHANT_ERROR_FORMAT, "%s: text in UTF-16, expected UTF-8",
                    text->path);
    return ORTHANT_OK;
}

void lines_close(lines *text)
{
    memory_free(text->ctx, text->text);
    *text = (lines){.ctx = text->ctx};
}

bool lines_next(lines *text, piece *line)
{
    if (text->at >= text->end)
        return false;
    const char *stop = memchr(text->at, '\n', (size_t)(text->end - text->at));
    *line = (piece){text->at, stop ? stop : text->end};
    text->at = stop ? stop + 1 : text->end;
    text->number++;
    if (line->end > line->begin && line->end[-1] == '\r')
        line->end--;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

piece piece_trim(piece field)
{
    while (field.begin < field.end && is_space(*field.begin))
        field.begin++;
    while (field.begin < field.end && is_space(field.end[-1]))
        field.end--;
    return field;
}

bool piece_word(piece *rest, piece *word)
{
    while (rest->begin < rest->end && is_space(*rest->begin))
        rest->begin++;
    word->begin = rest->begin;
    while (rest->begin < rest->end && !is_space(*rest->begin))
        rest->begin++;
    word->end = rest->begin;
    return word->end > word->begin;
}

bool piece_equals(piece field, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(field.end - field.begin) == length &&
           strncasecmp(field.begin, word, length) == 0;
}

shown piece_show(piece field)
{
    shown result = {""};
    size_t length = 0;
    for (const char *c = field.begin; c < field.end && length < 40; c++)
        result.text[length++] = *c >= ' ' && *c <= '~' ? *c : '?';
    if (field.end - field.begin > 40)
        memcpy(result.text + 37, "...", 3);
    return result;
}
