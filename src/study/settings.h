/* Settings by name, as texts: "labelled-fraction" = "0.1". */
#ifndef STUDY_SETTINGS_H
#define STUDY_SETTINGS_H

#include "core/context.h"

typedef struct setting {
    const char *name, *value;
} setting;

typedef struct settings {
    int count;
    const setting *list;
} settings;

/* The last value of that name, or NULL. */
const char *settings_value(const settings *given, const char *name);
/* The i-th value of a name that may come several times, or NULL. */
const char *settings_nth(const settings *given, const char *name, int index);

/* Settings with texts of their own; begins all zero. */
typedef struct setting_list {
    int count, capacity;
    setting *list;
} setting_list;

/* Copies both texts. */
orthant_status setting_list_add(orthant_context *ctx, setting_list *to, const char *name,
                                const char *value);
void setting_list_free(orthant_context *ctx, setting_list *of);

#endif
