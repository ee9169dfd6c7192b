/* Multiplicative updates with the Kullback-Leibler loss, single precision, X dense, by passes over
 * X that form its quotients in registers (quotient_pass.cuh). */
#ifndef CUDA_QUOTIENT_FIT_CUH
#define CUDA_QUOTIENT_FIT_CUH

#include "quotients.cuh"
#include "tiled_fit.cuh"

#define REFRESH_BLOCKS 8 /* of each multiprocessor, at most */

/* A block for each tile; a thread copies blocks of 2 x 2 numbers. */
static __global__ void __launch_bounds__(TILE_THREADS)
    make_quotient_tiles(float4 *tiles, const float *X, int64_t stride, int64_t samples,
                        int features)
{
    const int feature_tiles = (features + TILE - 1) / TILE;
    const int64_t first_row = blockIdx.x / feature_tiles * (int64_t)TILE;
    const int first = blockIdx.x % feature_tiles * TILE;
    const auto entry = [&](int64_t row, int feature) {
        return row < samples && feature < features ? X[row * stride + feature] : 0;
    };
    float4 *to = tiles + blockIdx.x * (int64_t)(TILE * TILE / 4);
    for (int i = threadIdx.x; i < TILE * TILE / 4; i += TILE_THREADS) {
        const int pair = i / 32, other = i % 32, feature = first + 2 * other;
        const int64_t row = first_row + 2 * pair;
        to[pair * 32 + (other ^ tile_order(pair))] =
            make_float4(entry(row, feature), entry(row, feature + 1), entry(row + 1, feature),
                        entry(row + 1, feature + 1));
    }
}

/* A block for each column. */
static __global__ void finish_columns(const double *parts, int blocks, int columns, double *to)
{
    double total = 0;
    follow_launch();
    for (int i = threadIdx.x; i < blocks; i += SUM_THREADS)
        total += parts[i * columns + blockIdx.x];
    total = block_sum(total);
    if (threadIdx.x == 0)
        to[blockIdx.x] = total;
}

class quotient_fit : public tiled_fit
{
  public:
    static bool takes(const device_problem &problem, const device_description &device)
    {
        return can_take(problem, device) && !strcmp(problem.loss, "kl") &&
               find_kind(problem) != nullptr;
    }

    explicit quotient_fit(const device_problem &problem)
        : tiled_fit(problem, find_kind(problem)->passes, QUOTIENT_TILE_BYTES),
          planes(planes_of(problem)), refresh(*find_kind(problem))
    {
    }

    int64_t bytes() override
    {
        return tiled_fit::bytes() + key_size(m) + key_size(data().most_rows()) +
               (data().count() + 1) * REFRESH_BLOCKS * processors * kp * (int64_t)sizeof(double);
    }

    bool open() override
    {
        if (!tiled_fit::open())
            return false;
        most_blocks = whole.over_features.blocks > last.over_features.blocks
                          ? whole.over_features.blocks
                          : last.over_features.blocks;
        divergence = memory.make<double>(this, data().count() * most_blocks, "partial sums");
        keys_W = memory.make<char>(this, key_size(m), "keys");
        keys_S = memory.make<char>(this, key_size(data().most_rows()), "keys");
        parts_W = memory.make<double>(this, blocks_of(m) * kp, "partial sums");
        parts_S =
            memory.make<double>(this, data().count() * blocks_of(whole.rows) * kp, "partial sums");
        return open_tiles();
    }

    bool basis(const device_step &step) override
    {
        basis_is_fresh = !terms.acts_on(true);
        if (!basis_is_fresh)
            return tiled_fit::basis(step);
        quotient_refresh p = {};
        p.updates = true;
        p.numerators = {A, 0, nullptr, 1};
        p.denominators = columns_S;
        p.added = basis_penalty;
        p.exponent = step.exponent * q.exponent;
        p.on = {before_W, step.momentum, width > 1};
        return refresh_basis(p);
    }

  protected:
    void write_tiles(char *to, const data_piece<float> &p) override
    {
        make_quotient_tiles<<<(unsigned)tile_count(p.rows), TILE_THREADS, 0, stream>>>(
            (float4 *)to, p.x, ldx, p.rows, (int)m);
    }

    bool pack_basis() override
    {
        return refresh_basis({});
    }

    bool make_value(double *to, int *at) override
    {
        add_divergence<<<1, SUM_THREADS, 0, stream>>>(divergence, data().count() * most_blocks,
                                                      columns_W, columns_S, k, to, at);
        return launched("the objective");
    }

