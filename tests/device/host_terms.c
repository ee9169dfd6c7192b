/* The terms of the device of plain loops, each by its definition (src/term), in double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host_device.h"

static bool is(const device_term *t, const char *name)
{
    return !strcmp(t->name, name);
}

bool terms_know(const char *name)
{
    static const char *const names[] = {
        "topographic",      "class", "local",       "graph",  "sparsity",     "a-optimal",
        "sparsity-basis",   "ridge", "ridge-basis", "smooth", "smooth-basis", "orthogonal",
        "orthogonal-basis", "volume"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static bool on_basis(const device_term *t)
{
    return strstr(t->name, "-basis") || is(t, "volume");
}

double terms_penalty(const device_state *s, bool basis)
{
    double total = 0;
    for (int i = 0; i < s->p.term_count; i++)
        if (is(&s->p.terms[i], basis ? "sparsity-basis" : "sparsity"))
            total += 0.5 * s->p.terms[i].gain;
    return total;
}

static double number(const device_state *s, const void *values, int64_t e)
{
    return s->p.single ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

/* ------------------------------------------------------------------ Gram matrices */

/* (F'F + ridge I)^-1 by Gauss and Jordan, its square where asked for; log det(F'F / ridge + I). */
static double invert(const double *gram, int64_t k, double ridge, bool square, double *to)
{
    double *a = malloc((size_t)(k * k) * sizeof *a), *b = malloc((size_t)(k * k) * sizeof *b),
           logarithm = 0;
    for (int64_t i = 0; i < k * k; i++) {
        a[i] = gram[i] + (i / k == i % k ? ridge : 0);
        b[i] = i / k == i % k;
    }
    for (int64_t i = 0; i < k; i++) {
        const double pivot = a[i * k + i];
        logarithm += log(pivot / ridge);
        for (int64_t j = 0; j < k; j++) {
            a[i * k + j] /= pivot;
            b[i * k + j] /= pivot;
        }
        for (int64_t r = 0; r < k; r++) {
            const double factor = a[r * k + i];
            for (int64_t j = 0; r != i && j < k; j++) {
                a[r * k + j] -= factor * a[i * k + j];
                b[r * k + j] -= factor * b[i * k + j];
            }
        }
    }
    for (int64_t i = 0; i < k * k; i++) {
        double total = 0;
        for (int64_t e = 0; e < k; e++)
            total += b[i / k * k + e] * b[e * k + i % k];
        to[i] = square ? total : b[i];
    }
    free(a);
    free(b);
    return logarithm;
}

/* W'W as it is, not rounded. */
static void basis_gram(const device_state *s, double *to)
{
    const int64_t k = s->p.rank;
    memset(to, 0, (size_t)(k * k) * sizeof *to);
    for (int64_t f = 0; f < s->p.features; f++)
        for (int64_t e = 0; e < k * k; e++)
            to[e] += s->W[f * k + e / k] * s->W[f * k + e % k];
}

/* a-optimal and volume: rows times the inverse's positive entries go to one, times the negative
 * ones to the other. */
static void add_inverse(device_state *s, const device_term *t, bool basis)
{
    const int64_t k = s->p.rank, rows = basis ? s->p.features : s->p.samples;
    const double *factor = basis ? s->W : s->S;
    double *gram = malloc((size_t)(k * k) * sizeof *gram), *M = malloc((size_t)(k * k) * sizeof *M);
    if (basis)
        basis_gram(s, gram);
    invert(basis ? gram : s->B, k, t->constant, !basis, M);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            for (int64_t e = 0; e < k; e++) {
                const double part = t->gain * factor[i * k + e] * M[e * k + j];
                if ((part > 0) == basis)
                    s->d[i * k + j] += fabs(part);
                else
                    s->n[i * k + j] += fabs(part);
            }
    free(gram);
    free(M);
}

