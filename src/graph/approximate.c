/* Trees first, then rounds of neighbour descent, on the lists of candidates.h; by estimates where
 * these are good enough, else by the samples. */
#include "graph/approximate.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/pieces.h"
#include "graph/candidates.h"
#include "graph/projection_tree.h"

#define MOST_ROUNDS 10 /* of descent */
#define MOST_REACH 16
#define FEWEST_BOUNDED 192 /* features: below, samples themselves are as quick as estimates */
#define MOST_DOUBT 0.02    /* of lists by estimates: candidates_doubt() */
#define SAMPLES_OF_A_TASK 256
#define FRESH CANDIDATES_FRESH

/* How thorough the search is: more of anything finds more and takes longer. */
typedef struct effort {
    int trees;
    int64_t leaf;        /* samples of a leaf at most */
    int64_t reach, back; /* neighbours of a sample that are followed, and of those that have it as
                            one; at most MOST_REACH each */
    int64_t more;        /* candidates that a list has beside the neighbours */
    double enough;       /* the share of all entries that change in the last round */
} effort;

/* Estimates take little time, so that more can be compared. Text has words that most documents
 * lack, and documents that are near to very many: it takes more to find the same share. */
static const effort estimated_effort = {7, 64, 10, 8, 6, 0.02};
static const effort short_effort = {7, 64, 9, 6, 4, 0.02};
static const effort sparse_effort = {8, 128, 16, 16, 8, 0.002};

/* The lists as they were before a round. */
typedef struct followed {
    int64_t reach, most_back; /* of a sample */
    uint32_t *forward;        /* n x reach: neighbours, with FRESH where they are new */
    int64_t *start;           /* n + 1 */
    bool *changed;            /* whether anything from it, either way, is fresh */
    uint32_t *back; /* of sample i those that have it as a neighbour: back[start[i]] ... */
} followed;

typedef struct search {
    orthant_context *ctx;
    const search_clock *clock;
    effort effort;
    lower_bounds *bounds;
    candidates lists;
    projection_tree tree;
    followed followed;
    int64_t *changes; /* of each task */
    int64_t count;    /* neighbours that are wanted */
    int32_t *nearest; /* n x count */
} search;

/* What a sample is compared by. */
typedef struct comparison {
    void (*group)(const candidates *c, const int32_t *group, int64_t count, int thread);
    int64_t (*listed)(const candidates *c, int64_t i, int64_t count, int thread);
    int pass; /* through the trees: who comes second */
} comparison;

static const comparison by_estimates = {candidates_estimate_group, candidates_estimate, 0};
static const comparison by_samples = {candidates_compare_group, candidates_compare, 1};

typedef struct comparing {
    const search *s;
    const comparison *by;
} comparing;

/* The points, each tree's cuts and leaves, once by estimates and once by samples, and the rounds.
 */
static int64_t steps_of(effort e)
{
    return 1 + 2 * 2 * e.trees + MOST_ROUNDS;
}

/* ---- trees ---- */

/* Each point of the leaf with all others. */
static void compare_leaf(void *user, int64_t leaf, int thread)
{
    const comparing *c = user;
    const projection_tree *tree = &c->s->tree;
    int64_t begin, end;
    projection_tree_leaf(tree, leaf, &begin, &end);
    c->by->group(&c->s->lists, tree->order + begin, end - begin, thread);
}

/* What a sample is compared with lies close together in memory if the points lie as in a tree. */
static orthant_status arrange_points(search *s)
{
    const orthant_status status = lower_bounds_arrange(s->bounds, s->tree.order);
    for (int64_t i = 0; i < s->tree.points->rows; i++)
        s->tree.order[i] = (int32_t)i;
    return status;
}

static orthant_status compare_in_trees(search *s, const comparison *by)
{
    const int trees = s->effort.trees;
    comparing c = {s, by};
    search_step at = {s->clock, 1 + by->pass * 2 * trees, steps_of(s->effort), false};
    orthant_status status = ORTHANT_OK;
    for (int t = 0; t < trees && !status; t++, at.done++) {
        status = projection_tree_grow(&s->tree, (uint64_t)t, &at);
        at.done++;
        if (!status && s->bounds->points && !s->bounds->order)
            status = arrange_points(s);
        if (!status)
            status = search_run(s->ctx, &at, s->tree.leaves, compare_leaf, &c);
    }
    return status;
}

/* ---- descent ---- */

static int64_t length_of(const search *s)
{
    return s->lists.samples->rows * s->followed.reach;
}

