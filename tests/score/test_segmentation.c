/* Segmentation criteria: cases worked out by hand, their identities and symmetries, and the
 * definitions followed literally on small pictures. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/random.h"
#include "orthant/segmentation.h"

#define MOST 64 /* pixels of a small picture */

static orthant_segmentation_scores score_at(orthant_context *ctx, const int32_t *found,
                                            const int32_t *truth, int64_t height, int64_t width,
                                            double threshold)
{
    orthant_segmentation_scores scores = {.size = sizeof scores};
    const orthant_segmentation_options options = {.size = sizeof options, .threshold = threshold};
    expect_ok(ctx, orthant_score_segmentation(ctx, found, truth, height, width, &options, &scores));
    return scores;
}

static orthant_segmentation_scores score(orthant_context *ctx, const int32_t *found,
                                         const int32_t *truth, int64_t pixels)
{
    return score_at(ctx, found, truth, pixels, 1, 0.75);
}

static double value_of(const orthant_segmentation_scores *scores, const char *name)
{
    orthant_criterion_info info = {.size = sizeof info};
    for (int c = 0; orthant_criterion_at(c, &info) == ORTHANT_OK; c++)
        if (strcmp(info.name, name) == 0)
            return orthant_criterion_value(scores, c);
    fail_msg("no criterion %s", name);
    return NAN;
}

typedef struct expected {
    const char *name;
    double value;
} expected;

static void expect_values(const orthant_segmentation_scores *scores, const expected *values,
                          size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(value_of(scores, values[i].name) - values[i].value) <= tolerance))
            fail_msg("%s is %.15g, expected %.15g", values[i].name,
                     value_of(scores, values[i].name), values[i].value);
}
#define expect_scores(scores, values, tolerance) \
    expect_values(scores, values, sizeof(values) / sizeof *(values), tolerance)

/* Runs of labels: {count, label, count, label, ..., 0}. */
static void fill(int32_t *labels, const int32_t *runs)
{
    for (; runs[0] > 0; runs += 2)
        for (int32_t i = 0; i < runs[0]; i++)
            *labels++ = runs[1];
}

/* ---- by hand ------------------------------------------------------------------------------ */

static void test_a_region_split_in_two(void **state)
{
    int32_t truth[16], found[16];
    fill(truth, (const int32_t[]){8, 0, 8, 1, 0});
    fill(found, (const int32_t[]){4, 0, 4, 1, 8, 2, 0});
    const orthant_segmentation_scores s = score_at(*state, found, truth, 4, 4, 0.75);
    const double a_third = 100.0 / 3.0;
    const expected values[] = {{"CS", 50},
                               {"OS", 50},
                               {"US", 0},
                               {"ME", 0},
                               {"NE", 0},
                               {"O", 25},
                               {"C", 0},
                               {"O_w", 25},
                               {"C_w", 0},
                               {"CA", 75},
                               {"CO", 75},
                               {"CC", 100},
                               {"I", 25},
                               {"II", 0},
                               {"EA", 50 + a_third},
                               {"MS", 75},
                               {"RM", 100 * sqrt(0.125 / 3)},
                               {"CI", 50 + 25 * sqrt(2.0)},
                               {"GCE", 0},
                               {"LCE", 0},
                               {"dM", 12.5},
                               {"dD", 12.5},
                               {"dVI", 12.5},
                               {"vi", 0.5},
                               {"vi_nats", 0.5 * log(2.0)},
                               {"F", 200.0 * 0.75 / 1.75},
                               {"F_bar", 100 * 0.75 * log(0.75) / -0.25},
                               {"covering", 0.75},
                               {"pri", 1 - 16.0 / 120}};
    expect_scores(&s, values, 1e-12);
    const expected told[] = {{"EA", 83.333}, {"RM", 20.412}, {"CI", 85.355}};
    expect_scores(&s, told, 5e-4);
    assert_true(s.regions_found == 3.0 && s.regions_true == 2.0 && s.pixels == 16);
}

