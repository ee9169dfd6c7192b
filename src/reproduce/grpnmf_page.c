/* report.html: Table I, the figures, and every mosaic with its true and its found regions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/text_file.h"
#include "reproduce/figures.h"
#include "reproduce/grpnmf.h"
#include "study/papers.h"

#define LARGEST_DRAWING (64 << 20)

/* ---- the summary ---- */

static int criterion_named(const char *name)
{
    orthant_criterion_info info = {.size = sizeof info};
    int c = 0;
    while (!orthant_criterion_at(c, &info) && strcmp(info.name, name) != 0)
        c++;
    return c;
}

/* Of its own method. */
static const char *printed(const char *criterion)
{
    const paper_figure *figure =
        paper_figure_find("grpnmf", "I", "Prague", -1, "grpnmf", criterion);
    return figure ? figure->value : "";
}

static void write_summary(FILE *page, const grpnmf_work *w)
{
    if (!w->with_mosaics) {
        fputs("<p class=\"lead\">Figures of <strong>Projective NMF for unsupervised graph "
              "clustering</strong> again.</p>\n",
              page);
        return;
    }
    static const char *const words[] = {"the published pipeline", "our defaults",
                                        "the published pipeline with counted segments",
                                        "the published pipeline with segments counted by the mean"};
    fputs("<p class=\"lead\">Table I of <strong>Projective NMF for unsupervised graph "
          "clustering</strong> again, with the true number of segments unless said",
          page);
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int p = 0; p < GRPNMF_PIPELINES && w->set[s].count; p++) {
            double cs, co, error;
            const int row = p == GRPNMF_OURS ? GRPNMF_WHOLE : GRPNMF_QUARTER;
            grpnmf_mean(w, s, p, row, criterion_named("CS"), &cs, &error);
            grpnmf_mean(w, s, p, row, criterion_named("CO"), &co, &error);
            fprintf(page, "%s %d %s mosaics by %s: CS %.1f, CO %.1f", s + p ? ";" : ":",
                    w->set[s].count, w->set[s].name, words[p], cs, co);
        }
    fprintf(page, ". The paper has %s and %s on its coloured mosaics.", printed("CS"),
            printed("CO"));
    for (int s = 0; s < GRPNMF_SETS; s++)
        if (!w->set[s].count) {
            fputs(" Missing: mosaics in ", page);
            html_text(page, w->request->data);
            fprintf(page, "/Prague/%s.", w->set[s].folder);
        }
    if (w->request->quick)
        fprintf(page, " This was a quick run, to see that all works: %s. Its figures mean nothing.",
                GRPNMF_QUICK);
    fputs("</p>\n", page);
}

/* Behind the averages, which are for the command. */
static void write_tables(FILE *page, const grpnmf_work *w, const sheet_list *shown)
{
    fputs("<h2>Tables</h2>\n", page);
    if (w->with_mosaics)
        fputs("<p>Table I: the paper does not say which mosaics it takes; it takes FSEG's "
              "number of segments: here stand the true one and those of FSEG's two programs. "
              "convex-nmf is "
              "its CNMF; kmeans is not in its table. For grpnmf lambda is 0; its exponent is the "
              "paper's 1/4, and 1 in a row of its own. 500 iterations of all but fseg and "
              "kmeans, which end by themselves; all methods start from the least-squares weights "
              "on the same seeds.</p>\n",
              page);
    for (int i = w->with_mosaics ? 1 : 0; i < shown->count; i++)
        sheet_write(shown->table[i], SHEET_HTML, page);
}

/* ---- Fig. 2 ---- */

static orthant_status write_ridges(chart_place *place, const grpnmf_work *w, double grpnmf_f)
{
    file_writer writer;
    const orthant_status status = chart_data_begin(place, "figure-2", &writer);
    if (status)
        return status;
    fputs("ridge,\"fseg, ridge of the encoding\",\"fseg, ridge of the basis\",grpnmf\n",
          writer.file);
    for (int v = 0; v < GRPNMF_RIDGES; v++)
        fprintf(writer.file, "%g,%.4f,%.4f,%.4f\n", grpnmf_ridges[v], w->ridge_f[0][v],
                w->ridge_f[1][v], grpnmf_f);
    return file_write_end(&writer, ORTHANT_OK);
}

