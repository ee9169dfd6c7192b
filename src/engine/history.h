/* The loop that every iterative method runs in, and the objective per iteration that it notes. */
#ifndef ENGINE_HISTORY_H
#define ENGINE_HISTORY_H

#include "core/parameter.h"
#include "engine/checkpoint.h"

#define HISTORY_MOST_COLUMNS 16

typedef struct fit_history {
    orthant_context *ctx;
    const char *columns[HISTORY_MOST_COLUMNS];
    int column_count;
    double *values; /* rows x column_count */
    int64_t rows, capacity;
    int64_t iterations;
    double seconds;
    bool converged, stopped;
} fit_history;

/* The columns that every history starts with: iteration, seconds, objective, loss. */
void history_begin(fit_history *h);
void history_add_column(fit_history *h, const char *name);
/* A row: its values after "iteration" and "seconds". */
orthant_status history_add(fit_history *h, int64_t iteration, double seconds, const double *values);
/* Those of the last row anew. */
void history_replace(fit_history *h, const double *values);

/* The same after a step that is no iteration, which took so long. */
void history_end(fit_history *h, double seconds, const double *values);

/* Iterations that the fall of the objective is averaged over before a loop stops. */
#define STOP_WINDOW 10
/* Whether the objective fell, over the last STOP_WINDOW iterations, by less than the tolerance per
 * iteration; a tolerance of 0 never stops. */
bool stop_reached(double before, double now, double tolerance);

typedef struct loop_steps {
    void *state;
    void (*step)(void *state); /* one iteration */
    /* objective first, then its parts in the order of the history's columns from "loss" on */
    void (*measure)(void *state, double *values);
    /* Brings the result's factors to what they are now, for who looks on; NULL: they are. */
    void (*show)(void *state);
    /* Lists all that the next iteration, the objective and the end of the fit read and that is not
     * made by the setup: what a checkpoint holds. Lists of the same state are the same. NULL: there
     * are no checkpoints. */
    void (*parts)(void *state, checkpoint_parts *parts);
    /* After the parts have been read: what follows from them. NULL: nothing does. */
    void (*restored)(void *state);
    /* Whether all that was asked of the steps so far was done. NULL: they cannot fail. */
    orthant_status (*check)(void *state);
    /* Iterations ahead of those that are noted, at most so many: step and measure of each, the
     * values in rows of HISTORY_MOST_COLUMNS. How many were made; 0: one by one. NULL: none ever
     * are. */
    int64_t (*ahead)(void *state, int64_t most, double *values);
    /* The loop ends, or looks, after the first `count` of these, 1 at least: back there. */
    void (*back)(void *state, int64_t count);
} loop_steps;

/* Who writes checkpoints, and what a loop goes on from. */
typedef struct loop_keeper {
    checkpoint_reader *from; /* NULL: the loop begins */
    checkpoint_writer *to;   /* NULL: none are written */
    double interval_s;
    bool at_end; /* one more at the end, however it comes */
    /* The settings, made when they are first needed; NULL with the message set. */
    const char *(*settings)(void *user);
    void *user;
    double taken_s;     /* clock_seconds() of what the last one holds, or of the begin */
    double written_s;   /* of when it was written */
    double before_s;    /* of the end of the iteration before, or of the begin */
    int64_t iterations; /* that the last one holds; -1: there is none */
    int64_t resumed;    /* iterations of the checkpoint that the loop went on from; 0: none */
    bool failed;        /* the last could not be written, which was told */
} loop_keeper;

/* For a loop of a method's own: from now on the interval counts; */
void keeper_begin(loop_keeper *keeper);
/* whether one is due, after an iteration that ended `now`: with another one as long as it, a kill
 * would lose more than the interval. At most half of the time is spent on writing; */
bool keeper_due(const loop_keeper *keeper, double now);
/* after each iteration, where `to` is set: the parts as they were `now`, where it is due; */
void keeper_write(loop_keeper *keeper, orthant_context *ctx, const checkpoint_parts *parts,
                  int64_t iterations, double now, bool due);
/* at the end: the file that is under way gets its name. */
void keeper_end(loop_keeper *keeper, orthant_context *ctx);

/* Who looks on after each iteration, and the clock. */
typedef struct loop_watch {
    bool (*look)(void *user); /* false to stop; NULL: nobody */
    void *user;
    double begun;        /* by clock_seconds(): the time limit counts from here */
    loop_keeper *keeper; /* NULL: none */
    const struct sample_share
        *share; /* of the samples: all processes stop at once; NULL: one has all */
    /* Asked at the begin and after each step: whether what it is made of could be read. NULL: it
     * always can. */
    orthant_status (*check)(void *user);
} loop_watch;

/* Steps until the parameters `iterations`, `tolerance` or `time_limit` end it. */
orthant_status loop_run(fit_history *h, const parameter_set *parameters, loop_steps steps,
                        loop_watch watch);

#endif
