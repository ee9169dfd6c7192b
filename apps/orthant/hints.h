/* The library's messages in the words of the command line. */
#ifndef APP_HINTS_H
#define APP_HINTS_H

#include <stddef.h>

/* Copies `message` into `text`, at most `size` bytes, with the command's options in the place of
 * the library's settings (labels-rule = 'dice' is --labels-rule dice), and with the option that
 * helps behind what the library says. */
void hints_add(const char *message, char *text, size_t size);

/* A file's name as it is shown: "standard input" for what stands for it. */
const char *hints_path(const char *path);

#endif