static void test_two_regions_merged(void **state)
{
    int32_t truth[16], found[16];
    fill(truth, (const int32_t[]){6, 1, 6, 2, 4, 3, 0});
    fill(found, (const int32_t[]){12, 5, 4, 9, 0});
    const orthant_segmentation_scores s = score(*state, found, truth, 16);
    const expected values[] = {{"CS", 100.0 / 3}, {"OS", 0},     {"US", 50},    {"ME", 0},
                               {"NE", 0},         {"O", 0},      {"C", 25},     {"CA", 43.75},
                               {"CO", 62.5},      {"I", 37.5},   {"CC", 43.75}, {"II", 22.5},
                               {"EA", 50},        {"MS", 43.75}, {"GCE", 0},    {"LCE", 0}};
    expect_scores(&s, values, 1e-12);
    const expected told[] = {{"RM", 30.619}, {"CI", 51.517}};
    expect_scores(&s, told, 5e-4);
}

static void test_halves_across(void **state)
{
    int32_t truth[16], found[16];
    for (int i = 0; i < 16; i++) {
        truth[i] = i % 4 / 2;
        found[i] = i / 8;
    }
    const orthant_segmentation_scores s = score_at(*state, found, truth, 4, 4, 0.75);
    const expected values[] = {{"CS", 0},       {"OS", 0},  {"US", 0},   {"ME", 100},
                               {"NE", 100},     {"CO", 50}, {"GCE", 50}, {"LCE", 50},
                               {"dM", 50},      {"dD", 50}, {"dVI", 50}, {"CS_bar", 0},
                               {"ME_bar", 100}, {"vi", 2}};
    expect_scores(&s, values, 1e-12);
}

static void test_correct_and_split_at_once(void **state)
{
    int32_t truth[16], found[16];
    fill(truth, (const int32_t[]){10, 7, 6, 8, 0});
    fill(found, (const int32_t[]){9, 1, 1, 2, 6, 3, 0});
    const orthant_segmentation_scores s = score(*state, found, truth, 16);
    const expected values[] = {{"CS", 100},
                               {"OS", 50},
                               {"US", 0},
                               {"ME", 0},
                               {"NE", 0},
                               {"CO", 93.75},
                               {"O", 5},
                               {"C", 0},
                               /* Correct up to 0.9 and split up to 1. */
                               {"CS_bar", 90},
                               {"OS_bar", 50},
                               {"ME_bar", 0},
                               {"NE_bar", 0}};
    expect_scores(&s, values, 1e-12);
}

static void test_agreement(void **state)
{
    const int32_t truth[] = {3, 3, 1, 1, 1, 2}, found[] = {9, 9, -1, -1, -1, INT32_MIN};
    const orthant_segmentation_scores s = score(*state, found, truth, 6);
    orthant_criterion_info info = {.size = sizeof info};
    for (int c = 0; orthant_criterion_at(c, &info) == ORTHANT_OK; c++) {
        const double best = !info.higher_is_better ? 0.0 : info.percent ? 100.0 : 1.0;
        if (fabs(orthant_criterion_value(&s, c) - best) > 1e-12)
            fail_msg("%s is %.15g", info.name, orthant_criterion_value(&s, c));
    }
}