static orthant_status write_figure(chart_place *place, const grpnmf_work *w)
{
    double f, error;
    char caption[300];
    if (w->ridge_set < 0)
        return ORTHANT_OK;
    const mosaic_set *set = &w->set[w->ridge_set];
    grpnmf_mean(w, w->ridge_set, GRPNMF_PUBLISHED, GRPNMF_QUARTER, criterion_named("F"), &f,
                &error);
    fputs("<h2>Figure 2</h2>\n<p>The F-measure of FSEG against its ridge weights. The paper calls "
          "the one that it changes that of the coefficients in its text, but that of the basis in "
          "equation 9: both are shown, the other at 0.1. GRPNMF has none.</p>\n<div "
          "class=\"charts\">\n",
          place->page);
    orthant_status status = write_ridges(place, w, f);
    snprintf(caption, sizeof caption,
             "Mean F-measure (%%) over %d %s mosaics by the published pipeline.", set->count,
             set->name);
    chart drawn = {.place = place,
                   .name = "figure-2",
                   .description = "F-measure of fseg for ridge weights from 0.01 to 0.5, beside "
                                  "that of grpnmf",
                   .caption = caption};
    static const char *const lines[] = {"fseg, ridge of the encoding", "fseg, ridge of the basis",
                                        "grpnmf"};
    for (int line = 0; line < 3; line++)
        chart_add_name(&drawn, lines[line]);
    if (!status)
        status = chart_begin(&drawn);
    if (!status) {
        fputs("set xlabel 'ridge weight'\nset ylabel 'F (%)'\nset xrange [0:0.52]\n"
              "plot 'figure-2.csv'",
              drawn.script);
        for (int line = 0; line < 3; line++) {
            fprintf(drawn.script, "%s using 1:%d every ::1 title ", line ? ", \\\n     ''" : "",
                    line + 2);
            chart_text(drawn.script, lines[line]);
            fputs(" with linespoints", drawn.script);
            chart_line(drawn.script, line, 1.6);
        }
        fputc('\n', drawn.script);
        status = chart_end(&drawn);
    }
    fputs("</div>\n", place->page);
    return status;
}

/* ---- drawings ---- */

/* `path` is freed; NULL where memory was short. */
static orthant_status write_drawing(FILE *page, const grpnmf_work *w, char *path,
                                    const char *caption)
{
    char *bytes = NULL;
    size_t length = 0;
    image size = {0};
    orthant_status status = path ? image_read_size(w->ctx, path, &size) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = text_file_read(w->ctx, path, LARGEST_DRAWING, &bytes, &length);
    if (!status) {
        fputs("<figure>", page);
        html_png(page, (const unsigned char *)bytes, length, size.width, 1, caption);
        fputs("<figcaption>", page);
        html_text(page, caption);
        fputs("</figcaption></figure>\n", page);
    }
    memory_free(w->ctx, bytes);
    memory_free(w->ctx, path);
    return status;
}

static orthant_status write_snapshots(FILE *page, const grpnmf_work *w, int index)
{
    orthant_status status = ORTHANT_OK;
    const char *list = w->request->quick ? "2" : grpnmf_pictures[index].options.snapshots;
    char number[24], caption[80];
    while (!status && grpnmf_pictures[index].options.snapshots &&
           next_name(&list, number, sizeof number)) {
        snprintf(caption, sizeof caption, "after %s iterations", number);
        status = write_drawing(page, w, grpnmf_picture_path(w, index, atoll(number)), caption);
    }
    return status;
}

static orthant_status write_picture(FILE *page, const grpnmf_work *w, int index)
{
    const grpnmf_picture *of = &grpnmf_pictures[index];
    char caption[160];
    orthant_status status = write_snapshots(page, w, index);
    snprintf(caption, sizeof caption, "%s, %" PRId64 " iterations", of->caption,
             w->measured[index].iterations);
    return status ? status : write_drawing(page, w, grpnmf_picture_path(w, index, 0), caption);
}

