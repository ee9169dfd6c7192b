/* Walks through a file's groups, lists its datasets and reads their values. */
#include "data/hdf5_file.h"

#include <inttypes.h>
#include <string.h>

#include "core/confine.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/hdf5_filters.h"

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

/* Whether its values stand in the file as they are in memory, and where. */
static void look_for_plain(hid_t id, hid_t type, hdf5_dataset *dataset)
{
    const hid_t how = H5Dget_create_plist(id);
    const bool whole =
        how >= 0 && H5Pget_layout(how) == H5D_CONTIGUOUS && H5Pget_external_count(how) == 0;
    const haddr_t offset = whole ? H5Dget_offset(id) : HADDR_UNDEF;
    if (how >= 0)
        H5Pclose(how);
    if (offset == HADDR_UNDEF || offset > INT64_MAX)
        return;
    dataset->plain_offset = (int64_t)offset;
    dataset->plain_bytes = H5Tequal(type, H5T_NATIVE_FLOAT) > 0    ? 4
                           : H5Tequal(type, H5T_NATIVE_DOUBLE) > 0 ? 8
                                                                   : 0;
}

/* How many rows its chunks hold. */
static void look_for_chunks(hid_t id, hdf5_dataset *dataset)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    const hid_t how = H5Dget_create_plist(id);
    if (how >= 0 && H5Pget_layout(how) == H5D_CHUNKED &&
        H5Pget_chunk(how, H5S_MAX_RANK, extent) > 0 && extent[0] <= INT32_MAX)
        dataset->chunk_rows = (int64_t)extent[0];
    if (how >= 0)
        H5Pclose(how);
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
    if (class == H5T_FLOAT)
        look_for_plain(id, type, dataset);
    look_for_chunks(id, dataset);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
}

/* So many whole numbers of an attribute of the group. */
static bool numbers_attribute(hid_t file, const char *place, const char *name, int64_t count,
                              int64_t *numbers)
{
    bool found = false;
    if (H5Aexists_by_name(file, place, name, H5P_DEFAULT) <= 0)
        return false;
    const hid_t attribute = H5Aopen_by_name(file, place, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == count)
        found = H5Aread(attribute, H5T_NATIVE_INT64, numbers) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    return found;
}

/* "csc" at the start of an attribute that is a text of fixed or variable length. */
static bool says_columns(hid_t file, const char *place, const char *name)
{
    char text[64] = "", *longer = NULL;
    if (H5Aexists_by_name(file, place, name, H5P_DEFAULT) <= 0)
        return false;
    const hid_t attribute = H5Aopen_by_name(file, place, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    bool columns = false;
    if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
        H5Sget_simple_extent_npoints(space) == 1) {
        if (H5Tis_variable_str(type) > 0) {
            if (H5Aread(attribute, type, &longer) >= 0 && longer)
                columns = strncmp(longer, "csc", 3) == 0;
            H5free_memory(longer);
        } else if (H5Tget_size(type) < sizeof text && H5Aread(attribute, type, text) >= 0) {
            columns = strncmp(text, "csc", 3) == 0;
        }
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return columns;
}

static void look_at_group(hid_t file, hdf5_dataset *dataset)
{
    char group[1024];
    const size_t length = (size_t)(strrchr(dataset->path, '/') - dataset->path);
    if (length >= sizeof group)
        return;
    snprintf(group, sizeof group, "%.*s", length ? (int)length : 1, dataset->path);
    dataset->has_shape = numbers_attribute(file, group, "shape", 2, dataset->shape) ||
                         numbers_attribute(file, group, "h5sparse_shape", 2, dataset->shape);
    dataset->by_columns =
        says_columns(file, group, "encoding-type") || says_columns(file, group, "h5sparse_format");
}

/* Of a sparse matrix of MATLAB's: it is stored by columns, whose starts these are. */
static void look_at_matlab(hid_t file, hdf5_dataset *dataset)
{
    char group[1024];
    const size_t length = (size_t)(strrchr(dataset->path, '/') - dataset->path);
    if (length == 0 || length >= sizeof group || dataset->dimensions != 1)
        return;
    snprintf(group, sizeof group, "%.*s", (int)length, dataset->path);
    dataset->has_shape = numbers_attribute(file, group, "MATLAB_sparse", 1, dataset->shape);
    dataset->by_columns = dataset->has_shape;
    dataset->shape[1] = dataset->extent[0] - 1;
}

orthant_status hdf5_add_dataset(hdf5_file *file, int64_t name_bytes, hdf5_dataset **added)
{
    if (file->count >= MOST_DATASETS)
        return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: more than %d datasets", file->path,
                    MOST_DATASETS);
    if (file->count == file->capacity) {
        const int64_t capacity = 2 * file->capacity + 16;
        hdf5_dataset *more = memory_resize(file->ctx, file->datasets, capacity, sizeof *more,
                                           "the datasets of a file");
        if (!more)
            return ORTHANT_ERROR_MEMORY;
        file->datasets = more;
        file->capacity = capacity;
    }
    hdf5_dataset *dataset = *added = &file->datasets[file->count];
    dataset->path = memory_new(file->ctx, name_bytes, 1, "a dataset's name");
    if (!dataset->path)
        return ORTHANT_ERROR_MEMORY;
    file->count++;
    return ORTHANT_OK;
}

