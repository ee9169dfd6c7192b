/* A device of plain loops on the host: liborthant-hostdevice.so, which tests load in the place of
 * an accelerator's. All arithmetic is in double; what is kept between two verbs is rounded to the
 * precision of the problem.
 *
 *   HOSTDEVICE_COUNT=0     it has no devices (default 2)
 *   HOSTDEVICE_VERSION=9   it was built for that version
 *   HOSTDEVICE_ONE_BY_ONE=1    it makes no iterations together
 *   HOSTDEVICE_FAILS=basis:3   the third call of that verb fails */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_device.h"

#define MOST_PASSES 8
#define ENOUGH 1e-2
#define LEFT 0.01 /* see src/solver/extrapolate.c */

/* ------------------------------------------------------------------ arithmetic */

static double rounded(const device_state *s, double value)
{
    return s->p.single ? (double)(float)value : value;
}

static double floor_of(const device_state *s)
{
    return s->p.single ? 1e-30 : 1e-100;
}

static void round_all(const device_state *s, double *a, int64_t count)
{
    for (int64_t e = 0; e < count; e++)
        a[e] = rounded(s, a[e]);
}

static double element(const device_state *s, const void *values, int64_t e)
{
    return s->p.single ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

void read_row(device_state *s, int64_t i)
{
    const device_problem *p = &s->p;
    if (!p->start) {
        for (int64_t j = 0; j < p->features; j++)
            s->x[j] = element(s, p->values, i * p->stride + j);
        return;
    }
    memset(s->x, 0, (size_t)p->features * sizeof *s->x);
    for (int64_t e = p->start[i]; e < p->start[i + 1]; e++)
        s->x[p->column[e]] = element(s, p->values, e);
}

static double dot(const double *a, const double *b, int64_t count)
{
    double total = 0;
    for (int64_t e = 0; e < count; e++)
        total += a[e] * b[e];
    return total;
}

/* to = F'F */
static void gram(const device_state *s, const double *factor, int64_t rows, double *to)
{
    const int64_t k = s->p.rank;
    memset(to, 0, (size_t)(k * k) * sizeof *to);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++)
                to[a * k + b] += factor[i * k + a] * factor[i * k + b];
    round_all(s, to, k * k);
}

static void column_sums(const device_state *s, const double *factor, int64_t rows, double *to)
{
    const int64_t k = s->p.rank;
    memset(to, 0, (size_t)k * sizeof *to);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t a = 0; a < k; a++)
            to[a] += factor[i * k + a];
}

static bool is_kl(const device_state *s)
{
    return !strcmp(s->p.loss, "kl");
}

/* Entries of s->x in the place of which numerators see x / y, for the kl loss. */
static void make_ratios(device_state *s, int64_t i, double *divergence)
{
    const int64_t k = s->p.rank;
    for (int64_t j = 0; j < s->p.features; j++) {
        const double x = s->x[j], y = fmax(dot(s->S + i * k, s->W + j * k, k), floor_of(s));
        s->x[j] = x / y;
        if (x > 0 && divergence)
            *divergence += x * log(fmax(x / y, floor_of(s)));
    }
}

/* ------------------------------------------------------------------ the sums */

static void add_products(const device_state *s, int64_t i, double *to)
{
    const int64_t k = s->p.rank;
    for (int64_t j = 0; j < s->p.features; j++)
        for (int64_t a = 0; a < k; a++)
            to[j * k + a] += s->x[j] * s->S[i * k + a];
}

/* For S as it is. */
static void make_sums(device_state *s)
{
    const int64_t n = s->p.samples, m = s->p.features, k = s->p.rank;
    memset(s->A, 0, (size_t)(m * k) * sizeof *s->A);
    memset(s->XS, 0, (size_t)(m * k) * sizeof *s->XS);
    s->divergence = 0;
    for (int64_t i = 0; i < n; i++) {
        read_row(s, i);
        add_products(s, i, s->XS);
        if (is_kl(s))
            make_ratios(s, i, &s->divergence);
        add_products(s, i, s->A);
    }
    round_all(s, s->A, m * k);
    round_all(s, s->XS, m * k);
    gram(s, s->S, n, s->B);
    column_sums(s, s->S, n, s->columns);
}

