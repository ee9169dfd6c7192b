/* orthant consensus: the pipeline of cluster, fitted from many starts. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "pipeline.h"

static void print_stability(const char *format, double value)
{
    if (isnan(value))
        printf("%*s", 12, "-");
    else
        printf(format, value);
}

static void print_parts(const orthant_result *result, int64_t fixed)
{
    orthant_consensus_part part = {.size = sizeof part};
    printf("\n%6s %10s %10s %12s %12s\n", "part", "members", "starts", "silhouette", "cosine");
    for (int64_t q = 0; !orthant_result_consensus_part(result, q, &part); q++) {
        if (q < fixed) {
            printf("%6" PRId64 " %10s\n", q, "fixed");
            continue;
        }
        printf("%6" PRId64 " %10" PRId64 " %10" PRId64 " ", q, part.members, part.starts);
        print_stability("%12.3f", part.silhouette);
        print_stability(" %12.3f", part.cosine);
        printf("\n");
    }
}

static void print_summary(const pipeline *line)
{
    const orthant_result *result = orthant_trial_result(line->trial);
    orthant_consensus_info info = {.size = sizeof info};
    orthant_scores scores = {.size = sizeof scores};
    if (orthant_result_consensus(result, &info))
        return;
    printf("%-12s %s\n", "method", orthant_model_method(orthant_trial_model(line->trial)));
    pipeline_print_starts(line);
    printf("%-12s %" PRId64 " of %" PRId64 " kept, %" PRId64
           " left out: above %g from their %" PRId64 " nearest\n",
           "parts", info.kept, info.members, info.members - info.kept, info.threshold,
           info.neighbours);
    if (!isnan(info.silhouette))
        printf("%-12s %6.3f    (of the kept parts; 1: the starts agree)\n", "silhouette",
               info.silhouette);
    printf("%-12s %.8g\n", "objective", orthant_result_objective(result));
    pipeline_print_error(line);
    if (line->truth && !orthant_trial_scores(line->trial, &scores))
        printf("%-12s accuracy %.2f %%, NMI %.2f %%\n", "clusters", 100 * scores.accuracy,
               100 * scores.nmi);
    printf("%-12s %.2f s\n", "time", orthant_trial_seconds(line->trial));
    if (line->output)
        printf("%-12s %s\n", "run", line->output);
    print_parts(result, info.fixed);
}

/* What `orthant consensus` asks of a trial. */
static void set_consensus(pipeline *line, char starts[32])
{
    const char *repeats = option_value(line->given, OPTION_REPEATS);
    const char *threshold = option_value(line->given, OPTION_THRESHOLD);
    const char *neighbourhood = option_value(line->given, OPTION_NEIGHBOURHOOD);
    snprintf(starts, 32, "consensus:%.20s", repeats ? repeats : "100");
    line->settings[line->setting_count].name = "start";
    line->settings[line->setting_count++].value = starts;
    if (threshold) {
        line->settings[line->setting_count].name = "consensus-threshold";
        line->settings[line->setting_count++].value = threshold;
    }
    if (neighbourhood) {
        line->settings[line->setting_count].name = "consensus-neighbourhood";
        line->settings[line->setting_count++].value = neighbourhood;
    }
}

int run_consensus(const arguments *given)
{
    pipeline line;
    char starts[32];
    int64_t repeats;
    int failed = pipeline_open(given, &line);
    if (!failed)
        failed = option_whole(given, OPTION_REPEATS, 2, 10000, 100, &repeats);
    if (!failed) {
        set_consensus(&line, starts);
        failed = pipeline_fit(&line);
    }
    if (failed && interrupt_seen() && line.checkpoint)
        talk_note(&line.speech, "the same command with --resume goes on from %s", line.checkpoint);
    if (!failed)
        failed = pipeline_label(&line);
    if (!failed)
        failed = pipeline_save(&line);
    if (!failed && option_given(given, OPTION_JSON))
        failed = pipeline_print_json(&line);
    else if (!failed)
        print_summary(&line);
    if (!failed)
        failed = finish_output();
    pipeline_tell_stop(&line, failed);
    pipeline_close(&line);
    return failed;
}
