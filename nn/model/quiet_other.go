//go:build !linux

package model

// quietly runs f; only on Linux can a thread be told to leave the processor to
// others.
func quietly(f func()) { f() }
