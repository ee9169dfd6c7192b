/* Segments every mosaic by every method and pipeline, averages the criteria, and has the pictures
 * of the figures made. */
#include "reproduce/grpnmf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/folder.h"
#include "report/text_file.h"
#include "reproduce/items.h"

/* The paper takes features and number of segments of FSEG; bank, bins and window of its Prague runs
 * are those of public code that follows it. */
#define PUBLISHED .bank = "b", .binning = "width", .window = 61, .finish = "none"
const grpnmf_pipeline grpnmf_pipelines[GRPNMF_PIPELINES] = {
    {"paper",
     "the published pipeline: bank b, 11 bins of equal width, window 61, labels by the largest "
     "share",
     {PUBLISHED}},
    {"ours", "Orthant's defaults: a finer bank, bins of equal population, merging and finish", {0}},
    {"count",
     "the published pipeline with the number of segments as FSEG's MATLAB program counts it",
     {PUBLISHED, .segments = MOSAIC_COUNTED}},
    {"mean",
     "the published pipeline with the number of segments as FSEG's Python program counts it",
     {PUBLISHED, .segments = MOSAIC_COUNTED, .counting = "mean"}},
};
/* The paper's exponent is 1/4; 1 is what Orthant segments with; grpnmf+ is not the paper's. */
const grpnmf_method grpnmf_methods[GRPNMF_METHODS] = {
    {"fseg", "fseg", NULL},
    {"convex-nmf", "convex-nmf", NULL},
    {"onmf", "onmf", NULL},
    {"grpnmf", "grpnmf", "exponent=0.25"},
    {"grpnmf^1", "grpnmf", "exponent=1"},
    {"grpnmf+", "grpnmf+", NULL},
    {"kmeans", "kmeans", NULL},
};
const double grpnmf_ridges[GRPNMF_RIDGES] = {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5};
enum { MOST_PARAMETERS = 2, QUICK_ITERATIONS = 20 }; /* GRPNMF_QUICK says them in words */

/* ---- what is asked of the runs ---- */

void grpnmf_mean(const grpnmf_work *w, int set, int pipeline, int method, int criterion,
                 double *mean, double *error)
{
    const orthant_segmentation_scores *scores = w->scores[set][pipeline][method];
    const int n = w->set[set].count;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++)
        sum += orthant_criterion_value(&scores[i], criterion);
    *mean = n ? sum / n : (double)NAN;
    for (int i = 0; i < n; i++)
        squares += pow(orthant_criterion_value(&scores[i], criterion) - *mean, 2);
    *error = n > 1 ? sqrt(squares / (n - 1) / n) : (double)NAN;
}

char *grpnmf_drawing(const grpnmf_work *w, int set, int index)
{
    char name[96];
    const mosaic_name *m = &w->set[set].mosaic[index];
    snprintf(name, sizeof name, "mosaics/%s-%d_%d_%d.png", w->set[set].name, m->set, m->mask,
             m->textures);
    return path_join(w->ctx, w->request->output, name);
}

/* ---- the runs ---- */

static orthant_status tell(grpnmf_work *w)
{
    w->done++;
    grpnmf_checkpoint(w);
    return progress_tell(w->ctx, "mosaics", w->done, w->total, clock_seconds() - w->began, NAN)
               ? ORTHANT_OK
               : fail(w->ctx, ORTHANT_STOPPED, "stopped after %lld of %lld segmentations",
                      (long long)w->done, (long long)w->total);
}

/* The options of a run: the pipeline's, with a method. A number of iterations is stated, so that
 * nothing else ends the published one; fseg and kmeans end by themselves. */
static segment_options options_of(const grpnmf_work *w, int pipeline, const grpnmf_method *method,
                                  const char *parameters[MOST_PARAMETERS])
{
    segment_options options = grpnmf_pipelines[pipeline].options;
    const bool ours = pipeline == GRPNMF_OURS;
    options.method = method->method;
    options.seed = (uint64_t)w->request->seed;
    options.iterations = w->request->quick ? QUICK_ITERATIONS : ours ? 0 : GRPNMF_ITERATIONS;
    options.parameters = parameters;
    if (!ours && strcmp(method->method, "fseg") != 0 && strcmp(method->method, "kmeans") != 0)
        parameters[options.parameter_count++] = "tolerance=0";
    if (method->parameter)
        parameters[options.parameter_count++] = method->parameter;
    return options;
}

