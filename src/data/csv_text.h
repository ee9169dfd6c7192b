/* Texts as fields of a CSV file. */
#ifndef DATA_CSV_TEXT_H
#define DATA_CSV_TEXT_H

#include <stdio.h>

#include "data/lines.h"

/* In quotes where it has to be. A text that a spreadsheet would run as a formula (it begins with =,
 * +, -, @, a tab or a carriage return, and is no number) gets an apostrophe in front, and so does
 * one that has such apostrophes already: csv_unguarded takes off just one. */
void csv_write_text(FILE *file, piece text);
void csv_write_string(FILE *file, const char *text);

/* The apostrophe, or "", for writers with quotes of their own. */
const char *csv_guard(piece text);

/* A field that was read, without the apostrophe that csv_write_text put in front of it. */
piece csv_unguarded(piece field);
/* The same with doubled quotes as one, ended by 0; `to` takes size > 0 characters, and what
 * does not fit is cut. */
void csv_copy_text(piece field, char *to, size_t size);

#endif
