// AVX2 with VNNI: Alder Lake and later. Its products in integers; avx2_amd64.c has the rest.

#include <immintrin.h>
#include <string.h>
#include "layer.h"
#include "target.h"
TARGET_BEGIN("avx2,fma,avxvnni")
#define INT16 int16_avxvnni
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
#include "vectors.h"
#include "micros.h"
TARGET_END
