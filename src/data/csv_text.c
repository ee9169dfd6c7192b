/* Quoting, and a guard before texts that a spreadsheet would run as a formula. */
#include "data/csv_text.h"

#include <string.h>

#include "core/text.h"

/* Whether it begins, behind `*apostrophes` of them, as formulas do. */
static bool like_formula(piece text, int64_t *apostrophes)
{
    const char *at = text.begin;
    while (at < text.end && *at == '\'')
        at++;
    *apostrophes = at - text.begin;
    return at < text.end && memchr("=+-@\t\r", *at, 6);
}

static bool is_number(piece text)
{
    double value;
    return text_read_double(text.begin, text.end, &value) == text.end;
}

const char *csv_guard(piece text)
{
    int64_t apostrophes;
    return like_formula(text, &apostrophes) && (apostrophes || !is_number(text)) ? "'" : "";
}

void csv_write_text(FILE *file, piece text)
{
    bool quoted = text.begin == text.end;
    for (const char *c = text.begin; c < text.end; c++)
        quoted = quoted || memchr(",\"\n\r", *c, 4);
    /* Spaces at the ends, which readers leave out, and what would begin a comment. */
    if (!quoted)
        quoted = memchr(" \t#", *text.begin, 3) || memchr(" \t", text.end[-1], 2);
    fputs(quoted ? "\"" : "", file);
    fputs(csv_guard(text), file);
    for (const char *c = text.begin; c < text.end; c++) {
        if (*c == '"')
            fputc('"', file);
        fputc(*c, file);
    }
    fputs(quoted ? "\"" : "", file);
}

void csv_write_string(FILE *file, const char *text)
{
    csv_write_text(file, (piece){text, text + strlen(text)});
}

piece csv_unguarded(piece field)
{
    int64_t apostrophes;
    if (like_formula(field, &apostrophes) && apostrophes)
        field.begin++;
    return field;
}

void csv_copy_text(piece field, char *to, size_t size)
{
    const char *const end = to + size - 1;
    field = csv_unguarded(field);
    for (const char *c = field.begin; c < field.end && to < end; c++) {
        *to++ = *c;
        if (*c == '"' && c + 1 < field.end && c[1] == '"')
            c++;
    }
    *to = '\0';
}