    void make_numerators(const data_piece<float> &p, const device_step *step) override
    {
        const pass &over = passes_of(p).over_samples;
        const int64_t first = p.first * kp;
        pass_over(over, p, S + first, keys_W);
        leaves_runs = step && !terms.acts_on(false);
        if (leaves_runs)
            return;
        add_list(N + first, over.list, p.rows, false);
        repeat_columns<<<ENTRY_BLOCKS, ENTRY_THREADS, 0, stream>>>(D + first, p.rows * kp, kp, k,
                                                                   columns_W);
    }

    void update_rows(const data_piece<float> &p, const device_step &step) override
    {
        if (!leaves_runs) {
            tiled_fit::update_rows(p, step);
            return;
        }
        quotient_refresh u = {};
        u.updates = true;
        u.numerators = passes_of(p).over_samples.list;
        u.denominators = columns_W;
        u.added = penalty;
        u.exponent = step.exponent * q.exponent;
        u.on = {before_S ? before_S + p.first * kp : nullptr, step.momentum, width > 1};
        refresh_encodings(p, u);
        has_keys = true;
    }

    void add_sums(const data_piece<float> &p) override
    {
        const pass &over = passes_of(p).over_features;
        if (!has_keys)
            refresh_encodings(p, {});
        has_keys = false;
        pass_over(over, p, W, keys_S);
        add_list(A, over.list, m, p.index > 0);
    }

    bool finish_sums(const device_step *) override
    {
        finish(columns_S, parts_S,
               (data().count() - 1) * blocks_of(whole.rows) + blocks_of(last.rows));
        return launched("sums");
    }

  private:
    static const quotient_kind *find_kind(const device_problem &problem)
    {
        int count;
        const quotient_kind *kinds = quotient_kinds(planes_of(problem), &count);
        for (int i = 0; i < count; i++)
            if (has_rank(kinds[i].passes, problem))
                return &kinds[i];
        return nullptr;
    }

    int64_t key_size(int64_t rows) const
    {
        return padded(rows, TILE) / TILE * quotient_key_bytes(kp, planes);
    }

    /* Of refresh_quotients. */
    int64_t blocks_of(int64_t rows) const
    {
        const int64_t all = padded(padded(rows, TILE), refresh.refresh_rows) / refresh.refresh_rows,
                      most = REFRESH_BLOCKS * (int64_t)processors;
        return all < most ? all : most;
    }

    void pass_over(const pass &over, const data_piece<float> &p, const float *rows,
                   const char *keys)
    {
        run_pass(over, quotient_arguments{(const float *)tiles_of(p), (int)p.rows, (int)m, rows,
                                          keys, over.runs, over.list.run_size,
                                          divergence + p.index * most_blocks, over.plan});
    }

    bool refresh_basis(quotient_refresh p)
    {
        p.rows = W;
        p.count = m;
        p.keys = keys_W;
        p.parts = parts_W;
        launch_refresh(p);
        finish(columns_W, parts_W, blocks_of(m));
        return launched("the basis");
    }

    void refresh_encodings(const data_piece<float> &p, quotient_refresh u)
    {
        u.rows = S + p.first * kp;
        u.count = p.rows;
        u.keys = keys_S;
        u.parts = parts_S + p.index * blocks_of(whole.rows) * kp;
        launch_refresh(u);
    }

    void launch_refresh(quotient_refresh p)
    {
        void *arguments[] = {&p};
        p.rank = k;
        if (!failed())
            check(launch_next(refresh.refresh, {blocks_of(p.count), dim3(REFRESH_THREADS), 0, 0},
                              stream, arguments),
                  "new rows");
    }

    void finish(double *columns, const double *parts, int64_t count)
    {
        int blocks = (int)count, each = kp;
        void *arguments[] = {&parts, &blocks, &each, &columns};
        if (!failed())
            check(launch_next((const void *)finish_columns, {kp, dim3(SUM_THREADS), 0, 0}, stream,
                              arguments),
                  "sums of columns");
    }

    const int planes;
    const quotient_kind refresh;
    int64_t most_blocks = 0; /* of a pass over the features */
    double *divergence = nullptr, *parts_W = nullptr, *parts_S = nullptr;
    char *keys_W = nullptr, *keys_S = nullptr;
    bool leaves_runs = false; /* the numerators stay runs */
    bool has_keys = false;    /* of a piece's encodings as they are */
};

#endif