static orthant_status visit_dataset(hdf5_file *file, hid_t from, const char *name)
{
    const size_t length = strlen(name) + 2;
    hdf5_dataset *dataset = NULL;
    const orthant_status status = hdf5_add_dataset(file, (int64_t)length, &dataset);
    if (status != ORTHANT_OK)
        return status;
    snprintf(dataset->path, length, "/%s", name);
    const hid_t id = H5Dopen2(from, name, H5P_DEFAULT);
    if (id < 0)
        return hdf5_fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: '%s' cannot be opened", file->path,
                         dataset->path);
    look_at(id, dataset);
    H5Dclose(id);
    if (strcmp(strrchr(dataset->path, '/'), "/indptr") == 0)
        look_at_group(from, dataset);
    if (strcmp(strrchr(dataset->path, '/'), "/jc") == 0)
        look_at_matlab(from, dataset);
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
        file->status = visit_dataset(file, from, name);
    return file->status == ORTHANT_OK ? 0 : -1;
}

orthant_status hdf5_list(hdf5_file *file)
{
    orthant_context *ctx = file->ctx;
    hdf5_quiet_begin(&file->quiet);
    hdf5_register_filters();
    file->id = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->id < 0)
        return H5Fis_hdf5(file->path) <= 0
                   ? fail(ctx, ORTHANT_ERROR_FORMAT, "%s: not an HDF5 file", file->path)
                   : hdf5_fail(ctx, ORTHANT_ERROR_FORMAT, "%s: an HDF5 file that cannot be opened",
                               file->path);
    if (file->reader && !confine_files())
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: the process that reads it cannot be confined", file->path);
    if (visit_objects(file->id, visit_object, file) < 0)
        return file->status != ORTHANT_OK
                   ? file->status
                   : hdf5_fail(ctx, ORTHANT_ERROR_FORMAT, "%s: an HDF5 file that is damaged",
                               file->path);
    return ORTHANT_OK;
}

orthant_status hdf5_file_open(orthant_context *ctx, const char *path, hdf5_file *file)
{
    FILE *plain = NULL;
    *file = (hdf5_file){.ctx = ctx, .path = path, .id = H5I_INVALID_HID};
    orthant_status status = file_open(ctx, path, &plain); /* for its messages */
    if (status != ORTHANT_OK)
        return status;
    fclose(plain);
    status = file_size(ctx, path, &file->bytes);
    if (status != ORTHANT_OK)
        return status;
    return ctx->confined ? hdf5_child_list(file) : hdf5_list(file);
}

void hdf5_file_close(hdf5_file *file)
{
    for (int64_t i = 0; i < file->count; i++)
        memory_free(file->ctx, file->datasets[i].path);
    memory_free(file->ctx, file->datasets);
    child_close(file->reader);
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

/* ---- values --------------------------------------------------------------------------------- */

int64_t hdf5_type_bytes(hdf5_type type)
{
    return type == HDF5_SINGLE ? 4 : 8;
}

static hid_t native_type(hdf5_type type)
{
    return type == HDF5_INT64    ? H5T_NATIVE_INT64
           : type == HDF5_SINGLE ? H5T_NATIVE_FLOAT
                                 : H5T_NATIVE_DOUBLE;
}

/* The first extent of its chunks, 0 where it has none. HDF5 allocates a whole chunk, whatever
 * the dataset's own size: *fits says whether the file can hold one. */
static int64_t chunk_rows(const hdf5_file *file, hid_t how, bool *fits)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    int64_t count = 1;
    *fits = true;
    if (H5Pget_layout(how) != H5D_CHUNKED)
        return 0;
    const int dimensions = H5Pget_chunk(how, H5S_MAX_RANK, extent);
    for (int i = 0; i < dimensions && *fits; i++)
        *fits = extent[i] <= INT32_MAX && size_multiply(count, (int64_t)extent[i], &count);
    *fits = *fits && hdf5_can_hold(file->bytes, count, 1);
    return (int64_t)(extent[0] <= INT32_MAX ? extent[0] : 0);
}

