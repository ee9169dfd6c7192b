#include "keyed_pass.cuh"

template <bool EXACT> static const keyed_kind *make_kinds(int *count)
{
    static const keyed_kind kinds[] = {make_kind<EXACT, 16, 4, 4>(),
                                       make_kind<EXACT, 32, 3, 4, 4, 3>(),
                                       make_kind<EXACT, 56, 2, 4, 3, 3>(),
                                       make_kind<EXACT, 64, 2, 4>(), make_kind<EXACT, 128, 2, 2>()};
    *count = (int)(sizeof kinds / sizeof *kinds);
    return kinds;
}

const keyed_kind *quotient_kinds(bool rounds, int *count)
{
    return rounds ? make_kinds<false>(count) : make_kinds<true>(count);
}
