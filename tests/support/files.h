/* A folder of its own for a test's files, and files with given bytes in it. */
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Made on the first call of the program, removed with what is in it (folders too) when the program
 * ends. */
const char *files_folder(void);
/* FOLDER/name; good until the eighth call after it. */
const char *files_path(const char *name);
/* Writes FOLDER/name and returns its path. */
const char *files_write(const char *name, const void *bytes, size_t size);
const char *files_write_text(const char *name, const char *text);
/* All bytes of a file, malloc'ed; the test fails where it cannot be read. */
unsigned char *files_read(const char *path, size_t *size);
/* How many names a folder holds. */
int files_count(const char *folder);

#endif
