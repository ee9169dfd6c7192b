/* The library speaks of settings and parameters; who typed a command wants to know the option. */
#include "hints.h"

#include <stdbool.h>
#include <string.h>

#include "options.h"
#include "text.h"

/* What stands in a message, and what is said behind it. */
static const struct {
    const char *found, *hint;
} hints[] = {
    {"it needs all entries in memory", "; leave out --stream, or give a larger --memory"},
    {"the memory limit is", "; --memory SIZE sets another limit"},
    {" needs labels",
     ". Give --labels FILE, or --labelled-fraction 0.1 to take a tenth of the truth"},
    {"it has to hold the data sets", " (--data DIR)"},
    {"holds a run already; give another name", ", or --force to replace it"},
    {"expected the folder of a run", ", as orthant fit or cluster makes it with -o"},
    {"no methods to compare", "; `orthant methods` lists all"},
    {"is a checkpoint of another fit", "; without --resume a fit begins"},
    {"nor is the one before it", "; without --resume the fit begins"},
    {"holds what was reached until iteration", "; --resume goes on from there"},
    {" runs on the CPU", ", without --device"},
    {"be read one by one; convert it", " (orthant convert DATA OUT)"},
    {"the run has no clusters", "; `orthant cluster` makes them"},
    {"the run names no file of its samples", "; give them by --training (complete: as DATA)"},
    {"is not the file that the run was made from", "; give it by --training (complete: as DATA)"},
    {"by its mask, which is not given", " (--mask FILE)"},
    {"its mask counts, and that is not given", "; `orthant complete` takes it by --mask FILE"},
    {"its fitted matrix is S W'", " (`orthant inverse`)"},
    {"found '', expected a finite number",
     "; --missing nan takes empty cells and NaN as entries that are not known (fit, cluster, "
     "compare, ranks)"},
    {"found 'nan', expected a finite number",
     "; --missing nan takes it as not known (fit, cluster, compare, ranks)"},
    {"found 'NaN', expected a finite number",
     "; --missing nan takes it as not known (fit, cluster, compare, ranks)"},
    {"found 'NA', expected a finite number",
     "; --missing nan takes it as not known (fit, cluster, compare, ranks)"},
    {" is nan; '",
     "; --missing nan takes NaN as entries that are not known (fit, cluster, compare, ranks)"},
    {"no pictures in the folder or its subfolders", "; of texts, `orthant words` counts the words"},
    {"no method '", ". 'orthant methods' lists them"},
};

/* The option of a setting or a parameter: time_limit is --time-limit. NULL where there is none. */
static const option *find_option(const char *name, size_t length)
{
    char dashed[64];
    if (!length || length >= sizeof dashed)
        return NULL;
    for (size_t i = 0; i < length; i++)
        dashed[i] = (char)(name[i] == '_' ? '-' : name[i]);
    dashed[length] = '\0';
    return option_named(dashed);
}

/* The option that "name = 'value'" at `at` stands for; `value` is what is in the quotes. */
static const option *read_setting(const char *at, const char **value, size_t *length)
{
    const size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyz-_");
    if (strncmp(at + name, " = '", 4))
        return NULL;
    *value = at + name + 4;
    const char *end = strchr(*value, '\'');
    const option *o = end ? find_option(at, name) : NULL;
    *length = o ? (size_t)(end - *value) : 0;
    return o;
}

static void append_setting(char *text, size_t size, const option *o, const char *value,
                           size_t length)
{
    const bool plain =
        length && strcspn(value, " \t\"$&;<>()|*?`\\'") >= length; /* needs no quotes in a shell */
    append_text(text, size, "--%s", o->name);
    if (o->value)
        append_text(text, size, plain ? " %.*s" : " '%.*s'", (int)length, value);
}

/* What is read in place of standard input; its length in the message, or 0. */
static size_t descriptor_length(const char *at)
{
    static const char folder[] = "/proc/self/fd/";
    const size_t length = sizeof folder - 1;
    return strncmp(at, folder, length) ? 0 : length + strspn(at + length, "0123456789");
}

const char *hints_path(const char *path)
{
    return descriptor_length(path) ? "standard input" : path;
}

void hints_add(const char *message, char *text, size_t size)
{
    bool begins = true; /* a word */
    text[0] = '\0';
    for (const char *at = message; *at;) {
        const char *value;
        size_t length;
        const option *o = begins ? read_setting(at, &value, &length) : NULL;
        const size_t descriptor = begins ? descriptor_length(at) : 0;
        if (descriptor) {
            append_text(text, size, "standard input");
            at += descriptor;
        } else if (o) {
            append_setting(text, size, o, value, length);
            at = value + length + 1;
        } else {
            append_text(text, size, "%c", *at++);
        }
        begins = at[-1] == ' ' || at[-1] == '(';
    }
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].found) && !strstr(message, "Did you mean"))
            append_text(text, size, "%s", hints[i].hint);
}
