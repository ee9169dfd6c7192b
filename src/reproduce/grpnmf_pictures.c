/* Figures 1 and 3 to 7 and what is claimed of them: pictures and a cloud, segmented region by
 * region and point by point with the paper's settings, drawn and measured. The paper does not name
 * its pictures; these are such as it shows. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/draw.h"
#include "report/text_file.h"
#include "reproduce/grpnmf.h"
#include "reproduce/items.h"
#include "vision/cloud.h"

#define TEXTURE "Prague/colour/tm1_1_1.png"
#define EAGLE "BSDS/images/42049.jpg"
#define PLANE "BSDS/images/3096.jpg"
#define SCENE "pointclouds/mOSD/learn0.pcd"
#define CLOUD_WIDTH 320
enum { QUICK_ITERATIONS = 20 };

/* A number of iterations is stated: no other end. */
static const char *const paper_rule[] = {"tolerance=0", "exponent=0.25"};
/* The papers' plain NMF is the multiplicative rule, as GNMF's is without its graph. */
static const char *const paper_nmf[] = {"tolerance=0", "solver=mu"};

/* The paper's rule on regions of a watershed: its start is a random one, an edge has the weight 1,
 * and labels are what the factors say. */
#define REGIONS(title, classes, weight, kind, most)                                           \
    .nodes = SEGMENT_WATERSHED, .method = title, .segments = classes, .graph_weight = weight, \
    .features = kind, .iterations = most, .edge_weights = "binary", .finish = "none",         \
    .init = "random"
#define PROJECTIVE .parameters = paper_rule, .parameter_count = 2
#define MULTIPLICATIVE .parameters = paper_nmf, .parameter_count = 2
#define POINTS(weight, kind, most)                                               \
    .method = "grpnmf", .segments = 2, .graph_weight = weight, .features = kind, \
    .iterations = most, .init = "random", PROJECTIVE

const grpnmf_picture grpnmf_pictures[GRPNMF_PICTURES] = {
    {"1",
     "graph",
     EAGLE,
     "the graph of neighbouring regions",
     DRAWN_GRAPH,
     {REGIONS("grpnmf", 2, 500, "lab", 1000), PROJECTIVE}},
    {"3",
     "nmf",
     TEXTURE,
     "NMF",
     DRAWN_SEGMENTS,
     {REGIONS("nmf", 3, 0, "gabor", 250), MULTIPLICATIVE}},
    {"3",
     "grpnmf-0",
     TEXTURE,
     "GRPNMF, lambda 0",
     DRAWN_SEGMENTS,
     {REGIONS("grpnmf", 3, 0, "gabor", 250), PROJECTIVE}},
    {"3",
     "gnmf",
     TEXTURE,
     "GNMF, lambda 0.25",
     DRAWN_SEGMENTS,
     {REGIONS("gnmf", 3, 0.25, "gabor", 250), MULTIPLICATIVE}},
    {"3",
     "grpnmf-10",
     TEXTURE,
     "GRPNMF, lambda 10",
     DRAWN_SEGMENTS,
     {REGIONS("grpnmf", 3, 10, "gabor", 250), PROJECTIVE}},
    {"4",
     "grpnmf-1",
     TEXTURE,
     "GRPNMF, lambda 1",
     DRAWN_SEGMENTS,
     {REGIONS("grpnmf", 3, 1, "gabor", 250), PROJECTIVE}},
    {"4",
     "grpnmf-20",
     TEXTURE,
     "GRPNMF, lambda 20",
     DRAWN_SEGMENTS,
     {REGIONS("grpnmf", 3, 20, "gabor", 250), PROJECTIVE}},
    {"4",
     "borders",
     TEXTURE,
     "its borders",
     DRAWN_BORDERS,
     {REGIONS("grpnmf", 3, 20, "gabor", 250), PROJECTIVE}},
    {"5", "kmeans", PLANE, "k-means", DRAWN_SEGMENTS, {REGIONS("kmeans", 2, 0, "lab", 2000)}},
    {"5", "nmf", PLANE, "NMF", DRAWN_SEGMENTS, {REGIONS("nmf", 2, 0, "lab", 2000), MULTIPLICATIVE}},
    {"5",
     "grpnmf-0",
     PLANE,
     "GRPNMF, lambda 0",
     DRAWN_SEGMENTS,
     {REGIONS("grpnmf", 2, 0, "lab", 2000), PROJECTIVE}},
    {"5",
     "gnmf",
     PLANE,
     "GNMF, lambda 0.15",
     DRAWN_SEGMENTS,
     {REGIONS("gnmf", 2, 0.15, "lab", 2000), MULTIPLICATIVE}},
    {"5",
     "grpnmf-500",
     PLANE,
     "GRPNMF, lambda 500",
     DRAWN_SEGMENTS,
     {REGIONS("grpnmf", 2, 500, "lab", 2000), PROJECTIVE}},
    {"6",
     "grpnmf-500",
     EAGLE,
     "GRPNMF, lambda 500",
     DRAWN_SEGMENTS,
     {REGIONS("grpnmf", 2, 500, "lab", 1000), PROJECTIVE, .snapshots = "2,450,500,600,700"}},
    {"7",
     "start",
     SCENE,
     "after one step from a random start",
     DRAWN_POINTS,
     {POINTS(0, "color", 1)}},
    {"7", "color", SCENE, "colour, lambda 0", DRAWN_POINTS, {POINTS(0, "color", 5500)}},
    {"7", "space", SCENE, "space, lambda 0", DRAWN_POINTS, {POINTS(0, "space", 5500)}},
    {"7",
     "all-0",
     SCENE,
     "colour, space, normals, lambda 0",
     DRAWN_POINTS,
     {POINTS(0, "color,space,normals", 5500)}},
    {"7",
     "all-500",
     SCENE,
     "colour, space, normals, lambda 500",
     DRAWN_POINTS,
     {POINTS(500, "color,space,normals", 5500)}},
};

