/* The quadratic loss, single precision, X dense, by passes over X in split numbers
 * (split_pass.cuh). X is split once where there is memory for it beside X, otherwise piece by piece
 * in each iteration. */
#ifndef CUDA_SPLIT_FIT_CUH
#define CUDA_SPLIT_FIT_CUH

#include "keyed_fit.cuh"
#include "split_tiles.cuh"

class split_fit : public keyed_fit
{
  public:
    static bool takes(const device_problem &problem, const device_description &device)
    {
        return can_take(problem, device) && !strcmp(problem.loss, "frobenius") &&
               find_kind(problem) != nullptr;
    }

    explicit split_fit(const device_problem &problem)
        : keyed_fit(problem, find_kind(problem)->passes), planes(planes_of(problem)),
          refresh(*find_kind(problem))
    {
        int device = 0;
        if (check(cudaGetDevice(&device), "the device"))
            check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                  "the device");
        if (!terms.uses_columns() && data().can_stream())
            data().stream(); /* it is split as it comes */
    }

    int64_t bytes() override
    {
        return keyed_fit::bytes() + tile_count(stays ? n : data().most_rows()) * tile_bytes() +
               2 * n * (int64_t)sizeof(float) + key_size(m) + key_size(data().most_rows()) +
               (data().count() + 1) * processors * kp * kp * (int64_t)sizeof(float);
    }

    bool stream_data() override
    {
        stays = false;
        keyed_fit::stream_data();
        return true;
    }

    bool open() override
    {
        if (!keyed_fit::open() ||
            !check(cudaFuncSetAttribute(refresh.refresh,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        refresh.refresh_bytes),
                   "shared memory"))
            return false;
        const int64_t shares = (int64_t)kp * kp * processors;
        tiles = memory.make<char>(this, tile_count(stays ? n : data().most_rows()) * tile_bytes(),
                                  "split data");
        power = memory.make<float>(this, n, "powers of two");
        back = memory.make<float>(this, n, "powers of two");
        keys_W = memory.make<char>(this, key_size(m), "keys");
        keys_S = memory.make<char>(this, key_size(data().most_rows()), "keys");
        grams_W = memory.make<float>(this, shares, "Gram matrices");
        grams_S = memory.make<float>(this, data().count() * shares, "Gram matrices");
        for (int64_t i = 0; stays && i < data().count() && !failed(); i++)
            split(data().take(i));
        return launched("split data");
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

    bool basis(const device_step &step) override
    {
        basis_is_fresh = updates_by_rows(step, true);
        if (!basis_is_fresh)
            return keyed_fit::basis(step);
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
    data_piece<float> take(int64_t index) override
    {
        const int64_t each = data().most_rows(), first = index * each;
        if (stays)
            return {index, first, n - first < each ? n - first : each, nullptr};
        const data_piece<float> p = data().take(index);
        split(p);
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
        return refresh_basis({});
    }

    void make_numerators(const data_piece<float> &p, const device_step *step) override
    {
        leaves_runs = step && updates_by_rows(*step, false);
        if (leaves_runs)
            multiply_data(p);
        else
            keyed_fit::make_numerators(p, step);
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
            keyed_fit::update_rows(p, step);
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
    static int planes_of(const device_problem &problem)
    {
        return problem.rounds_products ? 1 : 2;
    }

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

    int64_t tile_bytes() const
    {
        return tile_halves(planes) * (int64_t)sizeof(__half);
    }
    int64_t tile_count(int64_t rows) const
    {
        return padded(rows, TILE) / TILE * (padded(m, TILE) / TILE);
    }
    int64_t key_size(int64_t rows) const
    {
        return padded(rows, TILE) / TILE * key_bytes(kp, planes);
    }

    /* Of refresh_rows: one for each multiprocessor. */
    int64_t blocks_of(int64_t rows) const
    {
        const int64_t all = padded(rows, TILE) / TILE;
        return all < processors ? all : processors;
    }

    void split(const data_piece<float> &p)
    {
        uint4 *to = (uint4 *)tiles_of(p);
        const unsigned blocks = (unsigned)tile_count(p.rows);
        find_powers<<<(unsigned)(padded(p.rows, 8) / 8), dim3(32, 8), 0, stream>>>(
            power + p.first, back + p.first, p.x, ldx, p.rows, (int)m);
        if (planes == 2)
            make_tiles<2><<<blocks, SPLIT_THREADS, 0, stream>>>(to, power + p.first, p.x, ldx,
                                                                p.rows, (int)m);
        else
            make_tiles<1><<<blocks, SPLIT_THREADS, 0, stream>>>(to, power + p.first, p.x, ldx,
                                                                p.rows, (int)m);
        data().leave(p);
    }

    char *tiles_of(const data_piece<float> &p) const
    {
        return stays ? tiles + tile_count(p.first) * tile_bytes() : tiles;
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
            check(cudaLaunchKernel(refresh.refresh, dim3((unsigned)blocks_of(p.count)),
                                   dim3(ROWS_THREADS), arguments, (size_t)refresh.refresh_bytes,
                                   stream),
                  "new rows");
    }

    void add_shares(float *to, const float *shares, int64_t count)
    {
        add_parts<<<(unsigned)((kp * kp / 4 + 31) / 32), dim3(32, 8), 0, stream>>>(
            to, shares, kp * kp, (int)count);
    }

    const int planes;
    const split_kind refresh;
    int processors = 1;
    bool stays = true; /* X stays on the device, split */
    char *tiles = nullptr, *keys_W = nullptr, *keys_S = nullptr;
    float *power = nullptr, *back = nullptr; /* of each sample */
    float *grams_W = nullptr, *grams_S = nullptr;
    bool basis_is_fresh = false; /* its keys and its Gram matrix are there */
    bool leaves_runs = false;    /* the numerators stay runs */
    bool has_keys = false;       /* of a piece's encodings as they are */
};

#endif