static void test_one_pixel_and_one_region(void **state)
{
    const int32_t one[] = {5, 5, 5, 5, 5, 5}, each[] = {1, 2, 3, 4, 5, 6};
    orthant_segmentation_scores s = score(*state, one + 3, each, 1);
    const expected pixel[] = {{"CS", 100},    {"ME", 0}, {"II", 0},       {"dVI", 0}, {"pri", 1},
                              {"F_bar", 100}, {"RM", 0}, {"covering", 1}, {"MS", 100}};
    expect_scores(&s, pixel, 0.0);
    /* One true region in six pieces: all pieces lie in it. */
    s = score(*state, each, one, 6);
    const expected pieces[] = {
        {"CS", 0}, {"OS", 100}, {"ME", 0},    {"NE", 0},         {"C", 100}, {"O", 100 * 5.0 / 6},
        {"II", 0}, {"GCE", 0},  {"dVI", 100}, {"CO", 100 / 6.0}, {"pri", 0}, {"covering", 1 / 6.0}};
    expect_scores(&s, pieces, 1e-12);
    /* Six true regions in one. */
    s = score(*state, one, each, 6);
    const expected merged[] = {{"CS", 0},
                               {"US", 100},
                               {"ME", 0},
                               {"NE", 0},
                               {"O", 100},
                               {"C", 100 * 5.0 / 6},
                               {"GCE", 0},
                               {"CO", 100 / 6.0},
                               /* One of six regions: R = 1, m = 6. */
                               {"II", 100 / 6.0},
                               {"MS", 100 * (1.5 - 3) / 6}};
    expect_scores(&s, merged, 1e-12);
}

/* ---- the definitions, literally ----------------------------------------------------------- */

typedef struct picture {
    int n, found_count, true_count;
    int found[MOST], truth[MOST];
    int T[MOST][MOST], R[MOST], S[MOST]; /* T[a][b] */
} picture;

static void make_picture(picture *p, uint64_t trial)
{
    memset(p, 0, sizeof *p);
    p->n = 1 + (int)random_below(11, RANDOM_TEST, trial, 0, 40);
    const uint64_t labels = 1 + random_below(11, RANDOM_TEST, trial, 1, 6);
    const double noise = random_uniform(11, RANDOM_TEST, trial, 2);
    for (int i = 0; i < p->n; i++) {
        const uint64_t at = 10 + 3 * (uint64_t)i;
        p->truth[i] = (int)((uint64_t)i * labels / (uint64_t)p->n);
        p->found[i] = random_uniform(11, RANDOM_TEST, trial, at) < 0.5 * noise
                          ? (int)random_below(11, RANDOM_TEST, trial, at + 1, 6)
                          : (int)((uint64_t)i * (1 + trial % 6) / (uint64_t)p->n);
    }
    for (int i = 0; i < p->n; i++) {
        p->R[p->truth[i]]++;
        p->S[p->found[i]]++;
        p->T[p->truth[i]][p->found[i]]++;
    }
    for (int l = 0; l < MOST; l++) {
        p->true_count += p->R[l] > 0;
        p->found_count += p->S[l] > 0;
    }
}

static bool enough(int part, double k, int whole)
{
    return part >= k * whole - 1e-9;
}

typedef struct counts {
    double cs, os, us, me, ne;
} counts;

/* Section by section as the criteria are defined at one threshold. */
static counts classify(const picture *p, double k)
{
    bool correct_a[MOST] = {0}, correct_b[MOST] = {0}, split[MOST] = {0}, merges[MOST] = {0};
    bool in_split[MOST] = {0}, in_merge[MOST] = {0};
    counts c = {0};
    for (int a = 0; a < MOST; a++)
        for (int b = 0; b < MOST; b++)
            if (p->T[a][b] > 0 && enough(p->T[a][b], k, p->R[a]) && enough(p->T[a][b], k, p->S[b]))
                correct_a[a] = correct_b[b] = true;
    for (int a = 0; a < MOST; a++) {
        int members = 0, sum = 0;
        for (int b = 0; b < MOST; b++)
            if (p->T[a][b] > 0 && enough(p->T[a][b], k, p->S[b])) {
                members++;
                sum += p->T[a][b];
            }
        split[a] = members >= 2 && enough(sum, k, p->R[a]);
        for (int b = 0; b < MOST && split[a]; b++)
            if (p->T[a][b] > 0 && enough(p->T[a][b], k, p->S[b]))
                in_split[b] = true;
    }
    for (int b = 0; b < MOST; b++) {
        int members = 0, sum = 0;
        for (int a = 0; a < MOST; a++)
            if (p->T[a][b] > 0 && enough(p->T[a][b], k, p->R[a])) {
                members++;
                sum += p->T[a][b];
            }
        merges[b] = members >= 2 && enough(sum, k, p->S[b]);
        for (int a = 0; a < MOST && merges[b]; a++)
            if (p->T[a][b] > 0 && enough(p->T[a][b], k, p->R[a]))
                in_merge[a] = true;
    }
    for (int l = 0; l < MOST; l++) {
        c.cs += 100.0 * correct_a[l] / p->true_count;
        c.os += 100.0 * split[l] / p->true_count;
        c.us += 100.0 * merges[l] / p->found_count;
        c.me += 100.0 * (p->R[l] > 0 && !correct_a[l] && !split[l] && !in_merge[l]) / p->true_count;
        c.ne +=
            100.0 * (p->S[l] > 0 && !correct_b[l] && !in_split[l] && !merges[l]) / p->found_count;
    }
    return c;
}

