#define ISA avx512
#define ISA_TITLE "avx512"
#define VECTOR 64
#define REGISTERS 32
#include "kernel/instances.inc"
