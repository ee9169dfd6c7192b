#include "data/names.h"

#include <string.h>

#include "core/memory.h"

static bool make_room(orthant_context *ctx, name_list *list, int64_t bytes)
{
    if (list->count == list->room) {
        int64_t *start =
            memory_resize(ctx, list->start, 2 * list->room + 64, sizeof *start, "names");
        if (!start)
            return false;
        list->start = start;
        list->room = 2 * list->room + 64;
    }
    if (list->bytes + bytes > list->text_room) {
        const int64_t room = 2 * list->text_room + bytes + 256;
        char *text = memory_resize(ctx, list->text, room, 1, "names");
        if (!text)
            return false;
        list->text = text;
        list->text_room = room;
    }
    return true;
}

orthant_status names_add(orthant_context *ctx, name_list *list, const char *name)
{
    const int64_t bytes = (int64_t)strlen(name) + 1;
    if (!make_room(ctx, list, bytes))
        return ORTHANT_ERROR_MEMORY;
    memcpy(list->text + list->bytes, name, (size_t)bytes);
    list->start[list->count++] = list->bytes;
    list->bytes += bytes;
    return ORTHANT_OK;
}

const char *names_at(const name_list *list, int64_t index)
{
    return index < 0 || index >= list->count ? NULL : list->text + list->start[index];
}

orthant_status names_copy(orthant_context *ctx, const name_list *from, const int64_t *index,
                          int64_t count, name_list *to)
{
    orthant_status status = ORTHANT_OK;
    *to = (name_list){0};
    for (int64_t i = 0; from->count && i < count && !status; i++) {
        const char *name = names_at(from, index ? index[i] : i);
        status = names_add(ctx, to, name ? name : "");
    }
    return status;
}

void names_free(orthant_context *ctx, name_list *list)
{
    memory_free(ctx, list->start);
    memory_free(ctx, list->text);
    *list = (name_list){0};
}
