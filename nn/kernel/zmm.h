// The definitions that isa.h and micros.h need for AVX-512.
#include <stdint.h>
#define LANES 16
#define NR 4
#define ROWS {0, 12, 12, 9, 6}
#define VMAX(a, b) ((vf)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define VMIN(a, b) ((vf)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define LARGER(a, b) ((vmask)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#define QUAD_MAX(a, b) ((quad)_mm_max_ps((__m128)(a), (__m128)(b)))
#define FRACTION(x) ((vf)_mm512_reduce_ps((__m512)(x), 1))
#define BY_POWER(p, x) ((vf)_mm512_scalef_ps((__m512)(p), (__m512)(x)))
#define PREFETCH(p) _mm_prefetch(p, _MM_HINT_T0)
#define SPLAT2(p) _mm512_set1_epi32(*(const int32_t *)(p))
#define TO_FLOAT(x) ((vf)_mm512_cvtepi32_ps(x))
#define STORE16(p, x) _mm256_storeu_si256((__m256i *)(p), _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32((__m512)(x))))
typedef __m512i vi;
