/* Writes the run folder of a segmentation. */
#include "report/segment_run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/file_checksum.h"
#include "core/memory.h"
#include "core/sized.h"
#include "data/element.h"
#include "data/read.h"
#include "orthant/run.h"
#include "report/draw.h"
#include "report/folder.h"
#include "report/run_json.h"
#include "report/text_file.h"
#include "report/text_output.h"
#include "vision/handles.h"
#include "vision/palette.h"

#define VIEW_WIDTH 800
#define MOST_POINTS 20000 /* of a cloud that the page turns */
#define SIZES_TOLD 256

const char *segment_nodes_name(const segment_run *run)
{
    static const char *const names[] = {
        [SEGMENT_PIXELS] = "pixels", [SEGMENT_WATERSHED] = "watershed", [SEGMENT_SLIC] = "slic"};
    return run->cloud ? "points" : names[run->options->nodes];
}

/* ---- run.json ---------------------------------------------------------------------------------
 */

static void describe_text(json_writer *json, const char *key, const char *text)
{
    if (text)
        json_text(json, key, text);
}

/* What was chosen, and what the choice came to. */
static void describe_parameters(json_writer *json, const segment_run *run)
{
    const segment_options *o = run->options;
    json_open_object(json, "parameters");
    json_text(json, "nodes", segment_nodes_name(run));
    if (o->iterations > 0)
        json_integer(json, "iterations", o->iterations);
    if (o->graph_weight >= 0.0 || run->found->graph_weight > 0.0)
        json_number(json, "graph_weight",
                    o->graph_weight >= 0.0 ? o->graph_weight : run->found->graph_weight);
    describe_text(json, "features", o->features);
    describe_text(json, "feature_weights", o->feature_weights);
    describe_text(json, "edge_weights", o->edge_weights);
    describe_text(json, "bank", o->bank);
    describe_text(json, "binning", o->binning);
    describe_text(json, "finish", o->finish);
    describe_text(json, "snapshots", o->snapshots);
    if (o->window > 0)
        json_integer(json, "window", o->window);
    if (o->bins > 0)
        json_integer(json, "bins", o->bins);
    if (o->superpixels > 0)
        json_integer(json, "superpixels", o->superpixels);
    if (o->smoothing > 0.0)
        json_number(json, "smoothing", o->smoothing);
    if (o->smallest >= 0.0)
        json_number(json, "smallest", o->smallest);
    if (o->neighbours > 0)
        json_integer(json, "neighbours", o->neighbours);
    for (int i = 0; i < o->parameter_count; i++) {
        char name[64];
        const size_t length = strcspn(o->parameters[i], "=");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 63,
                 o->parameters[i]);
        json_number_or_text(json, name, o->parameters[i] + length + 1);
    }
    json_close(json);
}

/* How many pixels or points each segment has. */
static void describe_sizes(json_writer *json, const segmentation *found)
{
    int64_t sizes[SIZES_TOLD] = {0};
    if (found->segments > SIZES_TOLD)
        return;
    for (int64_t i = 0; i < found->count; i++)
        if (found->labels[i] >= 0 && found->labels[i] < found->segments)
            sizes[found->labels[i]]++;
    json_open_array(json, "sizes");
    for (int64_t l = 0; l < found->segments; l++)
        json_integer(json, NULL, sizes[l]);
    json_close(json);
}

static void describe_found(json_writer *json, const segmentation *found)
{
    json_integer(json, "segments", found->segments);
    describe_sizes(json, found);
    json_truth(json, "estimated", found->estimated);
    if (found->estimated)
        json_integer(json, "estimated_segments", found->wanted);
    if (*found->evidence)
        json_text(json, "evidence", found->evidence);
    json_integer(json, "nodes", found->nodes);
    json_integer(json, "edges", found->edges);
    json_integer(json, "iterations", found->iterations);
    json_truth(json, "stopped", found->interrupted);
    json_number(json, "objective", found->objective);
    json_number(json, "seconds", found->total_seconds);
    json_number(json, "feature_seconds", found->feature_seconds);
    json_number(json, "fit_seconds", found->fit_seconds);
}