/* ---- what is asked for ---- */

/* As grpnmf_items.c has it. */
static void row_of(const grpnmf_picture *of, char *row, size_t size)
{
    snprintf(row, size, "figures/figure-%s.csv:%.*s", of->figure, (int)strcspn(of->file, "/"),
             of->file);
}

static bool is_there(const grpnmf_work *w, const grpnmf_picture *of)
{
    char *path = path_join(w->ctx, w->request->data, of->file);
    const bool there = path && file_exists(path);
    memory_free(w->ctx, path);
    return there;
}

void grpnmf_choose_pictures(grpnmf_work *w)
{
    const reproducible *paper = reproducible_find("grpnmf");
    for (int i = 0; i < GRPNMF_PICTURES; i++) {
        char row[64];
        row_of(&grpnmf_pictures[i], row, sizeof row);
        w->wanted[i] = items_want(w->request, paper, ITEM_FIGURE, row) ||
                       items_want(w->request, paper, ITEM_CLAIM, row);
        w->missing[i] = !is_there(w, &grpnmf_pictures[i]);
        w->total += w->wanted[i] && !w->missing[i];
    }
}

char *grpnmf_picture_path(const grpnmf_work *w, int index, int64_t after)
{
    char name[96] = "";
    const grpnmf_picture *of = &grpnmf_pictures[index];
    text_append(name, sizeof name, "figures/figure-%s-%s", of->figure, of->name);
    if (after)
        text_append(name, sizeof name, "-after-%" PRId64, after);
    text_append(name, sizeof name, ".png");
    return path_join(w->ctx, w->request->output, name);
}

/* ---- one segmentation ---- */

/* How often the objective rose, while others are told too. */
typedef struct descent_watch {
    orthant_progress_function told;
    void *user;
    double first, last, rise; /* the largest from one iteration to the next, of the first value */
} descent_watch;

static bool watch_descent(void *user, const orthant_progress *progress)
{
    descent_watch *w = user;
    if (!strcmp(progress->phase, "fit") && !isnan(progress->objective)) {
        if (isnan(w->last))
            w->first = progress->objective;
        else
            w->rise = fmax(w->rise, (progress->objective - w->last) / fabs(w->first));
        w->last = progress->objective;
    }
    return w->told ? w->told(w->user, progress) : true;
}

