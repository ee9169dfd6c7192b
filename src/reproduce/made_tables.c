/* What such a table leaves behind. */
#include "reproduce/made_tables.h"

#include <time.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/folder.h"
#include "report/text_file.h"

orthant_status made_table_make(const made_table *asked)
{
    const int threads = orthant_context_threads(asked->ctx);
    orthant_status status = orthant_context_set_threads(asked->ctx, 1);
    if (!status)
        status = asked->table->make(asked);
    const orthant_status restored = orthant_context_set_threads(asked->ctx, threads);
    return status ? status : restored;
}

double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static orthant_status write_csv(const made_table *asked, const sheet *page)
{
    orthant_context *ctx = asked->ctx;
    char name[64];
    file_writer writer;
    snprintf(name, sizeof name, "table-%s", asked->table->number);
    char *folder = path_join(ctx, asked->request->output, name);
    char *path = folder ? path_join(ctx, folder, asked->table->leaves) : NULL;
    orthant_status status = path ? folder_make(ctx, folder) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = file_write_begin(ctx, path, &writer);
    if (!status) {
        sheet_write(page, SHEET_CSV, writer.file);
        status = file_write_end(&writer, ORTHANT_OK);
    }
    if (!status)
        status = reproduction_note_quick(ctx, asked->request, path);
    memory_free(ctx, path);
    memory_free(ctx, folder);
    return status;
}

orthant_status made_table_add(const made_table *asked, orthant_status status, sheet *page)
{
    if (!status)
        status = sheet_status(page);
    if (!status)
        status = write_csv(asked, page);
    if (!status)
        return sheet_list_add(asked->list, page);
    sheet_free(page);
    return status;
}
