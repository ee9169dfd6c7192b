/* The tables that kernels.inc makes, one for each instruction set and precision. */
#ifndef KERNEL_INSTANCES_H
#define KERNEL_INSTANCES_H

#include "kernel/kernel.h"

extern const kernels baseline_single_table, baseline_double_table;
#ifdef ORTHANT_HAVE_X86
extern const kernels avx2_single_table, avx2_double_table;
extern const kernels avx512_single_table, avx512_double_table;
#endif

#endif
