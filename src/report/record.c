/* Reads run.json with its files, and sorts and groups the runs of a folder by their data. */
#include "report/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/contents.h"
#include "report/folder.h"
#include "report/inside.h"
#include "report/run.h"
#include "report/text_file.h"

/* Side by side more than this is no table any more. */
#define MOST_RUNS 1000
#define LARGEST_PICTURE_SIDE 16384

static void record_free(orthant_context *ctx, run_record *record)
{
    memory_free(ctx, record->name);
    memory_free(ctx, record->folder);
    json_free(ctx, record->json);
    history_free(ctx, &record->history);
}

/* The last part of the path; "." and ".." stand for the folder's real name. */
static char *own_name(orthant_context *ctx, const char *folder)
{
    char real[PATH_MAX];
    if (!realpath(folder, real)) {
        file_fail_read(ctx, folder, errno);
        return NULL;
    }
    const char *slash = strrchr(real, '/');
    return memory_text(ctx, slash && slash[1] ? slash + 1 : real);
}

static orthant_status record_read(orthant_context *ctx, const char *folder, run_record *record)
{
    char *path = NULL;
    orthant_status status = ORTHANT_ERROR_MEMORY;
    record->name = own_name(ctx, folder);
    record->folder = memory_text(ctx, folder);
    path = path_join(ctx, folder, "run.json");
    if (!record->name || !record->folder || !path)
        goto done;
    status = json_read(ctx, path, &record->json);
    if (status)
        goto done;
    if (!*record_text(record, "method")) {
        status =
            fail(ctx, ORTHANT_ERROR_FORMAT, "%s: holds no 'method': not a run of Orthant", path);
        goto done;
    }
    memory_free(ctx, path);
    path = NULL;
    status = contents_check_sizes(ctx, folder, record->json);
    if (!status)
        status = contents_find(ctx, folder, record->json, "history.csv", &path);
    if (!status && path)
        status = history_read(ctx, path, &record->history);
done:
    memory_free(ctx, path);
    return status;
}

orthant_status run_list_begin(orthant_context *ctx, run_list *list)
{
    *list = (run_list){.ctx = ctx};
    list->record = memory_new(ctx, MOST_RUNS, sizeof *list->record, "the runs");
    return list->record ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

orthant_status run_list_add(run_list *list, const char *folder, const char *name)
{
    if (list->count == MOST_RUNS)
        return fail(list->ctx, ORTHANT_ERROR_DATA, "%s: is one of more than %d runs", folder,
                    MOST_RUNS);
    run_record *record = &list->record[list->count++];
    orthant_status status = record_read(list->ctx, folder, record);
    if (!status && name) {
        memory_free(list->ctx, record->name);
        record->name = memory_text(list->ctx, name);
        status = record->name ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    }
    return status;
}

static orthant_status read_subfolder(void *user, const char *folder, const char *name)
{
    run_list *list = user;
    orthant_status status = ORTHANT_OK;
    char *path = path_join(list->ctx, folder, name);
    bool is_run, is_study = false, is_ranks = false;
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    status = folder_is_run(list->ctx, path, &is_run);
    if (!status && is_run)
        status = run_list_add(list, path, NULL);
    if (!status && !is_run)
        status = inside_is(list->ctx, path, &is_study, &is_ranks);
    list->studies += is_study;
    list->surveys += is_ranks;
    memory_free(list->ctx, path);
    return status;
}

bool record_is_segmentation(const run_record *record)
{
    return strcmp(record_text(record, "kind"), "segmentation") == 0;
}

/* "/train/x" of "faces.h5:/train/x". */
static const char *inside_file(const char *path)
{
    const char *colon = strchr(path, ':');
    return colon ? colon : "";
}

static const char *truth_checksum(const run_record *record)
{
    return json_member_text(json_member(json_member(record->json, "contents"), "truth.csv"),
                            "sha256", record_text(record, "truth"));
}

/* Of either kind: runs of earlier versions have the other. */
static const char *data_checksum_text(const run_record *record)
{
    const char *digest = record_data_text(record, DATA_CHECKSUM);
    return *digest ? digest : record_data_text(record, "sha256");
}

/* By the checksums, where they are of one kind, else by the names. */
static bool is_same_file(const run_record *a, const run_record *b)
{
    const char *first = data_checksum_text(a), *second = data_checksum_text(b);
    if (!*first != !*second)
        return false;
    if (*first && strlen(first) == strlen(second))
        return !strcmp(first, second);
    return !strcmp(record_data_text(a, "path"), record_data_text(b, "path"));
}

/* The same samples of the same file, and the same truth: what two accuracies need to be ranked. */
static bool is_same_data(const run_record *a, const run_record *b)
{
    const char *path = record_data_text(a, "path"), *other = record_data_text(b, "path");
    return is_same_file(a, b) && !strcmp(inside_file(path), inside_file(other)) &&
           record_data_number(a, "samples") == record_data_number(b, "samples") &&
           record_data_number(a, "features") == record_data_number(b, "features") &&
           !strcmp(record_text(a, "drawn_classes"), record_text(b, "drawn_classes")) &&
           !strcmp(truth_checksum(a), truth_checksum(b));
}

/* Groups in the order of their best runs; segmentations are none. */
static void group_records(run_list *list)
{
    for (int i = 0; i < list->count; i++) {
        run_record *record = &list->record[i];
        int same = 0;
        while (same < i && !is_same_data(&list->record[same], record))
            same++;
        if (record_is_segmentation(record))
            record->group = RUN_NO_GROUP;
        else
            record->group = same < i ? list->record[same].group : list->groups++;
    }
}

/* Runs without an accuracy after the others, segmentations last; equal ones by name. */
static int compare_records(const void *a, const void *b)
{
    const int group = ((const run_record *)a)->group, other = ((const run_record *)b)->group;
    if (group != other)
        return group < other ? -1 : 1;
    const double first = record_score(a, "accuracy"), second = record_score(b, "accuracy");
    const double x = record_is_segmentation(a) ? -2 : isnan(first) ? -1 : first;
    const double y = record_is_segmentation(b) ? -2 : isnan(second) ? -1 : second;
    if (x != y)
        return x < y ? 1 : -1;
    return strcmp(((const run_record *)a)->name, ((const run_record *)b)->name);
}

/* The page of a paper's tables is made by orthant_reproduce() alone, which the studies inside do
 * not replace. */
static orthant_status refuse_reproduction(orthant_context *ctx, const char *folder)
{
    bool is_paper;
    json_value *paper = NULL;
    orthant_status status = folder_has(ctx, folder, "reproduce.json", &is_paper);
    if (status || !is_paper)
        return status;
    char *path = path_join(ctx, folder, "reproduce.json");
    if (!path)
        return ORTHANT_ERROR_MEMORY;
    status = json_read(ctx, path, &paper);
    if (!status)
        status = fail(ctx, ORTHANT_ERROR_FORMAT,
                      "%.300s: holds the tables of a paper; its page is made again from what is "
                      "there by the same command: %.500s",
                      folder, json_member_text(paper, "command", "orthant reproduce"));
    json_free(ctx, paper);
    memory_free(ctx, path);
    return status;
}

orthant_status record_check_folder(orthant_context *ctx, const char *folder)
{
    if (file_is_folder(folder))
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_IO, "%s: %s", folder,
                file_exists(folder) ? "is a file, expected a run's folder"
                                    : "there is no such folder");
}

