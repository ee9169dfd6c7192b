/* history.csv of a run: any bytes give a result or an error. */
#include "input.h"

static void write_others(void)
{
    fuzz_text_file("run.json",
                   "{\"method\": \"nmf\", \"iterations\": 2, \"objective\": 4.25, \"rank\": 2, "
                   "\"data\": {\"path\": \"x.npy\", \"samples\": 4, \"features\": 4}}\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_report("history.csv", write_others, data, size);
    return 0;
}
