/* Multiplicative updates with the quadratic loss, single precision, X dense: one read of X in an
 * iteration (frobenius_pass.cuh), and an iteration is one graph of launches. */
#ifndef CUDA_FUSED_FIT_CUH
#define CUDA_FUSED_FIT_CUH

#include "passes.cuh"
#include "plain_fit.cuh"

#define MOST_BLOCKS 16 /* of a cluster */
#define FEW_ENTRIES (1 << 22)

class fused_fit : public plain_fit<float> {
  public:
    /* Of more parts, two reads of X by wider products are faster (split_fit.cuh) but where launches
     * take most of the time. */
    static bool takes(const device_problem &problem, const device_description &device)
    {
        return device.major >= 9 &&
               (problem.rank <= 16 || problem.samples * problem.features <= FEW_ENTRIES) &&
               problem.term_count == 0 && !strcmp(problem.loss, "frobenius") &&
               !strcmp(problem.solver, "mu") && problem.samples < (1 << 30) &&
               data_pieces<float>(problem, (problem.features + 3) / 4 * 4, true).count() == 1 &&
               find_kind(problem) != nullptr;
    }

    explicit fused_fit(const device_problem &problem)
        : plain_fit<float>(problem, find_kind(problem)->columns),
          kind(*find_kind(problem)), blocks(blocks_of(*find_kind(problem), problem.features)),
          launch(problem.rounds_products ? kind.rounded : kind.exact)
    {
    }

    int64_t bytes() override
    {
        return plain_fit<float>::bytes() + 132 * (m + kp) * kp * (int64_t)sizeof(float);
    }

