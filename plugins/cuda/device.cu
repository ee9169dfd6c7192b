/* The plug-in's table: devices, what runs on them, and the way to it. */
#include <memory>

#include "plain_fit.cuh"
#include "sparse_fit.cuh"
#include "fused_fit.cuh"
#include "quotient_fit.cuh"
#include "split_fit.cuh"
#include "multiplier.cuh"
#include "projective.cuh"
#include "search.cuh"

static int count(char *message)
{
    int found = 0;
    const cudaError_t error = cudaGetDeviceCount(&found);
    message[0] = '\0';
    if (error == cudaErrorInsufficientDriver)
        snprintf(message, DEVICE_MESSAGE,
                 "NVIDIA's driver is not there, or is older than CUDA %d.%d", CUDART_VERSION / 1000,
                 CUDART_VERSION % 1000 / 10);
    else if (error != cudaSuccess)
        snprintf(message, DEVICE_MESSAGE, "no CUDA device: %s", cudaGetErrorString(error));
    else if (found == 0)
        snprintf(message, DEVICE_MESSAGE, "no CUDA device");
    return error == cudaSuccess ? found : 0;
}

static bool describe(int device, device_description *description, char *message)
{
    cudaDeviceProp properties;
    size_t free_bytes = 0, all = 0;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess)
        error = cudaSetDevice(device);
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&free_bytes, &all);
    if (error != cudaSuccess) {
        snprintf(message, DEVICE_MESSAGE, "device %d: %s", device, cudaGetErrorString(error));
        return false;
    }
    snprintf(description->name, sizeof description->name, "%.127s", properties.name);
    description->memory = (int64_t)all;
    description->free_memory = (int64_t)free_bytes;
    description->multiprocessors = properties.multiProcessorCount;
    description->major = properties.major;
    description->minor = properties.minor;
    return true;
}

static bool one_of(const char *name, const char *const *all)
{
    for (; *all; all++)
        if (!strcmp(name, *all))
            return true;
    return false;
}

static bool refuses(char *message, const char *format, const char *what)
{
    snprintf(message, DEVICE_MESSAGE, format, what);
    return false;
}

static bool accepts(const device_problem *problem, char *message)
{
    static const char *const losses[] = {"frobenius", "kl", NULL},
                            *const solvers[] = {"mu", "emu", "hals", NULL};
    if (!one_of(problem->loss, losses))
        return refuses(message, "does not know the loss '%s'; it knows frobenius and kl",
                       problem->loss);
    if (!one_of(problem->solver, solvers))
        return refuses(message, "does not know the solver '%s'; it knows mu, emu and hals",
                       problem->solver);
    for (int i = 0; i < problem->term_count; i++) {
        const char *name = problem->terms[i].name;
        if (!fit_terms<float>::knows(name))
            return refuses(message, "does not know the term '%s'", name);
        if (!strcmp(problem->solver, "hals") && strncmp(name, "sparsity", 8))
            return refuses(message, "does not know the term '%s' with the solver 'hals'", name);
    }
    if (problem->start && problem->rank > SPARSE_MOST_COLUMNS)
        return refuses(message, "takes CSR data with up to 512 parts%s", "");
    if (!strcmp(problem->solver, "hals") && problem->rank > DESCENT_MOST_RANK)
        return refuses(message, "has the solver 'hals' for up to 128 parts; take solver mu%s", "");
    return true;
}

template <typename FIT>
static device_state *try_open(const device_problem *problem, int64_t free_bytes, char *message)
{
    std::unique_ptr<FIT> fit(new (std::nothrow) FIT(*problem));
    if (!fit) {
        snprintf(message, DEVICE_MESSAGE, "out of memory for a fit");
        return nullptr;
    }
    const int64_t there = problem->memory_limit > 0 && problem->memory_limit < free_bytes
                              ? problem->memory_limit
                              : free_bytes;
    int64_t needed = fit->bytes();
    if (needed > there && fit->stream_data())
        needed = fit->bytes();
    if (needed > there) {
        snprintf(message, DEVICE_MESSAGE,
                 "the fit takes %.3g GB of the device's memory, and %.3g GB may be used",
                 (double)needed * 1e-9, (double)there * 1e-9);
        return nullptr;
    }
    if (!fit->open()) {
        snprintf(message, DEVICE_MESSAGE, "%s", fit->text);
        return nullptr;
    }
    return fit.release();
}

