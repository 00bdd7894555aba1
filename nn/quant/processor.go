package quant

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"

	"kosumi/nn/onnx"
)

// Processor is a kind of processor, by how it adds up products of unsigned by
// signed 8-bit integers.
//
// Without VNNI, x86 processors add two such products in 16 bits, which saturate:
// 255*127*2 is about twice what they hold. All others that onnxruntime serves add
// up in 32 bits, exactly.
type Processor uint8

// The processors that networks are written for.
const (
	AtHand Processor = iota // the one that this program runs on, see [Here]
	VNNI                    // x86 with AVX-512 VNNI or AVX-VNNI: exact
	AVX2                    // x86 without: sums of two products saturate at 16 bits
	ARM64                   // exact
	Any                     // all of these: the weights are kept within what AVX2 bears
)

var processorNames = []string{"this one", "vnni", "avx2", "arm64", "any"}

// String returns the name that [ParseProcessor] reads.
func (p Processor) String() string {
	if int(p) < len(processorNames) {
		return processorNames[p]
	}
	return fmt.Sprintf("unknown(%d)", p)
}

// ParseProcessor reads "vnni", "avx2", "arm64" or "any"; "" is [Here].
func ParseProcessor(s string) (Processor, error) {
	if s == "" {
		return Here(), nil
	}
	if i := slices.Index(processorNames[1:], strings.ToLower(s)); i >= 0 {
		return Processor(i + 1), nil
	}
	return 0, fmt.Errorf("%w: unknown processor %q: use one of %s", ErrOptions, s, strings.Join(processorNames[1:], ", "))
}

// EnvProcessor is the environment variable that names the processor to work as, for
// tests: see scripts/as-avx2.sh.
const EnvProcessor = "KOSUMI_PROCESSOR"

// Here returns the kind of processor that this program runs on, or is told to work
// as: never AtHand.
func Here() Processor {
	if named := os.Getenv(EnvProcessor); named != "" {
		if p, err := ParseProcessor(named); err == nil {
			return p
		}
	}
	switch runtime.GOARCH {
	case "amd64", "386":
		if cpu.X86.HasAVX512VNNI || cpu.X86.HasAVXVNNI {
			return VNNI
		}
		return AVX2
	case "arm64":
		return ARM64
	}
	return Any
}

// resolved replaces AtHand by what it stands for.
func (p Processor) resolved() Processor {
	if p == AtHand {
		return Here()
	}
	return p
}

// bounded reports whether weights for p have to be kept small enough for sums of
// two products to fit 16 bits.
func (p Processor) bounded() bool {
	p = p.resolved()
	return p == AVX2 || p == Any
}

// Serves reports whether a network written for p computes exactly on other.
func (p Processor) Serves(other Processor) bool { return p.bounded() || !other.bounded() }

// signedWeights is which input of an operator are signed 8-bit weights; their zero
// point is zeroInput.
var signedWeights = map[string]int{"QLinearConv": 3, "MatMulIntegerToFloat": 1}

const zeroInput = 5

// Exact returns the integer graph m with its signed 8-bit weights as unsigned
// ones, which mean the same. Every processor adds up their products exactly; those
// without VNNI take longer over them. m is not changed.
func Exact(m *onnx.Model) (*onnx.Model, error) {
	out := m.Clone()
	names := onnx.NewNames(out.Graph)
	consts := map[string]*onnx.Tensor{}
	for _, t := range out.Graph.Initializers {
		consts[t.Name] = t
	}
	moved := map[*onnx.Tensor]bool{}
	move := func(t *onnx.Tensor) error {
		if t == nil || moved[t] {
			return nil
		}
		numbers, err := t.Int64s()
		if err != nil {
			return fmt.Errorf("%w: weights %q: %w", ErrGraph, t.Name, err)
		}
		unsigned := make([]uint8, len(numbers))
		for i, v := range numbers {
			unsigned[i] = uint8(v + 128)
		}
		*t = *onnx.NewTensor(t.Name, unsigned, t.Dims...)
		moved[t] = true
		return nil
	}
	for _, n := range out.Graph.Nodes {
		at, ok := signedWeights[n.OpType]
		if w := consts[n.Input(at)]; !ok || w == nil || w.Type != onnx.Int8 && !moved[w] {
			continue
		}
		for len(n.Inputs) <= zeroInput {
			n.Inputs = append(n.Inputs, "")
		}
		if n.Inputs[zeroInput] == "" {
			zero := onnx.NewScalar(names.New(n.Inputs[at]+".zero"), int8(0))
			out.Graph.Initializers = append(out.Graph.Initializers, zero)
			consts[zero.Name], n.Inputs[zeroInput] = zero, zero.Name
		}
		if err := errors.Join(move(consts[n.Inputs[at]]), move(consts[n.Inputs[zeroInput]])); err != nil {
			return nil, err
		}
	}
	return out, nil
}
