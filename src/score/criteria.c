/* The segmentation criteria by name: one row each. */
#include <stddef.h>

#include "core/sized.h"
#include "orthant/segmentation.h"

typedef struct criterion {
    orthant_criterion_info info;
    size_t place; /* in the scores */
} criterion;

enum { LOWER = 0, HIGHER = 1 };
#define ROW(name, title, percent, better, field)                        \
    {                                                                   \
        {sizeof(orthant_criterion_info), name, title, percent, better}, \
            offsetof(orthant_segmentation_scores, field)                \
    }
#define PERCENT(name, title, better, field) ROW(name, title, true, better, field)
#define NUMBER(name, title, better, field) ROW(name, title, false, better, field)

static const criterion criteria[] = {
    PERCENT("CS", "true regions found", HIGHER, cs),
    PERCENT("OS", "true regions split (over-segmentation)", LOWER, os),
    PERCENT("US", "found regions that merge (under-segmentation)", LOWER, us),
    PERCENT("ME", "true regions missed", LOWER, me),
    PERCENT("NE", "found regions that are noise", LOWER, ne),
    PERCENT("CS_bar", "mean of CS over the thresholds", HIGHER, cs_bar),
    PERCENT("OS_bar", "mean of OS over the thresholds", LOWER, os_bar),
    PERCENT("US_bar", "mean of US over the thresholds", LOWER, us_bar),
    PERCENT("ME_bar", "mean of ME over the thresholds", LOWER, me_bar),
    PERCENT("NE_bar", "mean of NE over the thresholds", LOWER, ne_bar),
    PERCENT("O", "omission, median over true regions", LOWER, o),
    PERCENT("C", "commission, median over found regions", LOWER, c),
    PERCENT("O_w", "omission, share of all pixels", LOWER, o_weighted),
    PERCENT("C_w", "commission, share of all pixels", LOWER, c_weighted),
    PERCENT("CA", "class accuracy", HIGHER, ca),
    PERCENT("CO", "recall: pixels assigned correctly", HIGHER, co),
    PERCENT("CC", "precision: object accuracy", HIGHER, cc),
    PERCENT("I", "error of type I", LOWER, i),
    PERCENT("II", "error of type II", LOWER, ii),
    PERCENT("EA", "mean class accuracy estimate", HIGHER, ea),
    PERCENT("MS", "mapping score", HIGHER, ms),
    PERCENT("RM", "root mean square error of the sizes", LOWER, rm),
    PERCENT("CI", "comparison index", HIGHER, ci),
    PERCENT("F", "F-measure of CC and CO", HIGHER, f),
    PERCENT("F_bar", "mean of the F-measure's curve", HIGHER, f_bar),
    PERCENT("GCE", "global consistency error", LOWER, gce),
    PERCENT("LCE", "local consistency error", LOWER, lce),
    PERCENT("dM", "Mirkin's distance", LOWER, dm),
    PERCENT("dD", "van Dongen's distance", LOWER, dd),
    PERCENT("dVI", "variation of information over ln n", LOWER, dvi),
    NUMBER("vi", "variation of information, bits", LOWER, vi),
    NUMBER("vi_nats", "variation of information, nats", LOWER, vi_nats),
    NUMBER("covering", "covering of the true regions", HIGHER, covering),
    NUMBER("pri", "Rand index (PRI over annotators)", HIGHER, pri),
};
#define CRITERIA ((int)(sizeof criteria / sizeof *criteria))

int orthant_criterion_count(void)
{
    return CRITERIA;
}

orthant_status orthant_criterion_at(int index, orthant_criterion_info *info)
{
    static const char function[] = "orthant_criterion_at";
    if (index < 0 || index >= CRITERIA)
        return ORTHANT_ERROR_ARGUMENT;
    return sized_give(NULL, function, &criteria[index].info, sizeof criteria[index].info, info);
}

static double *place_of(orthant_segmentation_scores *scores, int index)
{
    return (double *)(void *)((char *)scores + criteria[index].place);
}

/* As far as both know them; all 0 where there are none. */
static orthant_segmentation_scores take(const orthant_segmentation_scores *scores)
{
    orthant_segmentation_scores own = {0};
    if (scores && sized_take(NULL, "", scores, &own, sizeof own))
        own = (orthant_segmentation_scores){0};
    return own;
}

double orthant_criterion_value(const orthant_segmentation_scores *scores, int index)
{
    orthant_segmentation_scores own = take(scores);
    return index >= 0 && index < CRITERIA ? *place_of(&own, index) : 0.0;
}

void orthant_segmentation_mean(const orthant_segmentation_scores *scores, int64_t count,
                               orthant_segmentation_scores *mean)
{
    orthant_segmentation_scores sum = {.size = sizeof sum};
    for (int64_t i = 0; scores && i < count; i++) {
        /* The caller's structs are as long as the first says. */
        const char *at = (const char *)scores + (size_t)i * scores->size;
        orthant_segmentation_scores one =
            take((const orthant_segmentation_scores *)(const void *)at);
        for (int c = 0; c < CRITERIA; c++)
            *place_of(&sum, c) += *place_of(&one, c);
        sum.regions_found += one.regions_found;
        sum.regions_true += one.regions_true;
        sum.pixels += one.pixels;
    }
    for (int c = 0; c < CRITERIA && count > 0; c++)
        *place_of(&sum, c) /= (double)count;
    if (count > 0) {
        sum.regions_found /= (double)count;
        sum.regions_true /= (double)count;
        sum.pixels /= count;
    }
    if (mean)
        sized_give(NULL, "", &sum, sizeof sum, mean);
}

double orthant_segmentation_f(const orthant_segmentation_scores *scores, double alpha)
{
    const orthant_segmentation_scores own = take(scores);
    const double P = own.cc, R = own.co;
    const double below = alpha * R + (1.0 - alpha) * P;
    return below > 0.0 ? P * R / below : 0.0;
}