/* The nearest of each list; none is fresh in it after that. */
static void copy_forward(void *user, int64_t task, int thread)
{
    const search *s = user;
    const int64_t first = task * SAMPLES_OF_A_TASK, reach = s->followed.reach;
    const int64_t end = smaller(first + SAMPLES_OF_A_TASK, s->lists.samples->rows);
    (void)thread;
    for (int64_t i = first; i < end; i++) {
        nearest_entry *mine = candidates_of(&s->lists, i);
        for (int64_t e = 0; e < s->lists.kept; e++) {
            if (e < reach)
                s->followed.forward[i * reach + e] = mine[e].index;
            mine[e].index &= ~FRESH;
        }
    }
}

/* Who has each sample as a neighbour, in their order. */
static void turn_back(search *s)
{
    followed *f = &s->followed;
    const int64_t n = s->lists.samples->rows, length = length_of(s);
    /* Each start is one entry too far until the filling loop has moved it on. */
    int64_t *start = f->start + 1;
    memset(f->start, 0, (size_t)(n + 2) * sizeof *f->start);
    memset(f->changed, 0, (size_t)n * sizeof *f->changed);
    for (int64_t e = 0; e < length; e++)
        start[(f->forward[e] & ~FRESH) + 1]++;
    for (int64_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (int64_t e = 0; e < length; e++) {
        const uint32_t i = (uint32_t)(e / f->reach), j = f->forward[e] & ~FRESH,
                       fresh = f->forward[e] & FRESH;
        f->back[start[j]++] = i | fresh;
        if (fresh)
            f->changed[i] = f->changed[j] = true;
    }
}

/* What is followed from a sample, both ways: of many that have it as a neighbour some at equal
 * distances in their list. Returns how many. */
static int64_t gather(const followed *f, int64_t i, uint32_t around[2 * MOST_REACH])
{
    const int64_t held = f->start[i + 1] - f->start[i], back = smaller(held, f->most_back);
    memcpy(around, f->forward + i * f->reach, (size_t)f->reach * sizeof *around);
    for (int64_t b = 0; b < back; b++)
        around[f->reach + b] = f->back[f->start[i] + b * held / back];
    return f->reach + back;
}

/* Lists the neighbours of the neighbours of sample i that lie on a fresh way. */
static int64_t list_around(const search *s, int64_t i, int thread)
{
    const followed *f = &s->followed;
    uint32_t mine[2 * MOST_REACH], theirs[2 * MOST_REACH];
    const int64_t around = gather(f, i, mine);
    int64_t count = 0;
    candidates_clear(&s->lists, i, thread);
    for (int64_t a = 0; a < around; a++) {
        const uint32_t v = mine[a] & ~FRESH;
        if (a + 2 < around)
            __builtin_prefetch(f->forward + (mine[a + 2] & ~FRESH) * f->reach);
        count = candidates_list(&s->lists, v, count, thread);
        if (!(mine[a] & FRESH) && !f->changed[v])
            continue;
        const int64_t others = gather(f, v, theirs);
        for (int64_t o = 0; o < others; o++)
            if ((mine[a] | theirs[o]) & FRESH)
                count = candidates_list(&s->lists, theirs[o] & ~FRESH, count, thread);
    }
    return count;
}

/* The r-th sample to be worked on: near ones follow each other. */
static int64_t number_of(const search *s, int64_t r)
{
    return s->bounds->order ? r : s->tree.order[r];
}

static void descend(void *user, int64_t task, int thread)
{
    const comparing *c = user;
    const search *s = c->s;
    const int64_t first = task * SAMPLES_OF_A_TASK;
    const int64_t end = smaller(first + SAMPLES_OF_A_TASK, s->lists.samples->rows);
    s->changes[task] = 0;
    for (int64_t r = first; r < end; r++) {
        const int64_t i = number_of(s, r);
        s->changes[task] += c->by->listed(&s->lists, i, list_around(s, i, thread), thread);
    }
}

static void finish_samples(void *user, int64_t task, int thread)
{
    const search *s = user;
    const int64_t first = task * SAMPLES_OF_A_TASK;
    const int64_t end = smaller(first + SAMPLES_OF_A_TASK, s->lists.samples->rows);
    for (int64_t r = first; r < end; r++)
        candidates_finish(&s->lists, number_of(s, r), s->count, s->nearest, thread);
}

static orthant_status run_rounds(search *s, const comparison *by)
{
    const int64_t n = s->lists.samples->rows, tasks = pieces(n, SAMPLES_OF_A_TASK);
    const int64_t steps = steps_of(s->effort);
    comparing c = {s, by};
    search_step at = {s->clock, steps - MOST_ROUNDS, steps, false};
    for (int round = 0; round < MOST_ROUNDS; round++, at.done++) {
        int64_t changed = 0;
        parallel_for(s->ctx, tasks, copy_forward, s);
        turn_back(s);
        const orthant_status status = search_run(s->ctx, &at, tasks, descend, &c);
        if (status)
            return status;
        for (int64_t t = 0; t < tasks; t++)
            changed += s->changes[t];
        if ((double)changed <= s->effort.enough * (double)(n * s->lists.kept))
            break;
    }
    parallel_for(s->ctx, tasks, finish_samples, s);
    return search_tell(s->ctx, s->clock, steps, steps, false);
}

/* ---- all of it ---- */

static orthant_status new_followed(search *s)
{
    orthant_context *ctx = s->ctx;
    followed *f = &s->followed;
    const int64_t n = s->lists.samples->rows;
    f->reach = smaller(s->lists.kept, s->effort.reach);
    f->most_back = s->effort.back;
    f->forward = memory_new(ctx, n * f->reach, sizeof *f->forward, "neighbours of neighbours");
    f->back = memory_new(ctx, n * f->reach, sizeof *f->back, "neighbours of neighbours");
    f->changed = memory_new(ctx, n, sizeof *f->changed, "neighbours of neighbours");
    f->start = memory_new(ctx, n + 2, sizeof *f->start, "neighbours of neighbours");
    s->changes = memory_new(ctx, pieces(n, SAMPLES_OF_A_TASK), sizeof *s->changes, "neighbours");
    return f->forward && f->back && f->changed && f->start && s->changes ? ORTHANT_OK
                                                                         : ORTHANT_ERROR_MEMORY;
}

/* What the trees are grown on: the points of the lower bounds, the samples themselves where they
 * are short, or a random projection. */
static orthant_status choose_points(orthant_context *ctx, const orthant_matrix *samples,
                                    const search_step *at, lower_bounds *bounds,
                                    orthant_matrix **made)
{
    *made = NULL;
    if (!samples->sparse && samples->columns < FEWEST_BOUNDED)
        return matrix_copy(ctx, samples, ORTHANT_SINGLE, made);
    if (!samples->sparse) {
        const orthant_status status = lower_bounds_make(ctx, samples, false, at, bounds);
        if (status || bounds->points)
            return status;
    }
    return projection_by_signs(ctx, samples, at, made);
}

/* All of it but the memory. */
static orthant_status search_lists(search *s)
{
    const comparison *by = s->bounds->points ? &by_estimates : &by_samples;
    orthant_status status = compare_in_trees(s, by);
    if (!status && by == &by_estimates && candidates_doubt(&s->lists, s->count) > MOST_DOUBT) {
        by = &by_samples;
        candidates_empty(&s->lists);
        status = compare_in_trees(s, by);
    }
    return status ? status : run_rounds(s, by);
}

orthant_status approximate_neighbours(orthant_context *ctx, const orthant_matrix *samples,
                                      int64_t count, const search_clock *clock, int32_t *nearest)
{
    const effort e = samples->sparse                     ? sparse_effort
                     : samples->columns < FEWEST_BOUNDED ? short_effort
                                                         : estimated_effort;
    const int64_t kept = smaller(count + count / 4 + e.more, samples->rows - 1);
    lower_bounds bounds = {.ctx = ctx};
    search s = {.ctx = ctx,
                .clock = clock,
                .effort = e,
                .bounds = &bounds,
                .count = count,
                .nearest = nearest};
    orthant_matrix *points = NULL;
    const search_step first = {clock, 0, steps_of(e), false};
    orthant_status status = search_tell(ctx, clock, 0, first.total, false);
    if (!status)
        status = choose_points(ctx, samples, &first, &bounds, &points);
    if (!status)
        status = projection_tree_begin(ctx, points ? points : bounds.points,
                                       larger(e.leaf, 2 * kept + 4), &s.tree);
    if (!status)
        status = candidates_begin(ctx, samples, &bounds, kept, s.tree.most, &s.lists);
    if (!status)
        status = new_followed(&s);
    if (!status)
        status = search_lists(&s);
    void *const owned[] = {s.followed.forward, s.followed.back, s.followed.start,
                           s.followed.changed, s.changes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(ctx, owned[i]);
    candidates_end(&s.lists);
    projection_tree_end(&s.tree);
    lower_bounds_free(&bounds);
    orthant_matrix_free(points);
    return status;
}
