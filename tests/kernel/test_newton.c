/* Newton's steps for the KL loss, one coordinate after the other, against plain loops in double;
 * that none of them raises the objective, however far from its minimum they start. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_case.h"

#include <cmocka.h>

/* One row's problem: `count` entries x, and what they meet of the other factor, whose further rows
 * add to `sums` alone. */
typedef struct one {
    int64_t count, rank;
    array x;    /* 1 x count, padded to whole vectors */
    array rows; /* count x rank: of the other factor */
    array s, n, u;
    double sums[64];
} one;

static one make_one(const table *t, int64_t count, int64_t rank, int terms)
{
    one o = {.count = count, .rank = rank};
    o.x = make(t, 1, KERNEL_WHOLE(count) + 1, KERNEL_WHOLE(count) + 1, 0);
    o.rows = make(t, count + 1, rank, 0, 0);
    o.s = make(t, 1, rank, 0, 0);
    o.n = make(t, 1, rank, 0, -0.5);
    o.u = make(t, 1, rank, 0, terms > 1 ? 0 : -1);
    for (int64_t j = 0; j < o.x.columns; j++)
        if (j >= count || (j >= 32 && j < 64) || draw() < 0.2) /* whole vectors too */
            set(t, o.x, 0, j, 0);
    for (int64_t r = 0; r < rank; r++) {
        if (draw() < 0.3)
            set(t, o.s, 0, r, 0);
        if (terms == 0)
            set(t, o.n, 0, r, 0);
        if (terms < 2)
            set(t, o.u, 0, r, 0);
        for (int64_t j = 0; j < count; j++)
            if (draw() < 0.2)
                set(t, o.rows, j, r, 0);
        o.sums[r] = 0.6 + 0.3 * (double)count * draw();
    }
    return o;
}

static void free_one(one *o)
{
    void *all[] = {o->x.data, o->rows.data, o->s.data, o->n.data, o->u.data};
    for (int i = 0; i < 5; i++)
        free(all[i]);
}

static double least_fitted(const table *t)
{
    return t->precision == ORTHANT_SINGLE ? 1e-15 : 1e-100;
}

static double fitted_entry(const table *t, const one *o, const double *s, int64_t j)
{
    double a = 0;
    for (int64_t r = 0; r < o->rank; r++)
        a += s[r] * get(t, o->rows, j, r);
    return fmax(a, least_fitted(t));
}

static double objective(const table *t, const one *o, const double *s)
{
    double total = 0;
    for (int64_t j = 0; j < o->count; j++)
        if (get(t, o->x, 0, j) > 0)
            total -= get(t, o->x, 0, j) * log(fitted_entry(t, o, s, j));
    for (int64_t r = 0; r < o->rank; r++)
        total += (o->sums[r] - get(t, o->n, 0, r)) * s[r] + 0.5 * get(t, o->u, 0, r) * s[r] * s[r];
    return total;
}

/* The rule by its formulas. */
static double plain_step(double s, double c, double u, double phi, double h, double most)
{
    const double g = c + u * s - phi;
    const bool plain = u == 0 && c > 0;
    if (h + u <= 0)
        return g > 0 ? 0 : s;
    if (g <= 0)
        return s - (plain ? phi / c : 1) * g / (h + u);
    double limit = most > 0 ? 0.6838 / most : INFINITY;
    if (plain)
        limit = fmax(limit, s * fmin(0.99, 1 - phi / c * phi / c));
    return fmax(0, s - fmin(g / (h + u), limit));
}

static void plain_newton(const table *t, const one *o, double *s)
{
    for (int64_t r = 0; r < o->rank; r++) {
        double phi = 0, h = 0, most = 0;
        for (int64_t j = 0; j < o->count; j++) {
            const double x = get(t, o->x, 0, j),
                         p = get(t, o->rows, j, r) / fitted_entry(t, o, s, j);
            phi += x * p;
            h += x * p * p;
            most = x > 0 ? fmax(most, p) : most;
        }
        s[r] = plain_step(s[r], o->sums[r] - get(t, o->n, 0, r), get(t, o->u, 0, r), phi, h, most);
    }
}

