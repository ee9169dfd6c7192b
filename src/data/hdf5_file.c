#include "data/hdf5_file.h"

#include <inttypes.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"

#define MOST_DATASETS 100000

int64_t hdf5_entries(const hdf5_dataset *dataset)
{
    int64_t count = 1;
    if (dataset->dimensions > HDF5_DIMENSIONS)
        return INT64_MAX;
    for (int i = 0; i < dataset->dimensions; i++)
        if (!size_multiply(count, dataset->extent[i], &count))
            return INT64_MAX;
    return count;
}

/* Kind and shape of an open dataset. */
static void look_at(hid_t id, hdf5_dataset *dataset)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    const hid_t type = H5Dget_type(id), space = H5Dget_space(id);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    dataset->number = (class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM) &&
                      H5Tget_size(type) <= 16;
    dataset->dimensions = space < 0 ? -1 : H5Sget_simple_extent_dims(space, extent, NULL);
    if (dataset->dimensions < 0 || H5Sget_simple_extent_type(space) != H5S_SIMPLE)
        dataset->dimensions = 0;
    for (int i = 0; i < dataset->dimensions && i < HDF5_DIMENSIONS; i++)
        dataset->extent[i] = extent[i] <= INT64_MAX ? (int64_t)extent[i] : INT64_MAX;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
}

static orthant_status add_dataset(hdf5_file *file, hid_t from, const char *name)
{
    if (file->count >= MOST_DATASETS)
        return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: more than %d datasets", file->path,
                    MOST_DATASETS);
    if (file->count == file->room) {
        const int64_t room = 2 * file->room + 16;
        hdf5_dataset *more =
            memory_resize(file->ctx, file->datasets, room, sizeof *more, "the datasets of a file");
        if (!more)
            return ORTHANT_ERROR_MEMORY;
        file->datasets = more;
        file->room = room;
    }
    const size_t length = strlen(name) + 2;
    hdf5_dataset *dataset = &file->datasets[file->count];
    dataset->path = memory_new(file->ctx, (int64_t)length, 1, "a dataset's name");
    if (!dataset->path)
        return ORTHANT_ERROR_MEMORY;
    snprintf(dataset->path, length, "/%s", name);
    file->count++;
    const hid_t id = H5Dopen2(from, name, H5P_DEFAULT);
    if (id < 0)
        return hdf5_fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: '%s' cannot be opened", file->path,
                         dataset->path);
    look_at(id, dataset);
    H5Dclose(id);
    return ORTHANT_OK;
}

#if H5_VERSION_GE(1, 12, 0)
typedef H5O_info2_t object_info;
#define visit_objects(id, function, user) \
    H5Ovisit3(id, H5_INDEX_NAME, H5_ITER_INC, function, user, H5O_INFO_BASIC)
#else
typedef H5O_info_t object_info;
#define visit_objects(id, function, user) \
    H5Ovisit2(id, H5_INDEX_NAME, H5_ITER_INC, function, user, H5O_INFO_BASIC)
#endif

static herr_t visit_object(hid_t from, const char *name, const object_info *info, void *user)
{
    hdf5_file *file = user;
    if (info->type == H5O_TYPE_DATASET)
        file->status = add_dataset(file, from, name);
    return file->status == ORTHANT_OK ? 0 : -1;
}

orthant_status hdf5_file_open(orthant_context *ctx, const char *path, hdf5_file *file)
{
    FILE *plain = NULL;
    *file = (hdf5_file){.ctx = ctx, .path = path, .id = H5I_INVALID_HID};
    hdf5_quiet_begin(&file->quiet);
    orthant_status status = file_open(ctx, path, &plain); /* for its messages */
    if (status != ORTHANT_OK)
        return status;
    fclose(plain);
    status = file_size(ctx, path, &file->bytes);
    if (status != ORTHANT_OK)
        return status;
    if (H5Fis_hdf5(path) <= 0)
        return fail(ctx, ORTHANT_ERROR_FORMAT, "%s: not an HDF5 file", path);
    file->id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->id < 0)
        return hdf5_fail(ctx, ORTHANT_ERROR_FORMAT, "%s: an HDF5 file that cannot be opened", path);
    if (visit_objects(file->id, visit_object, file) < 0)
        return file->status != ORTHANT_OK
                   ? file->status
                   : hdf5_fail(ctx, ORTHANT_ERROR_FORMAT, "%s: an HDF5 file that is damaged", path);
    return ORTHANT_OK;
}

