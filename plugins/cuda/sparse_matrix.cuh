/* A CSR matrix on the device, with its transpose as a second one where that is asked for, so that
 * both products are gathers in a fixed order. */
#ifndef CUDA_SPARSE_MATRIX_CUH
#define CUDA_SPARSE_MATRIX_CUH

#include <cub/device/device_radix_sort.cuh>
#include <memory>

#include "sparse_rows.cuh"
#include "state.cuh"

#define SPARSE_FEWEST_ENTRIES 256 /* of a part of a row */
#define SPARSE_PARTS (1 << 16)    /* into so many the entries are cut at most, beside the rows */

/* The first of `count` rising numbers that is not below (above: not at most) `of`. */
template <typename I>
__device__ inline int64_t find_first(const I *rising, int64_t count, I of, bool above)
{
    int64_t first = 0, end = count;
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (rising[middle] < of || (above && rising[middle] == of))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static __global__ void count_up(int32_t *numbers, int64_t count)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        numbers[i] = (int32_t)i;
}

/* Entries in the order of their columns, `from` where they were: sample and value of each. */
template <typename T>
__global__ void transpose_entries(int32_t *sample, T *to, const int32_t *from, const T *values,
                                  const int64_t *start, int64_t rows, int64_t count)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x) {
        sample[i] = (int32_t)(find_first(start, rows + 1, (int64_t)from[i], true) - 1);
        to[i] = values[from[i]];
    }
}

static __global__ void find_starts(int64_t *start, const int32_t *sorted, int64_t count,
                                   int64_t columns)
{
    for (int64_t j = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; j <= columns;
         j += (int64_t)gridDim.x * blockDim.x)
        start[j] = find_first(sorted, count, (int32_t)j, false);
}

/* The entries of one sign, by their size. */
template <typename T> __global__ void keep_sign(T *to, const T *from, int64_t count, T sign)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        to[i] = sign * from[i] > 0 ? sign * from[i] : 0;
}

