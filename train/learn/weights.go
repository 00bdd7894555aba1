package learn

import (
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// weights holds weights, statistics and optimizer state twice: a step reads one side and writes
// the other, then the sides are swapped. Graphs of all board sizes are bound to the same memory.
// If the tensors are in a GPU's memory, their field Data is valid only after [weights.fetch].
type weights struct {
	device  *ort.Device // nil: memory of the host
	tensors map[string]*[2]*ort.Tensor
	names   []string // in the order of their creation
	side    int      // the valid side, 0 or 1
}

// add makes a tensor unless one of that name exists. Fixed tensors are never written, so both
// sides share one tensor.
func (s *weights) add(name string, dims []int64, init *onnx.Tensor, fixed bool) error {
	if old, ok := s.tensors[name]; ok {
		if !slices.Equal(old[0].Dims, dims) {
			return fmt.Errorf("%w: weight %s is %v on one board and %v on another", ErrNetwork, name, old[0].Dims, dims)
		}
		return nil
	}
	alloc := ort.NewTensor
	if s.device != nil {
		alloc = s.device.NewTensor
	}
	one, err := alloc(dims...)
	if err != nil {
		return err
	}
	pair := [2]*ort.Tensor{one, one}
	if !fixed {
		if pair[1], err = alloc(dims...); err != nil {
			return err
		}
	}
	if init != nil {
		data, err := init.Float32s()
		if err != nil {
			return fmt.Errorf("%w: weight %s: %w", ErrNetwork, name, err)
		}
		copy(pair[s.side].Data, data)
	}
	s.tensors[name] = &pair
	s.names = append(s.names, name)
	return nil
}

// fetch copies the tensors of the valid side from the device into their field Data.
func (s *weights) fetch() error {
	for _, name := range s.names {
		if err := s.tensors[name][s.side].Fetch(); err != nil {
			return err
		}
	}
	return nil
}

// at returns the tensors of one side; offset 0 is the valid one.
func (s *weights) at(offset int) map[string]*ort.Tensor {
	all := make(map[string]*ort.Tensor, len(s.tensors))
	for name, pair := range s.tensors {
		all[name] = pair[(s.side+offset)%2]
	}
	return all
}

// data returns the valid numbers of a tensor after [weights.fetch]; nil if the name is unknown.
func (s *weights) data(name string) []float32 {
	if pair := s.tensors[name]; pair != nil {
		return pair[s.side].Data
	}
	return nil
}

func (s *weights) close() {
	for _, pair := range s.tensors {
		pair[0].Close()
		if pair[1] != pair[0] {
			pair[1].Close()
		}
	}
	_ = s.device.Close()
}

func finite(list ...float32) bool {
	return !slices.ContainsFunc(list, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) })
}
