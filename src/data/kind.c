/* Magic numbers first, then the ending of the name. */
#include "data/kind.h"

#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "data/csr_file.h"

/* What stands for standard input has no ending: it is a table unless its first bytes say more. */
static bool is_descriptor(const char *path)
{
    return !strncmp(path, "/proc/self/fd/", 14) || !strncmp(path, "/dev/fd/", 8);
}

static file_kind kind_by_ending(const char *path)
{
    static const struct {
        const char *ending;
        file_kind kind;
    } known[] = {{"mat", KIND_MAT},       {"npy", KIND_NPY}, {"npz", KIND_NPZ},
                 {"csv", KIND_CSV},       {"tsv", KIND_CSV}, {"txt", KIND_CSV},
                 {"mtx", KIND_MTX},       {"h5", KIND_HDF5}, {"hdf5", KIND_HDF5},
                 {"csr", KIND_CSR},       {"idx", KIND_IDX}, {"idx1-ubyte", KIND_IDX},
                 {"idx3-ubyte", KIND_IDX}};
    char ending[16];
    file_ending(path, ending);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(ending, known[i].ending) == 0)
            return known[i].kind;
    return is_descriptor(path) ? KIND_CSV : KIND_UNKNOWN;
}

/* A packed text or array says what it is before ".gz"; everything else that is packed is IDX. */
static file_kind kind_of_packed(const char *path)
{
    char inner[512];
    snprintf(inner, sizeof inner, "%s", path);
    const size_t length = strlen(inner);
    if (length > 3 && strcmp(inner + length - 3, ".gz") == 0)
        inner[length - 3] = '\0';
    const file_kind kind = kind_by_ending(inner);
    return kind == KIND_CSV || kind == KIND_MTX || kind == KIND_NPY ? kind : KIND_IDX;
}

static file_kind kind_by_magic(const unsigned char *bytes, size_t count, const char *path)
{
    static const char banner[] = "%%MatrixMarket";
    if (count >= 6 && memcmp(bytes, "MATLAB", 6) == 0)
        return KIND_MAT;
    if (count >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return KIND_NPY;
    if (count >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0))
        return KIND_NPZ;
    if (count >= sizeof banner - 1 && memcmp(bytes, banner, sizeof banner - 1) == 0)
        return KIND_MTX;
    if (count >= 8 && memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) == 0)
        return KIND_HDF5;
    if (count >= 8 && memcmp(bytes, CSR_MAGIC, 8) == 0)
        return KIND_CSR;
    if (count >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0)
        return kind_of_packed(path);
    if (count >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= 0x08 && bytes[2] <= 0x0e &&
        bytes[3] >= 1 && bytes[3] <= 8)
        return KIND_IDX;
    return KIND_UNKNOWN;
}

orthant_status kind_of_file(orthant_context *ctx, const char *path, file_kind *kind)
{
    unsigned char bytes[16];
    FILE *file = NULL;
    *kind = KIND_FOLDER;
    if (file_is_folder(path))
        return ORTHANT_OK;
    *kind = KIND_UNKNOWN;
    const orthant_status status = file_open(ctx, path, &file);
    if (status != ORTHANT_OK)
        return status;
    const size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (count == 0)
        return fail(ctx, ORTHANT_ERROR_FORMAT, "%s: the file is empty", path);
    *kind = kind_by_magic(bytes, count, path);
    if (*kind == KIND_UNKNOWN)
        *kind = kind_by_ending(path);
    return ORTHANT_OK;
}
