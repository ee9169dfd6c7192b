/* Looks parameters up by name, checks values against their ranges and keeps what was given. */
#include "core/parameter.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

static int find(const parameter_set *set, const char *name)
{
    for (int i = 0; i < set->count; i++)
        if (!strcmp(set->info[i]->name, name))
            return i;
    return -1;
}

/* Whether `word` is the choice of `length` characters; "knn:P" is any word with a whole number
 * above 0 in the place of P, and of another capital letter, "beta:B", with any number. */
static bool is_that(const char *choice, size_t length, const char *word)
{
    int64_t number = 0;
    double value;
    if (length > 2 && !strncmp(choice + length - 2, ":P", 2))
        return !strncmp(choice, word, length - 1) && text_to_int64(word + length - 1, &number) &&
               number > 0;
    if (length > 2 && choice[length - 2] == ':' && isupper((unsigned char)choice[length - 1]))
        return !strncmp(choice, word, length - 1) && text_to_double(word + length - 1, &value);
    return !strncmp(choice, word, length) && !word[length];
}

/* Whether `word` is one of "a|b|c". */
static bool is_choice(const char *choices, const char *word)
{
    for (const char *at = choices; *at;) {
        const size_t length = strcspn(at, "|");
        if (is_that(at, length, word))
            return true;
        at += length + (at[length] == '|');
    }
    return false;
}

static orthant_status assign_number(orthant_context *ctx, parameter_set *set, int index,
                                    const char *owner, const char *value)
{
    const orthant_parameter_info *info = set->info[index];
    const bool chooses = !strcmp(info->default_text, PARAMETER_AUTO);
    double number;
    if (chooses && !strcmp(value, PARAMETER_AUTO)) {
        set->number[index] = (double)NAN;
        return ORTHANT_OK;
    }
    if (!text_to_double(value, &number))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: %s = '%s': expected a number%s", owner,
                    info->name, value, chooses ? " or auto" : "");
    if (number < info->minimum || number > info->maximum) {
        char least[32], most[32];
        text_write_double(least, info->minimum, false);
        text_write_double(most, info->maximum, false);
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: %s = %s: must be between %s and %s", owner,
                    info->name, value, least, most);
    }
    if (info->whole && (number != (double)(int64_t)number))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: %s = %s: expected a whole number", owner,
                    info->name, value);
    set->number[index] = number;
    return ORTHANT_OK;
}

static orthant_status assign(orthant_context *ctx, parameter_set *set, int index, const char *owner,
                             const char *value)
{
    const orthant_parameter_info *info = set->info[index];
    if (strlen(value) >= PARAMETER_TEXT)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: the value of %s is longer than %d characters",
                    owner, info->name, PARAMETER_TEXT - 1);
    if (!info->choices) {
        const orthant_status status = assign_number(ctx, set, index, owner, value);
        if (status)
            return status;
    } else if (info->choices[0] && !is_choice(info->choices, value)) {
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s: %s = '%s': expected one of %s", owner,
                    info->name, value, info->choices);
    }
    snprintf(set->text[index], PARAMETER_TEXT, "%s", value);
    return ORTHANT_OK;
}

int parameter_count(const orthant_parameter_info *rows)
{
    int count = 0;
    while (rows && rows[count].name)
        count++;
    return count;
}

orthant_status parameter_add(orthant_context *ctx, parameter_set *set,
                             const orthant_parameter_info *rows)
{
    const int count = parameter_count(rows);
    for (int i = 0; i < count; i++) {
        if (find(set, rows[i].name) >= 0)
            continue;
        if (set->count == PARAMETER_MOST)
            return fail(ctx, ORTHANT_ERROR_ARGUMENT, "more than %d parameters", PARAMETER_MOST);
        set->info[set->count++] = &rows[i];
        const orthant_status status =
            assign(ctx, set, set->count - 1, "defaults", rows[i].default_text);
        if (status)
            return status;
    }
    return ORTHANT_OK;
}

orthant_status parameter_assign(orthant_context *ctx, parameter_set *set, const char *owner,
                                const char *name, const char *value)
{
    const int index = find(set, name);
    if (index >= 0)
        return assign(ctx, set, index, owner, value);
    const char *names[PARAMETER_MOST];
    for (int i = 0; i < set->count; i++)
        names[i] = set->info[i]->name;
    const char *nearest = text_nearest(name, names, set->count);
    if (nearest)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s has no parameter '%s'. Did you mean '%s'?",
                    owner, name, nearest);
    return fail(ctx, ORTHANT_ERROR_ARGUMENT, "%s has no parameter '%s'", owner, name);
}

bool parameter_has(const parameter_set *set, const char *name)
{
    return find(set, name) >= 0;
}

bool parameter_given(const parameter_set *set, const char *name)
{
    const int index = find(set, name);
    return index >= 0 && set->given[index];
}

void parameter_mark_given(parameter_set *set, const char *name)
{
    const int index = find(set, name);
    if (index >= 0)
        set->given[index] = true;
}

double parameter_number(const parameter_set *set, const char *name)
{
    const int index = find(set, name);
    return index < 0 ? 0 : set->number[index];
}

int64_t parameter_whole(const parameter_set *set, const char *name)
{
    return (int64_t)parameter_number(set, name);
}

const char *parameter_text(const parameter_set *set, const char *name)
{
    const int index = find(set, name);
    return index < 0 ? "" : set->text[index];
}
