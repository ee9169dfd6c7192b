/* A small web server for one folder and one reader, on 127.0.0.1. It answers GET alone, under an
 * address that begins with a random token, with plain files of the folder: no links, no "..", no
 * hidden files. Requests are hostile: their length, number and time are bounded. */
#ifndef APP_SERVE_H
#define APP_SERVE_H

#include <stdbool.h>
#include <stddef.h>

#define SERVE_TOKEN 33 /* bytes, with the end */

typedef struct server {
    int listener;
    int port;
    char token[SERVE_TOKEN];
    /* What a request is answered with, in place of a file of the folder: an open file, to be closed
     * by who asked, or -1 and a text that stays; 0 where the path is none of these. */
    int (*special)(void *user, const char *path, int *file, const char **text);
    void *user;
    const char *folder; /* NULL, or not there: nothing but what is special */
} server;

/* Opens a random port of 127.0.0.1 and draws the token. Returns 0 or an errno. */
int serve_open(server *s);
/* Answers until `ended` is true; it is asked at least every half second. */
void serve_run(server *s, bool (*ended)(void));

/* The plain file at `path` below the open folder; -1 where there is none, where a part of the path
 * is a link, hidden, empty or not a folder. */
int serve_open_file(int folder, const char *path);
/* "%41" is "A", in place; false where it is not well formed, or would give a control character. */
bool serve_decode(char *path);

#endif
