//go:build !race

package testshared

// Race reports whether the race detector is on, which makes tests some ten times slower.
const Race = false
