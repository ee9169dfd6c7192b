/* The pictures of a folder, or any pictures: their names in order, and their classes. */
#ifndef DATA_PICTURE_LIST_H
#define DATA_PICTURE_LIST_H

#include "data/names.h"

typedef struct picture_list {
    orthant_context *ctx;
    bool any_file; /* not pictures alone */
    char **paths;
    int64_t *labels; /* the subfolder's number; -1: none */
    int64_t count, capacity;
    name_list class_names;   /* of the subfolders */
    int64_t classes;         /* subfolders with pictures; 0: pictures without labels */
    int64_t left_out, empty; /* entries that are no pictures, subfolders without one */
    int64_t beside;          /* pictures that lie beside the subfolders */
    char first_left_out[256], first_empty[256], first_beside[256];
} picture_list;

/* The pictures of each subfolder in the order of their names, a subfolder per class; where no
 * subfolder has any, those of the folder itself. Tells the log what it left out. */
orthant_status picture_list_folder(picture_list *list, const char *folder);
/* One more; takes `path` (memory_text) over, whatever comes back. */
orthant_status picture_list_add(picture_list *list, char *path, int64_t label);
/* A file by its name, with its subfolder in front where that is a class: "beach/one.png". */
const char *picture_list_name(const picture_list *list, int64_t index);
void picture_list_free(picture_list *list);

#endif
