/* Checksums of rows that can be added up. */
#include "core/checksum.h"

#include "core/xxh64.h"

uint64_t checksum_bytes(const void *data, size_t bytes, uint64_t seed)
{
    xxh64 hash;
    xxh64_begin(&hash, seed);
    xxh64_add(&hash, data, bytes);
    return xxh64_value(&hash);
}

uint64_t checksum_rows(const void *data, int64_t first, int64_t rows, size_t row_bytes,
                       size_t stride)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += checksum_bytes((const unsigned char *)data + (size_t)i * stride, row_bytes,
                              (uint64_t)(first + i));
    return sum;
}
