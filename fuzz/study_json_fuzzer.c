/* study.json of a study: any bytes give a result or an error. */
#include "input.h"
#include "report/study_record.h"

static void write_others(void)
{
    fuzz_text_file("results.csv", RESULTS_HEADER "\n"
                                                 "a,kmeans,2,0,1,0.5,0.1,0.2,0.6,,12,3,0.01\n"
                                                 "a,kmeans,2,1,2,0.7,0.2,0.3,0.8,,13,4,0.02\n"
                                                 "a,nmf,2,0,1,0.9,0.8,0.7,0.9,0.4,1.5,20,0.03\n"
                                                 "a,nmf,2,1,2,0.8,0.7,0.6,0.8,0.3,1.25,25,0.01\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *lines[] = {"version 0.1.0", "seed 1", "method nmf"};
    const plan_lines plan = {.ctx = fuzz_context(), .count = 3, .line = lines};
    fuzz_report("study.json", write_others, data, size);
    const orthant_status status =
        plan_lines_check(&plan, "study", fuzz_file("study.json", data, size));
    fuzz_check(status, status ? NULL : &plan);
    fuzz_check_freed();
    return 0;
}
