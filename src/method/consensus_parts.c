/* From the parts of many starts to those that they agree on, as cNMF does it (Kotliar et al. 2019,
 * eLife 8:e43803): parts of unit length; the density of a part is its mean Euclidean distance to
 * its nearest neighbours, and those above a threshold go; k-means of the rest; medians. */
#include "method/consensus_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/kmeans.h"
#include "core/memory.h"
#include "core/sized.h"
#include "data/row_gram.h"

#define MOST_STARTS 10000
#define MOST_RESTARTS 1000000
#define KMEANS_ITERATIONS 300

orthant_status consensus_options(orthant_context *ctx, const orthant_consensus_options *given,
                                 orthant_consensus_options *taken)
{
    *taken = (orthant_consensus_options)ORTHANT_CONSENSUS_DEFAULTS;
    if (given) {
        const orthant_status status =
            sized_take(ctx, "orthant_fit_consensus", given, taken, sizeof *taken);
        if (status)
            return status;
    }
    if (taken->starts < 2 || taken->starts > MOST_STARTS)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT, "a consensus of %lld starts: expected 2 to %d",
                    (long long)taken->starts, MOST_STARTS);
    if (!(taken->threshold > 0 && taken->threshold <= 2))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a consensus with the threshold %g: expected a distance above 0, at most 2, "
                    "which leaves nothing out",
                    taken->threshold);
    if (!(taken->neighbourhood > 0 && taken->neighbourhood <= 1))
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a consensus with the neighbourhood %g: expected a share of the starts above "
                    "0, at most 1",
                    taken->neighbourhood);
    if (taken->restarts < 1 || taken->restarts > MOST_RESTARTS)
        return fail(ctx, ORTHANT_ERROR_ARGUMENT,
                    "a consensus with %d restarts of k-means: expected 1 to %d", taken->restarts,
                    MOST_RESTARTS);
    return ORTHANT_OK;
}

orthant_status consensus_new(orthant_context *ctx, const orthant_consensus_options *options,
                             int64_t rank, int64_t fixed, int64_t features, consensus **made)
{
    int64_t members, entries;
    *made = NULL;
    if (!size_multiply(options->starts, rank, &members) ||
        !size_multiply(members, features, &entries))
        return fail(ctx, ORTHANT_ERROR_MEMORY, "the parts of so many starts");
    consensus *c = memory_new(ctx, 1, sizeof *c, "a consensus");
    if (!c)
        return ORTHANT_ERROR_MEMORY;
    const int64_t neighbours = (int64_t)(options->neighbourhood * (double)options->starts);
    *c = (consensus){.ctx = ctx, .rank = rank, .features = features};
    c->info = (orthant_consensus_info){.size = sizeof c->info,
                                       .starts = options->starts,
                                       .members = members,
                                       .neighbours = neighbours < 1 ? 1 : neighbours,
                                       .threshold = options->threshold,
                                       .neighbourhood = options->neighbourhood,
                                       .silhouette = (double)NAN,
                                       .fixed = fixed};
    c->parts = memory_new(ctx, entries, sizeof *c->parts, "the parts of all starts");
    c->member = memory_new(ctx, members, sizeof *c->member, "the parts of all starts");
    c->part = memory_new(ctx, fixed + rank, sizeof *c->part, "the parts of a consensus");
    if (!c->parts || !c->member || !c->part) {
        consensus_free(c);
        return ORTHANT_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < members; i++)
        c->member[i] = (orthant_consensus_member){
            sizeof *c->member, i / rank, fixed + i % rank, -1, (double)NAN, (double)NAN};
    *made = c;
    return ORTHANT_OK;
}

void consensus_free(consensus *c)
{
    if (!c)
        return;
    memory_free(c->ctx, c->parts);
    memory_free(c->ctx, c->member);
    memory_free(c->ctx, c->part);
    memory_free(c->ctx, c->shown_member);
    memory_free(c->ctx, c->shown_cosine);
    memory_free(c->ctx, c);
}

static double *part_at(const consensus *c, int64_t member)
{
    return c->parts + member * c->features;
}

