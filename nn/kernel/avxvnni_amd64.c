// AVX2 with VNNI: Alder Lake and later.

#include <immintrin.h>
#include "target.h"
TARGET_BEGIN("avx2,fma,avxvnni")
#define ISA isa_avxvnni
// By intrinsics gcc 12 keeps half of the sums in memory.
static inline __attribute__((always_inline)) __m256i dot2(__m256i acc, __m256i w, __m256i v)
{
#if defined(__clang__)
	return _mm256_dpwssd_avx_epi32(acc, w, v);
#else
	__asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(acc) : "x"(w), "x"(v));
	return acc;
#endif
}
#define DOT2(acc, w, v) dot2(acc, w, v)
#include "ymm.h"
TARGET_END
