/* A MATLAB file that a confined child process has open: lists its variables and sends their values.
 * What comes back is believed no more than the file itself. */
#include <limits.h>
#include <string.h>

#include "core/memory.h"
#include "data/mat_file.h"

#define LONGEST_NAME (1 << 16)

enum { LIST, PARTS, COLUMNS, SPARSE };

/* A variable or a part as it is sent; its name follows. */
typedef struct entry {
    int64_t name_bytes; /* with the 0 at its end */
    int64_t rows, columns;
    int32_t dimensions, class, complex, empty;
} entry;

/* ---- in the child --------------------------------------------------------------------------- */

static orthant_status send_entry(child *link, const mat_file *file, const char *name,
                                 const mat_variable *about, bool empty)
{
    const entry e = {.name_bytes = (int64_t)strlen(name) + 1,
                     .rows = about->rows,
                     .columns = about->columns,
                     .dimensions = about->dimensions,
                     .class = (int32_t)about->class,
                     .complex = about->complex,
                     .empty = empty};
    if (e.name_bytes > LONGEST_NAME)
        return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: a variable's name is too long",
                    file->path);
    child_send(link, &e, sizeof e);
    child_send(link, name, e.name_bytes);
    return ORTHANT_OK;
}

static orthant_status send_list(child *link, mat_file *file)
{
    orthant_status status = mat_list(file);
    const int64_t count = file->count;
    if (status == ORTHANT_OK)
        child_send(link, &count, sizeof count);
    for (int i = 0; i < count && status == ORTHANT_OK; i++)
        status = send_entry(link, file, file->variables[i].name, &file->variables[i], false);
    return status;
}

static orthant_status send_parts(child *link, mat_file *file, int variable)
{
    orthant_status status = mat_list_parts(file, variable);
    const int64_t count = file->part_count;
    if (status == ORTHANT_OK)
        child_send(link, &count, sizeof count);
    for (int i = 0; i < count && status == ORTHANT_OK; i++) {
        const mat_part *part = &file->parts[i];
        status = send_entry(link, file, part->name, &part->about, part->empty);
    }
    return status;
}

static orthant_status send_columns(child *link, mat_file *file, mat_source from)
{
    const mat_variable *v = from.about;
    const int64_t block = mat_columns_together(v), column_bytes = v->rows * mat_entry_bytes(v);
    void *values = memory_new(file->ctx, block, (size_t)column_bytes, "a block of a variable");
    orthant_status status = values ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    for (int64_t first = 0; status == ORTHANT_OK && first < v->columns; first += block) {
        const int64_t count = first + block < v->columns ? block : v->columns - first;
        status = mat_read_columns(file, from, first, count, values);
        if (status == ORTHANT_OK)
            child_send(link, values, count * column_bytes);
    }
    memory_free(file->ctx, values);
    return status;
}

static orthant_status send_sparse(child *link, mat_file *file, mat_source from)
{
    mat_sparse_t sparse;
    enum matio_types type;
    const orthant_status status = mat_read_sparse(file, from, &sparse, &type);
    if (status != ORTHANT_OK)
        return status;
    const int64_t stored = (int64_t)sparse.jc[from.about->columns];
    const int32_t sent_type = (int32_t)type;
    child_send(link, &sent_type, sizeof sent_type);
    child_send(link, sparse.jc, (from.about->columns + 1) * (int64_t)sizeof *sparse.jc);
    child_send(link, sparse.ir, stored * (int64_t)sizeof *sparse.ir);
    child_send(link, sparse.data, stored * (int64_t)Mat_SizeOf(type));
    return ORTHANT_OK;
}

static orthant_status serve(child *link, const child_request *request, void *user)
{
    mat_file *file = user;
    const int variable = request->index, part = (int)request->first;
    if (request->what == LIST) {
        file->reader = link;
        return send_list(link, file);
    }
    if (request->what == PARTS)
        return send_parts(link, file, variable);
    const mat_source from = {variable, part,
                             part < 0 ? &file->variables[variable] : &file->parts[part].about};
    if (part >= 0)
        file->parts[part].about.name = file->parts[part].name;
    return request->what == COLUMNS ? send_columns(link, file, from)
                                    : send_sparse(link, file, from);
}

/* ---- in the parent -------------------------------------------------------------------------- */

static orthant_status fail_damaged(const mat_file *file)
{
    return fail(file->ctx, ORTHANT_ERROR_FORMAT, "%s: a MATLAB file that is damaged", file->path);
}

