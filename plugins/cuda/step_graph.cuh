/* The launches of an iteration, recorded once and launched together. */
#ifndef CUDA_STEP_GRAPH_CUH
#define CUDA_STEP_GRAPH_CUH

#include "state.cuh"

/* What the launches of an iteration depend on; of coordinate descent its passes and share too. */
struct step_key {
    bool descends;
    int passes;
    double exponent, momentum, share;

    bool operator==(const step_key &other) const
    {
        return descends == other.descends && passes == other.passes && exponent == other.exponent &&
               momentum == other.momentum && share == other.share;
    }
};

class step_graph
{
  public:
    step_graph() = default;
    step_graph(const step_graph &) = delete;
    step_graph &operator=(const step_graph &) = delete;
    ~step_graph()
    {
        if (graph)
            cudaGraphExecDestroy(graph);
    }

    bool has(const step_key &key) const
    {
        return graph && recorded_key == key;
    }

    /* What `launches` does, recorded where the key is another one than the last. */
    template <typename LAUNCHES>
    bool run(device_state *state, cudaStream_t stream, const step_key &key, LAUNCHES launches)
    {
        if (!has(key) && !record(state, stream, key, launches))
            return false;
        return state->check(cudaGraphLaunch(graph, stream), "a graph");
    }

  private:
    template <typename LAUNCHES>
    bool record(device_state *state, cudaStream_t stream, const step_key &key, LAUNCHES launches)
    {
        cudaGraph_t recorded = nullptr;
        if (graph)
            cudaGraphExecDestroy(graph);
        graph = nullptr;
        if (!state->check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                          "a graph"))
            return false;
        launches();
        const cudaError_t error = cudaStreamEndCapture(stream, &recorded);
        const bool made = !state->failed() && state->check(error, "a graph") &&
                          state->check(cudaGraphInstantiate(&graph, recorded, 0), "a graph");
        if (recorded)
            cudaGraphDestroy(recorded);
        recorded_key = key;
        return made;
    }

    cudaGraphExec_t graph = nullptr;
    step_key recorded_key = {};
};

#endif
