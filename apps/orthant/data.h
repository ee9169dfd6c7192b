/* Data as the options say: read, scaled. */
#ifndef APP_DATA_H
#define APP_DATA_H

#include "command.h"

/* A word "-" of a command that reads DATA: what comes from standard input is kept in a file without
 * a name until the command ends, and the word leads to it. Returns 0 or the exit status. */
int data_take_standard_input(arguments *given);

/* How the options say that the data at `path` are to be read. Returns 0 or the exit status. */
int data_options(const arguments *given, const char *path, orthant_read_options *options);
/* `truth` may be NULL. Returns 0 or the exit status after the error was told. */
int data_read(const arguments *given, orthant_context *ctx, talk *speech, const char *path,
              orthant_matrix **samples, orthant_labels **truth);
/* The same; `options` are ORTHANT_READ_DEFAULTS, with `missing` where NaN and empty cells are taken
 * as entries that are not known in any case, and become those that the data were read by. */
int data_read_with(const arguments *given, orthant_context *ctx, talk *speech, const char *path,
                   orthant_read_options *options, orthant_matrix **samples, orthant_labels **truth);
/* A mask, or weights of samples or features. */
int data_read_weights(orthant_context *ctx, const char *path, orthant_matrix **weights);
/* By the entries that `mask` counts; NULL: all. `statistics`, which may be NULL: what the data was
 * scaled by, NULL where that takes nothing. */
int data_scale(orthant_context *ctx, const char *scale, orthant_matrix *samples,
               const orthant_matrix *mask, orthant_matrix **statistics);

#endif