    bool open() override
    {
        if (!plain_fit<float>::open())
            return false;
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute = {};
        int device = 0, clusters = 0;
        cudaDeviceProp properties;
        if (!check(cudaGetDevice(&device), "the device") ||
            !check(cudaGetDeviceProperties(&properties, device), "the device") ||
            !check(cudaFuncSetAttribute(launch, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        kind.bytes),
                   "shared memory") ||
            !check(cudaFuncSetAttribute(kind.basis, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        basis_bytes()),
                   "shared memory") ||
            (blocks > 8 &&
             !check(cudaFuncSetAttribute(launch, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
                    "a large cluster")))
            return false;
        config.gridDim = dim3((unsigned)(properties.multiProcessorCount / blocks * blocks));
        configure(&config, &attribute);
        if (!check(cudaOccupancyMaxActiveClusters(&clusters, launch, &config), "clusters"))
            return false;
        if (clusters < 1)
            return fails("a cluster", "the device has no room for it");
        groups = clusters;
        basis_rows = (int)((m + properties.multiProcessorCount - 1) /
                           properties.multiProcessorCount + 15) / 16 * 16;
        basis_blocks = (int)((m + basis_rows - 1) / basis_rows);
        sums = memory.make<float>(this, (m + kp) * kp, "sums");
        sum_list = memory.make<float>(this, groups * (m + kp) * kp, "sums of the clusters");
        gram_list = memory.make<float>(this, (int64_t)basis_blocks * kp * kp, "Gram matrices");
        A = sums;
        B = sums + m * kp;
        return !failed();
    }

    bool basis(const device_step &step) override
    {
        if (!flush())
            return false;
        step_exponent = step.exponent * q.exponent;
        waits_for_basis = true;
        return true;
    }

    bool basis_changed() override
    {
        if (waits_for_basis)
            return true; /* the step makes W'W too */
        return plain_fit<float>::basis_changed();
    }

    bool encoding(const device_step &step) override
    {
        const double exponent = step.exponent * q.exponent;
        if (!waits_for_basis)
            return run_pass(exponent) && run_value();
        waits_for_basis = false;
        if (step_exponent != exponent)
            return run_basis(step_exponent) && run_pass(exponent) && run_value();
        value_known = true;
        return alone.run(this, stream, key_of(step),
                         [&] { return run_basis(exponent) && run_pass(exponent) && run_value(); });
    }

    bool measure(double *values) override
    {
        if (!flush() || (!value_known && !run_value()) || !wait())
            return false;
        return frobenius_value(host[0], values);
    }

    bool run(const device_step &first, int64_t count, double *values) override
    {
        const bool made = plain_fit<float>::run(first, count, values);
        value_known = false;
        return made;
    }

    bool start() override
    {
        value_known = false;
        return flush() && plain_fit<float>::start();
    }

    bool put(device_array which, const void *rows, int64_t stride) override
    {
        value_known = false;
        return plain_fit<float>::put(which, rows, stride);
    }

  protected:
    bool copies_data() const override
    {
        return !q.on_device || q.stride % 4 || m % 4 || (uintptr_t)q.values % 16;
    }
    int64_t data_stride() const override
    {
        return copies_data() ? (m + 3) / 4 * 4 : q.stride;
    }

    bool iterate(const device_step &step) override
    {
        const double exponent = step.exponent * q.exponent;
        return run_basis(exponent) && run_pass(exponent);
    }

    bool flush() override
    {
        if (waits_for_basis) {
            waits_for_basis = false;
            return run_basis(step_exponent);
        }
        return !failed();
    }

  private:
    static int blocks_of(const pass_kind &kind, int64_t features)
    {
        int blocks = 1;
        while (blocks * (int64_t)kind.panel < features)
            blocks *= 2;
        return blocks;
    }

    /* The one with the fewest features that are not there. */
    static const pass_kind *find_kind(const device_problem &problem)
    {
        int count;
        const pass_kind *kinds = pass_kinds(&count);
        const pass_kind *best = nullptr;
        int64_t least = 0;
        for (int i = 0; i < count; i++) {
            const pass_kind &each = kinds[i];
            if (each.columns < problem.rank)
                continue;
            const int blocks = blocks_of(each, problem.features);
            const int64_t cost = (int64_t)blocks * each.panel * each.columns;
            if (blocks <= MOST_BLOCKS && (!best || cost < least)) {
                best = &each;
                least = cost;
            }
        }
        return best;
    }

    int basis_bytes() const { return (kp * kp + 16 * kp) * (int)sizeof(float); }

    void configure(cudaLaunchConfig_t *config, cudaLaunchAttribute *attribute) const
    {
        config->blockDim = dim3((unsigned)kind.threads);
        config->dynamicSmemBytes = (size_t)kind.bytes;
        config->stream = stream;
        attribute->id = cudaLaunchAttributeClusterDimension;
        attribute->val.clusterDim.x = (unsigned)blocks;
        attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
        config->attrs = attribute;
        config->numAttrs = 1;
    }

    bool run_basis(double exponent)
    {
        int features = (int)m;
        void *arguments[] = {&W, &A, &B, &features, &basis_rows, &exponent, &gram_list};
        if (!check(launch_next(kind.basis, {basis_blocks, dim3(256), basis_bytes(), 0}, stream,
                               arguments),
                   "the basis") ||
            !check(launch_add_parts(G, gram_list, kp * kp, basis_blocks, stream), "the basis"))
            return false;
        value_known = false;
        return launched("the basis");
    }

    bool run_pass(double exponent)
    {
        pass_arguments p = {data().take(0).x, ldx, (int)n, (int)m, W, G, S, S, sum_list, exponent};
        void *arguments[] = {&p};
        const int count = (int)((m + kp) * kp);
        if (!check(launch_next(launch, {groups * blocks, dim3((unsigned)kind.threads), kind.bytes,
                                        blocks},
                               stream, arguments),
                   "a pass") ||
            !check(launch_add_parts(sums, sum_list, count, groups, stream), "sums"))
            return false;
        value_known = false;
        return launched("a pass");
    }

    bool run_value()
    {
        value_known = true;
        return make_value(host, nullptr);
    }

    const pass_kind kind;
    const int blocks; /* of a cluster */
    const void *const launch;
    int groups = 0, basis_rows = 0, basis_blocks = 0;
    float *sums = nullptr, *sum_list = nullptr, *gram_list = nullptr;
    step_graph alone; /* of an iteration that is not one of several */
    double step_exponent = 1;
    bool waits_for_basis = false, value_known = false;
};

#endif
