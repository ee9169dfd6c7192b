/* The context's device: which plug-in, and which of its devices. */
#include "engine/device.h"

#include <stdio.h>
#include <string.h>

#include "core/plugin.h"
#include "core/sized.h"
#include "core/text.h"
#include "orthant/device.h"

typedef const device_interface *(*plugin_device)(void);

#define MOST_KIND 32 /* bytes of "cuda" */

/* A plug-in of another version of this interface would be called with other arguments. */
static orthant_status check_version(orthant_context *ctx, const char *path,
                                    const device_interface *found)
{
    if (found && found->version == DEVICE_VERSION && found->size == sizeof *found)
        return ORTHANT_OK;
    return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                "%.400s: was built for another version of the library (its interface is version "
                "%d, %zu bytes; expected version %d, %zu bytes): build both from one source",
                path, found ? found->version : 0, found ? found->size : 0, DEVICE_VERSION,
                sizeof *found);
}

/* The plug-in, and how many devices it sees: at least one. */
static orthant_status load(orthant_context *ctx, const char *kind, const device_interface **device,
                           int *count)
{
    plugin found;
    plugin_device describe = NULL;
    char reason[DEVICE_MESSAGE] = "";
    orthant_status status =
        plugin_load(ctx,
                    &(plugin_request){.name = kind,
                                      .symbol = "orthant_plugin_device",
                                      .serves = "devices",
                                      .built = "the device's toolkit is installed (of cuda: nvcc)"},
                    &found);
    if (status)
        return status;
    *(void **)&describe = found.symbol;
    *device = describe();
    if ((status = check_version(ctx, found.path, *device)))
        return status;
    *count = (*device)->count(reason);
    if (*count < 1) {
        *count = 0;
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED, "there is no device '%s': %s", kind,
                    *reason ? reason : "none was found");
    }
    return ORTHANT_OK;
}

static orthant_status check_number(orthant_context *ctx, const char *kind, int64_t number,
                                   int count)
{
    if (number >= 0 && number < count)
        return ORTHANT_OK;
    if (count == 1)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "there is no device '%s:%lld': there is one, '%s:0'", kind, (long long)number,
                    kind);
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "there is no device '%s:%lld': there are %d, '%s:0' to '%s:%d'", kind,
                (long long)number, count, kind, kind, count - 1);
}

/* "cuda:1": the kind and the number, 0 where there is none. */
static orthant_status parse(orthant_context *ctx, const char *text, char kind[MOST_KIND],
                            int64_t *number)
{
    const size_t length = strcspn(text, ":");
    *number = 0;
    if (length == 0 || length >= MOST_KIND || strchr(text, '/') ||
        (text[length] && !text_to_int64(text + length + 1, number)))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "device '%.60s': expected cpu, a kind as in cuda, or a kind and a number as in "
                    "cuda:1",
                    text);
    snprintf(kind, MOST_KIND, "%.*s", (int)length, text);
    return ORTHANT_OK;
}

orthant_status orthant_context_set_device(orthant_context *context, const char *device)
{
    char kind[MOST_KIND];
    int64_t number;
    int count = 0;
    const device_interface *found = NULL;
    orthant_status status = entry_check(context, device != NULL, __func__);
    if (status)
        return status;
    if (!strcmp(device, "cpu")) {
        context->device = NULL;
        context->device_search = NULL;
        return ORTHANT_OK;
    }
    if ((status = parse(context, device, kind, &number)) ||
        (status = load(context, kind, &found, &count)) ||
        (status = check_number(context, kind, number, count)))
        return status;
    context->device = found;
    context->device_search = found->search;
    context->device_number = (int)number;
    snprintf(context->device_name, sizeof context->device_name, "%s:%d", kind, (int)number);
    return ORTHANT_OK;
}

const char *orthant_context_device(const orthant_context *context)
{
    return context && context->device ? context->device_name : "cpu";
}

void orthant_context_set_product_rounding(orthant_context *context, bool rounds)
{
    if (context)
        context->rounds_products = rounds;
}

bool orthant_context_product_rounding(const orthant_context *context)
{
    return context && context->rounds_products;
}

void orthant_context_set_device_memory_limit(orthant_context *context, size_t bytes)
{
    if (context)
        context->device_memory_limit = bytes < INT64_MAX ? bytes : 0;
}

size_t orthant_context_device_memory_limit(const orthant_context *context)
{
    return context ? context->device_memory_limit : 0;
}

orthant_status orthant_device_count(orthant_context *context, const char *kind, int *count)
{
    const device_interface *found = NULL;
    if (count)
        *count = 0;
    const orthant_status refused = entry_check(context, kind && count, __func__);
    return refused ? refused : load(context, kind, &found, count);
}

orthant_status orthant_device_describe(orthant_context *context, const char *kind, int number,
                                       orthant_device_info *info)
{
    const device_interface *device = NULL;
    device_description told = {0};
    char reason[DEVICE_MESSAGE] = "";
    int count = 0;
    orthant_status status = entry_check(context, kind && info, __func__);
    if (status || (status = load(context, kind, &device, &count)) ||
        (status = check_number(context, kind, number, count)))
        return status;
    if (!device->describe(number, &told, reason))
        return fail(context, ORTHANT_ERROR_UNSUPPORTED, "the device '%s:%d' cannot be asked: %s",
                    kind, number, reason);
    orthant_device_info found = {.size = sizeof found,
                                 .memory = told.memory,
                                 .free_memory = told.free_memory,
                                 .multiprocessors = told.multiprocessors,
                                 .major = told.major,
                                 .minor = told.minor};
    snprintf(found.name, sizeof found.name, "%s", told.name);
    return sized_give(context, __func__, &found, sizeof found, info);
}
