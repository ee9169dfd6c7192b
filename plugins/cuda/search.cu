/* Neighbours and nearest centres: the functions of core/device_search.h. */
#include <memory>
#include <vector>

#include "centres.cuh"
#include "neighbours.cuh"
#include "search.cuh"

#define PRODUCT_BYTES ((int64_t)512 << 20) /* of the products of a block of samples */
#define MOST_COLUMNS 131072                /* samples that a block is compared with at a time */
#define MOST_ROWS 8192                     /* of a block */
#define MOST_NEIGHBOURS 100

/* The search itself: all samples by products rounded to TF32; those that are not decided by products
 * of single precision; what is left by exact distances to all samples. */
class neighbour_search
{
  public:
    neighbour_search(const device_points &points, int64_t count)
        : points(points), n(points.rows), count(count)
    {
        const int64_t wanted = 2 * count + 16;
        kept = (int)(wanted < n - 1 ? wanted : n - 1);
        columns = n < MOST_COLUMNS ? n : MOST_COLUMNS;
        block = rows_within(columns * 4);
        exact_block = rows_within(n * 8);
    }

    bool run(int device, int32_t *nearest)
    {
        const int64_t m = points.p.columns;
        if (!points.open(device, scratch_bytes()) || !make_scratch())
            return false;
        std::vector<int32_t> left(n);
        for (int64_t i = 0; i < n; i++)
            left[i] = (int32_t)i;
        const fast_error rounded = {0x1p-11 + 0x1p-22, (0.5 * (double)m + 16) * 0x1p-22},
                         single = {0x1p-23, (0.125 * (double)m + 16) * 0x1p-22};
        return by_products(true, rounded, &left) && by_products(false, single, &left) &&
               by_distances(left) &&
               points.check(cudaMemcpyAsync(nearest, found, (size_t)(n * count) * sizeof *nearest,
                                            cudaMemcpyDeviceToHost, points.stream),
                            "a copy from the device") &&
               points.wait();
    }

    points_on_device points;

  private:
    static int64_t rows_within(int64_t row_bytes)
    {
        const int64_t fit = PRODUCT_BYTES / row_bytes;
        return fit < 1 ? 1 : fit > MOST_ROWS ? MOST_ROWS : fit;
    }

    int64_t product_bytes() const
    {
        const int64_t fast = block * columns * 4, exact = exact_block * n * 8;
        return fast > exact ? fast : exact;
    }

    int64_t scratch_bytes() const
    {
        return product_bytes() + n * (count * 4 + 1) + block * (points.padded * 4 + kept * 8 + 4);
    }

    bool make_scratch()
    {
        device_memory &memory = points.memory;
        products = memory.make<char>(&points, product_bytes(), "products of samples");
        gathered = memory.make<float>(&points, block * points.padded, "a block of samples");
        keys = memory.make<uint64_t>(&points, block * kept, "candidates");
        rows = memory.make<int32_t>(&points, block, "a block of samples");
        found = memory.make<int32_t>(&points, n * count, "neighbours");
        undecided = memory.make<uint8_t>(&points, n, "neighbours");
        return !points.failed();
    }

    bool take_rows(const int32_t *from, int64_t taken)
    {
        return points.check(cudaMemcpyAsync(rows, from, (size_t)taken * sizeof *from,
                                            cudaMemcpyHostToDevice, points.stream),
                            "a copy to the device");
    }

    template <typename T> void launch_decision(const decision &d, int64_t taken)
    {
        decide<<<(unsigned)taken, 128, 0, points.stream>>>(d, points.given<T>(), points.stride,
                                                           points.p.columns);
    }

    bool search_block(bool rounds, const fast_error &error, int64_t taken)
    {
        const int64_t step = points.padded;
        gather_rows<<<(unsigned)taken, 128, 0, points.stream>>>(points.shifted, step, rows,
                                                                gathered);
        fill_keys<<<(unsigned)((taken * kept + 255) / 256), 256, 0, points.stream>>>(keys,
                                                                                    taken * kept);
        for (int64_t first = 0; first < n; first += columns) {
            const int64_t wide = n - first < columns ? n - first : columns;
            if (!points.multiply(rounds, gathered, taken, points.shifted + first * step, wide,
                                 (float *)products, columns))
                return false;
            keep_nearest<<<(unsigned)taken, KEPT_THREADS, 0, points.stream>>>(
                {(float *)products, wide, columns, first, points.squares, rows, kept, keys});
        }
        const decision d = {keys, kept, count, kept == n - 1, rows, points.squares,
                            error, found, undecided};
        if (points.p.single)
            launch_decision<float>(d, taken);
        else
            launch_decision<double>(d, taken);
        return points.launched("neighbours");
    }

