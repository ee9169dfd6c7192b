/* What the fuzzers share: the input as a file under a name, a context, and what must hold after
 * every call. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"

/* Each <name>_fuzzer.c has one. It returns 0: 'take it into the corpus if it reached something
 * new'. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One context for all inputs: a single thread, and little memory, so that large promises are
 * refused quickly. */
orthant_context *fuzz_context(void);

/* A folder in memory of this process alone; it is there until the process ends. */
const char *fuzz_folder(void);
/* From now on, until it is left, FOLDER is the folder of this name inside of it; true where it was
 * made just now. */
bool fuzz_enter(const char *name);
void fuzz_leave(void);
/* FOLDER/name with these bytes, to be read next, HDF5 files in a child. Its path is good until the
 * next call. */
const char *fuzz_file(const char *name, const void *data, size_t size);
/* The same with a text. */
const char *fuzz_text_file(const char *name, const char *text);
/* FOLDER/name without its files. */
void fuzz_empty_folder(const char *name);

/* A number that follows from the bytes, for settings of which an input should try one or the other:
 * inputs stay plain files. */
uint32_t fuzz_choice(const uint8_t *data, size_t size);

/* Whether HDF5 would read it. Such a file is slow, since a child reads it: it is left to the
 * targets that are about such files. */
bool fuzz_is_hdf5(const uint8_t *data, size_t size);

/* Aborts where a call broke a promise that every call makes: a failure has a message of one line, a
 * success has what it was asked for, and nothing is held when all is freed. */
void fuzz_check(orthant_status status, const void *found);
void fuzz_check_freed(void);

/* orthant_matrix_read of the input under that name, with its labels; what comes is gone through and
 * freed. */
void fuzz_matrix(const char *name, const uint8_t *data, size_t size);
/* Reads a picture: its size, in grey, in colour, and row by row. */
void fuzz_image(const char *name, const uint8_t *data, size_t size);
/* Reads a point cloud and draws it. */
void fuzz_cloud(const char *name, const uint8_t *data, size_t size);
/* Puts the input as `name` into a folder of its own, of which `others` makes the rest, once, and
 * writes the report and the tables of that folder. */
void fuzz_report(const char *name, void (*others)(void), const uint8_t *data, size_t size);

#endif
