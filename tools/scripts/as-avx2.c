//go:build ignore

// Answers the cpuid instructions of a library as a processor with AVX2 and
// nothing newer would. tools/scripts/as-avx2.sh puts "hlt; nop" in their place, two
// bytes as well; hlt is not for programs, so the system sends SIGSEGV, and the
// handler below does what cpuid does, with some bits cleared. It is preloaded, so
// that it stands before Go's runtime, which passes on what happens outside of Go.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define BIT(n) (1u << (n))

// Leaf 7 of cpuid: AVX-512 in all its parts, VNNI, AMX.
static void mask(unsigned leaf, unsigned sub, unsigned r[4]) {
	if (leaf != 7)
		return;
	if (sub == 0) {
		// F, DQ, IFMA, PF, ER, CD, BW, VL
		r[1] &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
		// VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
		r[2] &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));
		// 4VNNIW, 4FMAPS, VP2INTERSECT, AMX-BF16, FP16, AMX-TILE, AMX-INT8
		r[3] &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25));
	} else if (sub == 1) {
		// AVX-VNNI, AVX512-BF16, AMX-FP16, AVX-IFMA
		r[0] &= ~(BIT(4) | BIT(5) | BIT(21) | BIT(23));
		// AVX-VNNI-INT8, AVX-NE-CONVERT, AMX-COMPLEX, AVX-VNNI-INT16, AVX10
		r[3] &= ~(BIT(4) | BIT(5) | BIT(8) | BIT(10) | BIT(19));
	}
}

static void on_segv(int sig, siginfo_t *info, void *context) {
	(void)info;
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	if (memcmp((const void *)g[REG_RIP], "\xf4\x90", 2) != 0) {
		signal(sig, SIG_DFL); // a real fault: it happens again and ends the program
		return;
	}
	unsigned leaf = g[REG_RAX], sub = g[REG_RCX], r[4];
	__cpuid_count(leaf, sub, r[0], r[1], r[2], r[3]);
	mask(leaf, sub, r);
	g[REG_RAX] = r[0], g[REG_RBX] = r[1], g[REG_RCX] = r[2], g[REG_RDX] = r[3];
	g[REG_RIP] += 2;
}

__attribute__((constructor)) static void install(void) {
	struct sigaction a = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigemptyset(&a.sa_mask);
	sigaction(SIGSEGV, &a, 0);
}
