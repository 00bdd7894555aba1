package quant

import (
	"errors"
	"fmt"
	"strings"

	"kosumi/nn/onnx"
)

// Errors of quantization. Test with errors.Is.
var (
	// ErrGraph says that a graph cannot be quantized as it stands.
	ErrGraph = errors.New("the graph cannot be quantized")
	// ErrNothing says that a graph has nothing that integers would speed up.
	ErrNothing = errors.New("nothing in the graph is worth quantizing")
	// ErrOptions marks options that make no sense.
	ErrOptions = errors.New("bad quantization options")
	// ErrCalibration says that the calibration rows did not give usable numbers.
	ErrCalibration = errors.New("calibration failed")
)

// Method says how the range of an activation is chosen.
type Method uint8

// The methods of calibration.
const (
	// MSE takes the range with the least mean squared error.
	MSE Method = iota
	// Max takes all that was seen.
	Max
	// Percentile leaves out the largest Options.Percentile of all numbers.
	Percentile
	// Entropy takes the range with the least Kullback-Leibler divergence
	// between the numbers and their quantized form.
	Entropy
)

var methodNames = []string{"mse", "max", "percentile", "entropy"}

// String returns "mse", "max", "percentile" or "entropy".
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("unknown(%d)", m)
}

// ParseMethod reads what [Method.String] writes.
func ParseMethod(s string) (Method, error) {
	for i, name := range methodNames {
		if strings.EqualFold(s, name) {
			return Method(i), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown calibration method %q: use one of %s", ErrOptions, s, strings.Join(methodNames, ", "))
}

// Tap names a value of a graph and gives the shape of one row of it.
type Tap struct {
	Name  string
	Shape []int
}

// Pass is one run of a graph over the calibration rows.
type Pass struct {
	// Stage says what the run is for, to people: "measure ranges" or "round weights".
	Stage string
	// Model has the network's own inputs; its outputs are the taps.
	Model *onnx.Model
	Taps  []Tap
	// See takes the numbers of one tap for some rows and does not keep them. For
	// each batch it is to be called for every tap in order. An error that it
	// returns ends the run and is what Run returns.
	See func(tap, rows int, data []float32) error
}

// Runner runs graphs over the calibration rows, always the same ones.
type Runner interface {
	Run(p Pass) error
}

// Options say how a network is quantized. The zero value is the best known way.
type Options struct {
	Method Method
	// Percentile is the share of numbers that [Percentile] clips at each end,
	// 0 to 0.1; 0 means 1e-4.
	Percentile float64
	// Float lists convolutions and matrix products, by the name of their output
	// value, that stay in float32.
	Float []string
	// LeastWork is the share of the network's multiplications below which a
	// convolution or matrix product stays in float32; 0 means 0.01, or
	// 0.15 times the largest one's share where that is less. Negative: none does.
	LeastWork float64
	// Nearest rounds each weight to the nearest level, without looking at what
	// the rounding does to the outputs over the calibration rows.
	Nearest bool
	// For is the kind of processor that is to compute with the result.
	For Processor

	plain plain // for tests
}

// plain says what to do without, to see what it is good for.
type plain struct{ scales, shifts, planes bool }

func (o Options) withDefaults() (Options, error) {
	if int(o.Method) >= len(methodNames) {
		return o, fmt.Errorf("%w: calibration method %v", ErrOptions, o.Method)
	}
	if !(o.Percentile >= 0 && o.Percentile <= 0.1) {
		return o, fmt.Errorf("%w: percentile %g: 0 to 0.1", ErrOptions, o.Percentile)
	}
	if !(o.LeastWork <= 1) {
		return o, fmt.Errorf("%w: least work %g: at most 1", ErrOptions, o.LeastWork)
	}
	if int(o.For) >= len(processorNames) {
		return o, fmt.Errorf("%w: processor %v", ErrOptions, o.For)
	}
	o.For = o.For.resolved()
	if o.Percentile == 0 {
		o.Percentile = 1e-4
	}
	return o, nil
}
