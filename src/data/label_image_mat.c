/* Label images in MATLAB's files. */
#include "data/label_image.h"
#include "data/mat_file.h"

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

orthant_status label_images_read_mat(const char *path, const char *variable, label_images *found)
{
    mat_file file;
    const mat_variable *chosen = NULL;
    orthant_status status = mat_file_open(found->ctx, path, &file);
    if (status == ORTHANT_OK)
        status = choose(&file, variable, &chosen);
    if (status == ORTHANT_OK)
        status = mat_file_list_parts(&file, chosen);
    for (int i = 0; i < file.part_count && status == ORTHANT_OK; i++) {
        orthant_matrix *matrix = NULL;
        status = mat_file_read_part(&file, i, &matrix);
        if (status == ORTHANT_OK)
            status = label_images_add_matrix(found, path, matrix);
        orthant_matrix_free(matrix);
    }
    mat_file_close(&file);
    return status;
}