static orthant_status describe_data(orthant_context *ctx, const segment_run *run, json_writer *json)
{
    char digest[65] = "";
    const orthant_status status =
        run->data_path ? file_sha256(ctx, run->data_path, digest) : ORTHANT_OK;
    json_open_object(json, "data");
    json_text(json, "path", run->data_path);
    if (run->cloud) {
        json_integer(json, "points", run->found->count);
        json_truth(json, "organised", run->cloud->height > 1);
    } else {
        json_integer(json, "height", run->found->height);
        json_integer(json, "width", run->found->width);
    }
    json_text(json, "sha256", *digest ? digest : NULL);
    json_close(json);
    return status;
}

static void describe_scores(json_writer *json, const segment_run *run)
{
    orthant_criterion_info info = {.size = sizeof info};
    json_open_object(json, "scores");
    for (int i = 0; run->scores && !orthant_criterion_at(i, &info); i++)
        json_number(json, info.name, orthant_criterion_value(run->scores, i));
    if (run->scores) {
        orthant_segmentation_scores own = {0};
        sized_take(NULL, "", run->scores, &own, sizeof own);
        json_number(json, "regions_true", own.regions_true);
        json_integer(json, "annotators", run->annotators);
        json_text(json, "truth", run->truth_path);
    }
    json_close(json);
}

static void describe_snapshots(json_writer *json, const segment_run *run)
{
    for (int i = 0; i < run->found->snapshot_count; i++) {
        char name[48];
        snprintf(name, sizeof name, "snapshot-%" PRId64 ".png", run->found->snapshots[i].iteration);
        json_text(json, NULL, name);
    }
}

/* The files beside run.json and report.html, in the order in which the report shows the pictures.
 */
static void describe_files(json_writer *json, const segment_run *run)
{
    json_open_array(json, "files");
    if (run->cloud) {
        json_text(json, NULL, "view.png");
        describe_snapshots(json, run);
        json_text(json, NULL, "segments.ply");
        json_text(json, NULL, "points.npy");
    } else {
        if (run->draw & SEGMENT_DRAW_OVERLAY)
            json_text(json, NULL, "overlay.png");
        if (run->draw & SEGMENT_DRAW_BORDERS)
            json_text(json, NULL, "boundaries.png");
        if (run->draw & SEGMENT_DRAW_GRAPH)
            json_text(json, NULL, "graph.png");
        describe_snapshots(json, run);
        json_text(json, NULL, "labels.png");
        json_text(json, NULL, "picture.png");
        if (run->truth)
            json_text(json, NULL, "truth.png");
    }
    json_text(json, NULL, "labels.npy");
    json_close(json);
}

orthant_status segment_run_describe(orthant_context *ctx, const segment_run *run,
                                    const char *folder, json_writer *json)
{
    json_open_object(json, NULL);
    json_text(json, "kind", "segmentation");
    json_text(json, "method", run->options->method ? run->options->method : "grpnmf");
    describe_parameters(json, run);
    if (run->options->segments > 0)
        json_integer(json, "rank", run->options->segments);
    json_integer(json, "seed", (int64_t)run->options->seed);
    run_json_context(ctx, json);
    describe_found(json, run->found);
    const orthant_status status = describe_data(ctx, run, json);
    describe_scores(json, run);
    describe_files(json, run);
    const orthant_status ended = run_json_end(ctx, json, run->command, status ? NULL : folder);
    return status ? status : ended;
}

/* ---- the folder -------------------------------------------------------------------------------
 */

static orthant_status describe(orthant_context *ctx, const void *run, const char *folder,
                               json_writer *json)
{
    return segment_run_describe(ctx, run, folder, json);
}

/* height x width of a picture, one entry a point of a cloud. */
static orthant_status write_npy_labels(orthant_context *ctx, const segmentation *found,
                                       const char *folder)
{
    file_writer writer;
    char *path = path_join(ctx, folder, "labels.npy");
    const bool picture = found->height > 0;
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        write_npy_header(writer.file, host_is_big() ? ">i4" : "<i4",
                         picture ? found->height : found->count, picture ? found->width : -1);
        fwrite(found->labels, sizeof *found->labels, (size_t)found->count, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    return status;
}

/* The file of a cloud's points that the page turns: x, y, z, red, green, blue, label, true label.
 */
static orthant_status write_points(orthant_context *ctx, const segment_run *run, const char *folder)
{
    const cloud *c = run->cloud;
    const int64_t step = (c->kept + MOST_POINTS - 1) / MOST_POINTS;
    const int64_t rows = step ? (c->kept + step - 1) / step : 0;
    file_writer writer;
    char *path = path_join(ctx, folder, "points.npy");
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        write_npy_header(writer.file, host_is_big() ? ">f4" : "<f4", rows, 8);
        for (int64_t i = 0; i < c->kept; i += step) {
            const int64_t p = c->keep[i];
            float row[8];
            for (int j = 0; j < 3; j++) {
                row[j] = (float)c->position[3 * p + j];
                row[3 + j] = c->color ? (float)c->color[3 * p + j] : 160.0f;
            }
            row[6] = (float)run->found->labels[p];
            row[7] = run->truth ? (float)run->truth->labels[p] : -1.0f;
            fwrite(row, sizeof *row, 8, writer.file);
        }
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, path);
    return status;
}

