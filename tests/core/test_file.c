/* Opening, names, atomic writing, failures of the disk, and checksums of files. */
#include "expect.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/file_checksum.h"
#include "core/memory.h"
#include "files.h"

static orthant_context *ctx;

static int make(void **state)
{
    (void)state;
    return orthant_context_create(&ctx) != ORTHANT_OK;
}

static int clear(void **state)
{
    (void)state;
    const size_t left = orthant_context_memory(ctx);
    orthant_context_free(ctx);
    return left != 0;
}

static void test_opening(void **state)
{
    (void)state;
    FILE *file = NULL;
    int64_t size = 0;
    expect_failure(ctx, ORTHANT_ERROR_IO, "nothing.npy: there is no such file",
                   file_open(ctx, files_path("nothing.npy"), &file));
    assert_null(file);
    expect_failure(ctx, ORTHANT_ERROR_IO, "is a folder", file_open(ctx, files_folder(), &file));
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   file_size(ctx, files_path("nothing.npy"), &size));
    const char *path = files_write_text("five", "12345");
    expect_ok(ctx, file_open(ctx, path, &file));
    fclose(file);
    expect_ok(ctx, file_size(ctx, path, &size));
    assert_int_equal(size, 5);
    assert_true(file_exists(path) && !file_is_folder(path) && file_is_folder(files_folder()));
    expect_failure(ctx, ORTHANT_ERROR_IO, "cannot be read",
                   file_open(ctx, files_path("five/below"), &file));
}

static void test_endings(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a.CSV", "csv"},     {"a/b.c/d", ""},
        {"x.tar.gz", "gz"},   {"no", ""},
        {"dot.", ""},         {".hidden", "hidden"},
        {"a.b/c.npy", "npy"}, {"x.averyveryverylongending", "averyveryverylo"}};
    char ending[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file_ending(cases[i][0], ending);
        assert_string_equal(ending, cases[i][1]);
    }
}

static void check_split(const char *address, const char *path, const char *inside)
{
    char *found = NULL;
    const char *rest = "unset";
    expect_ok(ctx, file_split(ctx, address, &found, &rest));
    assert_string_equal(found, path);
    if (inside)
        assert_string_equal(rest, inside);
    else
        assert_null(rest);
    memory_free(ctx, found);
}

static void test_addresses_inside_files(void **state)
{
    (void)state;
    char address[600];
    const char *path = files_write_text("a.h5", "x"), *colon = files_write_text("b:c.csv", "x");
    snprintf(address, sizeof address, "%s:/group/data", path);
    check_split(address, path, "/group/data");
    snprintf(address, sizeof address, "%s:/group:odd", path);
    check_split(address, path, "/group:odd");
    check_split(path, path, NULL);
    check_split(colon, colon, NULL);
    snprintf(address, sizeof address, "%s:label", colon);
    check_split(address, colon, "label");
    check_split("nowhere.h5:/x", "nowhere.h5:/x", NULL);
}

static void test_writing(void **state)
{
    (void)state;
    file_writer writer;
    const char *path = files_write_text("result", "old");
    const int before = files_count(files_folder());
    expect_ok(ctx, file_write_begin(ctx, path, &writer));
    fputs("new text", writer.file);
    size_t size;
    unsigned char *bytes = files_read(path, &size);
    assert_memory_equal(bytes, "old", 3);
    free(bytes);
    expect_ok(ctx, file_write_end(&writer, ORTHANT_OK));
    bytes = files_read(path, &size);
    assert_int_equal(size, 8);
    assert_memory_equal(bytes, "new text", 8);
    free(bytes);
    assert_int_equal(files_count(files_folder()), before);
}

static void test_a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    file_writer writer;
    const char *path = files_write_text("kept", "old");
    const int before = files_count(files_folder());
    expect_ok(ctx, file_write_begin(ctx, path, &writer));
    fputs("half", writer.file);
    assert_int_equal(files_count(files_folder()), before + 1);
    assert_int_equal(file_write_end(&writer, ORTHANT_ERROR_DATA), ORTHANT_ERROR_DATA);
    assert_int_equal(files_count(files_folder()), before);
    size_t size;
    unsigned char *bytes = files_read(path, &size);
    assert_memory_equal(bytes, "old", 3);
    free(bytes);
}