static double product(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Returns whether there is a length to bring to 1. */
static bool to_unit_length(double *part, int64_t features)
{
    const double length = sqrt(product(part, part, features));
    for (int64_t j = 0; j < features && length > 0; j++)
        part[j] /= length;
    return length > 0;
}

void consensus_take(consensus *c, int64_t start, const orthant_matrix *basis)
{
    for (int64_t p = 0; p < c->rank; p++) {
        double *part = part_at(c, start * c->rank + p);
        for (int64_t j = 0; j < c->features; j++)
            part[j] = matrix_value(basis, j * basis->stride + c->info.fixed + p);
        to_unit_length(part, c->features);
    }
}

/* ---- density ----------------------------------------------------------------------------------
 */

/* The parts that are not zero, `at` their members, and their distances. */
typedef struct distances {
    int64_t count;
    int64_t *at;      /* count */
    double *distance; /* count x count */
} distances;

static void distances_free(orthant_context *ctx, distances *d)
{
    memory_free(ctx, d->at);
    memory_free(ctx, d->distance);
}

/* A copy of the chosen members' parts, one row each. */
static orthant_status copy_parts(const consensus *c, const int64_t *at, int64_t count,
                                 orthant_matrix **rows)
{
    const orthant_status status =
        matrix_new_dense(c->ctx, ORTHANT_DOUBLE, count, c->features, rows);
    for (int64_t i = 0; i < count && !status; i++)
        for (int64_t j = 0; j < c->features; j++)
            matrix_set_value(*rows, i * (*rows)->stride + j, part_at(c, at[i])[j]);
    return status;
}

/* |a - b|^2 = 2 - 2 <a, b> of unit parts. */
static orthant_status find_distances(const consensus *c, distances *d)
{
    orthant_matrix *rows = NULL, *cosines = NULL;
    int64_t squares;
    *d = (distances){0};
    d->at = memory_new(c->ctx, c->info.members, sizeof *d->at, "an order of parts");
    for (int64_t i = 0; d->at && i < c->info.members; i++)
        if (product(part_at(c, i), part_at(c, i), c->features) > 0)
            d->at[d->count++] = i;
    if (!d->at || !size_multiply(d->count, d->count, &squares))
        return ORTHANT_ERROR_MEMORY;
    d->distance = memory_new(c->ctx, squares, sizeof *d->distance, "the distances of parts");
    orthant_status status =
        d->distance ? copy_parts(c, d->at, d->count, &rows) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status = row_gram(c->ctx, rows, &cosines);
    for (int64_t i = 0; i < d->count && !status; i++)
        for (int64_t j = 0; j < d->count; j++)
            d->distance[i * d->count + j] =
                i == j ? 0 : sqrt(fmax(0, 2 - 2 * matrix_value(cosines, i * cosines->stride + j)));
    orthant_matrix_free(cosines);
    orthant_matrix_free(rows);
    return status;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The mean distance of each part to its nearest others; those that are near enough are kept. */
static orthant_status find_densities(consensus *c, const distances *d)
{
    double *sorted = memory_new(c->ctx, d->count, sizeof *sorted, "the distances of parts");
    const int64_t others = d->count - 1;
    const int64_t neighbours = c->info.neighbours < others ? c->info.neighbours : others;
    if (!sorted)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < d->count; i++) {
        double sum = 0;
        memcpy(sorted, d->distance + i * d->count, (size_t)d->count * sizeof *sorted);
        qsort(sorted, (size_t)d->count, sizeof *sorted, by_value);
        /* the first is the part itself, or one that is the same */
        for (int64_t n = 1; n <= neighbours; n++)
            sum += sorted[n];
        orthant_consensus_member *member = &c->member[d->at[i]];
        member->density = neighbours > 0 ? sum / (double)neighbours : 0;
        member->cluster = member->density <= c->info.threshold ? 0 : -1;
        c->info.kept += member->cluster == 0;
    }
    memory_free(c->ctx, sorted);
    if (c->info.kept < c->rank)
        return fail(c->ctx, ORTHANT_ERROR_NUMERIC,
                    "of %lld parts of %lld starts %lld are within the threshold %g of their "
                    "neighbours, too few for %lld parts: the starts do not agree on so many; "
                    "take fewer parts, more starts or a higher threshold",
                    (long long)c->info.members, (long long)c->info.starts, (long long)c->info.kept,
                    c->info.threshold, (long long)c->rank);
    return ORTHANT_OK;
}

/* ---- clusters ---------------------------------------------------------------------------------
 */

static orthant_status cluster_kept(consensus *c, int restarts, uint64_t seed)
{
    kmeans_outcome outcome = {0};
    orthant_matrix *rows = NULL;
    int64_t *at = memory_new(c->ctx, c->info.kept, sizeof *at, "an order of parts"), count = 0;
    for (int64_t i = 0; at && i < c->info.members; i++)
        if (c->member[i].cluster >= 0)
            at[count++] = i;
    orthant_status status = at ? copy_parts(c, at, count, &rows) : ORTHANT_ERROR_MEMORY;
    if (!status)
        status =
            kmeans_run(c->ctx, rows, c->rank, restarts, KMEANS_ITERATIONS, seed, NULL, &outcome);
    if (!status && outcome.stopped)
        status = fail(c->ctx, ORTHANT_STOPPED, "stopped while the parts were clustered");
    for (int64_t i = 0; i < count && !status; i++)
        c->member[at[i]].cluster = outcome.label[i];
    kmeans_free(c->ctx, &outcome);
    orthant_matrix_free(rows);
    memory_free(c->ctx, at);
    return status;
}

/* (b - a) / max(a, b), a the mean distance to the others of its own cluster, b to those of the
 * nearest other one; 0 in a cluster of one, as scikit-learn has it. */
static double silhouette_of(const consensus *c, const distances *d, int64_t i, double *sum)
{
    const int64_t own = c->member[d->at[i]].cluster;
    double within = 0, beside = INFINITY;
    memset(sum, 0, (size_t)c->rank * sizeof *sum);
    for (int64_t j = 0; j < d->count; j++)
        if (c->member[d->at[j]].cluster >= 0)
            sum[c->member[d->at[j]].cluster] += d->distance[i * d->count + j];
    for (int64_t q = 0; q < c->rank; q++) {
        const double members = (double)c->part[q].members;
        if (q == own)
            within = members > 1 ? sum[q] / (members - 1) : 0;
        else if (members > 0)
            beside = fmin(beside, sum[q] / members);
    }
    const double larger = fmax(within, beside);
    return c->part[own].members > 1 && larger > 0 ? (beside - within) / larger : 0;
}

static orthant_status judge(consensus *c, const distances *d)
{
    double *sum = memory_new(c->ctx, c->rank, sizeof *sum, "silhouettes");
    if (!sum)
        return ORTHANT_ERROR_MEMORY;
    for (int64_t i = 0; i < d->count; i++)
        if (c->member[d->at[i]].cluster >= 0)
            c->part[c->member[d->at[i]].cluster].members++;
    c->info.silhouette = 0;
    for (int64_t i = 0; i < d->count; i++) {
        orthant_consensus_member *member = &c->member[d->at[i]];
        if (member->cluster < 0)
            continue;
        member->silhouette = c->rank > 1 ? silhouette_of(c, d, i, sum) : (double)NAN;
        c->info.silhouette += member->silhouette / (double)c->info.kept;
        c->part[member->cluster].silhouette +=
            member->silhouette / (double)c->part[member->cluster].members;
    }
    memory_free(c->ctx, sum);
    return ORTHANT_OK;
}

typedef struct ordered {
    int64_t cluster, members;
    double silhouette;
} ordered;

static int by_stability(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->silhouette != y->silhouette && !isnan(x->silhouette))
        return x->silhouette > y->silhouette ? -1 : 1;
    if (x->members != y->members)
        return x->members > y->members ? -1 : 1;
    return x->cluster < y->cluster ? -1 : x->cluster > y->cluster;
}

