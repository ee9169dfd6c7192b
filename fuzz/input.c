/* Files in memory, one context for all inputs, and the checks after each. */
#include "input.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"
#include "orthant/orthant.h"

#define MOST_MEMORY ((size_t)16 << 20)

static char folder[512];
static char current[512]; /* FOLDER, or a folder in it */
static pid_t owner;

/* ---- the context ------------------------------------------------------------------------------
 */

orthant_context *fuzz_context(void)
{
    static orthant_context *ctx;
    if (!ctx) {
        if (orthant_context_create(&ctx) || orthant_context_set_threads(ctx, 1))
            abort();
        ctx->child_time_limit_s = 3; /* of what HDF5 goes round in for ever, much is found here */
        orthant_context_set_memory_limit(ctx, MOST_MEMORY);
    }
    return ctx;
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void remove_all(const char *path)
{
    DIR *open = opendir(path);
    char inside[1024];
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
            snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
            if (unlink(inside))
                remove_all(inside);
        }
    if (open)
        closedir(open);
    rmdir(path);
}

static void clean_up(void)
{
    if (getpid() == owner)
        remove_all(folder);
}

const char *fuzz_folder(void)
{
    if (*folder)
        return current;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.400s/orthant-fuzz-XXXXXX",
             base                       ? base
             : access("/dev/shm", W_OK) ? "/tmp"
                                        : "/dev/shm");
    if (!mkdtemp(folder))
        abort();
    snprintf(current, sizeof current, "%s", folder);
    owner = getpid();
    atexit(clean_up);
    return current;
}

bool fuzz_enter(const char *name)
{
    snprintf(current, sizeof current, "%.400s/of-%.100s", *folder ? folder : fuzz_folder(), name);
    return mkdir(current, 0700) == 0;
}

void fuzz_leave(void)
{
    snprintf(current, sizeof current, "%s", folder);
}

/* Where clang counts what is reached; not there in other builds. */
extern unsigned char __start___sancov_cntrs[] __attribute__((weak));
extern unsigned char __stop___sancov_cntrs[] __attribute__((weak));

/* What a child reaches counts too: its counters are in the same memory as ours. Only whole pages,
 * so that nothing else is shared. */
static void share_counters(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *begin = __start___sancov_cntrs, *end = __stop___sancov_cntrs;
    if (!begin || !end)
        return;
    begin += (page - (uintptr_t)begin % page) % page;
    end -= (uintptr_t)end % page;
    if (begin < end && mmap(begin, (size_t)(end - begin), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        abort();
}

/* HDF5 ends its process on damaged metadata: such files are read as the command does, by a child.
 * Byte by byte, so that no comparison tells the fuzzer to put the signature into other files. */
bool fuzz_is_hdf5(const uint8_t *data, size_t size)
{
    static const volatile uint8_t signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    for (size_t at = 0; at + sizeof signature <= size; at++) {
        size_t same = 0;
        while (same < sizeof signature && data[at + same] == signature[same])
            same++;
        if (same == sizeof signature)
            return true;
    }
    return false;
}

static void confine_hdf5(const uint8_t *data, size_t size)
{
    static bool shared;
    const bool confined = fuzz_is_hdf5(data, size);
    orthant_context_set_confined(fuzz_context(), confined);
    if (confined && !shared)
        share_counters();
    shared |= confined;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
    static char path[1024];
    confine_hdf5(data, size);
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file))
        abort();
    return path;
}

const char *fuzz_text_file(const char *name, const char *text)
{
    return fuzz_file(name, text, strlen(text));
}

void fuzz_empty_folder(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    remove_all(path);
}

uint32_t fuzz_choice(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size && i < 4096; i++)
        hash = (hash ^ data[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* ---- what must hold ---------------------------------------------------------------------------
 */

static void broken(const char *what)
{
    fprintf(stderr, "broken promise: %s\nmessage: %s\n", what, orthant_message(fuzz_context()));
    abort();
}

void fuzz_check(orthant_status status, const void *found)
{
    const char *message = orthant_message(fuzz_context());
    if (!status && !found)
        broken("a success without a result");
    if (status && found)
        broken("a failure with a result");
    if (status && !*message)
        broken("a failure without a message");
    for (const char *at = message; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            broken("a message with an end of line or an escape in it");
}

void fuzz_check_freed(void)
{
    if (orthant_context_memory(fuzz_context()))
        broken("memory is still held");
}
