/* TIFF by libtiff's RGBA interface, which knows every kind of grey, palette and colour file.
 * Colours come multiplied by their alpha: what is transparent is black. */
#include "data/image.h"

#include <string.h>
#include <tiffio.h>

#include "core/memory.h"

/* From 4.5 on messages can be caught for one file; before, only for the whole process. */
#if TIFFLIB_VERSION >= 20221213
#define MESSAGES_OF_A_FILE 1
#else
#define MESSAGES_OF_A_FILE 0
#endif

#if MESSAGES_OF_A_FILE

static int keep_error(TIFF *tiff, void *reason, const char *module, const char *format,
                      va_list arguments)
{
    char *text = reason;
    (void)tiff;
    (void)module;
    if (!text[0])
        vsnprintf(text, 160, format, arguments);
    return 1;
}

static int drop_warning(TIFF *tiff, void *user, const char *module, const char *format,
                        va_list arguments)
{
    (void)tiff;
    (void)user;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

static TIFF *open_tiff(const char *path, char reason[160])
{
    TIFF *tiff = NULL;
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, reason);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, NULL);
    tiff = TIFFOpenExt(path, "r", options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

#else

static TIFF *open_tiff(const char *path, char reason[160])
{
    (void)reason;
    return TIFFOpen(path, "r");
}

#endif

static orthant_status fail_tiff(const image_request *request, const char *reason)
{
    return fail(request->ctx, ORTHANT_ERROR_FORMAT, "%s: a TIFF that cannot be read%s%s",
                request->path, reason[0] ? ": " : ": it is cut short or damaged", reason);
}

static orthant_status read_pixels(const image_request *request, TIFF *tiff, const char *reason,
                                  image *out)
{
    char refusal[1024] = "";
    if (!TIFFRGBAImageOK(tiff, refusal))
        return fail(request->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: a TIFF of a kind that cannot be read: %.200s", request->path, refusal);
    uint32_t *raster =
        memory_new(request->ctx, (int64_t)out->height * out->width, sizeof *raster, "a picture");
    if (!raster)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = ORTHANT_OK;
    if (!TIFFReadRGBAImageOriented(tiff, (uint32_t)out->width, (uint32_t)out->height, raster,
                                   ORIENTATION_TOPLEFT, 1))
        status = fail_tiff(request, reason);
    for (int y = 0; y < out->height && status == ORTHANT_OK; y++) {
        uint32_t *pixels = raster + (int64_t)y * out->width;
        unsigned char *row = (unsigned char *)pixels;
        for (int x = 0; x < out->width; x++) { /* from packed to three bytes a pixel, in place */
            const uint32_t pixel = pixels[x];
            row[3 * x] = TIFFGetR(pixel);
            row[3 * x + 1] = TIFFGetG(pixel);
            row[3 * x + 2] = TIFFGetB(pixel);
        }
        image_put_row(out, y, row, 3);
    }
    memory_free(request->ctx, raster);
    return status;
}

/* The most pixels that a byte of the file can stand for, 0 where there is no bound: a fax needs a
 * bit for an empty row. */
static int64_t pixels_a_byte(TIFF *tiff)
{
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    switch (compression) {
    case COMPRESSION_NONE: return 8;
    case COMPRESSION_PACKBITS: return 8 * 64;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE: return 8 * 1100;
    case COMPRESSION_LZW: return 8 * 4096;
    default: return 0;
    }
}

static orthant_status read_picture(const image_request *request, image *out)
{
    char reason[160] = "";
    uint32_t height = 0, width = 0;
    TIFF *tiff = open_tiff(request->path, reason);
    if (!tiff)
        return fail_tiff(request, reason);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    orthant_status status = image_begin(request, height, width, pixels_a_byte(tiff), out);
    if (status == ORTHANT_OK && out->pixels) {
        if (!TIFFLastDirectory(tiff))
            log_note(request->ctx, "%s: a TIFF of several pages; the first is taken",
                     request->path);
        status = read_pixels(request, tiff, reason, out);
    }
    TIFFClose(tiff);
    return status;
}

orthant_status image_decode_tiff(const image_request *request, image *out)
{
#if MESSAGES_OF_A_FILE
    return read_picture(request, out);
#else
    const TIFFErrorHandler errors = TIFFSetErrorHandler(NULL),
                           warnings = TIFFSetWarningHandler(NULL);
    const orthant_status status = read_picture(request, out);
    TIFFSetErrorHandler(errors);
    TIFFSetWarningHandler(warnings);
    return status;
#endif
}
