#include "keyed_pass.cuh"

const keyed_kind *quotient_kinds(int *count)
{
    static const keyed_kind kinds[] = {make_kind<16, 4, 4, true>(),
                                       make_kind<32, 3, 4, true, 4, 3>(),
                                       make_kind<56, 2, 4, true, 3, 3>(),
                                       make_kind<64, 2, 4, true>(), make_kind<128, 2, 2, true>()};
    *count = (int)(sizeof kinds / sizeof *kinds);
    return kinds;
}
