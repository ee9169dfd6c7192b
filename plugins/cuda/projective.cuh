/* Projective methods on the device (engine/device_projective.h). */
#ifndef CUDA_PROJECTIVE_CUH
#define CUDA_PROJECTIVE_CUH

extern "C" {
#include "engine/device.h"
}

const device_projections *projective_functions();

#endif
