// AVX-512 with VNNI: Ice Lake and Cascade Lake servers, Zen 4 and later. Its products in
// integers; avx512_amd64.c has the rest.

#include <immintrin.h>
#include <string.h>
#include "layer.h"
#include "target.h"
TARGET_BEGIN(AVX512 ",avx512vnni")
#define INT16 int16_avx512vnni
// By the intrinsic gcc 12 keeps half of the sums in memory; what clang 20 makes of it
// runs at six tenths of the speed of a product and a sum.
static inline __attribute__((always_inline)) __m512i dot2(__m512i acc, __m512i w, __m512i v)
{
#if defined(__clang__)
	return _mm512_add_epi32(acc, _mm512_madd_epi16(w, v));
#else
	__asm__("vpdpwssd %2, %1, %0" : "+v"(acc) : "v"(w), "v"(v));
	return acc;
#endif
}
#define DOT2(acc, w, v) dot2(acc, w, v)
#include "zmm.h"
#include "vectors.h"
#include "micros.h"
TARGET_END