static void start_of(const table *t, const one *o, double *s)
{
    for (int64_t r = 0; r < o->rank; r++)
        s[r] = get(t, o->s, 0, r);
}

static int64_t whole_parts(int64_t rank)
{
    return (rank + 3) / 4 * 4;
}

/* The row by itself. */
static void newton_alone(const table *t, one *o, int terms)
{
    const int64_t stride = KERNEL_WHOLE(o->count) + 16;
    array transposed = make(t, whole_parts(o->rank), stride, stride, 0),
          fitted = make(t, 1, stride, stride, 0);
    double s[64];
    start_of(t, o, s);
    t->ops->transpose_listed(transposed.data, stride, o->rows, NULL, o->count);
    for (int64_t j = 0; j < o->count; j++)
        set(t, fitted, 0, j, fitted_entry(t, o, s, j));
    t->ops->newton(o->s, o->x.data, fitted.data, transposed.data, stride, o->count, least_fitted(t),
                   o->sums, terms > 0 ? o->n.data : NULL, terms > 1 ? o->u.data : NULL, false);
    free(transposed.data);
    free(fitted.data);
}

static void test_a_row(void **state)
{
    static const int64_t counts[] = {0, 1, 3, 15, 16, 17, 40, 64, 150};
    static const int64_t ranks[] = {1, 2, 3, 5, 8, 13};
    const table *t = *state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
            for (int terms = 0; terms < 3; terms++) {
                one o = make_one(t, counts[c], ranks[r], terms);
                double expected[64];
                start_of(t, &o, expected);
                plain_newton(t, &o, expected);
                newton_alone(t, &o, terms);
                for (int64_t i = 0; i < ranks[r]; i++)
                    near(t, get(t, o.s, 0, i), expected[i], 20);
                tails_are_zero(t, o.s);
                free_one(&o);
            }
}

/* As many rows as a vector holds, of different lengths. */
static void check_together(const table *t, int64_t longest, int64_t rank, int terms)
{
    const int64_t lanes = t->ops->lanes, all = longest * lanes, stride = KERNEL_WHOLE(all) + 16;
    array transposed = make(t, whole_parts(rank), stride, stride, 0),
          fitted = make(t, 1, stride, stride, 0), x = make(t, 1, all + 1, all + 1, -2),
          s = make(t, rank, lanes, lanes, 0), n = make(t, rank, lanes, lanes, 0),
          u = make(t, rank, lanes, lanes, 0);
    one o[KERNEL_MOST_LANES];
    double expected[KERNEL_MOST_LANES][64];
    memset(x.data, 0, (size_t)(all + 1) * t->ops->size);
    for (int64_t i = 0; i < lanes; i++) {
        o[i] = make_one(t, longest - i % (longest + 1), rank, terms);
        memcpy(o[i].sums, o[0].sums, sizeof o[i].sums);
        start_of(t, &o[i], expected[i]);
        plain_newton(t, &o[i], expected[i]);
        for (int64_t r = 0; r < rank; r++) {
            set(t, s, r, i, get(t, o[i].s, 0, r));
            set(t, n, r, i, get(t, o[i].n, 0, r));
            set(t, u, r, i, get(t, o[i].u, 0, r));
            for (int64_t e = 0; e < o[i].count; e++) {
                set(t, x, 0, e * lanes + i, get(t, o[i].x, 0, e));
                set(t, transposed, r, e * lanes + i, get(t, o[i].rows, e, r));
            }
        }
    }
    t->ops->fit_listed(fitted.data, s, false, transposed.data, stride, longest, false);
    t->ops->newton_short(s, x.data, fitted.data, transposed.data, stride, longest, least_fitted(t),
                         o[0].sums, terms > 0 ? n.data : NULL, terms > 1 ? u.data : NULL, false);
    for (int64_t i = 0; i < lanes; i++) {
        for (int64_t r = 0; r < rank; r++)
            near(t, get(t, s, r, i), expected[i][r], 20);
        free_one(&o[i]);
    }
    void *arrays[] = {transposed.data, fitted.data, x.data, s.data, n.data, u.data};
    for (int i = 0; i < 6; i++)
        free(arrays[i]);
}

