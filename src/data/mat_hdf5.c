/* What matio does not see in version 7.3 files that MATLAB did not write: h5py gives a dataset no
 * class, or one of a text that matio cuts. */
#include <string.h>

#include "data/hdf5_filters.h"
#include "data/mat_file.h"

/* The text of the attribute MATLAB_class, "" where there is none. */
static void read_class(hid_t dataset, char *text, size_t size)
{
    memset(text, 0, size);
    if (H5Aexists(dataset, "MATLAB_class") <= 0)
        return;
    const hid_t attribute = H5Aopen(dataset, "MATLAB_class", H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    char *longer = NULL;
    if (type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
        H5Sget_simple_extent_npoints(space) == 1) {
        if (H5Tis_variable_str(type) > 0) {
            if (H5Aread(attribute, type, &longer) >= 0 && longer)
                strncpy(text, longer, size - 1);
            H5free_memory(longer);
        } else if (H5Tget_size(type) < size) {
            H5Aread(attribute, type, text);
        }
    }
    if (!text[0])
        strncpy(text, "unreadable", size - 1);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
}

/* The class of its entries as they are stored; MAT_C_EMPTY where they are no numbers. */
static enum matio_classes stored_class(hid_t dataset)
{
    static const enum matio_classes whole[2][4] = {
        {MAT_C_UINT8, MAT_C_UINT16, MAT_C_UINT32, MAT_C_UINT64},
        {MAT_C_INT8, MAT_C_INT16, MAT_C_INT32, MAT_C_INT64}};
    enum matio_classes class = MAT_C_EMPTY;
    const hid_t type = H5Dget_type(dataset);
    if (type < 0)
        return class;
    const H5T_class_t kind = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    const int power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    if (kind == H5T_FLOAT && size <= 8)
        class = size <= 4 ? MAT_C_SINGLE : MAT_C_DOUBLE;
    else if ((kind == H5T_INTEGER || kind == H5T_ENUM) && power >= 0)
        class = whole[kind == H5T_ENUM || H5Tget_sign(type) == H5T_SGN_2][power];
    H5Tclose(type);
    return class;
}

void mat_find_class(const mat_file *file, matvar_t *info)
{
    static const char *const numbers[] = {"double", "single", "int8",  "uint8",  "int16",  "uint16",
                                          "int32",  "uint32", "int64", "uint64", "logical"};
    char class[32];
    if (file->hdf5 < 0 || info->class_type != MAT_C_EMPTY || info->isComplex || !info->name ||
        !info->dims)
        return;
    const hid_t dataset = H5Dopen2(file->hdf5, info->name, H5P_DEFAULT);
    if (dataset < 0)
        return;
    read_class(dataset, class, sizeof class);
    bool number = !class[0];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number = number || strcmp(class, numbers[i]) == 0;
    if (number)
        info->class_type = stored_class(dataset);
    H5Dclose(dataset);
}

orthant_status mat_check_filters(const mat_file *file, const char *name)
{
    orthant_status status = ORTHANT_OK;
    const hid_t dataset =
        file->hdf5 >= 0 ? H5Dopen2(file->hdf5, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const hid_t how = dataset >= 0 ? H5Dget_create_plist(dataset) : H5I_INVALID_HID;
    if (how >= 0) {
        status = hdf5_check_filters(file->ctx, file->path, name, how);
        H5Pclose(how);
    }
    if (dataset >= 0)
        H5Dclose(dataset);
    return status;
}
