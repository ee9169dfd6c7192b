/* The readers of matrices, pictures and clouds, and the reports, as several fuzzers call them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/image.h"
#include "input.h"
#include "orthant/orthant.h"
#include "report/sheet.h"
#include "report/tables.h"
#include "vision/cloud.h"

#define MOST_MADE (4 << 20) /* bytes: a small file may say that it has a thousand million rows */

/* The same some rows at a time; the disk is full soon. */
static void convert(orthant_context *ctx, const char *path, const orthant_read_options *options)
{
    char made[1024];
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = MOST_MADE;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    snprintf(made, sizeof made, "%s/made.csr", fuzz_folder());
    const orthant_status status = orthant_convert(ctx, path, options, made);
    setrlimit(RLIMIT_FSIZE, &before);
    fuzz_check(status, status ? NULL : made);
    remove(made);
    snprintf(made, sizeof made, "%s/made.labels.csv", fuzz_folder());
    remove(made);
}

void fuzz_matrix(const char *name, const uint8_t *data, size_t size)
{
    orthant_context *ctx = fuzz_context();
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    const uint32_t choice = fuzz_choice(data, size);
    const orthant_read_options options = {
        .size = sizeof options, .transpose = choice & 1, .map = choice & 2};
    orthant_context_set_precision(ctx, choice & 4 ? ORTHANT_DOUBLE : ORTHANT_SINGLE);
    const char *path = fuzz_file(name, data, size);
    const orthant_status status =
        orthant_matrix_read(ctx, path, &options, &matrix, choice & 8 ? NULL : &truth);
    fuzz_check(status, matrix);
    if (choice % 64 < 16)
        convert(ctx, path, &options);
    if (matrix && (orthant_matrix_rows(matrix) < 1 || orthant_matrix_columns(matrix) < 1 ||
                   orthant_matrix_nonzeros(matrix) < 0))
        abort();
    if (truth && orthant_labels_count(truth) != orthant_matrix_rows(matrix))
        abort();
    orthant_labels_free(truth);
    orthant_matrix_free(matrix);
    fuzz_check_freed();
}

static orthant_status take_size(void *user, int height, int width)
{
    *(int *)user = height;
    return height > 0 && width > 0 ? ORTHANT_OK : ORTHANT_ERROR_DATA;
}

static orthant_status take_row(void *user, int y, const uint16_t *samples, int count)
{
    if (y < 0 || y >= *(int *)user || count < 1 || !samples)
        abort();
    return ORTHANT_OK;
}

void fuzz_image(const char *name, const uint8_t *data, size_t size)
{
    orthant_context *ctx = fuzz_context();
    const char *path = fuzz_file(name, data, size);
    const uint32_t choice = fuzz_choice(data, size);
    image found = {0}, head = {0};
    const orthant_status size_status = image_read_size(ctx, path, &head);
    fuzz_check(size_status, head.height ? &head : NULL);
    const orthant_status status = image_read(ctx, path, choice & 1 ? 1 : 3, &found);
    fuzz_check(status, found.pixels);
    if (!status && (found.height != head.height || found.width != head.width))
        abort();
    int height = 0;
    const image_rows rows = {&height, take_size, take_row};
    if (choice & 2) {
        const orthant_status read = image_read_rows(ctx, path, &rows);
        fuzz_check(read, read ? NULL : &rows);
    }
    image_free(ctx, &found);
    fuzz_check_freed();
}

void fuzz_cloud(const char *name, const uint8_t *data, size_t size)
{
    orthant_context *ctx = fuzz_context();
    cloud found = {0};
    image drawn = {0};
    const orthant_status status = cloud_read(ctx, fuzz_file(name, data, size), &found);
    fuzz_check(status, found.position);
    if (!status && found.count < 10000 &&
        cloud_render(ctx, &found, NULL, 16, 16, &drawn) == ORTHANT_OK)
        image_free(ctx, &drawn);
    cloud_free(&found);
    fuzz_check_freed();
}

/* Instead of the system's: no gnuplot can be started. Its scripts are written, nothing is drawn. */
pid_t vfork(void)
{
    errno = EAGAIN;
    return -1;
}

void fuzz_report(const char *name, void (*others)(void), const uint8_t *data, size_t size)
{
    orthant_context *ctx = fuzz_context();
    sheet_list tables = {.ctx = ctx};
    if (fuzz_enter(name))
        others();
    fuzz_file(name, data, size);
    const orthant_status status = orthant_run_report(ctx, fuzz_folder());
    fuzz_check(status, status ? NULL : &tables);
    const orthant_status listed = tables_of(ctx, fuzz_folder(), &tables);
    fuzz_check(listed, listed ? NULL : &tables);
    sheet_list_free(&tables);
    fuzz_empty_folder("charts");
    fuzz_leave();
    fuzz_check_freed();
}