void hdf5_file_close(hdf5_file *file)
{
    for (int64_t i = 0; i < file->count; i++)
        memory_free(file->ctx, file->datasets[i].path);
    memory_free(file->ctx, file->datasets);
    if (file->id >= 0)
        H5Fclose(file->id);
    hdf5_quiet_end(&file->quiet);
}

const hdf5_dataset *hdf5_file_find(const hdf5_file *file, const char *inside)
{
    if (inside[0] == '/')
        inside++;
    for (int64_t i = 0; i < file->count; i++)
        if (strcmp(file->datasets[i].path + 1, inside) == 0)
            return &file->datasets[i];
    return NULL;
}

const hdf5_dataset *hdf5_file_find_in(const hdf5_file *file, const char *group, const char *name)
{
    char inside[1024];
    const int length = snprintf(inside, sizeof inside, "%s/%s", group, name);
    return length > 0 && (size_t)length < sizeof inside ? hdf5_file_find(file, inside) : NULL;
}

static void describe_dataset(const hdf5_dataset *dataset, char *text, size_t size)
{
    text_append(text, size, "'%.60s' (", dataset->path);
    if (!dataset->number)
        text_append(text, size, "no numbers");
    else if (dataset->dimensions == 0)
        text_append(text, size, "a single value");
    for (int i = 0; dataset->number && i < dataset->dimensions && i < HDF5_DIMENSIONS; i++)
        text_append(text, size, "%s%" PRId64, i ? " x " : "", dataset->extent[i]);
    text_append(text, size, dataset->dimensions > HDF5_DIMENSIONS ? " x ...)" : ")");
}

void hdf5_file_describe(const hdf5_file *file, char *text, size_t size)
{
    const int64_t most = 10, shown = file->count < most ? file->count : most;
    text[0] = '\0';
    if (file->count == 0)
        text_append(text, size, "no datasets");
    for (int64_t i = 0; i < shown; i++) {
        text_append(text, size, "%s", i == 0 ? "" : i == file->count - 1 ? " and " : ", ");
        describe_dataset(&file->datasets[i], text, size);
    }
    if (file->count > shown)
        text_append(text, size, " and %" PRId64 " more", file->count - shown);
}

orthant_status hdf5_file_check(const hdf5_file *file, const hdf5_dataset *dataset)
{
    char shape[160] = "";
    describe_dataset(dataset, shape, sizeof shape);
    if (!dataset->number || dataset->dimensions < 1 || dataset->dimensions > HDF5_DIMENSIONS)
        return fail(file->ctx, ORTHANT_ERROR_DATA, "%s: %s, expected numbers in 1 to %d dimensions",
                    file->path, shape, HDF5_DIMENSIONS);
    if (hdf5_entries(dataset) == 0)
        return fail(file->ctx, ORTHANT_ERROR_DATA, "%s: %s is empty", file->path, shape);
    if (!hdf5_can_hold(file->bytes, hdf5_entries(dataset), 1))
        return fail(file->ctx, ORTHANT_ERROR_FORMAT,
                    "%s: %s says it is larger than a file of %" PRId64 " bytes can hold",
                    file->path, shape, file->bytes);
    return ORTHANT_OK;
}

/* HDF5 makes room for a whole chunk, whatever the dataset's own size. */
static bool chunk_fits(const hdf5_file *file, hid_t id)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    int64_t count = 1;
    bool fits = true;
    const hid_t how = H5Dget_create_plist(id);
    if (how >= 0 && H5Pget_layout(how) == H5D_CHUNKED) {
        const int dimensions = H5Pget_chunk(how, H5S_MAX_RANK, extent);
        for (int i = 0; i < dimensions && fits; i++)
            fits = extent[i] <= INT32_MAX && size_multiply(count, (int64_t)extent[i], &count);
    }
    if (how >= 0)
        H5Pclose(how);
    return fits && hdf5_can_hold(file->bytes, count, 1);
}

orthant_status hdf5_file_read(const hdf5_file *file, const hdf5_dataset *dataset, hid_t memory_type,
                              void *values)
{
    const hid_t id = H5Dopen2(file->id, dataset->path, H5P_DEFAULT);
    orthant_status status = ORTHANT_OK;
    if (id >= 0 && !chunk_fits(file, id))
        status =
            fail(file->ctx, ORTHANT_ERROR_FORMAT,
                 "%s: '%s' has chunks larger than the file can hold", file->path, dataset->path);
    else if (id < 0 || H5Dread(id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        status =
            hdf5_fail(file->ctx, ORTHANT_ERROR_FORMAT,
                      "%s: '%s' cannot be read: the file is damaged", file->path, dataset->path);
    if (id >= 0)
        H5Dclose(id);
    return status;
}