/* The share of neighbouring pixels with different labels: how long the borders are. */
static double border_share(const segmentation *s)
{
    int64_t pairs = 0, differ = 0;
    for (int64_t i = 0; i < s->height; i++)
        for (int64_t j = 0; j < s->width; j++) {
            const int32_t *here = s->labels + i * s->width + j;
            if (j + 1 < s->width) {
                pairs++;
                differ += here[0] != here[1];
            }
            if (i + 1 < s->height) {
                pairs++;
                differ += here[0] != here[s->width];
            }
        }
    return pairs ? (double)differ / (double)pairs : (double)NAN;
}

static orthant_status write_drawing(const grpnmf_work *w, int index, int64_t after, image *drawn)
{
    char *path = grpnmf_picture_path(w, index, after);
    const orthant_status status =
        path ? image_write_png(w->ctx, drawn, path) : ORTHANT_ERROR_MEMORY;
    memory_free(w->ctx, path);
    image_free(w->ctx, drawn);
    return status;
}

static orthant_status draw_picture(const grpnmf_work *w, int index, const image *picture,
                                   const segmentation *s)
{
    image drawn = {0};
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < s->snapshot_count && !status; i++) {
        status = draw_overlay(w->ctx, picture, s->snapshots[i].labels, &drawn);
        if (!status)
            status = write_drawing(w, index, s->snapshots[i].iteration, &drawn);
    }
    if (status)
        return status;
    switch (grpnmf_pictures[index].drawn) {
    case DRAWN_BORDERS: status = draw_borders(w->ctx, picture, s->labels, &drawn); break;
    case DRAWN_GRAPH:
        status = draw_graph(w->ctx, picture, s->graph, s->position, s->labels, &drawn);
        break;
    default: status = draw_overlay(w->ctx, picture, s->labels, &drawn); break;
    }
    return status ? status : write_drawing(w, index, 0, &drawn);
}

static orthant_status segment_picture(grpnmf_work *w, int index, const char *path,
                                      const segment_options *options, segmentation *s)
{
    image picture = {0};
    orthant_status status = image_read(w->ctx, path, 3, &picture);
    if (!status)
        status = segment_superpixels(w->ctx, &picture, options, s);
    if (!status)
        status = draw_picture(w, index, &picture, s);
    image_free(w->ctx, &picture);
    return status;
}

static orthant_status segment_scene(grpnmf_work *w, int index, const char *path,
                                    const segment_options *options, segmentation *s)
{
    cloud points = {0};
    image drawn = {0};
    orthant_status status = cloud_read(w->ctx, path, &points);
    if (status)
        return status;
    status = segment_cloud(w->ctx, &points, options, s);
    if (!status)
        status = cloud_render(w->ctx, &points, s->labels, CLOUD_WIDTH, 0, &drawn);
    if (!status)
        status = write_drawing(w, index, 0, &drawn);
    cloud_free(&points);
    return status;
}

static segment_options options_for(const grpnmf_work *w, const grpnmf_picture *of)
{
    segment_options options = of->options;
    options.seed = (uint64_t)w->request->seed;
    if (w->request->quick && options.iterations > QUICK_ITERATIONS) {
        options.iterations = QUICK_ITERATIONS;
        options.snapshots = options.snapshots ? "2" : NULL;
    }
    return options;
}

/* In double precision: in single, rounding lets the objective of a large cloud rise. */
orthant_status grpnmf_run_picture(grpnmf_work *w, int index)
{
    const grpnmf_picture *of = &grpnmf_pictures[index];
    const segment_options options = options_for(w, of);
    descent_watch watch = {w->ctx->progress, w->ctx->progress_user, NAN, NAN, 0.0};
    segmentation s = {0};
    char *path = path_join(w->ctx, w->request->data, of->file);
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    const orthant_precision precision = orthant_context_precision(w->ctx);
    orthant_context_set_progress(w->ctx, watch_descent, &watch);
    orthant_context_set_precision(w->ctx, ORTHANT_DOUBLE);
    const orthant_status status = of->drawn == DRAWN_POINTS
                                      ? segment_scene(w, index, path, &options, &s)
                                      : segment_picture(w, index, path, &options, &s);
    orthant_context_set_precision(w->ctx, precision);
    orthant_context_set_progress(w->ctx, watch.told, watch.user);
    if (!status)
        w->measured[index] = (grpnmf_measured){.nodes = s.nodes,
                                               .iterations = s.iterations,
                                               .segments = s.segments,
                                               .border = border_share(&s),
                                               .rise = watch.rise,
                                               .seconds = s.fit_seconds};
    segmentation_free(&s);
    memory_free(w->ctx, path);
    return status;
}

