package model

import (
	"fmt"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/nn/fuse"
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// The number formats of networks.
const (
	autoPrecision  = "auto"
	floatPrecision = "fp32"
	int16Precision = "int16"
	halfPrecision  = "fp16"
)

// Precisions are the number formats that a network can be asked to run in.
var Precisions = []string{autoPrecision, int16Precision, floatPrecision, halfPrecision}

// precisionOf returns the number format of sessions, and why it was chosen.
func precisionOf(c Config, run runner) (precision, why string, err error) {
	if c.Precision != "" && !slices.Contains(Precisions, c.Precision) {
		return "", "", fmt.Errorf("%w: %q: use one of %s", ErrPrecision, c.Precision, strings.Join(Precisions, ", "))
	}
	isa, integers := kernel.Best()
	integers = integers && isa.Integers() && (run.name == ort.CPU || run.name == Kernel)
	switch c.Precision {
	case autoPrecision:
		if integers {
			return int16Precision, fmt.Sprintf("kernels for %s", isa), nil
		}
	case int16Precision:
		if !integers {
			return "", "", fmt.Errorf("%w: int16 needs the CPU, by --provider kernel or cpu, and AVX2", ErrPrecision)
		}
		return int16Precision, fmt.Sprintf("kernels for %s", isa), nil
	case halfPrecision:
		if run.name == OnnxGo || run.name == Kernel {
			return "", "", fmt.Errorf("%w: fp16 needs onnxruntime: %s", ErrPrecision, run.why)
		}
		return halfPrecision, "", nil
	}
	return floatPrecision, "", nil
}

// graphFor returns the graph that a runner computes in a precision.
func graphFor(src source, size board.Size, run runner, precision string) (*onnx.Model, error) {
	_, ok := kernel.Best()
	kernels := precision != halfPrecision && (run.name == Kernel || ok && run.name == ort.CPU)
	g, err := src.graph(size, kernels)
	switch {
	case err != nil || !kernels && precision != halfPrecision:
		return g, err
	case precision == halfPrecision:
		half, err := fuse.Half(g)
		if err != nil {
			return nil, fmt.Errorf("%w: fp16: %w", ErrPrecision, err)
		}
		return half, nil
	}
	numbers := kernel.Float32
	if precision == int16Precision {
		numbers = kernel.Int16
	}
	fused, _, err := fuse.Rewrite(g, numbers)
	return fused, err
}
