/* What the papers did, as data: a row for each table and each figure. The runs behind them are
 * studies (orthant/study.h); what is shown of a study is up to the kind of figure. */
#ifndef REPRODUCE_PROTOCOL_H
#define REPRODUCE_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "study/settings.h"

#define PROTOCOL_SETTINGS 24

typedef struct protocol_study {
    const char *dataset; /* see datasets.c; "a|b": b where a is not there */
    const char *classes; /* "5,10,20" */
    bool first;          /* the first classes of the file, where others are drawn */
    int64_t repeats;
    const char *methods;                 /* "kmeans,nmf" */
    setting settings[PROTOCOL_SETTINGS]; /* of orthant_study_set; a NULL name ends them */
} protocol_study;

typedef struct protocol_table {
    const char *number;   /* as the paper's */
    const char *measures; /* "accuracy,nmi" */
    const char *from;     /* the tables whose runs it shows, "V,VI"; NULL: it has its own */
    const char *remark;   /* preprocessing and settings, in words */
    int per_class;        /* samples of each class; 0: they differ, or the paper does not say */
    protocol_study study; /* with `from`: only the classes (NULL: all) and methods count */
} protocol_table;

typedef enum figure_kind {
    FIGURE_RANKS,       /* mean ranks with the critical difference, of a table's runs */
    FIGURE_SWEEP,       /* measures against the values of a parameter */
    FIGURE_CONVERGENCE, /* objectives over the iterations */
    FIGURE_BASES,       /* samples, bases and encodings as pictures */
    FIGURE_POINTS,      /* samples in the plane with their clusters and the basis */
    FIGURE_SIMILARITY   /* the similarity of samples, and what the factors make of it */
} figure_kind;

typedef struct protocol_figure {
    const char *number; /* "6 to 9" */
    figure_kind kind;
    const char *title;
    const char *remark;    /* how it differs from the paper's, or NULL */
    const char *measures;  /* a sweep's */
    const char *parameter; /* that a sweep changes: "pooling_weight" */
    const char *table;     /* whose runs it shows; NULL: it has its own */
    protocol_study study;
} protocol_figure;

typedef struct protocol {
    const char *paper; /* as in papers.h */
    const char *title;
    const protocol_table *tables;
    int table_count;
    const protocol_figure *figures;
    int figure_count;
} protocol;

extern const protocol protocol_tnmf, protocol_cdnmf, protocol_nlcf, protocol_rmnd;

#endif
