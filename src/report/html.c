/* Head and foot of a page, escaped texts, numbers, PNG and SVG inside of the page. */
#include "report/html.h"

#include <math.h>
#include <string.h>

#include "orthant/context.h"
#include "report/style.h"

static void write_lines(FILE *page, const char *const *lines)
{
    for (; *lines; lines++)
        fputs(*lines, page);
}

void html_page_begin(FILE *page, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          page);
    html_text(page, title);
    /* An empty picture: a browser asks a server for one that is not named. */
    fputs("</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n", page);
    write_lines(page, page_style);
    fputs("</style>\n</head>\n<body>\n<h1>", page);
    html_text(page, title);
    fputs("</h1>\n", page);
}

void html_contents(FILE *page)
{
    fputs("<nav aria-label=\"Contents\" hidden></nav>\n", page);
}

void html_page_end(FILE *page)
{
    fprintf(page, "<footer>Made by Orthant %s.</footer>\n<script>\n", orthant_version());
    write_lines(page, page_script);
    fputs("</script>\n</body>\n</html>\n", page);
}

void html_text(FILE *page, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", page); break;
        case '<': fputs("&lt;", page); break;
        case '>': fputs("&gt;", page); break;
        case '"': fputs("&quot;", page); break;
        case '\'': fputs("&#39;", page); break;
        default: fputc(*text, page);
        }
    }
}

void html_address(FILE *page, const char *name)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (; *name; name++)
        if (strchr(plain, *name))
            fputc(*name, page);
        else
            fprintf(page, "%%%02X", (unsigned char)*name);
}

void html_number(FILE *page, double number, int decimals)
{
    if (isnan(number))
        fputs("&ndash;", page);
    else
        fprintf(page, "%.*f", decimals, number);
}

void html_seconds(FILE *page, double seconds)
{
    if (seconds < 0.005)
        fputs("under 0.01", page);
    else
        html_number(page, seconds, 2);
    fputs("&nbsp;s", page);
}

void html_count(FILE *page, double number)
{
    char digits[32];
    if (!(fabs(number) < 1e15)) {
        fputs("&ndash;", page);
        return;
    }
    const int length = snprintf(digits, sizeof digits, "%.0f", number);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            fputc(',', page);
        fputc(digits[i], page);
    }
}

void html_value(FILE *page, const json_value *value)
{
    char number[32];
    if (!value || value->kind == JSON_NULL) {
        fputs("&ndash;", page);
    } else if (value->kind == JSON_TEXT) {
        html_text(page, value->text);
    } else if (value->kind == JSON_NUMBER) {
        if (value->number == floor(value->number))
            number_to_text(value->number, number);
        else
            snprintf(number, sizeof number, "%.6g", value->number);
        fputs(number, page);
    } else if (value->kind == JSON_TRUTH) {
        fputs(value->truth ? "yes" : "no", page);
    } else {
        for (const json_value *child = value->child; child; child = child->next) {
            html_value(page, child);
            fputs(child->next ? ", " : "", page);
        }
    }
}

static void row_begin(FILE *page, const char *name)
{
    fputs("<tr><th>", page);
    html_text(page, name);
    fputs("</th><td>", page);
}

void html_row(FILE *page, const char *name, const json_value *value)
{
    row_begin(page, name);
    html_value(page, value);
    fputs("</td></tr>\n", page);
}

void html_base64(FILE *page, const unsigned char *bytes, size_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[1024];
    size_t length = 0;
    for (size_t i = 0; i < count; i += 3) {
        const unsigned a = bytes[i];
        const unsigned b = i + 1 < count ? bytes[i + 1] : 0;
        const unsigned c = i + 2 < count ? bytes[i + 2] : 0;
        text[length++] = digit[a >> 2];
        text[length++] = digit[(a & 3) << 4 | b >> 4];
        text[length++] = i + 1 < count ? digit[(b & 15) << 2 | c >> 6] : '=';
        text[length++] = i + 2 < count ? digit[c & 63] : '=';
        if (length == sizeof text || i + 3 >= count) {
            fwrite(text, 1, length, page);
            length = 0;
        }
    }
}

void html_png(FILE *page, const unsigned char *png, size_t bytes, int width, int zoom,
              const char *description)
{
    fprintf(page, "<img width=\"%d\" alt=\"", width * zoom);
    html_text(page, description);
    fputs("\" src=\"data:image/png;base64,", page);
    html_base64(page, png, bytes);
    fputs("\">\n", page);
}

/* ---- gnuplot's SVG ---------------------------------------------------------------------------
 */

