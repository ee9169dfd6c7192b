/* Segmentation: a picture's pixels, its superpixels or a cloud's points become nodes with features
 * and a graph; a factorisation labels the nodes; labels go back to pixels or points. */
#ifndef VISION_SEGMENT_H
#define VISION_SEGMENT_H

#include "data/image.h"
#include "data/matrix.h"
#include "graph/graph.h"
#include "orthant/fit.h"

typedef enum segment_nodes {
    SEGMENT_PIXELS, /* texture: local spectral histograms, section 'pixels' of docs/segmentation.md
                     */
    SEGMENT_WATERSHED, /* regions of a flooded gradient */
    SEGMENT_SLIC
} segment_nodes;

/* What the user may choose; zero or NULL is the default of that field. */
typedef struct segment_options {
    segment_nodes nodes;
    const char *method; /* grpnmf, grpnmf+, fseg, kmeans, nmf, gnmf, convex-nmf, onmf */
    int64_t segments;   /* 0: estimated from the data */
    int64_t iterations;
    uint64_t seed;
    double graph_weight; /* lambda; negative: the default of the kind of nodes */
    /* superpixels: "lab,rgb,gabor,space,histogram"; clouds: "color,space,normals" */
    const char *features;
    const char *feature_weights; /* clouds: "1,0.5,2", one a group */
    /* pixels */
    const char *bank; /* filter bank */
    int window;       /* side of the histogram's window */
    int bins;
    const char *binning; /* "width" or "population" */
    /* "regions": each segment one connected region (pixels); "textures": a segment may lie in
     * several places; "pieces": each connected piece is a segment (superpixels); "none": labels as
     * the factors give them */
    const char *finish;
    /* superpixels */
    int64_t superpixels;      /* SLIC: about how many; watershed: 0, all minima */
    const char *edge_weights; /* "binary" or "color" */
    double smoothing;         /* watershed: pixels of the Gaussian before the gradient */
    double smallest;          /* smaller pieces (share of the picture) join what is around them;
                                 negative: the default */
    /* pixels without a finish, whose segments are counted: directions beyond which the "share" of
     * the histograms' energy, or the "mean" energy of a node, is small */
    const char *counting;
    const char *init;      /* grpnmf's start: "kmeans" (the default) or "random" */
    const char *snapshots; /* "2,450,1000": iterations after which the labels are kept too */
    const char *const *parameters; /* "name=value" of the method's parameters */
    int parameter_count;
    /* clouds */
    int64_t neighbours;
} segment_options;

#define SEGMENT_MOST_SNAPSHOTS 16

typedef struct segment_snapshot {
    int64_t iteration;
    int32_t *labels;
} segment_snapshot;

/* What comes back; freed by segmentation_free. */
typedef struct segmentation {
    orthant_context *ctx;
    int64_t count;        /* pixels (height * width, row-major) or points */
    int height, width;    /* 0 for a cloud */
    int32_t *labels;      /* 0 .. segments - 1; -1: no label (a missing point) */
    int64_t segments;     /* how many are used */
    int64_t wanted;       /* how many were asked for, or estimated */
    bool estimated;       /* the number of segments was estimated ... */
    char evidence[512];   /* ... from this */
    int64_t nodes, edges; /* of the graph; 0 edges where there is none */
    int32_t *node_of;     /* superpixels: each pixel's node, -1 on a line; else NULL */
    orthant_graph *graph; /* superpixels and clouds; may be NULL */
    double *position;     /* nodes x 2 (row, column) for drawing the graph; or NULL */
    segment_snapshot snapshots[SEGMENT_MOST_SNAPSHOTS];
    int snapshot_count;
    double feature_seconds, fit_seconds, total_seconds;
    int64_t iterations;
    bool interrupted; /* before they were as many as were asked for */
    double objective;
    double graph_weight; /* lambda in force, where there is a graph */
} segmentation;

/* Pictures of more pixels are refused, before anything is read. */
#define SEGMENT_MOST_PIXELS (INT64_C(1) << 26)
orthant_status segment_check_size(orthant_context *ctx, const char *name, int height, int width);

orthant_status segment_pixels(orthant_context *ctx, const image *picture,
                              const segment_options *options, segmentation *out);
orthant_status segment_superpixels(orthant_context *ctx, const image *picture,
                                   const segment_options *options, segmentation *out);
struct cloud;
orthant_status segment_cloud(orthant_context *ctx, const struct cloud *points,
                             const segment_options *options, segmentation *out);
void segmentation_free(segmentation *s);

/* The options' "name=value" into the model. */
orthant_status segment_set_parameters(orthant_context *ctx, const char *const *parameters,
                                      int count, orthant_model *model);

#endif
