/* The file that a fit can go on from: settings as text, and named arrays, all that a method has
 * between two iterations. A method says once which arrays these are (loop_steps.parts); the same
 * list is written and read, so that nothing is forgotten on one of the ways.
 *
 *     header      magic, version, sizes, a checksum of all up to the arrays
 *     settings    "name=value" lines
 *     table       of each part: name, rows, bytes of a row, where it lies
 *     parts       rows without padding, each part at a multiple of 64 bytes
 *     checksums   of each part (checksum_rows), and of these
 *
 * Arrays are whole: a process that shares the samples with others (group.h) writes its rows of the
 * encodings to their place, and the checksums of its rows are added to those of the others; the
 * rest is written by the first. So a fit can go on with another number of processes. All of them
 * see one file system. The machine's own byte order; a file of another one is refused.
 *
 * A file is written beside its name and renamed when the disk has it. The one before is kept under
 * the name with ".previous" behind it, and is taken where the newer one is damaged. */
#ifndef ENGINE_CHECKPOINT_H
#define ENGINE_CHECKPOINT_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/file.h"
#include "kernel/kernel.h"

#define CHECKPOINT_MOST_PARTS 64
#define CHECKPOINT_NAME 32 /* bytes of a part's name with its end */

typedef struct checkpoint_part {
    char name[CHECKPOINT_NAME];
    char *data;      /* of the rows at hand */
    int64_t rows;    /* at hand, from `first` on */
    int64_t first;   /* of the whole array's rows */
    int64_t whole;   /* rows of the whole array */
    size_t bytes;    /* of a row */
    size_t distance; /* bytes from a row to the next */
    bool shared;     /* other processes have the other rows */
} checkpoint_part;

typedef struct checkpoint_parts {
    int count;
    checkpoint_part part[CHECKPOINT_MOST_PARTS];
} checkpoint_parts;

/* Arrays without data are left out. */
void parts_add_array(checkpoint_parts *parts, const char *name, const kernels *ops, array a);
/* Rows [first, first + a.rows) of an array of `whole` rows; the other rows are other processes'. */
void parts_add_rows(checkpoint_parts *parts, const char *name, const kernels *ops, array a,
                    int64_t first, int64_t whole);
void parts_add_numbers(checkpoint_parts *parts, const char *name, double *values, int64_t count);
/* A field: a number, a flag, a small struct without pointers and padding. */
void parts_add_field(checkpoint_parts *parts, const char *name, void *field, size_t bytes);

/* ---- writing ---- */

typedef struct checkpoint_writer {
    orthant_context *ctx;
    const struct sample_share *share; /* NULL: one process has all samples */
    char *path, *previous;            /* PATH and PATH.previous */
    char *buffer;
    bool keeps_last;     /* the file at PATH is one of this fit: it becomes PATH.previous */
    bool keeps_previous; /* that at PATH is damaged, and PATH.previous the only one */
    /* A file that is written but for the disk, which a thread of its own waits for; that also gives
     * it its name. The other fields are not changed meanwhile. */
    file_writer file;
    bool pending;
    bool alone; /* without a thread that waits */
    pthread_t waiting;
    int descriptor;
    int disk_error; /* errno's value, of the thread; behind `named` */
    atomic_bool named;
} checkpoint_writer;

/* `last`: the file that this fit goes on from (checkpoint_reader.file), or NULL. Nothing is written
 * yet. Release in any case. */
orthant_status checkpoint_begin(checkpoint_writer *w, orthant_context *ctx, const char *path,
                                const struct sample_share *share, const char *last);
/* Waits for a file that is under way. */
void checkpoint_release(checkpoint_writer *w);
/* The parts as they are now, by all processes. The file takes its name when the disk has it.
 * `settings` NULL: a failure before, whose message is set. */
orthant_status checkpoint_write(checkpoint_writer *w, const char *settings,
                                const checkpoint_parts *parts);
/* Ends the file that is under way, where it has its name; `waits` until it has. */
orthant_status checkpoint_finish(checkpoint_writer *w, bool waits);

/* ---- reading ---- */

typedef struct checkpoint_reader {
    orthant_context *ctx;
    const struct sample_share *share; /* NULL: one process has all samples */
    char *path;                       /* that was given */
    char *file;                       /* that is read: PATH or PATH.previous */
    int descriptor;
    char *head; /* header, settings and table */
    const char *settings;
    int part_count;
    const struct checkpoint_entry *table;
    uint64_t *checksums; /* of the parts, then of these */
    char *buffer;
} checkpoint_reader;

/* The newer of both files that is whole, which takes one read of it; what is wrong with the other
 * is told by a warning. Close in any case. */
orthant_status checkpoint_open(checkpoint_reader *r, orthant_context *ctx, const char *path,
                               const struct sample_share *share);
void checkpoint_close(checkpoint_reader *r);
/* Rows of a part; -1 where there is none of that name. */
int64_t checkpoint_rows(const checkpoint_reader *r, const char *name);
/* All parts, which must be those of the list. */
orthant_status checkpoint_read(checkpoint_reader *r, const checkpoint_parts *parts);

/* Whether there is one of both files. */
orthant_status checkpoint_look(orthant_context *ctx, const char *path, bool *there);
/* PATH and PATH.previous are no longer needed, nor what killed writers of them left. */
orthant_status checkpoint_remove(orthant_context *ctx, const char *path);

#endif
