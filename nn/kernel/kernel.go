package kernel

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// ErrStopped is the error of calls to a web worker that has ended. The next session gets a new
// worker.
var ErrStopped = errors.New("a worker of the page has ended")

// ISA is an instruction set that has kernels.
type ISA int

// The sets of instructions, the best last. The numbers are those of kernel.h.
const (
	Portable   ISA = iota // any processor
	NEON                  // 64-bit ARM
	AVX2                  // with FMA: Haswell, Zen and later
	AVXVNNI               // AVX2 with VNNI: Alder Lake and later
	AVX512                // F, BW, DQ and VL: Skylake servers
	AVX512VNNI            // Cascade Lake and Ice Lake servers, Zen 4 and later
	WASM                  // WebAssembly in a browser, with 128-bit vectors
)

var isaNames = []string{"portable", "neon", "avx2", "avxvnni", "avx512", "avx512vnni", "wasm"}

// String returns the name that [EnvISA] takes.
func (i ISA) String() string {
	if i >= 0 && int(i) < len(isaNames) {
		return isaNames[i]
	}
	return fmt.Sprintf("unknown(%d)", int(i))
}

// Integers reports whether there are kernels in 16-bit integers.
func (i ISA) Integers() bool { return i >= AVX2 }

// EnvISA is the environment variable that names an instruction set to use instead of the best one.
// If the processor lacks it, networks run as on a processor without kernels worth using.
const EnvISA = "KOSUMI_KERNELS"

// Precision is the number format in which a layer computes.
type Precision int

// The precisions. The numbers are those of kernel.h and of the operators' attribute.
const (
	Float32 Precision = iota
	Int16             // 16-bit integers, summed in 32 bits
)

// Activation is the function applied to a layer's outputs.
type Activation int

// The activations. The numbers are those of kernel.h and of the operators' attribute.
const (
	Identity Activation = iota
	ReLU
	Mish
	SiLU
	SwiGLU // only of 1x1 layers: silu of the first half of the outputs, times the second half
)

// Available returns the instruction sets that this processor has, the best last; none if the
// program was built without cgo. In a browser it returns [WASM] once the workers have started.
func Available() []ISA { return available() }

// Best returns the instruction set for layers: the one that [EnvISA] names, or the best of
// [Available]. ok is false if none is worth using; Portable counts only if [EnvISA] names it.
func Best() (isa ISA, ok bool) {
	for _, isa := range slices.Backward(Available()) {
		if name := os.Getenv(EnvISA); name == "" || strings.EqualFold(isa.String(), name) {
			return isa, isa != Portable || name != ""
		}
	}
	return Portable, false
}
