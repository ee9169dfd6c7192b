/* Zip archives through their central directory, which stands at the end:
 *     members (local header, packed bytes) ... | directory entries ... | end record, comment
 * Local headers are only looked at for their own length. Archives beyond 4 GiB (zip64) are refused
 * by name. */
#include "data/zip.h"

#include <inttypes.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"

#define END_RECORD 22
#define LONGEST_COMMENT 65535
#define DIRECTORY_ENTRY 46
#define LOCAL_HEADER 30

static uint32_t number(const unsigned char *bytes, int size)
{
    uint32_t value = 0;
    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static orthant_status fail_zip(const zip_archive *archive, const char *what)
{
    return fail(archive->ctx, ORTHANT_ERROR_FORMAT, "%s: %s", archive->path, what);
}

static orthant_status read_at(const zip_archive *archive, FILE *file, int64_t offset, void *to,
                              int64_t bytes)
{
    if (fseek(file, (long)offset, SEEK_SET) == 0 &&
        fread(to, 1, (size_t)bytes, file) == (size_t)bytes)
        return ORTHANT_OK;
    return fail_zip(archive, "the archive is cut off");
}

/* Where the directory lies. */
typedef struct directory_place {
    int64_t offset, bytes, count;
} directory_place;

static orthant_status parse_end(const zip_archive *archive, const unsigned char *record,
                                int64_t record_offset, directory_place *place)
{
    place->count = number(record + 10, 2);
    place->bytes = number(record + 12, 4);
    place->offset = number(record + 16, 4);
    if (place->count == 0xffff || place->bytes == 0xffffffff || place->offset == 0xffffffff)
        return fail(archive->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: a zip64 archive (4 GiB or more), which is not supported; save the arrays "
                    "as .npy files",
                    archive->path);
    if (place->offset + place->bytes > record_offset ||
        place->bytes < place->count * DIRECTORY_ENTRY)
        return fail_zip(archive, "the archive's directory is damaged");
    return ORTHANT_OK;
}

/* The end record is the last thing in the file but for a comment of any length up to 65535. */
static orthant_status find_directory(const zip_archive *archive, FILE *file, int64_t size,
                                     directory_place *place)
{
    const int64_t tail = size < END_RECORD + LONGEST_COMMENT ? size : END_RECORD + LONGEST_COMMENT;
    unsigned char *bytes = memory_new(archive->ctx, tail, 1, "an archive's end");
    if (!bytes)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = read_at(archive, file, size - tail, bytes, tail);
    int64_t at = tail - END_RECORD;
    while (at >= 0 && memcmp(bytes + at, "PK\5\6", 4) != 0)
        at--;
    if (status == ORTHANT_OK && at < 0)
        status = fail_zip(archive, "not a zip archive, or it is cut off: no end record found");
    if (status == ORTHANT_OK)
        status = parse_end(archive, bytes + at, size - tail + at, place);
    memory_free(archive->ctx, bytes);
    return status;
}

/* Names are moved one byte down, over the entry's last byte, which frees a byte for their end. */
static orthant_status parse_entry(zip_archive *archive, char **at, const char *end,
                                  zip_member *member, uint32_t *method)
{
    const unsigned char *entry = (const unsigned char *)*at;
    if (end - *at < DIRECTORY_ENTRY || memcmp(entry, "PK\1\2", 4) != 0)
        return fail_zip(archive, "the archive's directory is damaged");
    const uint32_t flags = number(entry + 8, 2), name_length = number(entry + 28, 2);
    const int64_t rest = (int64_t)name_length + number(entry + 30, 2) + number(entry + 32, 2);
    *method = number(entry + 10, 2);
    member->part = (stream_part){.offset = number(entry + 42, 4),
                                 .packed = number(entry + 20, 4),
                                 .plain = number(entry + 24, 4),
                                 .deflated = *method == 8,
                                 .crc = number(entry + 16, 4)};
    if (end - *at - DIRECTORY_ENTRY < rest)
        return fail_zip(archive, "the archive's directory is damaged");
    char *name = *at + DIRECTORY_ENTRY - 1;
    memmove(name, name + 1, name_length);
    name[name_length] = '\0';
    const size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".npy") == 0)
        name[length - 4] = '\0';
    member->name = name;
    *at += DIRECTORY_ENTRY + rest;
    if (flags & 1)
        return fail(archive->ctx, ORTHANT_ERROR_UNSUPPORTED, "%s: '%s' is encrypted", archive->path,
                    name);
    return ORTHANT_OK;
}

