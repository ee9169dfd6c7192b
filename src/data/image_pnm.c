/* PGM and PPM: P2 and P3 in text, P5 and P6 in bytes; samples of 8 or 16 bits. */
#include "data/image.h"

#include <ctype.h>

#include "core/memory.h"

static orthant_status fail_pnm(const image_request *request, const char *what)
{
    return fail(request->ctx, ORTHANT_ERROR_FORMAT, "%s: a PGM or PPM that is damaged: %s",
                request->path, what);
}

/* The next number in text, behind blanks and comments; -1 where there is none or it is past 2^24.
 */
static int64_t next_number(FILE *file)
{
    int c = getc(file);
    while (c == '#' || isspace(c)) {
        if (c == '#')
            while (c != '\n' && c != EOF)
                c = getc(file);
        else
            c = getc(file);
    }
    if (c == EOF || !isdigit(c))
        return -1;
    int64_t number = 0;
    for (; c != EOF && isdigit(c); c = getc(file)) {
        number = 10 * number + (c - '0');
        if (number > 1 << 24)
            return -1;
    }
    return c == EOF || isspace(c) ? number : -1; /* one blank ends a number and belongs to it */
}

static int64_t next_sample(FILE *file, bool text, bool wide)
{
    if (text)
        return next_number(file);
    const int high = getc(file);
    if (high == EOF || !wide)
        return high;
    const int low = getc(file);
    return low == EOF ? -1 : 256 * high + low;
}

static orthant_status read_row(const image_request *request, bool text, int64_t brightest,
                               int64_t count, uint16_t *samples)
{
    for (int64_t x = 0; x < count; x++) {
        const int64_t value = next_sample(request->file, text, brightest > 255);
        if (value < 0)
            return fail_pnm(request,
                            text ? "a sample is missing or not a number" : "it is cut short");
        if (value > brightest)
            return fail_pnm(request, "a sample is brighter than the header's maximum");
        samples[x] = (uint16_t)value;
    }
    return ORTHANT_OK;
}

static orthant_status read_rows(const image_request *request, bool text, int samples,
                                int64_t brightest, image *out)
{
    const int64_t line = (int64_t)out->width * samples;
    uint16_t *row = memory_new(request->ctx, line, sizeof *row, "a row of a picture");
    orthant_status status = row ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int y = 0; y < out->height && status == ORTHANT_OK; y++) {
        status = read_row(request, text, brightest, line, row);
        if (status == ORTHANT_OK && request->rows)
            status = request->rows->row(request->rows->user, y, row, samples);
        else if (status == ORTHANT_OK) {
            for (int64_t x = 0; x < line; x++)
                row[x] = (uint16_t)((row[x] * INT64_C(65535) + brightest / 2) / brightest);
            image_put_row(out, y, row, samples);
        }
    }
    memory_free(request->ctx, row);
    return status;
}

orthant_status image_decode_pnm(image_request *request, image *out)
{
    getc(request->file); /* P */
    const int kind = getc(request->file);
    const bool text = kind == '2' || kind == '3';
    const int samples = kind == '3' || kind == '6' ? 3 : 1;
    const int64_t width = next_number(request->file), height = next_number(request->file);
    const int64_t brightest = next_number(request->file);
    if (width < 0 || height < 0)
        return fail_pnm(request, "expected width and height");
    if (brightest < 1 || brightest > 65535)
        return fail_pnm(request, "expected a maximum between 1 and 65535");
    /* A sample takes a byte at least, in text a digit and, but for the last, a blank. */
    const image_header header = {
        .height = height, .width = width, .pixels_a_byte = 1, .deep = brightest > 255};
    const orthant_status status = image_begin(request, header, out);
    if (status != ORTHANT_OK || (!out->pixels && !request->rows))
        return status;
    return read_rows(request, text, samples, brightest, out);
}