static void labels_of(const int *values, int n, int32_t *labels)
{
    for (int i = 0; i < n; i++)
        labels[i] = values[i];
}

static orthant_segmentation_scores score_picture(orthant_context *ctx, const picture *p,
                                                 double threshold)
{
    int32_t found[MOST], truth[MOST];
    labels_of(p->found, p->n, found);
    labels_of(p->truth, p->n, truth);
    return score_at(ctx, found, truth, p->n, 1, threshold);
}

static void test_regions_by_definition(void **state)
{
    picture p;
    double os = 0, us = 0;
    for (uint64_t trial = 0; trial < 300; trial++) {
        make_picture(&p, trial);
        const double k = 0.51 + 0.49 * random_uniform(12, RANDOM_TEST, trial, 0);
        const orthant_segmentation_scores s = score_picture(*state, &p, k);
        const counts at = classify(&p, k);
        const expected values[] = {
            {"CS", at.cs}, {"OS", at.os}, {"US", at.us}, {"ME", at.me}, {"NE", at.ne}};
        expect_scores(&s, values, 1e-9);
        os += at.os;
        us += at.us;
        counts bar = {0};
        for (int j = 0; j < 100; j++) {
            const counts c = classify(&p, 0.5 + (j + 0.5) / 200);
            bar.cs += c.cs / 100;
            bar.os += c.os / 100;
            bar.us += c.us / 100;
            bar.me += c.me / 100;
            bar.ne += c.ne / 100;
        }
        const expected bars[] = {{"CS_bar", bar.cs},
                                 {"OS_bar", bar.os},
                                 {"US_bar", bar.us},
                                 {"ME_bar", bar.me},
                                 {"NE_bar", bar.ne}};
        expect_scores(&s, bars, 1e-9);
    }
    assert_true(os > 0 && us > 0);
}

