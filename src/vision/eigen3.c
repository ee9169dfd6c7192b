/* Jacobi's rotations: as exact for the small eigenvalues of flat neighbourhoods as for the large
 * ones, where the closed form by the characteristic polynomial loses half of the digits. */
#include "vision/eigen3.h"

#include <math.h>
#include <string.h>

#define MOST_SWEEPS 16

/* The rotation in the plane of axes p and q that makes a[p][q] zero; r is the third axis. */
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    const int r = 3 - p - q;
    if (a[p][q] == 0.0)
        return;
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    const double arp = a[r][p], arq = a[r][q];
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int i = 0; i < 3; i++) {
        const double vp = v[p][i], vq = v[q][i];
        v[p][i] = c * vp - s * vq;
        v[q][i] = s * vp + c * vq;
    }
}

static void order(double values[3], double vectors[3][3], int a, int b)
{
    if (values[a] <= values[b])
        return;
    const double value = values[a];
    double vector[3];
    values[a] = values[b];
    values[b] = value;
    memcpy(vector, vectors[a], sizeof vector);
    memcpy(vectors[a], vectors[b], sizeof vector);
    memcpy(vectors[b], vector, sizeof vector);
}

void eigen3(const double matrix[6], double values[3], double vectors[3][3])
{
    double a[3][3] = {{matrix[0], matrix[1], matrix[2]},
                      {matrix[1], matrix[3], matrix[4]},
                      {matrix[2], matrix[4], matrix[5]}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            vectors[i][j] = i == j;
    const double size = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]);
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        if (fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) <= 1e-18 * size)
            break;
        rotate(a, vectors, 0, 1);
        rotate(a, vectors, 0, 2);
        rotate(a, vectors, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        values[i] = a[i][i];
    order(values, vectors, 0, 1);
    order(values, vectors, 1, 2);
    order(values, vectors, 0, 1);
}
