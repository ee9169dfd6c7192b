/* Reads label images from arrays, pictures and MATLAB files, and numbers their regions. */
#include "data/label_image.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/image.h"
#include "data/kind.h"
#include "data/npy.h"
#include "data/read.h"

/* ---- images and their labels ---------------------------------------------------------------- */

void label_images_free(label_images *images)
{
    for (int64_t i = 0; i < images->count; i++)
        memory_free(images->ctx, images->image[i].labels);
    memory_free(images->ctx, images->image);
    images->image = NULL;
    images->count = 0;
}

orthant_status label_images_add(label_images *images, int64_t height, int64_t width,
                                const char *name, label_image **added)
{
    orthant_context *ctx = images->ctx;
    int64_t pixels;
    if (height < 1 || width < 1 || !size_multiply(height, width, &pixels) ||
        pixels > IMAGE_MOST_PIXELS)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: a label image of %" PRId64 " x %" PRId64 ", expected 1 to %" PRId64
                    " pixels",
                    name, height, width, IMAGE_MOST_PIXELS);
    int32_t *labels = memory_new(ctx, pixels, sizeof *labels, "a label image");
    label_image *more =
        labels ? memory_resize(ctx, images->image, images->count + 1, sizeof *more, "label images")
               : NULL;
    if (!more) {
        memory_free(ctx, labels);
        return ORTHANT_ERROR_MEMORY;
    }
    images->image = more;
    images->image[images->count] = (label_image){height, width, labels, 0};
    *added = &images->image[images->count++];
    return ORTHANT_OK;
}

void label_writer_begin(orthant_context *ctx, label_image *into, label_writer *writer)
{
    *writer = (label_writer){.image = into};
    numbering_begin(ctx, &writer->seen);
}

orthant_status label_writer_put(label_writer *writer, int64_t place, int64_t label)
{
    if (writer->seen.count == 0 || label != writer->last) {
        const orthant_status status = numbering_take(&writer->seen, label, &writer->number);
        if (status != ORTHANT_OK)
            return status;
        writer->last = label;
    }
    writer->image->labels[place] = (int32_t)writer->number;
    return ORTHANT_OK;
}

void label_writer_end(label_writer *writer)
{
    if (writer->image)
        writer->image->regions = writer->seen.count;
    numbering_free(&writer->seen);
}

/* ---- arrays --------------------------------------------------------------------------------- */

orthant_status label_images_add_matrix(label_images *images, const char *name,
                                       const orthant_matrix *matrix)
{
    orthant_context *ctx = images->ctx;
    label_image *added = NULL;
    label_writer writer;
    if (matrix->sparse)
        return fail(ctx, ORTHANT_ERROR_DATA, "%s: a sparse matrix, expected a label for each pixel",
                    name);
    orthant_status status = label_images_add(images, matrix->rows, matrix->columns, name, &added);
    if (status != ORTHANT_OK)
        return status;
    label_writer_begin(ctx, added, &writer);
    for (int64_t i = 0; i < matrix->rows && status == ORTHANT_OK; i++)
        for (int64_t j = 0; j < matrix->columns && status == ORTHANT_OK; j++) {
            const double value = matrix_value(matrix, i * matrix->stride + j);
            if (fabs(value) <= 0x1p53 && value == floor(value))
                status = label_writer_put(&writer, i * matrix->columns + j, (int64_t)value);
            else
                status =
                    fail(ctx, ORTHANT_ERROR_DATA,
                         "%s: entry (%" PRId64 ", %" PRId64 ") is %.6g; labels are whole numbers",
                         name, i + 1, j + 1, value);
        }
    label_writer_end(&writer);
    return status;
}

/* Two dimensions, or one for the labels of points; further ones of extent 1 do not count. */
static orthant_status read_npy_image(const char *path, label_images *found)
{
    stream in;
    npy_header header;
    orthant_matrix *matrix = NULL;
    orthant_context *ctx = found->ctx;
    orthant_status status = stream_open(ctx, path, &in);
    if (status != ORTHANT_OK)
        return status;
    status = npy_read_header(&in, &header);
    int dimensions = header.shape.dimensions;
    while (status == ORTHANT_OK && dimensions > 2 && header.shape.extent[dimensions - 1] == 1)
        dimensions--;
    if (status == ORTHANT_OK && dimensions > 2)
        status = fail(ctx, ORTHANT_ERROR_DATA,
                      "%s: an array of %d dimensions, expected a label image: height x width", path,
                      dimensions);
    if (status == ORTHANT_OK)
        status = npy_read_entries(&in, &header, ORTHANT_DOUBLE, &matrix);
    if (status == ORTHANT_OK)
        status = label_images_add_matrix(found, path, matrix);
    orthant_matrix_free(matrix);
    stream_close(&in);
    return status;
}

