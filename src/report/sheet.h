/* A table that is filled once and shown as HTML, Markdown, LaTeX (booktabs), CSV or JSON. Cells
 * hold a text, a number, a mean with its spread, or a figure of ours beside a paper's.
 *
 *     sheet *table = sheet_new(ctx, "accuracy", "Accuracy on ORL (%).");
 *     sheet_add_column(table, "N", 0);
 *     sheet_add_column(table, "nmf", 1);
 *     sheet_add_row(table, false);
 *     sheet_add_number(table, 5);
 *     sheet_add_mean(table, 81.2, 3.4);
 *     ...
 *     status = sheet_status(table);
 *     if (!status)
 *         sheet_write(table, SHEET_LATEX, stdout);
 *     sheet_free(table);
 *
 * What fails while it is filled is kept and told by sheet_status. */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include <stdio.h>

#include "core/context.h"

typedef enum sheet_format {
    SHEET_HTML,
    SHEET_MARKDOWN,
    SHEET_LATEX,
    SHEET_CSV,
    SHEET_JSON
} sheet_format;

typedef struct sheet_column {
    char *title;
    int decimals; /* below 0: a column of texts */
    bool compact; /* numbers as 1,797 */
} sheet_column;

typedef struct sheet_cell {
    char *text;    /* NULL: a number */
    double value;  /* NaN: there is none */
    double spread; /* behind a plus-minus; NaN: none */
    double paper;  /* the figure that a paper prints; NaN: none */
    bool best;     /* bold */
    int mark;      /* of a note, from 1, at the paper's figure where there is one; 0: none */
} sheet_cell;

typedef struct sheet {
    orthant_context *ctx;
    orthant_status status;
    char *name;    /* "accuracy": for labels and file names */
    char *caption; /* a sentence */
    int columns, rows;
    int head_columns; /* that name the row, 1 unless changed: row headers in HTML */
    sheet_column *column;
    bool *summary;    /* rows: an average or the like: below a rule, not sorted */
    sheet_cell *cell; /* rows x columns */
    int filled;       /* cells of the last row */
    int notes;
    char **note;
    /* Where ours stand beside a paper's: how much is full colour (10 unless changed), and whether
     * less is better. */
    double full_difference;
    bool lower_is_better;
    const char
        *spread; /* what the spreads are, for the columns of CSV: "sd" unless changed, "se" */
} sheet;

/* NULL where there is no memory; every function below takes that. */
sheet *sheet_new(orthant_context *ctx, const char *name, const char *caption);
void sheet_free(sheet *table);
/* Another name and caption. */
void sheet_rename(sheet *table, const char *name, const char *caption);
/* The first failure while it was filled; also one where the last row is not full. */
orthant_status sheet_status(const sheet *table);

/* All columns before the first row. `decimals` below 0: a column of texts. */
void sheet_add_column(sheet *table, const char *title, int decimals);
/* A column of whole numbers, shown as 1,797. */
void sheet_add_counts(sheet *table, const char *title);
/* `summary`: an average or the like, which stays at the foot when the others are sorted. */
void sheet_add_row(sheet *table, bool summary);

/* The next cell of the last row. */
void sheet_add_text(sheet *table, const char *text);
void sheet_add_number(sheet *table, double value);
void sheet_add_mean(sheet *table, double mean, double spread);
/* Ours and the paper's; either may be NaN. `mark` is what sheet_add_note gave, or 0. In HTML the
 * cell is coloured by the difference. */
void sheet_add_compared(sheet *table, double ours, double spread, double paper, int mark);

/* A sentence below the table; returns its mark (the same sentence has one mark). */
int sheet_add_note(sheet *table, const char *text);

#define SHEET_MARK_SIZE 16
/* a, b, c, ... for notes; numbers where the letters end. */
void sheet_mark_text(int mark, char text[SHEET_MARK_SIZE]);

/* Bold: the best number in each row or, `by_column`, in each column; summary rows of their own. */
void sheet_mark_best(sheet *table, bool by_column, bool lower_is_better);
/* The same in one column. */
void sheet_mark_column(sheet *table, int column, bool lower_is_better);

/* False where `name` is none of md, tex, csv, json, html. */
bool sheet_format_of(const char *name, sheet_format *format);
/* Failures to write are the file's: ask ferror. */
void sheet_write(const sheet *table, sheet_format format, FILE *out);

/* Several tables, one after the other, in JSON as an array; the list owns them. */
typedef struct sheet_list {
    orthant_context *ctx;
    int count;
    sheet **table;
} sheet_list;

/* Takes the table over, also on failure. */
orthant_status sheet_list_add(sheet_list *list, sheet *table);
void sheet_list_write(const sheet_list *list, sheet_format format, FILE *out);
void sheet_list_free(sheet_list *list);

#endif
