// AVX2 and FMA: Haswell, Zen and later.

#include <immintrin.h>
#include "target.h"
TARGET_BEGIN("avx2,fma")
#define ISA isa_avx2
#define INT16 int16_avx2
#define VNNI isa_avxvnni
#define VNNI_INT16 int16_avxvnni
// By intrinsics gcc 12 keeps half of the sums in memory.
static inline __attribute__((always_inline)) __m256i dot2(__m256i acc, __m256i w, __m256i v)
{
#if defined(__clang__)
	return _mm256_add_epi32(acc, _mm256_madd_epi16(w, v));
#else
	__m256i product = _mm256_madd_epi16(w, v);
	__asm__("vpaddd %1, %0, %0" : "+x"(acc) : "x"(product));
	return acc;
#endif
}
#define DOT2(acc, w, v) dot2(acc, w, v)
#include "ymm.h"
#include "isa.h"
TARGET_END
