package search

import (
	"errors"
	"fmt"
	"math"

	"kosumi/nn/features"
)

// ErrParams is wrapped by every fault that Validate finds.
var ErrParams = errors.New("bad search settings")

// Validate returns all faults of the settings joined, each wrapping ErrParams,
// or nil.
func (p Params) Validate() error {
	faults := settings.Check(&p)
	_, _, err := features.ParseProfile(p.Human.Profile)
	faults = append(faults, err)
	in := func(name string, v, lo, hi float64) {
		if !(v >= lo && v <= hi) { // NaN fails too
			faults = append(faults, fmt.Errorf("%s is %v, must be from %v to %v", name, v, lo, hi))
		}
	}
	if p.Choice.UseLCB {
		in("lcbStdevs with useLcbForSelection", p.Choice.LCBStdevs, 0.1, 12)
	}
	in("numSearchThreads", float64(p.Parallel.Workers), 1, 4096)
	if p.Memory.MaxBytes != 0 {
		in("Memory.MaxBytes", float64(p.Memory.MaxBytes), float64(MinBytes), math.MaxInt64)
	}
	for i, fault := range faults {
		if fault != nil {
			faults[i] = fmt.Errorf("%w: %w", ErrParams, fault)
		}
	}
	return errors.Join(faults...)
}
