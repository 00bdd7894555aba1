//go:build !cgo

package kernel

import "unsafe"

const compiled = false

// Table returns nil: the kernels are written in C.
func Table() unsafe.Pointer { return nil }
