// AVX-512 with VNNI: Ice Lake and Cascade Lake servers, Zen 4 and later.

#include <immintrin.h>
#include "target.h"
TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma")
#define ISA isa_avx512vnni
// By the intrinsic gcc 12 keeps half of the sums in memory.
static inline __attribute__((always_inline)) __m512i dot2(__m512i acc, __m512i w, __m512i v)
{
	__asm__("vpdpwssd %2, %1, %0" : "+v"(acc) : "v"(w), "v"(v));
	return acc;
}
#define DOT2(acc, w, v) dot2(acc, w, v)
#include "zmm.h"
TARGET_END