/* The most stable part first. */
static orthant_status order_parts(consensus *c)
{
    ordered *order = memory_new(c->ctx, c->rank, sizeof *order, "an order of parts");
    int64_t *becomes = memory_new(c->ctx, c->rank, sizeof *becomes, "an order of parts");
    const bool done = order && becomes;
    for (int64_t q = 0; done && q < c->rank; q++)
        order[q] = (ordered){q, c->part[q].members, c->part[q].silhouette};
    if (done)
        qsort(order, (size_t)c->rank, sizeof *order, by_stability);
    for (int64_t q = 0; done && q < c->rank; q++) {
        becomes[order[q].cluster] = q;
        c->part[q] = (orthant_consensus_part){sizeof *c->part, order[q].members, 0,
                                              c->rank > 1 ? order[q].silhouette : (double)NAN, 0};
    }
    for (int64_t i = 0; done && i < c->info.members; i++)
        if (c->member[i].cluster >= 0)
            c->member[i].cluster = becomes[c->member[i].cluster];
    memory_free(c->ctx, becomes);
    memory_free(c->ctx, order);
    return done ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* ---- medians ----------------------------------------------------------------------------------
 */

/* Of sorted values. */
static double middle(const double *sorted, int64_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Into median[features]; the mean where the median is zero throughout. */
static void take_median(const consensus *c, int64_t cluster, double *values, double *median)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t j = 0; j < c->features; j++) {
            int64_t count = 0;
            double sum = 0;
            for (int64_t i = 0; i < c->info.members; i++)
                if (c->member[i].cluster == cluster) {
                    values[count++] = part_at(c, i)[j];
                    sum += part_at(c, i)[j];
                }
            qsort(values, (size_t)count, sizeof *values, by_value);
            median[j] = pass ? sum : middle(values, count);
        }
        if (to_unit_length(median, c->features))
            return;
    }
}

