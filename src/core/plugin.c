/* Plug-ins: shared objects beside the library, for what it does not link itself. */
#define _GNU_SOURCE /* for dladdr */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"

typedef bool (*plugin_group)(orthant_group *group, void (**ends)(void *user));

static bool is_there(const char *folder, const char *inside, const char *name, char *path,
                     size_t size)
{
    return snprintf(path, size, "%s%s/orthant-%s.so", folder, inside, name) < (int)size &&
           access(path, R_OK) == 0;
}

/* In ORTHANT_PLUGINS, or in `orthant` beside the library, or beside it. */
static bool find(const char *name, char *path, size_t size)
{
    const char *given = getenv("ORTHANT_PLUGINS");
    char folder[PATH_MAX];
    Dl_info here;
    static const char inside = 0; /* of the library, or of the program that it is a part of */
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

orthant_status orthant_group_load(orthant_context *context, const char *name)
{
    char path[PATH_MAX + 64];
    orthant_group group = {.size = sizeof group};
    void (*ends)(void *user) = NULL;
    const orthant_status refused = entry_check(context, name != NULL, __func__);
    if (refused)
        return refused;
    if (context->group_ends)
        return fail(context, ORTHANT_ERROR_ARGUMENT,
                    "%s: the context has a plug-in's group already", __func__);
    if (!find(name, path, sizeof path))
        return fail(context, ORTHANT_ERROR_UNSUPPORTED,
                    "there is no plug-in '%.60s' for groups of processes; it is built where the "
                    "library's development package is installed (of Open MPI: libopenmpi-dev), "
                    "and looked for beside the library and in the folder ORTHANT_PLUGINS",
                    name);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    plugin_group make = NULL;
    if (plugin)
        *(void **)&make = dlsym(plugin, "orthant_plugin_group");
    if (!make)
        return fail(context, ORTHANT_ERROR_UNSUPPORTED, "%.400s: cannot be loaded: %.400s", path,
                    dlerror());
    if (!make(&group, &ends))
        return fail(context, ORTHANT_ERROR_IO, "%.400s: the group of processes cannot be made",
                    path);
    const orthant_status status = orthant_context_set_group(context, &group);
    if (status)
        ends(group.user);
    else
        context->group_ends = ends;
    return status;
}
