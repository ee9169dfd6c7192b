/* A reproduction of some minutes that was interrupted goes on after its last segmentation. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file_checksum.h"
#include "core/memory.h"
#include "core/text.h"
#include "orthant/orthant.h"
#include "report/text_file.h"
#include "reproduce/grpnmf.h"

#define SETTINGS_BYTES 4096

/* Scores of all segmentations, those that are not made yet too: how many are made is one of them.
 */
static void list(grpnmf_work *w, checkpoint_parts *parts)
{
    parts->count = 0;
    parts_add_field(parts, "done", &w->done, sizeof w->done);
    parts_add_field(parts, "ridges", w->ridge_f, sizeof w->ridge_f);
    parts_add_field(parts, "counted", w->counted, sizeof w->counted);
    parts_add_field(parts, "pictures", w->measured, sizeof w->measured);
    for (int s = 0; s < GRPNMF_SETS; s++)
        for (int p = 0; p < GRPNMF_PIPELINES; p++)
            for (int m = 0; m < GRPNMF_METHODS && w->set[s].count; m++)
                parts_add_field(parts, "scores", w->scores[s][p][m],
                                (size_t)w->set[s].count * sizeof *w->scores[s][p][m]);
}

static orthant_status describe_pictures(grpnmf_work *w)
{
    orthant_status status = ORTHANT_OK;
    for (int i = 0; i < GRPNMF_PICTURES && !status; i++) {
        char digest[XXH64_DIGITS + 1];
        if (!w->wanted[i] || w->missing[i])
            continue;
        char *path = path_join(w->ctx, w->request->data, grpnmf_pictures[i].file);
        status = path ? file_xxh64(w->ctx, path, digest) : ORTHANT_ERROR_MEMORY;
        memory_free(w->ctx, path);
        if (!status)
            text_append(w->settings, SETTINGS_BYTES, "figure %s, %s=%s\n",
                        grpnmf_pictures[i].figure, grpnmf_pictures[i].name, digest);
    }
    return status;
}

static orthant_status describe(grpnmf_work *w)
{
    const reproduce_request *request = w->request;
    char *text = w->settings = memory_new(w->ctx, SETTINGS_BYTES, 1, "the settings");
    if (!text)
        return ORTHANT_ERROR_MEMORY;
    text_append(text, SETTINGS_BYTES, "version=%s\nseed=%lld\nquick=%s\n", orthant_version(),
                (long long)request->seed, request->quick ? "yes" : "no");
    text_append(text, SETTINGS_BYTES, "tables=%s\nfigures=%s\nclaims=%s\nprecision=%s\n",
                request->tables ? request->tables : "", request->figures ? request->figures : "",
                request->claims ? request->claims : "",
                orthant_context_precision(w->ctx) == ORTHANT_SINGLE ? "single" : "double");
    for (int s = 0; s < GRPNMF_SETS; s++) {
        uint64_t checksum;
        const orthant_status status = mosaics_checksum(w->ctx, &w->set[s], &checksum);
        if (status)
            return status;
        text_append(text, SETTINGS_BYTES, "%s=%d, checksum %016" PRIx64 "\n", w->set[s].name,
                    w->set[s].count, checksum);
    }
    return describe_pictures(w);
}

/* What is there of the same request; a file that cannot be used is no reason not to begin. */
static orthant_status restore(grpnmf_work *w, const char *path, checkpoint_reader *from)
{
    checkpoint_parts parts;
    orthant_status status = checkpoint_open(from, w->ctx, path, NULL);
    list(w, &parts);
    if (!status && strcmp(from->settings, w->settings) != 0)
        log_note(w->ctx, "%s is of another request: the reproduction begins", from->file);
    else if (!status)
        status = checkpoint_read(from, &parts);
    if (status && status != ORTHANT_ERROR_MEMORY) {
        log_warning(w->ctx, "%s; the reproduction begins", w->ctx->message);
        status = ORTHANT_OK;
    }
    w->kept = w->done;
    w->done = 0;
    return status;
}

orthant_status grpnmf_begin_checkpoints(grpnmf_work *w)
{
    bool there = false;
    checkpoint_reader from = {.ctx = NULL};
    char *path = path_join(w->ctx, w->request->output, "checkpoint");
    orthant_status status = path ? describe(w) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = checkpoint_look(w->ctx, path, &there);
    if (!status && there)
        status = restore(w, path, &from);
    if (!status)
        status = checkpoint_begin(&w->to, w->ctx, path, NULL, w->kept > 0 ? from.file : NULL);
    checkpoint_close(&from);
    memory_free(w->ctx, path);
    return status;
}

void grpnmf_checkpoint(grpnmf_work *w)
{
    checkpoint_parts parts;
    list(w, &parts);
    if (checkpoint_write(&w->to, w->settings, &parts))
        log_warning(w->ctx, "%s; the reproduction goes on", w->ctx->message);
}

orthant_status grpnmf_end_checkpoints(grpnmf_work *w, orthant_status status)
{
    char message[sizeof w->ctx->message];
    memcpy(message, w->ctx->message, sizeof message);
    char *path = w->to.path ? memory_text(w->ctx, w->to.path) : NULL;
    checkpoint_release(&w->to);
    if (!status && path)
        checkpoint_remove(w->ctx, path);
    memory_free(w->ctx, path);
    memory_free(w->ctx, w->settings);
    memcpy(w->ctx->message, message, sizeof message);
    return status;
}
