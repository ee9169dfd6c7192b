/* Compares by tests/support/pin.py with what the repository keeps. */
#include "pinned.h"

#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

void expect_pinned(const char *folder, const char *kept, const char *patterns)
{
    char command[4000];
    if (system("command -v python3 >/dev/null") != 0)
        skip();
    const char *program = fixture_path("tests/support/pin.py"), *path = fixture_path(kept);
    snprintf(command, sizeof command, "python3 '%s' '%s' '%s' %s", program, path, folder, patterns);
    if (system(command) != 0)
        fail_msg("%s is not what it was; ORTHANT_PIN=1 writes it again", kept);
}
