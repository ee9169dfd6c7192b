/* The kernels for any machine: 16 registers of 16 bytes, as SSE2 and NEON have them. */
#define ISA baseline
#define ISA_TITLE "baseline"
#define VECTOR 16
#define REGISTERS 16
#include "kernel/instances.inc"