static void test_rows_together(void **state)
{
    static const int64_t counts[] = {0, 1, 2, 3, 30};
    static const int64_t ranks[] = {1, 2, 3, 7, 12};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
            for (int terms = 0; terms < 3; terms++)
                check_together(*state, counts[c], ranks[r], terms);
}

/* Some coordinates at a time, four and then the others: the same bits. */
static void check_parts(const table *t, int64_t count, int64_t rank, bool alone)
{
    const int64_t lanes = t->ops->lanes, all = alone ? count : count * lanes,
                  vectors = (all + lanes - 1) / lanes, stride = KERNEL_WHOLE(all) + 16,
                  width = alone ? rank : lanes, height = alone ? 1 : rank,
                  size = (int64_t)t->ops->size;
    array w = make(t, whole_parts(rank), stride, stride, 0), x = make(t, 1, stride, stride, 0),
          s[2] = {make(t, height, width, width, 0), make(t, height, width, width, 0)};
    double sums[64];
    for (int64_t j = all; j < stride; j++)
        set(t, x, 0, j, 0);
    for (int64_t r = 0; r < rank; r++)
        sums[r] = 0.6 + 0.3 * (double)count * draw();
    memcpy(s[1].data, s[0].data, (size_t)(height * width * size));
    for (int64_t part = 0; part < 2; part++) {
        array fitted = make(t, 1, stride, stride, 0);
        const int64_t step = part ? 4 : rank;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t first = 0; first < rank; first += step) {
                const int64_t columns = first + step < rank ? step : rank - first;
                const char *tile = (const char *)w.data + first * stride * size;
                const array rows = alone ? array_columns(t->ops, s[part], first, columns)
                                         : array_rows(t->ops, s[part], first, columns);
                if (!pass)
                    t->ops->fit_listed(fitted.data, rows, alone, tile, stride, vectors, first > 0);
                else if (alone)
                    t->ops->newton(rows, x.data, fitted.data, tile, stride, count, least_fitted(t),
                                   sums + first, NULL, NULL, first + columns < rank);
                else
                    t->ops->newton_short(rows, x.data, fitted.data, tile, stride, count,
                                         least_fitted(t), sums + first, NULL, NULL,
                                         first + columns < rank);
            }
        free(fitted.data);
    }
    assert_memory_equal(s[0].data, s[1].data, (size_t)(height * width * size));
    void *arrays[] = {w.data, x.data, s[0].data, s[1].data};
    for (int i = 0; i < 4; i++)
        free(arrays[i]);
}

static void test_parts(void **state)
{
    static const int64_t counts[] = {1, 5, 16, 40, 150};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int64_t rank = 5; rank < 14; rank += 4)
            for (int alone = 0; alone < 2; alone++)
                check_parts(*state, counts[c], rank, alone);
}

/* Rows of dense data, that meet all rows of the other factor; some entries are zeros. */
typedef struct whole {
    int64_t count, rank;
    array transposed, x, fitted, s, n, u;
    one first; /* has the other factor, and its sums */
} whole;

static whole make_whole(const table *t, int64_t count, int64_t rank, int terms)
{
    const int64_t lanes = t->ops->lanes, stride = KERNEL_WHOLE(count) + 16;
    whole d = {.count = count,
               .rank = rank,
               .transposed = make(t, whole_parts(rank), stride, stride, 0),
               .x = make(t, lanes, count, stride, 0),
               .fitted = make(t, lanes, count, stride, 0),
               .s = make(t, rank, lanes, lanes, 0),
               .n = make(t, rank, lanes, lanes, 0),
               .u = make(t, rank, lanes, lanes, 0),
               .first = make_one(t, count, rank, terms)};
    t->ops->transpose_listed(d.transposed.data, stride, d.first.rows, NULL, count);
    return d;
}

