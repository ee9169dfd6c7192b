/* What a paper holds, which of it was asked for, and what of it is made. */
#ifndef REPRODUCE_ITEMS_H
#define REPRODUCE_ITEMS_H

#include <stdio.h>

#include "reproduce/reproduce.h"

typedef enum item_part { ITEM_TABLE, ITEM_FIGURE, ITEM_CLAIM } item_part;

/* Whether a row of the protocol is asked for: by its own number, or by that of an item that it
 * makes. Where nothing was selected all are. */
bool items_want(const reproduce_request *request, const reproducible *paper, item_part part,
                const char *row);
/* Refuses numbers that the paper does not have, and those that nothing makes. */
orthant_status items_check(orthant_context *ctx, const reproduce_request *request,
                           const reproducible *paper);

typedef enum item_state {
    ITEM_DONE,
    ITEM_PART,  /* its runs are not finished */
    ITEM_OTHER, /* its runs are not those of the protocol */
    ITEM_NOT_RUN,
    ITEM_NO_DATA,
    ITEM_NOT_BUILT,
    ITEM_NOTHING /* a definition: there is nothing to run */
} item_state;

typedef struct item_facts {
    item_state state;
    bool quick;        /* by quick runs */
    char data[80];     /* sets that it needs: "ORL", "JAFFE|ORL" */
    char command[400]; /* that makes it */
    bool stand_in;     /* of "JAFFE|ORL" the first is not there */
    char note[160];    /* why there is nothing to make, or which data stand in; or "" */
} item_facts;

/* `data` and `output` may be NULL: then no data are missing, and nothing is done. */
orthant_status item_look(orthant_context *ctx, const reproducible *paper, const protocol_item *item,
                         const char *data, const char *output, item_facts *facts);
const char *item_state_name(item_state state);

#endif
