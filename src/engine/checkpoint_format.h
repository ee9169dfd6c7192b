/* The bytes of a checkpoint: see checkpoint.h. */
#ifndef ENGINE_CHECKPOINT_FORMAT_H
#define ENGINE_CHECKPOINT_FORMAT_H

#include <stdint.h>

#include "engine/checkpoint.h"

#define CHECKPOINT_MAGIC "\211ORTHCP\n"
#define CHECKPOINT_VERSION 1
#define CHECKPOINT_ORDER 0x01020304
#define CHECKPOINT_ALIGNMENT 64
#define CHECKPOINT_BUFFER (1 << 20)
#define CHECKPOINT_PREVIOUS ".previous"

/* `settings_bytes` are those of the text with its end and what fills up to 8 bytes. */
typedef struct checkpoint_header {
    char magic[8];
    uint32_t version, order;
    uint64_t settings_bytes, part_count, file_bytes;
    uint64_t checksum; /* of the whole head, with 0 here */
} checkpoint_header;

typedef struct checkpoint_entry {
    char name[CHECKPOINT_NAME];
    uint64_t rows, bytes; /* of each row */
    uint64_t offset;
} checkpoint_entry;

/* Before the parts: header, settings, table. */
static inline uint64_t checkpoint_head_bytes(const checkpoint_header *header)
{
    return sizeof *header + header->settings_bytes + header->part_count * sizeof(checkpoint_entry);
}

/* Behind the parts: a checksum of each, and of these. */
static inline uint64_t checkpoint_tail_bytes(const checkpoint_header *header)
{
    return (header->part_count + 1) * sizeof(uint64_t);
}

static inline uint64_t checkpoint_aligned(uint64_t bytes)
{
    return (bytes + CHECKPOINT_ALIGNMENT - 1) / CHECKPOINT_ALIGNMENT * CHECKPOINT_ALIGNMENT;
}

/* Rows that a buffer holds; none where one row does not fit. */
static inline int64_t checkpoint_buffered(size_t row_bytes)
{
    return row_bytes ? (int64_t)(CHECKPOINT_BUFFER / row_bytes) : 0;
}

/* PATH.previous (memory_free); NULL with the message set. */
char *checkpoint_previous(orthant_context *ctx, const char *path);

#endif
