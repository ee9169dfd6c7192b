/* Names of features, samples or classes, one behind the other in one text. */
#ifndef DATA_NAMES_H
#define DATA_NAMES_H

#include "core/context.h"

typedef struct name_list {
    int64_t count, room;
    int64_t *start; /* of each in `text` */
    char *text;     /* each ended by 0 */
    int64_t bytes, text_room;
} name_list;

orthant_status names_add(orthant_context *ctx, name_list *list, const char *name);
/* NULL outside. */
const char *names_at(const name_list *list, int64_t index);
/* Those of the rows `index`, or of all where it is NULL; none where `from` has none. */
orthant_status names_copy(orthant_context *ctx, const name_list *from, const int64_t *index,
                          int64_t count, name_list *to);
void names_free(orthant_context *ctx, name_list *list);

#endif
