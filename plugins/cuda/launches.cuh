/* Launches that begin while the one before them ends (programmatic dependent launches, compute
 * capability 9.0): their blocks take the place of those that are done, and wait for the results in
 * follow_launch(). Every kernel of a chain calls it, so that what is done follows all before it. */
#ifndef CUDA_LAUNCHES_CUH
#define CUDA_LAUNCHES_CUH

#include <cuda_runtime.h>

/* By all threads, before they touch what other launches write or read. */
__device__ inline void follow_launch()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n"
                 "griddepcontrol.launch_dependents;" ::
                     : "memory");
#endif
}

/* `cluster`: blocks of a cluster, 0 for none. */
struct launch_shape {
    int64_t blocks;
    dim3 threads;
    int64_t bytes; /* of shared memory */
    int cluster;
};

inline cudaError_t launch_next(const void *kernel, const launch_shape &shape, cudaStream_t stream,
                               void **arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = (unsigned)shape.cluster;
    attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned)shape.blocks);
    config.blockDim = shape.threads;
    config.dynamicSmemBytes = (size_t)shape.bytes;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = shape.cluster > 0 ? 2 : 1;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

#endif
