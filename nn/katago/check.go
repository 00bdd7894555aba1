package katago

import (
	"fmt"
	"math"
)

// Check reports whether the layers fit each other and every number is finite. FromONNX, Write and
// Build call it; Read makes the same checks. Errors: ErrShape, ErrVersion, ErrUnsupported, ErrFormat;
// the text names the layer.
func (n *Network) Check() error {
	w := walker{m: checker{}}
	w.network(n)
	return w.err
}

// checker is a [medium] that checks the blocks of numbers and does nothing else.
type checker struct{ collector }

func (checker) floats(_ string, n int64, _ []int, v *[]float32) error {
	if int64(len(*v)) != n {
		return fmt.Errorf("%w: %d numbers, should be %d", ErrShape, len(*v), n)
	}
	for _, f := range *v {
		if !finite(f) {
			return fmt.Errorf("%w: a number is not finite", ErrShape)
		}
	}
	return nil
}

func finite(f float32) bool { return math.Float32bits(f)&0x7f800000 != 0x7f800000 }
