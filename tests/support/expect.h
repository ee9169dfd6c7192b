/* Assertions about failures: the status and the words that a user needs must both be there. */
#ifndef SUPPORT_EXPECT_H
#define SUPPORT_EXPECT_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Before cmocka, whose fail() is a macro. */
#include "core/context.h"

#include <cmocka.h>

#define expect_ok(ctx, call)                                                                   \
    do {                                                                                       \
        const orthant_status status_ = (call);                                                 \
        if (status_ != ORTHANT_OK)                                                             \
            fail_msg("%s: %s: %s", #call, orthant_status_name(status_), orthant_message(ctx)); \
    } while (0)

/* The same, but the test is skipped where a part that the call needs was left out of the build. */
#define expect_ok_or_left_out(ctx, call)                                                       \
    do {                                                                                       \
        const orthant_status status_ = (call);                                                 \
        if (status_ == ORTHANT_ERROR_UNSUPPORTED &&                                            \
            strstr(orthant_message(ctx), "this build of Orthant")) {                           \
            print_message("skipped: %s\n", orthant_message(ctx));                              \
            skip();                                                                            \
        }                                                                                      \
        if (status_ != ORTHANT_OK)                                                             \
            fail_msg("%s: %s: %s", #call, orthant_status_name(status_), orthant_message(ctx)); \
    } while (0)

/* The call fails with `status` and a message of one line that has the words in it. */
#define expect_failure(ctx, status, words, call)                                      \
    do {                                                                              \
        const orthant_status status_ = (call);                                        \
        if (status_ != (status))                                                      \
            fail_msg("%s: %s (%s), expected %s", #call, orthant_status_name(status_), \
                     orthant_message(ctx), orthant_status_name(status));              \
        if (!strstr(orthant_message(ctx), words))                                     \
            fail_msg("'%s' lacks '%s'", orthant_message(ctx), words);                 \
        if (strchr(orthant_message(ctx), '\n'))                                       \
            fail_msg("'%s' has more than one line", orthant_message(ctx));            \
    } while (0)

#endif
