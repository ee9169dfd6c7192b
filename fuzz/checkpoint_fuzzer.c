/* Checkpoints: any bytes give a result or an error. Their checksums are made right first, otherwise
 * nothing behind them would be reached. */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "core/memory.h"
#include "engine/checkpoint_format.h"
#include "input.h"

/* The sizes as far as they fit into the file. */
static bool find_head(checkpoint_header *header, size_t size)
{
    header->file_bytes = size;
    header->checksum = 0;
    return header->settings_bytes < size && header->part_count <= CHECKPOINT_MOST_PARTS &&
           checkpoint_head_bytes(header) + checkpoint_tail_bytes(header) <= size;
}

static uint64_t part_checksum(const uint8_t *data, size_t size, const checkpoint_entry *entry)
{
    const bool within = entry->bytes && entry->offset < size &&
                        entry->rows <= (size - entry->offset) / entry->bytes;
    return within ? checksum_rows(data + entry->offset, 0, (int64_t)entry->rows, entry->bytes,
                                  entry->bytes)
                  : 0;
}

static void mend(uint8_t *data, size_t size)
{
    checkpoint_header header;
    uint64_t checksums[CHECKPOINT_MOST_PARTS + 1];
    if (size < sizeof header)
        return;
    memcpy(&header, data, sizeof header);
    if (!find_head(&header, size))
        return;
    const size_t tail = checkpoint_tail_bytes(&header), parts = header.part_count;
    for (size_t i = 0; i < parts; i++) {
        checkpoint_entry entry;
        memcpy(&entry, data + sizeof header + header.settings_bytes + i * sizeof entry,
               sizeof entry);
        checksums[i] = part_checksum(data, size - tail, &entry);
    }
    memcpy(data, &header, sizeof header);
    header.checksum = checksum_bytes(data, checkpoint_head_bytes(&header), 0);
    memcpy(data, &header, sizeof header);
    checksums[parts] = checksum_bytes(checksums, parts * sizeof *checksums, header.checksum);
    memcpy(data + size - tail, checksums, tail);
}

/* All parts, into memory of their sizes. */
static void read_parts(checkpoint_reader *from, size_t size)
{
    checkpoint_parts parts = {0};
    char *scratch = malloc(size);
    size_t used = 0;
    for (int i = 0; i < from->part_count && scratch; i++) {
        const checkpoint_entry *entry = &from->table[i];
        parts_add_array(&parts, entry->name, &(kernels){.size = 1},
                        (array){scratch + used, (int64_t)entry->rows, (int64_t)entry->bytes,
                                (int64_t)entry->bytes});
        used += entry->rows * entry->bytes;
    }
    if (scratch)
        fuzz_check(checkpoint_read(from, &parts), scratch);
    free(scratch);
}

static void read_file(const char *path, size_t size)
{
    checkpoint_reader from;
    const orthant_status status = checkpoint_open(&from, fuzz_context(), path, NULL);
    fuzz_check(status, status ? NULL : from.settings);
    if (!status)
        read_parts(&from, size);
    checkpoint_close(&from);
    fuzz_check_freed();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *mended = malloc(size ? size : 1);
    if (!mended)
        return 0;
    memcpy(mended, data, size);
    mend(mended, size);
    read_file(fuzz_file("input.checkpoint", mended, size), size);
    free(mended);
    return 0;
}