static void refresh_basis(device_state *s)
{
    gram(s, s->W, s->p.features, s->G);
    column_sums(s, s->W, s->p.features, s->basis_columns);
}

/* ------------------------------------------------------------------ numerators and denominators */

/* Of all rows of W (basis) or S, for the multiplicative rule or the gradient. */
static void make_parts(device_state *s, bool basis)
{
    const int64_t k = s->p.rank, rows = basis ? s->p.features : s->p.samples;
    const double *factor = basis ? s->W : s->S, *held = basis ? s->B : s->G,
                 *sums = basis ? s->columns : s->basis_columns;
    for (int64_t i = 0; i < rows; i++) {
        double *n = s->n + i * k, *d = s->d + i * k;
        memcpy(n, s->A + (basis ? i * k : 0), (size_t)k * sizeof *n);
        if (!basis) {
            memset(n, 0, (size_t)k * sizeof *n);
            read_row(s, i);
            if (is_kl(s))
                make_ratios(s, i, NULL);
            for (int64_t j = 0; j < s->p.features; j++)
                for (int64_t a = 0; a < k; a++)
                    n[a] += s->x[j] * s->W[j * k + a];
        }
        for (int64_t a = 0; a < k; a++) {
            d[a] = is_kl(s) ? sums[a] : 0;
            for (int64_t b = 0; !is_kl(s) && b < k; b++)
                d[a] += factor[i * k + b] * held[b * k + a];
            d[a] += terms_penalty(s, basis);
        }
    }
    terms_add(s, basis);
}

/* ------------------------------------------------------------------ solvers */

static void update(const device_state *s, double *factor, int64_t count, double exponent)
{
    for (int64_t e = 0; e < count; e++) {
        const double ratio = s->n[e] / fmax(s->d[e], floor_of(s)),
                     next = factor[e] * (exponent == 1 ? ratio : pow(ratio, exponent));
        factor[e] = next < (s->p.single ? 1e-36 : 1e-290) ? 0 : rounded(s, next);
    }
}

static void extrapolate(const device_state *s, double *factor, double *last, int64_t count,
                        double momentum)
{
    const bool both_ways = s->p.term_count > 0;
    for (int64_t e = 0; e < count; e++) {
        const double now = factor[e], change = now - last[e];
        last[e] = now;
        if (momentum <= 0)
            continue;
        factor[e] += momentum * (both_ways ? change : fmax(change, 0));
        if (both_ways)
            factor[e] = LEFT * now + fmax(factor[e] - LEFT * now, 0);
        factor[e] = rounded(s, factor[e]);
    }
}

/* One pass over all coordinates of all rows; the sum of squares of the changes. N is in s->n. */
static double descend(const device_state *s, double *factor, int64_t rows, const double *held)
{
    const int64_t k = s->p.rank;
    double changes = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++) {
            const double slope = dot(factor + i * k, held + j * k, k) - s->n[i * k + j],
                         curvature = held[j * k + j], before = factor[i * k + j];
            if (curvature <= floor_of(s))
                continue;
            factor[i * k + j] = rounded(s, fmax(before - slope / curvature, 0));
            changes += (factor[i * k + j] - before) * (factor[i * k + j] - before);
        }
    return changes;
}

/* <a, b G> */
static double form(const device_state *s, const double *a, const double *b, int64_t rows,
                   const double *held)
{
    const int64_t k = s->p.rank;
    double total = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            total += a[i * k + j] * dot(b + i * k, held + j * k, k);
    return total;
}

