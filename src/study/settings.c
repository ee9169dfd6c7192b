/* Looks settings up by name. */
#include "study/settings.h"

#include <stddef.h>
#include <string.h>

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
