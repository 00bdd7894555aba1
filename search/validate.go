package search

import (
	"errors"
	"fmt"
	"math"

	"kosumi/nn/features"
)

// ErrParams is wrapped by every fault that Validate finds.
var ErrParams = errors.New("bad search settings")

// faults collects errors of settings.
type faults []error

// in demands lo <= v <= hi.
func (f *faults) in(name string, v, lo, hi float64) {
	if !(v >= lo && v <= hi) { // NaN fails too
		*f = append(*f, fmt.Errorf("%w: %s is %v, must be from %v to %v", ErrParams, name, v, lo, hi))
	}
}

// Validate returns all faults of the settings joined, each wrapping ErrParams,
// or nil.
func (p Params) Validate() error {
	var f faults
	for _, fault := range settings.Check(&p) {
		f = append(f, fmt.Errorf("%w: %w", ErrParams, fault))
	}
	if _, _, err := features.ParseProfile(p.Human.Profile); err != nil {
		f = append(f, fmt.Errorf("%w: %w", ErrParams, err))
	}
	if p.Choice.UseLCB {
		f.in("lcbStdevs with useLcbForSelection", p.Choice.LCBStdevs, 0.1, 12)
	}
	f.in("numSearchThreads", float64(p.Parallel.Workers), 1, 4096)
	if p.Memory.MaxBytes != 0 {
		f.in("Memory.MaxBytes", float64(p.Memory.MaxBytes), float64(MinBytes), math.MaxInt64)
	}
	return errors.Join(f...)
}
