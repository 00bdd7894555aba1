// AVX-512 without VNNI: Skylake servers.

#include <immintrin.h>
#include "target.h"
TARGET_BEGIN(AVX512)
#define ISA isa_avx512
#define INT16 int16_avx512
#define VNNI isa_avx512vnni
#define VNNI_INT16 int16_avx512vnni
// By intrinsics gcc 12 keeps half of the sums in memory.
static inline __attribute__((always_inline)) __m512i dot2(__m512i acc, __m512i w, __m512i v)
{
#if defined(__clang__)
	return _mm512_add_epi32(acc, _mm512_madd_epi16(w, v));
#else
	__m512i product = _mm512_madd_epi16(w, v);
	__asm__("vpaddd %1, %0, %0" : "+v"(acc) : "v"(product));
	return acc;
#endif
}
#define DOT2(acc, w, v) dot2(acc, w, v)
#include "zmm.h"
#include "isa.h"
TARGET_END