/* Pixel by pixel and pair by pair. */
static void test_partitions_by_definition(void **state)
{
    picture p;
    for (uint64_t trial = 0; trial < 200; trial++) {
        make_picture(&p, trial);
        double e1 = 0, e2 = 0, least = 0, vi = 0, differ = 0, covered = 0;
        int largest = 0;
        for (int i = 0; i < p.n; i++) {
            const int a = p.truth[i], b = p.found[i];
            const double first = (double)(p.R[a] - p.T[a][b]) / p.R[a];
            const double second = (double)(p.S[b] - p.T[a][b]) / p.S[b];
            e1 += first / p.n;
            e2 += second / p.n;
            least += fmin(first, second) / p.n;
            vi += log((double)p.R[a] * p.S[b] / ((double)p.T[a][b] * p.T[a][b])) / p.n;
            double best = 0;
            for (int c = 0; c < MOST; c++)
                best = fmax(best, (double)p.T[a][c] / (p.R[a] + p.S[c] - p.T[a][c]));
            covered += best / p.n;
            for (int j = 0; j < p.n; j++)
                differ += (p.truth[i] == p.truth[j]) != (p.found[i] == p.found[j]);
        }
        for (int l = 0; l < MOST; l++) {
            int most_a = 0, most_b = 0;
            for (int m = 0; m < MOST; m++) {
                most_a = p.T[l][m] > most_a ? p.T[l][m] : most_a;
                most_b = p.T[m][l] > most_b ? p.T[m][l] : most_b;
            }
            largest += most_a + most_b;
        }
        const double n = p.n;
        const expected values[] = {
            {"GCE", 100 * fmin(e1, e2)},
            {"LCE", 100 * least},
            {"dM", 100 * differ / (n * n)},
            {"dD", 100 * (2 * n - largest) / (2 * n)},
            {"vi_nats", vi},
            {"vi", vi / log(2.0)},
            {"dVI", p.n > 1 ? 100 * vi / log(n) : 0},
            {"covering", covered},
            {"pri", p.n > 1 ? 1 - differ / (n * (n - 1)) : 1},
        };
        const orthant_segmentation_scores s = score_picture(*state, &p, 0.75);
        expect_scores(&s, values, 1e-10);
    }
}

/* The largest total overlap over all one-to-one matchings. */
static int best_overlap(const picture *p, int a, unsigned taken)
{
    if (a == 8)
        return 0;
    int best = best_overlap(p, a + 1, taken);
    for (int b = 0; b < 8; b++)
        if (p->T[a][b] > 0 && !(taken >> b & 1)) {
            const int sum = p->T[a][b] + best_overlap(p, a + 1, taken | 1u << b);
            best = sum > best ? sum : best;
        }
    return best;
}

static void test_overlap_by_definition(void **state)
{
    picture p;
    for (uint64_t trial = 0; trial < 200; trial++) {
        make_picture(&p, trial);
        const orthant_segmentation_scores s = score_picture(*state, &p, 0.75);
        assert_true(fabs(s.co - 100.0 * best_overlap(&p, 0, 0) / p.n) < 1e-10);
    }
}

/* A table with one best matching, each criterion from its formula. */
static void test_pixels_by_formula(void **state)
{
    /* T: true 10 = 7 + 2 + 1, true 6 = 1 + 5 + 0, true 4 = 0 + 4 + 0 (alone); found 8, 11, 1. */
    int32_t truth[20], found[20];
    fill(truth, (const int32_t[]){10, 0, 6, 1, 4, 2, 0});
    fill(found, (const int32_t[]){7, 0, 2, 1, 1, 2, 1, 0, 5, 1, 4, 1, 0});
    const orthant_segmentation_scores s = score(*state, found, truth, 20);
    const expected values[] = {
        {"CO", 60},
        {"O", 30},             /* of 0.3, 1/6, 1 */
        {"C", 100 * 6.0 / 11}, /* of 1/8, 6/11, 1 */
        {"CA", 100 * (0.5 * 7 / 11 + 0.3 * 5 / 12)},
        {"CC", 100 * (0.5 * 7 / 8 + 0.3 * 5 / 11)},
        {"II", 100 * (0.5 * 1 / 10 + 0.3 * 6 / 14)},
        {"EA", 100 * (0.5 * 14 / 18 + 0.3 * 10 / 17)},
        {"MS", 100 * ((10.5 - 4) + (7.5 - 5.5)) / 20},
        {"C_w", 35},
        {"RM", 100 * sqrt((4 + 25 + 16 + 1) / 400.0 / 3)},
        {"CI", 100 * (7 * sqrt(10.0 / 8) + 5 * sqrt(6.0 / 11)) / 20},
    };
    expect_scores(&s, values, 1e-12);
}

/* ---- identities and symmetries ------------------------------------------------------------ */

