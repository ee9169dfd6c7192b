/* Checking and reading a checkpoint: nothing in it is believed before its checksum agrees. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/memory.h"
#include "core/pieces.h"
#include "engine/checkpoint_format.h"
#include "engine/group.h"

#define MOST_HEAD (1 << 24) /* bytes of settings and table: far more than any fit has */

static orthant_status damaged(const checkpoint_reader *r, const char *what)
{
    return fail(r->ctx, ORTHANT_ERROR_FORMAT, "%s: is no whole checkpoint: %s", r->file, what);
}

static orthant_status get(const checkpoint_reader *r, void *data, size_t bytes, uint64_t offset)
{
    int64_t done;
    const int error = file_read_at(r->descriptor, data, (int64_t)bytes, (int64_t)offset, &done);
    if (error)
        return file_fail_read(r->ctx, r->file, error);
    return done == (int64_t)bytes ? ORTHANT_OK : damaged(r, "it ends too early");
}

/* ------------------------------------------------------------------ the head */

static orthant_status check_header(const checkpoint_reader *r, const checkpoint_header *header)
{
    struct stat about;
    if (memcmp(header->magic, CHECKPOINT_MAGIC, sizeof header->magic))
        return damaged(r, "it does not begin like one");
    if (header->order != CHECKPOINT_ORDER)
        return damaged(r, "it was written on a machine of another byte order");
    if (header->version != CHECKPOINT_VERSION)
        return fail(r->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: is a checkpoint of format %" PRIu32 ", expected %d: another version of "
                    "Orthant wrote it",
                    r->file, header->version, CHECKPOINT_VERSION);
    if (header->part_count > CHECKPOINT_MOST_PARTS || header->settings_bytes > MOST_HEAD ||
        header->settings_bytes % 8 || header->settings_bytes == 0)
        return damaged(r, "its header is not one");
    if (fstat(r->descriptor, &about))
        return file_fail_read(r->ctx, r->file, errno);
    if ((uint64_t)about.st_size != header->file_bytes ||
        header->file_bytes < checkpoint_head_bytes(header) + checkpoint_tail_bytes(header))
        return damaged(r, "it has another size than it says");
    return ORTHANT_OK;
}

/* Parts that lie within the file, one behind the other. */
static bool table_is_sound(const checkpoint_reader *r, const checkpoint_header *header)
{
    uint64_t end = checkpoint_head_bytes(header);
    const uint64_t last = header->file_bytes - checkpoint_tail_bytes(header);
    for (int i = 0; i < r->part_count; i++) {
        const checkpoint_entry *entry = &r->table[i];
        if (!memchr(entry->name, 0, sizeof entry->name) || entry->offset < end ||
            entry->offset > last || entry->rows > INT64_MAX || entry->bytes == 0 ||
            entry->rows > (last - entry->offset) / entry->bytes)
            return false;
        end = entry->offset + entry->rows * entry->bytes;
    }
    return true;
}

static orthant_status read_head(checkpoint_reader *r)
{
    checkpoint_header header;
    orthant_status status = get(r, &header, sizeof header, 0);
    if (!status)
        status = check_header(r, &header);
    if (status)
        return status;
    const uint64_t bytes = checkpoint_head_bytes(&header), tail = checkpoint_tail_bytes(&header),
                   checksum = header.checksum;
    r->head = memory_new(r->ctx, (int64_t)bytes, 1, "a checkpoint");
    r->checksums = memory_new(r->ctx, (int64_t)tail, 1, "a checkpoint");
    if (!r->head || !r->checksums)
        return ORTHANT_ERROR_MEMORY;
    if ((status = get(r, r->head, (size_t)bytes, 0)) ||
        (status = get(r, r->checksums, (size_t)tail, header.file_bytes - tail)))
        return status;
    header.checksum = 0;
    memcpy(r->head, &header, sizeof header);
    r->settings = r->head + sizeof header;
    r->part_count = (int)header.part_count;
    r->table = (const checkpoint_entry *)(const void *)(r->settings + header.settings_bytes);
    if (checksum_bytes(r->head, (size_t)bytes, 0) != checksum ||
        checksum_bytes(r->checksums, (size_t)tail - sizeof checksum, checksum) !=
            r->checksums[r->part_count])
        return damaged(r, "its checksum does not agree");
    if (!memchr(r->settings, 0, (size_t)header.settings_bytes) || !table_is_sound(r, &header))
        return damaged(r, "its table is not one");
    return ORTHANT_OK;
}

/* ------------------------------------------------------------------ the parts */

/* Rows of an entry, to `part` unless that is NULL, and whether their checksum agrees where these
 * are all. */