orthant_status run_list_read(orthant_context *ctx, const char *folder, run_list *list)
{
    *list = (run_list){.ctx = ctx};
    orthant_status status = record_check_folder(ctx, folder);
    if (!status)
        status = refuse_reproduction(ctx, folder);
    if (!status)
        status = run_list_begin(ctx, list);
    if (status)
        return status;
    status = folder_is_run(ctx, folder, &list->single);
    if (!status)
        status = list->single ? run_list_add(list, folder, NULL)
                              : folder_each(list->ctx, folder, read_subfolder, list);
    if (!status && !list->count && !list->studies && !list->surveys)
        status = fail(ctx, ORTHANT_ERROR_FORMAT,
                      "%s: holds no run.json, and no subfolder holds one; expected the folder of a "
                      "run",
                      folder);
    if (status)
        run_list_free(list);
    for (int pass = 0; pass < 2 && !status; pass++) {
        qsort(list->record, (size_t)list->count, sizeof *list->record, compare_records);
        if (!pass)
            group_records(list);
    }
    return status;
}

run_list run_list_group(const run_list *list, int group)
{
    run_list part = *list;
    int first = 0, end;
    while (first < list->count && list->record[first].group < group)
        first++;
    for (end = first; end < list->count && list->record[end].group == group;)
        end++;
    part.record = list->record + first;
    part.count = end - first;
    part.groups = 1;
    part.whole = list->groups == 1;
    return part;
}

void run_list_free(run_list *list)
{
    for (int i = 0; i < list->count; i++)
        record_free(list->ctx, &list->record[i]);
    memory_free(list->ctx, list->record);
    list->record = NULL;
    list->count = 0;
}

const char *record_text(const run_record *record, const char *key)
{
    return json_member_text(record->json, key, "");
}

double record_number(const run_record *record, const char *key)
{
    return json_member_number(record->json, key);
}

double record_score(const run_record *record, const char *key)
{
    return json_member_number(json_member(record->json, "scores"), key);
}

const char *record_data_text(const run_record *record, const char *key)
{
    return json_member_text(json_member(record->json, "data"), key, "");
}

double record_data_number(const run_record *record, const char *key)
{
    return json_member_number(json_member(record->json, "data"), key);
}

static int picture_side(const json_value *picture, const char *key)
{
    const double side = json_member_number(picture, key);
    return side >= 1 && side <= LARGEST_PICTURE_SIDE ? (int)side : 0;
}

orthant_picture_shape record_picture(const run_record *record)
{
    const json_value *picture = json_member(json_member(record->json, "data"), "picture");
    const orthant_picture_shape unknown = {0};
    const orthant_picture_shape shape = {
        .height = picture_side(picture, "height"),
        .width = picture_side(picture, "width"),
        .channels = picture_side(picture, "channels"),
        .column_major = json_member_truth(picture, "column_major"),
    };
    return shape.height && shape.width && (shape.channels == 1 || shape.channels == 3) ? shape
                                                                                       : unknown;
}

orthant_status record_matrix(orthant_context *ctx, const run_record *record, const char *factor,
                             orthant_matrix **matrix)
{
    const orthant_read_options options = {.size = sizeof options, .map = true};
    char name[64];
    char *path = NULL;
    *matrix = NULL;
    snprintf(name, sizeof name, "%.50s.npy", factor);
    orthant_status status = contents_find(ctx, record->folder, record->json, name, &path);
    if (!status && path)
        status = orthant_matrix_read(ctx, path, &options, matrix, NULL);
    memory_free(ctx, path);
    return status;
}

orthant_status record_labels(orthant_context *ctx, const run_record *record, const char *file,
                             orthant_labels **labels)
{
    char *path = NULL;
    *labels = NULL;
    orthant_status status = contents_find(ctx, record->folder, record->json, file, &path);
    if (!status && path)
        status = orthant_labels_read(ctx, path, labels);
    memory_free(ctx, path);
    return status;
}