static void free_whole(whole *d)
{
    void *arrays[] = {d->transposed.data, d->x.data, d->fitted.data,
                      d->s.data,          d->n.data, d->u.data};
    for (int i = 0; i < 6; i++)
        free(arrays[i]);
    free_one(&d->first);
}

/* `count` rows from `first` on. */
static void newton_whole(const table *t, const whole *d, array s, int64_t first, int64_t count,
                         int terms)
{
    uint64_t some[KERNEL_MOST_LANES * 8];
    const array x = array_rows(t->ops, d->x, first, count);
    assert_true(KERNEL_MASKS(d->count) <= 8);
    t->ops->newton_whole(s, x, array_rows(t->ops, d->fitted, 0, count), d->transposed.data,
                         d->transposed.stride, least_fitted(t), d->first.sums,
                         terms > 0 ? d->n.data : NULL, terms > 1 ? d->u.data : NULL, some);
}

static void check_whole(const table *t, int64_t count, int64_t rows, int64_t rank, int terms)
{
    whole d = make_whole(t, count, rank, terms);
    double expected[KERNEL_MOST_LANES][64];
    for (int64_t i = 0; i < rows; i++) {
        one o = make_one(t, count, rank, terms);
        const array own = o.rows;
        memcpy(o.sums, d.first.sums, sizeof o.sums);
        o.rows = d.first.rows;
        for (int64_t j = 0; j < KERNEL_WHOLE(count); j++)
            set(t, d.x, i, j, get(t, o.x, 0, j));
        for (int64_t r = 0; r < rank; r++) {
            set(t, d.s, r, i, get(t, o.s, 0, r));
            set(t, d.n, r, i, get(t, o.n, 0, r));
            set(t, d.u, r, i, get(t, o.u, 0, r));
        }
        start_of(t, &o, expected[i]);
        plain_newton(t, &o, expected[i]);
        o.rows = own;
        free_one(&o);
    }
    newton_whole(t, &d, d.s, 0, rows, terms);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t r = 0; r < rank; r++)
            near(t, get(t, d.s, r, i), expected[i][r], 20);
    free_whole(&d);
}

static void test_whole_rows(void **state)
{
    static const int64_t counts[] = {1, 2, 7, 8, 9, 30, 61, 150};
    static const int64_t ranks[] = {1, 3, 7, 12};
    const table *t = *state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
            for (int64_t rows = 1; rows <= t->ops->lanes; rows++)
                check_whole(t, counts[c], rows, ranks[r], (int)(rows % 3));
}

/* A row by itself has the bits that it has among others; zeros and far starts are among them, so
 * that some rows' steps are cut and others' are not. */
static void test_whole_alone(void **state)
{
    const table *t = *state;
    const int64_t lanes = t->ops->lanes, size = (int64_t)t->ops->size;
    for (int trial = 0; trial < 20; trial++) {
        whole d = make_whole(t, 30 + 45 * trial, 1 + trial % 7, 0);
        array alone = make(t, d.rank, lanes, lanes, 0), together = make(t, d.rank, lanes, lanes, 0);
        for (int64_t i = 0; i < lanes; i++) {
            for (int64_t j = 0; j < KERNEL_WHOLE(d.count); j++)
                if (j >= d.count || draw() < 0.5 || (i % 3 == 0 && j / 32 % 2))
                    set(t, d.x, i, j, 0);
            for (int64_t r = 0; r < d.rank; r++)
                set(t, d.s, r, i, draw() * pow(10, (double)(i % 5) - 2));
        }
        memcpy(together.data, d.s.data, (size_t)(d.rank * lanes * size));
        newton_whole(t, &d, together, 0, lanes, 0);
        for (int64_t i = 0; i < lanes; i++) {
            for (int64_t r = 0; r < d.rank; r++)
                set(t, alone, r, 0, get(t, d.s, r, i));
            newton_whole(t, &d, alone, i, 1, 0);
            for (int64_t r = 0; r < d.rank; r++)
                assert_true(get(t, alone, r, 0) == get(t, together, r, i));
        }
        free(alone.data);
        free(together.data);
        free_whole(&d);
    }
}

