/* Finds, reads and cuts each data set as its paper did. */
#include "reproduce/datasets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/labels.h"
#include "data/picture_list.h"
#include "report/folder.h"
#include "report/text_file.h"
#include "reproduce/protocol.h"
#include "vision/picture_features.h"

/* One row per data set. */
typedef struct source {
    const char *name;
    const char *set;  /* as the papers call it; NULL: by this name */
    const char *file; /* in the user's folder */
    const char *variable, *truth;
    bool transpose;
    int64_t samples;   /* the first so many; 0: all */
    int64_t per_class; /* the first so many of each class; 0: all */
    int64_t largest;   /* so many classes with the most samples; 0: all */
    int64_t words;     /* pictures, as so many visual words; 0: a data file */
} source;

static const source sources[] = {
    {.name = "ORL", .file = "ORL/ORL_32x32.mat"},
    /* NLCF, Fig. 3: five pictures of a person. */
    {.name = "ORL-5", .set = "ORL", .file = "ORL/ORL_32x32.mat", .per_class = 5},
    {.name = "Yale", .file = "Yale/Yale_32x32.mat"},
    {.name = "COIL20", .file = "COIL20/COIL20_32x32.mat"},
    {.name = "JAFFE", .file = "JAFFE"},
    /* NLCF: 4,000 of the test digits. */
    {.name = "MNIST", .file = "MNIST/t10k-images-idx3-ubyte.gz", .samples = 4000},
    /* RMND: the first 100 of each digit. */
    {.name = "USPS",
     .file = "USPS/usps_9298.mat",
     .variable = "Xt",
     .truth = "Lt",
     .transpose = true,
     .per_class = 100},
    {.name = "USPS-Xs",
     .set = "USPS",
     .file = "USPS/usps_9298.mat",
     .variable = "Xs",
     .truth = "Ls",
     .transpose = true,
     .per_class = 100},
    /* RMND: 8,067 documents in the 30 largest categories. */
    {.name = "Reuters21578", .file = "Reuters21578/Reuters21578.mat", .largest = 30},
    /* TNMF, cdNMF: 3,044 pictures in the 10 largest classes. */
    {.name = "Caltech101", .file = "Caltech101", .largest = 10, .words = 500},
    /* TNMF, Table II: its digits are those of 40 pictures of a class. */
    {.name = "Caltech101-40",
     .set = "Caltech101",
     .file = "Caltech101",
     .largest = 10,
     .words = 500,
     .per_class = 40},
};

/* Classes of Caltech 101 that the papers' 3,044 pictures do not contain. */
static const char *const left_out[] = {"/Faces_easy/", "/BACKGROUND_Google/"};

static const source *source_find(const char *name)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
    return NULL;
}

const char *dataset_known_as(const char *name)
{
    const source *from = source_find(name);
    return from && from->set ? from->set : name;
}

/* ---- which samples ---- */

/* The size that a class must have to be one of the `wanted` largest; ties go to lower labels and
 * are settled by the caller. */
static int by_size_falling(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a > b ? -1 : a < b;
}

/* kept[c]: class c is one of the `wanted` largest, ties to the lower one. */
static orthant_status largest_classes(orthant_context *ctx, const int64_t *size, int64_t classes,
                                      int64_t wanted, bool *kept)
{
    int64_t *sorted = memory_new(ctx, classes, sizeof *sorted, "sizes of classes");
    int64_t count = 0;
    if (!sorted)
        return ORTHANT_ERROR_MEMORY;
    memcpy(sorted, size, (size_t)classes * sizeof *sorted);
    qsort(sorted, (size_t)classes, sizeof *sorted, by_size_falling);
    const int64_t least = wanted < classes ? sorted[wanted - 1] : 0;
    for (int64_t c = 0; c < classes; c++)
        if (size[c] > least) {
            kept[c] = true;
            count++;
        }
    for (int64_t c = 0; c < classes && count < wanted; c++)
        if (size[c] == least && !kept[c]) {
            kept[c] = true;
            count++;
        }
    memory_free(ctx, sorted);
    return ORTHANT_OK;
}

