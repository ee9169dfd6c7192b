/* Registers the LZF filter and refuses datasets whose filter is missing. */
#include "data/hdf5_filters.h"

#include "core/lzf.h"

#define LZF 32000 /* registered with the HDF Group */

/* Unpacks a chunk into memory of HDF5's; 0 where it is damaged. */
static size_t unpack(unsigned flags, size_t values, const unsigned *value, size_t packed_bytes,
                     size_t *allocated, void **chunk)
{
    if (!(flags & H5Z_FLAG_REVERSE) || packed_bytes > INT64_MAX / LZF_TIGHTEST)
        return 0;
    /* h5py keeps a chunk's size there; HDF5 reads beyond the end of what is shorter. */
    const int64_t bytes = values > 2 && value[2] ? (int64_t)value[2]
                                                 : lzf_unpacked_size(*chunk, (int64_t)packed_bytes);
    if (bytes <= 0)
        return 0;
    unsigned char *unpacked = H5allocate_memory((size_t)bytes, false);
    if (!unpacked || !lzf_unpack(*chunk, (int64_t)packed_bytes, unpacked, bytes)) {
        H5free_memory(unpacked);
        return 0;
    }
    H5free_memory(*chunk);
    *chunk = unpacked;
    *allocated = (size_t)bytes;
    return (size_t)bytes;
}

void hdf5_register_filters(void)
{
    static const H5Z_class2_t lzf = {.version = H5Z_CLASS_T_VERS,
                                     .id = LZF,
                                     .encoder_present = 0,
                                     .decoder_present = 1,
                                     .name = "lzf",
                                     .filter = unpack};
    H5Zregister(&lzf);
}

orthant_status hdf5_check_filters(orthant_context *ctx, const char *path, const char *name,
                                  hid_t how)
{
    if (H5Pget_layout(how) == H5D_VIRTUAL || H5Pget_external_count(how) > 0)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "%s: '%s' has its values in other files, which are not read; copy them into "
                    "one file",
                    path, name);
    const int filters = H5Pget_nfilters(how);
    for (int i = 0; i < filters; i++) {
        char what[64] = "";
        unsigned flags = 0, more = 0;
        size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(how, (unsigned)i, &flags, &values, NULL, sizeof what, what, &more);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
            return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                        "%s: '%s' is packed by HDF5's filter %d%s%.40s%s, which is not known here; "
                        "pack it by gzip or lzf, or not at all (h5repack -f GZIP=4)",
                        path, name, (int)filter, what[0] ? " (" : "", what, what[0] ? ")" : "");
    }
    return ORTHANT_OK;
}
