/* The multiplicative rule for one entry, as the host's kernels have it. */
#ifndef CUDA_UPDATE_CUH
#define CUDA_UPDATE_CUH

#include <stdint.h>

template <typename T> struct limits;
template <> struct limits<float> {
    static constexpr float floor = 1e-30f, ceiling = 1e18f, tiny = 1e-36f;
};
template <> struct limits<double> {
    static constexpr double floor = 1e-100, ceiling = 1e100, tiny = 1e-290;
};

/* A division in four instructions, which may be wrong in its last bit; b is no less than
 * limits::floor. What is too large to be a number is NaN. */
__device__ inline float quotient_of(float a, float b)
{
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    const float found = a * inverse;
    return fmaf(fmaf(-found, b, a), inverse, found);
}
__device__ inline double quotient_of(double a, double b)
{
    return a / b;
}

template <typename T> __device__ inline T guarded_ratio(T numerator, T denominator)
{
    /* of a number and NaN fmax and fmin give the number */
    return fmin(quotient_of(numerator, fmax(denominator, limits<T>::floor)), limits<T>::ceiling);
}

template <typename T> __device__ __noinline__ T power_of(T ratio, double exponent)
{
    return exponent == 0.5    ? (T)sqrt(ratio)
           : exponent == 0.25 ? (T)sqrt(sqrt(ratio))
                              : (T)pow((double)ratio, exponent);
}

template <typename T>
__device__ inline T updated(T from, T numerator, T denominator, double exponent)
{
    T ratio = guarded_ratio(numerator, denominator);
    if (exponent != 1)
        ratio = power_of(ratio, exponent);
    const T value = from * ratio;
    return value < limits<T>::tiny ? (T)0 : value;
}

/* Where an update is extrapolated: noted in `before`, and on by `momentum` times what it grew since
 * the one before, or, with terms, by all of its change (src/solver/extrapolate.c). */
template <typename T> struct extrapolation {
    T *before; /* NULL: it is not */
    double momentum;
    bool both_ways;

    __device__ T operator()(T value, int64_t at) const
    {
        if (!before)
            return value;
        const T change = value - before[at], left = (T)0.01 * value;
        before[at] = value;
        if (momentum <= 0 || (!both_ways && change <= 0))
            return value;
        value += (T)momentum * change;
        return both_ways && value < left ? left : value;
    }
};

#endif
