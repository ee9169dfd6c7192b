/* The table of losses: a new one is a file and a row here. */
#include <string.h>

#include "loss/losses.h"

static const loss *const losses[] = {&loss_frobenius, &loss_kl};

int loss_count(void)
{
    return (int)(sizeof losses / sizeof *losses);
}

const loss *loss_at(int index)
{
    return index < 0 || index >= loss_count() ? NULL : losses[index];
}

const loss *loss_find(const char *name)
{
    for (int i = 0; i < loss_count(); i++)
        if (!strcmp(losses[i]->name, name))
            return losses[i];
    return NULL;
}