/* Columns of the factors come in whole groups of so many; coordinate descent is compiled for 16, 32,
 * 64 and 128. */
static int column_step(const device_problem &problem)
{
    if (strcmp(problem.solver, "hals"))
        return 8;
    return problem.rank <= 16 ? 16 : problem.rank <= 32 ? 32 : problem.rank <= 64 ? 64 : 128;
}

struct plain_single : plain_fit<float> {
    explicit plain_single(const device_problem &problem)
        : plain_fit<float>(problem, column_step(problem))
    {
    }
};

struct plain_double : plain_fit<double> {
    explicit plain_double(const device_problem &problem)
        : plain_fit<double>(problem, column_step(problem))
    {
    }
};

template <typename T> struct fit_of_entries : sparse_fit<T> {
    explicit fit_of_entries(const device_problem &problem)
        : sparse_fit<T>(problem, column_step(problem))
    {
    }
};

static bool open_fit(int device, const device_problem *problem, device_state **state, char *message)
{
    device_description found;
    *state = nullptr;
    if (!accepts(problem, message) || !describe(device, &found, message))
        return false;
    if (problem->start && problem->single)
        *state = try_open<fit_of_entries<float>>(problem, found.free_memory, message);
    else if (problem->start)
        *state = try_open<fit_of_entries<double>>(problem, found.free_memory, message);
    else if (!problem->single)
        *state = try_open<plain_double>(problem, found.free_memory, message);
    else if (fused_fit::takes(*problem, found))
        *state = try_open<fused_fit>(problem, found.free_memory, message);
    else if (split_fit::takes(*problem, found))
        *state = try_open<split_fit>(problem, found.free_memory, message);
    else if (quotient_fit::takes(*problem, found))
        *state = try_open<quotient_fit>(problem, found.free_memory, message);
    else
        *state = try_open<plain_single>(problem, found.free_memory, message);
    return *state != nullptr;
}

static void close_fit(device_state *state)
{
    delete state;
}

static const char *message_of(const device_state *state)
{
    return state->text;
}

#define VERB(name, parameters, arguments)              \
    static bool name##_fit parameters                  \
    {                                                  \
        return !state->failed() && state->name arguments; \
    }

VERB(put, (device_state * state, device_array which, const void *rows, int64_t stride),
     (which, rows, stride))
VERB(get, (device_state * state, device_array which, void *rows, int64_t stride),
     (which, rows, stride))
VERB(start, (device_state * state), ())
VERB(basis, (device_state * state, const device_step *step), (*step))
VERB(basis_changed, (device_state * state), ())
VERB(encoding, (device_state * state, const device_step *step), (*step))
VERB(keep, (device_state * state), ())
VERB(restore, (device_state * state), ())
VERB(measure, (device_state * state, double *values), (values))
VERB(projected_gradient, (device_state * state, double *value), (value))
VERB(run, (device_state * state, const device_step *first, int64_t count, double *values),
     (*first, count, values))

extern "C" __attribute__((visibility("default"))) const device_interface *
orthant_plugin_device(void)
{
    static const device_interface table = {
        sizeof table, DEVICE_VERSION, "cuda",    count,     describe,   accepts,
        open_fit,     close_fit,      message_of, put_fit,   get_fit,    start_fit,
        basis_fit,    basis_changed_fit, encoding_fit, keep_fit, restore_fit, measure_fit,
        projected_gradient_fit, run_fit, search_functions(), projective_functions(),
        product_functions(),
    };
    return &table;
}
