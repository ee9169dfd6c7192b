/* A text file, line by line; gzip too. */
#ifndef DATA_LINES_H
#define DATA_LINES_H

#include "core/context.h"

typedef struct lines {
    orthant_context *ctx;
    const char *path;
    char *text;
    int64_t length;
    const char *at, *end; /* what is left */
    int64_t number;       /* of the line that came last, from 1 */
} lines;

/* A piece of the text: [begin, end). */
typedef struct piece {
    const char *begin, *end;
} piece;

/* The whole text is held; a byte order mark is left out. `path` must outlive it. */
orthant_status lines_open(orthant_context *ctx, const char *path, lines *text);
/* The same of a text that is in memory already, and stays the caller's where this fails. */
orthant_status lines_begin(lines *text);
void lines_close(lines *text);
/* The next line without its end ("\n" or "\r\n"); false at the end of the text. */
bool lines_next(lines *text, piece *line);

piece piece_trim(piece field);
/* A word that ends at a space or a tab, taken off the front of `rest`; false where there is none.
 */
bool piece_word(piece *rest, piece *word);
bool piece_equals(piece field, const char *word); /* in upper or lower case */
/* For messages: at most 40 characters, others than printable ones as '?'. */
typedef struct shown {
    char text[44];
} shown;
shown piece_show(piece field);

#endif
