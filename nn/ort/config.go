package ort

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Config says how a session runs. The zero value is one row at a time on one
// CPU thread, with a library found by [Find].
type Config struct {
	// Library names the onnxruntime library, a file or its folder; "" searches
	// as [Find] does. One process loads one library: the first choice stays.
	Library string
	// Provider executes the graph, see [ProviderNames]; "" means "cpu".
	Provider string
	// Device is the provider's device, by its number in [Devices]; 0 is the first, or lets the
	// provider choose. Of onnxruntime's own providers only CUDA, TensorRT and DirectML have
	// several.
	Device int
	// Threads is the number of threads in one Run; 0 means 1. Several sessions of one
	// thread serve more rows a second than one session of several threads.
	Threads int
	// MaxBatch is the largest number of rows in one Run; 0 means 1.
	MaxBatch int
	// FewShapes rounds the number of computed rows up as [nn.Shape] does, to at most MaxBatch.
	FewShapes bool
	// CommonArena takes the memory of intermediate results from one pool of the process: all sessions
	// that run in turn need only as much as the largest of them. For the CPU only.
	CommonArena bool
}

// withDefaults replaces zero values by their defaults.
func (c Config) withDefaults() Config {
	c.Provider = cmp.Or(c.Provider, CPU)
	c.Provider = strings.ToLower(c.Provider)
	c.Threads = max(c.Threads, 1)
	c.MaxBatch = max(c.MaxBatch, 1)
	return c
}

// maxBatchLimit keeps a typing error from asking for terabytes.
const maxBatchLimit = 1 << 16

// Validate returns all errors of the configuration, joined.
func (c Config) Validate() error {
	var faults []error
	if c.Provider != "" {
		if _, err := lookProvider(c.Provider); err != nil {
			faults = append(faults, err)
		}
	}
	if c.Threads < 0 || c.Threads > 1024 {
		faults = append(faults, fmt.Errorf("threads is %d: use 1 to 1024", c.Threads))
	}
	if c.Device < 0 {
		faults = append(faults, fmt.Errorf("device is %d: they are counted from 0", c.Device))
	}
	if c.MaxBatch < 0 || c.MaxBatch > maxBatchLimit {
		faults = append(faults, fmt.Errorf("batch is %d: use 1 to %d", c.MaxBatch, maxBatchLimit))
	}
	return errors.Join(faults...)
}
