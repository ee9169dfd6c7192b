/* Our container for sparse matrices, whose rows can be read one by one. Everything is least
 * significant byte first, and sections begin at multiples of 64 bytes:
 *
 *     0    "\x89CSR\r\n\x1a\n"
 *     8    version, 32 bits: 1
 *     12   bytes of a value, 32 bits: 4 or 8 (IEEE 754)
 *     16   rows, columns and stored entries, 64 bits each
 *     40   XXH64 of the sections: columns, values, row starts
 *     64   XXH64 of bytes 0 to 63
 *     72   zeros
 *     128  columns, 32 bits per stored entry, rising within a row
 *     ...  values
 *     ...  row starts, 64 bits, rows + 1 of them: from 0 to the stored entries; the end of the file
 */
#ifndef DATA_CSR_FILE_H
#define DATA_CSR_FILE_H

#include "data/matrix.h"

#define CSR_MAGIC \
    "\x89"        \
    "CSR\r\n\x1a\n"
#define CSR_HEADER_BYTES 128

enum { CSR_COLUMNS, CSR_VALUES, CSR_STARTS, CSR_SECTIONS };

typedef struct csr_header {
    int64_t rows, columns, stored;
    orthant_precision precision;                       /* of the values */
    uint64_t checksum[CSR_SECTIONS];                   /* in the order of the sections */
    int64_t begin[CSR_SECTIONS], length[CSR_SECTIONS]; /* bytes; made from the sizes */
} csr_header;

/* Where the sections lie; false where that does not fit. */
bool csr_measure(csr_header *header);
void csr_pack(const csr_header *header, unsigned char bytes[CSR_HEADER_BYTES]);
/* Refuses what is no such header, or not of a file of so many bytes. */
orthant_status csr_unpack(orthant_context *ctx, const char *path,
                          const unsigned char bytes[CSR_HEADER_BYTES], int64_t file_bytes,
                          csr_header *header);
/* Refuses starts [first, first + count] that fall, or lead outside of the stored entries. */
orthant_status csr_check_starts(orthant_context *ctx, const char *path, const csr_header *header,
                                const int64_t *start, int64_t first, int64_t count);
/* The first position in [0, count) of the columns of a row that is outside or does not rise; -1. */
int64_t csr_bad_column(const csr_header *header, const int32_t *column, int64_t count);

#endif
