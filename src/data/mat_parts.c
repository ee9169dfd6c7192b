/* Arrays inside cell arrays and structures of MATLAB's files. */
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/mat_file.h"

#define MOST_PARTS 1000
#define FIELD "Segmentation"

orthant_status mat_add_part(mat_file *file, const char *name, const mat_part *about)
{
    mat_part *more = memory_resize(file->ctx, file->parts, file->part_count + 1, sizeof *more,
                                   "the parts of a variable");
    if (!more)
        return ORTHANT_ERROR_MEMORY;
    file->parts = more;
    more[file->part_count] = *about;
    snprintf(more[file->part_count].name, sizeof more->name, "%s", name);
    file->part_count++;
    return ORTHANT_OK;
}

static int64_t entries_of(const matvar_t *variable)
{
    int64_t count = 1;
    for (int i = 0; i < variable->rank; i++)
        if (variable->dims[i] > MOST_PARTS || (count *= (int64_t)variable->dims[i]) > MOST_PARTS)
            return MOST_PARTS + 1;
    return count;
}

static orthant_status add_array(mat_file *file, matvar_t *variable, const char *name, int depth);

/* Each entry of a cell array, or the field of each entry of a structure. */
static orthant_status add_entries(mat_file *file, matvar_t *variable, const char *name, int depth)
{
    const bool cells = variable->class_type == MAT_C_CELL;
    const int64_t count = entries_of(variable);
    orthant_status status = ORTHANT_OK;
    if (count < 1 || count > MOST_PARTS)
        return fail(file->ctx, ORTHANT_ERROR_DATA,
                    "%s: '%s' holds %s, expected 1 to %d label images", file->path, name,
                    count < 1 ? "nothing" : "too much", MOST_PARTS);
    for (int i = 0; i < (int)count && status == ORTHANT_OK; i++) {
        char entry[64] = "";
        matvar_t *part = cells ? Mat_VarGetCell(variable, i)
                               : Mat_VarGetStructFieldByName(variable, FIELD, (size_t)i);
        text_append(entry, sizeof entry, cells ? "%.40s{%d}" : "%.40s(%d)." FIELD, name, i + 1);
        if (!part && !cells)
            status =
                fail(file->ctx, ORTHANT_ERROR_DATA,
                     "%s: '%s' is a structure without the field '" FIELD "'", file->path, name);
        else
            status = add_array(file, part, entry, depth + 1);
    }
    return status;
}

static orthant_status add_array(mat_file *file, matvar_t *variable, const char *name, int depth)
{
    mat_part part = {.empty = !variable || !variable->dims || variable->rank < 2, .held = variable};
    if (variable && depth < 2 && variable->dims &&
        (variable->class_type == MAT_C_CELL || variable->class_type == MAT_C_STRUCT))
        return add_entries(file, variable, name, depth);
    if (!part.empty)
        part.about = mat_describe(variable);
    return mat_add_part(file, name, &part);
}

orthant_status mat_list_parts(mat_file *file, int variable)
{
    const mat_source from = {variable, -1, &file->variables[variable]};
    file->part_count = 0;
    return add_array(file, mat_info(file, from), from.about->name, 0);
}

orthant_status mat_file_list_parts(mat_file *file, const mat_variable *v)
{
    const int variable = file->of_variable = (int)(v - file->variables);
    return file->reader ? mat_child_list_parts(file, variable) : mat_list_parts(file, variable);
}
