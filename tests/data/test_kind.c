/* What kind of file it is: by the first bytes, and where they do not tell, by the name. */
#include "fixture.h"

#include <sys/stat.h>

#include "data/kind.h"

typedef struct kind_case {
    const char *name;
    const char *bytes;
    size_t size;
    file_kind kind;
} kind_case;

static void check_kinds(orthant_context *ctx, const kind_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        file_kind kind = KIND_FOLDER;
        expect_ok(ctx, kind_of_file(ctx, files_write(cases[i].name, cases[i].bytes, cases[i].size),
                                    &kind));
        if (kind != cases[i].kind)
            fail_msg("case %d, %s: found kind %d, expected %d", (int)i, cases[i].name, kind,
                     cases[i].kind);
    }
}

#define CHECK(cases) check_kinds(ctx, cases, sizeof(cases) / sizeof *(cases))

static void test_first_bytes(void **state)
{
    orthant_context *ctx = *state;
    static const kind_case cases[] = {
        {"x", "MATLAB", 6, KIND_MAT},
        {"x", "MATLA", 5, KIND_UNKNOWN},
        {"x.csv", "MATLAB 5.0", 10, KIND_MAT},
        {"x", "\x93NUMPY", 6, KIND_NPY},
        {"x", "\x93NUMP", 5, KIND_UNKNOWN},
        {"x", "PK\3\4", 4, KIND_NPZ},
        {"x", "PK\5\6", 4, KIND_NPZ},
        {"x", "PK\3\6", 4, KIND_UNKNOWN},
        {"x", "PK\3", 3, KIND_UNKNOWN},
        {"x", "%%MatrixMarket", 14, KIND_MTX},
        {"x", "%%MatrixMarke", 13, KIND_UNKNOWN},
        {"x", "\x89HDF\r\n\x1a\n", 8, KIND_HDF5},
        {"x", "\x89HDF\r\n\x1a", 7, KIND_UNKNOWN},
        /* IDX: two zeros, a type from 8 to 14, 1 to 8 dimensions */
        {"x", "\0\0\x08\1", 4, KIND_IDX},
        {"x", "\0\0\x0e\x08", 4, KIND_IDX},
        {"x", "\0\0\x08\x08", 4, KIND_IDX},
        {"x", "\0\0\x0e\1", 4, KIND_IDX},
        {"x", "\0\0\x07\1", 4, KIND_UNKNOWN},
        {"x", "\0\0\x0f\1", 4, KIND_UNKNOWN},
        {"x", "\0\0\x08\0", 4, KIND_UNKNOWN},
        {"x", "\0\0\x08\x09", 4, KIND_UNKNOWN},
        {"x", "\1\0\x08\1", 4, KIND_UNKNOWN},
        {"x", "\0\1\x08\1", 4, KIND_UNKNOWN},
        {"x", "\0\0\x08", 3, KIND_UNKNOWN},
    };
    CHECK(cases);
}

static void test_packed(void **state)
{
    orthant_context *ctx = *state;
    static const kind_case cases[] = {
        {"x.csv.gz", "\x1f\x8b", 2, KIND_CSV}, {"x.mtx.gz", "\x1f\x8b", 2, KIND_MTX},
        {"x.npy.gz", "\x1f\x8b", 2, KIND_NPY}, {"x.mat.gz", "\x1f\x8b", 2, KIND_IDX},
        {"x.gz", "\x1f\x8b", 2, KIND_IDX},     {"x.csv", "\x1f\x8b", 2, KIND_CSV},
        {"x", "\x1f\x8b", 2, KIND_IDX},        {"x", "\x1f", 1, KIND_UNKNOWN},
        {"x.gz", "1", 1, KIND_UNKNOWN},        {".gz", "\x1f\x8b", 2, KIND_IDX},
    };
    CHECK(cases);
}

static void test_names(void **state)
{
    orthant_context *ctx = *state;
    static const kind_case cases[] = {
        {"x.mat", "?", 1, KIND_MAT},         {"x.npy", "?", 1, KIND_NPY},
        {"x.npz", "?", 1, KIND_NPZ},         {"x.csv", "?", 1, KIND_CSV},
        {"x.TSV", "?", 1, KIND_CSV},         {"x.txt", "?", 1, KIND_CSV},
        {"x.mtx", "?", 1, KIND_MTX},         {"x.h5", "?", 1, KIND_HDF5},
        {"x.hdf5", "?", 1, KIND_HDF5},       {"x.idx", "?", 1, KIND_IDX},
        {"x.idx1-ubyte", "?", 1, KIND_IDX},  {"x.idx3-ubyte", "?", 1, KIND_IDX},
        {"x.csv.old", "?", 1, KIND_UNKNOWN}, {"csv", "?", 1, KIND_UNKNOWN},
    };
    file_kind kind = KIND_CSV;
    CHECK(cases);
    assert_int_equal(mkdir(files_path("folder.csv"), 0777), 0);
    expect_ok(ctx, kind_of_file(ctx, files_path("folder.csv"), &kind));
    assert_int_equal(kind, KIND_FOLDER);
    expect_failure(ctx, ORTHANT_ERROR_FORMAT, "empty.csv: the file is empty",
                   kind_of_file(ctx, files_write("empty.csv", "", 0), &kind));
    expect_failure(ctx, ORTHANT_ERROR_IO,
                   "absent.csv: ", kind_of_file(ctx, files_path("absent.csv"), &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {fixture_test(test_first_bytes), fixture_test(test_packed),
                                       fixture_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
