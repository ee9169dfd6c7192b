/* gnuplot as a process that takes one script after the other. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "core/context.h"

typedef struct gnuplot {
    int feed;    /* its commands go here; -1: it takes none */
    int process; /* 0: there never was one */
    bool runs;   /* or nobody has looked yet how it ended */
    bool fed;    /* it was told to draw something */
    bool hung;   /* one did not end in time and was killed */
} gnuplot;

#define GNUPLOT_NONE \
    {                \
        .feed = -1   \
    }

/* In `folder`; where there is no gnuplot it does not run. It takes longer to start than to draw. */
void gnuplot_start(gnuplot *g, const char *folder);
/* Has it load charts/NAME.gp, to draw charts/NAME.svg.part. What it cannot be told it has not drawn
 * in the end. */
void gnuplot_draw(gnuplot *g, const char *name);
/* It is told nothing more, and ends when all is drawn. */
void gnuplot_close(gnuplot *g);
/* Closes it and waits until it is done; one that was told nothing is not waited for, and one that
 * takes longer than gnuplot_seconds is killed. Returns whether it did all that it was told to. */
bool gnuplot_end(gnuplot *g);
/* What it may take to draw all charts of a page: a minute, or the environment variable
 * ORTHANT_GNUPLOT_SECONDS. */
double gnuplot_seconds(void);

#endif
