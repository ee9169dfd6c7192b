/* The list of parts, and writing them. */
#include "engine/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/memory.h"
#include "core/part.h"
#include "engine/checkpoint_format.h"
#include "engine/group.h"

/* ------------------------------------------------------------------ the list */

static checkpoint_part *add(checkpoint_parts *parts, const char *name, void *data, int64_t rows,
                            size_t bytes, size_t distance)
{
    checkpoint_part *part = &parts->part[parts->count++];
    *part = (checkpoint_part){
        .data = data, .rows = rows, .whole = rows, .bytes = bytes, .distance = distance};
    snprintf(part->name, sizeof part->name, "%s", name);
    return part;
}

void parts_add_rows(checkpoint_parts *parts, const char *name, const kernels *ops, array a,
                    int64_t first, int64_t whole)
{
    if (!a.data)
        return;
    checkpoint_part *part = add(parts, name, a.data, a.rows, (size_t)a.columns * ops->size,
                                (size_t)a.stride * ops->size);
    part->first = first;
    part->whole = whole;
    part->shared = true;
}

void parts_add_array(checkpoint_parts *parts, const char *name, const kernels *ops, array a)
{
    if (a.data)
        add(parts, name, a.data, a.rows, (size_t)a.columns * ops->size,
            (size_t)a.stride * ops->size);
}

void parts_add_numbers(checkpoint_parts *parts, const char *name, double *values, int64_t count)
{
    parts_add_field(parts, name, values, (size_t)count * sizeof *values);
}

void parts_add_field(checkpoint_parts *parts, const char *name, void *field, size_t bytes)
{
    add(parts, name, field, 1, bytes, bytes);
}

/* ------------------------------------------------------------------ names */

char *checkpoint_previous(orthant_context *ctx, const char *path)
{
    const size_t bytes = strlen(path) + sizeof CHECKPOINT_PREVIOUS;
    char *name = memory_new(ctx, (int64_t)bytes, 1, "a file's name");
    if (name)
        snprintf(name, bytes, "%s" CHECKPOINT_PREVIOUS, path);
    return name;
}

orthant_status checkpoint_look(orthant_context *ctx, const char *path, bool *there)
{
    file_presence newer = FILE_MISSING, older = FILE_MISSING;
    char *previous = checkpoint_previous(ctx, path);
    orthant_status status = previous ? file_look(ctx, path, &newer) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = file_look(ctx, previous, &older);
    memory_free(ctx, previous);
    *there = newer != FILE_MISSING || older != FILE_MISSING;
    return status;
}

/* A folder of that name is none of ours. */
static int remove_file(const char *path)
{
    return !unlink(path) || errno == ENOENT || errno == EISDIR ? 0 : errno;
}

orthant_status checkpoint_remove(orthant_context *ctx, const char *path)
{
    char *previous = checkpoint_previous(ctx, path);
    if (!previous)
        return ORTHANT_ERROR_MEMORY;
    part_sweep_file(path);
    const int error = remove_file(path), other = remove_file(previous);
    orthant_status status = ORTHANT_OK;
    if (error || other)
        status = file_fail_write(ctx, error ? path : previous, error ? error : other);
    memory_free(ctx, previous);
    return status;
}

orthant_status checkpoint_begin(checkpoint_writer *w, orthant_context *ctx, const char *path,
                                const sample_share *share, const char *last)
{
    *w = (checkpoint_writer){.ctx = ctx, .share = share};
    w->path = memory_text(ctx, path);
    w->previous = checkpoint_previous(ctx, path);
    w->buffer = memory_new(ctx, CHECKPOINT_BUFFER, 1, "a checkpoint");
    if (!w->path || !w->previous || !w->buffer)
        return ORTHANT_ERROR_MEMORY;
    w->keeps_last = last && !strcmp(last, w->path);
    w->keeps_previous = last && !strcmp(last, w->previous);
    return ORTHANT_OK;
}

void checkpoint_release(checkpoint_writer *w)
{
    if (!w->ctx)
        return;
    checkpoint_finish(w, true);
    memory_free(w->ctx, w->path);
    memory_free(w->ctx, w->previous);
    memory_free(w->ctx, w->buffer);
    w->ctx = NULL;
}