/* Labels of samples that the paper leaves out become -1. */
static orthant_status cut_labels(const source *from, int64_t first_classes, orthant_labels *labels)
{
    orthant_context *ctx = labels->ctx;
    int64_t classes = 0;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t *class_of = memory_new(ctx, labels->count, sizeof *class_of, "classes of samples");
    int64_t *size = memory_new(ctx, labels->count, sizeof *size, "sizes of classes");
    bool *kept = memory_new(ctx, labels->count, sizeof *kept, "classes that are kept");
    if (class_of && size && kept)
        status = labels_to_classes(ctx, labels, class_of, &classes);
    for (int64_t i = 0; i < labels->count && !status; i++)
        if (class_of[i] >= 0)
            size[class_of[i]]++;
    if (!status && from->largest)
        status = largest_classes(ctx, size, classes, from->largest, kept);
    for (int64_t c = 0; c < classes && !status; c++) {
        kept[c] = (kept[c] || !from->largest) && (first_classes == 0 || c < first_classes);
        size[c] = 0;
    }
    for (int64_t i = 0; i < labels->count && !status; i++) {
        const int64_t c = class_of[i];
        if (c < 0 || !kept[c] || (from->samples && i >= from->samples) ||
            (from->per_class && size[c] >= from->per_class))
            labels->values[i] = -1;
        else
            size[c]++;
    }
    memory_free(ctx, class_of);
    memory_free(ctx, size);
    memory_free(ctx, kept);
    return status;
}

static orthant_status make_truth(const source *from, const char *made, int64_t first_classes,
                                 dataset *found)
{
    orthant_context *ctx = found->ctx;
    orthant_matrix *samples = NULL;
    orthant_labels *truth = NULL;
    char name[128], number[32] = "";
    if (first_classes)
        snprintf(number, sizeof number, "-%" PRId64, first_classes);
    snprintf(name, sizeof name, "%s%s.labels.csv", from->name, number);
    char *path = path_join(ctx, made, name);
    orthant_status status = path ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && !file_exists(path)) {
        status = dataset_read(found, &samples, &truth);
        if (!status && !truth)
            status = fail(ctx, ORTHANT_ERROR_DATA, "%s: no labels found", found->path);
        if (!status)
            status = cut_labels(from, first_classes, truth);
        if (!status)
            status = orthant_labels_write(ctx, truth, path);
    }
    orthant_labels_free(truth);
    orthant_matrix_free(samples);
    memory_free(ctx, found->truth);
    found->truth = path;
    return status;
}

/* ---- pictures as words ---- */

static bool is_left_out(const char *path)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strstr(path, left_out[i]))
            return true;
    return false;
}

/* The pictures of the largest classes. */
static orthant_status choose_pictures(const source *from, const picture_list *all,
                                      picture_list *chosen)
{
    orthant_context *ctx = all->ctx;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int64_t *size = memory_new(ctx, all->classes, sizeof *size, "sizes of classes");
    bool *kept = memory_new(ctx, all->classes, sizeof *kept, "classes that are kept");
    if (size && kept) {
        for (int64_t i = 0; i < all->count; i++)
            if (!is_left_out(all->paths[i]))
                size[all->labels[i]]++;
        status = largest_classes(ctx, size, all->classes, from->largest, kept);
    }
    for (int64_t i = 0; i < all->count && !status; i++) {
        if (!kept[all->labels[i]] || is_left_out(all->paths[i]))
            continue;
        char *path = memory_text(ctx, all->paths[i]);
        status = path ? picture_list_add(chosen, path, all->labels[i]) : ORTHANT_ERROR_MEMORY;
    }
    memory_free(ctx, size);
    memory_free(ctx, kept);
    return status;
}

