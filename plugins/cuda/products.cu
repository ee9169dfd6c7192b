#include "keyed_pass.cuh"

const keyed_kind *product_kinds(int *count)
{
    static const keyed_kind kinds[] = {make_kind<16, 4, 4, false>(), make_kind<32, 4, 4, false>(),
                                       make_kind<56, 4, 3, false>(), make_kind<64, 4, 3, false>(),
                                       make_kind<128, 3, 3, false>()};
    *count = (int)(sizeof kinds / sizeof *kinds);
    return kinds;
}
