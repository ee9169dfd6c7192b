/* Looks settings up by name. */
#include "study/settings.h"

#include <stddef.h>
#include <string.h>

#include "core/memory.h"

const char *settings_value(const settings *given, const char *name)
{
    for (int i = given->count; i-- > 0;)
        if (!strcmp(given->list[i].name, name))
            return given->list[i].value;
    return NULL;
}

const char *settings_nth(const settings *given, const char *name, int index)
{
    for (int i = 0; i < given->count; i++)
        if (!strcmp(given->list[i].name, name) && index-- == 0)
            return given->list[i].value;
    return NULL;
}

orthant_status setting_list_add(orthant_context *ctx, setting_list *to, const char *name,
                                const char *value)
{
    if (to->count == to->capacity) {
        const int capacity = to->capacity ? 2 * to->capacity : 16;
        setting *list = memory_resize(ctx, to->list, capacity, sizeof *list, "settings");
        if (!list)
            return ORTHANT_ERROR_MEMORY;
        to->list = list;
        to->capacity = capacity;
    }
    /* One block: the value stands behind the name. */
    const size_t length = strlen(name) + 1, bytes = length + strlen(value) + 1;
    char *text = memory_new(ctx, (int64_t)bytes, 1, "a setting");
    if (!text)
        return ORTHANT_ERROR_MEMORY;
    memcpy(text, name, length);
    memcpy(text + length, value, bytes - length);
    to->list[to->count++] = (setting){text, text + length};
    return ORTHANT_OK;
}

void setting_list_free(orthant_context *ctx, setting_list *of)
{
    for (int i = 0; i < of->count; i++)
        memory_free(ctx, (char *)of->list[i].name);
    memory_free(ctx, of->list);
    *of = (setting_list){0};
}
