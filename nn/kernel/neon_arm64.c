// NEON, which every 64-bit ARM processor has.
#define ISA isa_neon
#define LANES 4
#define NR 4
#define ROWS {0, 12, 12, 9, 6}
#define PREFETCH(p) __builtin_prefetch(p)
#include "isa.h"