static orthant_status check_member(const zip_archive *archive, FILE *file, int64_t size,
                                   zip_member *member, uint32_t method)
{
    unsigned char header[LOCAL_HEADER];
    stream_part *part = &member->part;
    if (method != 0 && method != 8)
        return fail(archive->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: '%s' is packed by method %" PRIu32 ", expected 0 (stored) or 8 (deflate)",
                    archive->path, member->name, method);
    if (part->packed == 0xffffffff || part->plain == 0xffffffff || part->offset == 0xffffffff)
        return fail(archive->ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: '%s' is a zip64 member (4 GiB or more), which is not supported; save it "
                    "as a .npy file",
                    archive->path, member->name);
    if (part->offset > size - LOCAL_HEADER)
        return fail_zip(archive, "the archive's directory is damaged");
    const orthant_status status = read_at(archive, file, part->offset, header, LOCAL_HEADER);
    if (status != ORTHANT_OK)
        return status;
    if (memcmp(header, "PK\3\4", 4) != 0)
        return fail_zip(archive, "the archive's directory is damaged");
    part->offset +=
        LOCAL_HEADER + (int64_t)number(header + 26, 2) + (int64_t)number(header + 28, 2);
    if (part->packed > size - part->offset)
        return fail(archive->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: '%s' is cut off: found %" PRId64 " bytes, expected %" PRId64,
                    archive->path, member->name, size - part->offset > 0 ? size - part->offset : 0,
                    part->packed);
    return ORTHANT_OK;
}

static orthant_status list_members(zip_archive *archive, FILE *file, int64_t size)
{
    directory_place place = {0, 0, 0};
    orthant_status status = find_directory(archive, file, size, &place);
    if (status != ORTHANT_OK)
        return status;
    archive->directory = memory_new(archive->ctx, place.bytes, 1, "an archive's directory");
    if (archive->directory)
        archive->members = memory_new(archive->ctx, place.count, sizeof *archive->members,
                                      "an archive's directory");
    if (!archive->members)
        return ORTHANT_ERROR_MEMORY;
    status = read_at(archive, file, place.offset, archive->directory, place.bytes);
    char *at = archive->directory;
    for (int64_t i = 0; i < place.count && status == ORTHANT_OK; i++) {
        uint32_t method = 0;
        status = parse_entry(archive, &at, archive->directory + place.bytes, &archive->members[i],
                             &method);
        if (status == ORTHANT_OK)
            status = check_member(archive, file, size, &archive->members[i], method);
        archive->count = i + 1;
    }
    return status;
}

orthant_status zip_open(orthant_context *ctx, const char *path, zip_archive *archive)
{
    FILE *file = NULL;
    int64_t size = 0;
    *archive = (zip_archive){.ctx = ctx, .path = path};
    orthant_status status = file_open(ctx, path, &file);
    if (status != ORTHANT_OK)
        return status;
    status = file_size(ctx, path, &size);
    if (status == ORTHANT_OK)
        status = list_members(archive, file, size);
    fclose(file);
    if (status != ORTHANT_OK)
        zip_close(archive);
    return status;
}

const zip_member *zip_find(const zip_archive *archive, const char *name)
{
    for (int64_t i = 0; i < archive->count; i++)
        if (strcmp(archive->members[i].name, name) == 0)
            return &archive->members[i];
    return NULL;
}

void zip_close(zip_archive *archive)
{
    memory_free(archive->ctx, archive->members);
    memory_free(archive->ctx, archive->directory);
    archive->members = NULL;
    archive->directory = NULL;
    archive->count = 0;
}
