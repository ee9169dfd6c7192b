/* What run.json says of a run's data: the file, its shape and checksum, and how it was read, from
 * which it can be read again. */
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/file_checksum.h"
#include "core/memory.h"
#include "core/sized.h"
#include "method/fit.h"
#include "report/run.h"

#define LARGEST_SIDE 65535

/* The options of reading that decide which numbers are the samples, as far as they are texts. */
static const char *const READING_TEXTS[] = {"variable", "truth", "id_column", "drop"};
enum { READING_TEXT_COUNT = sizeof READING_TEXTS / sizeof *READING_TEXTS };

static const char **reading_text(orthant_read_options *read, int index)
{
    const char **const fields[READING_TEXT_COUNT] = {&read->variable, &read->truth,
                                                     &read->id_column, &read->drop};
    return fields[index];
}

/* Labels of another file say nothing of the samples, and need not be there when these are read
 * again. */
static orthant_status leave_label_file(orthant_context *ctx, const char *data,
                                       orthant_read_options *read)
{
    char *file = NULL, *own = NULL;
    const char *inside;
    orthant_status status = ORTHANT_OK;
    if (!read->truth || !data)
        return ORTHANT_OK;
    if (!(status = file_split(ctx, data, &own, &inside)) &&
        !(status = file_split(ctx, read->truth, &file, &inside)) && file_exists(file) &&
        !file_same(file, own))
        read->truth = NULL;
    memory_free(ctx, file);
    memory_free(ctx, own);
    return status;
}

/* Left out where everything was found in the file. */
static void describe_reading(json_writer *json, orthant_read_options *read)
{
    bool any = read->transpose || read->image_height || read->color;
    for (int i = 0; i < READING_TEXT_COUNT; i++)
        any |= *reading_text(read, i) != NULL;
    if (!any)
        return;
    json_open_object(json, "read");
    for (int i = 0; i < READING_TEXT_COUNT; i++)
        if (*reading_text(read, i))
            json_text(json, READING_TEXTS[i], *reading_text(read, i));
    if (read->transpose)
        json_truth(json, "transpose", true);
    if (read->image_height) {
        json_integer(json, "height", read->image_height);
        json_integer(json, "width", read->image_width);
    }
    if (read->color)
        json_truth(json, "color", true);
    json_close(json);
}

static orthant_status take_side(orthant_context *ctx, const char *folder, const json_value *read,
                                const char *key, int *side)
{
    const double number = json_member_number(read, key);
    if (isnan(number))
        return ORTHANT_OK;
    if (!(number >= 1 && number <= LARGEST_SIDE && number == floor(number)))
        return fail(ctx, ORTHANT_ERROR_FORMAT, "%s/run.json: the %s of the pictures is %g", folder,
                    key, number);
    *side = (int)number;
    return ORTHANT_OK;
}

orthant_status run_data_reading(orthant_context *ctx, const char *folder, const json_value *json,
                                orthant_read_options *options)
{
    const json_value *read = json_member(json_member(json, "data"), "read");
    const char *missing = json_member_text(json_member(json, "parameters"), "missing", "");
    *options = (orthant_read_options)ORTHANT_READ_DEFAULTS;
    options->missing = !strcmp(missing, "nan");
    if (!read)
        return ORTHANT_OK;
    for (int i = 0; i < READING_TEXT_COUNT; i++)
        *reading_text(options, i) = json_member_text(read, READING_TEXTS[i], NULL);
    options->transpose = json_member_truth(read, "transpose");
    options->color = json_member_truth(read, "color");
    const orthant_status status = take_side(ctx, folder, read, "height", &options->image_height);
    return status ? status : take_side(ctx, folder, read, "width", &options->image_width);
}

static void describe_picture(json_writer *json, const orthant_matrix *samples)
{
    const orthant_picture_shape shape = orthant_matrix_picture(samples);
    if (!shape.height)
        return;
    json_open_object(json, "picture");
    json_integer(json, "height", shape.height);
    json_integer(json, "width", shape.width);
    json_integer(json, "channels", shape.channels);
    json_truth(json, "column_major", shape.column_major);
    json_close(json);
}

orthant_status data_checksum(orthant_context *ctx, const char *address,
                             const orthant_matrix *samples, char digest[XXH64_DIGITS + 1])
{
    if (!samples || !*samples->checksum || !samples->name || strcmp(samples->name, address))
        return file_xxh64(ctx, address, digest);
    memcpy(digest, samples->checksum, sizeof samples->checksum);
    return ORTHANT_OK;
}

orthant_status run_data_describe(orthant_context *ctx, const orthant_run *run, json_writer *json)
{
    char digest[XXH64_DIGITS + 1] = "";
    orthant_read_options read = ORTHANT_READ_DEFAULTS;
    orthant_status status = ORTHANT_OK;
    if (run->data_path)
        status = data_checksum(ctx, run->data_path, run->samples, digest);
    json_open_object(json, "data");
    /* A descriptor stands for standard input, and for nothing once the command has ended. */
    json_text(json, "path",
              run->data_path && !strncmp(run->data_path, "/proc/self/fd/", 14) ? "-"
                                                                               : run->data_path);
    if (run->samples) {
        json_integer(json, "samples", matrix_total(run->samples));
        json_integer(json, "features", orthant_matrix_columns(run->samples));
        json_integer(json, "nonzeros",
                     run->samples->part.total && run->result
                         ? run->result->nonzeros
                         : orthant_matrix_nonzeros(run->samples));
        describe_picture(json, run->samples);
    }
    json_text(json, DATA_CHECKSUM, *digest ? digest : NULL);
    if (!status && run->read)
        status = sized_take(ctx, __func__, run->read, &read, sizeof read);
    if (!status)
        status = leave_label_file(ctx, run->data_path, &read);
    if (!status)
        describe_reading(json, &read);
    json_close(json);
    return status;
}
