/* Builds without matio and HDF5: their files are refused. */
#include "data/convert.h"
#include "data/label_image.h"
#include "data/labels.h"
#include "data/read.h"
#include "data/row_file.h"

static orthant_status refuse(orthant_context *ctx, const char *path, const char *kind)
{
    return fail(
        ctx, ORTHANT_ERROR_UNSUPPORTED,
        "%s: this build of Orthant has no %s files; save it as .npy, .csv or .mtx, or build "
        "Orthant with -DORTHANT_HDF5=ON",
        path, kind);
}

orthant_status read_mat(orthant_context *ctx, const char *path, const orthant_read_options *options,
                        orthant_matrix **found, orthant_labels **truth)
{
    (void)options;
    *found = NULL;
    *truth = NULL;
    return refuse(ctx, path, "MATLAB");
}

orthant_status read_hdf5(orthant_context *ctx, const char *path,
                         const orthant_read_options *options, orthant_matrix **found,
                         orthant_labels **truth)
{
    (void)options;
    *found = NULL;
    *truth = NULL;
    return refuse(ctx, path, "HDF5");
}

orthant_status labels_read_mat(orthant_context *ctx, const char *path, const char *variable,
                               orthant_labels **labels)
{
    (void)variable;
    *labels = NULL;
    return refuse(ctx, path, "MATLAB");
}

orthant_status label_images_read_mat(const char *path, const char *variable, label_images *found)
{
    (void)variable;
    return refuse(found->ctx, path, "MATLAB");
}

orthant_status write_hdf5(orthant_context *ctx, const orthant_matrix *matrix, const char *path)
{
    (void)matrix;
    return refuse(ctx, path, "HDF5");
}

static orthant_status refuse_begin(row_sink *sink, int64_t rows, int64_t columns, bool sparse)
{
    (void)rows;
    (void)columns;
    (void)sparse;
    return refuse(sink->ctx, sink->path, "HDF5");
}

static orthant_status refuse_end(row_sink *sink, orthant_status status)
{
    (void)sink;
    return status;
}

const row_sink_kind row_sink_hdf5 = {refuse_begin, NULL, refuse_end};

orthant_status convert_hdf5(conversion *c, bool matlab)
{
    return refuse(c->ctx, c->path, matlab ? "MATLAB" : "HDF5");
}

orthant_status row_file_open_hdf5(row_file *file, const char *path, const char *variable)
{
    (void)variable;
    return refuse(file->ctx, path, "HDF5");
}

void hdf5_no_exit_handler(void)
{
}
