/* Opening, mapping and atomic writing of files. */
#include "core/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/part.h"

orthant_status file_fail_read(orthant_context *ctx, const char *path, int error)
{
    char reason[128];
    if (error == ENOENT)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: there is no such file or folder", path);
    if (error == ENOMEM)
        return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: %s cannot be opened", path);
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be read: %s", path, reason);
}

int file_read_at(int descriptor, void *to, int64_t bytes, int64_t offset, int64_t *done)
{
    *done = 0;
    while (*done < bytes) {
        const ssize_t got =
            pread(descriptor, (char *)to + *done, (size_t)(bytes - *done), (off_t)(offset + *done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : 0;
        *done += got;
    }
    return 0;
}

int file_write_at(int descriptor, const void *from, int64_t bytes, int64_t offset)
{
    const char *at = from;
    while (bytes > 0) {
        const ssize_t done = pwrite(descriptor, at, (size_t)bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        at += done;
        offset += done;
        bytes -= done;
    }
    return 0;
}

int file_write_rows(int descriptor, const void *from, int64_t rows, size_t bytes, size_t distance,
                    int64_t offset, void *buffer, size_t room)
{
    const int64_t together = bytes ? (int64_t)(room / bytes) : 0;
    int error = 0;
    if (bytes == distance || rows == 1)
        return file_write_at(descriptor, from, rows * (int64_t)bytes, offset);
    for (int64_t i = 0; i < rows && !error;) {
        const char *at = (const char *)from + (size_t)i * distance;
        const int64_t left = rows - i, count = together < left ? together : left;
        for (int64_t row = 0; row < count; row++)
            memcpy((char *)buffer + (size_t)row * bytes, at + (size_t)row * distance, bytes);
        /* A row that is longer than the buffer goes as it is. */
        const int64_t written = count ? count : 1;
        error = file_write_at(descriptor, count ? buffer : at, written * (int64_t)bytes, offset);
        offset += written * (int64_t)bytes;
        i += written;
    }
    return error;
}

void *file_map(const char *path, int64_t *bytes)
{
    struct stat about;
    void *mapping = MAP_FAILED;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        *bytes = about.st_size;
        /* Few of its pages are ever changed: a file larger than memory need not be refused. */
        mapping = mmap(NULL, (size_t)*bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                       file, 0);
    }
    close(file);
    return mapping == MAP_FAILED ? NULL : mapping;
}

void file_unmap(void *mapping, int64_t bytes)
{
    munmap(mapping, (size_t)bytes);
}

bool file_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

bool file_same(const char *path, const char *other)
{
    struct stat one, two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

orthant_status file_look(orthant_context *ctx, const char *path, file_presence *kind)
{
    struct stat about;
    *kind = FILE_MISSING;
    if (stat(path, &about) == 0)
        *kind = S_ISREG(about.st_mode)   ? FILE_PLAIN
                : S_ISDIR(about.st_mode) ? FILE_FOLDER
                                         : FILE_OTHER;
    else if (errno != ENOENT && errno != ENOTDIR)
        return file_fail_read(ctx, path, errno);
    return ORTHANT_OK;
}

orthant_status file_open(orthant_context *ctx, const char *path, FILE **file)
{
    *file = NULL;
    if (file_is_folder(path))
        return fail(ctx, ORTHANT_ERROR_IO, "%s: is a folder, expected a file", path);
    *file = fopen(path, "rb");
    return *file ? ORTHANT_OK : file_fail_read(ctx, path, errno);
}

orthant_status file_rewind(orthant_context *ctx, const char *path, FILE *file)
{
    clearerr(file);
    return fseek(file, 0, SEEK_SET) == 0 ? ORTHANT_OK : file_fail_read(ctx, path, errno);
}

orthant_status file_size(orthant_context *ctx, const char *path, int64_t *bytes)
{
    struct stat about;
    *bytes = 0;
    if (stat(path, &about) != 0)
        return file_fail_read(ctx, path, errno);
    *bytes = (int64_t)about.st_size;
    return ORTHANT_OK;
}

void file_ending(const char *path, char ending[16])
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash + 1 : path, '.');
    size_t length = 0;
    if (dot)
        for (const char *c = dot + 1; *c && length < 15; c++)
            ending[length++] = (char)tolower((unsigned char)*c);
    ending[length] = '\0';
}

orthant_status file_split(orthant_context *ctx, const char *address, char **path,
                          const char **inside)
{
    *inside = NULL;
    *path = memory_text(ctx, address);
    if (!*path)
        return ORTHANT_ERROR_MEMORY;
    if (file_exists(address))
        return ORTHANT_OK;
    for (char *colon = strrchr(*path, ':'); colon; colon = strrchr(*path, ':')) {
        *colon = '\0';
        if (file_exists(*path)) {
            *inside = address + (colon - *path) + 1;
            return ORTHANT_OK;
        }
    }
    memcpy(*path, address, strlen(address) + 1);
    return ORTHANT_OK;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

orthant_status file_fail_write(orthant_context *ctx, const char *path, int error)
{
    char reason[128], folder[512];
    const char *slash = strrchr(path, '/');
    if (slash == path)
        snprintf(folder, sizeof folder, "/");
    else
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
                 slash ? path : ".");
    if (error == ENOENT && file_exists(folder)) /* such as /proc */
        return fail(ctx, ORTHANT_ERROR_IO,
                    "%s: cannot be written: nothing can be made in the folder '%s'", path, folder);
    if (error == ENOENT)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: there is no folder '%s'", path,
                    folder);
    if (error == ENOTDIR)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: '%s' is not a folder", path,
                    folder);
    if (error == EACCES || error == EROFS || error == EPERM)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: the folder '%s' is read-only",
                    path, folder);
    if (error == ENOSPC || error == EDQUOT)
        return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: the disk is full", path);
    if (error == EFBIG)
        return fail(ctx, ORTHANT_ERROR_IO,
                    "%s: cannot be written: it would be larger than the limit on files (ulimit -f)",
                    path);
    if (error == ENOMEM)
        return fail(ctx, ORTHANT_ERROR_MEMORY, "out of memory: %s cannot be opened", path);
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: %s", path, reason);
}

