//go:build !unix

package bench

import "runtime"

// peakRSS returns the bytes that the Go runtime took from the system. Memory of onnxruntime is
// not included.
func peakRSS() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
