/* Projective methods: the functions of engine/device_projective.h. An iteration is three launches
 * (projective_kernels.cuh), and what it tells is written into the host's pinned memory. */
#include "projective.cuh"

#include <memory>
#include <utility>

#include "projective_kernels.cuh"
#include "state.cuh"

struct device_projective : failure {
    virtual ~device_projective() {}
    virtual int64_t bytes() const = 0;
    virtual bool open() = 0;
    virtual bool put(const void *rows, int64_t stride, projective_sums *sums) = 0;
    virtual bool step(double exponent, projective_sums *sums) = 0;
    virtual bool scale(double factor, projective_sums *sums) = 0;
    virtual bool take() = 0;
    virtual bool get(void *rows, int64_t stride) = 0;
    virtual bool loss(double *value) = 0;
};

template <typename T, int K> class projective_fit : public device_projective
{
  public:
    explicit projective_fit(const device_projection &problem)
        : q(problem), n(problem.samples), m(problem.features), k(problem.rank),
          count((problem.features + problem.rank) * problem.rank)
    {
        const int64_t tiles = (n + PROJECTIVE_ROWS - 1) / PROJECTIVE_ROWS;
        blocks = (int)(tiles < PROJECTIVE_BLOCKS ? tiles : PROJECTIVE_BLOCKS);
        shared = (int)((count + k * k + count * PROJECTIVE_PARTS + PROJECTIVE_ROWS * k) *
                       (int64_t)sizeof(double));
    }
    ~projective_fit() override
    {
        if (stream) {
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
        }
        cudaFreeHost(told);
    }

    int64_t bytes() const override
    {
        return (int64_t)sizeof(T) * ((q.on_device ? 0 : n * m) + 4 * n * k + edges()) +
               edges() * (int64_t)sizeof(int32_t) + 2 * (n + 1) * (int64_t)sizeof(double) +
               (blocks + 2) * (count + k * k + 1) * (int64_t)sizeof(double);
    }

    bool open() override
    {
        if (!check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream") ||
            !check(cudaMallocHost((void **)&told, 3 * sizeof *told), "pinned memory") ||
            !check(cudaFuncSetAttribute(update_rows<T, K>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
                   "shared memory"))
            return false;
        a = {(int)n, (int)m, (int)k, (const T *)q.values, q.stride, nullptr, nullptr,
             nullptr, nullptr, q.graph_weight, 1};
        if (!q.on_device) {
            T *X = memory.make<T>(this, n * m, "the data");
            a.X = X;
            a.stride = m;
            if (X)
                check(cudaMemcpy2D(X, (size_t)m * sizeof(T), q.values, (size_t)q.stride * sizeof(T),
                                   (size_t)m * sizeof(T), (size_t)n, cudaMemcpyHostToDevice),
                      "the data");
        }
        if (q.start) {
            a.start = copied(q.start, n + 1);
            a.column = copied(q.column, edges());
            a.weights = copied((const T *)q.weights, edges());
            a.degree = copied(q.degree, n);
            energies = memory.make<double>(this, blocks, "partial sums");
        }
        for (projective_factor<T> *each : {&last, &next}) {
            each->H = memory.make<T>(this, n * k, "a factor");
            each->neighbours = memory.make<T>(this, q.start ? n * k : 1, "sums of neighbours");
            each->sums = memory.make<double>(this, count + k * k, "sums");
        }
        shares = memory.make<double>(this, blocks * count, "partial sums");
        return !failed();
    }

    bool put(const void *rows, int64_t stride, projective_sums *sums) override
    {
        return check(cudaMemcpy2DAsync(next.H, (size_t)k * sizeof(T), rows,
                                       (size_t)stride * sizeof(T), (size_t)k * sizeof(T), (size_t)n,
                                       cudaMemcpyHostToDevice, stream),
                     "a copy to the device") &&
               make_sums(false, sums);
    }

    bool step(double exponent, projective_sums *sums) override
    {
        a.exponent = exponent;
        return make_sums(true, sums);
    }

    bool scale(double factor, projective_sums *sums) override
    {
        scale_rows<<<256, 256, 0, stream>>>(next.H, n * k, factor);
        return make_sums(false, sums);
    }

    bool take() override
    {
        std::swap(last, next);
        return true;
    }

    bool get(void *rows, int64_t stride) override
    {
        return check(cudaMemcpy2DAsync(rows, (size_t)stride * sizeof(T), last.H,
                                       (size_t)k * sizeof(T), (size_t)k * sizeof(T), (size_t)n,
                                       cudaMemcpyDeviceToHost, stream),
                     "a copy from the device") &&
               wait();
    }

    bool loss(double *value) override
    {
        std::unique_ptr<double[]> parts(new (std::nothrow) double[(size_t)blocks]);
        if (!parts)
            return fails("the objective", "out of memory");
        residuals<<<(unsigned)blocks, PROJECTIVE_ROWS, 0, stream>>>(a, last, shares);
        if (!launched("the objective") ||
            !check(cudaMemcpyAsync(parts.get(), shares, (size_t)blocks * sizeof(double),
                                   cudaMemcpyDeviceToHost, stream),
                   "the objective") ||
            !wait())
            return false;
        *value = 0;
        for (int i = 0; i < blocks; i++)
            *value += parts[i];
        return true;
    }

  private:
    int64_t edges() const { return q.start ? q.start[n] : 0; }
    bool wait() { return check(cudaStreamSynchronize(stream), "the device"); }

    template <typename E> const E *copied(const E *from, int64_t size)
    {
        E *to = memory.make<E>(this, size, "the graph");
        if (to)
            check(cudaMemcpy(to, from, (size_t)size * sizeof(E), cudaMemcpyHostToDevice),
                  "the graph");
        return to;
    }

    /* Of the next one, updated from the last one first where that is asked. */
    bool make_sums(bool updates, projective_sums *sums)
    {
        update_rows<T, K><<<(unsigned)blocks, PROJECTIVE_ROWS, (size_t)shared, stream>>>(
            a, last, next, updates, shares);
        if (q.start)
            visit_graph<T, K><<<(unsigned)blocks, PROJECTIVE_ROWS, 0, stream>>>(a, next, energies);
        finish_sums<<<1, 1024, 0, stream>>>((int)m, (int)k, next.sums, shares, energies, blocks,
                                            told);
        if (!launched("a step") || !wait())
            return false;
        *sums = {told[0], told[1], told[2]};
        return true;
    }

    const device_projection q;
    const int64_t n, m, k, count; /* (m + k) k */
    int blocks = 0, shared = 0;
    cudaStream_t stream = nullptr;
    device_memory memory;
    projective_arguments<T> a = {};
    projective_factor<T> last = {}, next = {};
    double *shares = nullptr, *energies = nullptr, *told = nullptr;
};

template <typename T> static device_projective *make_fit(const device_projection &problem)
{
    if (problem.rank <= 4)
        return new (std::nothrow) projective_fit<T, 4>(problem);
    if (problem.rank <= 8)
        return new (std::nothrow) projective_fit<T, 8>(problem);
    if (problem.rank <= 16)
        return new (std::nothrow) projective_fit<T, 16>(problem);
    return new (std::nothrow) projective_fit<T, PROJECTIVE_MOST_RANK>(problem);
}

static bool accepts(const device_projection *problem, char *message)
{
    const int64_t m = problem->features, k = problem->rank;
    if (k <= PROJECTIVE_MOST_RANK && m <= PROJECTIVE_MOST_SUMS / k - k &&
        problem->samples < (1 << 30))
        return true;
    snprintf(message, DEVICE_MESSAGE,
             "takes projective methods of few features and parts: of k parts up to %d, and up to "
             "%d / k - k features",
             PROJECTIVE_MOST_RANK, PROJECTIVE_MOST_SUMS);
    return false;
}

static bool open_fit(int device, const device_projection *problem, device_projective **state,
                     char *message)
{
    *state = accepts(problem, message)
                 ? open_on_device<device_projective>(
                       device, problem->memory_limit,
                       [&] { return problem->single ? make_fit<float>(*problem) : make_fit<double>(*problem); },
                       message)
                 : nullptr;
    return *state != nullptr;
}

static void close_fit(device_projective *state)
{
    delete state;
}

static const char *message_of(const device_projective *state)
{
    return state->text;
}

#define VERB(name, parameters, arguments)                 \
    static bool name##_fit parameters                     \
    {                                                     \
        return !state->failed() && state->name arguments; \
    }

VERB(put, (device_projective * state, const void *rows, int64_t stride, projective_sums *sums),
     (rows, stride, sums))
VERB(step, (device_projective * state, double exponent, projective_sums *sums), (exponent, sums))
VERB(scale, (device_projective * state, double factor, projective_sums *sums), (factor, sums))
VERB(take, (device_projective * state), ())
VERB(get, (device_projective * state, void *rows, int64_t stride), (rows, stride))
VERB(loss, (device_projective * state, double *value), (value))

const device_projections *projective_functions()
{
    static const device_projections functions = {accepts,  open_fit,  close_fit, message_of,
                                                 put_fit,  step_fit,  scale_fit, take_fit,
                                                 get_fit,  loss_fit};
    return &functions;
}