/* The found segments are drawn where they are those of our defaults. */
static orthant_status run_one(grpnmf_work *w, int set, int index, int pipeline, int method,
                              const mosaic *of)
{
    orthant_segmentation_scores *scores = &w->scores[set][pipeline][method][index];
    const char *parameters[MOST_PARAMETERS];
    const segment_options options = options_of(w, pipeline, &grpnmf_methods[method], parameters);
    segmentation found;
    orthant_status status = mosaic_score(of, &options, scores, &found);
    if (status)
        return status;
    w->counted[set][pipeline][index] = found.wanted;
    if (pipeline == GRPNMF_OURS && method == GRPNMF_WHOLE) {
        char *path = grpnmf_drawing(w, set, index);
        status = path ? mosaic_draw(of, &found, path) : ORTHANT_ERROR_MEMORY;
        memory_free(w->ctx, path);
    }
    segmentation_free(&found);
    return status;
}

/* Whether an earlier process made all of the next `count`, which then are done. */
static bool is_kept(grpnmf_work *w, int64_t count)
{
    if (w->done + count > w->kept)
        return false;
    w->done += count;
    return true;
}

static orthant_status run_mosaic(grpnmf_work *w, int set, int index)
{
    mosaic of;
    if (is_kept(w, GRPNMF_PIPELINES * GRPNMF_METHODS))
        return ORTHANT_OK;
    orthant_status status = mosaic_read(w->ctx, &w->set[set], index, &of);
    if (status)
        return status;
    for (int p = 0; p < GRPNMF_PIPELINES && !status; p++)
        for (int m = 0; m < GRPNMF_METHODS && !status; m++)
            if (!is_kept(w, 1) && !(status = run_one(w, set, index, p, m, &of)))
                status = tell(w);
    mosaic_free(&of);
    return status;
}

/* Fig. 2: fseg with one of its two ridges changed. */
static orthant_status run_ridges(grpnmf_work *w, int index)
{
    static const char *const ridges[2] = {"encoding_ridge", "basis_ridge"};
    const int count = w->set[w->ridge_set].count;
    mosaic of;
    if (is_kept(w, 2 * GRPNMF_RIDGES))
        return ORTHANT_OK;
    orthant_status status = mosaic_read(w->ctx, &w->set[w->ridge_set], index, &of);
    if (status)
        return status;
    for (int r = 0; r < 2; r++)
        for (int v = 0; v < GRPNMF_RIDGES && !status; v++) {
            orthant_segmentation_scores scores = {.size = sizeof scores};
            const char *pairs[MOST_PARAMETERS];
            segment_options options =
                options_of(w, GRPNMF_PUBLISHED, &grpnmf_methods[GRPNMF_FSEG], pairs);
            char pair[48];
            if (is_kept(w, 1))
                continue;
            pairs[0] = pair;
            snprintf(pair, sizeof pair, "%s=%g", ridges[r], grpnmf_ridges[v]);
            options.parameter_count = 1;
            status = mosaic_score(&of, &options, &scores, NULL);
            if (!status) {
                w->ridge_f[r][v] += scores.f / count;
                status = tell(w);
            }
        }
    mosaic_free(&of);
    return status;
}

static orthant_status new_workspace(grpnmf_work *w)
{
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int p = 0; p < GRPNMF_PIPELINES; p++)
            for (int m = 0; m < GRPNMF_METHODS; m++) {
                w->scores[s][p][m] =
                    memory_new(w->ctx, w->set[s].count, sizeof *w->scores[s][p][m], "scores");
                if (!w->scores[s][p][m])
                    return ORTHANT_ERROR_MEMORY;
            }
    return ORTHANT_OK;
}

static bool wants(const grpnmf_work *w, item_part part)
{
    return items_want(w->request, reproducible_find("grpnmf"), part, GRPNMF_MOSAICS);
}

static orthant_status find_mosaics(grpnmf_work *w)
{
    orthant_status status = ORTHANT_OK;
    w->with_mosaics = wants(w, ITEM_TABLE) || wants(w, ITEM_FIGURE) || wants(w, ITEM_CLAIM);
    w->set[0] = (mosaic_set){.name = "colour", .folder = "colour", .channels = 3};
    w->set[1] = (mosaic_set){.name = "grey", .folder = "grayscale", .channels = 1};
    w->ridge_set = -1;
    for (int s = 0; s < GRPNMF_SETS && !status && w->with_mosaics; s++) {
        w->set[s].data = w->request->data;
        status = mosaics_find(w->ctx, &w->set[s]);
        if (w->request->quick && w->set[s].count > 1)
            w->set[s].count = 1;
        if (w->set[s].count && w->ridge_set < 0 && (wants(w, ITEM_FIGURE) || wants(w, ITEM_CLAIM)))
            w->ridge_set = s;
        w->total += (int64_t)w->set[s].count * GRPNMF_PIPELINES * GRPNMF_METHODS;
    }
    if (w->ridge_set >= 0)
        w->total += (int64_t)w->set[w->ridge_set].count * 2 * GRPNMF_RIDGES;
    return status ? status : new_workspace(w);
}

