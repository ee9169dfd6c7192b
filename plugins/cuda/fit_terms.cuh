/* The terms of a fit's objective on the device: what they keep there, what they add to numerators
 * and denominators, and their values. The sums of the factors (sparsity, sparsity-basis) add a
 * constant, which the updates take by themselves. */
#ifndef CUDA_FIT_TERMS_CUH
#define CUDA_FIT_TERMS_CUH

#include <string.h>

#include "data_pieces.cuh"
#include "gram_inverse.cuh"
#include "plain_parts.cuh"
#include "sparse_matrix.cuh"
#include "state.cuh"
#include "term_kernels.cuh"

#define ENTRY_BLOCKS 1024
#define ENTRY_THREADS 256

/* The fit's: where it has them. */
template <typename T> struct term_arrays {
    int64_t n, m, ldx;
    int k, kp;
    cudaStream_t stream;
    cublasHandle_t blas;
    data_pieces<T> *data;
    const sparse_matrix<T> *sparse; /* in their place, where the data are CSR */
    const T *W, *S, *A, *B;
    T *N, *D;
    double *columns_S, *slots;
};

template <typename T> class fit_terms {
  public:
    explicit fit_terms(const device_problem &q) : q(q), kl(!strcmp(q.loss, "kl")) {}

    static bool knows(const char *name)
    {
        static const char *const names[] = {
            "topographic", "class",        "local",      "graph",         "sparsity",
            "a-optimal",   "sparsity-basis", "ridge",    "ridge-basis",   "smooth",
            "smooth-basis", "orthogonal",  "orthogonal-basis", "volume"};
        for (const char *each : names)
            if (!strcmp(name, each))
                return true;
        return false;
    }

    /* What the sum of a factor adds to denominators. */
    double penalty(bool basis) const
    {
        const int at = find(basis ? "sparsity-basis" : "sparsity");
        return at < 0 ? 0 : 0.5 * q.terms[at].gain;
    }

    bool acts_on(bool basis) const
    {
        for (int i = 0; i < q.term_count; i++)
            if (acts_on(q.terms[i].name, basis))
                return true;
        return false;
    }
    bool uses_columns() const { return find("local") >= 0; }
    bool uses_products() const { return kl && find("local") >= 0; }
    bool uses_gram() const { return find("a-optimal") >= 0; }

    /* Bytes of the device, about. */
    int64_t bytes(int kp) const
    {
        const int64_t n = q.samples, m = q.features, size = sizeof(T), row = kp * size;
        int64_t all = acts_on(true) && m > n ? (m - n) * row : 0;
        if (find("topographic") >= 0)
            all += n * (row + q.terms[find("topographic")].units * size);
        if (uses_products())
            all += (n + m) * row;
        const int at = find("graph");
        if (at >= 0 && q.terms[at].graph.start)
            all += q.terms[at].graph.start[n] * (4 + size) + n * 32;
        return all + 16 * (int64_t)kp * kp * size + n * 16;
    }

    bool open(device_state *fit, const term_arrays<T> &arrays)
    {
        state = fit;
        a = arrays;
        parts = memory.make<double>(fit, 8, "sums of terms");
        for (int i = 0; i < q.term_count && !fit->failed(); i++)
            open_term(q.terms[i]);
        return !fit->failed();
    }

    T *products() const { return sums; }

    /* After the sums for S: X'S and what else is not the loss's, and what follows from S'S. */
    bool sums_changed()
    {
        if (uses_columns() && !kl)
            column_sums<<<a.kp, SUM_THREADS, 0, a.stream>>>(a.S, a.n, (int64_t)a.kp, a.columns_S);
        if (uses_products() && a.sparse)
            launch_rows(SPARSE_PRODUCTS, a.sparse->columns(),
                        {a.W, a.S, sums, a.kp, a.kp, nullptr}, a.stream);
        else if (uses_products())
            each_piece([&](const data_piece<T> &p) {
                blas_check(multiply(a.blas, CUBLAS_OP_N, CUBLAS_OP_T, a.kp, a.m, p.rows,
                                    a.S + p.first * a.kp, a.kp, p.x, a.ldx, p.index > 0 ? 1 : 0,
                                    sums, a.kp));
            });
        if (uses_gram() && kl)
            blas_check(multiply(a.blas, CUBLAS_OP_N, CUBLAS_OP_T, a.kp, a.kp, a.n, a.S, a.kp, a.S,
                                a.kp, 0, (T *)a.B, a.kp));
        return gram_changed();
    }

    bool gram_changed()
    {
        const int at = find("a-optimal");
        if (at >= 0) {
            widen<<<64, ENTRY_THREADS, 0, a.stream>>>(optimal.a, a.B, a.kp, a.k);
            invert(optimal, q.terms[at], false);
        }
        return state->launched("a term");
    }

    bool basis_changed()
    {
        const int at = find("volume");
        if (find("local") >= 0)
            column_squares<<<a.kp, SUM_THREADS, 0, a.stream>>>(a.W, a.m, (int64_t)a.kp,
                                                              basis_squares);
        if (at >= 0) {
            gram_in_double<<<dim3(a.k, a.k), SUM_THREADS, 0, a.stream>>>(volume.a, a.W, a.m, a.kp,
                                                                      a.k);
            invert(volume, q.terms[at], true);
        }
        return state->launched("a term");
    }

    /* To N and D of all features (N = A, or X'S, before), or of all samples. */
    bool add(bool basis)
    {
        for (int i = 0; i < q.term_count; i++)
            if (!strcmp(q.terms[i].name, "local")) /* the first: N is X W yet */
                add_local(q.terms[i], basis);
        for (int i = 0; i < q.term_count; i++)
            if (acts_on(q.terms[i].name, basis))
                add_term(q.terms[i], basis);
        return state->launched("a term");
    }

    /* The weighted values of all: to[i], or where the counter stands. */
    bool make_values(double *to, int *at)
    {
        for (int i = 0; i < q.term_count; i++)
            make_value(q.terms[i], at ? to : to + i, at);
        return state->launched("the objective");
    }

  private:
    /* Of a Gram matrix. */
    struct inverse {
        double *a, *v, *values, *value;
        rotation *pairs;
        T *positive, *negative;
    };

    int find(const char *name) const
    {
        for (int i = 0; i < q.term_count; i++)
            if (!strcmp(q.terms[i].name, name))
                return i;
        return -1;
    }

    static bool on_basis(const char *name)
    {
        return strstr(name, "-basis") || !strcmp(name, "volume");
    }

    /* Beside the sums of a factor. */
    static bool acts_on(const char *name, bool basis)
    {
        if (!strncmp(name, "sparsity", 8))
            return false;
        return !strcmp(name, "local") || on_basis(name) == basis;
    }

    bool blas_check(cublasStatus_t status)
    {
        return status == CUBLAS_STATUS_SUCCESS ||
               state->fails("cuBLAS", cublasGetStatusString(status));
    }

    template <typename U> U *upload(const U *from, int64_t count, const char *what)
    {
        U *to = memory.make<U>(state, count, what);
        if (!to || count < 1)
            return to;
        return state->check(cudaMemcpy(to, from, (size_t)count * sizeof(U), cudaMemcpyHostToDevice),
                            what)
                   ? to
                   : nullptr;
    }

    void open_inverse(inverse *to)
    {
        const int64_t k = a.k;
        to->a = memory.make<double>(state, k * k, "a Gram matrix");
        to->v = memory.make<double>(state, k * k, "eigenvectors");
        to->values = memory.make<double>(state, k + 1, "eigenvalues");
        to->value = to->values + k;
        to->pairs = memory.make<rotation>(state, k + 1, "rotations");
        to->positive = memory.make<T>(state, (int64_t)a.kp * a.kp, "an inverse");
        to->negative = memory.make<T>(state, (int64_t)a.kp * a.kp, "an inverse");
    }

    void open_term(const device_term &t)
    {
        if (!strcmp(t.name, "class"))
            classes = upload(t.classes, a.n, "classes");
        else if (!strcmp(t.name, "a-optimal"))
            open_inverse(&optimal);
        else if (!strcmp(t.name, "volume"))
            open_inverse(&volume);
        else if (!strcmp(t.name, "topographic"))
            open_pooling(t);
        else if (!strcmp(t.name, "graph"))
            open_graph(t.graph);
        else if (!strcmp(t.name, "local")) {
            squares = upload(t.squares, a.n, "squared lengths of samples");
            basis_squares = memory.make<double>(state, a.kp, "squared lengths of parts");
            if (uses_products()) {
                sums = memory.make<T>(state, a.m * a.kp, "products");
                scratch = scratch ? scratch : memory.make<T>(state, a.n * a.kp, "products");
            }
        }
    }

    void open_pooling(const device_term &t)
    {
        scratch = scratch ? scratch : memory.make<T>(state, a.n * a.kp, "squares of encodings");
        pooled = memory.make<T>(state, a.n * t.units, "pooled encodings");
        pooling = memory.make<T>(state, t.units * a.kp, "a pooling matrix");
        if (!state->failed())
            state->check(cudaMemcpy2D(pooling, (size_t)a.kp * sizeof(T), t.pooling,
                                      (size_t)t.pooling_stride * sizeof(T),
                                      (size_t)a.k * sizeof(T), (size_t)t.units,
                                      cudaMemcpyHostToDevice),
                         "a pooling matrix");
    }

    void open_graph(const device_graph &g)
    {
        std::vector<double> degree((size_t)a.n);
        for (int64_t i = 0; i < a.n; i++) {
            const int64_t c = g.class_count ? g.class_of[i] : -1,
                          mates = c < 0 ? 0 : g.class_start[c + 1] - g.class_start[c] - 1;
            degree[(size_t)i] =
                g.degree ? g.degree[i] : (double)(g.start[i + 1] - g.start[i] + mates);
        }
        graph.degree = upload(degree.data(), a.n, "degrees");
        graph.start = upload(g.start, a.n + 1, "a graph");
        graph.column = upload(g.column, g.start[a.n], "a graph");
        graph.values = g.values ? upload((const T *)g.values, g.start[a.n], "a graph") : nullptr;
        if (!g.class_count)
            return;
        graph.class_of = upload(g.class_of, a.n, "classes");
        graph.class_start = upload(g.class_start, g.class_count + 1, "classes");
        member = upload(g.member, g.class_start[g.class_count], "classes");
        graph.class_sums = class_sums =
            memory.make<double>(state, g.class_count * a.k, "sums of classes");
    }

    void invert(const inverse &g, const device_term &t, bool volume)
    {
        decompose<<<1, EIGEN_THREADS, 0, a.stream>>>(g.a, g.v, g.pairs, a.k);
        finish_eigenvalues<<<1, SUM_THREADS, 0, a.stream>>>(g.a, g.values, a.k, t.constant, volume,
                                                          g.value);
        make_inverse<<<64, ENTRY_THREADS, 0, a.stream>>>(g.positive, g.negative, a.kp, g.v,
                                                        g.values, a.k, !volume, t.gain);
    }

    template <typename WORK> void each_piece(WORK work)
    {
        for (int64_t i = 0; i < a.data->count() && !state->failed(); i++) {
            const data_piece<T> p = a.data->take(i);
            work(p);
            a.data->leave(p);
        }
    }

    template <typename ADD> void each(ADD add, int64_t rows)
    {
        each_entry<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, a.stream>>>(add, rows, a.kp, a.k);
    }

    /* to += rows times a square */
    void add_rows_product(T *to, const T *rows, const T *square, int64_t count)
    {
        blas_check(multiply(a.blas, CUBLAS_OP_N, CUBLAS_OP_N, a.kp, count, a.kp, square, a.kp, rows,
                            a.kp, 1, to, a.kp));
    }

    /* sum_q h_lq s_jq^2, n x units */
    void pool(const device_term &t)
    {
        each(square_entry<T>{a.S, scratch}, a.n);
        blas_check(multiply(a.blas, CUBLAS_OP_T, CUBLAS_OP_N, t.units, a.n, a.kp, pooling, a.kp,
                            scratch, a.kp, 0, pooled, t.units));
    }

    void add_pooled(const device_term &t)
    {
        pool(t);
        each_entry<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, a.stream>>>(
            root_entry<T>{pooled, (T)t.constant}, a.n, (int)t.units, (int)t.units);
        blas_check(multiply(a.blas, CUBLAS_OP_N, CUBLAS_OP_N, a.kp, a.n, t.units, pooling, a.kp,
                            pooled, t.units, 0, scratch, a.kp));
        each(add_product<T>{a.D, a.S, scratch, (T)(0.5 * t.gain)}, a.n);
    }

    void add_local(const device_term &t, bool basis)
    {
        const T gain = (T)t.gain;
        if (basis) {
            each(local_basis<T>{a.N, a.D, kl ? sums : a.A, a.W, gain, a.columns_S}, a.m);
            return;
        }
        if (kl && a.sparse)
            launch_rows(SPARSE_PRODUCTS, a.sparse->rows(),
                        {a.S, a.W, scratch, a.kp, a.kp, nullptr}, a.stream);
        else if (kl)
            each_piece([&](const data_piece<T> &p) {
                blas_check(multiply(a.blas, CUBLAS_OP_N, CUBLAS_OP_N, a.kp, p.rows, a.m, a.W, a.kp,
                                    p.x, a.ldx, 0, scratch + p.first * a.kp, a.kp));
            });
        each(local_encoding<T>{a.N, a.D, kl ? scratch : a.N, gain, squares, basis_squares}, a.n);
    }

    graph_term<T> graph_now(const device_term &t)
    {
        graph_term<T> now = graph;
        now.s = a.S;
        now.N = a.N;
        now.D = a.D;
        now.gain = (T)t.gain;
        now.stride = a.kp;
        now.k = a.k;
        if (class_sums)
            sum_classes<<<dim3((unsigned)t.graph.class_count, (unsigned)a.k), SUM_THREADS, 0,
                          a.stream>>>(class_sums, a.S, a.kp, a.k, graph.class_start, member);
        return now;
    }

    void add_term(const device_term &t, bool basis)
    {
        const T gain = (T)t.gain, *rows = basis ? a.W : a.S;
        const int64_t count = basis ? a.m : a.n;
        if (!strncmp(t.name, "ridge", 5))
            each(ridge_term<T>{rows, a.D, gain}, count);
        else if (!strncmp(t.name, "orthogonal", 10))
            each(orthogonal_term<T>{rows, a.D, gain, a.kp, a.k}, count);
        else if (!strncmp(t.name, "smooth", 6))
            each(smooth_term<T>{rows, a.N, a.D, gain, count, a.kp}, count);
        else if (!strcmp(t.name, "class"))
            each(class_term<T>{a.S, a.D, gain, classes, t.class_width, a.kp}, count);
        else if (!strcmp(t.name, "graph"))
            each(graph_now(t), count);
        else if (!strcmp(t.name, "topographic"))
            add_pooled(t);
        else if (!strcmp(t.name, "a-optimal")) {
            add_rows_product(a.N, a.S, optimal.positive, count);
            add_rows_product(a.D, a.S, optimal.negative, count);
        } else if (!strcmp(t.name, "volume")) {
            add_rows_product(a.D, a.W, volume.positive, count);
            add_rows_product(a.N, a.W, volume.negative, count);
        }
    }

    template <typename TERM> void sum(TERM term, int64_t count)
    {
        sum_parts<<<SUM_BLOCKS, SUM_THREADS, 0, a.stream>>>(term, count, a.slots);
    }

    /* Of data that are copied piece by piece it waits for the answer. */
    bool may_cancel()
    {
        double found[2] = {0};
        if (!a.data->is_streamed())
            return true;
        return state->check(cudaMemcpyAsync(found, parts, sizeof found, cudaMemcpyDeviceToHost,
                                            a.stream), "a copy") &&
               state->check(cudaStreamSynchronize(a.stream), "a term") && local_cancels<T>(found);
    }

    void make_local_value(const device_term &t, double *to, int *at)
    {
        sum(local_rows<T>{a.S, squares, a.kp}, a.n * a.kp);
        sum_slots<<<1, SUM_BLOCKS, 0, a.stream>>>(a.slots, parts, nullptr);
        sum(local_whole<T>{a.W, kl ? sums : a.A, a.columns_S, basis_squares, a.m * a.kp},
            (a.m + 1) * a.kp);
        sum_slots<<<1, SUM_BLOCKS, 0, a.stream>>>(a.slots, parts + 1, nullptr);
        if (a.sparse)
            local_of_entries<<<SUM_BLOCKS, SUM_THREADS, 0, a.stream>>>(
                parts, a.sparse->start(), a.sparse->rows(), a.W, a.S, squares, basis_squares, a.n,
                a.kp, a.k, a.slots);
        else if (may_cancel())
            each_piece([&](const data_piece<T> &p) {
                local_exactly<<<SUM_BLOCKS, SUM_THREADS, 0, a.stream>>>(
                    parts, p.x, a.ldx, a.W, a.S + p.first * a.kp, p.rows, a.m, a.kp, a.k,
                    p.index > 0, a.slots);
            });
        finish_local<T><<<1, SUM_BLOCKS, 0, a.stream>>>(parts, a.slots, t.weight, to, at);
    }

    void make_value(const device_term &t, double *to, int *at)
    {
        const bool basis = on_basis(t.name);
        const T *rows = basis ? a.W : a.S;
        const int64_t count = basis ? a.m : a.n, entries = count * a.kp;
        const inverse *g = !strcmp(t.name, "a-optimal") ? &optimal
                           : !strcmp(t.name, "volume")  ? &volume
                                                        : nullptr;
        if (!strcmp(t.name, "local")) {
            make_local_value(t, to, at);
            return;
        }
        if (g)
            sum(one_number{g->value}, 1);
        else if (!strncmp(t.name, "sparsity", 8))
            sum(sum_term<T>{rows}, entries);
        else if (!strncmp(t.name, "ridge", 5))
            sum(ridge_term<T>{rows, nullptr, 0}, entries);
        else if (!strncmp(t.name, "orthogonal", 10))
            sum(orthogonal_term<T>{rows, nullptr, 0, a.kp, a.k}, count);
        else if (!strncmp(t.name, "smooth", 6))
            sum(smooth_term<T>{rows, nullptr, nullptr, 0, count, a.kp}, entries);
        else if (!strcmp(t.name, "class"))
            sum(class_term<T>{a.S, nullptr, 0, classes, t.class_width, a.kp}, entries);
        else if (!strcmp(t.name, "graph"))
            sum(graph_now(t), entries);
        else if (!strcmp(t.name, "topographic")) {
            pool(t);
            sum(root_value<T>{pooled, t.constant}, a.n * t.units);
        }
        finish_term<<<1, SUM_BLOCKS, 0, a.stream>>>(a.slots, t.weight, to, at);
    }

    const device_problem &q;
    const bool kl;
    device_state *state = nullptr;
    device_memory memory;
    term_arrays<T> a = {};
    double *parts = nullptr, *squares = nullptr, *basis_squares = nullptr, *class_sums = nullptr;
    int64_t *classes = nullptr;
    int32_t *member = nullptr;
    T *sums = nullptr, *scratch = nullptr, *pooled = nullptr, *pooling = nullptr;
    inverse optimal = {}, volume = {};
    graph_term<T> graph = {};
};

#endif
