/* The figures that the papers print (data/papers), compiled in. */
#ifndef STUDY_PAPERS_H
#define STUDY_PAPERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct paper_figure {
    const char *paper; /* tnmf, cdnmf, nlcf, rmnd, grpnmf */
    const char *table; /* as the paper numbers it: "I", "3" */
    const char *dataset;
    const char *classes; /* a number, "average", or "" where the table has no such rows */
    const char *method;  /* Orthant's name */
    const char *measure; /* accuracy, nmi, sparseness, seconds, or a segmentation criterion */
    const char *unit;    /* percent, fraction, seconds, number */
    const char *value;   /* digit by digit as printed */
    const char *spread;  /* what stands behind +-, or "" */
    const char *note;    /* "misprint: ..." where the table contradicts itself, or "" */
} paper_figure;

/* The figure of that number from 0, in the papers' order; NULL behind the last. */
const paper_figure *paper_figure_at(int64_t index);

/* `classes` above 0; 0 asks for the average, below 0 for a table without classes. NULL: none. */
const paper_figure *paper_figure_find(const char *paper, const char *table, const char *dataset,
                                      int64_t classes, const char *method, const char *measure);

/* Scores in percent, whichever way the paper prints them; seconds and numbers as they are. */
double paper_figure_value(const paper_figure *figure);
/* The same for what stands behind +-; NaN where nothing does. */
double paper_figure_spread(const paper_figure *figure);
/* How much one unit of the last printed digit is, in the terms of paper_figure_value. */
double paper_figure_digit(const paper_figure *figure);
bool paper_figure_misprinted(const paper_figure *figure);

#endif
