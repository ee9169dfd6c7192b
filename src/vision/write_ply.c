/* Point clouds as binary PLY, with colours by label. */
#include "vision/cloud.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/element.h"
#include "vision/palette.h"

#define POINTS_AT_ONCE 4096
#define MOST_POINT_BYTES (3 * 8 + 3 + 4)

static bool needs_double(const cloud *points)
{
    for (int64_t i = 0; i < points->kept; i++)
        for (int c = 0; c < 3; c++) {
            const double value = points->position[3 * (int64_t)points->keep[i] + c];
            if ((double)(float)value != value)
                return true;
        }
    return false;
}

/* Little endian whatever the machine is. */
static unsigned char *put(unsigned char *to, const void *value, size_t size)
{
    memcpy(to, value, size);
    if (host_is_big())
        for (size_t i = 0; i < size / 2; i++) {
            const unsigned char low = to[i];
            to[i] = to[size - 1 - i];
            to[size - 1 - i] = low;
        }
    return to + size;
}

static unsigned char *put_point(unsigned char *to, const cloud *points, const int32_t *labels,
                                bool wide, int64_t point)
{
    static const unsigned char grey[3] = {200, 200, 200};
    unsigned char color[3];
    for (int c = 0; c < 3; c++) {
        const double value = points->position[3 * point + c];
        const float narrow = (float)value;
        to = wide ? put(to, &value, sizeof value) : put(to, &narrow, sizeof narrow);
    }
    if (labels)
        palette_color(labels[point], color);
    else
        memcpy(color, points->color ? points->color + 3 * point : grey, 3);
    to = put(put(put(to, &color[0], 1), &color[1], 1), &color[2], 1);
    return labels ? put(to, &labels[point], sizeof *labels) : to;
}

static void write_header(FILE *file, const cloud *points, bool labels, bool wide)
{
    const char *type = wide ? "double" : "float";
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\n"
            "element vertex %" PRId64 "\nproperty %s x\nproperty %s y\nproperty %s z\n"
            "property uchar red\nproperty uchar green\nproperty uchar blue\n%send_header\n",
            points->kept, type, type, type, labels ? "property int label\n" : "");
}

orthant_status cloud_write_ply(orthant_context *ctx, const cloud *points, const int32_t *labels,
                               const char *path)
{
    file_writer writer;
    unsigned char *block = memory_new(ctx, POINTS_AT_ONCE, MOST_POINT_BYTES, "points to write");
    if (!block)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = file_write_begin(ctx, path, &writer);
    if (status == ORTHANT_OK) {
        const bool wide = needs_double(points);
        write_header(writer.file, points, labels != NULL, wide);
        for (int64_t i = 0; i < points->kept;) {
            unsigned char *end = block;
            for (int n = 0; n < POINTS_AT_ONCE && i < points->kept; n++, i++)
                end = put_point(end, points, labels, wide, points->keep[i]);
            fwrite(block, 1, (size_t)(end - block), writer.file);
        }
        status = file_write_end(&writer, ORTHANT_OK);
    }
    memory_free(ctx, block);
    return status;
}