template <typename T> class sparse_matrix
{
  public:
    /* Bytes of the device that it takes, with what sorting takes for a while. */
    static int64_t bytes(int64_t rows, int64_t columns, int64_t stored, int64_t width,
                         bool transposes)
    {
        const int64_t each = 4 + (int64_t)sizeof(T),
                      lists = (rows + SPARSE_PARTS) * (int64_t)sizeof(sparse_item) +
                              SPARSE_PARTS * width * (int64_t)sizeof(T);
        return stored * each + lists + (rows + columns) * 8 +
               (transposes ? stored * (each + 28) + lists + columns * 40 : 0);
    }

    /* The host's arrays; factors of `width` columns. */
    bool open(failure *fit, cudaStream_t on, int64_t n, int64_t m, const int64_t *start,
              const int32_t *column, const T *values, int64_t columns, bool transposes)
    {
        state = fit;
        stream = on;
        width = columns;
        stored = start[n];
        if (stored > INT32_MAX || n > INT32_MAX)
            return fit->fails("the data", "more than 2^31 entries of CSR data are not taken");
        forward.column = upload(column, stored);
        forward.values = upload(values, stored);
        begin = upload(start, n + 1);
        if (!make_items(&forward, start, n))
            return false;
        return !transposes || make_transpose(n, m);
    }

    const int64_t *start() const { return begin; }
    sparse_view<T> rows() const { return forward; }
    sparse_view<T> columns() const { return backward; }
    int64_t most_items() const
    {
        return forward.item_count > backward.item_count ? forward.item_count : backward.item_count;
    }

    /* The entries above zero, and those below it. */
    bool split(sparse_view<T> *plus, sparse_view<T> *minus)
    {
        T *part[2];
        for (int i = 0; i < 2; i++) {
            part[i] = memory.make<T>(state, stored, "the data");
            if (part[i])
                keep_sign<<<1024, 256, 0, stream>>>(part[i], forward.values, stored,
                                                    (T)(i ? -1 : 1));
        }
        *plus = *minus = forward;
        plus->values = part[0];
        minus->values = part[1];
        return state->launched("the data");
    }

  private:
    template <typename E> E *upload(const E *from, int64_t count)
    {
        E *to = memory.make<E>(state, count, "the data");
        if (to && count > 0)
            state->check(cudaMemcpyAsync(to, from, (size_t)count * sizeof(E),
                                         cudaMemcpyHostToDevice, stream),
                         "the data");
        return to;
    }

    /* Rows of more entries than one part has are cut. */
    bool make_items(sparse_view<T> *to, const int64_t *start, int64_t rows)
    {
        const int64_t even = stored / SPARSE_PARTS,
                      most = even > SPARSE_FEWEST_ENTRIES ? even : SPARSE_FEWEST_ENTRIES;
        std::vector<sparse_item> items;
        std::vector<sparse_long_row> long_rows;
        int32_t parts = 0;
        items.reserve((size_t)rows);
        for (int64_t i = 0; i < rows; i++) {
            const int64_t first = start[i], end = start[i + 1];
            if (end - first <= most) {
                items.push_back({first, end, (int32_t)i, -1});
                continue;
            }
            long_rows.push_back({(int32_t)i, parts, (int32_t)((end - first + most - 1) / most)});
            for (int64_t at = first; at < end; at += most)
                items.push_back({at, at + most < end ? at + most : end, (int32_t)i, parts++});
        }
        to->items = upload(items.data(), (int64_t)items.size());
        to->item_count = (int64_t)items.size();
        to->long_rows = upload(long_rows.data(), (int64_t)long_rows.size());
        to->long_count = (int64_t)long_rows.size();
        to->parts = memory.make<T>(state, (int64_t)parts * width, "sums of parts of rows");
        /* the lists are gone when this returns */
        return !state->failed() && state->check(cudaStreamSynchronize(stream), "the data");
    }

    bool sort(device_memory *scratch, int32_t *sorted, int32_t *from, int64_t m)
    {
        int32_t *order = scratch->make<int32_t>(state, stored, "the transposed data");
        size_t bytes = 0;
        int bits = 1;
        while (bits < 31 && (int64_t)1 << bits < m)
            bits++;
        if (!order)
            return false;
        count_up<<<1024, 256, 0, stream>>>(order, stored);
        if (!state->check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, forward.column, sorted,
                                                          order, from, (int)stored, 0, bits, stream),
                          "the transposed data"))
            return false;
        char *work = scratch->make<char>(state, (int64_t)bytes, "the transposed data");
        return work && state->check(cub::DeviceRadixSort::SortPairs(
                                        work, bytes, forward.column, sorted, order, from,
                                        (int)stored, 0, bits, stream),
                                    "the transposed data");
    }

    bool make_transpose(int64_t n, int64_t m)
    {
        device_memory scratch;
        std::vector<int64_t> starts((size_t)m + 1);
        int32_t *sorted = scratch.make<int32_t>(state, stored, "the transposed data"),
                *from = scratch.make<int32_t>(state, stored, "the transposed data"),
                *sample = memory.make<int32_t>(state, stored, "the transposed data");
        T *values = memory.make<T>(state, stored, "the transposed data");
        int64_t *found = scratch.make<int64_t>(state, m + 1, "the transposed data");
        if (state->failed() || !sort(&scratch, sorted, from, m))
            return false;
        transpose_entries<<<1024, 256, 0, stream>>>(sample, values, from, forward.values, begin, n,
                                                    stored);
        find_starts<<<256, 256, 0, stream>>>(found, sorted, stored, m);
        if (!state->launched("the transposed data") ||
            !state->check(cudaMemcpyAsync(starts.data(), found, starts.size() * sizeof *found,
                                          cudaMemcpyDeviceToHost, stream),
                          "the transposed data") ||
            !state->check(cudaStreamSynchronize(stream), "the transposed data"))
            return false;
        backward.column = sample;
        backward.values = values;
        return make_items(&backward, starts.data(), m);
    }

    failure *state = nullptr;
    cudaStream_t stream = nullptr;
    device_memory memory;
    int64_t width = 0, stored = 0;
    int64_t *begin = nullptr; /* where rows begin */
    sparse_view<T> forward = {}, backward = {};
};

#endif
