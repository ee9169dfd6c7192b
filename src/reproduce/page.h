/* report.html of a reproduction. */
#ifndef REPRODUCE_PAGE_H
#define REPRODUCE_PAGE_H

#include "reproduce/figures.h"
#include "reproduce/tables.h"

typedef struct figure_runs {
    const protocol_figure *figure;
    protocol_runs runs; /* of its own */
} figure_runs;

/* Everything that was run for a paper. */
typedef struct reproduction {
    orthant_context *ctx;
    const reproduce_request *request;
    const protocol *paper;
    table_runs *tables;
    figure_runs *figures;
    double seconds;
    int lock; /* on the output folder; -1: none */
} reproduction;

/* Writes RUN/report.html and its charts; `sheets` are those of tables.h, the averages first. */
orthant_status reproduction_page(const reproduction *made, const sheet_list *sheets);

#endif
