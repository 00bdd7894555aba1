//go:build !linux

package main

import (
	"os"
	"testing"
	"time"
)

// buffered would be how many bytes wait in a pipe; where the system does not
// say, the pipe has time to fill.
func buffered(*testing.T, *os.File) int {
	time.Sleep(time.Second)
	return 1
}
