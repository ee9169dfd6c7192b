/* Projective NMF for unsupervised graph clustering (Bampis, Maragos, Bovik, ICIP 2016): Table I,
 * texture segmentation of the Prague mosaics, Fig. 2, what fseg's ridges do to it, and the other
 * figures, pictures and a cloud by their regions and points. */
#ifndef REPRODUCE_GRPNMF_H
#define REPRODUCE_GRPNMF_H

#include "engine/checkpoint.h"
#include "reproduce/mosaics.h"
#include "reproduce/reproduce.h"

/* A reproduce_function. */
orthant_status reproduce_grpnmf(orthant_context *ctx, const reproduce_request *request,
                                sheet_list *shown, reproduce_failures *failures);

/* ---- between its files ---- */

#define GRPNMF_QUICK "20 iterations, one mosaic of each set"
#define GRPNMF_ITERATIONS 500               /* "for all methods", section IV-A */
#define GRPNMF_MOSAICS "results.csv:Prague" /* Table I and Fig. 2, among the paper's items */
enum {
    GRPNMF_SETS = 2,
    GRPNMF_PIPELINES = 4,
    GRPNMF_METHODS = 7,
    GRPNMF_RIDGES = 7,
    GRPNMF_PICTURES = 19
};

typedef struct grpnmf_pipeline {
    const char *name, *remark;
    segment_options options;
} grpnmf_pipeline;

/* Those that the code names. */
enum { GRPNMF_PUBLISHED, GRPNMF_OURS, GRPNMF_COUNTED, GRPNMF_COUNTED_MEAN };
enum { GRPNMF_FSEG, GRPNMF_CONVEX, GRPNMF_ONMF, GRPNMF_QUARTER, GRPNMF_WHOLE, GRPNMF_PLUS };

/* A row of Table I. */
typedef struct grpnmf_method {
    const char *name;      /* of the row: "grpnmf^1" */
    const char *method;    /* "grpnmf" */
    const char *parameter; /* "exponent=1", or NULL */
} grpnmf_method;

typedef enum grpnmf_drawn {
    DRAWN_SEGMENTS,
    DRAWN_BORDERS,
    DRAWN_GRAPH,
    DRAWN_POINTS /* a cloud's; the others are pictures' */
} grpnmf_drawn;

/* One drawing of a figure. */
typedef struct grpnmf_picture {
    const char *figure, *name;
    const char *file; /* below the data folder */
    const char *caption;
    grpnmf_drawn drawn;
    segment_options options;
} grpnmf_picture;

typedef struct grpnmf_measured {
    int64_t nodes, segments, iterations;
    double border;  /* share of neighbouring pixels with different labels; NaN for a cloud */
    double rise;    /* the largest from one iteration to the next, of the first objective */
    double seconds; /* of the iterations */
} grpnmf_measured;

typedef struct grpnmf_work {
    orthant_context *ctx;
    const reproduce_request *request;
    bool with_mosaics; /* Table I or Fig. 2 is asked for */
    bool wanted[GRPNMF_PICTURES], missing[GRPNMF_PICTURES];
    grpnmf_measured measured[GRPNMF_PICTURES];
    mosaic_set set[GRPNMF_SETS];
    /* [set][pipeline][method], a score for each mosaic */
    orthant_segmentation_scores *scores[GRPNMF_SETS][GRPNMF_PIPELINES][GRPNMF_METHODS];
    /* as FSEG's programs count segments, for each pipeline and mosaic of a set */
    int64_t counted[GRPNMF_SETS][GRPNMF_PIPELINES][MOSAICS_MOST];
    int ridge_set; /* that Fig. 2 is made of; below 0: there is none */
    double ridge_f[2]
                  [GRPNMF_RIDGES]; /* mean F-measure of fseg: ridge of the encoding, of the basis */
    int64_t done, total;           /* segmentations */
    int64_t kept;                  /* of them those that an earlier process made */
    checkpoint_writer to;          /* what is there so far */
    char *settings;                /* that it is good for */
    double began;
} grpnmf_work;

extern const grpnmf_pipeline grpnmf_pipelines[GRPNMF_PIPELINES];
extern const grpnmf_method grpnmf_methods[GRPNMF_METHODS];
extern const double grpnmf_ridges[GRPNMF_RIDGES];
extern const grpnmf_picture grpnmf_pictures[GRPNMF_PICTURES]; /* by their figures */

/* Mean and standard error of a criterion over the mosaics; NaN where there are none. */
void grpnmf_mean(const grpnmf_work *w, int set, int pipeline, int method, int criterion,
                 double *mean, double *error);
/* RUN/mosaics/SET-NAME.png (memory_free); NULL with the message set. */
char *grpnmf_drawing(const grpnmf_work *w, int set, int index);

/* Goes on from RUN/checkpoint where that is of the same request and mosaics: `kept`. */
orthant_status grpnmf_begin_checkpoints(grpnmf_work *w);
/* After each segmentation. One that cannot be written is told, and the reproduction goes on. */
void grpnmf_checkpoint(grpnmf_work *w);
/* Removes it where all is done. */
orthant_status grpnmf_end_checkpoints(grpnmf_work *w, orthant_status status);

/* Which are asked for, and of which the data are there. */
void grpnmf_choose_pictures(grpnmf_work *w);
/* Segments, draws and measures one. */
orthant_status grpnmf_run_picture(grpnmf_work *w, int index);
/* RUN/figures/figure-3-nmf.png, or that of a snapshot (memory_free); NULL with the message set. */
char *grpnmf_picture_path(const grpnmf_work *w, int index, int64_t after);
/* RUN/figures/figure-N.csv */
orthant_status grpnmf_write_pictures(const grpnmf_work *w);
bool grpnmf_picture_made(const grpnmf_work *w, int index);
/* What was measured. */
orthant_status grpnmf_picture_sheets(const grpnmf_work *w, sheet_list *shown);
orthant_status grpnmf_claims(const grpnmf_work *w, sheet_list *shown);
/* Of a criterion's name; below 0: there is none. */
int grpnmf_criterion(const char *name, bool *higher_is_better);
/* The paper's criteria, as Table I prints them: a NULL ends them. */
extern const char *const grpnmf_printed[];

orthant_status grpnmf_sheets(const grpnmf_work *w, sheet_list *shown);
orthant_status grpnmf_page(const grpnmf_work *w, const sheet_list *shown);

#endif
