#include "quotient_rows.cuh"

const quotient_kind *quotient_kinds(int planes, int *count)
{
    static const quotient_kind whole[] = {
        make_quotient_kind<16, 3, 4, 2>(), make_quotient_kind<32, 3, 3, 2>(),
        make_quotient_kind<64, 3, 3, 2>(), make_quotient_kind<128, 2, 3, 2>()},
                               rounded[] = {
        make_quotient_kind<16, 3, 4, 1>(), make_quotient_kind<32, 3, 4, 1>(),
        make_quotient_kind<64, 3, 3, 1>(), make_quotient_kind<128, 2, 4, 1>()};
    *count = (int)(sizeof whole / sizeof *whole);
    return planes == 2 ? whole : rounded;
}
