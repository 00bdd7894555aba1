// Whatever vectors the compiler makes of it: any processor.
#define ISA isa_portable
#define LANES 4
#define NR 2
#define ROWS {0, 6, 4}
#define PREFETCH(p) ((void)(p))
#include "isa.h"
