/* Containers of sparse matrices: any bytes give a result or an error. Their checksums are made
 * right first, so that what stands behind them is reached. */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "data/csr_file.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    csr_header header = {.rows = 0};
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    if (size >= CSR_HEADER_BYTES && (data[8] & 1)) {
        memcpy(&header.rows, data + 16, 8);
        memcpy(&header.columns, data + 24, 8);
        memcpy(&header.stored, data + 32, 8);
        header.precision = data[12] == 8 ? ORTHANT_DOUBLE : ORTHANT_SINGLE;
        if (header.rows >= 0 && header.stored >= 0 && header.rows < INT64_MAX &&
            csr_measure(&header))
            for (int s = 0; s < CSR_SECTIONS; s++)
                if (header.begin[s] + header.length[s] <= (int64_t)size)
                    header.checksum[s] =
                        checksum_bytes(bytes + header.begin[s], (size_t)header.length[s], 0);
        csr_pack(&header, bytes);
    }
    fuzz_matrix("input.csr", bytes, size);
    free(bytes);
    return 0;
}
