// The 128-bit vectors of WebAssembly: every browser since 2023, by way of module_wasm.c.

#include <stdint.h>
#include <wasm_simd128.h>
#define ISA isa_wasm
#define LANES 4
#define NR 4
#define ROWS {0, 10, 5, 3, 2}
#define INT16 int16_wasm
#define VMAX(a, b) ((vf)wasm_f32x4_pmax((v128_t)(b), (v128_t)(a)))
#define VMIN(a, b) ((vf)wasm_f32x4_pmin((v128_t)(b), (v128_t)(a)))
#define PREFETCH(p) ((void)(p))
#define SPLAT2(p) wasm_v128_load32_splat(p)
#define DOT2(acc, w, v) wasm_i32x4_add(acc, wasm_i32x4_dot_i16x8(w, v))
#define LARGER(a, b) ((vmask)wasm_i32x4_max((v128_t)(a), (v128_t)(b)))
#define TO_FLOAT(x) ((vf)wasm_f32x4_convert_i32x4(x))
#define STORE16(p, x) store_int16(p, (v128_t)(x))
typedef v128_t vi;

static inline __attribute__((always_inline)) void store_int16(void *p, v128_t x)
{
	v128_t whole = wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(x));
	wasm_v128_store64_lane(p, wasm_i16x8_narrow_i32x4(whole, whole), 0);
}
#include "isa.h"
