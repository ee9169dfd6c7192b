/* The table of losses: a new one is a file and a row here. */
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "loss/losses.h"

static const loss *const losses[] = {
    &loss_frobenius,          &loss_kl, &loss_is, &loss_beta, &loss_huber, &loss_l1,
    &loss_euclidean_entrywise};

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

const char *loss_table_name(const char *text)
{
    return !strcmp(text, "kullback-leibler") ? "kl" : !strcmp(text, "itakura-saito") ? "is" : text;
}

orthant_status loss_make(orthant_context *ctx, const char *text, loss *made)
{
    char name[32];
    const size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const loss *row = loss_find(name);
    const bool takes = row && row->least < row->most;
    if (!row || takes != (text[length] == ':'))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "no loss '%s': expected one of %s", text,
                    ALL_LOSSES);
    *made = *row;
    made->name = text;
    if (!takes)
        return ORTHANT_OK;
    if (!text_to_double(text + length + 1, &made->parameter) ||
        !(made->parameter >= row->least && made->parameter <= row->most))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "loss '%s': expected '%s:' and a number between %g and %g", text, name,
                    row->least, row->most);
    if (made->set)
        made->set(made);
    return ORTHANT_OK;
}

void loss_take_weights(loss *l)
{
    const char *name = l->name;
    if (l->quadratic) {
        *l = loss_euclidean_entrywise;
    } else if (!l->rule) {
        *l = loss_beta;
        l->parameter = 1;
        l->set(l);
    }
    l->name = name;
}