/* ---- what is written ---- */

/* A row for each segmentation, all criteria. */
static void write_scores(const grpnmf_work *w, FILE *file)
{
    orthant_criterion_info info = {.size = sizeof info};
    fputs("set,mosaic,pipeline,method,regions,found", file);
    for (int c = 0; !orthant_criterion_at(c, &info); c++)
        fprintf(file, ",%s", info.name);
    fputc('\n', file);
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int i = 0; i < w->set[s].count; i++)
            for (int p = 0; p < GRPNMF_PIPELINES; p++)
                for (int m = 0; m < GRPNMF_METHODS; m++) {
                    const orthant_segmentation_scores *scores = &w->scores[s][p][m][i];
                    const mosaic_name *name = &w->set[s].mosaic[i];
                    fprintf(file, "%s,%d_%d_%d,%s,%s,%g,%g", w->set[s].name, name->set, name->mask,
                            name->textures, grpnmf_pipelines[p].name, grpnmf_methods[m].name,
                            scores->regions_true, scores->regions_found);
                    for (int c = 0; !orthant_criterion_at(c, &info); c++)
                        fprintf(file, ",%.6g", orthant_criterion_value(scores, c));
                    fputc('\n', file);
                }
}

static orthant_status write_results(const grpnmf_work *w)
{
    file_writer writer;
    char *path = path_join(w->ctx, w->request->output, "results.csv");
    orthant_status status = path ? file_write_begin(w->ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        write_scores(w, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    if (!status)
        status = reproduction_note_quick(w->ctx, w->request, path);
    memory_free(w->ctx, path);
    return status;
}

static orthant_status make_folders(const grpnmf_work *w)
{
    static const char *const names[] = {"mosaics", "figures"};
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < 2 && !status; i++) {
        char *drawings = path_join(w->ctx, w->request->output, names[i]);
        status = drawings ? folder_make(w->ctx, drawings) : ORTHANT_ERROR_MEMORY;
        memory_free(w->ctx, drawings);
    }
    return status;
}

static orthant_status run_all(grpnmf_work *w)
{
    orthant_status status = ORTHANT_OK;
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int i = 0; i < w->set[s].count && !status; i++)
            status = run_mosaic(w, s, i);
    for (int i = 0; w->ridge_set >= 0 && i < w->set[w->ridge_set].count && !status; i++)
        status = run_ridges(w, i);
    for (int i = 0; i < GRPNMF_PICTURES && !status; i++)
        if (w->wanted[i] && !w->missing[i] && !is_kept(w, 1) &&
            !(status = grpnmf_run_picture(w, i)))
            status = tell(w);
    return status;
}

static orthant_status begin(orthant_context *ctx, const reproduce_request *request, int *lock)
{
    const orthant_status status = items_check(ctx, request, reproducible_find("grpnmf"));
    if (status)
        return status;
    return reproduction_begin(ctx, request, "grpnmf", lock);
}

orthant_status reproduce_grpnmf(orthant_context *ctx, const reproduce_request *request,
                                sheet_list *shown, reproduce_failures *failures)
{
    (void)failures; /* a segmentation that fails ends the reproduction */
    grpnmf_work w = {.ctx = ctx, .request = request, .began = clock_seconds()};
    int lock = -1;
    orthant_status status = begin(ctx, request, &lock);
    if (!status)
        status = find_mosaics(&w);
    if (!status)
        grpnmf_choose_pictures(&w);
    if (!status)
        status = make_folders(&w);
    if (!status)
        status = grpnmf_begin_checkpoints(&w);
    if (!status)
        status = run_all(&w);
    if (!status)
        status = w.with_mosaics ? grpnmf_sheets(&w, shown) : ORTHANT_OK;
    if (!status)
        status = grpnmf_picture_sheets(&w, shown);
    if (!status)
        status = grpnmf_claims(&w, shown);
    if (!status)
        status = reproduction_note(request, request->quick ? GRPNMF_QUICK : "", shown);
    if (!status && w.with_mosaics)
        status = write_results(&w);
    if (!status)
        status = grpnmf_write_pictures(&w);
    if (!status)
        status = reproduction_write_sheets(ctx, request, shown);
    if (!status)
        status = grpnmf_page(&w, shown);
    status = grpnmf_end_checkpoints(&w, status);
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int p = 0; p < GRPNMF_PIPELINES; p++)
            for (int m = 0; m < GRPNMF_METHODS; m++)
                memory_free(ctx, w.scores[s][p][m]);
    if (lock >= 0)
        close(lock);
    return status;
}
