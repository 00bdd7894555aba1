// TARGET_BEGIN and TARGET_END stand around code for processors that have certain
// instructions. cgo compiles all files of a package with the same flags.
#define TARGET_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define TARGET_BEGIN(names) TARGET_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define TARGET_END TARGET_PRAGMA(clang attribute pop)
#else
#define TARGET_BEGIN(names) _Pragma("GCC push_options") TARGET_PRAGMA(GCC target(names))
#define TARGET_END _Pragma("GCC pop_options")
#endif
