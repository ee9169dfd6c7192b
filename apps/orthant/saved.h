/* What transform, predict, inverse and complete share: a run's folder, and new samples for it. */
#ifndef APP_SAVED_H
#define APP_SAVED_H

#include "command.h"

/* What a command has open; zero-initialise, and close in any case. */
typedef struct saved {
    orthant_context *ctx;
    talk speech;
    orthant_saved_run *run;
    orthant_matrix *samples, *training, *mask, *sample_weights;
    orthant_transform_options options;
} saved;

/* The context and the run in the first word; its run.json says in which precision it and the
 * samples are read. Returns 0 or the exit status after the error was told, as all of these. */
int saved_open(const arguments *given, saved *s);
/* Refuses an output that cannot be written, or, where it is needed, none. */
int saved_check_output(const arguments *given, const saved *s, const char *what);
/* The mask of the samples, where one is given: before these. */
int saved_read_mask(const arguments *given, saved *s);
/* The samples at `path`, scaled as the run's, by the entries that `mask` counts; NULL: all. */
int saved_read(const arguments *given, saved *s, const char *path, const orthant_matrix *mask,
               orthant_matrix **samples);
/* New samples in the second word, and what the options say of their encodings. */
int saved_new_samples(const arguments *given, saved *s);
void saved_close(saved *s);

#endif
