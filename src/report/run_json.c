/* The part of run.json that runs and segmentations share. */
#include "report/run_json.h"

#include "core/file.h"
#include "core/memory.h"
#include "report/contents.h"
#include "report/text_file.h"

orthant_status run_json_write(orthant_context *ctx, const char *folder,
                              orthant_status (*describe)(orthant_context *ctx, const void *run,
                                                         const char *folder, json_writer *json),
                              const void *run)
{
    file_writer writer;
    char *path = path_join(ctx, folder, "run.json");
    orthant_status status = path ? file_write_begin(ctx, path, &writer) : ORTHANT_ERROR_MEMORY;
    if (!status) {
        json_writer json = {.file = writer.file};
        status = file_write_end(&writer, describe(ctx, run, folder, &json));
    }
    memory_free(ctx, path);
    return status;
}

void run_json_context(orthant_context *ctx, json_writer *json)
{
    json_text(json, "precision",
              orthant_context_precision(ctx) == ORTHANT_DOUBLE ? "double" : "single");
    json_integer(json, "threads", orthant_context_threads(ctx));
}

orthant_status run_json_end(orthant_context *ctx, json_writer *json, const char *command,
                            const char *folder)
{
    orthant_status status = ORTHANT_OK;
    json_text(json, "command", command);
    json_text(json, "version", orthant_version());
    json_text(json, "cpu_kernels", orthant_cpu_kernels());
    json_text(json, "blas", orthant_blas_description());
    if (folder)
        status = contents_describe(ctx, folder, json);
    json_close(json);
    return status;
}
