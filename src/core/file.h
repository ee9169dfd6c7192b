/* Files: opened with messages that help, written beside their name and renamed, so that a killed
 * run never leaves half a file. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stdio.h>

#include "core/context.h"

/* "PATH: cannot be read: ..." for a value of errno. */
orthant_status file_fail_read(orthant_context *ctx, const char *path, int error);
/* "PATH: cannot be written: ...". */
orthant_status file_fail_write(orthant_context *ctx, const char *path, int error);
/* A file that ended before the size that it was said to have. */
orthant_status file_fail_ended(orthant_context *ctx, const char *path, int64_t seen, int64_t bytes);
/* fopen(path, "rb") with a message that says why not; refuses a folder. */
orthant_status file_open(orthant_context *ctx, const char *path, FILE **file);
/* Back to its begin; unlike rewind it tells where that fails. */
orthant_status file_rewind(orthant_context *ctx, const char *path, FILE *file);
/* The size in bytes. */
orthant_status file_size(orthant_context *ctx, const char *path, int64_t *bytes);
/* Bytes from an offset on, by any number of threads at once. Returns errno's value; *done are those
 * that came, less than `bytes` without an error where the file ends. */
int file_read_at(int descriptor, void *to, int64_t bytes, int64_t offset, int64_t *done);
/* Bytes to an offset, by any number of threads and processes at once. Returns errno's value. */
int file_write_at(int descriptor, const void *from, int64_t bytes, int64_t offset);
/* Rows of so many bytes that lie `distance` apart, without what lies between them, as many at a
 * time as a buffer of `room` bytes holds. */
int file_write_rows(int descriptor, const void *from, int64_t rows, size_t bytes, size_t distance,
                    int64_t offset, void *buffer, size_t room);
/* The whole of a file as private memory, or NULL where it cannot be: it is to be read then. */
void *file_map(const char *path, int64_t *bytes);
void file_unmap(void *mapping, int64_t bytes);
bool file_is_folder(const char *path);
bool file_exists(const char *path);
/* Whether both names lead to one file. */
bool file_same(const char *path, const char *other);

typedef enum file_presence { FILE_MISSING, FILE_PLAIN, FILE_FOLDER, FILE_OTHER } file_presence;
/* What stands at `path`; fails where the system does not say, so that nobody takes a file that is
 * there for one that is not. */
orthant_status file_look(orthant_context *ctx, const char *path, file_presence *kind);
/* The ending in lower case without the dot, ".gz" counted in ("csv", "gz", ""); at most 15
 * characters. */
void file_ending(const char *path, char ending[16]);
/* "faces.h5:/train/x" names something inside a file: *path is "faces.h5" (to be freed) and *inside
 * points to "/train/x" in `address`. Where `address` is itself a file, or no part of it is one,
 * *path is a copy of it and *inside is NULL. */
orthant_status file_split(orthant_context *ctx, const char *address, char **path,
                          const char **inside);

/* A file being written under a temporary name in the same folder. A name that is a device or a pipe
 * is written directly, and what a link leads to in the place of the link. */
typedef struct file_writer {
    orthant_context *ctx;
    FILE *file;      /* write here */
    char *path;      /* the name that was given */
    char *target;    /* the final name: what a link leads to */
    char *temporary; /* NULL where it is written directly */
    bool remade;     /* set by the caller: can be made again from other files, so nobody waits until
                        the disk has it */
    bool named;      /* it has its name already */
} file_writer;

orthant_status file_write_begin(orthant_context *ctx, const char *path, file_writer *writer);
/* With `status` OK: flushes, checks that all arrived on the disk, renames. Otherwise removes the
 * temporary file. Returns the first failure. */
orthant_status file_write_end(file_writer *writer, orthant_status status);
/* For who has seen to it that the disk has the file: gives it its name, which file_write_end() then
 * finds done. Returns errno's value; sets no message, so that any thread may call it. */
int file_write_name(file_writer *writer);
/* A file for the time of some work, in the folder of `path`, to be written and read. It has no
 * name: it is gone when it is closed, and when the process ends. */
orthant_status file_scratch(orthant_context *ctx, const char *path, FILE **file);
/* For libraries that open by name (HDF5): the temporary name only; no FILE. */
orthant_status file_write_begin_named(orthant_context *ctx, const char *path, file_writer *writer);

#endif
