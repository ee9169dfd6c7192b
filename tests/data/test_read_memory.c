/* Every allocation of a reader is made to fail in turn: the reader must say so and leave nothing.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "data/image.h"
#include "data/read.h"

typedef struct failing {
    int left; /* allocations until the one that fails */
} failing;

static void *allocate(void *user, size_t size, size_t alignment)
{
    failing *plan = user;
    return plan->left-- == 0 ? NULL : aligned_alloc(alignment, size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

typedef orthant_status (*action)(orthant_context *ctx, const char *path);

static void fail_in_turn(action act, const char *path, bool confined)
{
    orthant_status status = ORTHANT_ERROR_MEMORY;
    int count = 0;
    for (; status != ORTHANT_OK && count < 1000; count++) {
        failing plan = {count};
        orthant_context *ctx = NULL;
        assert_int_equal(orthant_context_create(&ctx), ORTHANT_OK);
        orthant_context_set_confined(ctx, confined);
        expect_ok(ctx, orthant_context_set_allocator(ctx, allocate, release, &plan));
        status = act(ctx, path);
        if (status != ORTHANT_OK) {
            assert_int_equal(status, ORTHANT_ERROR_MEMORY);
            assert_non_null(strstr(orthant_message(ctx), "out of memory"));
        }
        assert_int_equal(orthant_context_memory(ctx), 0);
        orthant_context_free(ctx);
    }
    assert_in_range(count, 3, 999);
}

static orthant_status read_any(orthant_context *ctx, const char *path)
{
    orthant_matrix *matrix = NULL;
    orthant_labels *truth = NULL;
    const orthant_status status = orthant_matrix_read(ctx, path, NULL, &matrix, &truth);
    assert_int_equal(matrix == NULL, status != ORTHANT_OK);
    orthant_matrix_free(matrix);
    orthant_labels_free(truth);
    return status;
}

static orthant_status rewrite_picture(orthant_context *ctx, const char *path)
{
    image picture, smaller = {0};
    orthant_status status = image_read(ctx, path, 3, &picture);
    if (status == ORTHANT_OK)
        status = image_resize(ctx, &picture, 3, 9, &smaller);
    if (status == ORTHANT_OK)
        status = image_write_png(ctx, &smaller, files_path("again.png"));
    image_free(ctx, &picture);
    image_free(ctx, &smaller);
    return status;
}

static orthant_status rewrite_hdf5(orthant_context *ctx, const char *path)
{
    orthant_matrix *matrix = NULL;
    orthant_status status = orthant_matrix_read(ctx, path, NULL, &matrix, NULL);
    if (status == ORTHANT_OK)
        status = orthant_matrix_write(ctx, matrix, files_path("again.h5:/x"));
    orthant_matrix_free(matrix);
    return status;
}

static void test_data_files(void **state)
{
    static const char *const names[] = {"packed.mat",    "sparse.mat", "sparse_version4.mat",
                                        "version73.mat", "one.h5",     "anndata.h5"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "tests/data/fixtures/%s", names[i]);
        fail_in_turn(read_any, fixture_path(path), false);
        fail_in_turn(read_any, fixture_path(path), true);
    }
    fail_in_turn(rewrite_hdf5, fixture_path("tests/data/fixtures/csr.h5"), false);
}

static void test_pictures(void **state)
{
    static const char *const names[] = {"alpha.png", "blocks.jpg", "lzw.tif"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "tests/data/fixtures/%s", names[i]);
        fail_in_turn(rewrite_picture, fixture_path(path), false);
    }
    assert_int_equal(mkdir(files_path("class"), 0777), 0);
    assert_int_equal(mkdir(files_path("class/a"), 0777), 0);
    files_write_text("class/a/1.pgm", "P2 2 1 9 1 2 ");
    files_write_text("class/a/2.pgm", "P2 2 1 9 3 4 ");
    fail_in_turn(read_any, files_path("class"), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_data_files),
                                       cmocka_unit_test(test_pictures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
