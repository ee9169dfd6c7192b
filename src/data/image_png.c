/* PNG by libpng. It reports errors by longjmp: whatever lives across setjmp is in a struct. */
#include "data/image.h"

#include <inttypes.h>
#include <png.h>
#include <string.h>
#include <zlib.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/exif.h"

#define MOST_EXIF_BYTES 65536
#define PIXELS_A_BYTE (8 * 1100) /* deflate packs up to 1:1032, a pixel can be one bit */

static void keep_error(png_structp png, png_const_charp message)
{
    snprintf(png_get_error_ptr(png), 128, "%s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void drop_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* ---- reading ------------------------------------------------------------------------------ */

typedef struct png_reader {
    image_request *request;
    image *out;
    png_structp png;
    png_infop info;
    unsigned char *rows; /* one row, or all of an interlaced picture */
    uint16_t *samples;   /* of one row */
    char error[128];
    orthant_status status;
} png_reader;

static orthant_status read_exif(image_request *request, int64_t bytes)
{
    unsigned char *data = memory_new(request->ctx, bytes, 1, "a camera's notes");
    if (!data)
        return ORTHANT_ERROR_MEMORY;
    request->orientation = exif_orientation(data, fread(data, 1, (size_t)bytes, request->file));
    memory_free(request->ctx, data);
    return ORTHANT_OK;
}

/* libpng allocates what a chunk says before it looks whether the file has so much: a chunk that
 * passes the file's end is refused here. On the way the EXIF data are found. */
static orthant_status walk_chunks(image_request *request)
{
    unsigned char head[8];
    orthant_status status = ORTHANT_OK;
    int64_t at = 8; /* behind the signature */
    while (status == ORTHANT_OK && fseek(request->file, (long)at, SEEK_SET) == 0 &&
           fread(head, 1, sizeof head, request->file) == sizeof head) {
        const int64_t bytes = (int64_t)png_get_uint_32(head);
        if (bytes > request->file_bytes - at - 12)
            return fail(request->ctx, ORTHANT_ERROR_FORMAT,
                        "%s: a PNG that is cut short or damaged: its chunk at byte %" PRId64
                        " says %" PRId64 " bytes, the file has %" PRId64,
                        request->path, at, bytes, request->file_bytes);
        if (!memcmp(head + 4, "eXIf", 4) && bytes <= MOST_EXIF_BYTES)
            status = read_exif(request, bytes);
        if (!memcmp(head + 4, "IEND", 4))
            break;
        at += bytes + 12;
    }
    return status ? status : file_rewind(request->ctx, request->path, request->file);
}

/* One row to the image, or its exact samples to who takes them. */
static void put_row(png_reader *reader, int y, const unsigned char *row, int samples)
{
    const image_rows *rows = reader->request->rows;
    const bool wide = png_get_bit_depth(reader->png, reader->info) == 16;
    const int64_t line = (int64_t)reader->out->width * samples;
    for (int64_t x = 0; x < line; x++)
        if (wide)
            reader->samples[x] = (uint16_t)((unsigned)row[2 * x] << 8 | row[2 * x + 1]);
        else
            reader->samples[x] = rows ? row[x] : image_widen(row[x]);
    if (rows)
        reader->status = rows->row(rows->user, y, reader->samples, samples);
    else
        image_put_row(reader->out, y, reader->samples, samples);
}

static void read_rows(png_reader *reader)
{
    const png_structp png = reader->png;
    orthant_context *ctx = reader->request->ctx;
    const image *out = reader->out;
    if (reader->request->rows)
        png_set_packing(png);
    else
        png_set_expand(png); /* grey or colour of 8 or 16 bits, with alpha where there is some */
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, reader->info);
    const size_t line = png_get_rowbytes(png, reader->info);
    const int samples = png_get_channels(png, reader->info);
    reader->rows = memory_new(ctx, passes > 1 ? out->height : 1, line, "the rows of a picture");
    reader->samples = memory_new(ctx, (int64_t)out->width * samples, sizeof *reader->samples,
                                 "the row of a picture");
    if (!reader->rows || !reader->samples) {
        reader->status = ORTHANT_ERROR_MEMORY;
        return;
    }
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < out->height && reader->status == ORTHANT_OK; y++) {
            unsigned char *row = reader->rows + (passes > 1 ? (size_t)y * line : 0);
            png_read_row(png, row, NULL);
            if (pass == passes - 1)
                put_row(reader, y, row, samples);
        }
    if (reader->status == ORTHANT_OK)
        png_read_end(png, NULL);
}

static void read_picture(png_reader *reader)
{
    /* Texts, profiles and the like, which may unpack to anything, are passed over. */
    static const png_byte unwanted[] = "tEXt\0zTXt\0iTXt\0iCCP\0eXIf\0sPLT\0hIST\0pCAL\0sCAL";
    const png_structp png = reader->png;
    if (setjmp(png_jmpbuf(png))) {
        reader->status = fail(reader->request->ctx, ORTHANT_ERROR_FORMAT,
                              "%s: a PNG that is cut short or damaged: %s", reader->request->path,
                              reader->error);
        return;
    }
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); /* our own limits have the better message */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unwanted, sizeof unwanted / 5);
    png_init_io(png, reader->request->file);
    png_read_info(png, reader->info);
    const image_header header = {.height = (int64_t)png_get_image_height(png, reader->info),
                                 .width = (int64_t)png_get_image_width(png, reader->info),
                                 .pixels_a_byte = PIXELS_A_BYTE,
                                 .deep = png_get_bit_depth(png, reader->info) == 16};
    reader->status = image_begin(reader->request, header, reader->out);
    if (reader->status == ORTHANT_OK && (reader->out->pixels || reader->request->rows))
        read_rows(reader);
}