/* A variable or a part into the file's list. */
static orthant_status take_entry(mat_file *file, bool part)
{
    entry e;
    char *name = NULL;
    orthant_status status = child_take(file->reader, &e, sizeof e);
    if (status == ORTHANT_OK && (e.name_bytes < 1 || e.name_bytes > LONGEST_NAME || e.rows < 0 ||
                                 e.columns < 0 || e.class < MAT_C_EMPTY || e.class > MAT_C_OPAQUE))
        status = fail_damaged(file);
    if (status != ORTHANT_OK)
        return status;
    name = memory_new(file->ctx, e.name_bytes, 1, "a variable's name");
    if (!name)
        return ORTHANT_ERROR_MEMORY;
    status = child_take(file->reader, name, e.name_bytes);
    name[e.name_bytes - 1] = '\0';
    const mat_part got = {.empty = e.empty != 0,
                          .about = {.dimensions = e.dimensions,
                                    .rows = e.rows,
                                    .columns = e.columns,
                                    .class = (enum matio_classes)e.class,
                                    .complex = e.complex != 0}};
    if (status == ORTHANT_OK)
        status = part ? mat_add_part(file, name, &got) : mat_add_variable(file, name, &got.about);
    memory_free(file->ctx, name);
    return status;
}

static orthant_status take_entries(mat_file *file, const child_request *request)
{
    int64_t count = 0;
    orthant_status status = child_ask(file->reader, request, 0);
    if (status == ORTHANT_OK)
        status = child_take(file->reader, &count, sizeof count);
    for (int64_t i = 0; i < count && status == ORTHANT_OK; i++)
        status = take_entry(file, request->what == PARTS);
    return status == ORTHANT_OK ? child_end(file->reader) : status;
}

orthant_status mat_child_list(mat_file *file)
{
    const child_request request = {.what = LIST};
    const child_options options = {.path = file->path,
                                   .library = file->is_hdf5 ? "the HDF5 library" : "matio",
                                   .bytes = hdf5_child_memory(file->ctx, file->bytes),
                                   .serve = serve,
                                   .user = file};
    const orthant_status status = child_start(file->ctx, &options, &file->reader);
    return status == ORTHANT_OK ? take_entries(file, &request) : status;
}

orthant_status mat_child_list_parts(mat_file *file, int variable)
{
    const child_request request = {.what = PARTS, .index = variable};
    file->part_count = 0;
    return take_entries(file, &request);
}

orthant_status mat_child_ask_columns(mat_file *file, mat_source from)
{
    const child_request request = {.what = COLUMNS, .index = from.variable, .first = from.part};
    return child_ask(file->reader, &request, mat_entries(from.about) * mat_entry_bytes(from.about));
}

orthant_status mat_child_read_sparse(mat_file *file, mat_source from, mat_sparse_t *sparse,
                                     enum matio_types *type)
{
    const child_request request = {.what = SPARSE, .index = from.variable, .first = from.part};
    orthant_context *ctx = file->ctx;
    const mat_variable *v = from.about;
    int32_t sent_type = 0;
    *sparse = (mat_sparse_t){
        .jc = memory_new(ctx, v->columns + 1, sizeof *sparse->jc, "a sparse variable")};
    if (!sparse->jc)
        return ORTHANT_ERROR_MEMORY;
    orthant_status status = child_ask(file->reader, &request, file->bytes);
    if (status == ORTHANT_OK)
        status = child_take(file->reader, &sent_type, sizeof sent_type);
    if (status == ORTHANT_OK)
        status =
            child_take(file->reader, sparse->jc, (v->columns + 1) * (int64_t)sizeof *sparse->jc);
    if (status != ORTHANT_OK)
        return status;
    *type =
        sent_type > 0 && sent_type <= MAT_T_FUNCTION ? (enum matio_types)sent_type : MAT_T_UNKNOWN;
    const int64_t stored = (int64_t)sparse->jc[v->columns], size = (int64_t)Mat_SizeOf(*type);
    if (!hdf5_can_hold(file->bytes, stored, 1))
        return fail_damaged(file);
    sparse->ir = memory_new(ctx, stored, sizeof *sparse->ir, "a sparse variable");
    sparse->data = memory_new(ctx, stored, (size_t)size, "a sparse variable");
    if (!sparse->ir || !sparse->data)
        return ORTHANT_ERROR_MEMORY;
    sparse->njc = (mat_uint32_t)v->columns + 1;
    sparse->nir = sparse->ndata = (mat_uint32_t)stored;
    status = child_take(file->reader, sparse->ir, stored * (int64_t)sizeof *sparse->ir);
    if (status == ORTHANT_OK)
        status = child_take(file->reader, sparse->data, stored * size);
    if (status == ORTHANT_OK)
        status = child_end(file->reader);
    return status == ORTHANT_OK ? mat_check_sparse(file, v, sparse, *type) : status;
}
