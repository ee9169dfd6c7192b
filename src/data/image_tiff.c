/* TIFF: 16 bits per sample row by row; all else by libtiff's RGBA interface, which knows every kind
 * of grey, palette and colour file and gives 8 bits. Colours come multiplied by their alpha: what
 * is transparent is black. */
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

/* By libtiff's own conversion, which gives 8 bits per sample. */
static orthant_status read_converted(const image_request *request, TIFF *tiff, const char *reason,
                                     image *out)
{
    char refusal[1024] = "";
    if (!TIFFRGBAImageOK(tiff, refusal))
        return fail(request->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: a TIFF of a kind that cannot be read: %.200s", request->path, refusal);
    uint16_t *row = memory_new(request->ctx, 3 * (int64_t)out->width, sizeof *row, "a row");
    uint32_t *raster =
        memory_new(request->ctx, (int64_t)out->height * out->width, sizeof *raster, "a picture");
    orthant_status status = row && raster ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (status == ORTHANT_OK &&
        !TIFFReadRGBAImageOriented(tiff, (uint32_t)out->width, (uint32_t)out->height, raster,
                                   ORIENTATION_TOPLEFT, 1))
        status = fail_tiff(request, reason);
    for (int y = 0; y < out->height && status == ORTHANT_OK; y++) {
        const uint32_t *pixels = raster + (int64_t)y * out->width;
        for (int x = 0; x < out->width; x++) {
            row[3 * x] = image_widen(TIFFGetR(pixels[x]));
            row[3 * x + 1] = image_widen(TIFFGetG(pixels[x]));
            row[3 * x + 2] = image_widen(TIFFGetB(pixels[x]));
        }
        image_put_row(out, y, row, 3);
    }
    memory_free(request->ctx, raster);
    memory_free(request->ctx, row);
    return status;
}

/* Grey or colour of 16 bits, as most microscopes write it. */
typedef struct deep_layout {
    bool readable; /* whole numbers of 16 bits, in rows, samples side by side */
    bool inverted; /* 0 is white */
    int samples;   /* per pixel, as stored */
    int used;      /* of these, as image_put_row counts them */
} deep_layout;

static deep_layout find_layout(TIFF *tiff)
{
    uint16_t bits = 0, format = 0, planar = 0, photometric = 0, samples = 0, extra_count = 0;
    uint16_t *extra = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extra);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    const int colours = photometric == PHOTOMETRIC_RGB ? 3 : 1;
    const bool known = photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_MINISBLACK ||
                       photometric == PHOTOMETRIC_MINISWHITE;
    /* Colours that are multiplied by their alpha already lie over black as they are. */
    const bool alpha = extra_count > 0 && extra && extra[0] == EXTRASAMPLE_UNASSALPHA;
    return (deep_layout){
        .readable = bits == 16 && format == SAMPLEFORMAT_UINT && known && samples >= colours &&
                    samples <= colours + 8 && (planar == PLANARCONFIG_CONTIG || samples == 1) &&
                    !TIFFIsTiled(tiff),
        .inverted = photometric == PHOTOMETRIC_MINISWHITE,
        .samples = samples,
        .used = colours + (alpha && samples > colours ? 1 : 0),
    };
}

static orthant_status read_deep(const image_request *request, TIFF *tiff, deep_layout layout,
                                const char *reason, image *out)
{
    const int64_t line = (int64_t)out->width * layout.samples;
    if (TIFFScanlineSize64(tiff) != 2 * (uint64_t)line)
        return fail_tiff(request, reason);
    uint16_t *row = memory_new(request->ctx, line, sizeof *row, "a row of a picture");
    orthant_status status = row ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int y = 0; y < out->height && status == ORTHANT_OK; y++) {
        if (TIFFReadScanline(tiff, row, (uint32_t)y, 0) < 0) {
            status = fail_tiff(request, reason);
            break;
        }
        for (int x = 0; x < out->width; x++)
            for (int c = 0; c < layout.used; c++)
                row[x * layout.used + c] = (uint16_t)(row[(int64_t)x * layout.samples + c] ^
                                                      (layout.inverted && c == 0 ? 0xffff : 0));
        image_put_row(out, y, row, layout.used);
    }
    memory_free(request->ctx, row);
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

static orthant_status read_picture(image_request *request, image *out)
{
    char reason[160] = "";
    uint32_t height = 0, width = 0;
    uint16_t orientation = ORIENTATION_TOPLEFT;
    TIFF *tiff = open_tiff(request->path, reason);
    if (!tiff)
        return fail_tiff(request, reason);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    /* Both ways of reading then give the rows as they are stored; the caller turns them upright. */
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    request->orientation = orientation <= 8 ? orientation : ORIENTATION_TOPLEFT;
    const deep_layout layout = find_layout(tiff);
    const image_header header = {.height = height,
                                 .width = width,
                                 .pixels_a_byte = pixels_a_byte(tiff),
                                 .deep = layout.readable};
    orthant_status status = image_begin(request, header, out);
    if (status == ORTHANT_OK && out->pixels) {
        if (!TIFFLastDirectory(tiff))
            log_note(request->ctx, "%s: a TIFF of several pages; the first is taken",
                     request->path);
        status = layout.readable ? read_deep(request, tiff, layout, reason, out)
                                 : read_converted(request, tiff, reason, out);
    }
    TIFFClose(tiff);
    return status;
}

orthant_status image_decode_tiff(image_request *request, image *out)
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