/* ------------------------------------------------------------------ writing */

/* Of the processes; it alone makes and names files. */
static bool is_first(const checkpoint_writer *w)
{
    return !w->share || w->share->rank == 0;
}

static int put_part(const checkpoint_writer *w, int descriptor, const checkpoint_part *part,
                    uint64_t offset, uint64_t *checksum)
{
    *checksum = checksum_rows(part->data, part->first, part->rows, part->bytes, part->distance);
    return file_write_rows(descriptor, part->data, part->rows, part->bytes, part->distance,
                           (int64_t)offset + part->first * (int64_t)part->bytes, w->buffer,
                           CHECKPOINT_BUFFER);
}

/* Header, settings and table; to be freed. */
static char *make_head(orthant_context *ctx, const char *settings, const checkpoint_parts *parts,
                       checkpoint_header *header)
{
    *header = (checkpoint_header){.version = CHECKPOINT_VERSION,
                                  .order = CHECKPOINT_ORDER,
                                  .settings_bytes = (strlen(settings) + 8) / 8 * 8,
                                  .part_count = (uint64_t)parts->count};
    memcpy(header->magic, CHECKPOINT_MAGIC, sizeof header->magic);
    const uint64_t bytes = checkpoint_head_bytes(header);
    char *head = memory_new(ctx, (int64_t)bytes, 1, "a checkpoint");
    if (!head)
        return NULL;
    uint64_t offset = checkpoint_aligned(bytes);
    for (int i = 0; i < parts->count; i++) {
        const checkpoint_part *part = &parts->part[i];
        checkpoint_entry entry = {
            .rows = (uint64_t)part->whole, .bytes = part->bytes, .offset = offset};
        memcpy(entry.name, part->name, sizeof entry.name);
        memcpy(head + sizeof *header + header->settings_bytes + (size_t)i * sizeof entry, &entry,
               sizeof entry);
        offset = checkpoint_aligned(offset + entry.rows * entry.bytes);
    }
    header->file_bytes = offset + checkpoint_tail_bytes(header);
    memcpy(head, header, sizeof *header);
    memcpy(head + sizeof *header, settings, strlen(settings));
    header->checksum = checksum_bytes(head, (size_t)bytes, 0);
    memcpy(head, header, sizeof *header);
    return head;
}

/* The rows at hand: all parts by the first process, and by others those of shared ones. Checksums
 * of what others write are 0 here. */
static int put_parts(const checkpoint_writer *w, int descriptor, const checkpoint_entry *table,
                     const checkpoint_parts *parts, uint64_t *checksums)
{
    int error = 0;
    for (int i = 0; i < parts->count && !error; i++)
        if (is_first(w) || parts->part[i].shared)
            error = put_part(w, descriptor, &parts->part[i], table[i].offset, &checksums[i]);
    return error;
}

static int put_tail(int descriptor, const checkpoint_header *header, uint64_t *checksums)
{
    const uint64_t tail = checkpoint_tail_bytes(header), count = header->part_count;
    checksums[count] =
        checksum_bytes(checksums, (size_t)count * sizeof *checksums, header->checksum);
    return file_write_at(descriptor, checksums, (int64_t)tail,
                         (int64_t)(header->file_bytes - tail));
}

/* ------------------------------------------------------------------ the disk */