static void writer_clear(file_writer *writer)
{
    memory_free(writer->ctx, writer->temporary);
    memory_free(writer->ctx, writer->target);
    memory_free(writer->ctx, writer->path);
    *writer = (file_writer){.ctx = writer->ctx};
}

/* Opens a new file beside `path` that no other process can have opened. */
static orthant_status open_temporary(file_writer *writer, int *descriptor)
{
    const int64_t bytes = (int64_t)strlen(writer->target) + PART_BYTES;
    writer->temporary = memory_new(writer->ctx, bytes, 1, "a file's name");
    if (!writer->temporary)
        return ORTHANT_ERROR_MEMORY;
    for (int attempt = 0; attempt < 100; attempt++) {
        part_name(writer->temporary, (size_t)bytes, writer->target, attempt);
        *descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (*descriptor >= 0 && part_lock(*descriptor, writer->temporary))
            return ORTHANT_OK;
        if (*descriptor >= 0)
            close(*descriptor);
        else if (errno != EEXIST)
            break;
    }
    return file_fail_write(writer->ctx, writer->path, errno);
}

/* The file that is written: what a link leads to. */
static orthant_status follow_link(orthant_context *ctx, const char *path, char **target)
{
    char real[PATH_MAX];
    struct stat about;
    *target = NULL;
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        if (!realpath(path, real))
            return fail(ctx, ORTHANT_ERROR_IO,
                        "%s: cannot be written: it is a link to what is not there", path);
        path = real;
    }
    *target = memory_text(ctx, path);
    return *target ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

