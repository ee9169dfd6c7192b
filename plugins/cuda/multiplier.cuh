/* Products with K for methods on similarities and inner products. */
#ifndef CUDA_MULTIPLIER_CUH
#define CUDA_MULTIPLIER_CUH

extern "C" {
#include "engine/device.h"
}

const device_products *product_functions();

#endif
