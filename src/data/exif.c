/* EXIF is a TIFF file without pixels: byte order, 42, the offset of the first directory; there a
 * count and entries of 12 bytes: tag, type, count, value. */
#include "data/exif.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, HEADER = 8, ENTRY = 12 };

static uint32_t number(const unsigned char *bytes, int size, bool big)
{
    uint32_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[big ? i : size - 1 - i];
    return value;
}

int exif_orientation(const unsigned char *bytes, size_t count)
{
    if (count < HEADER || (memcmp(bytes, "II*\0", 4) != 0 && memcmp(bytes, "MM\0*", 4) != 0))
        return 1;
    const bool big = bytes[0] == 'M';
    const size_t directory = number(bytes + 4, 4, big);
    if (directory > count - 2)
        return 1;
    const size_t entries = number(bytes + directory, 2, big);
    for (size_t i = 0; i < entries && directory + 2 + (i + 1) * ENTRY <= count; i++) {
        const unsigned char *entry = bytes + directory + 2 + i * ENTRY;
        if (number(entry, 2, big) != TAG_ORIENTATION || number(entry + 2, 2, big) != TYPE_SHORT)
            continue;
        const uint32_t value = number(entry + 8, 2, big);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}