/* Through the reader of data, in double so that every label keeps its digits. */
static orthant_status read_array(const char *path, const char *variable, data_reader reader,
                                 label_images *found)
{
    orthant_context *ctx = found->ctx;
    const orthant_read_options options = {
        .size = sizeof options, .variable = variable, .truth = "none"};
    const orthant_precision precision = ctx->precision;
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    ctx->precision = ORTHANT_DOUBLE;
    orthant_status status = reader(ctx, path, &options, &matrix, &truth);
    ctx->precision = precision;
    if (status == ORTHANT_OK && matrix->picture.height > 0)
        status = fail(ctx, ORTHANT_ERROR_DATA,
                      "%s: an array of more than 2 dimensions, expected a label image: "
                      "height x width",
                      path);
    if (status == ORTHANT_OK)
        status = label_images_add_matrix(found, path, matrix);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    return status;
}

/* ---- pictures ------------------------------------------------------------------------------- */

typedef struct picture_reader {
    const char *path;
    label_images *images;
    label_writer writer;
} picture_reader;

static orthant_status begin_picture(void *user, int height, int width)
{
    picture_reader *reader = user;
    label_image *added = NULL;
    const orthant_status status =
        label_images_add(reader->images, height, width, reader->path, &added);
    if (status == ORTHANT_OK)
        label_writer_begin(reader->images->ctx, added, &reader->writer);
    return status;
}

/* A grey value, an index or a colour is the label. */
static orthant_status take_row(void *user, int y, const uint16_t *samples, int count)
{
    picture_reader *reader = user;
    const int64_t width = reader->writer.image->width;
    orthant_status status = ORTHANT_OK;
    for (int64_t x = 0; x < width && status == ORTHANT_OK; x++, samples += count) {
        const int64_t label =
            count < 3 ? samples[0]
                      : (int64_t)samples[0] << 32 | (int64_t)samples[1] << 16 | samples[2];
        status = label_writer_put(&reader->writer, y * width + x, label);
    }
    return status;
}

static orthant_status read_picture(const char *path, label_images *found)
{
    picture_reader reader = {.path = path, .images = found};
    const image_rows rows = {&reader, begin_picture, take_row};
    numbering_begin(found->ctx, &reader.writer.seen);
    const orthant_status status = image_read_rows(found->ctx, path, &rows);
    label_writer_end(&reader.writer);
    return status;
}

/* ---- the file's kind ------------------------------------------------------------------------ */

static orthant_status read_file(const char *path, const char *inside, label_images *found)
{
    orthant_context *ctx = found->ctx;
    file_kind kind;
    const orthant_status status = kind_of_file(ctx, path, &kind);
    if (status != ORTHANT_OK)
        return status;
    switch (kind) {
    case KIND_FOLDER:
        return fail(ctx, ORTHANT_ERROR_IO, "%s: is a folder, expected a label image", path);
    case KIND_MAT: return label_images_read_mat(path, inside, found);
    case KIND_NPY: return read_npy_image(path, found);
    case KIND_NPZ: return read_array(path, inside, read_npz, found);
    case KIND_HDF5: return read_array(path, inside, read_hdf5, found);
    case KIND_MTX: return read_array(path, NULL, read_mtx, found);
    case KIND_IDX: return read_array(path, NULL, read_idx, found);
    case KIND_CSV: return read_array(path, NULL, read_csv, found);
    case KIND_CSR: return read_array(path, NULL, read_csr, found);
    case KIND_UNKNOWN: break;
    }
    return image_is_image(path) ? read_picture(path, found)
                                : read_array(path, NULL, read_csv, found);
}

orthant_status label_images_read(orthant_context *ctx, const char *path, label_images *found)
{
    char *file = NULL;
    const char *inside = NULL;
    *found = (label_images){.ctx = ctx};
    orthant_status status = file_split(ctx, path, &file, &inside);
    if (status == ORTHANT_OK)
        status = read_file(file, inside, found);
    if (status != ORTHANT_OK)
        label_images_free(found);
    memory_free(ctx, file);
    return status;
}

/* ---- as their user sees them ------------------------------------------------------------------
 */

orthant_status orthant_label_images_read(orthant_context *context, const char *path,
                                         orthant_label_images **images)
{
    if (images)
        *images = NULL;
    const orthant_status refused = entry_check(context, path && images, __func__);
    if (refused)
        return refused;
    orthant_label_images *made = memory_new(context, 1, sizeof *made, "label images");
    if (!made)
        return ORTHANT_ERROR_MEMORY;
    made->inner.ctx = context;
    made->name = memory_text(context, path);
    const orthant_status status =
        made->name ? label_images_read(context, path, &made->inner) : ORTHANT_ERROR_MEMORY;
    if (status)
        orthant_label_images_free(made);
    else
        *images = made;
    return status;
}

void orthant_label_images_free(orthant_label_images *images)
{
    if (!images)
        return;
    orthant_context *ctx = images->inner.ctx;
    label_images_free(&images->inner);
    memory_free(ctx, images->name);
    memory_free(ctx, images);
}

int64_t orthant_label_images_count(const orthant_label_images *images)
{
    return images ? images->inner.count : 0;
}

const int32_t *orthant_label_images_at(const orthant_label_images *images, int64_t index,
                                       int64_t *height, int64_t *width)
{
    if (!images || index < 0 || index >= images->inner.count)
        return NULL;
    const label_image *at = &images->inner.image[index];
    if (height)
        *height = at->height;
    if (width)
        *width = at->width;
    return at->labels;
}
