/* LZF, Marc Lehmann's fast packing, as PCD files and HDF5's filter 32000 use it. */
#ifndef CORE_LZF_H
#define CORE_LZF_H

#include <stdbool.h>
#include <stdint.h>

/* A back reference of 3 bytes gives 264 at most, so packed bytes cannot mean more than this many
 * each. */
#define LZF_TIGHTEST 88

/* True when the packed bytes are whole and give exactly `size` bytes. Whatever they are, nothing
 * outside of the two blocks is read or written. */
bool lzf_unpack(const unsigned char *packed, int64_t packed_size, unsigned char *out, int64_t size);
/* What packed bytes give, -1 where they are cut short. */
int64_t lzf_unpacked_size(const unsigned char *packed, int64_t packed_size);

#endif