orthant_status image_decode_png(image_request *request, image *out)
{
    png_reader reader = {.request = request, .out = out, .status = walk_chunks(request)};
    if (reader.status != ORTHANT_OK)
        return reader.status;
    reader.png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, reader.error, keep_error, drop_warning);
    if (reader.png)
        reader.info = png_create_info_struct(reader.png);
    if (reader.info)
        read_picture(&reader);
    else
        reader.status =
            fail(request->ctx, ORTHANT_ERROR_MEMORY, "out of memory: to read %s", request->path);
    png_destroy_read_struct(&reader.png, &reader.info, NULL);
    memory_free(request->ctx, reader.rows);
    memory_free(request->ctx, reader.samples);
    return reader.status;
}

/* ---- writing ------------------------------------------------------------------------------ */

typedef struct png_maker {
    orthant_context *ctx;
    const image *in;
    const unsigned char *palette; /* or NULL */
    png_structp png;
    png_infop info;
    unsigned char *bytes;
    size_t count, capacity;
    char error[128];
    orthant_status status;
} png_maker;

static void append_bytes(png_structp png, png_bytep data, size_t length)
{
    png_maker *maker = png_get_io_ptr(png);
    if (length > maker->capacity - maker->count) {
        const size_t capacity = 2 * maker->capacity + length;
        unsigned char *more =
            memory_resize(maker->ctx, maker->bytes, (int64_t)capacity, 1, "a PNG");
        if (!more) {
            maker->status = ORTHANT_ERROR_MEMORY;
            png_error(png, "out of memory");
        }
        maker->bytes = more;
        maker->capacity = capacity;
    }
    memcpy(maker->bytes + maker->count, data, length);
    maker->count += length;
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static void set_palette(png_maker *maker)
{
    png_color colours[IMAGE_PALETTE / 3];
    for (int i = 0; i < IMAGE_PALETTE / 3; i++)
        colours[i] = (png_color){maker->palette[3 * i], maker->palette[3 * i + 1],
                                 maker->palette[3 * i + 2]};
    png_set_PLTE(maker->png, maker->info, colours, IMAGE_PALETTE / 3);
}

static void make_png(png_maker *maker)
{
    const image *in = maker->in;
    const png_structp png = maker->png;
    if (setjmp(png_jmpbuf(png))) {
        if (maker->status == ORTHANT_OK)
            maker->status =
                fail(maker->ctx, ORTHANT_ERROR_NUMERIC, "a PNG cannot be made: %s", maker->error);
        return;
    }
    png_set_write_fn(png, maker, append_bytes, flush_nothing);
    png_set_IHDR(png, maker->info, (png_uint_32)in->width, (png_uint_32)in->height, 8,
                 maker->palette      ? PNG_COLOR_TYPE_PALETTE
                 : in->channels == 3 ? PNG_COLOR_TYPE_RGB
                                     : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (maker->palette)
        set_palette(maker);
    /* On photographs zlib's level 2 makes smaller files than 6, in a quarter of the time; on maps
     * of labels, which are grey, more effort pays. In a palette, of heat maps, nothing repeats but
     * single colours. */
    if (in->channels == 3 || maker->palette)
        png_set_compression_level(png, 2);
    if (maker->palette)
        png_set_compression_strategy(png, Z_RLE);
    /* Neighbours in a palette have nothing to do with each other. */
    png_set_filter(png, PNG_FILTER_TYPE_BASE,
                   maker->palette ? PNG_FILTER_NONE : PNG_FILTER_SUB | PNG_FILTER_UP);
    png_write_info(png, maker->info);
    for (int y = 0; y < in->height; y++)
        png_write_row(png, in->pixels + (size_t)y * (size_t)in->width * (size_t)in->channels);
    png_write_end(png, maker->info);
}

orthant_status image_encode_png(orthant_context *ctx, const image *in, const unsigned char *palette,
                                unsigned char **bytes, size_t *count)
{
    png_maker maker = {.ctx = ctx, .in = in, .palette = in->channels == 1 ? palette : NULL};
    *bytes = NULL;
    *count = 0;
    if (!in->pixels || in->height < 1 || in->width < 1 || (in->channels != 1 && in->channels != 3))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a picture of %d x %d with %d channels cannot be written as PNG", in->height,
                    in->width, in->channels);
    maker.png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, maker.error, keep_error, drop_warning);
    if (maker.png)
        maker.info = png_create_info_struct(maker.png);
    if (maker.info)
        make_png(&maker);
    else
        maker.status = fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: to make a PNG");
    png_destroy_write_struct(&maker.png, &maker.info);
    if (maker.status != ORTHANT_OK) {
        memory_free(ctx, maker.bytes);
        return maker.status;
    }
    *bytes = maker.bytes;
    *count = maker.count;
    return ORTHANT_OK;
}
