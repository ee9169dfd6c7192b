/* A fit on the device: what every way of computing it has in common. */
#ifndef CUDA_STATE_CUH
#define CUDA_STATE_CUH

#include <cuda_runtime.h>
#include <memory>
#include <stdio.h>
#include <vector>

extern "C" {
#include "engine/device.h"
}

/* What keeps the first failure, so that what follows is not begun. */
struct failure {
    char text[DEVICE_MESSAGE] = "";

    bool failed() const { return text[0] != '\0'; }
    bool fails(const char *what, const char *why)
    {
        if (!failed())
            snprintf(text, sizeof text, "%s: %s", what, why);
        return false;
    }
    bool check(cudaError_t error, const char *what)
    {
        return error == cudaSuccess || fails(what, cudaGetErrorString(error));
    }
    /* After a launch. */
    bool launched(const char *what) { return check(cudaGetLastError(), what) && !failed(); }
};

/* The verbs of device.h. */
struct device_state : failure {
    virtual ~device_state() {}
    virtual bool put(device_array which, const void *rows, int64_t stride) = 0;
    virtual bool get(device_array which, void *rows, int64_t stride) = 0;
    virtual bool start() = 0;
    virtual bool basis(const device_step &step) = 0;
    virtual bool basis_changed() = 0;
    virtual bool encoding(const device_step &step) = 0;
    virtual bool keep() = 0;
    virtual bool restore() = 0;
    virtual bool measure(double *values) = 0;
    virtual bool projected_gradient(double *value) = 0;
    virtual bool run(const device_step &first, int64_t count, double *values) = 0;
};

/* Memory of the device that is freed with its owner. */
class device_memory {
  public:
    device_memory() = default;
    device_memory(const device_memory &) = delete;
    device_memory &operator=(const device_memory &) = delete;
    ~device_memory()
    {
        for (void *each : all)
            cudaFree(each);
    }
    /* Zeros; NULL where there is none left. */
    template <typename T> T *make(failure *state, int64_t count, const char *what)
    {
        void *memory = nullptr;
        if (state->failed())
            return nullptr;
        if (count < 1)
            count = 1;
        if (!state->check(cudaMalloc(&memory, (size_t)count * sizeof(T)), what))
            return nullptr;
        all.push_back(memory);
        state->check(cudaMemset(memory, 0, (size_t)count * sizeof(T)), what);
        /* a fit's own stream does not wait for it */
        state->check(cudaStreamSynchronize(nullptr), what);
        return (T *)memory;
    }

  private:
    std::vector<void *> all;
};

/* What make() gives, opened on the device if bytes() of it are free and allowed; NULL with the reason
 * in `message` where not. */
template <typename STATE, typename MAKE>
STATE *open_on_device(int device, int64_t memory_limit, MAKE make, char *message)
{
    failure asked;
    size_t free_bytes = 0, all = 0;
    std::unique_ptr<STATE> made;
    int64_t there = 0;
    if (asked.check(cudaSetDevice(device), "the device") &&
        asked.check(cudaMemGetInfo(&free_bytes, &all), "the device")) {
        there = (int64_t)free_bytes;
        there = memory_limit > 0 && memory_limit < there ? memory_limit : there;
        made.reset(make());
        if (!made)
            asked.fails("a fit", "out of memory");
    }
    if (!asked.failed() && made->bytes() > there)
        snprintf(asked.text, sizeof asked.text,
                 "the fit takes %.3g GB of the device's memory, and %.3g GB may be used",
                 (double)made->bytes() * 1e-9, (double)there * 1e-9);
    if (!asked.failed() && made->open())
        return made.release();
    snprintf(message, DEVICE_MESSAGE, "%s", asked.failed() ? asked.text : made->text);
    return nullptr;
}

#endif