/* What the paper says of a figure. */
static const char *claimed(const char *figure)
{
    static const char *const says[][2] = {
        {"1", "Regions of a watershed, and which of them touch."},
        {"3", "NMF and GRPNMF without a graph leave single regions; a graph makes segments "
              "whole, GRPNMF's more than GNMF's."},
        {"4", "The larger lambda, the smoother the borders."},
        {"5", "k-means, NMF and GRPNMF without a graph speckle; lambda 500 finds the object."},
        {"6", "Segments form within some hundred iterations."},
        {"7", "Colour or space alone do not separate the object; all features with a graph do."},
    };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strcmp(says[i][0], figure))
            return says[i][1];
    return "";
}

static orthant_status write_pictures(FILE *page, const grpnmf_work *w)
{
    orthant_status status = ORTHANT_OK;
    const char *figure = "";
    for (int i = 0; i < GRPNMF_PICTURES && !status; i++) {
        const grpnmf_picture *of = &grpnmf_pictures[i];
        if (!w->wanted[i])
            continue;
        if (strcmp(figure, of->figure) != 0) {
            fprintf(page, "<h2>Figure %s</h2>\n<p>The paper: %s Here: %s%s.</p>\n", of->figure,
                    claimed(of->figure), of->file,
                    w->missing[i] ? ", which is not in the data folder" : "");
            figure = of->figure;
        }
        if (!w->missing[i])
            status = write_picture(page, w, i);
    }
    return status;
}

/* ---- the mosaics ---- */

static orthant_status write_mosaic(FILE *page, const grpnmf_work *w, int set, int index)
{
    const mosaic_name *name = &w->set[set].mosaic[index];
    const orthant_segmentation_scores *scores = &w->scores[set][GRPNMF_OURS][GRPNMF_WHOLE][index];
    char caption[200];
    snprintf(caption, sizeof caption,
             "%s %d_%d_%d, true regions and found ones: %g regions, CS %.1f, CO %.1f.",
             w->set[set].name, name->set, name->mask, name->textures, scores->regions_true,
             scores->cs, scores->co);
    return write_drawing(page, w, grpnmf_drawing(w, set, index), caption);
}

static orthant_status write_mosaics(FILE *page, const grpnmf_work *w)
{
    orthant_status status = ORTHANT_OK;
    if (!w->with_mosaics)
        return status;
    fputs("<h2>The mosaics</h2>\n<p>grpnmf with our defaults: the picture, its true regions and "
          "the found ones in the colours of the true ones that they are matched with.</p>\n",
          page);
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int i = 0; i < w->set[s].count && !status; i++)
            status = write_mosaic(page, w, s, i);
    return status;
}

/* ---- the whole ---- */

static void write_end(FILE *page, const grpnmf_work *w)
{
    fputs("<h2>How this was made</h2>\n<p><code>", page);
    html_text(page, w->request->command ? w->request->command : "");
    fprintf(page,
            "</code></p>\n<p>Orthant %s, %s kernels, %s, %d threads, seed %" PRId64 ", %" PRId64
            " segmentations in %.0f s. results.csv has all criteria of the mosaics, which are in "
            "mosaics/; the other figures are in figures/.</p>\n",
            orthant_version(), orthant_cpu_kernels(), orthant_blas_description(),
            orthant_context_threads(w->ctx), w->request->seed, w->done, clock_seconds() - w->began);
}

orthant_status grpnmf_page(const grpnmf_work *w, const sheet_list *shown)
{
    file_writer writer;
    char *path = path_join(w->ctx, w->request->output, "report.html");
    orthant_status status = path ? file_write_begin(w->ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    memory_free(w->ctx, path);
    if (status)
        return status;
    chart_place place;
    status = chart_place_begin(&place, w->ctx, writer.file, w->request->output);
    if (!status) {
        html_page_begin(place.page, "Reproduction: grpnmf");
        write_summary(place.page, w);
        html_contents(place.page);
        write_tables(place.page, w, shown);
        status = write_figure(&place, w);
        if (!status)
            status = write_pictures(place.page, w);
        if (!status)
            status = write_mosaics(place.page, w);
        if (!status)
            write_end(place.page, w);
        html_page_end(place.page);
    }
    return file_write_end(&writer, chart_place_end(&place, status));
}
