/* What search.cu gives the plug-in's table. */
#ifndef CUDA_SEARCH_CUH
#define CUDA_SEARCH_CUH

extern "C" {
#include "core/device_search.h"
}

const device_search *search_functions();

#endif
