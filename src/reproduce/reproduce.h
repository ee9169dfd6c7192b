/* A paper's experiments again: its tables with ours beside theirs, and its figures. */
#ifndef REPRODUCE_REPRODUCE_H
#define REPRODUCE_REPRODUCE_H

#include "report/sheet.h"
#include "reproduce/protocol.h"

typedef struct reproduce_request {
    const char *data;    /* the folder with the data sets */
    const char *output;  /* the folder for everything that comes out */
    const char *tables;  /* "II,III" or "all"; where tables, figures and claims are all NULL: all */
    const char *figures; /* "1,7" */
    const char *claims;  /* "theorem-1,one-nonzero" */
    int64_t repeats;     /* 0: as the paper */
    bool quick;          /* few classes, repeats and iterations: to see that all works */
    int64_t seed;        /* of all draws and starts */
    const char *command; /* for the report; may be NULL */
} reproduce_request;

/* Runs that could not be done: their cells are empty. */
typedef struct reproduce_failures {
    int64_t runs, failed;
    char first[512]; /* why the first of them failed */
} reproduce_failures;

/* The tables are added to `shown`, the averages first. Runs that are in the output folder already
 * are not done again. ORTHANT_STOPPED where the progress callback asked for it: the same request
 * goes on from there. */
typedef orthant_status (*reproduce_function)(orthant_context *ctx, const reproduce_request *request,
                                             sheet_list *shown, reproduce_failures *failures);

typedef struct reproducible {
    const char *name;   /* "tnmf" */
    const char *title;  /* of the paper */
    const char *tables; /* that there are: "I,II,III,IV" */
    reproduce_function run;
    const protocol *protocol;   /* NULL: its experiments are no studies */
    const protocol_item *items; /* a row without a kind ends them */
} reproducible;

/* NULL behind the last. */
const reproducible *reproducible_at(int index);
const reproducible *reproducible_find(const char *name);
/* Of a name that is none, with those that are. */
orthant_status reproducible_refuse(orthant_context *ctx, const char *name);

/* ---- what every paper begins and ends with ---- */

/* Makes the output folder, or goes on in one of the same paper; refuses one that holds something
 * else, and data that are not there. *lock keeps others out until it is closed; -1: there is none.
 */
orthant_status reproduction_begin(orthant_context *ctx, const reproduce_request *request,
                                  const char *paper, int *lock);
/* A note below every table where a request is not the full protocol; `run` says what was run of
 * it. */
orthant_status reproduction_note(const reproduce_request *request, const char *run,
                                 sheet_list *list);
/* Notes beside a file of the folder whether a quick run made it: PATH.quick is there, or is not. */
orthant_status reproduction_note_quick(orthant_context *ctx, const reproduce_request *request,
                                       const char *path);
/* tables.md, tables.tex and tables.csv. */
orthant_status reproduction_write_sheets(orthant_context *ctx, const reproduce_request *request,
                                         const sheet_list *list);

#endif