static void compare_with_median(consensus *c, int64_t cluster, const double *median)
{
    orthant_consensus_part *part = &c->part[cluster];
    int64_t last = -1;
    for (int64_t i = 0; i < c->info.members; i++) {
        if (c->member[i].cluster != cluster)
            continue;
        part->cosine += product(part_at(c, i), median, c->features) / (double)part->members;
        part->starts += c->member[i].start != last;
        last = c->member[i].start;
    }
}

static orthant_status make_basis(consensus *c, const orthant_matrix *fixed, orthant_matrix **basis)
{
    const int64_t first = c->info.fixed;
    double *values = memory_new(c->ctx, c->info.members, sizeof *values, "a median");
    double *median = memory_new(c->ctx, c->features, sizeof *median, "a median");
    orthant_status status = values && median ? matrix_new_dense(c->ctx, ORTHANT_DOUBLE, c->features,
                                                                first + c->rank, basis)
                                             : ORTHANT_ERROR_MEMORY;
    for (int64_t q = 0; q < first && !status; q++)
        for (int64_t j = 0; j < c->features; j++)
            matrix_set_value(*basis, j * (*basis)->stride + q, orthant_matrix_get(fixed, j, q));
    for (int64_t q = 0; q < c->rank && !status; q++) {
        take_median(c, q, values, median);
        compare_with_median(c, q, median);
        for (int64_t j = 0; j < c->features; j++)
            matrix_set_value(*basis, j * (*basis)->stride + first + q, median[j]);
    }
    memory_free(c->ctx, median);
    memory_free(c->ctx, values);
    return status;
}

/* ---- the picture ------------------------------------------------------------------------------
 */

/* Evenly from all that are kept, cluster by cluster. */
static orthant_status keep_shown(consensus *c, const distances *d)
{
    const int64_t kept = c->info.kept, shown = kept < CONSENSUS_SHOWN ? kept : CONSENSUS_SHOWN;
    int64_t *row = memory_new(c->ctx, shown, sizeof *row, "an order of parts"), seen = 0;
    c->shown_member = memory_new(c->ctx, shown, sizeof *c->shown_member, "an order of parts");
    c->shown_cosine = memory_new(c->ctx, shown * shown, sizeof *c->shown_cosine, "cosines");
    const bool done = row && c->shown_member && c->shown_cosine;
    for (int64_t q = 0; q < c->rank && done; q++)
        for (int64_t i = 0; i < d->count; i++) {
            if (c->member[d->at[i]].cluster != q)
                continue;
            if (c->shown * kept <= seen * shown && c->shown < shown) {
                row[c->shown] = i;
                c->shown_member[c->shown++] = d->at[i];
            }
            seen++;
        }
    for (int64_t i = 0; i < c->shown && done; i++)
        for (int64_t j = 0; j < c->shown; j++) {
            const double distance = d->distance[row[i] * d->count + row[j]];
            c->shown_cosine[i * c->shown + j] = (float)(1 - distance * distance / 2);
        }
    memory_free(c->ctx, row);
    return done ? ORTHANT_OK : ORTHANT_ERROR_MEMORY;
}

/* The fixed parts come first in the basis: the others, and the clusters, are counted after them. */
static void count_after_fixed(consensus *c)
{
    const int64_t fixed = c->info.fixed;
    memmove(c->part + fixed, c->part, (size_t)c->rank * sizeof *c->part);
    for (int64_t q = 0; q < fixed; q++)
        c->part[q] = (orthant_consensus_part){sizeof *c->part, 0, 0, (double)NAN, (double)NAN};
    for (int64_t i = 0; i < c->info.members; i++)
        if (c->member[i].cluster >= 0)
            c->member[i].cluster += fixed;
}

orthant_status consensus_find(consensus *c, const orthant_matrix *fixed, int restarts,
                              uint64_t seed, orthant_matrix **basis)
{
    distances d;
    *basis = NULL;
    orthant_status status = find_distances(c, &d);
    if (!status)
        status = find_densities(c, &d);
    if (!status)
        status = cluster_kept(c, restarts, seed);
    if (!status)
        status = judge(c, &d);
    if (!status)
        status = order_parts(c);
    if (!status)
        status = make_basis(c, fixed, basis);
    if (!status)
        status = keep_shown(c, &d);
    if (!status)
        count_after_fixed(c);
    distances_free(c->ctx, &d);
    memory_free(c->ctx, c->parts);
    c->parts = NULL;
    if (status) {
        orthant_matrix_free(*basis);
        *basis = NULL;
    }
    return status;
}