static orthant_status read_part(const checkpoint_reader *r, int index, const checkpoint_part *part)
{
    const checkpoint_entry *entry = &r->table[index];
    const int64_t together = checkpoint_buffered((size_t)entry->bytes),
                  first = part ? part->first : 0, all = part ? part->rows : (int64_t)entry->rows;
    uint64_t offset = entry->offset + (uint64_t)first * entry->bytes, checksum = 0;
    char *row = r->buffer;
    orthant_status status = ORTHANT_OK;
    if (!together && !(row = memory_new(r->ctx, (int64_t)entry->bytes, 1, "a checkpoint")))
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < all && !status;) {
        const int64_t rows = together ? smaller(together, all - i) : 1;
        const size_t bytes = (size_t)rows * (size_t)entry->bytes;
        status = get(r, row, bytes, offset);
        if (!status)
            checksum +=
                checksum_rows(row, first + i, rows, (size_t)entry->bytes, (size_t)entry->bytes);
        for (int64_t j = 0; j < rows && part && !status; j++)
            memcpy(part->data + (size_t)(i + j) * part->distance, row + (size_t)j * part->bytes,
                   part->bytes);
        offset += bytes;
        i += rows;
    }
    if (row != r->buffer)
        memory_free(r->ctx, row);
    if (!status && all == (int64_t)entry->rows && checksum != r->checksums[index])
        status = damaged(r, "its checksum does not agree");
    return status;
}

int64_t checkpoint_rows(const checkpoint_reader *r, const char *name)
{
    for (int i = 0; i < r->part_count; i++)
        if (!strcmp(r->table[i].name, name))
            return (int64_t)r->table[i].rows;
    return -1;
}

orthant_status checkpoint_read(checkpoint_reader *r, const checkpoint_parts *parts)
{
    orthant_status status = ORTHANT_OK;
    bool same = r->part_count == parts->count;
    for (int i = 0; i < parts->count && same; i++) {
        const checkpoint_part *part = &parts->part[i];
        const checkpoint_entry *entry = &r->table[i];
        same = !strcmp(part->name, entry->name) && (uint64_t)part->whole == entry->rows &&
               part->bytes == entry->bytes;
    }
    if (!same)
        return fail(r->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: holds other arrays than the fit has: another version of Orthant wrote it",
                    r->file);
    for (int i = 0; i < parts->count && !status; i++)
        status = read_part(r, i, &parts->part[i]);
    return r->share ? group_agree(r->share, status) : status;
}

/* ------------------------------------------------------------------ which file */

static void close_file(checkpoint_reader *r)
{
    if (r->descriptor >= 0)
        close(r->descriptor);
    r->descriptor = -1;
    memory_free(r->ctx, r->head);
    memory_free(r->ctx, r->checksums);
    memory_free(r->ctx, r->file);
    r->head = r->file = NULL;
    r->checksums = NULL;
    r->part_count = 0;
}

/* Takes `file` over; `whole`: with a look at all parts. */
static orthant_status open_file(checkpoint_reader *r, char *file, bool whole)
{
    r->file = file;
    if (!file)
        return ORTHANT_ERROR_MEMORY;
    r->descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->descriptor < 0)
        return file_fail_read(r->ctx, file, errno);
    orthant_status status = read_head(r);
    for (int i = 0; i < r->part_count && whole && !status; i++)
        status = read_part(r, i, NULL);
    return status;
}

void checkpoint_close(checkpoint_reader *r)
{
    if (!r->ctx)
        return;
    close_file(r);
    memory_free(r->ctx, r->path);
    memory_free(r->ctx, r->buffer);
    r->ctx = NULL;
}

/* The newer file that is whole. */
static orthant_status choose_file(checkpoint_reader *r)
{
    orthant_context *ctx = r->ctx;
    char *previous = checkpoint_previous(ctx, r->path), first[sizeof ctx->message];
    if (!previous)
        return ORTHANT_ERROR_MEMORY;
    const bool there = file_exists(r->path), other = file_exists(previous);
    orthant_status status = open_file(r, memory_text(ctx, r->path), true);
    if (!status || status == ORTHANT_ERROR_MEMORY || !other) {
        memory_free(ctx, previous);
        return status;
    }
    memcpy(first, ctx->message, sizeof first);
    close_file(r);
    status = open_file(r, previous, true);
    if (!status && there)
        log_warning(ctx, "%s; the one before it is taken, %s", first, r->file);
    else if (status == ORTHANT_ERROR_FORMAT && there)
        status = fail(ctx, status, "%.400s; nor is the one before it, %.400s", first, r->file);
    return status;
}

/* That of the first process. */
static orthant_status open_same_file(checkpoint_reader *r, orthant_status status)
{
    char name[PATH_MAX] = "";
    if ((status = group_agree(r->share, status)))
        return status;
    if (r->share->rank == 0)
        snprintf(name, sizeof name, "%s", r->file);
    group_tell(r->share, name, sizeof name);
    if (r->share->rank > 0)
        status = open_file(r, memory_text(r->ctx, name), false);
    return group_agree(r->share, status);
}

orthant_status checkpoint_open(checkpoint_reader *r, orthant_context *ctx, const char *path,
                               const sample_share *share)
{
    *r = (checkpoint_reader){.ctx = ctx, .share = share, .descriptor = -1};
    r->path = memory_text(ctx, path);
    r->buffer = memory_new(ctx, CHECKPOINT_BUFFER, 1, "a checkpoint");
    orthant_status status = r->path && r->buffer ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    if (!status && (!share || share->rank == 0))
        status = choose_file(r);
    return share ? open_same_file(r, status) : status;
}
