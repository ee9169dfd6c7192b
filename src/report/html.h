/* Pieces of an HTML page that stands alone: no network, readable on a phone and without a script,
 * light and dark. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdio.h>

#include "report/json.h"

void html_page_begin(FILE *page, const char *title);
void html_page_end(FILE *page);
/* Where links to the sections will stand: behind the summary. */
void html_contents(FILE *page);

/* Escaped for texts and for attributes in double quotes. */
void html_text(FILE *page, const char *text);
/* A file's name as a part of a link. */
void html_address(FILE *page, const char *name);
/* A figure for a table cell: 12.3, or a dash for NaN. */
void html_number(FILE *page, double number, int decimals);
/* "1.25 s", "under 0.01 s". */
void html_seconds(FILE *page, double seconds);
/* 1797 as 1,797. */
void html_count(FILE *page, double number);
/* A number that is not whole with six digits. */
void html_value(FILE *page, const json_value *value);

/* A row of a table of two columns: a name and a value. */
void html_row(FILE *page, const char *name, const json_value *value);

void html_base64(FILE *page, const unsigned char *bytes, size_t count);
/* A picture inside the page, `zoom` pixels wide for one of its own. */
void html_png(FILE *page, const unsigned char *png, size_t bytes, int width, int zoom,
              const char *description);
/* The drawing in a gnuplot SVG, in the colours of the page; `name` is unlike that of any other
 * drawing in it. Nothing where it is no such drawing. */
/* Whether html_svg can show it. */
bool html_is_svg(const char *svg);
void html_svg(FILE *page, const char *svg, const char *name, const char *description);

#endif
