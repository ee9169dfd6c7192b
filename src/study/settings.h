/* Settings by name, as texts: those of the command's options without the dashes. */
#ifndef STUDY_SETTINGS_H
#define STUDY_SETTINGS_H

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

#endif