/* Writes the drawing that `status` says is there, and frees it. */
static orthant_status save(orthant_context *ctx, orthant_status status, image *drawn,
                           const char *folder, const char *name)
{
    char *path = status ? NULL : path_join(ctx, folder, name);
    if (!status)
        status = path ? image_write_png(ctx, drawn, path) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    image_free(ctx, drawn);
    return status;
}

/* Labels as a picture: an eye sees their colours, a program reads the palette's indices. */
static orthant_status save_labels(orthant_context *ctx, const int32_t *labels, int height,
                                  int width, const char *folder, const char *name)
{
    unsigned char palette[IMAGE_PALETTE];
    image drawn = {0};
    char *path = path_join(ctx, folder, name);
    orthant_status status =
        path ? draw_labels(ctx, labels, height, width, &drawn) : ORTHANT_ERROR_MEMORY;
    palette_fill(palette);
    if (!status)
        status = image_write_indexed_png(ctx, &drawn, palette, path);
    memory_free(ctx, path);
    image_free(ctx, &drawn);
    return status;
}

/* The picture as it was segmented, for the page. */
static orthant_status save_picture(orthant_context *ctx, const segment_run *run, const char *folder)
{
    char *path = path_join(ctx, folder, "picture.png");
    const orthant_status status =
        path ? image_write_png(ctx, run->picture, path) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    return status;
}

static orthant_status write_snapshots(orthant_context *ctx, const segment_run *run,
                                      const char *folder)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < run->found->snapshot_count && !status; i++) {
        const segment_snapshot *shot = &run->found->snapshots[i];
        image drawn = {0};
        char name[48];
        snprintf(name, sizeof name, "snapshot-%" PRId64 ".png", shot->iteration);
        status = run->cloud ? cloud_render(ctx, run->cloud, shot->labels, VIEW_WIDTH, 0, &drawn)
                            : draw_overlay(ctx, run->picture, shot->labels, &drawn);
        status = save(ctx, status, &drawn, folder, name);
    }
    return status;
}

static orthant_status write_pictures(orthant_context *ctx, const segment_run *run,
                                     const char *folder)
{
    const segmentation *found = run->found;
    image drawn = {0};
    orthant_status status =
        save_labels(ctx, found->labels, found->height, found->width, folder, "labels.png");
    if (!status)
        status = save_picture(ctx, run, folder);
    if (!status && run->truth)
        status =
            save_labels(ctx, run->truth->labels, found->height, found->width, folder, "truth.png");
    if (!status && run->draw & SEGMENT_DRAW_OVERLAY) {
        status = draw_overlay(ctx, run->picture, found->labels, &drawn);
        status = save(ctx, status, &drawn, folder, "overlay.png");
    }
    if (!status && run->draw & SEGMENT_DRAW_BORDERS) {
        status = draw_borders(ctx, run->picture, found->labels, &drawn);
        status = save(ctx, status, &drawn, folder, "boundaries.png");
    }
    if (!status && run->draw & SEGMENT_DRAW_GRAPH) {
        status =
            draw_graph(ctx, run->picture, found->graph, found->position, found->labels, &drawn);
        status = save(ctx, status, &drawn, folder, "graph.png");
    }
    return status ? status : write_snapshots(ctx, run, folder);
}

static orthant_status write_cloud(orthant_context *ctx, const segment_run *run, const char *folder)
{
    image drawn = {0};
    char *path = path_join(ctx, folder, "segments.ply");
    orthant_status status =
        path ? cloud_write_ply(ctx, run->cloud, run->found->labels, path) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    if (!status) {
        status = cloud_render(ctx, run->cloud, run->found->labels, VIEW_WIDTH, 0, &drawn);
        status = save(ctx, status, &drawn, folder, "view.png");
    }
    if (!status)
        status = write_points(ctx, run, folder);
    return status ? status : write_snapshots(ctx, run, folder);
}

