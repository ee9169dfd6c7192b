/* One file with the rows of all processes, each of which writes its own. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "data/read.h"
#include "engine/group.h"

#define BUFFER (1 << 20)

/* What the first process tells of the file that it made. */
typedef struct rows_file {
    char name[PATH_MAX]; /* beside its final one */
    int64_t begin;       /* of the rows */
    int64_t bytes;       /* of all */
} rows_file;

/* Header and full size, so that the others can tell the file from another one of its name. */
static orthant_status make_file(const sample_share *s, const orthant_matrix *part, const char *path,
                                file_writer *writer, rows_file *told)
{
    const int64_t row = part->columns * (int64_t)precision_size(part->precision);
    const orthant_status status = file_write_begin(s->ctx, path, writer);
    if (status)
        return status;
    write_npy_header(writer->file, npy_type(part->precision), s->cut.samples, part->columns);
    told->begin = ftell(writer->file);
    told->bytes = told->begin + s->cut.samples * row;
    if (told->begin < 0 || fflush(writer->file) ||
        ftruncate(fileno(writer->file), (off_t)told->bytes))
        return file_fail_write(s->ctx, path, errno);
    /* what is no file of its own, or has too long a name, the others do not find */
    if (writer->temporary && strlen(writer->temporary) < sizeof told->name)
        memcpy(told->name, writer->temporary, strlen(writer->temporary) + 1);
    return ORTHANT_OK;
}

/* The file that the first process made, or -1: this machine does not see it. */
static int find_file(const rows_file *told)
{
    struct stat about;
    const int found = *told->name ? open(told->name, O_WRONLY | O_CLOEXEC) : -1;
    if (found < 0 || (!fstat(found, &about) && about.st_size == told->bytes))
        return found;
    close(found);
    return -1;
}

/* Its own rows. The first process waits for the disk of its own machine alone: others do it here.
 */
static int put_rows(const sample_share *s, const orthant_matrix *part, const rows_file *told,
                    int descriptor)
{
    const size_t size = precision_size(part->precision), row = (size_t)part->columns * size;
    char *buffer = memory_new(s->ctx, BUFFER, 1, "rows of a file"); /* without it one at a time */
    int error =
        file_write_rows(descriptor, part->values, part->rows, row, (size_t)part->stride * size,
                        told->begin + s->first * (int64_t)row, buffer, buffer ? BUFFER : 0);
    memory_free(s->ctx, buffer);
    if (s->rank == 0)
        return error;
    if (!error && fsync(descriptor) && errno != EINVAL && errno != ENOTSUP)
        error = errno;
    return close(descriptor) && !error ? errno : error;
}

/* As one process writes it. */
static orthant_status write_gathered(const sample_share *s, const orthant_matrix *part,
                                     const char *path)
{
    orthant_matrix *whole = NULL;
    orthant_status status = group_whole_matrix(s, part, false, &whole);
    if (!status && whole)
        status = write_npy(s->ctx, whole, path);
    orthant_matrix_free(whole);
    return group_agree(s, status);
}

/* Finds the file, writes into it; *unseen: not all processes find it, and nothing was written. */
static orthant_status write_own(const sample_share *s, const orthant_matrix *part,
                                const rows_file *told, int made, bool *unseen)
{
    const int descriptor = s->rank == 0 ? made : find_file(told);
    *unseen = group_any(s, descriptor < 0);
    if (*unseen) {
        if (s->rank > 0 && descriptor >= 0)
            close(descriptor);
        return ORTHANT_OK;
    }
    const int error = put_rows(s, part, told, descriptor);
    return group_agree(s, error ? file_fail_write(s->ctx, told->name, error) : ORTHANT_OK);
}

orthant_status group_write_npy(const sample_share *s, const orthant_matrix *part, const char *path)
{
    rows_file told = {.name = ""};
    file_writer writer = {0};
    bool unseen = false;
    orthant_status status = ORTHANT_OK;
    if (s->rank == 0)
        status = make_file(s, part, path, &writer, &told);
    if (!(status = group_agree(s, status))) {
        group_tell(s, &told, sizeof told);
        status = write_own(s, part, &told, s->rank == 0 ? fileno(writer.file) : -1, &unseen);
    }
    const orthant_status ended = file_write_end(&writer, unseen ? ORTHANT_ERROR_IO : status);
    if (!unseen)
        return group_agree(s, ended);
    if (s->rank == 0)
        log_note(s->ctx, "%s: not all processes see its folder: it is written by the first alone",
                 path);
    return write_gathered(s, part, path);
}