/* src/solver/hals.c with all rows in one block. */
static void hals(device_state *s, const device_step *t, bool basis)
{
    const int64_t k = s->p.rank, rows = basis ? s->p.features : s->p.samples, count = rows * k;
    double *factor = basis ? s->W : s->S, *back = s->d;
    const double *held = basis ? s->B : s->G, now = (double)t->iteration;
    const double share = !s->p.cautious ? 0.7 : now > 1 ? fmin((now - 1) / (now + 2), 0.9) : 0;
    const int passes = basis && s->p.cautious && t->iteration <= 3 ? 1 : MOST_PASSES;
    double first = 0, *change = calloc((size_t)count, sizeof *change);
    make_parts(s, basis);
    for (int64_t e = 0; e < count; e++)
        s->n[e] -= terms_penalty(s, basis);
    memcpy(back, factor, (size_t)count * sizeof *back);
    for (int pass = 0; pass < passes; pass++) {
        const double moved = descend(s, factor, rows, held);
        first = pass ? first : moved;
        if (moved <= ENOUGH * first)
            break;
    }
    if (share <= 0 || !change) {
        free(change);
        return;
    }
    for (int64_t e = 0; e < count; e++) {
        change[e] = fmax(2 * factor[e] - back[e], 0) - factor[e];
        back[e] -= factor[e];
    }
    const double gained = 2 * (form(s, back, factor, rows, held) - dot(back, s->n, count)) +
                          form(s, back, back, rows, held),
                 rise = 2 * (form(s, change, factor, rows, held) - dot(change, s->n, count)),
                 curvature = form(s, change, change, rows, held);
    double length = curvature + rise <= gained ? 1 : 0;
    if (length < 1 && gained > 0 && curvature > 0)
        length = fmin(1, (sqrt(rise * rise + 4 * curvature * gained) - rise) / (2 * curvature));
    for (int64_t e = 0; e < count; e++)
        factor[e] = rounded(s, factor[e] + share * length * change[e]);
    free(change);
}

static void step_rows(device_state *s, const device_step *t, bool basis)
{
    const int64_t count = (basis ? s->p.features : s->p.samples) * s->p.rank;
    double *factor = basis ? s->W : s->S;
    if (!strcmp(t->solver, "hals")) {
        hals(s, t, basis);
        return;
    }
    make_parts(s, basis);
    update(s, factor, count, t->exponent * s->p.exponent);
    if (!strcmp(t->solver, "emu"))
        extrapolate(s, factor, basis ? s->updated_W : s->updated_S, count, t->momentum);
}

/* ------------------------------------------------------------------ verbs */

/* Whether this call shall fail, as the environment says. */
static bool fails(device_state *s, const char *verb)
{
    const char *given = getenv("HOSTDEVICE_FAILS"), *wanted = given ? given : "";
    static char counted[64];
    static int calls; /* since that was set */
    if (strcmp(wanted, counted) != 0) {
        snprintf(counted, sizeof counted, "%s", wanted);
        calls = 0;
    }
    const size_t length = strlen(verb);
    if (!s->failed && !strncmp(wanted, verb, length) && wanted[length] == ':' &&
        ++calls == atoi(wanted + length + 1)) {
        s->failed = true;
        snprintf(s->message, sizeof s->message, "%s was told to fail", verb);
    }
    return s->failed;
}

static int count_devices(char *message)
{
    const char *wanted = getenv("HOSTDEVICE_COUNT");
    snprintf(message, DEVICE_MESSAGE, "HOSTDEVICE_COUNT is 0");
    return wanted ? atoi(wanted) : 2;
}

static bool describe(int device, device_description *description, char *message)
{
    (void)message;
    *description = (device_description){.memory = (int64_t)1 << 30,
                                        .free_memory = (int64_t)1 << 29,
                                        .multiprocessors = 1,
                                        .major = 1,
                                        .minor = device};
    snprintf(description->name, sizeof description->name, "plain loops %d", device);
    return true;
}

static bool accepts_terms(const device_problem *p, char *message)
{
    for (int i = 0; i < p->term_count; i++) {
        const char *name = p->terms[i].name;
        const bool descends = !strcmp(p->solver, "hals") && strncmp(name, "sparsity", 8) != 0;
        if (terms_know(name) && !descends)
            continue;
        snprintf(message, DEVICE_MESSAGE, "does not know the term '%s'%s", name,
                 descends ? " with the solver 'hals'" : "");
        return false;
    }
    return true;
}

