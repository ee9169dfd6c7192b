/* What the papers did, as data: a row for each table and each figure. The runs behind them are
 * studies (orthant/study.h); what is shown of a study is up to the kind of figure. */
#ifndef REPRODUCE_PROTOCOL_H
#define REPRODUCE_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"
#include "study/settings.h"

#define PROTOCOL_SETTINGS 32

typedef struct protocol_study {
    const char *dataset; /* see datasets.c; "a|b": b where a is not there */
    const char *classes; /* "5,10,20" */
    bool first;          /* the first classes of the file, where others are drawn */
    int64_t repeats;
    const char *methods;                 /* "kmeans,nmf" */
    setting settings[PROTOCOL_SETTINGS]; /* of orthant_study_set; a NULL name ends them */
} protocol_study;

/* Operations of one iteration, as a paper counts them. */
typedef struct operation_counts {
    double additions, multiplications, divisions;
} operation_counts;

/* A product of matrices that an iteration forms. */
typedef struct operation_product {
    const char *name; /* "X V'"; NULL ends them */
    operation_counts (*count)(double n, double m, double k);
} operation_product;

/* A table of operation counts: they are evaluated, and iterations are timed on made-up data. */
typedef struct protocol_costs {
    const char *methods;
    operation_counts (*count)(const char *method, double n, double m, double k);
    const operation_product *products; /* of an iteration of the last method, or NULL */
    bool similarity; /* the methods work on the n x n similarity: m does not count */
    int64_t n, m, k; /* from which each is doubled in turn */
} protocol_costs;

/* The size of a data set as a paper prints it. */
typedef struct protocol_size {
    const char *dataset; /* NULL ends them */
    int64_t samples, features, classes;
} protocol_size;

struct made_table;
/* Makes the sheets of a table that is no study's: see made_tables.h. */
typedef orthant_status (*table_maker)(const struct made_table *asked);

typedef struct protocol_table {
    const char *number;   /* as the paper's, or "4-Xs": its Table 4 on other data */
    const char *printed;  /* the paper's, where the number is not */
    const char *measures; /* "accuracy,nmi" */
    const char *from;     /* the tables whose runs it shows, "V,VI"; NULL: it has its own */
    const char *remark;   /* preprocessing and settings, in words */
    int per_class;        /* samples of each class; 0: they differ, or the paper does not say */
    protocol_study study; /* with `from`: only the classes (NULL: all) and methods count */
    table_maker make;     /* in place of a study, from: */
    const char *leaves;   /* the file in its folder by which it is known as made */
    const protocol_costs *costs;
    const protocol_size *sizes;
} protocol_table;

typedef enum figure_kind {
    FIGURE_CLASSES,     /* measures against the number of classes, of a table's runs */
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

typedef enum claim_kind {
    CLAIM_DESCENT,    /* the objectives of the methods never rise */
    CLAIM_WITHIN,     /* the objectives are near their end after `number` iterations */
    CLAIM_FASTER,     /* the last method is there in fewer iterations than the first */
    CLAIM_LOWEST,     /* the last method ends with the lowest objective */
    CLAIM_GAIN,       /* the last method is above the best other one of a table by `number` */
    CLAIM_ABOVE,      /* the last method has the higher accuracy than the first */
    CLAIM_RANKED,     /* Friedman's test, and the last method a critical difference before others */
    CLAIM_STABLE,     /* a sweep's accuracies lie within `number` points of each other */
    CLAIM_CHOSEN,     /* a value chosen on half of a sweep's draws holds on the other half */
    CLAIM_RISES,      /* the sparseness rises with the swept parameter */
    CLAIM_FALLS,      /* the accuracy at the last value is below that at the first */
    CLAIM_LEADS,      /* the last method has the highest accuracy over all values of a sweep */
    CLAIM_SPARSENESS, /* the sparseness is above `number` percent */
    CLAIM_ONE_NONZERO, /* more than half of the encodings have one nonzero entry */
    CLAIM_NEAREST,     /* that entry is the one of the nearest basis vector */
    CLAIM_SHIFTED, /* encodings change less than the first method's where pictures are shifted */
    CLAIM_SAME,    /* the methods' accuracies at two scales of the data, "none,max", are the same */
    CLAIM_SECONDS  /* the last method takes at most `number` times the first one's time */
} claim_kind;

/* A theorem or a claim of a paper, and the runs that it is judged by. */
typedef struct protocol_claim {
    const char *id; /* "theorem-1", "one-nonzero" */
    claim_kind kind;
    const char *says;      /* the claim, in words, with its section */
    const char *methods;   /* "nmf,tnmf"; of a table's or figure's runs those that it is about */
    const char *parameter; /* that a sweep changes */
    double number;         /* see the kinds */
    const char *measure;   /* of a gain */
    const char *table;     /* whose runs it is judged by, */
    const char *figure;    /* or which figure's; both NULL: its own */
    protocol_study study;
} protocol_claim;

/* What a paper holds, as it numbers it: one row for each table, figure, theorem and claim. */
typedef struct protocol_item {
    const char *kind;   /* "table", "figure", "theorem" or "claim" */
    const char *number; /* "I", "8"; the id of a theorem or claim */
    const char *what;   /* in words */
    const char *rows; /* of the protocol that make it, separated by ';'; "": nothing to make, `made`
                       * says why; NULL: not built */
    const char *made; /* another command that makes it, or why there is nothing to make */
} protocol_item;

typedef struct protocol {
    const char *paper; /* as in papers.h */
    const char *title;
    const protocol_table *tables;
    int table_count;
    const protocol_figure *figures;
    int figure_count;
    const protocol_claim *claims;
    int claim_count;
} protocol;

/* The name by which the papers know a data set: "USPS" of "USPS-Xs". */
const char *dataset_known_as(const char *name);

extern const protocol protocol_tnmf, protocol_cdnmf, protocol_nlcf, protocol_rmnd;

/* Every table, figure, theorem and claim of each paper; a row without a kind ends them. */
extern const protocol_item items_tnmf[], items_cdnmf[], items_nlcf[], items_rmnd[], items_grpnmf[];

#endif
