/* The one thing of a camera's notes that changes a picture: how it was held. */
#ifndef DATA_EXIF_H
#define DATA_EXIF_H

#include <stddef.h>

/* The orientation, 1 to 8, of EXIF data that begin with their TIFF header; 1 (as it lies) where
 * they say nothing that can be understood. */
int exif_orientation(const unsigned char *bytes, size_t count);

#endif
