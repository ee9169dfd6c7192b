/* The kernels for AVX2 with FMA: 16 registers of 32 bytes. */
#define ISA avx2
#define ISA_TITLE "avx2"
#define VECTOR 32
#define REGISTERS 16
#include "kernel/instances.inc"
