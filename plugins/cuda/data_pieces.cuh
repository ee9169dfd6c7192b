/* X on the device: pieces of rows, which sums over X are made of in their order. All of them stay
 * there, or two at a time: the next one is copied while one is worked with. How X is cut does not
 * depend on that, and so neither do the bits. CSR data are one piece without rows here: they lie
 * elsewhere (sparse_matrix.cuh). */
#ifndef CUDA_DATA_PIECES_CUH
#define CUDA_DATA_PIECES_CUH

#include "state.cuh"

#define PIECE_BYTES ((int64_t)1 << 31)
#define PIECE_ROWS 128 /* a multiple of */
#define PIECE_BUFFERS 2

template <typename T> struct data_piece {
    int64_t index, first, rows;
    const T *x;
};

template <typename T> class data_pieces {
  public:
    /* Rows of `stride` on the device; `copies`: not those that the caller has there. */
    data_pieces(const device_problem &q, int64_t stride, bool copies)
        : q(q), ldx(stride), copies(copies && !q.start)
    {
        const int64_t most = (q.strip_bytes > 0 ? q.strip_bytes : PIECE_BYTES) /
                             (stride * (int64_t)sizeof(T)) / PIECE_ROWS * PIECE_ROWS;
        each = q.start ? q.samples : most < PIECE_ROWS ? PIECE_ROWS : most;
        each = each < q.samples ? each : q.samples;
        pieces = (q.samples + each - 1) / each;
        streams = q.streams && can_stream();
    }
    data_pieces(const data_pieces &) = delete;
    data_pieces &operator=(const data_pieces &) = delete;
    ~data_pieces()
    {
        if (copying) {
            cudaStreamSynchronize(copying);
            cudaStreamDestroy(copying);
        }
        for (buffer &b : buffers) {
            if (b.filled)
                cudaEventDestroy(b.filled);
            if (b.free)
                cudaEventDestroy(b.free);
        }
        if (registered)
            cudaHostUnregister(registered);
    }

    int64_t count() const { return pieces; }
    int64_t most_rows() const { return each; }
    int64_t last_rows() const { return q.samples - (pieces - 1) * each; }
    bool is_streamed() const { return streams; }
    bool can_stream() const { return copies && !q.on_device && pieces > PIECE_BUFFERS; }
    /* From now on, where X does not fit; before open(). */
    void stream() { streams = true; }

    int64_t bytes() const
    {
        const int64_t rows = streams ? PIECE_BUFFERS * each : q.samples;
        return copies ? rows * ldx * (int64_t)sizeof(T) : 0;
    }

    bool open(device_state *fit, cudaStream_t work)
    {
        state = fit;
        working = work;
        if (!copies) {
            all = q.start ? nullptr : (const T *)q.values;
            return true;
        }
        return streams ? open_buffers() : load();
    }

    /* Piece `index` for what is launched next on the fit's stream; leave() follows. */
    data_piece<T> take(int64_t index)
    {
        const int64_t first = index * each, left = q.samples - first;
        data_piece<T> p = {index, first, left < each ? left : each, nullptr};
        if (!streams) {
            p.x = all ? all + first * ldx : nullptr;
            return p;
        }
        buffer &b = buffers[find(index)];
        state->check(cudaStreamWaitEvent(working, b.filled, 0), "a piece of the data");
        p.x = b.rows;
        return p;
    }

    /* Its buffer is free, and takes the piece after the one that the other has. */
    void leave(const data_piece<T> &p)
    {
        if (!streams || state->failed())
            return;
        for (buffer &b : buffers)
            if (b.holds == p.index) {
                state->check(cudaEventRecord(b.free, working), "a piece of the data");
                fill(b, (p.index + PIECE_BUFFERS) % pieces);
            }
    }

  private:
    struct buffer {
        T *rows = nullptr;
        int64_t holds = -1;
        cudaEvent_t filled = nullptr, free = nullptr;
    };

    bool copy(T *to, int64_t first, int64_t rows, cudaStream_t on)
    {
        const T *from = (const T *)q.values + first * q.stride;
        const cudaMemcpyKind way = q.on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
        const size_t size = sizeof(T);
        if (q.stride == ldx && ldx == q.features)
            return state->check(cudaMemcpyAsync(to, from, (size_t)(rows * ldx) * size, way, on),
                                "the data");
        return state->check(cudaMemcpy2DAsync(to, (size_t)ldx * size, from, (size_t)q.stride * size,
                                              (size_t)q.features * size, (size_t)rows, way, on),
                            "the data");
    }

    bool load()
    {
        T *rows = memory.make<T>(state, q.samples * ldx, "the data");
        all = rows;
        return rows && copy(rows, 0, q.samples, working) &&
               state->check(cudaStreamSynchronize(working), "the data");
    }

    bool open_buffers()
    {
        const size_t bytes = (size_t)(((q.samples - 1) * q.stride + q.features) * sizeof(T));
        void *rows = const_cast<void *>(q.values);
        /* Pages that cannot be locked are copied all the same, by way of the driver's buffers. */
        if (cudaHostRegister(rows, bytes, cudaHostRegisterDefault) == cudaSuccess)
            registered = rows;
        else
            (void)cudaGetLastError();
        if (!state->check(cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking), "a stream"))
            return false;
        for (int i = 0; i < PIECE_BUFFERS && !state->failed(); i++) {
            buffer &b = buffers[i];
            b.rows = memory.make<T>(state, each * ldx, "a piece of the data");
            state->check(cudaEventCreateWithFlags(&b.filled, cudaEventDisableTiming), "an event");
            state->check(cudaEventCreateWithFlags(&b.free, cudaEventDisableTiming), "an event");
        }
        /* the zeros of make() are there before a copy begins */
        return !state->failed() && state->check(cudaDeviceSynchronize(), "the device") &&
               fill(buffers[0], 0) && fill(buffers[1], 1);
    }

    bool fill(buffer &b, int64_t index)
    {
        const int64_t first = index * each, left = q.samples - first;
        b.holds = index;
        return state->check(cudaStreamWaitEvent(copying, b.free, 0), "a piece of the data") &&
               copy(b.rows, first, left < each ? left : each, copying) &&
               state->check(cudaEventRecord(b.filled, copying), "a piece of the data");
    }

    /* The buffer that has it; the one that is not needed next where none has (a pass was left). */
    int find(int64_t index)
    {
        for (int i = 0; i < PIECE_BUFFERS; i++)
            if (buffers[i].holds == index)
                return i;
        const int at = (int)(index % PIECE_BUFFERS);
        state->check(cudaEventRecord(buffers[at].free, working), "a piece of the data");
        fill(buffers[at], index);
        return at;
    }

    const device_problem &q;
    const int64_t ldx;
    const bool copies;
    int64_t each = 0, pieces = 0;
    bool streams = false;
    device_state *state = nullptr;
    device_memory memory;
    const T *all = nullptr;
    void *registered = nullptr;
    cudaStream_t working = nullptr, copying = nullptr;
    buffer buffers[PIECE_BUFFERS];
};

#endif
