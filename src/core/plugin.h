/* Plug-ins: shared objects, liborthant-NAME.so, for what the library does not link itself. */
#ifndef CORE_PLUGIN_H
#define CORE_PLUGIN_H

#include <limits.h>

#include "core/context.h"

typedef struct plugin {
    char path[PATH_MAX + 64];
    void *symbol;
} plugin;

/* What a plug-in is asked for. */
typedef struct plugin_request {
    const char *name;   /* "mpi" */
    const char *symbol; /* of the function that it exports */
    const char *serves; /* "groups of processes": what it is for, in messages ... */
    const char *built;  /* ... and where it is built */
    bool global;        /* its symbols are for the libraries that it loads, too */
} plugin_request;

/* Finds it in the folder ORTHANT_PLUGINS or beside the library, and loads it for good. */
orthant_status plugin_load(orthant_context *ctx, const plugin_request *asked, plugin *found);

#endif
