/* The quadratic loss, single precision, X dense, by passes over X in split numbers
 * (split_pass.cuh). */
#ifndef CUDA_SPLIT_FIT_CUH
#define CUDA_SPLIT_FIT_CUH

#include "split_tiles.cuh"
#include "tiled_fit.cuh"

class split_fit : public tiled_fit
{
  public:
    static bool takes(const device_problem &problem, const device_description &device)
    {
        return can_take(problem, device) && !strcmp(problem.loss, "frobenius") &&
               find_kind(problem) != nullptr;
    }

    explicit split_fit(const device_problem &problem)
        : tiled_fit(problem, find_kind(problem)->passes,
                    tile_halves(planes_of(problem)) * (int64_t)sizeof(__half)),
          planes(planes_of(problem)), refresh(*find_kind(problem))
    {
    }

    int64_t bytes() override
    {
        return tiled_fit::bytes() + 2 * n * (int64_t)sizeof(float) + key_size(m) +
               key_size(data().most_rows()) +
               (data().count() + 1) * most_blocks() * kp * kp * (int64_t)sizeof(float);
    }

    bool open() override
    {
        if (!tiled_fit::open() ||
            !check(cudaFuncSetAttribute(refresh.refresh,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        refresh.refresh_bytes),
                   "shared memory"))
            return false;
        const int64_t shares = (int64_t)kp * kp * most_blocks();
        power = memory.make<float>(this, n, "powers of two");
        back = memory.make<float>(this, n, "powers of two");
        keys_W = memory.make<char>(this, key_size(m), "keys");
        keys_S = memory.make<char>(this, key_size(data().most_rows()), "keys");
        grams_W = memory.make<float>(this, shares, "Gram matrices");
        grams_S = memory.make<float>(this, data().count() * shares, "Gram matrices");
        return open_tiles();
    }

    bool basis(const device_step &step) override
    {
        basis_is_fresh = updates_by_rows(step, true);
        if (!basis_is_fresh)
            return tiled_fit::basis(step);
        refresh_arguments p = {};
        p.updates = true;
        p.numerators = {A, 0, nullptr, 1};
        p.square = B;
        p.added = (float)basis_penalty;
        p.exponent = step.exponent * q.exponent;
        p.on = {before_W, step.momentum, width > 1};
        return refresh_basis(p);
    }

  protected:
    void write_tiles(char *to, const data_piece<float> &p) override
    {
        const unsigned blocks = (unsigned)tile_count(p.rows);
        find_powers<<<(unsigned)(padded(p.rows, 8) / 8), dim3(32, 8), 0, stream>>>(
            power + p.first, back + p.first, p.x, ldx, p.rows, (int)m);
        if (planes == 2)
            make_split_tiles<2><<<blocks, TILE_THREADS, 0, stream>>>((uint4 *)to, power + p.first,
                                                                     p.x, ldx, p.rows, (int)m);
        else
            make_split_tiles<1><<<blocks, TILE_THREADS, 0, stream>>>((uint4 *)to, power + p.first,
                                                                     p.x, ldx, p.rows, (int)m);
    }

    bool pack_basis() override
    {
        return refresh_basis({});
    }

    void make_numerators(const data_piece<float> &p, const device_step *step) override
    {
        leaves_runs = step && updates_by_rows(*step, false);
        if (leaves_runs)
            multiply_data(p);
        else
            tiled_fit::make_numerators(p, step);
    }

    void multiply_data(const data_piece<float> &p) override
    {
        const pass &over = passes_of(p).over_samples;
        pass_over(over, p, keys_W);
        if (!leaves_runs)
            add_list(N + p.first * kp, over.list, p.rows, false);
    }

    void update_rows(const data_piece<float> &p, const device_step &step) override
    {
        if (!leaves_runs) {
            tiled_fit::update_rows(p, step);
            return;
        }
        refresh_arguments u = {};
        u.updates = true;
        u.numerators = passes_of(p).over_samples.list;
        u.square = G;
        u.added = (float)penalty;
        u.exponent = step.exponent * q.exponent;
        u.on = {before_S ? before_S + p.first * kp : nullptr, step.momentum, width > 1};
        refresh_encodings(p, u);
        has_keys = true;
    }

    void add_data(const data_piece<float> &p) override
    {
        const pass &over = passes_of(p).over_features;
        if (!has_keys)
            refresh_encodings(p, {});
        has_keys = false;
        pass_over(over, p, keys_S);
        add_list(A, over.list, m, p.index > 0);
    }

    bool finish_sums(const device_step *) override
    {
        add_shares(B, grams_S, (data().count() - 1) * blocks_of(whole.rows) + blocks_of(last.rows));
        return launched("sums");
    }

  private:
    static const split_kind *find_kind(const device_problem &problem)
    {
        int count;
        const split_kind *kinds = split_kinds(planes_of(problem), &count);
        for (int i = 0; i < count; i++)
            if (has_rank(kinds[i].passes, problem))
                return &kinds[i];
        return nullptr;
    }

    /* Whether a factor's new rows follow from its rows and numerators alone. */
    bool updates_by_rows(const device_step &step, bool basis)
    {
        return strcmp(step.solver, "hals") && !terms.acts_on(basis);
    }

    int64_t key_size(int64_t rows) const
    {
        return padded(rows, TILE) / TILE * key_bytes(kp, planes);
    }

    /* Of refresh_rows, for so many rows. */
    int64_t blocks_of(int64_t rows) const
    {
        const int64_t each = refresh.refresh_threads / 128 * TILE, all = padded(rows, each) / each;
        return all < most_blocks() ? all : most_blocks();
    }
    int64_t most_blocks() const
    {
        return (int64_t)processors * refresh.refresh_blocks;
    }

    void pass_over(const pass &over, const data_piece<float> &p, const char *keys)
    {
        run_pass(over, split_arguments{(const __half *)tiles_of(p), back + p.first, (int)p.rows,
                                       (int)m, keys, over.runs, over.list.run_size, over.plan});
    }

    bool refresh_basis(refresh_arguments p)
    {
        p.rows = W;
        p.count = m;
        p.keys = keys_W;
        p.grams = grams_W;
        launch_refresh(p);
        add_shares(G, grams_W, blocks_of(m));
        return launched("the basis");
    }

    void refresh_encodings(const data_piece<float> &p, refresh_arguments u)
    {
        u.rows = S + p.first * kp;
        u.count = p.rows;
        u.factor = back + p.first;
        u.keys = keys_S;
        u.grams = grams_S + p.index * blocks_of(whole.rows) * kp * kp;
        launch_refresh(u);
    }

    void launch_refresh(refresh_arguments p)
    {
        void *arguments[] = {&p};
        if (!failed())
            check(launch_next(refresh.refresh,
                              {blocks_of(p.count), dim3((unsigned)refresh.refresh_threads),
                               refresh.refresh_bytes, 0},
                              stream, arguments),
                  "new rows");
    }

    void add_shares(float *to, const float *shares, int64_t count)
    {
        if (!failed())
            check(launch_add_parts(to, shares, kp * kp, (int)count, stream), "Gram matrices");
    }

    const int planes;
    const split_kind refresh;
    char *keys_W = nullptr, *keys_S = nullptr;
    float *power = nullptr, *back = nullptr; /* of each sample */
    float *grams_W = nullptr, *grams_S = nullptr;
    bool leaves_runs = false; /* the numerators stay runs */
    bool has_keys = false;    /* of a piece's encodings as they are */
};

#endif