static orthant_status write_begin(orthant_context *ctx, const char *path, file_writer *writer,
                                  int *descriptor)
{
    struct stat about;
    orthant_status status = ORTHANT_OK;
    *writer = (file_writer){.ctx = ctx};
    *descriptor = -1;
    writer->path = memory_text(ctx, path);
    status = writer->path ? follow_link(ctx, path, &writer->target) : ORTHANT_ERROR_MEMORY;
    if (status != ORTHANT_OK) {
        writer_clear(writer);
        return status;
    }
    const bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        status = fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: it is a folder", path);
    } else if (there && !S_ISREG(about.st_mode)) {
        *descriptor = open(path, O_WRONLY | O_CLOEXEC);
        if (*descriptor < 0)
            status = file_fail_write(ctx, path, errno);
    } else {
        status = open_temporary(writer, descriptor);
    }
    if (status != ORTHANT_OK)
        writer_clear(writer);
    return status;
}

orthant_status file_write_begin(orthant_context *ctx, const char *path, file_writer *writer)
{
    int descriptor;
    orthant_status status = write_begin(ctx, path, writer, &descriptor);
    if (status != ORTHANT_OK)
        return status;
    writer->file = fdopen(descriptor, "wb");
    if (writer->file)
        return ORTHANT_OK;
    status = file_fail_write(ctx, path, errno);
    close(descriptor);
    if (writer->temporary)
        unlink(writer->temporary);
    writer_clear(writer);
    return status;
}

orthant_status file_write_begin_named(orthant_context *ctx, const char *path, file_writer *writer)
{
    int descriptor;
    const orthant_status status = write_begin(ctx, path, writer, &descriptor);
    if (status != ORTHANT_OK)
        return status;
    close(descriptor);
    if (writer->temporary)
        return ORTHANT_OK;
    writer_clear(writer);
    return fail(ctx, ORTHANT_ERROR_IO, "%s: cannot be written: it is not a plain file", path);
}

/* Why an earlier write to the file failed, which stdio does not keep: mostly a full disk. */
static int lost_error(FILE *file)
{
    struct statvfs disk;
    return fstatvfs(fileno(file), &disk) == 0 && disk.f_bavail == 0 ? ENOSPC : EIO;
}

/* Everything to the disk; errno's value, 0 when all arrived. A device or a pipe cannot be
 * synchronised, and need not. */
static int flush_all(file_writer *writer)
{
    int error = 0;
    if (writer->file) {
        errno = 0;
        if (fflush(writer->file) != 0 || ferror(writer->file))
            error = errno ? errno : lost_error(writer->file);
        if (!error && !writer->remade && !writer->named && fsync(fileno(writer->file)) != 0 &&
            errno != EINVAL && errno != ENOTSUP)
            error = errno;
        if (fclose(writer->file) != 0 && !error)
            error = errno;
        writer->file = NULL;
        return error;
    }
    const int descriptor = open(writer->temporary, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
        error = errno;
    close(descriptor);
    return error;
}

int file_write_name(file_writer *writer)
{
    if (writer->temporary && !writer->named && rename(writer->temporary, writer->target) != 0)
        return errno;
    writer->named = true;
    return 0;
}

orthant_status file_write_end(file_writer *writer, orthant_status status)
{
    if (!writer->path)
        return status;
    if (status == ORTHANT_OK) {
        int error = flush_all(writer);
        if (error)
            status = file_fail_write(writer->ctx, writer->path, error);
        else if ((error = file_write_name(writer)))
            status = file_fail_write(writer->ctx, writer->path, error);
    } else if (writer->file) {
        fclose(writer->file);
    }
    if (status != ORTHANT_OK && writer->temporary && !writer->named)
        unlink(writer->temporary);
    writer_clear(writer);
    return status;
}

orthant_status file_fail_ended(orthant_context *ctx, const char *path, int64_t seen, int64_t bytes)
{
    return fail(ctx, ORTHANT_ERROR_IO,
                "%s: cannot be read to its end: %" PRId64 " of %" PRId64 " bytes came", path, seen,
                bytes);
}
