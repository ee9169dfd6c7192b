/* The factor model by products of cuBLAS: any shape, both precisions, X dense; what CSR data do in
 * another way is virtual (sparse_fit.cuh). X is read twice in an iteration, and an entrywise loss
 * forms its quotients strip by strip. */
#ifndef CUDA_PLAIN_FIT_CUH
#define CUDA_PLAIN_FIT_CUH

#include <math.h>
#include <memory>
#include <string.h>

#include "data_pieces.cuh"
#include "descent.cuh"
#include "fit_terms.cuh"
#include "kernels.cuh"
#include "plain_parts.cuh"
#include "step_graph.cuh"

#define STRIP_BYTES (32 << 20) /* of quotients: what stays in the second-level cache */
#define MOST_TOGETHER 256     /* iterations whose objectives are fetched together */
#define SCALARS 32            /* loss and terms, then those of strips */

template <typename T> class plain_fit : public device_state {
  public:
    plain_fit(const device_problem &problem, int rank_step)
        : q(problem), n(problem.samples), m(problem.features), k((int)problem.rank),
          kp((int)((problem.rank + rank_step - 1) / rank_step * rank_step)),
          kl(!strcmp(problem.loss, "kl")), width(1 + problem.term_count), terms(q),
          penalty(terms.penalty(false)), basis_penalty(terms.penalty(true))
    {
    }
    ~plain_fit() override
    {
        if (stream)
            cudaStreamSynchronize(stream);
        if (blas)
            cublasDestroy(blas);
        if (stream)
            cudaStreamDestroy(stream);
        cudaFreeHost(host);
    }

    /* X, which stays on the host but for some pieces: false where it cannot. */
    virtual bool stream_data()
    {
        if (data().can_stream())
            data().stream();
        return data().is_streamed();
    }

    /* Bytes of the device that it takes, beside cuBLAS's own. */
    virtual int64_t bytes()
    {
        const int64_t size = sizeof(T);
        const bool emu = !strcmp(q.solver, "emu");
        return data().bytes() + (n + m) * kp * size * (2 + (emu ? 2 : 0)) + (n + m) * kp * size +
               (kl ? STRIP_BYTES + m * size : 0) + terms.bytes(kp) + BLAS_BYTES;
    }

    virtual bool open()
    {
        if (!check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream") ||
            !check(cudaMallocHost((void **)&host, HOST_NUMBERS * sizeof *host), "pinned memory"))
            return false;
        if (!open_blas(this, &blas, stream, &memory, q.rounds_products))
            return false;
        strip_stride = (m + 3) / 4 * 4;
        strip_rows = STRIP_BYTES / (strip_stride * (int64_t)sizeof(T));
        const int64_t most = data().most_rows();
        strip_rows = strip_rows < 1 ? 1 : strip_rows > most ? most : strip_rows;
        strips_each = (most + strip_rows - 1) / strip_rows;
        ldx = data_stride();
        W = memory.make<T>(this, m * kp, "the basis");
        S = memory.make<T>(this, n * kp, "the encodings");
        A = memory.make<T>(this, m * kp, "sums");
        B = memory.make<T>(this, (int64_t)kp * kp, "a Gram matrix");
        G = memory.make<T>(this, (int64_t)kp * kp, "a Gram matrix");
        N = memory.make<T>(this, (terms.acts_on(true) && m > n ? m : n) * kp, "numerators");
        D = memory.make<T>(this, (n > m ? n : m) * kp, "denominators");
        if (!strcmp(q.solver, "emu")) {
            before_W = memory.make<T>(this, m * kp, "the last basis");
            before_S = memory.make<T>(this, n * kp, "the last encodings");
        }
        columns_W = memory.make<double>(this, kp, "sums of columns");
        columns_S = memory.make<double>(this, kp, "sums of columns");
        slots = memory.make<double>(this, SUM_BLOCKS, "partial sums");
        scalars = memory.make<double>(this, SCALARS + data().count() * strips_each, "sums");
        list = memory.make<double>(this, MOST_TOGETHER * width, "objectives");
        counter = memory.make<int>(this, 1, "a counter");
        return !failed() && data().open(this, stream) &&
               terms.open(this, {n, m, ldx, k, kp, stream, blas, &data(), sparse_data(), W, S, A, B,
                                 N, D, columns_S, slots});
    }

    bool put(device_array which, const void *rows, int64_t stride) override
    {
        const place p = find(which);
        if (!p.data)
            return true;
        return check(cudaMemcpy2DAsync(p.data, (size_t)kp * p.size, rows, (size_t)stride * p.size,
                                       (size_t)k * p.size, (size_t)p.rows, cudaMemcpyHostToDevice, stream),
                     "a copy to the device") &&
               wait() && (which != DEVICE_GRAM || terms.gram_changed());
    }

    bool get(device_array which, void *rows, int64_t stride) override
    {
        const place p = find(which);
        if (!flush())
            return false;
        if (!p.data)
            return true;
        return check(cudaMemcpy2DAsync(rows, (size_t)stride * p.size, p.data, (size_t)kp * p.size,
                                       (size_t)k * p.size, (size_t)p.rows, cudaMemcpyDeviceToHost, stream),
                     "a copy from the device") &&
               wait();
    }

    bool start() override
    {
        if (!plain_fit<T>::basis_changed())
            return false;
        each_piece([&](const data_piece<T> &p) { add_sums(p); });
        return finish_sums(nullptr) && terms.sums_changed() && !failed();
    }

    bool basis(const device_step &step) override
    {
        if (!strcmp(step.solver, "hals"))
            return descend_rows(W, A, basis_penalty, B, m, step, descent_basis_passes(q, step));
        return update(W, make_basis_parts(), D, basis_penalty, m, step, before_W);
    }

    bool basis_changed() override { return make_basis_products() && terms.basis_changed(); }

    bool encoding(const device_step &step) override
    {
        if (terms.acts_on(false)) {
            each_piece([&](const data_piece<T> &p) { make_numerators(p, &step); });
            terms.add(false);
            update_rows({0, 0, n, nullptr}, step);
            each_piece([&](const data_piece<T> &p) { add_sums(p); });
        } else
            each_piece([&](const data_piece<T> &p) {
                make_numerators(p, &step);
                update_rows(p, step);
                add_sums(p);
            });
        return finish_sums(&step) && terms.sums_changed() && !failed();
    }

    bool keep() override
    {
        if (!flush())
            return false;
        if (!kept_W) {
            kept_W = memory.make<T>(this, m * kp, "a kept basis");
            kept_S = memory.make<T>(this, n * kp, "kept encodings");
        }
        return copy(kept_W, W, m) && copy(kept_S, S, n);
    }

    bool restore() override { return flush() && copy(W, kept_W, m) && copy(S, kept_S, n); }

    bool measure(double *values) override
    {
        if (!flush() || !make_value(scalars, nullptr) || !terms.make_values(scalars + 1, nullptr) ||
            !fetch(values, scalars, width))
            return false;
        if (!kl)
            return frobenius_value(values[0], values);
        values[0] = divergence_value(values[0]);
        return true;
    }

    bool run(const device_step &first, int64_t count, double *values) override
    {
        device_step step = first;
        for (int64_t i = 0; i < count; i += MOST_TOGETHER, step.iteration += MOST_TOGETHER)
            if (!run_some(step, count - i < MOST_TOGETHER ? count - i : MOST_TOGETHER,
                          values + i * width))
                return false;
        return true;
    }

    bool projected_gradient(double *value) override
    {
        double found[4];
        if (!flush() || !plain_fit<T>::basis_changed())
            return false;
        const T *sums = make_basis_parts();
        sum(projected_term<T>{W, sums, D, basis_penalty}, m * kp, scalars);
        sum(product_term<T>{sums, sums}, m * kp, scalars + 1);
        each_piece([&](const data_piece<T> &p) { make_numerators(p, nullptr); });
        if (terms.acts_on(false))
            terms.add(false);
        sum(projected_term<T>{S, N, D, penalty}, n * kp, scalars + 2);
        sum(product_term<T>{N, N}, n * kp, scalars + 3);
        if (!fetch(found, scalars, 4))
            return false;
        const double whole = found[1] + found[3];
        *value = whole > 0 ? sqrt((found[0] + found[2]) / whole) : 0;
        return true;
    }

  protected:
    static constexpr int HOST_NUMBERS = 16;

    /* The launches of an iteration, without its value. */
    virtual bool iterate(const device_step &step)
    {
        return basis(step) && basis_changed() && encoding(step);
    }

    /* What the loss is made from on the host: to[0], or where the counter stands. */
    virtual bool make_value(double *to, int *at)
    {
        if (kl)
            add_divergence<<<1, SUM_THREADS, 0, stream>>>(scalars + SCALARS,
                                                          data().count() * strips_each,
                                                          columns_W, columns_S, k, to, at);
        else
            sum(value_term<T>{W, A, G, B, m * kp}, (m + kp) * kp, to, at);
        return launched("the objective");
    }

    bool run_one_by_one(device_step step, int64_t count, double *values)
    {
        for (int64_t i = 0; i < count; i++, step.iteration++)
            if (!iterate(step) || !measure(values + i * width))
                return false;
        return true;
    }

    step_key key_of(const device_step &step) const
    {
        const bool descends = !strcmp(step.solver, "hals");
        return {descends, descends ? descent_basis_passes(q, step) : 0, step.exponent, step.momentum,
                descends ? descent_share(q, step) : 0};
    }

    /* Where a value cancels and is to be measured entry by entry, from then on one by one. */
    bool run_some(const device_step &first, int64_t count, double *values)
    {
        device_step step = first;
        if (!flush())
            return false;
        if (cancels || streams() || (before_W && !kl))
            return run_one_by_one(step, count, values);
        if ((!kl && !note_start()) ||
            !check(cudaMemsetAsync(counter, 0, sizeof *counter, stream), "a counter"))
            return false;
        for (int64_t i = 0; i < count; i++, step.iteration++)
            if (!run_recorded(step))
                return false;
        if (!fetch(values, list, count * width))
            return false;
        for (int64_t i = 0; i < count * width; i += width) {
            cancels = cancels || (!kl && is_rounded(values[i]));
            values[i] = kl ? divergence_value(values[i]) : q.data_squares + values[i];
        }
        return !cancels || (go_to_start() && run_one_by_one(first, count, values));
    }

    /* The first one is launched as it is: it brings what is made when it is needed. */
    bool run_recorded(const device_step &step)
    {
        device_step following = step;
        following.iteration++;
        const step_key key = key_of(step);
        const auto launches = [&] {
            return iterate(step) && make_value(list, counter) &&
                   terms.make_values(list, counter);
        };
        if (has_run && (graph.has(key) || key == key_of(following)))
            return graph.run(this, stream, key, launches);
        has_run = true;
        return launches();
    }

    bool note_start()
    {
        if (!start_W) {
            start_W = memory.make<T>(this, m * kp, "a basis to go back to");
            start_S = memory.make<T>(this, n * kp, "encodings to go back to");
            start_A = memory.make<T>(this, m * kp, "sums to go back to");
            start_B = memory.make<T>(this, (int64_t)kp * kp, "a Gram matrix to go back to");
        }
        return copy(start_W, W, m) && copy(start_S, S, n) && copy(start_A, A, m) &&
               copy(start_B, B, kp);
    }

    virtual bool go_to_start()
    {
        return copy(W, start_W, m) && copy(S, start_S, n) && copy(A, start_A, m) &&
               copy(B, start_B, kp) && basis_changed() && terms.sums_changed();
    }

    /* X where it is CSR. */
    virtual const sparse_matrix<T> *sparse_data() const { return nullptr; }
    /* Whether the rows of X on the device are a copy, and how far apart they are. */
    virtual bool copies_data() const { return !q.on_device; }
    virtual int64_t data_stride() const { return q.on_device && !copies_data() ? q.stride : m; }
    /* What was asked and has not been begun. */
    virtual bool flush() { return !failed(); }

    bool wait() { return check(cudaStreamSynchronize(stream), "the device"); }

    bool fetch(double *to, const double *from, int64_t count)
    {
        return check(cudaMemcpyAsync(to, from, (size_t)count * sizeof *to, cudaMemcpyDeviceToHost,
                                     stream),
                     "a copy from the device") &&
               wait();
    }

    bool copy(T *to, const T *from, int64_t rows)
    {
        return !failed() && check(cudaMemcpyAsync(to, from, (size_t)(rows * kp) * sizeof(T),
                                                  cudaMemcpyDeviceToDevice, stream),
                                  "a copy on the device");
    }

    data_pieces<T> &data()
    {
        if (!pieces)
            pieces.reset(new data_pieces<T>(q, data_stride(), copies_data()));
        return *pieces;
    }

    template <typename WORK> void each_piece(WORK work)
    {
        for (int64_t i = 0; i < data().count() && !failed(); i++) {
            const data_piece<T> p = take(i);
            work(p);
            leave(p);
        }
    }

    /* What work on a piece of X begins and ends with. */
    virtual data_piece<T> take(int64_t index) { return data().take(index); }
    virtual void leave(const data_piece<T> &p) { data().leave(p); }
    virtual bool streams() { return data().is_streamed(); }

    /* Calls work(first row of the piece, rows, number among all strips). */
    template <typename WORK> void each_strip(const data_piece<T> &p, WORK work)
    {
        for (int64_t at = 0, i = 0; at < p.rows && !failed(); at += strip_rows, i++)
            work(at, p.rows - at < strip_rows ? p.rows - at : strip_rows,
                 p.index * strips_each + i);
    }

    template <typename TERM>
    void sum(TERM term, int64_t count, double *to, int *at = nullptr)
    {
        sum_parts<<<SUM_BLOCKS, SUM_THREADS, 0, stream>>>(term, count, slots);
        sum_slots<<<1, SUM_BLOCKS, 0, stream>>>(slots, to, at);
    }

    /* Over the entries of a strip of X and of what is in `strip`. */
    template <typename ENTRY> void sum_strip(ENTRY entry, const T *x, int64_t rows, double *to)
    {
        sum_entries<<<SUM_BLOCKS, SUM_THREADS, 0, stream>>>(entry, x, ldx, (const T *)strip,
                                                            strip_stride, rows, m, slots);
        sum_slots<<<1, SUM_BLOCKS, 0, stream>>>(slots, to, nullptr);
    }

    bool blas_check(cublasStatus_t status)
    {
        return status == CUBLAS_STATUS_SUCCESS || fails("cuBLAS", cublasGetStatusString(status));
    }

    /* C = R F, rows of R (of `stride`) times a factor or a square of kp columns. */
    void rows_product(T *C, const T *R, int64_t stride, const T *F, int64_t rows, int64_t inner)
    {
        blas_check(multiply(blas, CUBLAS_OP_N, CUBLAS_OP_N, kp, rows, inner, F, kp, R, stride, 0, C,
                            kp));
    }

    /* C (+)= R'F, sums over rows. */
    void sums_product(T *C, const T *R, int64_t stride, int64_t columns, const T *F, int64_t rows,
                      bool adds)
    {
        blas_check(multiply(blas, CUBLAS_OP_N, CUBLAS_OP_T, kp, columns, rows, F, kp, R, stride,
                            adds ? 1 : 0, C, kp));
    }

    /* N = X W, A (+)= X'S of a piece. */
    virtual void multiply_data(const data_piece<T> &p)
    {
        rows_product(N + p.first * kp, p.x, ldx, W, p.rows, m);
    }
    virtual void add_data(const data_piece<T> &p)
    {
        sums_product(A, p.x, ldx, m, S + p.first * kp, p.rows, p.index > 0);
    }

    bool update(T *rows, const T *numerators, const T *denominators, double added, int64_t count,
                const device_step &step, T *before)
    {
        update_entries<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(
            rows, numerators, denominators, (T)added, count * kp, step.exponent * q.exponent,
            extrapolation<T>{before, step.momentum, width > 1});
        return launched("an update");
    }

    /* N and D of all features; where N is. */
    const T *make_basis_parts()
    {
        if (kl)
            repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D, m * kp, kp, k, columns_S);
        else
            rows_product(D, W, kp, B, m, kp);
        if (!terms.acts_on(true))
            return A;
        copy(N, A, m);
        terms.add(true);
        return N;
    }

    virtual bool make_basis_products()
    {
        if (failed())
            return false;
        if (kl)
            column_sums<<<kp, SUM_THREADS, 0, stream>>>(W, m, (int64_t)kp, columns_W);
        else
            sums_product(G, W, kp, kp, W, m, false);
        return launched("products of the basis");
    }

    /* Y = S W' of a strip, then what becomes of it. */
    void make_fits(int64_t first, int64_t rows)
    {
        if (!strip)
            strip = memory.make<T>(this, strip_rows * strip_stride, "a strip");
        if (failed())
            return;
        blas_check(multiply(blas, CUBLAS_OP_T, CUBLAS_OP_N, m, rows, kp, W, kp, S + first * kp, kp,
                            0, strip, strip_stride));
    }

    void make_quotients(const data_piece<T> &p, int64_t at, int64_t rows)
    {
        make_fits(p.first + at, rows);
        if (!failed())
            divide_strip<<<dim3((unsigned)((m + 255) / 256), (unsigned)(rows < 1024 ? rows : 1024)),
                           256, 0, stream>>>(strip, strip_stride, p.x + at * ldx, ldx, rows, m);
    }

    /* N and D of a piece's encodings, by the loss. */
    virtual void make_numerators(const data_piece<T> &p, const device_step *step)
    {
        const int64_t first = p.first * kp;
        if (kl) {
            each_strip(p, [&](int64_t at, int64_t rows, int64_t) {
                make_quotients(p, at, rows);
                rows_product(N + first + at * kp, strip, strip_stride, W, rows, m);
            });
            repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D + first, p.rows * kp, kp,
                                                                      k, columns_W);
        } else {
            multiply_data(p);
            if (!step || strcmp(step->solver, "hals"))
                rows_product(D + first, S + first, kp, G, p.rows, kp);
        }
    }

    /* The encodings that they lead to. */
    virtual void update_rows(const data_piece<T> &p, const device_step &step)
    {
        const int64_t first = p.first * kp;
        if (!strcmp(step.solver, "hals"))
            descend_rows(S + first, N + first, penalty, G, p.rows, step, DESCENT_PASSES);
        else
            update(S + first, N + first, D + first, penalty, p.rows, step,
                   before_S ? before_S + first : nullptr);
    }

    /* The sums with X for a piece's encodings as they are, */
    virtual void add_sums(const data_piece<T> &p)
    {
        if (!kl) {
            add_data(p);
            return;
        }
        each_strip(p, [&](int64_t at, int64_t rows, int64_t number) {
            make_quotients(p, at, rows);
            sum_strip(divergence_entry<T>(), p.x + at * ldx, rows, scalars + SCALARS + number);
            sums_product(A, strip, strip_stride, m, S + (p.first + at) * kp, rows, number > 0);
        });
    }

    /* and those of all encodings; with the step that made them. */
    virtual bool finish_sums(const device_step *step)
    {
        (void)step;
        if (kl)
            column_sums<<<kp, SUM_THREADS, 0, stream>>>(S, n, (int64_t)kp, columns_S);
        else
            sums_product(B, S, kp, kp, S, n, false);
        return launched("sums");
    }

    double divergence_value(double sum) const
    {
        return sum > q.data_sum ? sum - q.data_sum : 0;
    }

    /* Whether |X|^2 plus the sum has lost what matters (src/loss/frobenius.c). */
    bool is_rounded(double sum) const
    {
        return !(q.data_squares + sum >= (q.single ? 1e-3 : 1e-9) * q.data_squares);
    }

    /* |X|^2 - 2 <W, A> + <G, B>; entry by entry where that cancels. */
    bool frobenius_value(double sum, double *values)
    {
        values[0] = q.data_squares + sum;
        if (!is_rounded(sum))
            return true;
        return residual(values);
    }

    virtual bool residual(double *value)
    {
        *value = 0;
        for (int64_t i = 0; i < data().count() && !failed(); i++) {
            const data_piece<T> p = data().take(i);
            each_strip(p, [&](int64_t at, int64_t rows, int64_t) {
                double part = 0;
                make_fits(p.first + at, rows);
                sum_strip(residual_entry<T>(), p.x + at * ldx, rows, scalars);
                fetch(&part, scalars, 1);
                *value += part;
            });
            data().leave(p);
        }
        return !failed();
    }

    bool descend_rows(T *rows, const T *numerators, double taken, const T *gram, int64_t count,
                      const device_step &step, int passes)
    {
        const descent<T> how = {rows, numerators, (T)taken, gram, count, k, passes,
                                descent_share(q, step)};
        return (launch_descent(how, kp, stream) ||
                fails("coordinate descent", "of more than 128 parts")) &&
               launched("coordinate descent");
    }

    struct place {
        void *data;
        int64_t rows;
        size_t size; /* of a number */
    };

    place find(device_array which) const
    {
        switch (which) {
        case DEVICE_BASIS:
            return {W, m, sizeof(T)};
        case DEVICE_ENCODING:
            return {S, n, sizeof(T)};
        case DEVICE_UPDATED_BASIS:
            return {before_W, m, sizeof(T)};
        case DEVICE_UPDATED_ENCODING:
            return {before_S, n, sizeof(T)};
        case DEVICE_SUMS:
            return {A, m, sizeof(T)};
        case DEVICE_GRAM:
            return {kl && !terms.uses_gram() ? nullptr : B, k, sizeof(T)};
        case DEVICE_COLUMNS:
            return {kl || terms.uses_columns() ? columns_S : nullptr, 1, sizeof(double)};
        case DEVICE_PRODUCTS:
            return {terms.products(), m, sizeof(T)};
        }
        return {nullptr, 0, 0};
    }

    const device_problem q;
    const int64_t n, m;
    const int k, kp; /* columns of the factors, and with zeros behind them */
    const bool kl;
    const int width; /* numbers of an objective: loss and terms */
    fit_terms<T> terms;
    const double penalty, basis_penalty; /* what sums of a factor add to its denominators */
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
    device_memory memory;
    std::unique_ptr<data_pieces<T>> pieces;
    int64_t ldx = 0, strip_rows = 0, strip_stride = 0, strips_each = 0;
    T *W = nullptr, *S = nullptr, *A = nullptr, *B = nullptr, *G = nullptr, *N = nullptr,
      *D = nullptr, *strip = nullptr, *kept_W = nullptr, *kept_S = nullptr, *before_W = nullptr,
      *before_S = nullptr;
    T *start_W = nullptr, *start_S = nullptr, *start_A = nullptr, *start_B = nullptr;
    double *columns_W = nullptr, *columns_S = nullptr, *slots = nullptr, *scalars = nullptr,
           *list = nullptr;
    int *counter = nullptr;
    step_graph graph;
    bool has_run = false, cancels = false;
    double *host = nullptr;
};

#endif