orthant_status segment_run_write(orthant_context *ctx, const segment_run *run, const char *folder)
{
    staging stage;
    orthant_status status = staging_begin(ctx, folder, &stage);
    if (status)
        return status;
    status = write_npy_labels(ctx, run->found, stage.path);
    if (!status)
        status =
            run->cloud ? write_cloud(ctx, run, stage.path) : write_pictures(ctx, run, stage.path);
    if (!status)
        status = run_json_write(ctx, stage.path, describe, run);
    status = staging_end(&stage, status);
    return status ? status : orthant_run_report(ctx, folder);
}

/* ---- as their user sees them ------------------------------------------------------------------
 */

/* Of "overlay,boundaries,graph". */
static orthant_status read_draw(orthant_context *ctx, const char *list, int *draw)
{
    static const struct {
        const char *name;
        int flag;
    } kinds[] = {{"overlay", SEGMENT_DRAW_OVERLAY},
                 {"boundaries", SEGMENT_DRAW_BORDERS},
                 {"graph", SEGMENT_DRAW_GRAPH}};
    *draw = list ? 0 : SEGMENT_DRAW_OVERLAY;
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        int flag = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, list, length))
                flag = kinds[i].flag;
        if (!flag)
            return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                        "draw '%.*s': expected overlay, boundaries or graph",
                        length < 60 ? (int)length : 60, list);
        *draw |= flag;
        list += length + (list[length] == ',');
    }
    return ORTHANT_OK;
}

/* What a caller gave as this file knows it; `options` holds what `run` points to. */
static orthant_status take_run(orthant_context *ctx, const char *function,
                               const orthant_segment_run *given, segment_options *options,
                               segment_run *run)
{
    orthant_segment_run own;
    if (!ctx || !given)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: an argument is NULL", function);
    orthant_status status = sized_take(ctx, function, given, &own, sizeof own);
    if (!status)
        status = segment_options_take(ctx, function, own.options, options);
    *run = (segment_run){.command = own.command,
                         .data_path = own.data_path,
                         .options = options,
                         .truth_path = own.truth_path,
                         .annotators = own.annotators,
                         .scores = own.scores};
    if (!status)
        status = read_draw(ctx, own.draw, &run->draw);
    if (status)
        return status;
    if (!own.segmentation || !own.image == !own.cloud)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: a segmentation and its picture or its cloud are needed", function);
    run->found = &own.segmentation->inner;
    run->picture = own.image ? &own.image->inner : NULL;
    run->cloud = own.cloud ? &own.cloud->inner : NULL;
    if (own.image ? own.image->inner.height != run->found->height ||
                        own.image->inner.width != run->found->width
                  : own.cloud->inner.count != run->found->count)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "%s: the segmentation is that of another picture or cloud", function);
    const label_image *truth = own.truth && own.truth->inner.count ? own.truth->inner.image : NULL;
    const bool fits = truth && (own.image ? truth->height == run->found->height &&
                                                truth->width == run->found->width
                                          : truth->height * truth->width == run->found->count);
    if (truth && !fits)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: the truth has another size", function);
    run->truth = truth;
    if (run->draw & SEGMENT_DRAW_GRAPH && own.image && !run->found->position)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "draw 'graph': pixels have no graph");
    return ORTHANT_OK;
}

orthant_status orthant_segment_run_write(orthant_context *context, const orthant_segment_run *run,
                                         const char *folder)
{
    segment_options options;
    segment_run own;
    const orthant_status status =
        take_run(context, "orthant_segment_run_write", folder ? run : NULL, &options, &own);
    return status ? status : segment_run_write(context, &own, folder);
}

orthant_status orthant_segment_run_describe(orthant_context *context,
                                            const orthant_segment_run *run, char **text)
{
    segment_options options;
    segment_run own;
    text_output output;
    if (text)
        *text = NULL;
    orthant_status status =
        take_run(context, "orthant_segment_run_describe", text ? run : NULL, &options, &own);
    if (!status)
        status = text_output_begin(context, &output);
    if (status)
        return status;
    json_writer json = {.file = output.file, .compact = true};
    return text_output_end(&output, segment_run_describe(context, &own, NULL, &json), text);
}
