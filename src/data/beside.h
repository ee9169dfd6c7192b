/* What a file of numbers cannot hold and lies beside it: classes by name, the samples' names, and
 * small pictures of them. "photos.npy" has "photos.labels.csv", "photos.samples.txt" and
 * "photos.samples.png". */
#ifndef DATA_BESIDE_H
#define DATA_BESIDE_H

#include "data/image.h"
#include "data/labels.h"
#include "data/matrix.h"

/* "photos.npy" and ".labels.csv" give "photos.labels.csv" (memory_free). */
orthant_status beside_path(orthant_context *ctx, const char *path, const char *ending,
                           char **beside);
/* Classes by name under the heading "class" where every name can be read again as one; otherwise
 * as numbers. */
orthant_status beside_write_labels(orthant_context *ctx, const orthant_labels *labels,
                                   const char *path);
/* One per line; `ending` is ".samples.txt" or ".words.txt". Nothing is written of none. */
orthant_status beside_write_names(orthant_context *ctx, const name_list *names, const char *path,
                                  const char *ending);
/* The names of the rows and columns of what was read from `path`, where there are none yet and
 * those beside it are as many; others are left out with a note. */
orthant_status beside_find_names(orthant_context *ctx, const char *path, int64_t rows,
                                 int64_t columns, name_list *samples, name_list *features);
/* Gives the matrix that was read from `path` the names of its samples and features
 * ("photos.words.txt") and the sheet of pictures beside it. */
orthant_status beside_find(orthant_context *ctx, const char *path, orthant_matrix *matrix);

/* A sheet has `across` squares in a row, the least number with which it is no higher than wide. */
int64_t thumbnails_across(int64_t count);
/* Of pictures by their files, in colour, each in the middle of its square on white. Nothing is
 * written where there are too many for a square of 8 pixels. */
orthant_status thumbnails_write(orthant_context *ctx, const name_list *files, const char *path);
/* The picture of a sample, `side` x `side` in colour; `to` has room for them. */
int thumbnails_side(const image *sheet, int64_t count);
void thumbnails_take(const image *sheet, int64_t count, int64_t sample, unsigned char *to);

#endif