static void test_named_writing(void **state)
{
    (void)state;
    file_writer writer;
    const char *path = files_path("named.h5");
    expect_ok(ctx, file_write_begin_named(ctx, path, &writer));
    assert_null(writer.file);
    FILE *file = fopen(writer.temporary, "wb");
    assert_non_null(file);
    fputs("x", file);
    fclose(file);
    assert_false(file_exists(path));
    expect_ok(ctx, file_write_end(&writer, ORTHANT_OK));
    assert_true(file_exists(path));
    expect_ok(ctx, file_write_begin_named(ctx, path, &writer));
    const int with = files_count(files_folder());
    assert_int_equal(file_write_end(&writer, ORTHANT_ERROR_IO), ORTHANT_ERROR_IO);
    assert_int_equal(files_count(files_folder()), with - 1);
}

static void test_places_that_cannot_be_written(void **state)
{
    (void)state;
    file_writer writer;
    char message[200];
    files_write_text("plain", "x");
    snprintf(message, sizeof message, "there is no folder '%s'", files_path("missing"));
    expect_failure(ctx, ORTHANT_ERROR_IO, message,
                   file_write_begin(ctx, files_path("missing/out.npy"), &writer));
    expect_failure(ctx, ORTHANT_ERROR_IO, "is not a folder",
                   file_write_begin(ctx, files_path("plain/out.npy"), &writer));
    expect_failure(ctx, ORTHANT_ERROR_IO, "it is a folder",
                   file_write_begin(ctx, files_folder(), &writer));
    expect_failure(ctx, ORTHANT_ERROR_IO, "cannot be written",
                   file_write_begin_named(ctx, files_path("missing/out.h5"), &writer));
    if (geteuid() != 0) {
        assert_int_equal(mkdir(files_path("locked"), 0555), 0);
        expect_failure(ctx, ORTHANT_ERROR_IO, "is read-only",
                       file_write_begin(ctx, files_path("locked/out.npy"), &writer));
    } else if (file_is_folder("/proc/self")) {
        expect_failure(ctx, ORTHANT_ERROR_IO, "cannot be written",
                       file_write_begin(ctx, "/proc/self/out.npy", &writer));
    }
}

