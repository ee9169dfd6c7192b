#include "quotients.cuh"

#include "quotient_pass.cuh"

template <int KP, int RT, int WARPS, int STAGES, int BLOCKS, bool TRANSPOSED>
constexpr quotient_side make_side()
{
    using shape = quotient_shape<KP, RT, WARPS, STAGES, TRANSPOSED>;
    static_assert(shape::BYTES * BLOCKS <= 232448 - 1024 * (BLOCKS - 1),
                  "more shared memory than there is");
    return {shape::ROWS, shape::THREADS, shape::BYTES,
            (const void *)quotient_pass<KP, RT, WARPS, STAGES, BLOCKS, TRANSPOSED, true>,
            (const void *)quotient_pass<KP, RT, WARPS, STAGES, BLOCKS, TRANSPOSED, false>};
}

template <int KP, int RT, int WARPS, int STAGES, int BLOCKS> constexpr quotient_kind make_kind()
{
    return {KP, quotient_shape<KP, RT, WARPS, STAGES, false>::LDK,
            make_side<KP, RT, WARPS, STAGES, BLOCKS, false>(),
            make_side<KP, RT, WARPS, STAGES, BLOCKS, true>()};
}

const quotient_kind *quotient_kinds(int *count)
{
    static const quotient_kind kinds[] = {make_kind<16, 2, 8, 3, 2>(), make_kind<32, 2, 8, 3, 2>(),
                                          make_kind<56, 2, 8, 4, 1>(), make_kind<64, 2, 8, 4, 1>(),
                                          make_kind<128, 1, 8, 4, 1>()};
    *count = (int)(sizeof kinds / sizeof *kinds);
    return kinds;
}
