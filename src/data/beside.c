/* Names of classes and samples beside a file of numbers. */
#include "data/beside.h"

#include <inttypes.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/part.h"
#include "data/csv.h"
#include "data/csv_text.h"
#include "orthant/data.h"

#define LONGEST_CLASS 200

orthant_status beside_path(orthant_context *ctx, const char *path, const char *ending,
                           char **beside)
{
    const char *inside = strstr(path, ".h5:"), *other = strstr(path, ".hdf5:");
    const char *end = inside ? inside : other ? other : path + strlen(path);
    /* Without the ending of its last part. */
    for (const char *at = end; at > path && *at != '/'; at--)
        if (*at == '.' && at[-1] != '/') {
            end = at;
            break;
        }
    const size_t length = (size_t)(end - path), bytes = strlen(ending) + 1;
    *beside = memory_new(ctx, (int64_t)(length + bytes), 1, "a file's name");
    if (!*beside)
        return ORTHANT_ERROR_MEMORY;
    memcpy(*beside, path, length);
    memcpy(*beside + length, ending, bytes);
    return ORTHANT_OK;
}

/* ---- classes ----------------------------------------------------------------------------------
 */

/* A number, a word for what is missing, the heading itself or a line's end would be read as
 * something else. */
static bool is_readable(const char *name)
{
    const piece text = {name, name + strlen(name)};
    const piece trimmed = piece_trim(text);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '"')
            return false;
    return *name && strlen(name) <= LONGEST_CLASS && trimmed.begin == text.begin &&
           trimmed.end == text.end && !csv_is_numeric(text) && !csv_is_missing(text) &&
           strcmp(name, "class") != 0;
}

static bool are_readable(const orthant_labels *labels)
{
    if (!labels->class_names.count)
        return false;
    for (int64_t i = 0; i < labels->class_names.count; i++)
        if (!is_readable(names_at(&labels->class_names, i)))
            return false;
    for (int64_t i = 0; i < labels->count; i++)
        if (!orthant_labels_name(labels, labels->values[i]))
            return false;
    return true;
}

orthant_status beside_write_labels(orthant_context *ctx, const orthant_labels *labels,
                                   const char *path)
{
    file_writer writer;
    char *beside = NULL;
    orthant_status status = beside_path(ctx, path, ".labels.csv", &beside);
    if (!status && !are_readable(labels)) {
        status = orthant_labels_write(ctx, labels, beside);
    } else if (!status) {
        part_sweep_file(beside);
        status = file_write_begin(ctx, beside, &writer);
        if (!status) {
            fputs("class\n", writer.file);
            for (int64_t i = 0; i < labels->count; i++) {
                csv_write_string(writer.file, orthant_labels_name(labels, labels->values[i]));
                fputc('\n', writer.file);
            }
            status = file_write_end(&writer, ORTHANT_OK);
        }
    }
    memory_free(ctx, beside);
    return status;
}

/* ---- samples ----------------------------------------------------------------------------------
 */

static orthant_status write_names(orthant_context *ctx, const name_list *names, const char *path)
{
    file_writer writer;
    part_sweep_file(path);
    const orthant_status status = file_write_begin(ctx, path, &writer);
    if (status)
        return status;
    for (int64_t i = 0; i < names->count; i++) {
        for (const char *c = names_at(names, i); *c; c++)
            fputc(*c == '\n' || *c == '\r' ? ' ' : *c, writer.file);
        fputc('\n', writer.file);
    }
    return file_write_end(&writer, ORTHANT_OK);
}

orthant_status beside_write_names(orthant_context *ctx, const name_list *names, const char *path,
                                  const char *ending)
{
    char *beside = NULL;
    orthant_status status = names->count ? beside_path(ctx, path, ending, &beside) : ORTHANT_OK;
    if (beside)
        status = write_names(ctx, names, beside);
    memory_free(ctx, beside);
    return status;
}

orthant_status orthant_samples_write_beside(orthant_context *context, const orthant_matrix *matrix,
                                            const char *path)
{
    char *sheet = NULL;
    orthant_status status = entry_check(context, matrix && path, __func__);
    if (status)
        return status;
    if (matrix->sample_names.count != matrix->rows)
        return fail(context, ORTHANT_ERROR_ARGUMENT, "the samples have no names to write beside %s",
                    path);
    status = beside_write_names(context, &matrix->sample_names, path, ".samples.txt");
    if (!status && matrix->picture_files.count == matrix->rows) {
        status = beside_path(context, path, ".samples.png", &sheet);
        if (!status)
            status = thumbnails_write(context, &matrix->picture_files, sheet);
    }
    memory_free(context, sheet);
    return status;
}

static orthant_status read_names(orthant_context *ctx, const char *path, name_list *names)
{
    lines text;
    piece line;
    orthant_status status = lines_open(ctx, path, &text);
    if (status)
        return status;
    while (!status && lines_next(&text, &line)) {
        char name[1024];
        const ptrdiff_t length = line.end - line.begin, most = sizeof name - 1;
        snprintf(name, sizeof name, "%.*s", (int)(length < most ? length : most), line.begin);
        status = names_add(ctx, names, name);
    }
    lines_close(&text);
    return status;
}

/* `to` has none yet. */
static orthant_status find_names(orthant_context *ctx, const char *path, const char *ending,
                                 int64_t expected, const char *what, name_list *to)
{
    char *beside = NULL;
    name_list names = {0};
    orthant_status status = beside_path(ctx, path, ending, &beside);
    if (!status && file_exists(beside))
        status = read_names(ctx, beside, &names);
    if (!status && names.count == expected) {
        *to = names;
        names = (name_list){0};
    } else if (!status && names.count) {
        log_note(ctx, "%s: has %" PRId64 " names, but there are %" PRId64 " %s: it is left out",
                 beside, names.count, expected, what);
    }
    names_free(ctx, &names);
    memory_free(ctx, beside);
    return status;
}

orthant_status beside_find_names(orthant_context *ctx, const char *path, int64_t rows,
                                 int64_t columns, name_list *samples, name_list *features)
{
    orthant_status status = ORTHANT_OK;
    if (!features->count)
        status = find_names(ctx, path, ".words.txt", columns, "features", features);
    if (!status && !samples->count)
        status = find_names(ctx, path, ".samples.txt", rows, "samples", samples);
    return status;
}

orthant_status beside_find(orthant_context *ctx, const char *path, orthant_matrix *matrix)
{
    char *beside = NULL;
    orthant_status status = beside_find_names(ctx, path, matrix->rows, matrix->columns,
                                              &matrix->sample_names, &matrix->feature_names);
    if (status || !matrix->sample_names.count)
        return status;
    status = beside_path(ctx, path, ".samples.png", &beside);
    if (!status && file_exists(beside)) {
        matrix->sheet = beside;
        return ORTHANT_OK;
    }
    memory_free(ctx, beside);
    return status;
}