/* What the system says, in words: each cause has a sentence of its own. */
static void test_causes(void **state)
{
    (void)state;
    static const struct {
        int error;
        orthant_status status;
        const char *path, *message;
    } causes[] = {
        {ENOENT, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: there is no folder 'a'"},
        {ENOENT, ORTHANT_ERROR_IO, "b",
         "b: cannot be written: nothing can be made in the folder '.'"},
        {ENOENT, ORTHANT_ERROR_IO, "/proc/b",
         "/proc/b: cannot be written: nothing can be made in the folder '/proc'"},
        {ENOTDIR, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: 'a' is not a folder"},
        {EACCES, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: the folder 'a' is read-only"},
        {EROFS, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: the folder 'a' is read-only"},
        {EPERM, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: the folder 'a' is read-only"},
        {ENOSPC, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: the disk is full"},
        {EDQUOT, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: the disk is full"},
        {EFBIG, ORTHANT_ERROR_IO, "a/b",
         "a/b: cannot be written: it would be larger than the limit on files (ulimit -f)"},
        {ENOMEM, ORTHANT_ERROR_MEMORY, "a/b", "out of memory: a/b cannot be opened"},
        {EIO, ORTHANT_ERROR_IO, "a/b", "a/b: cannot be written: Input/output error"},
    };
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        assert_int_equal(file_fail_write(ctx, causes[i].path, causes[i].error), causes[i].status);
        assert_string_equal(orthant_message(ctx), causes[i].message);
    }
    assert_int_equal(file_fail_read(ctx, "a/b", ENOMEM), ORTHANT_ERROR_MEMORY);
    assert_non_null(strstr(orthant_message(ctx), "out of memory"));
    assert_int_equal(file_fail_read(ctx, "a/b", EIO), ORTHANT_ERROR_IO);
    assert_string_equal(orthant_message(ctx), "a/b: cannot be read: Input/output error");
}

static void test_a_link_to_nothing(void **state)
{
    (void)state;
    file_writer writer;
    char message[600];
    const char *link = files_path("astray");
    assert_int_equal(symlink(files_path("not-there"), link), 0);
    const int before = files_count(files_folder());
    snprintf(message, sizeof message, "%s: cannot be written: it is a link to what is not there",
             link);
    expect_failure(ctx, ORTHANT_ERROR_IO, message, file_write_begin(ctx, link, &writer));
    assert_int_equal(files_count(files_folder()), before);
}

static void test_a_full_disk(void **state)
{
    (void)state;
    file_writer writer;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full on this machine\n");
        skip();
    }
    expect_ok(ctx, file_write_begin(ctx, "/dev/full", &writer));
    fputs("a few bytes", writer.file);
    expect_failure(ctx, ORTHANT_ERROR_IO, "/dev/full: cannot be written: the disk is full",
                   file_write_end(&writer, ORTHANT_OK));
    expect_ok(ctx, file_write_begin(ctx, "/dev/full", &writer));
    for (int i = 0; i < 100000; i++)
        fputs("more than a buffer", writer.file);
    expect_failure(ctx, ORTHANT_ERROR_IO, "cannot be written", file_write_end(&writer, ORTHANT_OK));
    expect_ok(ctx, file_write_begin(ctx, "/dev/null", &writer));
    fputs("gone", writer.file);
    expect_ok(ctx, file_write_end(&writer, ORTHANT_OK));
}

static void test_checksums(void **state)
{
    (void)state;
    char digest[65], first[65], address[600];
    const char *path = files_write_text("abc", "abc");
    expect_ok(ctx, file_sha256(ctx, path, digest));
    assert_string_equal(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    snprintf(address, sizeof address, "%s:/inside", path);
    expect_ok(ctx, file_sha256(ctx, address, first));
    assert_string_equal(digest, first);
    expect_failure(ctx, ORTHANT_ERROR_IO, "no such file",
                   file_sha256(ctx, files_path("absent"), digest));
    assert_string_equal(digest, "");
    assert_int_equal(mkdir(files_path("tree"), 0777), 0);
    assert_int_equal(mkdir(files_path("tree/class"), 0777), 0);
    files_write_text("tree/class/1.pgm", "one");
    files_write_text("tree/2.pgm", "two");
    expect_ok(ctx, file_sha256(ctx, files_path("tree"), first));
    expect_ok(ctx, file_sha256(ctx, files_path("tree"), digest));
    assert_string_equal(digest, first);
    files_write_text("tree/class/1.pgm", "One");
    expect_ok(ctx, file_sha256(ctx, files_path("tree"), digest));
    assert_string_not_equal(digest, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_opening, make, clear),
        cmocka_unit_test_setup_teardown(test_endings, make, clear),
        cmocka_unit_test_setup_teardown(test_addresses_inside_files, make, clear),
        cmocka_unit_test_setup_teardown(test_writing, make, clear),
        cmocka_unit_test_setup_teardown(test_a_failed_write_leaves_the_old_file, make, clear),
        cmocka_unit_test_setup_teardown(test_named_writing, make, clear),
        cmocka_unit_test_setup_teardown(test_places_that_cannot_be_written, make, clear),
        cmocka_unit_test_setup_teardown(test_causes, make, clear),
        cmocka_unit_test_setup_teardown(test_a_link_to_nothing, make, clear),
        cmocka_unit_test_setup_teardown(test_a_full_disk, make, clear),
        cmocka_unit_test_setup_teardown(test_checksums, make, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
