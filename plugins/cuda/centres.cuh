/* The nearest of some centres: products in single precision of all points with all centres, and where
 * rounding could hide the nearest, distances in double. */
#ifndef CUDA_CENTRES_CUH
#define CUDA_CENTRES_CUH

#include "points.cuh"

/* A warp for each point. `error`: how far a fast distance may be off, as a share of the square of the
 * lengths of point and centre together. */
template <typename T>
__global__ void __launch_bounds__(POINT_THREADS)
    nearest_centre(const float *dots, int64_t k, const float *centre_squares,
                   const float *point_squares, float longest, double error, const T *x,
                   int64_t stride, int64_t rows, int64_t columns, const double *centres,
                   int64_t *labels)
{
    const int64_t i = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    float least = INFINITY, second = INFINITY;
    int64_t label = INT64_MAX;
    if (i >= rows)
        return;
    for (int64_t c = lane; c < k; c += 32) {
        const float part = centre_squares[c] - 2 * dots[i * k + c];
        second = fminf(second, fmaxf(part, least));
        label = part < least ? c : label;
        least = fminf(least, part);
    }
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, least, step),
                    other_second = __shfl_xor_sync(0xffffffff, second, step);
        const int64_t other_label = __shfl_xor_sync(0xffffffff, label, step);
        second = fminf(fminf(second, other_second), fmaxf(least, other));
        label = other < least || (other == least && other_label < label) ? other_label : label;
        least = fminf(least, other);
    }
    const double reach = sqrt((double)point_squares[i]) + (double)longest;
    if (!((double)second - (double)least > 2.002 * error * reach * reach)) {
        double nearest = INFINITY;
        label = INT64_MAX;
        for (int64_t first = 0; first < k; first += 8) {
            const int64_t c = first + lane / 4, safe = c < k ? c : 0;
            const double distance =
                quad_distance(x + i * stride, centres + safe * columns, columns, columns, lane % 4);
            if (c < k && distance < nearest) {
                nearest = distance;
                label = c;
            }
        }
        for (int step = 16; step > 0; step /= 2) {
            const double other = __shfl_xor_sync(0xffffffff, nearest, step);
            const int64_t other_label = __shfl_xor_sync(0xffffffff, label, step);
            label = other < nearest || (other == nearest && other_label < label) ? other_label
                                                                                 : label;
            nearest = fmin(nearest, other);
        }
    }
    if (lane == 0)
        labels[i] = label;
}

class centres_on_device
{
  public:
    centres_on_device(const device_points &points, int64_t k) : points(points), k(k) {}

    bool open(int device)
    {
        const int64_t n = points.p.rows, m = points.p.columns;
        if (!points.open(device, n * k * 4 + n * 8 + k * (m * 8 + points.padded * 4 + 4)) ||
            !points.shift(false))
            return false;
        device_memory &memory = points.memory;
        dots = memory.make<float>(&points, n * k, "products with centres");
        given = memory.make<double>(&points, k * m, "centres");
        shifted = memory.make<float>(&points, k * points.padded, "centres");
        squares = memory.make<float>(&points, k, "squares of centres");
        labels = memory.make<int64_t>(&points, n, "labels");
        own_squares.resize((size_t)k);
        return points.wait();
    }

    bool assign(const double *centres, int64_t *to)
    {
        const int64_t n = points.p.rows, m = points.p.columns;
        float longest = 0;
        if (points.failed() ||
            !points.check(cudaMemcpyAsync(given, centres, (size_t)(k * m) * sizeof *centres,
                                          cudaMemcpyHostToDevice, points.stream),
                          "a copy to the device"))
            return false;
        shift_rows<<<(unsigned)((k * 32 + POINT_THREADS - 1) / POINT_THREADS), POINT_THREADS, 0,
                     points.stream>>>(given, m, k, m, points.mean, false, shifted, points.padded,
                                      squares);
        if (!points.launched("shifted centres") ||
            !points.multiply(false, points.shifted, n, shifted, k, dots, k) ||
            !points.check(cudaMemcpyAsync(own_squares.data(), squares, (size_t)k * sizeof(float),
                                          cudaMemcpyDeviceToHost, points.stream),
                          "a copy from the device") ||
            !points.wait())
            return false;
        for (const float each : own_squares)
            longest = fmaxf(longest, sqrtf(each) * 1.0001f);
        /* Points and centres are rounded once each, and lengths are no larger than their sum. */
        const double error = 3 * 0x1p-23 + (0.125 * (double)m + 16) * 0x1p-22;
        if (points.p.single)
            launch<float>(longest, error);
        else
            launch<double>(longest, error);
        return points.launched("nearest centres") &&
               points.check(cudaMemcpyAsync(to, labels, (size_t)n * sizeof *to,
                                            cudaMemcpyDeviceToHost, points.stream),
                            "a copy from the device") &&
               points.wait();
    }

    points_on_device points;

  private:
    template <typename T> void launch(float longest, double error)
    {
        const int64_t n = points.p.rows;
        nearest_centre<<<(unsigned)((n * 32 + POINT_THREADS - 1) / POINT_THREADS), POINT_THREADS, 0,
                         points.stream>>>(dots, k, squares, points.squares, longest, error,
                                          points.given<T>(), points.stride, n, points.p.columns,
                                          given, labels);
    }

    const int64_t k;
    float *dots = nullptr, *shifted = nullptr, *squares = nullptr;
    double *given = nullptr;
    int64_t *labels = nullptr;
    std::vector<float> own_squares;
};

#endif
