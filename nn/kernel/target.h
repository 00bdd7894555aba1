// TARGET_BEGIN and TARGET_END enclose code for processors that have certain
// instructions. cgo compiles all files of a package with the same flags.
#define TARGET_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define TARGET_BEGIN(names) TARGET_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define TARGET_END TARGET_PRAGMA(clang attribute pop)
#else
#define TARGET_BEGIN(names) _Pragma("GCC push_options") TARGET_PRAGMA(GCC target(names))
#define TARGET_END _Pragma("GCC pop_options")
#endif

// AVX512 names what all AVX-512 kernels need. Some versions of clang want registers of
// 512 bits named as well.
#if defined(__clang__) && __clang_major__ >= 18 && __clang_major__ < 22
#define AVX512 "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,evex512"
#else
#define AVX512 "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma"
#endif