/* From far off on either side, and to the end. */
static void test_never_rises(void **state)
{
    const table *t = *state;
    const double slack = t->precision == ORTHANT_SINGLE ? 2e-6 : 1e-13;
    for (int trial = 0; trial < 60; trial++) {
        const int terms = trial % 3;
        one o = make_one(t, 25, 6, terms);
        const double scale = pow(10, trial / 3 % 7 - 3);
        double s[64], before, after = 0;
        for (int64_t r = 0; r < o.rank; r++)
            set(t, o.s, 0, r, scale * (get(t, o.s, 0, r) + 1e-3));
        for (int pass = 0; pass < 200; pass++) {
            start_of(t, &o, s);
            before = objective(t, &o, s);
            newton_alone(t, &o, terms);
            start_of(t, &o, s);
            after = objective(t, &o, s);
            if (!(after <= before + slack * (1 + fabs(before))))
                fail_msg("%s: pass %d from %g times: %.17g after %.17g", t->ops->name, pass, scale,
                         after, before);
        }
        /* stationary: the slope is not negative, and zero where s is not */
        for (int64_t r = 0; r < o.rank; r++) {
            double phi = 0;
            for (int64_t j = 0; j < o.count; j++)
                phi += get(t, o.x, 0, j) * get(t, o.rows, j, r) / fitted_entry(t, &o, s, j);
            const double slope = o.sums[r] - get(t, o.n, 0, r) + get(t, o.u, 0, r) * s[r] - phi;
            assert_true(slope > -1e-3 * o.sums[r]);
            assert_true(s[r] * slope < 1e-3);
        }
        free_one(&o);
    }
}

/* What fits no entry stays; an entry that is fitted by nothing is lifted. */
static void test_edges(void **state)
{
    const table *t = *state;
    one o = make_one(t, 20, 3, 0);
    for (int64_t j = 0; j < 20; j++) {
        set(t, o.rows, j, 0, 0.5);
        set(t, o.rows, j, 1, 0);
        set(t, o.x, 0, j, 1);
    }
    o.sums[0] = 10;
    o.sums[1] = 0;
    set(t, o.s, 0, 0, 0);
    set(t, o.s, 0, 1, 0.25);
    set(t, o.s, 0, 2, 0);
    newton_alone(t, &o, 0);
    near(t, get(t, o.s, 0, 0), 2, 1); /* sum x / sum w, at once */
    assert_true(get(t, o.s, 0, 1) == 0.25);
    free_one(&o);
}

static void test_transposing(void **state)
{
    static const int64_t columns[] = {1, 2, 4, 5, 16, 33};
    const table *t = *state;
    for (int64_t count = 1; count <= 70; count += 3)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            const int64_t stride = KERNEL_WHOLE(count) + 8;
            array b = make(t, 90, columns[c], 0, 0),
                  to = make(t, whole_parts(columns[c]), stride, stride, 0);
            int32_t listed[70];
            for (int64_t i = 0; i < count; i++)
                listed[i] = (int32_t)(90 * draw());
            for (int with = 0; with < 2; with++) {
                t->ops->transpose_listed(to.data, stride, b, with ? listed : NULL, count);
                for (int64_t i = 0; i < count; i++)
                    for (int64_t j = 0; j < columns[c]; j++)
                        assert_true(get(t, to, j, i) == get(t, b, with ? listed[i] : i, j));
            }
            free(b.data);
            free(to.data);
        }
}

static const kernel_test functions[] = {
    {"a row", test_a_row},
    {"rows together", test_rows_together},
    {"parts of the coordinates", test_parts},
    {"whole rows", test_whole_rows},
    {"a whole row alone", test_whole_alone},
    {"never rises", test_never_rises},
    {"edges", test_edges},
    {"transposing", test_transposing},
};

int main(void)
{
    return run_kernel_tests("newton", functions, (int)(sizeof functions / sizeof *functions));
}