static double inverse_value(const device_state *s, const device_term *t, bool basis)
{
    const int64_t k = s->p.rank;
    double *gram = malloc((size_t)(k * k) * sizeof *gram), *M = malloc((size_t)(k * k) * sizeof *M),
           trace = 0;
    if (basis)
        basis_gram(s, gram);
    const double logarithm = invert(basis ? gram : s->B, k, t->constant, false, M);
    for (int64_t i = 0; i < k; i++)
        trace += M[i * k + i];
    free(gram);
    free(M);
    return basis ? logarithm : trace;
}

/* ------------------------------------------------------------------ edges */

/* Those of classes are listed too: weight of i and j, or 0. */
static double class_weight(const device_graph *g, int64_t i, int64_t j)
{
    return g->class_count && i != j && g->class_of[i] >= 0 && g->class_of[i] == g->class_of[j];
}

static void add_edge(device_state *s, const device_term *t, const double *factor, int64_t i,
                     int64_t j, double weight)
{
    const int64_t k = s->p.rank;
    for (int64_t a = 0; a < k; a++) {
        s->n[i * k + a] += t->gain * weight * factor[j * k + a];
        s->d[i * k + a] += t->gain * weight * factor[i * k + a];
    }
}

static double edge_value(const device_state *s, const double *factor, int64_t i, int64_t j,
                         double weight)
{
    const int64_t k = s->p.rank;
    double total = 0;
    for (int64_t a = 0; a < k; a++)
        total += pow(factor[i * k + a] - factor[j * k + a], 2);
    return weight * total / 2; /* each is met twice */
}

/* Adds every edge's parts, or gives their values' sum. */
static double each_edge(device_state *s, const device_term *t, bool basis, bool adds)
{
    const int64_t rows = basis ? s->p.features : s->p.samples;
    const double *factor = basis ? s->W : s->S;
    const device_graph *g = &t->graph;
    double total = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t e = g->start ? g->start[i] : 0; g->start && e < g->start[i + 1]; e++) {
            const double weight = g->values ? number(s, g->values, e) : 1;
            if (adds)
                add_edge(s, t, factor, i, g->column[e], weight);
            else
                total += edge_value(s, factor, i, g->column[e], weight);
        }
        for (int64_t j = 0; j < rows; j++) {
            const bool chained = !g->start && (j == i - 1 || j == i + 1);
            const double weight = chained ? 1 : class_weight(g, i, j);
            if (weight > 0 && adds)
                add_edge(s, t, factor, i, j, weight);
            else if (weight > 0)
                total += edge_value(s, factor, i, j, weight);
        }
    }
    return total;
}

/* ------------------------------------------------------------------ local, topographic */

static double square_of(const device_state *s, int64_t column)
{
    double total = 0;
    for (int64_t f = 0; f < s->p.features; f++)
        total += s->W[f * s->p.rank + column] * s->W[f * s->p.rank + column];
    return total;
}

static void add_local(device_state *s, const device_term *t, bool basis)
{
    const int64_t k = s->p.rank, m = s->p.features;
    const double *products = strcmp(s->p.loss, "kl") ? s->A : s->XS;
    for (int64_t e = 0; basis && e < m * k; e++) {
        s->n[e] += t->gain * products[e];
        s->d[e] += t->gain * s->columns[e % k] * s->W[e];
    }
    for (int64_t i = 0; !basis && i < s->p.samples; i++) {
        read_row(s, i);
        for (int64_t f = 0; f < m; f++)
            for (int64_t a = 0; a < k; a++)
                s->n[i * k + a] += t->gain * s->x[f] * s->W[f * k + a];
        for (int64_t a = 0; a < k; a++)
            s->d[i * k + a] += 0.5 * t->gain * (t->squares[i] + square_of(s, a));
    }
}

static double local_value(device_state *s)
{
    const int64_t k = s->p.rank;
    double total = 0;
    for (int64_t i = 0; i < s->p.samples; i++) {
        read_row(s, i);
        for (int64_t f = 0; f < s->p.features; f++)
            for (int64_t a = 0; a < k; a++)
                total += s->S[i * k + a] * pow(s->W[f * k + a] - s->x[f], 2);
    }
    return total;
}

