/* "2:10", "5,10,20", "2:10:2", "all": numbers of classes, or ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "study/study.h"

#define MOST_NUMBERS 10000

typedef struct range {
    int64_t first, last, step;
} range;

static orthant_status refuse(orthant_context *ctx, const char *name, bool all, const char *text)
{
    return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                "%s = '%s': expected numbers from 1 on, as in 5,10,20 or 2:10 or 2:10:2%s", name,
                text, all ? ", or all" : "");
}

/* One item of the list; "all", where it is taken, is 0:0. */
static bool parse_item(const char *item, bool all, range *found)
{
    char part[3][24];
    int parts = 0;
    *found = (range){0, 0, 1};
    if (!strcmp(item, "all"))
        return all;
    for (const char *at = item; at; parts++) {
        const size_t length = strcspn(at, ":");
        if (parts == 3 || length >= sizeof part[0])
            return false;
        snprintf(part[parts], sizeof part[0], "%.*s", (int)length, at);
        at = at[length] ? at + length + 1 : NULL;
    }
    if (!text_to_int64(part[0], &found->first))
        return false;
    found->last = found->first;
    return (parts < 2 || text_to_int64(part[1], &found->last)) &&
           (parts < 3 || text_to_int64(part[2], &found->step)) && found->first >= 1 &&
           found->last >= found->first && found->step >= 1;
}

static int by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

orthant_status class_list_parse(orthant_context *ctx, const char *name, bool all, const char *text,
                                int64_t **classes, int *count)
{
    int64_t *list = memory_new(ctx, MOST_NUMBERS, sizeof *list, "numbers of classes");
    int found = 0;
    orthant_status status = list ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
    *classes = NULL;
    *count = 0;
    for (const char *at = text; at && !status;) {
        char item[80];
        range numbers = {0, 0, 1};
        const size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (length >= sizeof item || !parse_item(item, all, &numbers) ||
            (numbers.last - numbers.first) / numbers.step >= MOST_NUMBERS - found)
            status = refuse(ctx, name, all, text);
        for (int64_t n = numbers.first; n <= numbers.last && !status; n += numbers.step)
            list[found++] = n;
        at = at[length] ? at + length + 1 : NULL;
    }
    if (status) {
        memory_free(ctx, list);
        return status;
    }
    qsort(list, (size_t)found, sizeof *list, by_number);
    for (int i = 0; i < found; i++)
        if (!i || list[i] != list[*count - 1])
            list[(*count)++] = list[i];
    *classes = list;
    return ORTHANT_OK;
}