static orthant_status write_words(const picture_list *pictures, int64_t words, const char *path)
{
    orthant_context *ctx = pictures->ctx;
    const picture_feature_settings asked = {.kind = "sift-words", .words = words, .seed = 1};
    orthant_matrix *features = NULL;
    orthant_labels *labels = NULL;
    char *beside = NULL;
    orthant_status status = picture_features(pictures, &asked, &features);
    if (!status)
        status = orthant_labels_create(ctx, pictures->count, pictures->labels, &labels);
    if (!status)
        status = labels_path_beside(ctx, path, &beside);
    /* The data come last: where they are there, their labels are too. */
    if (!status)
        status = orthant_labels_write(ctx, labels, beside);
    if (!status)
        status = orthant_matrix_write(ctx, features, path);
    memory_free(ctx, beside);
    orthant_labels_free(labels);
    orthant_matrix_free(features);
    return status;
}

/* Replaces the folder of pictures by a file of their words. */
static orthant_status make_words(const source *from, const char *made, dataset *found)
{
    orthant_context *ctx = found->ctx;
    picture_list all = {.ctx = ctx}, chosen = {.ctx = ctx};
    char name[128];
    snprintf(name, sizeof name, "%s.npy", from->set ? from->set : from->name);
    char *path = path_join(ctx, made, name);
    orthant_status status = path ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && !file_exists(path)) {
        status = picture_list_folder(&all, found->path);
        if (!status && all.classes < 2)
            status = fail(ctx, ORTHANT_ERROR_DATA, "%s: expected a subfolder for each class",
                          found->path);
        if (!status)
            status = choose_pictures(from, &all, &chosen);
        if (!status)
            status = write_words(&chosen, from->words, path);
    }
    picture_list_free(&all);
    picture_list_free(&chosen);
    memory_free(ctx, found->path);
    found->path = path;
    return status;
}

/* ---- the data set ---- */

void dataset_free(dataset *found)
{
    memory_free(found->ctx, found->path);
    memory_free(found->ctx, found->truth);
    *found = (dataset){.ctx = found->ctx};
}

orthant_status dataset_read(const dataset *found, orthant_matrix **samples, orthant_labels **truth)
{
    orthant_read_options options = ORTHANT_READ_DEFAULTS;
    options.variable = found->variable;
    options.truth = found->truth;
    options.transpose = found->transpose;
    if (file_is_folder(found->path))
        options.image_height = options.image_width = 64;
    return orthant_matrix_read(found->ctx, found->path, &options, samples, truth);
}

orthant_status dataset_here(orthant_context *ctx, const char *folder, const char *name, bool *here)
{
    const source *from = source_find(name);
    file_presence there = FILE_MISSING;
    *here = false;
    char *path = path_join(ctx, folder, from ? from->file : name);
    const orthant_status status = path ? file_look(ctx, path, &there) : ORTHANT_ERROR_MEMORY;
    memory_free(ctx, path);
    *here = there != FILE_MISSING;
    return status;
}

orthant_status dataset_find(orthant_context *ctx, const char *folder, const char *made,
                            const char *name, int64_t first_classes, dataset *found)
{
    const source *from = source_find(name);
    *found = (dataset){.ctx = ctx};
    if (!from)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "there is no data set '%s'", name);
    found->path = path_join(ctx, folder, from->file);
    found->variable = from->variable;
    found->transpose = from->transpose;
    found->truth = from->truth ? memory_text(ctx, from->truth) : NULL;
    if (!found->path || (from->truth && !found->truth)) {
        dataset_free(found);
        return ORTHANT_ERROR_MEMORY;
    }
    file_presence there;
    orthant_status status = file_look(ctx, found->path, &there);
    if (status) {
        dataset_free(found);
        return status;
    }
    if (there == FILE_MISSING) {
        snprintf(found->reason, sizeof found->reason, "%s is not there", found->path);
        found->missing = true;
        return ORTHANT_OK;
    }
    status = folder_make(ctx, made);
    if (!status && from->words)
        status = make_words(from, made, found);
    if (!status &&
        (first_classes || from->samples || from->per_class || (from->largest && !from->words)))
        status = make_truth(from, made, first_classes, found);
    if (status)
        dataset_free(found);
    return status;
}
