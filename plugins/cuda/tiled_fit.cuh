/* Passes over X in tiles (tile_ring.cuh), which are made once where there is memory for all of them
 * beside X, otherwise piece by piece in each iteration. */
#ifndef CUDA_TILED_FIT_CUH
#define CUDA_TILED_FIT_CUH

#include "keyed_fit.cuh"

class tiled_fit : public keyed_fit
{
  public:
    tiled_fit(const device_problem &problem, const keyed_kind &kind, int64_t tile_bytes)
        : keyed_fit(problem, kind), tile_bytes(tile_bytes)
    {
        int device = 0;
        if (check(cudaGetDevice(&device), "the device"))
            check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                  "the device");
        if (!terms.uses_columns() && data().can_stream())
            data().stream(); /* tiles are made as it comes */
    }

    int64_t bytes() override
    {
        return keyed_fit::bytes() + tile_count(stays ? n : data().most_rows()) * tile_bytes;
    }

    bool stream_data() override
    {
        stays = false;
        keyed_fit::stream_data();
        return true;
    }

    bool put(device_array which, const void *rows, int64_t stride) override
    {
        basis_is_fresh = false;
        return keyed_fit::put(which, rows, stride);
    }

    bool start() override
    {
        basis_is_fresh = false;
        return keyed_fit::start();
    }

    bool restore() override
    {
        basis_is_fresh = false;
        return keyed_fit::restore();
    }

  protected:
    /* Of a number: its high part, and for single precision's accuracy the low one. */
    static int planes_of(const device_problem &problem)
    {
        return problem.rounds_products ? 1 : 2;
    }

    /* At `to`, from rows of X. */
    virtual void write_tiles(char *to, const data_piece<float> &p) = 0;
    /* The keys of the basis as it is, and what comes with them. */
    virtual bool pack_basis() = 0;

    data_piece<float> take(int64_t index) override
    {
        const int64_t each = data().most_rows(), first = index * each;
        if (stays)
            return {index, first, n - first < each ? n - first : each, nullptr};
        const data_piece<float> p = data().take(index);
        tile_piece(p);
        return p;
    }
    void leave(const data_piece<float> &) override
    {
    }
    /* Whether an iteration copies X, or has to wait for what it finds in it. */
    bool streams() override
    {
        return data().is_streamed() && (!stays || terms.uses_columns());
    }

    bool go_to_start() override
    {
        basis_is_fresh = false;
        return keyed_fit::go_to_start();
    }

    bool make_basis_products() override
    {
        if (basis_is_fresh)
            return !failed();
        basis_is_fresh = true;
        return pack_basis();
    }

    /* The last step of open(). */
    bool open_tiles()
    {
        tiles = memory.make<char>(this, tile_count(stays ? n : data().most_rows()) * tile_bytes,
                                  "tiles of the data");
        for (int64_t i = 0; stays && i < data().count() && !failed(); i++)
            tile_piece(data().take(i));
        return launched("tiles of the data");
    }

    int64_t tile_count(int64_t rows) const
    {
        return padded(rows, TILE) / TILE * (padded(m, TILE) / TILE);
    }

    const char *tiles_of(const data_piece<float> &p) const
    {
        return stays ? tiles + tile_count(p.first) * tile_bytes : tiles;
    }

    int processors = 1;
    bool basis_is_fresh = false; /* its keys are there, and what comes with them */

  private:
    void tile_piece(const data_piece<float> &p)
    {
        write_tiles(stays ? tiles + tile_count(p.first) * tile_bytes : tiles, p);
        data().leave(p);
    }

    const int64_t tile_bytes;
    bool stays = true; /* all of X stays on the device, in tiles */
    char *tiles = nullptr;
};

#endif
