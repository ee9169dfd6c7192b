/* How classes of histograms differ, measured by how the histograms within each class scatter
 * (R. A. Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics 1936).
 * Light and shade move the histograms of one texture far along a few directions; by this measure
 * these count for little. */
#ifndef VISION_DISCRIMINANT_H
#define VISION_DISCRIMINANT_H

#include "data/matrix.h"

typedef struct discriminant {
    orthant_context *ctx;
    int64_t features, classes;
    double *means;   /* a class: its rows' mean */
    double *sizes;   /* a class: its rows */
    double *inverse; /* L^-1 of the scatter S = L L', the lower triangle, row by row */
} discriminant;

/* From rows y with the labels 0 .. classes - 1, or -1 for rows that are not learnt from: the means
 * m of the classes and S, the mean of (y - m)(y - m)' with each row's own m, plus `ridge` times S's
 * mean diagonal entry on the diagonal. */
orthant_status discriminant_create(orthant_context *ctx, const orthant_matrix *rows,
                                   const int32_t *labels, int64_t classes, double ridge,
                                   discriminant *out);
void discriminant_free(discriminant *d);

/* u = S^-1 m of a class and b = -u'm / 2: a row belongs most likely to the class for which
 * u'y + b is largest, where the classes are normal with covariance S. A class without rows has
 * b = -FLT_MAX. */
void discriminant_weights(const discriminant *d, int64_t class, double *weights, double *offset);

/* Rows z = L^-1 y: what scatters alike in all directions within the classes. */
orthant_status discriminant_whiten(const discriminant *d, const orthant_matrix *rows,
                                   orthant_matrix **whitened);

#endif
