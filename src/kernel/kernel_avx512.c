/* The kernels for AVX-512 (F, DQ, BW, VL): 32 registers of 64 bytes. */
#define ISA avx512
#define ISA_TITLE "avx512"
#define VECTOR 64
#define REGISTERS 32
#include "kernel/instances.inc"