static void test_identities(void **state)
{
    picture p;
    for (uint64_t trial = 0; trial < 300; trial++) {
        make_picture(&p, trial);
        const orthant_segmentation_scores s = score_picture(*state, &p, 0.75);
        assert_true(fabs(s.i + s.co - 100) < 1e-10);
        assert_true(fabs(s.ms - s.co + s.c_weighted / 2) < 1e-10);
        assert_true(fabs(s.o_weighted - s.i) < 1e-10);
        assert_true(s.ca <= s.ea + 1e-10 && s.ea <= s.ci + 1e-10);
        assert_true(s.lce <= s.gce + 1e-10);
        assert_true(fabs(orthant_segmentation_f(&s, 0) - s.co) < 1e-10);
        assert_true(fabs(orthant_segmentation_f(&s, 1) - s.cc) < 1e-10);
        assert_true(fabs(orthant_segmentation_f(&s, 0.5) - s.f) < 1e-10);
        double mean = 0;
        for (int j = 0; j < 1000; j++)
            mean += orthant_segmentation_f(&s, (j + 0.5) / 1000) / 1000;
        assert_true(fabs(mean - s.f_bar) < 1e-3);
        orthant_criterion_info info = {.size = sizeof info};
        for (int c = 0; orthant_criterion_at(c, &info) == ORTHANT_OK; c++) {
            const double value = orthant_criterion_value(&s, c);
            const double least = strcmp(info.name, "MS") == 0 ? -50 : 0;
            const double most = info.percent ? 100 : strncmp(info.name, "vi", 2) == 0 ? 8 : 1;
            if (!(value >= least - 1e-9 && value <= most + 1e-9))
                fail_msg("%s is %g", info.name, value);
        }
    }
}

static void test_exchange(void **state)
{
    picture p, q;
    for (uint64_t trial = 0; trial < 200; trial++) {
        make_picture(&p, trial);
        q = p;
        memcpy(q.found, p.truth, sizeof p.truth);
        memcpy(q.truth, p.found, sizeof p.found);
        const orthant_segmentation_scores s = score_picture(*state, &p, 0.75);
        const orthant_segmentation_scores x = score_picture(*state, &q, 0.75);
        const expected values[] = {
            {"OS", s.us},         {"US", s.os},         {"ME", s.ne},         {"NE", s.me},
            {"OS_bar", s.us_bar}, {"US_bar", s.os_bar}, {"ME_bar", s.ne_bar}, {"NE_bar", s.me_bar},
            {"CO", s.co},         {"O", s.c},           {"C", s.o},           {"RM", s.rm},
            {"GCE", s.gce},       {"LCE", s.lce},       {"dM", s.dm},         {"dD", s.dd},
            {"dVI", s.dvi},       {"vi", s.vi},         {"pri", s.pri}};
        expect_scores(&x, values, 1e-9);
        assert_true(fabs(x.cs * p.found_count - s.cs * p.true_count) < 1e-9);
    }
}

static void test_names_change_no_bit(void **state)
{
    picture p;
    int32_t found[MOST], truth[MOST];
    for (uint64_t trial = 0; trial < 100; trial++) {
        make_picture(&p, trial);
        for (int i = 0; i < p.n; i++) {
            found[i] = (p.found[i] * 5 + 3) % 7 * -1000003 - 1;
            truth[i] = p.truth[i] == 0 ? INT32_MIN : p.truth[i] == 1 ? INT32_MAX : -p.truth[i];
        }
        const orthant_segmentation_scores s = score_picture(*state, &p, 0.75);
        const orthant_segmentation_scores r = score(*state, found, truth, p.n);
        assert_memory_equal(&s, &r, sizeof s);
    }
}

/* ---- the rest ----------------------------------------------------------------------------- */

