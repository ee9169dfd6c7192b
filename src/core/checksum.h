/* Fast checksums of what lies in memory (xxh64.h), for damage and for telling data apart. */
#ifndef CORE_CHECKSUM_H
#define CORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum_bytes(const void *data, size_t bytes, uint64_t seed);

/* Of rows that lie `stride` bytes apart, the first of them being row `first` of an array: the sum
 * of the checksums of its rows, each seeded with its number. Rows can be added up in any order and
 * any pieces, by threads or by processes that hold some of them each. */
uint64_t checksum_rows(const void *data, int64_t first, int64_t rows, size_t row_bytes,
                       size_t stride);

#endif
