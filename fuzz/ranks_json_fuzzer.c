/* ranks.json of a survey of ranks: any bytes give a result or an error. */
#include "input.h"

static void write_others(void)
{
    fuzz_text_file("fits.csv", "criterion,k,repeat,measure,value\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_report("ranks.json", write_others, data, size);
    return 0;
}
