#include "split_rows.cuh"

const split_kind *split_kinds(int planes, int *count)
{
    static const split_kind whole[] = {make_split_kind<16, 4, 3, 2>(), make_split_kind<32, 4, 3, 2>(),
                                       make_split_kind<56, 4, 2, 2>(), make_split_kind<64, 4, 2, 2>(),
                                       make_split_kind<128, 3, 2, 2>()},
                            rounded[] = {make_split_kind<16, 4, 5, 1>(), make_split_kind<32, 4, 5, 1>(),
                                         make_split_kind<56, 4, 5, 1>(), make_split_kind<64, 4, 5, 1>(),
                                         make_split_kind<128, 3, 5, 1>()};
    *count = (int)(sizeof whole / sizeof *whole);
    return planes == 2 ? whole : rounded;
}
