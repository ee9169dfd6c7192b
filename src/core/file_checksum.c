/* Hashes files and folders. */
#include "core/file_checksum.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"

#define DEEPEST_FOLDER 32
#define PIECE_BYTES (1 << 18)

/* Either kind. */
typedef struct hasher {
    void (*add)(void *state, const void *data, size_t size);
    void *state;
} hasher;

static void add_sha256(void *state, const void *data, size_t size)
{
    sha256_add(state, data, size);
}

static void add_xxh64(void *state, const void *data, size_t size)
{
    xxh64_add(state, data, size);
}

static orthant_status hash_file(orthant_context *ctx, const char *path, const hasher *hash)
{
    FILE *file = NULL;
    unsigned char *buffer = NULL;
    const size_t size = PIECE_BYTES;
    size_t got;
    int64_t bytes = 0, seen = 0;
    orthant_status status = file_open(ctx, path, &file);
    if (status == ORTHANT_OK)
        status = file_size(ctx, path, &bytes);
    if (status != ORTHANT_OK)
        goto done;
    setvbuf(file, NULL, _IONBF, 0);
    buffer = memory_new(ctx, (int64_t)size, 1, "a file's bytes");
    if (!buffer) {
        status = ORTHANT_ERROR_MEMORY;
        goto done;
    }
    while ((got = fread(buffer, 1, size, file)) > 0) {
        hash->add(hash->state, buffer, got);
        seen += (int64_t)got;
    }
    if (ferror(file))
        status = file_fail_read(ctx, path, errno);
    else if (seen < bytes)
        status = file_fail_ended(ctx, path, seen, bytes);
done:
    if (file)
        fclose(file);
    memory_free(ctx, buffer);
    return status;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* `shown` is the folder's name as it goes into the sum: below the folder that was asked for. */
static orthant_status hash_folder(orthant_context *ctx, const char *path, const char *shown,
                                  int depth, const hasher *hash)
{
    struct dirent **entries = NULL;
    orthant_status status = ORTHANT_OK;
    if (depth > DEEPEST_FOLDER)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: more than %d folders inside each other", path,
                    DEEPEST_FOLDER);
    const int count = scandir(path, &entries, is_no_dot, by_name);
    if (count < 0)
        return file_fail_read(ctx, path, errno);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        const int64_t bytes = (int64_t)(strlen(path) + strlen(shown) + strlen(name)) + 3;
        char *full = status == ORTHANT_OK ? memory_new(ctx, bytes, 2, "a file's name") : NULL;
        if (status == ORTHANT_OK && !full)
            status = ORTHANT_ERROR_MEMORY;
        if (full) {
            char *below = full + bytes;
            snprintf(full, (size_t)bytes, "%s/%s", path, name);
            snprintf(below, (size_t)bytes, "%s/%s", shown, name);
            if (file_is_folder(full)) {
                status = hash_folder(ctx, full, below, depth + 1, hash);
            } else {
                hash->add(hash->state, below, strlen(below) + 1);
                status = hash_file(ctx, full, hash);
            }
        }
        memory_free(ctx, full);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static orthant_status hash_path(orthant_context *ctx, const char *path, const hasher *hash)
{
    char *file = NULL;
    const char *inside = NULL;
    orthant_status status = file_split(ctx, path, &file, &inside);
    if (status != ORTHANT_OK)
        return status;
    status =
        file_is_folder(file) ? hash_folder(ctx, file, "", 0, hash) : hash_file(ctx, file, hash);
    memory_free(ctx, file);
    return status;
}

orthant_status file_sha256(orthant_context *ctx, const char *path, char digest[65])
{
    sha256 state;
    digest[0] = '\0';
    sha256_begin(&state);
    const orthant_status status = hash_path(ctx, path, &(hasher){add_sha256, &state});
    if (status == ORTHANT_OK)
        sha256_end(&state, digest);
    return status;
}

orthant_status file_xxh64(orthant_context *ctx, const char *path, char digest[XXH64_DIGITS + 1])
{
    xxh64 state;
    digest[0] = '\0';
    xxh64_begin(&state, 0);
    const orthant_status status = hash_path(ctx, path, &(hasher){add_xxh64, &state});
    if (status == ORTHANT_OK)
        xxh64_end(&state, digest);
    return status;
}
