/* An open file whose rows are read when they are wanted, for data that memory does not hold.
 *
 * What a kind of file has to say is a table of functions (row_file_kind). They are called from
 * inside of parallel loops: they neither allocate from the context nor set its message, and tell
 * what is wrong in a row_failure, which the loop hands over when it has ended. */
#ifndef DATA_ROW_FILE_H
#define DATA_ROW_FILE_H

#include "core/context.h"
#include "data/element.h"
#include "orthant/matrix.h"

typedef struct row_file row_file;

typedef struct row_failure {
    orthant_status status;
    char message[512];
} row_failure;

/* Where rows go: dense, `values` alone, rows x columns of them; CSR as in struct orthant_matrix, so
 * that parts of one matrix can be read side by side. */
typedef struct row_target {
    void *values;             /* of the file's precision */
    const int64_t *row_start; /* CSR: rows + 1, by row_file_starts() */
    int32_t *column;          /* CSR */
} row_target;

typedef struct row_file_kind {
    const char *name; /* ".npy" */
    /* Rows [first, first + rows), counted in the file. False with the failure set. */
    bool (*read)(const row_file *file, int64_t first, int64_t rows, row_target to,
                 row_failure *failure);
    /* CSR: entries stored in these rows; needs no reading. NULL for dense files. */
    int64_t (*stored)(const row_file *file, int64_t first, int64_t rows);
    /* CSR: see row_file_starts(). NULL for dense files. */
    void (*starts)(const row_file *file, int64_t first, int64_t rows, int64_t *row_start);
    /* These rows will be read soon: the system may begin. Or NULL. */
    void (*will_read)(const row_file *file, int64_t first, int64_t rows);
    /* False where it is not the file any more that was opened. Or NULL. */
    bool (*check)(const row_file *file, row_failure *failure);
    void (*close)(row_file *file); /* frees `state` */
} row_file_kind;

struct row_file {
    const row_file_kind *kind;
    orthant_context *ctx;
    char *name;          /* in messages */
    int64_t first, rows; /* those that are given out: [first, first + rows) of the file */
    int64_t columns;
    orthant_precision precision; /* that entries are brought to */
    bool sparse;                 /* CSR */
    bool lossless;               /* the precision holds all numbers of the file's type */
    bool one_reader;             /* read by one thread at a time */
    int64_t grain; /* rows that are stored, and best read, together; `first` is a multiple of it */
    orthant_picture_shape picture;
    orthant_scaling scaling;    /* of the rows that are read */
    orthant_matrix *statistics; /* that they are scaled by, in double; or NULL */
    void *state;                /* the kind's own */
    bool failing;               /* some thread writes `failure`: atomic */
    row_failure failure;        /* the first that was kept (row_file_keep()); it stays */
};

/* In the context's precision. Of the options: variable and transpose, which is refused. Refuses
 * kinds of files whose rows cannot be read one by one. */
orthant_status row_file_open(orthant_context *ctx, const char *path,
                             const orthant_read_options *options, row_file **file);
/* Gives out rows [first, first + rows) of it alone from now on. */
void row_file_cut(row_file *file, int64_t first, int64_t rows);
void row_file_close(row_file *file);

/* Rows [first, first + rows) of those that are given out. Safe for several threads unless
 * one_reader. False with the failure set. */
bool row_file_read(const row_file *file, int64_t first, int64_t rows, row_target to,
                   row_failure *failure);
/* The same from inside of a parallel loop: a failure is kept with the file. */
void row_file_take(row_file *file, int64_t first, int64_t rows, row_target to);
/* Keeps a failure with the file, unless there is one; by any thread. */
void row_file_keep(row_file *file, const row_failure *failure);
/* The failure that was kept, in the context's message; after the loop. A fit asks for it wherever
 * it could use what was not read. */
orthant_status row_file_status(const row_file *file);
/* CSR: entries stored in these rows. */
int64_t row_file_stored(const row_file *file, int64_t first, int64_t rows);
/* CSR: where each of these rows begins, rows + 1 of them; the first is given. */
void row_file_starts(const row_file *file, int64_t first, int64_t rows, int64_t *row_start);
void row_file_will_read(const row_file *file, int64_t first, int64_t rows);
/* Whether it still is as it was when it was opened. */
bool row_file_check(const row_file *file, row_failure *failure);
/* The same; a failure is kept with the file. */
void row_file_watch(row_file *file);
/* Always false. */
bool row_fail(row_failure *failure, orthant_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The kinds. Each fills a handle that has context and name, or fails; close() is the caller's, in
 * both cases. */
orthant_status row_file_open_npy(row_file *file, const char *path);
orthant_status row_file_open_csr(row_file *file, const char *path);
/* From now on rows are read in order, by one thread, and checksums of them are made; behind the
 * last one these are compared with the file's. */
void row_file_sum_csr(row_file *file);
orthant_status row_file_compare_csr(const row_file *file);
orthant_status row_file_open_hdf5(row_file *file, const char *path, const char *variable);
/* Rows of file->columns entries that lie one behind the other from byte `begin` on, in this
 * machine's byte order, in a file of `bytes` bytes; -1: of any that are enough. */
orthant_status row_file_open_plain(row_file *file, const char *path, element type, int64_t begin,
                                   int64_t bytes);

#endif