static void test_components(void **state)
{
    /* Two pieces of label 1 that touch at a corner only, and a ring around a hole. */
    const int32_t truth[] = {1, 0, 0, 0, /* */ 0, 1, 1, 1, /* */ 0, 1, 2, 1, /* */ 0, 1, 1, 1};
    const int32_t found[] = {0, 1, 1, 1, /* */ 2, 3, 3, 3, /* */ 2, 3, 4, 3, /* */ 2, 3, 3, 3};
    const orthant_segmentation_options pieces = {.size = sizeof pieces, .components = true};
    orthant_segmentation_scores s = {.size = sizeof s};
    expect_ok(*state, orthant_score_segmentation(*state, found, truth, 4, 4, &pieces, &s));
    assert_true(s.regions_true == 5 && s.regions_found == 5);
    assert_true(s.cs == 100 && s.co == 100 && s.pri == 1);
    expect_ok(*state, orthant_score_segmentation(*state, found, truth, 4, 4, NULL, &s));
    assert_true(s.regions_true == 3 && s.regions_found == 5);
    /* One column and one row. */
    const int32_t line[] = {1, 2, 1, 1};
    expect_ok(*state, orthant_score_segmentation(*state, line, line, 4, 1, &pieces, &s));
    assert_true(s.regions_true == 3);
    expect_ok(*state, orthant_score_segmentation(*state, line, line, 1, 4, &pieces, &s));
    assert_true(s.regions_true == 3);
    expect_ok(*state, orthant_score_segmentation(*state, line, line, 2, 2, &pieces, &s));
    assert_true(s.regions_true == 2);
    /* Height before width: 1 1 2 over 2 2 1 are four pieces, 1 1 over 2 2 over 2 1 three. */
    const int32_t six[] = {1, 1, 2, 2, 2, 1};
    expect_ok(*state, orthant_score_segmentation(*state, six, six, 2, 3, &pieces, &s));
    assert_true(s.regions_true == 4 && s.regions_found == 4);
    expect_ok(*state, orthant_score_segmentation(*state, six, six, 3, 2, &pieces, &s));
    assert_true(s.regions_true == 3 && s.regions_found == 3);
}

static void test_means(void **state)
{
    int32_t truth[2][16], found[16];
    orthant_segmentation_scores s[2], mean = {.size = sizeof mean};
    fill(found, (const int32_t[]){8, 0, 8, 1, 0});
    fill(truth[0], (const int32_t[]){8, 0, 8, 1, 0});
    fill(truth[1], (const int32_t[]){4, 0, 4, 1, 8, 2, 0});
    for (int i = 0; i < 2; i++)
        s[i] = score(*state, found, truth[i], 16);
    orthant_segmentation_mean(s, 2, &mean);
    orthant_criterion_info info = {.size = sizeof info};
    for (int c = 0; orthant_criterion_at(c, &info) == ORTHANT_OK; c++)
        assert_true(fabs(2 * orthant_criterion_value(&mean, c) - orthant_criterion_value(&s[0], c) -
                         orthant_criterion_value(&s[1], c)) < 1e-10);
    assert_true(mean.regions_true == 2.5 && mean.regions_found == 2 && mean.pixels == 16);
    assert_int_equal(orthant_criterion_at(-1, &info), ORTHANT_ERROR_ARGUMENT);
    assert_int_equal(orthant_criterion_at(orthant_criterion_count(), &info),
                     ORTHANT_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        fixture_test(test_a_region_split_in_two),
        fixture_test(test_two_regions_merged),
        fixture_test(test_halves_across),
        fixture_test(test_correct_and_split_at_once),
        fixture_test(test_agreement),
        fixture_test(test_one_pixel_and_one_region),
        fixture_test(test_regions_by_definition),
        fixture_test(test_partitions_by_definition),
        fixture_test(test_overlap_by_definition),
        fixture_test(test_pixels_by_formula),
        fixture_test(test_identities),
        fixture_test(test_exchange),
        fixture_test(test_names_change_no_bit),
        fixture_test(test_components),
        fixture_test(test_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
