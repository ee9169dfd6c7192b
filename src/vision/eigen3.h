/* Eigenvectors of a symmetric 3 x 3 matrix. */
#ifndef VISION_EIGEN3_H
#define VISION_EIGEN3_H

/* Of xx xy xz yy yz zz: eigenvalues ascending, and their unit eigenvectors as rows. */
void eigen3(const double matrix[6], double values[3], double vectors[3][3]);

#endif