    /* `left` are the samples to be searched for, and then those that are not decided. */
    bool by_products(bool rounds, const fast_error &error, std::vector<int32_t> *left)
    {
        if (left->empty())
            return true;
        if (!points.shift(rounds))
            return false;
        for (size_t first = 0; first < left->size(); first += (size_t)block) {
            const int64_t rest = (int64_t)(left->size() - first), taken = rest < block ? rest : block;
            if (!take_rows(left->data() + first, taken) || !search_block(rounds, error, taken))
                return false;
        }
        std::vector<uint8_t> flags(n);
        if (!points.check(cudaMemcpyAsync(flags.data(), undecided, (size_t)n,
                                          cudaMemcpyDeviceToHost, points.stream),
                          "a copy from the device") ||
            !points.wait())
            return false;
        size_t count_left = 0;
        for (const int32_t i : *left)
            if (flags[i])
                (*left)[count_left++] = i;
        left->resize(count_left);
        return true;
    }

    bool by_distances(const std::vector<int32_t> &left)
    {
        const unsigned wide = (unsigned)((n + 31) / 32);
        double *distances = (double *)products;
        for (size_t first = 0; first < left.size(); first += (size_t)exact_block) {
            const int64_t rest = (int64_t)(left.size() - first), taken = rest < exact_block ? rest : exact_block;
            const dim3 grid(wide, (unsigned)taken);
            if (!take_rows(left.data() + first, taken))
                return false;
            if (points.p.single)
                exact_distances<<<grid, 128, 0, points.stream>>>(
                    points.given<float>(), points.stride, n, points.p.columns, rows, distances);
            else
                exact_distances<<<grid, 128, 0, points.stream>>>(
                    points.given<double>(), points.stride, n, points.p.columns, rows, distances);
            exact_nearest<<<(unsigned)taken, 256, 0, points.stream>>>(distances, n, rows, count,
                                                                      found);
            if (!points.launched("exact distances"))
                return false;
        }
        return true;
    }

    const int64_t n, count;
    int kept;
    int64_t columns, block, exact_block;
    char *products = nullptr; /* block x columns dots, or exact_block x n distances in double */
    float *gathered = nullptr;
    uint64_t *keys = nullptr;
    int32_t *rows = nullptr, *found = nullptr;
    uint8_t *undecided = nullptr;
};

static bool tell(const failure &state, char *message)
{
    snprintf(message, DEVICE_MESSAGE, "%s", state.text);
    return false;
}

static bool find_neighbours(int device, const device_points *points, int64_t count,
                            int32_t *nearest, char *message)
{
    if (count < 1 || count > MOST_NEIGHBOURS || count >= points->rows || points->rows > INT32_MAX) {
        snprintf(message, DEVICE_MESSAGE, "%lld neighbours of %lld samples", (long long)count,
                 (long long)points->rows);
        return false;
    }
    std::unique_ptr<neighbour_search> search(new (std::nothrow) neighbour_search(*points, count));
    if (!search) {
        snprintf(message, DEVICE_MESSAGE, "out of memory for a search");
        return false;
    }
    return search->run(device, nearest) || tell(search->points, message);
}

struct device_centres : centres_on_device {
    using centres_on_device::centres_on_device;
};

static bool open_centres(int device, const device_points *points, int64_t k,
                         device_centres **state, char *message)
{
    *state = nullptr;
    std::unique_ptr<device_centres> made(new (std::nothrow) device_centres(*points, k));
    if (!made) {
        snprintf(message, DEVICE_MESSAGE, "out of memory for k-means");
        return false;
    }
    if (!made->open(device))
        return tell(made->points, message);
    *state = made.release();
    return true;
}

static bool assign(device_centres *state, const double *centres, int64_t *labels, char *message)
{
    return state->assign(centres, labels) || tell(state->points, message);
}

static void close_centres(device_centres *state)
{
    delete state;
}

const device_search *search_functions()
{
    static const device_search functions = {find_neighbours, MOST_NEIGHBOURS, open_centres, assign,
                                            close_centres};
    return &functions;
}