static orthant_status fail_values(const hdf5_file *file, const hdf5_dataset *dataset)
{
    return hdf5_fail(file->ctx, ORTHANT_ERROR_FORMAT,
                     "%s: '%s' cannot be read: the file is damaged", file->path, dataset->path);
}

orthant_status hdf5_open_dataset(const hdf5_file *file, const hdf5_dataset *dataset, hid_t *id,
                                 int64_t *rows)
{
    bool fits = true;
    orthant_status status = ORTHANT_OK;
    *rows = 1;
    *id = H5Dopen2(file->id, dataset->path, H5P_DEFAULT);
    const hid_t how = *id >= 0 ? H5Dget_create_plist(*id) : H5I_INVALID_HID;
    if (how < 0) {
        status = fail_values(file, dataset);
    } else {
        const int64_t chunk = chunk_rows(file, how, &fits);
        *rows = chunk > 1 ? chunk : 1;
        status = fits ? hdf5_check_filters(file->ctx, file->path, dataset->path, how)
                      : fail(file->ctx, ORTHANT_ERROR_FORMAT,
                             "%s: '%s' has chunks larger than the file can hold", file->path,
                             dataset->path);
        H5Pclose(how);
    }
    if (status != ORTHANT_OK && *id >= 0) {
        H5Dclose(*id);
        *id = H5I_INVALID_HID;
    }
    return status;
}

/* In the file: rows first, first + 1, ...; in memory they stand one behind the other. */
static bool read_selected(hid_t id, const hdf5_dataset *dataset, hdf5_type type, int64_t first,
                          int64_t count, void *values)
{
    hsize_t start[HDF5_DIMENSIONS] = {(hsize_t)first}, size[HDF5_DIMENSIONS] = {0};
    for (int i = 0; i < dataset->dimensions; i++)
        size[i] = (hsize_t)dataset->extent[i];
    size[0] = (hsize_t)count;
    const hid_t disk = H5Dget_space(id);
    const hid_t memory = H5Screate_simple(dataset->dimensions, size, NULL);
    const bool done = disk >= 0 && memory >= 0 &&
                      H5Sget_simple_extent_ndims(disk) == dataset->dimensions &&
                      H5Sselect_hyperslab(disk, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      H5Dread(id, native_type(type), memory, disk, H5P_DEFAULT, values) >= 0;
    if (disk >= 0)
        H5Sclose(disk);
    if (memory >= 0)
        H5Sclose(memory);
    return done;
}

orthant_status hdf5_read_rows(const hdf5_file *file, const hdf5_dataset *dataset, hid_t id,
                              hdf5_type type, int64_t first, int64_t count, void *values)
{
    const bool done =
        count < 0 ? H5Dread(id, native_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0
                  : read_selected(id, dataset, type, first, count, values);
    return done ? ORTHANT_OK : fail_values(file, dataset);
}

orthant_status hdf5_file_read(const hdf5_file *file, const hdf5_dataset *dataset, hdf5_type type,
                              void *values)
{
    hid_t id;
    int64_t rows;
    if (file->reader)
        return hdf5_child_read(file, dataset, type, values);
    orthant_status status = hdf5_open_dataset(file, dataset, &id, &rows);
    if (status != ORTHANT_OK)
        return status;
    status = hdf5_read_rows(file, dataset, id, type, 0, -1, values);
    H5Dclose(id);
    return status;
}

orthant_status hdf5_file_read_rows(const hdf5_file *file, const hdf5_dataset *dataset,
                                   hdf5_type type, int64_t first, int64_t count, void *values)
{
    hid_t id;
    int64_t rows;
    if (file->reader)
        return hdf5_child_read_rows(file, dataset, type, first, count, values);
    orthant_status status = hdf5_open_dataset(file, dataset, &id, &rows);
    if (status != ORTHANT_OK)
        return status;
    status = hdf5_read_rows(file, dataset, id, type, first, count, values);
    H5Dclose(id);
    return status;
}
