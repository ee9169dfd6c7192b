#include "report/html.h"

#include <math.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light "
    "dark;--ink:#1c2024;--soft:#5f6872;--line:#d9dee3;--page:#fff;--card:#f5f7f9;"
    "--mark:#0072b2}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#a0a9b2;--line:#3a4148;--page:#"
    "15181b;"
    "--card:#1e2327;--mark:#6cb6e8}.chart svg{filter:invert(1) hue-rotate(180deg)}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:62rem;padding:1.2rem;font:16px/1.5 "
    "system-ui,sans-serif;color:var(--ink);"
    "background:var(--page)}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.4rem 0 .6rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.15rem;margin:2rem 0 .6rem;border-bottom:1px solid "
    "var(--line);padding-bottom:.25rem}\n"
    ".lead{font-size:1.05rem;max-width:46rem}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.35rem .8rem .35rem 0;text-align:left;vertical-align:top;border-bottom:1px "
    "solid var(--line)}\n"
    "th{font-weight:600;white-space:nowrap}thead th{color:var(--soft);font-size:.9rem}\n"
    "td.n,th.n{text-align:right;padding-left:.8rem;padding-right:0;white-space:nowrap}\n"
    "td.why,th.why{padding-left:1.2rem}\n"
    ".best{font-weight:700;color:var(--mark)}\n"
    ".settings{width:100%}.settings th{width:11rem;color:var(--soft);font-weight:400}"
    ".settings td{overflow-wrap:anywhere}\n"
    "figure{margin:0}figcaption,.soft{color:var(--soft);font-size:.9rem}\n"
    ".chart svg{display:block;width:100%;max-width:48rem;height:auto}\n"
    ".parts{display:grid;gap:1.2rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),"
    "1fr))}\n"
    "img{display:block;max-width:100%;height:auto;image-rendering:pixelated;border-radius:3px}\n"
    "pre{background:var(--card);padding:.7rem .9rem;border-radius:6px;white-space:pre-wrap;"
    "overflow-wrap:anywhere;font-size:.9rem}\n"
    "details{margin:.5rem 0;border:1px solid var(--line);border-radius:6px;padding:.5rem .9rem}"
    "summary{cursor:pointer;font-weight:600}\n"
    "@media(max-width:34rem){table{font-size:.85rem}thead "
    "th{font-size:.75rem}td.n,th.n{padding-left:.4rem}"
    ".settings th{width:8rem}}\n"
    ".note{border-left:3px solid var(--mark);padding-left:.8rem}\n";

void html_page_begin(FILE *page, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          page);
    html_text(page, title);
    fputs("</title>\n<style>\n", page);
    fputs(style, page);
    fputs("</style>\n</head>\n<body>\n<h1>", page);
    html_text(page, title);
    fputs("</h1>\n", page);
}

void html_page_end(FILE *page)
{
    fputs("</body>\n</html>\n", page);
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

void html_number(FILE *page, double number, int decimals)
{
    if (isnan(number))
        fputs("&ndash;", page);
    else
        fprintf(page, "%.*f", decimals, number);
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
        number_to_text(value->number, number);
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

static void write_base64(FILE *page, const unsigned char *bytes, size_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const unsigned a = bytes[i];
        const unsigned b = i + 1 < count ? bytes[i + 1] : 0;
        const unsigned c = i + 2 < count ? bytes[i + 2] : 0;
        fputc(digit[a >> 2], page);
        fputc(digit[(a & 3) << 4 | b >> 4], page);
        fputc(i + 1 < count ? digit[(b & 15) << 2 | c >> 6] : '=', page);
        fputc(i + 2 < count ? digit[c & 63] : '=', page);
    }
}

void html_png(FILE *page, const unsigned char *png, size_t bytes, int width, int zoom,
              const char *description)
{
    fprintf(page, "<img width=\"%d\" alt=\"", width * zoom);
    html_text(page, description);
    fputs("\" src=\"data:image/png;base64,", page);
    write_base64(page, png, bytes);
    fputs("\">\n", page);
}

void html_svg(FILE *page, const char *svg, const char *description)
{
    const char *drawing = strstr(svg, "<svg");
    fputs("<div class=\"chart\" role=\"img\" aria-label=\"", page);
    html_text(page, description);
    fputs("\">\n", page);
    fputs(drawing ? drawing : "", page);
    fputs("</div>\n", page);
}
