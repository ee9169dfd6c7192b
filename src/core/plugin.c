#define _GNU_SOURCE /* for dladdr */
#include "core/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef bool (*plugin_group)(orthant_group *group, void (**ends)(void *user));

static bool is_there(const char *folder, const char *inside, const char *name, char *path,
                     size_t size)
{
    return snprintf(path, size, "%s%s/liborthant-%s.so", folder, inside, name) < (int)size &&
           access(path, R_OK) == 0;
}

/* In ORTHANT_PLUGINS, or in `orthant` beside the library, or beside it. A name is no path. */
static bool find(const char *name, char *path, size_t size)
{
    const char *given = getenv("ORTHANT_PLUGINS");
    char folder[PATH_MAX];
    Dl_info here;
    static const char inside = 0; /* of the library, or of the program that it is a part of */
    if (!*name || strchr(name, '/'))
        return false;
    if (given && *given)
        return is_there(given, "", name, path, size);
    if (!dladdr(&inside, &here) || !here.dli_fname || !realpath(here.dli_fname, folder))
        return false;
    char *end = strrchr(folder, '/');
    if (!end)
        return false;
    *end = '\0';
    return is_there(folder, "/orthant", name, path, size) || is_there(folder, "", name, path, size);
}

orthant_status plugin_load(orthant_context *ctx, const plugin_request *asked, plugin *found)
{
    *found = (plugin){0};
    if (!find(asked->name, found->path, sizeof found->path))
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED,
                    "there is no plug-in '%.60s' for %s; it is built where %s, and "
                    "liborthant-%.60s.so is looked for beside the library and in the folder "
                    "ORTHANT_PLUGINS",
                    asked->name, asked->serves, asked->built, asked->name);
    void *loaded = dlopen(found->path, RTLD_NOW | (asked->global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (loaded)
        found->symbol = dlsym(loaded, asked->symbol);
    if (!found->symbol)
        return fail(ctx, ORTHANT_ERROR_UNSUPPORTED, "%.400s: cannot be loaded: %.400s", found->path,
                    dlerror());
    return ORTHANT_OK;
}

orthant_status orthant_group_load(orthant_context *context, const char *name)
{
    plugin found;
    plugin_group make = NULL;
    orthant_group group = {.size = sizeof group};
    void (*ends)(void *user) = NULL;
    const orthant_status refused = entry_check(context, name != NULL, __func__);
    if (refused)
        return refused;
    if (context->group_ends)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%s: the context has a plug-in's group already", __func__);
    orthant_status status = plugin_load(
        context,
        &(plugin_request){.name = name,
                          .symbol = "orthant_plugin_group",
                          .serves = "groups of processes",
                          .built = "the library's development package is installed (of Open MPI: "
                                   "libopenmpi-dev)",
                          .global = true},
        &found);
    if (status)
        return status;
    *(void **)&make = found.symbol;
    if (!make(&group, &ends))
        return fail(context, ORTHANT_ERROR_IO, "%.400s: the group of processes cannot be made",
                    found.path);
    if ((status = orthant_context_set_group(context, &group)))
        ends(group.user);
    else
        context->group_ends = ends;
    return status;
}
