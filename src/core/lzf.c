/* Unpacking only; nothing here packs. */
#include "core/lzf.h"

#include <string.h>

/* A control byte below 32 announces that many literals and one more. Otherwise its upper three bits
 * (7: and a further byte) are a length less two, its lower five and the next byte a distance less
 * one. */
bool lzf_unpack(const unsigned char *packed, int64_t packed_size, unsigned char *out, int64_t size)
{
    int64_t at = 0, done = 0;
    while (at < packed_size) {
        const int control = packed[at++];
        if (control < 32) {
            const int64_t run = control + 1;
            if (run > packed_size - at || run > size - done)
                return false;
            memcpy(out + done, packed + at, (size_t)run);
            at += run;
            done += run;
            continue;
        }
        int64_t length = (control >> 5) + 2;
        if (packed_size - at < (length == 9 ? 2 : 1))
            return false;
        if (length == 9)
            length += packed[at++];
        const int64_t distance = ((int64_t)(control & 31) << 8 | packed[at++]) + 1;
        if (distance > done || length > size - done)
            return false;
        /* The two may overlap: a byte just written is then read again. */
        for (int64_t i = 0; i < length; i++, done++)
            out[done] = out[done - distance];
    }
    return done == size;
}

int64_t lzf_unpacked_size(const unsigned char *packed, int64_t packed_size)
{
    int64_t at = 0, size = 0;
    while (at < packed_size) {
        const int control = packed[at++];
        if (control < 32) {
            at += control + 1;
            size += control + 1;
            continue;
        }
        size += (control >> 5) + 2;
        if (control >> 5 == 7 && at < packed_size)
            size += packed[at++];
        at++;
    }
    return at == packed_size ? size : -1;
}