static double pooled(const device_state *s, const device_term *t, int64_t i, int64_t unit)
{
    const int64_t k = s->p.rank;
    double total = t->constant;
    for (int64_t a = 0; a < k; a++)
        total +=
            number(s, t->pooling, unit * t->pooling_stride + a) * s->S[i * k + a] * s->S[i * k + a];
    return sqrt(total);
}

/* Adds its parts, or gives its value. */
static double topographic(device_state *s, const device_term *t, bool adds)
{
    const int64_t k = s->p.rank;
    double total = 0;
    for (int64_t i = 0; i < s->p.samples; i++)
        for (int64_t unit = 0; unit < t->units; unit++) {
            const double root = pooled(s, t, i, unit);
            total += root;
            for (int64_t a = 0; adds && a < k; a++)
                s->d[i * k + a] += 0.5 * t->gain * s->S[i * k + a] *
                                   number(s, t->pooling, unit * t->pooling_stride + a) / root;
        }
    return total;
}

/* ------------------------------------------------------------------ rows by themselves */

static bool outside(const device_state *s, const device_term *t, int64_t e)
{
    const int64_t known = t->classes[e / s->p.rank];
    return known >= 0 && e % s->p.rank / t->class_width != known;
}

static double row_sum(const device_state *s, const double *factor, int64_t row)
{
    double total = 0;
    for (int64_t a = 0; a < s->p.rank; a++)
        total += factor[row * s->p.rank + a];
    return total;
}

static void add_entries(device_state *s, const device_term *t, bool basis)
{
    const int64_t k = s->p.rank, count = (basis ? s->p.features : s->p.samples) * k;
    const double *factor = basis ? s->W : s->S;
    for (int64_t e = 0; e < count; e++)
        if (is(t, "class"))
            s->d[e] += outside(s, t, e) ? 0.5 * t->gain : 0;
        else if (!strncmp(t->name, "ridge", 5))
            s->d[e] += t->gain * factor[e];
        else if (!strncmp(t->name, "orthogonal", 10))
            s->d[e] += t->gain * (row_sum(s, factor, e / k) - factor[e]);
}

static double entries_value(const device_state *s, const device_term *t, bool basis)
{
    const int64_t k = s->p.rank, count = (basis ? s->p.features : s->p.samples) * k;
    const double *factor = basis ? s->W : s->S;
    double total = 0;
    for (int64_t e = 0; e < count; e++)
        if (is(t, "class"))
            total += outside(s, t, e) ? factor[e] : 0;
        else if (!strncmp(t->name, "sparsity", 8))
            total += factor[e];
        else if (!strncmp(t->name, "ridge", 5))
            total += factor[e] * factor[e];
        else
            total += factor[e] * (row_sum(s, factor, e / k) - factor[e]);
    return total;
}

/* ------------------------------------------------------------------ all */

void terms_add(device_state *s, bool basis)
{
    for (int i = 0; i < s->p.term_count; i++) {
        const device_term *t = &s->p.terms[i];
        if (is(t, "local"))
            add_local(s, t, basis);
        else if (on_basis(t) != basis)
            continue;
        else if (is(t, "a-optimal") || is(t, "volume"))
            add_inverse(s, t, basis);
        else if (is(t, "graph") || !strncmp(t->name, "smooth", 6))
            each_edge(s, t, basis, true);
        else if (is(t, "topographic"))
            topographic(s, t, true);
        else
            add_entries(s, t, basis);
    }
}

double terms_value(device_state *s, int i)
{
    const device_term *t = &s->p.terms[i];
    const bool basis = on_basis(t);
    if (is(t, "local"))
        return t->weight * local_value(s);
    if (is(t, "a-optimal") || is(t, "volume"))
        return t->weight * inverse_value(s, t, basis);
    if (is(t, "graph") || !strncmp(t->name, "smooth", 6))
        return t->weight * each_edge(s, t, basis, false);
    if (is(t, "topographic"))
        return t->weight * topographic(s, t, false);
    return t->weight * entries_value(s, t, basis);
}
