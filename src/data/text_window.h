/* A text of any length, some whole lines at a time; gzip too. */
#ifndef DATA_TEXT_WINDOW_H
#define DATA_TEXT_WINDOW_H

#include "data/lines.h"
#include "data/stream.h"

typedef struct text_window {
    stream in;
    char *bytes;
    int64_t capacity, length; /* of the bytes that are there */
    int64_t taken;            /* of these, given out */
    bool ended;               /* nothing more comes */
    int64_t line;             /* lines before those that are there */
} text_window;

/* Close also where it failed. */
orthant_status text_window_open(orthant_context *ctx, const char *path, int64_t bytes,
                                text_window *window);
void text_window_close(text_window *window);
/* The next whole lines into text->at and text->end, with the number that they begin with; false at
 * the end of the text, or where it failed. Refuses a line that is longer than the window. */
bool text_window_next(text_window *window, lines *text, orthant_status *status);

#endif
