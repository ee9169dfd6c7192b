/* Colours for labels: neighbours in number are far apart in hue and brightness. */
#ifndef VISION_PALETTE_H
#define VISION_PALETTE_H

#include <stdint.h>

/* Red, green and blue of a label; below 0 it is grey. */
void palette_color(int64_t label, unsigned char color[3]);
/* The colours of labels 0 to 255, no two alike. */
void palette_fill(unsigned char palette[256 * 3]);

#endif
