/* report.html of a reproduction. */
#ifndef REPRODUCE_PAGE_H
#define REPRODUCE_PAGE_H

#include "reproduce/figures.h"
#include "reproduce/tables.h"

typedef struct figure_runs {
    const protocol_figure *figure;
    protocol_runs runs; /* of its own */
    bool wanted;        /* it was run */
    bool shown;         /* it was asked for, not a claim that is judged by it */
} figure_runs;

typedef struct claim_runs {
    protocol_runs runs; /* of its own */
    bool wanted;
} claim_runs;

/* Everything that was run for a paper. */
typedef struct reproduction {
    orthant_context *ctx;
    const reproduce_request *request;
    const protocol *paper;
    const struct reproducible *of; /* the paper's row */
    table_runs *tables;
    figure_runs *figures;
    claim_runs *claims;
    double seconds;
    int lock; /* on the output folder; -1: none */
} reproduction;

/* Writes RUN/report.html and its charts; `sheets` are those of tables.h, the averages first. */
/* The runs that a figure or a claim shows: its own, or those of the table or figure that it names.
 */
const protocol_runs *figure_source(const reproduction *made, int index);
const protocol_runs *claim_source(const reproduction *made, int index);

orthant_status reproduction_page(const reproduction *made, const sheet_list *sheets);

#endif
