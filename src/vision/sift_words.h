/* Pictures as bags of visual words (J. Sivic, A. Zisserman, Video Google, ICCV 2003). */
#ifndef VISION_SIFT_WORDS_H
#define VISION_SIFT_WORDS_H

#include "data/matrix.h"
#include "data/picture_list.h"

/* How often each of `words` words occurs in each picture (pictures x words, counts). The words are
 * the centres that k-means finds among descriptors drawn by the seed from all pictures. */
orthant_status sift_words(const picture_list *list, int64_t words, uint64_t seed,
                          orthant_matrix **histograms);

#endif