/* The colours that charts are drawn with, and what stands for each in a page. */
static const char *page_colour(int red, int green, int blue)
{
    static const struct {
        int colour;
        const char *variable;
    } colours[] = {{0x0072b2, "var(--c1)"},   {0xd55e00, "var(--c2)"},   {0x009e73, "var(--c3)"},
                   {0xcc79a7, "var(--c4)"},   {0xe69f00, "var(--c5)"},   {0x56b4e9, "var(--c6)"},
                   {0x7f7f7f, "var(--c7)"},   {0x332288, "var(--c8)"},   {0x882255, "var(--c9)"},
                   {0x999933, "var(--c10)"},  {0xc8c8c8, "var(--grid)"}, {0x808080, "var(--soft)"},
                   {0x000000, "currentColor"}};
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (colours[i].colour == (red << 16 | green << 8 | blue))
            return colours[i].variable;
    return NULL;
}

/* What a piece of gnuplot's text becomes; returns its length, or 0 where it stays. */
static size_t replace_piece(FILE *page, const char *svg, const char *name)
{
    int red, green, blue, length = 0;
    char colour[24];
    /* sscanf goes to the end of its text, which is far. */
    snprintf(colour, sizeof colour, "%.*s", strncmp(svg, "rgb(", 4) ? 0 : 23, svg);
    if (sscanf(colour, "rgb(%d,%d,%d)%n", &red, &green, &blue, &length) == 3 && length) {
        const char *variable = page_colour(red, green, blue);
        if (variable)
            fputs(variable, page);
        return variable ? (size_t)length : 0;
    }
    if (!strncmp(svg, "\"black\"", 7) || !strncmp(svg, "'black'", 7)) {
        fputs("\"currentColor\"", page);
        return 7;
    }
    /* What lies behind a point hides the line there. */
    if (!strncmp(svg, "\"white\"", 7) || !strncmp(svg, "'white'", 7)) {
        fputs("\"var(--page)\"", page);
        return 7;
    }
    /* Several drawings share a page: their names must differ. */
    static const char *const names[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(svg, names[i], strlen(names[i]))) {
            fprintf(page, "%s%s-", names[i], name);
            return strlen(names[i]);
        }
    return 0;
}

/* gnuplot leaves many groups empty. */
static size_t empty_group(const char *svg)
{
    const char *end = !strncmp(svg, "<g ", 3) ? strchr(svg, '>') : NULL;
    return end && !strncmp(end, ">\n</g>\n", 7) ? (size_t)(end + 7 - svg) : 0;
}

/* The text of the viewBox and the width in it; where the drawing begins, or NULL. */
static const char *open_svg(const char *svg, char size[64], double *width)
{
    const char *head = strstr(svg, "<svg"), *box = head ? strstr(head, "viewBox=\"") : NULL;
    const char *drawing = head ? strstr(head, "</desc>") : NULL;
    if (!box || !drawing || drawing < box || !strstr(drawing, "</svg>"))
        return NULL;
    const size_t length = strcspn(box + 9, "\"");
    if (length >= 64 || strspn(box + 9, "0123456789.+- ") != length)
        return NULL;
    snprintf(size, 64, "%.*s", (int)length, box + 9);
    return sscanf(size, "%*f %*f %lf", width) == 1 ? drawing + strlen("</desc>") : NULL;
}

bool html_is_svg(const char *svg)
{
    char size[64];
    double width;
    return open_svg(svg, size, &width) != NULL;
}

void html_svg(FILE *page, const char *svg, const char *name, const char *description)
{
    double width = 0;
    char size[64];
    const char *drawing = open_svg(svg, size, &width);
    if (!drawing)
        return;
    /* Letters that are a little larger than the page's at most, and that can still be read. */
    fprintf(page,
            "<div class=\"chart\"><svg viewBox=\"%s\" style=\"max-width:%.0fpx;min-width:%.0fpx\" "
            "role=\"img\" aria-label=\"",
            size, 1.15 * width, 0.6 * width);
    html_text(page, description);
    fputs("\">", page);
    for (const char *c = drawing; *c;) {
        size_t taken = *c == '<' ? empty_group(c) : 0;
        if (!taken && strchr("r\"' hu", *c))
            taken = replace_piece(page, c, name);
        /* Pictures in it are long, and nothing of them is replaced. */
        const size_t plain = !taken && !strncmp(c, "base64,", 7) ? strcspn(c, "'\"") : 1;
        if (!taken)
            fwrite(c, 1, plain, page);
        c += taken ? taken : plain;
    }
    fputs("</div>\n", page);
}