/* What is lost on the way to the disk is told by one call alone: those behind it succeed. */
static int sync_file(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* The file before is kept under its other name, without a moment in which there is none. */
static void keep_previous(const checkpoint_writer *w)
{
    if (w->keeps_previous)
        return;
    unlink(w->previous);
    if (w->keeps_last && link(w->path, w->previous) && errno != ENOENT)
        rename(w->path, w->previous); /* a file system without links */
}

/* The file takes its name as soon as the disk has it: the iteration under way may be a long one. */
static void *name_on_disk(void *user)
{
    checkpoint_writer *w = user;
    w->disk_error = sync_file(w->descriptor);
    if (!w->disk_error) {
        keep_previous(w);
        w->disk_error = file_write_name(&w->file);
    }
    atomic_store(&w->named, true);
    return NULL;
}

orthant_status checkpoint_finish(checkpoint_writer *w, bool waits)
{
    if (!w->pending || (!waits && !atomic_load(&w->named)))
        return ORTHANT_OK;
    if (w->alone)
        name_on_disk(w);
    else
        pthread_join(w->waiting, NULL);
    w->pending = w->alone = false;
    orthant_status status =
        w->disk_error ? file_fail_write(w->ctx, w->path, w->disk_error) : ORTHANT_OK;
    status = file_write_end(&w->file, status);
    if (!status) {
        w->keeps_last = true;
        w->keeps_previous = false;
    }
    return status;
}

/* The folder of a run is made when all is done: those above it may not be there yet. Where one
 * cannot be made the file cannot be opened, which tells why. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + (*path == '/'), '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* The first process makes the file; the others open it by the name that it tells them. */
static orthant_status open_part(checkpoint_writer *w, int *descriptor)
{
    orthant_status status = ORTHANT_OK;
    char name[PATH_MAX] = "";
    *descriptor = -1;
    if (is_first(w)) {
        part_sweep_file(w->path);
        make_folders(w->path);
        status = file_write_begin(w->ctx, w->path, &w->file);
        if (!status)
            *descriptor = fileno(w->file.file);
        if (!status && w->file.temporary)
            snprintf(name, sizeof name, "%s", w->file.temporary);
    }
    if (!w->share || (status = group_agree(w->share, status)))
        return status;
    group_tell(w->share, name, sizeof name);
    if (!is_first(w) && (*descriptor = open(name, O_WRONLY | O_CLOEXEC)) < 0)
        status = file_fail_write(w->ctx, name, errno);
    return group_agree(w->share, status);
}

/* The first process waits for the disk of its own machine alone: others wait here for theirs. */
static int close_part(int descriptor, int error)
{
    if (!error && fsync(descriptor) && errno != EINVAL && errno != ENOTSUP)
        error = errno;
    return close(descriptor) && !error ? errno : error;
}

/* With the head made, by all processes. */
static orthant_status write_file(checkpoint_writer *w, const char *head,
                                 const checkpoint_header *header, const checkpoint_parts *parts)
{
    const checkpoint_entry *table =
        (const checkpoint_entry *)(const void *)(head + sizeof *header + header->settings_bytes);
    uint64_t checksums[CHECKPOINT_MOST_PARTS + 1] = {0};
    int descriptor, error = 0;
    orthant_status status = open_part(w, &descriptor);
    if (!status && is_first(w))
        error = file_write_at(descriptor, head, (int64_t)checkpoint_head_bytes(header), 0);
    if (!status && !error)
        error = put_parts(w, descriptor, table, parts, checksums);
    if (!is_first(w) && descriptor >= 0)
        error = close_part(descriptor, error);
    if (error)
        status = file_fail_write(w->ctx, w->path, error);
    if (w->share && !(status = group_agree(w->share, status)))
        group_add_checksums(w->share, checksums, parts->count);
    if (!status && is_first(w) && (error = put_tail(descriptor, header, checksums)))
        status = file_fail_write(w->ctx, w->path, error);
    if (status && is_first(w))
        file_write_end(&w->file, status);
    return status;
}

/* The first process waits for the disk and names the file, beside the iterations. */
static orthant_status begin_waiting(checkpoint_writer *w)
{
    if (!is_first(w))
        return ORTHANT_OK;
    w->descriptor = fileno(w->file.file);
    atomic_store(&w->named, false);
    w->pending = true;
    if (!pthread_create(&w->waiting, NULL, name_on_disk, w))
        return ORTHANT_OK;
    w->alone = true;
    return checkpoint_finish(w, true);
}

orthant_status checkpoint_write(checkpoint_writer *w, const char *settings,
                                const checkpoint_parts *parts)
{
    checkpoint_header header;
    char *head = settings ? make_head(w->ctx, settings, parts, &header) : NULL;
    orthant_status status = head ? checkpoint_finish(w, true) : ORTHANT_ERROR_MEMORY;
    if (w->share)
        status = group_agree(w->share, status);
    if (!status)
        status = write_file(w, head, &header, parts);
    memory_free(w->ctx, head);
    if (!status)
        status = begin_waiting(w);
    /* What the first process does last may fail there alone. */
    return w->share ? group_agree(w->share, status) : status;
}
