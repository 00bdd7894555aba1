//go:build !unix

package search

import "time"

var began = time.Now()

// processorTime is wall time here.
func processorTime() time.Duration { return time.Since(began) }
