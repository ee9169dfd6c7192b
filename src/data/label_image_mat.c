/* Label images in MATLAB's files. */
#include <string.h>

#include "core/text.h"
#include "data/label_image.h"
#include "data/mat_file.h"

#define MOST_IMAGES 1000
#define FIELD "Segmentation"
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const usual_names[] = {"groundTruth", "Segmentation", "segmentation", "labels",
                                          "label",       "gt",           "seg",          "L"};

/* By its name, by a usual one, or the only variable that can be meant. */
static orthant_status choose(const mat_file *file, const char *name, const mat_variable **chosen)
{
    char held[512];
    *chosen = name ? mat_file_find(file, name) : NULL;
    for (int i = 0; i < COUNT(usual_names) && !name && !*chosen; i++)
        *chosen = mat_file_find(file, usual_names[i]);
    if (!name && !*chosen && file->count == 1)
        *chosen = &file->variables[0];
    if (*chosen)
        return ORTHANT_OK;
    mat_file_describe(file, held, sizeof held);
    return fail(file->ctx, ORTHANT_ERROR_ARGUMENT,
                "%s: no variable '%s'; it holds %s. Name one as %s:NAME.", file->path,
                name ? name : usual_names[0], held, file->path);
}

static int64_t entries_of(const matvar_t *array)
{
    int64_t count = 1;
    for (int i = 0; i < array->rank; i++)
        if (array->dims[i] > MOST_IMAGES || (count *= (int64_t)array->dims[i]) > MOST_IMAGES)
            return MOST_IMAGES + 1;
    return count;
}

static orthant_status add_part(const mat_file *file, matvar_t *part, const char *name, int depth,
                               label_images *found);

/* Each entry of a cell array, or the field of each entry of a structure. */
static orthant_status add_entries(const mat_file *file, matvar_t *array, const char *name,
                                  int depth, label_images *found)
{
    const bool cells = array->class_type == MAT_C_CELL;
    const int64_t count = entries_of(array);
    orthant_status status = ORTHANT_OK;
    if (count < 1 || count > MOST_IMAGES)
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' holds %s, expected 1 to %d label images", file->path, name,
                    count < 1 ? "nothing" : "too much", MOST_IMAGES);
    for (int i = 0; i < (int)count && status == ORTHANT_OK; i++) {
        char entry[64] = "";
        matvar_t *part =
            cells ? Mat_VarGetCell(array, i) : Mat_VarGetStructFieldByName(array, FIELD, (size_t)i);
        text_append(entry, sizeof entry, cells ? "%.40s{%d}" : "%.40s(%d)." FIELD, name, i + 1);
        if (!part && !cells)
            status =
                fail(file->ctx, ORTHANT_ERROR_DATA,
                     "%s: '%s' is a structure without the field '" FIELD "'", file->path, name);
        else
            status = add_part(file, part, entry, depth + 1, found);
    }
    return status;
}

static orthant_status add_part(const mat_file *file, matvar_t *part, const char *name, int depth,
                               label_images *found)
{
    orthant_matrix *matrix = NULL;
    if (part && depth < 2 && part->dims &&
        (part->class_type == MAT_C_CELL || part->class_type == MAT_C_STRUCT))
        return add_entries(file, part, name, depth, found);
    orthant_status status = mat_file_read_part(file, part, name, &matrix);
    if (status == ORTHANT_OK)
        status = label_images_add_matrix(found, file->path, matrix);
    orthant_matrix_free(matrix);
    return status;
}

orthant_status label_images_read_mat(const char *path, const char *variable, label_images *found)
{
    mat_file file;
    const mat_variable *chosen = NULL;
    orthant_status status = mat_file_open(found->ctx, path, &file);
    if (status == ORTHANT_OK)
        status = choose(&file, variable, &chosen);
    if (status == ORTHANT_OK) {
        matvar_t *info = Mat_VarReadInfo(file.mat, chosen->name);
        status = add_part(&file, info, chosen->name, 0, found);
        Mat_VarFree(info);
    }
    mat_file_close(&file);
    return status;
}
