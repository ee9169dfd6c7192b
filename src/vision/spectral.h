/* Local spectral histograms: what a texture looks like around a pixel is how often each bin of each
 * band occurs in a window there (X. Liu, D. Wang, A spectral histogram model for texton modeling
 * and texture discrimination, Vision Research 2002). */
#ifndef VISION_SPECTRAL_H
#define VISION_SPECTRAL_H

#include "data/matrix.h"
#include "vision/bands.h"

#define LATTICE_MOST 65536

/* Every `step`-th pixel of every `step`-th row: the nodes whose histograms are taken. */
typedef struct lattice {
    int step, rows, columns;
} lattice;

lattice lattice_create(int height, int width, int step);
/* Of this step, or of the least larger one with which there are about LATTICE_MOST nodes at most.
 */
lattice lattice_bounded(int height, int width, int step);
int64_t lattice_nodes(const lattice *l);
/* The picture's row or column of a lattice's, `count` being the picture's height or width. */
static inline int lattice_place(const lattice *l, int index, int count)
{
    const int place = l->step / 2 + index * l->step;
    return place < count ? place : count - 1;
}

/* One row per node (single precision, padded), bands x bins columns: the shares of the bins among
 * the pixels of the window of 2 floor(window / 2) + 1 rows and columns around the node, clipped to
 * the picture; each band sums to 1. */
orthant_status spectral_histograms(const band_set *bands, const lattice *nodes, int window,
                                   orthant_matrix **histograms);

#endif
