/* The RUN folder of a segmentation: labels, pictures, run.json, report.html. */
#ifndef REPORT_SEGMENT_RUN_H
#define REPORT_SEGMENT_RUN_H

#include "orthant/segmentation.h"
#include "data/label_image.h"
#include "report/json.h"
#include "vision/cloud.h"
#include "vision/segment.h"

enum { SEGMENT_DRAW_OVERLAY = 1, SEGMENT_DRAW_BORDERS = 2, SEGMENT_DRAW_GRAPH = 4 };

typedef struct segment_run {
    const char *command; /* the command line, or NULL */
    const char *data_path;
    const segment_options *options;
    const segmentation *found;
    const image *picture;      /* of a picture */
    const struct cloud *cloud; /* of a cloud; else NULL */
    int draw;                  /* what to draw over a picture */
    const char *truth_path;    /* with scores */
    int64_t annotators;
    const label_image *truth;                  /* the first; or NULL */
    const orthant_segmentation_scores *scores; /* the mean over the annotators; or NULL */
} segment_run;

/* "pixels", "watershed", "slic" or "points". */
const char *segment_nodes_name(const segment_run *run);

/* What the run.json of `folder` says: one object; NULL: for the screen. */
orthant_status segment_run_describe(orthant_context *ctx, const segment_run *run,
                                    const char *folder, json_writer *json);

/* FOLDER/labels.png and labels.npy, picture.png, truth.png, overlay.png and what else is to be
 * drawn, snapshot-N.png for each snapshot; of a cloud labels.npy, segments.ply, view.png and
 * points.npy; run.json and report.html. */
orthant_status segment_run_write(orthant_context *ctx, const segment_run *run, const char *folder);

#endif
