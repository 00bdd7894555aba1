// The operators of the domain "kosumi" that onnxruntime calls.
#ifndef KOSUMI_OPERATORS_H
#define KOSUMI_OPERATORS_H

typedef struct operators operators;

// operators_make registers the operators with a session's options. api_base is what
// the library's OrtGetApiBase returns, kernels a kernel_table_t, isa the set of
// instructions, threads the session's. The result must live as long as the session; NULL says in why
// what is missing.
operators *operators_make(const void *api_base, void *session_options, const void *kernels, int isa, int threads, const char **why);
void operators_drop(operators *);

// find_api_base returns the OrtGetApiBase() of the library that is loaded from path;
// NULL where there is none.
const void *find_api_base(const char *path);

#endif
