/* results.csv of a study: any bytes give a result or an error. */
#include "input.h"

static void write_others(void)
{
    fuzz_text_file("study.json",
                   "{\"kind\": \"study\", \"seed\": 1, \"repeats\": 2, \"runs\": 4}\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_report("results.csv", write_others, data, size);
    return 0;
}