static bool accepts(const device_problem *p, char *message)
{
    const bool known = !strcmp(p->loss, "frobenius") || !strcmp(p->loss, "kl");
    if (!known)
        snprintf(message, DEVICE_MESSAGE, "does not know the loss '%s'", p->loss);
    else if (strcmp(p->solver, "mu") != 0 && strcmp(p->solver, "emu") != 0 &&
             strcmp(p->solver, "hals") != 0)
        snprintf(message, DEVICE_MESSAGE, "does not know the solver '%s'", p->solver);
    else
        return accepts_terms(p, message);
    return false;
}

static double *new_array(int64_t rows, int64_t columns)
{
    return calloc((size_t)(rows * columns), sizeof(double));
}

static void close_device(device_state *s)
{
    double *all[] = {s->W,      s->S,      s->updated_W, s->updated_S,     s->A, s->B, s->columns,
                     s->kept_W, s->kept_S, s->G,         s->basis_columns, s->x, s->n, s->d,
                     s->XS};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(s);
}

static bool open_device(int device, const device_problem *p, device_state **state, char *message)
{
    const int64_t n = p->samples, m = p->features, k = p->rank, most = n > m ? n : m;
    device_state *s = calloc(1, sizeof *s);
    (void)device;
    if (!s)
        return false;
    *s = (device_state){.p = *p,
                        .W = new_array(m, k),
                        .S = new_array(n, k),
                        .updated_W = new_array(m, k),
                        .updated_S = new_array(n, k),
                        .A = new_array(m, k),
                        .XS = new_array(m, k),
                        .B = new_array(k, k),
                        .columns = new_array(1, k),
                        .kept_W = new_array(m, k),
                        .kept_S = new_array(n, k),
                        .G = new_array(k, k),
                        .basis_columns = new_array(1, k),
                        .x = new_array(1, m),
                        .n = new_array(most, k),
                        .d = new_array(most, k)};
    const int64_t needed = (4 * (n + m) + m + 2 * k) * k * (int64_t)sizeof(double);
    const bool fits = p->memory_limit == 0 || needed <= p->memory_limit;
    if (!fits)
        snprintf(s->message, sizeof s->message, "it has %lld bytes; what is kept needs %lld",
                 (long long)p->memory_limit, (long long)needed);
    if (!fits || fails(s, "open")) {
        snprintf(message, DEVICE_MESSAGE, "%s", s->message);
        close_device(s);
        return false;
    }
    *state = s;
    return true;
}

static const char *message_of(const device_state *s)
{
    return s->message;
}

static double *array_of(device_state *s, device_array which, int64_t *rows)
{
    const int64_t n = s->p.samples, m = s->p.features;
    const struct {
        double *data;
        int64_t rows;
    } all[] = {[DEVICE_BASIS] = {s->W, m},
               [DEVICE_ENCODING] = {s->S, n},
               [DEVICE_UPDATED_BASIS] = {s->updated_W, m},
               [DEVICE_UPDATED_ENCODING] = {s->updated_S, n},
               [DEVICE_SUMS] = {s->A, m},
               [DEVICE_GRAM] = {s->B, s->p.rank},
               [DEVICE_COLUMNS] = {s->columns, 1},
               [DEVICE_PRODUCTS] = {s->XS, m}};
    *rows = all[which].rows;
    return all[which].data;
}

static bool put(device_state *s, device_array which, const void *rows, int64_t stride)
{
    int64_t count;
    double *to = array_of(s, which, &count);
    if (fails(s, "put"))
        return false;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < s->p.rank; j++)
            to[i * s->p.rank + j] = which == DEVICE_COLUMNS ? ((const double *)rows)[j]
                                                            : element(s, rows, i * stride + j);
    return true;
}

static bool get(device_state *s, device_array which, void *rows, int64_t stride)
{
    int64_t count;
    const double *from = array_of(s, which, &count);
    if (fails(s, "get"))
        return false;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < s->p.rank; j++) {
            const double value = from[i * s->p.rank + j];
            if (s->p.single && which != DEVICE_COLUMNS)
                ((float *)rows)[i * stride + j] = (float)value;
            else
                ((double *)rows)[i * stride + j] = value;
        }
    return true;
}

