/* A group (orthant/group.h) whose processes are threads of one program, each with a context of its
 * own. */
#ifndef SUPPORT_THREAD_GROUP_H
#define SUPPORT_THREAD_GROUP_H

#include "orthant/group.h"

typedef struct thread_group thread_group;

/* What a member does; `group` is what it gives its context. */
typedef void (*thread_member)(void *user, const orthant_group *group);

/* Runs `ranks` members, each in a thread, to their ends. Returns the bytes that all of them sent to
 * others. After call number `fails` of exchange and gather, counted in one member, that one fails;
 * 0: none does. */
int64_t thread_group_run(int ranks, int64_t fails, thread_member member, void *user);

#endif
