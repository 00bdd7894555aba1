//go:build !unix

package search

import "time"

var began = time.Now()

// processorTime is the time of day where there is nothing better.
func processorTime() time.Duration { return time.Since(began) }