static bool start(device_state *s)
{
    if (fails(s, "start"))
        return false;
    refresh_basis(s);
    make_sums(s);
    return true;
}

static bool basis(device_state *s, const device_step *t)
{
    if (fails(s, "basis"))
        return false;
    step_rows(s, t, true);
    return true;
}

static bool basis_changed(device_state *s)
{
    if (fails(s, "basis_changed"))
        return false;
    refresh_basis(s);
    return true;
}

static bool encoding(device_state *s, const device_step *t)
{
    if (fails(s, "encoding"))
        return false;
    step_rows(s, t, false);
    make_sums(s);
    return true;
}

static void copy_factors(double *W, double *S, const double *from_W, const double *from_S,
                         const device_problem *p)
{
    memcpy(W, from_W, (size_t)(p->features * p->rank) * sizeof *W);
    memcpy(S, from_S, (size_t)(p->samples * p->rank) * sizeof *S);
}

static bool keep(device_state *s)
{
    if (fails(s, "keep"))
        return false;
    copy_factors(s->kept_W, s->kept_S, s->W, s->S, &s->p);
    return true;
}

static bool restore(device_state *s)
{
    if (fails(s, "restore"))
        return false;
    copy_factors(s->W, s->S, s->kept_W, s->kept_S, &s->p);
    return true;
}

/* Always entry by entry. */
static double loss_of(device_state *s)
{
    const int64_t k = s->p.rank;
    double total = 0;
    if (is_kl(s))
        return fmax(s->divergence - s->p.data_sum + dot(s->basis_columns, s->columns, k), 0);
    for (int64_t i = 0; i < s->p.samples; i++) {
        read_row(s, i);
        for (int64_t j = 0; j < s->p.features; j++) {
            const double left = s->x[j] - dot(s->S + i * k, s->W + j * k, k);
            total += left * left;
        }
    }
    return total;
}

static bool measure(device_state *s, double *values)
{
    if (fails(s, "measure"))
        return false;
    values[0] = loss_of(s);
    for (int i = 0; i < s->p.term_count; i++)
        values[1 + i] = terms_value(s, i);
    return true;
}

static bool projected_gradient(device_state *s, double *value)
{
    double projected = 0, whole = 0;
    if (fails(s, "projected_gradient"))
        return false;
    refresh_basis(s);
    for (int basis_too = 0; basis_too < 2; basis_too++) {
        const double *factor = basis_too ? s->W : s->S;
        make_parts(s, basis_too);
        for (int64_t e = 0; e < (basis_too ? s->p.features : s->p.samples) * s->p.rank; e++) {
            const double slope = s->d[e] - s->n[e];
            projected += slope < 0 || factor[e] > 0 ? slope * slope : 0;
            whole += s->n[e] * s->n[e];
        }
    }
    *value = whole > 0 ? sqrt(projected / whole) : 0;
    return true;
}

static bool run(device_state *s, const device_step *first, int64_t count, double *values)
{
    device_step t = *first;
    for (int64_t i = 0; i < count; i++, t.iteration++)
        if (fails(s, "run") || !basis(s, &t) || !basis_changed(s) || !encoding(s, &t) ||
            !measure(s, values + i * (1 + s->p.term_count)))
            return false;
    return true;
}

__attribute__((visibility("default"))) const device_interface *orthant_plugin_device(void);

const device_interface *orthant_plugin_device(void)
{
    static device_interface own = {sizeof own,
                                   DEVICE_VERSION,
                                   "hostdevice",
                                   count_devices,
                                   describe,
                                   accepts,
                                   open_device,
                                   close_device,
                                   message_of,
                                   put,
                                   get,
                                   start,
                                   basis,
                                   basis_changed,
                                   encoding,
                                   keep,
                                   restore,
                                   measure,
                                   projected_gradient,
                                   run,
                                   &host_search,
                                   &host_projections,
                                   &host_products};
    const char *version = getenv("HOSTDEVICE_VERSION");
    own.version = version ? atoi(version) : DEVICE_VERSION;
    own.run = getenv("HOSTDEVICE_ONE_BY_ONE") ? NULL : run;
    return &own;
}