/* ---- what came of it ---- */

bool grpnmf_picture_made(const grpnmf_work *w, int index)
{
    return w->wanted[index] && !w->missing[index];
}

/* A row for each drawing of a figure. */
static void write_rows(const grpnmf_work *w, const char *figure, FILE *file)
{
    fputs("drawing,data,method,nodes,segments,iterations,border,rise,seconds\n", file);
    for (int i = 0; i < GRPNMF_PICTURES; i++) {
        const grpnmf_picture *of = &grpnmf_pictures[i];
        const grpnmf_measured *m = &w->measured[i];
        if (!strcmp(of->figure, figure))
            fprintf(file, "%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.6g,%.3g,%.4g\n", of->name,
                    of->file, of->options.method, m->nodes, m->segments, m->iterations, m->border,
                    m->rise, m->seconds);
    }
}

static orthant_status write_figure(const grpnmf_work *w, const char *figure)
{
    char name[48];
    file_writer writer;
    snprintf(name, sizeof name, "figures/figure-%s.csv", figure);
    char *path = path_join(w->ctx, w->request->output, name);
    orthant_status status = path ? file_write_begin(w->ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        write_rows(w, figure, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    if (!status)
        status = reproduction_note_quick(w->ctx, w->request, path);
    memory_free(w->ctx, path);
    return status;
}

orthant_status grpnmf_write_pictures(const grpnmf_work *w)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < GRPNMF_PICTURES && !status; i++)
        if (grpnmf_picture_made(w, i) &&
            (i == 0 || strcmp(grpnmf_pictures[i].figure, grpnmf_pictures[i - 1].figure) != 0))
            status = write_figure(w, grpnmf_pictures[i].figure);
    return status;
}

static orthant_status add_measures(const grpnmf_work *w, sheet_list *shown)
{
    static const char *const columns[] = {"nodes", "segments", "iterations", "border", "seconds"};
    sheet *page = sheet_new(w->ctx, "figures",
                            "Segmentations behind the figures. Border: neighbouring pixels with "
                            "different labels (%). Seconds: of the iterations alone.");
    sheet_add_column(page, "figure", -1);
    sheet_add_column(page, "drawing", -1);
    for (int c = 0; c < 5; c++)
        sheet_add_column(page, columns[c], c == 3 ? 2 : c == 4 ? 3 : 0);
    for (int i = 0; i < GRPNMF_PICTURES; i++) {
        const grpnmf_measured *m = &w->measured[i];
        if (!grpnmf_picture_made(w, i))
            continue;
        sheet_add_row(page, false);
        sheet_add_text(page, grpnmf_pictures[i].figure);
        sheet_add_text(page, grpnmf_pictures[i].caption);
        sheet_add_number(page, (double)m->nodes);
        sheet_add_number(page, (double)m->segments);
        sheet_add_number(page, (double)m->iterations);
        sheet_add_number(page, 100.0 * m->border);
        sheet_add_number(page, m->seconds);
    }
    const orthant_status status = sheet_status(page), added = sheet_list_add(shown, page);
    return status ? status : added;
}

orthant_status grpnmf_picture_sheets(const grpnmf_work *w, sheet_list *shown)
{
    bool any = false;
    for (int i = 0; i < GRPNMF_PICTURES; i++)
        any = any || grpnmf_picture_made(w, i);
    if (!any)
        return ORTHANT_OK;
    return add_measures(w, shown);
}
