/* What each variant of a study was given, beside the defaults of its method. */
#include "report/study_settings.h"

#include <string.h>

#include "core/text.h"
#include "orthant/method.h"
#include "report/html.h"

/* A setting of study.json: "iterations", "60", or "parameter", "graph_weight=1". */
typedef struct given {
    char name[64];
    const char *value;
} given;

static given given_of(const json_value *setting)
{
    given g = {.value = json_member_text(setting, "value", "")};
    const char *name = json_member_text(setting, "name", ""), *equals = strchr(g.value, '=');
    if (!strcmp(name, "parameter") && equals) {
        snprintf(g.name, sizeof g.name, "%.*s",
                 (int)(equals - g.value < 63 ? equals - g.value : 63), g.value);
        g.value = equals + 1;
    } else {
        snprintf(g.name, sizeof g.name, "%.63s", name);
    }
    for (char *c = g.name; *c; c++) /* options have hyphens, parameters have not */
        *c = *c == '-' ? '_' : *c;
    return g;
}

static bool same_value(const char *a, const char *b)
{
    double x, y;
    return !strcmp(a, b) || (text_to_double(a, &x) && text_to_double(b, &y) && x == y);
}

/* The last one given counts. */
static const char *value_given(const json_value *variant, const char *name, char value[200])
{
    const json_value *list = json_member(variant, "settings");
    const char *found = NULL;
    for (const json_value *s = list ? list->child : NULL; s; s = s->next) {
        const given g = given_of(s);
        if (!strcmp(g.name, name)) {
            snprintf(value, 200, "%.199s", g.value);
            found = value;
        }
    }
    return found;
}

static void write_setting(FILE *page, bool *any, const char *name, const char *value)
{
    fputs(*any ? ", " : "", page);
    *any = true;
    html_text(page, name);
    fputs("&nbsp;", page);
    html_text(page, value);
}

/* Whether it is a parameter of the method, with that default. */
static bool is_default(const char *method, const given *g)
{
    orthant_parameter_info info = {.size = sizeof info};
    for (int i = 0; !orthant_method_parameter(method, i, &info); i++)
        if (!strcmp(info.name, g->name))
            return same_value(info.default_text, g->value);
    return false;
}

static bool differs(const char *method, const given *g)
{
    return strcmp(g->name, "method") && !is_default(method, g);
}

static void write_different(FILE *page, const json_value *variant, const char *method)
{
    const json_value *list = json_member(variant, "settings");
    bool any = false;
    for (const json_value *s = list ? list->child : NULL; s; s = s->next) {
        const given g = given_of(s);
        if (differs(method, &g))
            write_setting(page, &any, g.name, g.value);
    }
    if (*json_member_text(variant, "scale", ""))
        write_setting(page, &any, "scale", json_member_text(variant, "scale", ""));
    fputs(any ? "" : "all as usual", page);
}

/* The seed is each draw's own. */
static void write_usual(FILE *page, const json_value *variant, const char *method)
{
    orthant_parameter_info info = {.size = sizeof info};
    bool any = false;
    char value[200];
    for (int i = 0; !orthant_method_parameter(method, i, &info); i++) {
        const char *set = value_given(variant, info.name, value);
        if (strcmp(info.name, "seed") && (!set || same_value(set, info.default_text)))
            write_setting(page, &any, info.name, *info.default_text ? info.default_text : "none");
    }
}

void study_settings_write(FILE *page, const study_book *book)
{
    const json_value *variants = json_member(book->json, "variants");
    if (!variants || !variants->child)
        return;
    fputs("<h3>Settings of each method</h3>\n<table class=\"settings\">\n", page);
    for (const json_value *v = variants->child; v; v = v->next) {
        const char *method = json_member_text(v, "method", "");
        fputs("<tr><th scope=\"row\">", page);
        html_text(page, json_member_text(v, "label", ""));
        fputs("</th><td>", page);
        write_different(page, v, method);
        fputs("<details><summary>The others, at their defaults</summary>", page);
        write_usual(page, v, method);
        fputs("</details></td></tr>\n", page);
    }
    fputs("</table>\n", page);
}
