#define ISA baseline
#define ISA_TITLE "baseline"
#define VECTOR 16
#define REGISTERS 16
#include "kernel/instances.inc"
