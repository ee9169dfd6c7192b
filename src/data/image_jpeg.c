/* JPEG by libjpeg. It reports errors by a function that must not return: ours jumps. */
#include <stdio.h>

#include "data/image.h"

#include <jerror.h>
#include <jpeglib.h>
#include <setjmp.h>
#include <string.h>

#include "core/memory.h"
#include "data/exif.h"

/* A progressive file with more passes over the picture was made to waste time. */
#define MOST_SCANS 500
#define PIXELS_A_BYTE 1024 /* a block of 64 pixels takes a bit at least */

typedef struct jpeg_reader {
    struct jpeg_error_mgr errors; /* first: libjpeg hands it back to us */
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    char message[JMSG_LENGTH_MAX];
    image_request *request;
    image *out;
    struct jpeg_decompress_struct picture;
    unsigned char *row;
    uint16_t *wide; /* the same in 16 bits */
} jpeg_reader;

static void stop_on_error(j_common_ptr common)
{
    jpeg_reader *reader = (jpeg_reader *)common->err;
    common->err->format_message(common, reader->message);
    longjmp(reader->jump, 1);
}

/* libjpeg only warns of missing or wrong data, and fills the gap with grey. */
static void judge_warning(j_common_ptr common, int level)
{
    static const int harmless[] = {JWRN_EXTRANEOUS_DATA, JWRN_ADOBE_XFORM, JWRN_JFIF_MAJOR,
                                   JWRN_BOGUS_PROGRESSION, JWRN_BOGUS_ICC};
    if (level >= 0)
        return;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (common->err->msg_code == harmless[i])
            return;
    stop_on_error(common);
}

static void drop_message(j_common_ptr common)
{
    (void)common;
}

static void count_scans(j_common_ptr common)
{
    const jpeg_reader *reader = (const jpeg_reader *)common->err;
    if (common->is_decompressor && reader->picture.input_scan_number > MOST_SCANS)
        ERREXIT(common, JERR_BAD_PROGRESSION);
}

static orthant_status read_rows(jpeg_reader *reader)
{
    j_decompress_ptr picture = &reader->picture;
    picture->out_color_space = picture->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    picture->dct_method = JDCT_ISLOW;
    jpeg_start_decompress(picture);
    reader->row = memory_new(reader->request->ctx, picture->output_width,
                             (size_t)picture->output_components, "a row of a picture");
    const int64_t samples = (int64_t)picture->output_width * picture->output_components;
    reader->wide =
        memory_new(reader->request->ctx, samples, sizeof *reader->wide, "a row of a picture");
    if (!reader->row || !reader->wide)
        return ORTHANT_ERROR_MEMORY;
    while (picture->output_scanline < picture->output_height) {
        const int y = (int)picture->output_scanline;
        JSAMPROW row = reader->row;
        jpeg_read_scanlines(picture, &row, 1);
        for (int64_t i = 0; i < samples; i++)
            reader->wide[i] = image_widen(row[i]);
        image_put_row(reader->out, y, reader->wide, picture->output_components);
    }
    jpeg_finish_decompress(picture);
    return ORTHANT_OK;
}

/* EXIF stands in an APP1 marker behind its name. */
static int orientation_of(j_decompress_ptr picture)
{
    static const char name[6] = "Exif\0";
    for (jpeg_saved_marker_ptr m = picture->marker_list; m; m = m->next)
        if (m->marker == JPEG_APP0 + 1 && m->data_length > sizeof name &&
            !memcmp(m->data, name, sizeof name))
            return exif_orientation(m->data + sizeof name, m->data_length - sizeof name);
    return 1;
}

static orthant_status read_picture(jpeg_reader *reader)
{
    image_request *request = reader->request;
    j_decompress_ptr picture = &reader->picture;
    if (setjmp(reader->jump))
        return fail(request->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: a JPEG that is cut short or damaged: %s", request->path, reader->message);
    jpeg_create_decompress(picture);
    reader->progress.progress_monitor = count_scans;
    picture->progress = &reader->progress;
    jpeg_stdio_src(picture, request->file);
    jpeg_save_markers(picture, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(picture, TRUE);
    if (picture->jpeg_color_space == JCS_CMYK || picture->jpeg_color_space == JCS_YCCK)
        return fail(request->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: a JPEG in CMYK; expected grey or RGB. Convert it first.", request->path);
    request->orientation = orientation_of(picture);
    const image_header header = {.height = picture->image_height,
                                 .width = picture->image_width,
                                 .pixels_a_byte = PIXELS_A_BYTE};
    const orthant_status status = image_begin(request, header, reader->out);
    return status == ORTHANT_OK && reader->out->pixels ? read_rows(reader) : status;
}

orthant_status image_decode_jpeg(image_request *request, image *out)
{
    jpeg_reader *reader = memory_new(request->ctx, 1, sizeof *reader, "a JPEG's reader");
    if (!reader)
        return ORTHANT_ERROR_MEMORY;
    reader->request = request;
    reader->out = out;
    reader->picture.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = stop_on_error;
    reader->errors.emit_message = judge_warning;
    reader->errors.output_message = drop_message;
    const orthant_status status = read_picture(reader);
    jpeg_destroy_decompress(&reader->picture);
    memory_free(request->ctx, reader->row);
    memory_free(request->ctx, reader->wide);
    memory_free(request->ctx, reader);
    return status;
}
