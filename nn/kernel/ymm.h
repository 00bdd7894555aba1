// The definitions that isa.h and micros.h need for AVX2.
#include <stdint.h>
#define LANES 8
#define NR 2
#define ROWS {0, 6, 6}
#define VMAX(a, b) ((vf)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define VMIN(a, b) ((vf)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define LARGER(a, b) ((vmask)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#define QUAD_MAX(a, b) ((quad)_mm_max_ps((__m128)(a), (__m128)(b)))
#define PREFETCH(p) _mm_prefetch(p, _MM_HINT_T0)
#define SPLAT2(p) _mm256_set1_epi32(*(const int32_t *)(p))
#define TO_FLOAT(x) ((vf)_mm256_cvtepi32_ps(x))
#define STORE16(p, x) store_int16((int16_t *)(p), _mm256_cvtps_epi32((__m256)(x)))
typedef __m256i vi;

static inline __attribute__((always_inline)) void store_int16(int16_t *p, __m256i x)
{
	_mm_storeu_si128((__m128i *)p, _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}
