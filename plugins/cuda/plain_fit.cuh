/* The factor model by products of cuBLAS: any shape, both precisions, X dense. X is read twice in
 * an iteration, and an entrywise loss forms its quotients strip by strip. */
#ifndef CUDA_PLAIN_FIT_CUH
#define CUDA_PLAIN_FIT_CUH

#include <math.h>
#include <string.h>

#include "fit_terms.cuh"
#include "kernels.cuh"
#include "plain_parts.cuh"
#include "step_graph.cuh"

#define STRIP_BYTES (32 << 20) /* of quotients: what stays in the second-level cache */
#define DESCENT_MOST_RANK 128
#define BLAS_BYTES (32 << 20) /* cuBLAS's scratch memory */
#define MOST_TOGETHER 256     /* iterations whose objectives are fetched together */
#define SCALARS 32            /* loss and terms, then those of strips */

/* src/solver/hals.c */
#define HALS_PASSES 8
#define HALS_ENOUGH 1e-2
#define HALS_SHARE 0.7
#define HALS_MOST_SHARE 0.9
#define HALS_FIRST_ITERATIONS 3

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

    /* Bytes of the device that it takes, beside cuBLAS's own. */
    virtual int64_t bytes() const
    {
        const int64_t size = sizeof(T);
        const bool emu = !strcmp(q.solver, "emu");
        return (copies_data() ? n * data_stride() * size : 0) +
               (n + m) * kp * size * (2 + (emu ? 2 : 0)) + (n + m) * kp * size +
               (kl ? STRIP_BYTES + m * size : 0) + terms.bytes(kp) + BLAS_BYTES;
    }

    virtual bool open()
    {
        if (!check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream") ||
            !check(cudaMallocHost((void **)&host, HOST_NUMBERS * sizeof *host), "pinned memory"))
            return false;
        if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS)
            return fails("cuBLAS", "cannot be started");
        cublasSetStream(blas, stream);
        char *scratch = memory.make<char>(this, BLAS_BYTES, "cuBLAS");
        if (scratch)
            cublasSetWorkspace(blas, scratch, BLAS_BYTES);
        if (q.rounds_products)
            cublasSetMathMode(blas, CUBLAS_TF32_TENSOR_OP_MATH);
        strip_stride = (m + 3) / 4 * 4;
        strip_rows = STRIP_BYTES / (strip_stride * (int64_t)sizeof(T));
        strip_rows = strip_rows < 1 ? 1 : strip_rows > n ? n : strip_rows;
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
        scalars = memory.make<double>(this, SCALARS + (n + strip_rows - 1) / strip_rows, "sums");
        list = memory.make<double>(this, MOST_TOGETHER * width, "objectives");
        counter = memory.make<int>(this, 1, "a counter");
        return !failed() && load_data() &&
               terms.open(this, {n, m, ldx, k, kp, stream, blas, X, W, S, A, B, N, D, columns_S,
                                 slots});
    }

    bool put(device_array which, const void *rows, int64_t stride) override
    {
        const place p = find(which);
        if (!p.data)
            return true;
        if (p.wide)
            return check(cudaMemcpyAsync(p.data, rows, (size_t)k * 8, cudaMemcpyHostToDevice,
                                         stream), "a copy") &&
                   wait();
        return check(cudaMemcpy2DAsync(p.data, (size_t)kp * sizeof(T), rows,
                                       (size_t)stride * sizeof(T), (size_t)k * sizeof(T),
                                       (size_t)p.rows, cudaMemcpyHostToDevice, stream),
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
        if (p.wide)
            return check(cudaMemcpyAsync(rows, p.data, (size_t)k * 8, cudaMemcpyDeviceToHost,
                                         stream), "a copy") &&
                   wait();
        return check(cudaMemcpy2DAsync(rows, (size_t)stride * sizeof(T), p.data,
                                       (size_t)kp * sizeof(T), (size_t)k * sizeof(T),
                                       (size_t)p.rows, cudaMemcpyDeviceToHost, stream),
                     "a copy from the device") &&
               wait();
    }

    bool start() override
    {
        return plain_fit<T>::basis_changed() && make_sums(nullptr) && terms.sums_changed() &&
               !failed();
    }

    bool basis(const device_step &step) override
    {
        if (!strcmp(step.solver, "hals"))
            return descend_rows(W, A, basis_penalty, B, m, step, basis_passes(step));
        return update(W, make_basis_parts(), basis_penalty, m, step, before_W);
    }

    bool basis_changed() override { return make_basis_products() && terms.basis_changed(); }

    bool encoding(const device_step &step) override
    {
        make_numerators(&step);
        return make_sums(&step) && terms.sums_changed() && !failed();
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
        make_numerators(nullptr);
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
                                                          (n + strip_rows - 1) / strip_rows,
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
        return {descends, descends ? basis_passes(step) : 0, step.exponent, step.momentum,
                descends ? share_of(step) : 0};
    }

    /* Where a value cancels and is to be measured entry by entry, from then on one by one. */
    bool run_some(const device_step &first, int64_t count, double *values)
    {
        device_step step = first;
        if (!flush())
            return false;
        if (cancels || (before_W && !kl))
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

    bool go_to_start()
    {
        return copy(W, start_W, m) && copy(S, start_S, n) && copy(A, start_A, m) &&
               copy(B, start_B, kp) && basis_changed() && terms.sums_changed();
    }

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

    bool load_data()
    {
        ldx = data_stride();
        if (!copies_data()) {
            X = (const T *)q.values;
            return true;
        }
        T *rows = memory.make<T>(this, n * ldx, "the data");
        X = rows;
        if (!rows)
            return false;
        return check(cudaMemcpy2DAsync(rows, (size_t)ldx * sizeof(T), q.values,
                                       (size_t)q.stride * sizeof(T), (size_t)m * sizeof(T),
                                       (size_t)n,
                                       q.on_device ? cudaMemcpyDeviceToDevice
                                                   : cudaMemcpyHostToDevice,
                                       stream),
                     "the data") &&
               wait();
    }

    template <typename TERM>
    void sum(TERM term, int64_t count, double *to, int *at = nullptr)
    {
        sum_parts<<<SUM_BLOCKS, SUM_THREADS, 0, stream>>>(term, count, slots);
        sum_slots<<<1, SUM_BLOCKS, 0, stream>>>(slots, to, at);
    }

    /* Over the entries of a strip of X and of what is in `strip`. */
    template <typename ENTRY> void sum_strip(ENTRY entry, int64_t first, int64_t rows, double *to)
    {
        sum_entries<<<SUM_BLOCKS, SUM_THREADS, 0, stream>>>(
            entry, X + first * ldx, ldx, (const T *)strip, strip_stride, rows, m, slots);
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

    /* N = X W; A = X'S */
    virtual void multiply_data() { rows_product(N, X, ldx, W, n, m); }
    virtual void add_data() { sums_product(A, X, ldx, m, S, n, false); }

    bool update(T *rows, const T *numerators, double added, int64_t count, const device_step &step,
                T *before)
    {
        update_entries<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(
            rows, numerators, D, (T)added, count * kp, step.exponent * q.exponent,
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

    void make_quotients(int64_t first, int64_t rows)
    {
        make_fits(first, rows);
        if (!failed())
            divide_strip<<<dim3((unsigned)((m + 255) / 256), (unsigned)(rows < 1024 ? rows : 1024)),
                           256, 0, stream>>>(strip, strip_stride, X + first * ldx, ldx, rows, m);
    }

    /* N and D of all encodings; with a step, the encodings that they lead to. */
    virtual void make_numerators(const device_step *step)
    {
        if (kl) {
            for (int64_t first = 0; first < n && !failed(); first += strip_rows) {
                const int64_t rows = n - first < strip_rows ? n - first : strip_rows;
                make_quotients(first, rows);
                rows_product(N + first * kp, strip, strip_stride, W, rows, m);
            }
            repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D, n * kp, kp, k, columns_W);
        } else {
            multiply_data();
            if (!step || strcmp(step->solver, "hals"))
                rows_product(D, S, kp, G, n, kp);
        }
        if (terms.acts_on(false))
            terms.add(false);
        if (step && !strcmp(step->solver, "hals"))
            descend_rows(S, N, penalty, G, n, *step, HALS_PASSES);
        else if (step)
            update(S, N, penalty, n, *step, before_S);
    }

    /* The sums for the encodings as they are. */
    virtual bool make_sums(const device_step *step)
    {
        (void)step;
        if (kl) {
            column_sums<<<kp, SUM_THREADS, 0, stream>>>(S, n, (int64_t)kp, columns_S);
            for (int64_t first = 0, i = 0; first < n && !failed(); first += strip_rows, i++) {
                const int64_t rows = n - first < strip_rows ? n - first : strip_rows;
                make_quotients(first, rows);
                sum_strip(divergence_entry<T>(), first, rows, scalars + SCALARS + i);
                sums_product(A, strip, strip_stride, m, S + first * kp, rows, first > 0);
            }
        } else {
            add_data();
            sums_product(B, S, kp, kp, S, n, false);
        }
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
        values[0] = 0;
        for (int64_t first = 0; first < n && !failed(); first += strip_rows) {
            const int64_t rows = n - first < strip_rows ? n - first : strip_rows;
            make_fits(first, rows);
            sum_strip(residual_entry<T>(), first, rows, scalars);
            double part;
            if (!fetch(&part, scalars, 1))
                return false;
            values[0] += part;
        }
        return !failed();
    }

    int basis_passes(const device_step &step) const
    {
        return q.cautious && step.iteration <= HALS_FIRST_ITERATIONS ? 1 : HALS_PASSES;
    }

    double share_of(const device_step &step) const
    {
        const double now = (double)step.iteration, growing = now > 1 ? (now - 1) / (now + 2) : 0;
        return !q.cautious ? HALS_SHARE : growing < HALS_MOST_SHARE ? growing : HALS_MOST_SHARE;
    }

    template <int KP>
    bool descend_some(T *rows, const T *numerators, double taken, const T *gram, int64_t count,
                      const device_step &step, int passes)
    {
        if (KP != kp)
            return false;
        descend<T, KP><<<(unsigned)((count + 127) / 128), 128, 0, stream>>>(
            rows, numerators, (T)taken, gram, count, k, passes, HALS_ENOUGH, share_of(step));
        return true;
    }

    bool descend_rows(T *rows, const T *numerators, double taken, const T *gram, int64_t count,
                      const device_step &step, int passes)
    {
        if (!(descend_some<16>(rows, numerators, taken, gram, count, step, passes) ||
              descend_some<32>(rows, numerators, taken, gram, count, step, passes) ||
              descend_some<64>(rows, numerators, taken, gram, count, step, passes) ||
              descend_some<128>(rows, numerators, taken, gram, count, step, passes)))
            return fails("coordinate descent", "of more than 128 parts");
        return launched("coordinate descent");
    }

    struct place {
        void *data;
        int64_t rows;
        bool wide; /* one row of doubles */
    };

    place find(device_array which) const
    {
        switch (which) {
        case DEVICE_BASIS:
            return {W, m, false};
        case DEVICE_ENCODING:
            return {S, n, false};
        case DEVICE_UPDATED_BASIS:
            return {before_W, m, false};
        case DEVICE_UPDATED_ENCODING:
            return {before_S, n, false};
        case DEVICE_SUMS:
            return {A, m, false};
        case DEVICE_GRAM:
            return {kl && !terms.uses_gram() ? nullptr : B, k, false};
        case DEVICE_COLUMNS:
            return {kl || terms.uses_columns() ? columns_S : nullptr, 1, true};
        case DEVICE_PRODUCTS:
            return {terms.products(), m, false};
        }
        return {nullptr, 0, false};
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
    const T *X = nullptr;
    int64_t ldx = 0, strip_rows = 0, strip_stride = 0;
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
